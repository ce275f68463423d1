"""Labels as data sets and other systems write them: one table, and nothing is ever guessed."""

from __future__ import annotations

from collections.abc import Mapping

from epoche.errors import DocumentError
from epoche.types import KIND_LABELS, Kind, Label

#: The one table from labels as data sets write them to ours.
LABELS: Mapping[str, Label] = {
    "SUPPORT": Label.SUPPORTED,
    "SUPPORTS": Label.SUPPORTED,
    "SUPPORTED": Label.SUPPORTED,
    "CONTRADICT": Label.REFUTED,
    "REFUTE": Label.REFUTED,
    "REFUTES": Label.REFUTED,
    "REFUTED": Label.REFUTED,
    "NEI": Label.NOT_ENOUGH_EVIDENCE,
    "NOT_ENOUGH_INFO": Label.NOT_ENOUGH_EVIDENCE,
    "NOT_ENOUGH_EVIDENCE": Label.NOT_ENOUGH_EVIDENCE,
    "YES": Label.YES,
    "NO": Label.NO,
    "MAYBE": Label.MAYBE,
}


def read_label(text: object) -> Label | None:
    """Our label for one as a data set writes it; None for what is none."""
    return LABELS.get(text.strip().upper().replace(" ", "_")) if isinstance(text, str) else None


def label_name(text: str) -> str:
    """Our name of a label, as a data set or another system writes it; what is none of ours stays as it is."""
    return str(read_label(text) or text)


def label_of(text: object, kind: Kind, where: str) -> Label:
    """Our label for one as a data set writes it.

    Raises:
        DocumentError: not a label, or one of the other kind. A typo never becomes "maybe".
    """
    label = read_label(text)
    if label is None or label not in KIND_LABELS[kind]:
        known = ", ".join(k for k, v in LABELS.items() if v in KIND_LABELS[kind])
        raise DocumentError(f"{where}: label {text!r} is not one of {known}", source=where)
    return label
