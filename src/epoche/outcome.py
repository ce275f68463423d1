"""What comes of one statement: three types, so that "no answer" is never a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from epoche.certificate import Certificate
from epoche.types import Label


@dataclass(frozen=True)
class Outcome:
    """What came of one statement; one of `Verdict`, `Abstention` and `Failure`."""

    certificate: Certificate

    @property
    def type(self) -> Literal["verdict", "abstention", "failure"]:
        return self.certificate.outcome.type

    @property
    def label(self) -> Label | None:
        """What was answered; None unless this is a verdict."""
        return self.certificate.outcome.label

    @property
    def confidence(self) -> float | None:
        """Confidence of the proposal; None where nothing was scored."""
        return self.certificate.outcome.confidence

    @property
    def reason(self) -> str | None:
        """Why there is no answer; None for a verdict."""
        return self.certificate.outcome.reason

    @property
    def detail(self) -> str:
        """The reason for answering or not in plain words, with the numbers."""
        return self.certificate.outcome.detail


class Verdict(Outcome):
    """Answered: `label` is not None."""


class Abstention(Outcome):
    """Not answered although nothing broke: `reason` says why."""


class Failure(Outcome):
    """A model broke. Never a verdict: `reason` names the kind of error, `detail` has its message."""


def as_outcome(certificate: Certificate) -> Outcome:
    """The certificate as the type its outcome names."""
    kinds = {"verdict": Verdict, "abstention": Abstention, "failure": Failure}
    return kinds[certificate.outcome.type](certificate)
