"""epoche: checks scientific claims against evidence, and knows when not to answer.

    from epoche import Verifier
    outcome = Verifier().verify("…", documents=["…"])

Nothing heavy is imported before a name is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from epoche.assemble import Verifier as Verifier
    from epoche.certificate import Certificate as Certificate
    from epoche.judge import replay as replay
    from epoche.outcome import Abstention as Abstention
    from epoche.outcome import Failure as Failure
    from epoche.outcome import Outcome as Outcome
    from epoche.outcome import Verdict as Verdict
    from epoche.policy import Policy as Policy
    from epoche.steps.certify import parse_certificate as parse_certificate
    from epoche.types import Document as Document
    from epoche.types import Label as Label
    from epoche.types import Reason as Reason
    from epoche.types import Status as Status

_HOMES = {
    "Verifier": "epoche.assemble",
    "parse_certificate": "epoche.steps.certify",
    "Certificate": "epoche.certificate",
    "Document": "epoche.types",
    "Label": "epoche.types",
    "Policy": "epoche.policy",
    "Reason": "epoche.types",
    "Status": "epoche.types",
    "Abstention": "epoche.outcome",
    "Failure": "epoche.outcome",
    "Outcome": "epoche.outcome",
    "Verdict": "epoche.outcome",
    "replay": "epoche.judge",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'epoche' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
