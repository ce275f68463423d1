"""The values that travel through epoche: frozen, validated, free of behaviour that needs a model.

One meaning each; `docs/glossary.md` is the same list in prose. Everything that a certificate
holds is defined here, so that the certificate's JSON Schema is generated from this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

#: The order of the last axis of every score array, whatever a model's head calls its outputs.
NLI_LABELS = ("entailment", "neutral", "contradiction")


class Value(BaseModel):
    """Base of all values: frozen, strict, unknown keys refused."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class Kind(StrEnum):
    """What a statement is: a claim to check or a yes/no question to answer."""

    CLAIM = "claim"
    QUESTION = "question"


class Status(StrEnum):
    """What the evidence says of one condition (paper, audit phase)."""

    SUP = "SUP"
    CON = "CON"
    MIS = "MIS"


class Label(StrEnum):
    """What is answered: the first three for claims, the others for questions."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    NOT_ENOUGH_EVIDENCE = "not_enough_evidence"
    YES = "yes"
    NO = "no"
    MAYBE = "maybe"


#: The labels of each kind: for it, against it, unsettled.
KIND_LABELS: Mapping[Kind, tuple[Label, Label, Label]] = MappingProxyType(
    {
        Kind.CLAIM: (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE),
        Kind.QUESTION: (Label.YES, Label.NO, Label.MAYBE),
    }
)
SUPPORTING = frozenset(labels[0] for labels in KIND_LABELS.values())
REFUTING = frozenset(labels[1] for labels in KIND_LABELS.values())
UNSETTLED = frozenset(labels[2] for labels in KIND_LABELS.values())


class Reason(StrEnum):
    """Why no answer is given although nothing broke."""

    NO_EVIDENCE = "no_evidence"
    NOT_DECOMPOSABLE = "not_decomposable"
    UNSUPPORTED_LANGUAGE = "unsupported_language"
    RETRACTED_ONLY = "retracted_only"
    EVIDENCE_TRUNCATED = "evidence_truncated"
    EVIDENCE_CONFLICT = "evidence_conflict"
    #: By the posterior every answer is expected to cost more than none (Chow 1970).
    EXPECTED_COST = "expected_cost"
    BELOW_THRESHOLD = "below_threshold"
    #: A language model audited, and the embedded model reads the same evidence otherwise.
    MODELS_DISAGREE = "models_disagree"


class Statement(Value):
    """What is checked."""

    text: str
    kind: Kind


class Role(StrEnum):
    """What a part of a paper is there for; `OTHER` where nobody says."""

    BACKGROUND = "background"
    AIM = "aim"
    METHODS = "methods"
    RESULTS = "results"
    CONCLUSION = "conclusion"
    CAPTION = "caption"
    REFERENCES = "references"
    OTHER = "other"


class Section(Value):
    """A part of a document: `text[start:end]`, its heading, and what it is there for."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    title: str
    role: Role


class Document(Value):
    """A source of evidence. `sentences` are given only where the source is already split."""

    id: str = Field(min_length=1)
    text: str
    title: str = ""
    retracted: bool = False
    #: In order, disjoint; text between them belongs to no section.
    sections: tuple[Section, ...] = ()
    #: Where each page begins in `text`, from page 1 on; empty where there are no pages.
    pages: tuple[int, ...] = ()
    year: int | None = None
    #: Kind of study or publication, as the source names it.
    study: str = ""
    #: (start, end) of each sentence in `text`, or None when epoche is to split it.
    spans: tuple[tuple[int, int], ...] | None = None


class Condition(Value):
    """A minimal, self-contained fact that the statement needs; `text` is the NLI hypothesis."""

    text: str = Field(min_length=1)
    critical: bool
    #: `whole`, or the rule or model that made it.
    origin: str
    #: Why it is critical, or why not.
    why: str


class ReplyRecord(Value):
    """One reply of a language model that was asked to decompose a statement."""

    #: As it came, cut after 4,000 characters.
    text: str
    #: What was wrong with it; empty if it was used.
    problem: str = ""


class Decomposition(Value):
    """A decomposer's reply after checking; the whole statement's hypothesis is always among the conditions."""

    conditions: tuple[Condition, ...]
    #: Whether the conditions without the whole statement say all that the statement says.
    covers: bool
    #: What was proposed and not used, with the reason.
    dropped: tuple[str, ...] = ()
    note: str = ""
    #: What a language model said, in order; empty for rules.
    replies: tuple[ReplyRecord, ...] = ()


class Found(Value):
    """A document that retrieval found: its best score, and how much of the query's weight its words have."""

    document: str
    score: float
    share: Probability


class Retrieval(Value):
    """How the evidence was found, where it was searched for."""

    #: What was searched: `index`, or the name of a service.
    source: str
    #: Of an index: by words (`bm25`), by meaning (`dense`), or both (`fusion`); a service has its own.
    method: Literal["bm25", "dense", "fusion", "service"] = "bm25"
    #: Of the index; None for a service, which changes from day to day.
    sha256: Sha256 | None
    #: Most documents asked for.
    top: int = Field(ge=1)
    queries: tuple[str, ...]
    found: tuple[Found, ...]
    #: What was to be in the index and could not be read, or was found without a text, with the reason. It forbids
    #: nothing: nobody knows whether it has to do with the statement.
    unread: tuple[str, ...] = ()


