"""The parts of a report, before any format: every string is plain text that is safe on one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from epoche.report import words

Direction = Literal["support", "contradict"]
#: Which way an outcome or a status leans; the formats choose a colour and a mark for it.
Tone = Literal["support", "contradict", "unsettled", "abstained", "failed"]


@dataclass(frozen=True)
class Quote:
    """The text of a premise and where it stands. `probability` is empty where none belongs to it."""

    text: str
    document: str
    title: str
    place: str
    probability: str
    retracted: bool

    @property
    def caption(self) -> str:
        """Everything but the text, on one line."""
        return words.caption(self.document, self.title, self.place, self.probability, self.retracted)


@dataclass(frozen=True)
class Quotes:
    """Sentences for or against a condition, strongest first, and how many more there are."""

    direction: Direction
    heading: str
    items: tuple[Quote, ...]
    more: int
    #: `unsettled` where the sentences are near a threshold and do not reach it.
    tone: Tone


@dataclass(frozen=True)
class Meter:
    """A number in [0, 1] beside its threshold (None: there is none to draw)."""

    name: str
    words: str
    value: float
    threshold: float | None
    tone: Tone


@dataclass(frozen=True)
class ConditionView:
    """One condition, from number 1. Without an audit, `code` is empty and there are no meters."""

    number: int
    text: str
    critical: bool
    role: str
    tone: Tone
    code: str
    status: str
    conflict: bool
    meters: tuple[Meter, ...]
    quotes: tuple[Quotes, ...]

    @property
    def measured(self) -> str:
        """All meters in one sentence; empty where nothing was scored."""
        return words.capital(", ".join(f"{m.name.lower()} {m.words}" for m in self.meters)) if self.meters else ""


@dataclass(frozen=True)
class Section:
    """A heading, its sentences or items, and quotes that belong under it."""

    heading: str
    lines: tuple[str, ...]
    quotes: tuple[Quote, ...] = ()
    #: How many more quotes there would be.
    more: int = 0


@dataclass(frozen=True)
class View:
    """A whole report."""

    tone: Tone
    label: str
    said: str
    #: `confidence 0.912` of a verdict; empty for what is not answered.
    confidence: str
    leaning: str
    kind: str
    statement: str
    conditions: tuple[ConditionView, ...]
    meter: Meter | None
    why: Section
    sections: tuple[Section, ...]
    method: tuple[tuple[str, str], ...]
    provenance: tuple[tuple[str, str], ...]
    documents: tuple[str, ...]

    @property
    def all_sections(self) -> tuple[Section, ...]:
        """Why, then whatever else there is to say."""
        return (self.why, *self.sections)

    @property
    def said_alone(self) -> str:
        """What is said without the label before it: a sentence of its own."""
        return words.sentence(self.said)
