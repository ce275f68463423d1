"""Exceptions of epoche, in one tree.

    EpocheError
    ├── InputError             what the user gave cannot be read or makes no sense (exit code 1)
    │   ├── DocumentError      a document, a folder or a line of a file
    │   └── CertificateError   a certificate that is malformed
    ├── OptionError            an option or a setting out of its range (exit code 2)
    │   ├── PolicyError        a policy file, or a policy bound to another model
    │   └── UnknownBackend     no backend, decomposer or model of that name
    ├── MissingExtra           a backend needs an extra that is not installed (exit code 2)
    └── BackendError           a model broke while it worked (becomes a `Failure`, exit code 1)
        └── ModelError         model files that cannot be used: labels without names, missing files

Messages say what happened, where, and what to do next.
"""

from __future__ import annotations


class EpocheError(Exception):
    """Base of everything epoche raises on purpose."""

    exit_code = 1


class InputError(EpocheError):
    """What the user gave cannot be read or makes no sense."""


class DocumentError(InputError):
    """A document, a folder or one line of a file cannot be read.

    `source` names the file, `line` the line (from 1) where there is one.
    """

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.source = source
        self.line = line


class CertificateError(InputError):
    """A certificate is not one, or is malformed."""


class OptionError(EpocheError):
    """An option or a setting is out of its range."""

    exit_code = 2


class PolicyError(OptionError):
    """A policy cannot be read, or it carries a promise made for something else."""


class UnknownBackend(OptionError):
    """No backend, decomposer or model of that name."""


class MissingExtra(EpocheError):
    """A backend needs packages that are not installed; the message names the extra."""

    exit_code = 2

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs the extra "{extra}": pip install "epoche[{extra}]"')
        self.what, self.extra = what, extra


class BackendError(EpocheError):
    """A model broke while it worked."""


class ModelError(BackendError):
    """Model files cannot be used: a label without a name, a missing file, a wrong shape."""


class BudgetSpent(EpocheError):
    """The next prompt could cost more than what is left of the budget."""