class DocumentRecord(Value):
    """What a certificate keeps of a document: its text only as the sentences cited."""

    id: str
    title: str
    retracted: bool
    year: int | None = None
    study: str = ""
    characters: int
    sha256: Sha256


class Sentence(Value):
    """A slice of a document: `text == document.text[start:end]`, offsets in code points."""

    document: str
    #: Number of the sentence in its document, from 0.
    index: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str
    sha256: Sha256
    #: What the part of the paper that it stands in is there for.
    role: Role = Role.OTHER
    #: From 1; None where the source has no pages.
    page: int | None = None


class Window(Value):
    """A premise: one sentence, two adjacent sentences of one document, or a part of a long one.

    `sentences` index `Evidence.sentences`. A premise longer than the model reads is cut into
    overlapping parts (`part` of `parts`, from 0), each a window of its own; `start` and `end`
    are offsets into the document.
    """

    sentences: tuple[int, ...] = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    part: int = Field(default=0, ge=0)
    parts: int = Field(default=1, ge=1)


class Unread(Value):
    """Something that was given as evidence and not read. It may never be counted as support."""

    document: str
    #: How many sentences, or None where that is not known (a line or a file that cannot be read).
    sentences: int | None
    #: The rule by which it was left out.
    why: str
    #: There but not read; no source of that name is known; or what bears it is probably another paper.
    kind: Literal["unread", "not_found", "another_paper"] = "unread"


class Evidence(Value):
    """What is read: documents, their sentences, the premises made of these, and what was left out."""

    documents: tuple[DocumentRecord, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    windows: tuple[Window, ...] = ()
    unread: tuple[Unread, ...] = ()
    retrieval: Retrieval | None = None


class Obstacle(Value):
    """A fact found before any scoring that forbids an answer."""

    reason: Reason
    detail: str


class Cited(Value):
    """A window that counts for or against a condition, and its probability."""

    window: int = Field(ge=0)
    probability: Probability


class ConditionAudit(Value):
    """A condition with its status and the windows behind both directions, strongest first."""

    text: str
    critical: bool
    origin: str
    why: str
    status: Status
    #: s: the largest P(entailment) over the windows read.
    support: Probability
    #: c: the largest P(contradiction) over the windows read.
    contradiction: Probability
    #: Both s and c reach their thresholds.
    conflict: bool
    supporting: tuple[Cited, ...]
    contradicting: tuple[Cited, ...]


class Proposal(Value):
    """Label and confidence before any threshold; `deciding` are the conditions it rests on."""

    label: Label
    confidence: Probability
    deciding: tuple[int, ...]
    #: P(label) of every label, where the policy has a posterior.
    probabilities: dict[Label, Probability] | None = None


class OutcomeRecord(Value):
    """An outcome as a certificate holds it. `label` is null unless `type` is `verdict`."""

    type: Literal["verdict", "abstention", "failure"]
    label: Label | None
    confidence: Probability | None
    #: A `Reason` for an abstention, the kind of error for a failure, null for a verdict.
    reason: str | None
    #: The same in plain words, with the numbers.
    detail: str


class MinimalSet(Value):
    """Sentences (indices into `Evidence.sentences`), and whether no smaller set exists."""

    sentences: tuple[int, ...]
    #: `exact`: proven smallest; `greedy`: verified, but a smaller one may exist.
    search: Literal["exact", "greedy"]


class MinimalEvidence(Value):
    """The least that keeps the outcome, and the least whose removal changes it.

    None where the outcome rests on no sentence (nothing was found for or against).
    """

    sufficient: MinimalSet | None
    removal: MinimalSet | None
    #: What the outcome would be without `removal`: another label (proposed, if withheld), or a reason.
    without_removal: str | None
    note: str = ""


class NliInfo(Value):
    """Which NLI model scored, so that a certificate and a promise can name it."""

    name: str
    #: Over the model, tokenizer and label files.
    sha256: Sha256
    #: The head's own order of labels, as its config names them.
    label_order: tuple[str, ...]
    #: Most tokens of premise + hypothesis + special tokens.
    max_tokens: int
    license: str = ""
    domain: str = ""
    size_bytes: int = 0
    #: How unnamed labels were identified, if they were.
    self_test: str = ""


class SecondReading(Value):
    """The same premises read by a second model, whose own proposal has to be that of the first."""

    nli: NliInfo
    #: scores[condition][window] = (entailment, neutral, contradiction)
    scores: tuple[tuple[tuple[Probability, Probability, Probability], ...], ...]


class Component(Value):
    """A deterministic part of the pipeline: its name and the version of its rules."""

    name: str
    version: str


class Provenance(Value):
    """What made a certificate. No times, no machine: same input, same bytes."""

    epoche: str
    nli: NliInfo
    decomposer: Component
    splitter: Component
    config_digest: Sha256
