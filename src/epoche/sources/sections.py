"""Parts of a paper: what a heading says a part is there for, and a text put together from parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from epoche.types import Document, Role, Section

#: Headings without number, case and closing mark. `OTHER` is what is known to be none of the rest.
_HEADINGS: Mapping[Role, str] = MappingProxyType(
    {
        Role.BACKGROUND: """
            background; introduction; importance; context; rationale; background and rationale; related work;
            background and significance; introduction and background; literature review; significance; summary
            of background data; summary background data; background and related work; what is already known on
            this topic; why was the study done; state of the art; preliminaries; motivation""",
        Role.AIM: """
            aim; aims; objective; objectives; purpose; purposes; goal; goals; hypothesis; hypotheses; aims and
            objectives; background and purpose; context and objective; context and objectives; background and
            aim of the study; background and study aims; background and aim; background and aims; background and
            objective; background and objectives; background/aim; background/aims; background/objective;
            background/objectives; background/purpose; background & aims; research question; research questions;
            study objective; study objectives; primary objective; primary objectives; study aim; introduction
            and objectives; introduction and aim; aim of the study; purpose of the study; purpose of review;
            rationale and objectives; study aims; questions/purposes; problem statement; objective(s); aim(s)""",
        Role.METHODS: """
            method; methods; methodology; methodologies; material and method; material and methods; materials
            and methods; materials and method; materials & methods; methods and materials; patients and methods;
            patients and method; participants and methods; subjects and methods; patients; participants;
            subjects; population; study population; setting and patients; patients and setting; patients and
            participants; study setting; study design and setting; study design and methods; design, setting and
            patients; case reports; study sample; main outcome; main outcome measurements; design; study design;
            setting; design and setting; settings; design and participants; design, setting, and participants;
            design, setting and participants; setting and participants; study design and participants;
            interventions; intervention; exposure; exposures; main outcome measures; main outcome measure; main
            outcomes and measures; main outcomes; outcome measures; outcomes; measurements; measures; main
            measures; primary and secondary outcome measures; statistical analysis; statistical analyses;
            statistical methods; statistics; data analysis; data analyses; data collection; data sources; data
            source; data extraction; data extraction and synthesis; study selection; search strategy;
            eligibility criteria; inclusion criteria; inclusion and exclusion criteria; experimental procedures;
            experimental procedure; experimental section; experimental methods; experimental design;
            experimental setup; experimental; procedure; procedures; sample size; randomization; randomisation;
            blinding; star methods; star★methods; online methods; study protocol; data and methods; data
            synthesis; review methods; search methods; selection criteria; methods and analysis; methods and
            findings protocol; design and methods; methods/design; methods and design; research design and
            methods; ethics; ethical approval; trial design; trial registration""",
        Role.RESULTS: """
            result; results; finding; findings; main results; key results; principal findings; main findings;
            results and discussion; results & discussion; results/discussion; results and analysis; methods and
            results; methods and findings; methods/results; evaluation; experiments; experiments and results;
            experimental results; outcome; results and conclusion; results and conclusions; recent findings;
            results and findings; key findings; analysis and results; measurements and main results; primary
            outcome; secondary outcomes; adverse events; evidence synthesis; observations""",
        Role.CONCLUSION: """
            conclusion; conclusions; discussion; discussions; general discussion; interpretation; concluding
            remarks; discussion and conclusion; discussion and conclusions; conclusion and discussion;
            conclusions and discussion; discussion & conclusions; summary; conclusions and relevance; conclusion
            and relevance; conclusion(s); summary and conclusion; summary and conclusions; significance and
            impact; implications; clinical implications; clinical significance; clinical relevance; implications
            for practice; practice implications; comment; comments; limitations; strengths and limitations;
            strengths and weaknesses; limitations of the study; study limitations; conclusions and future work;
            conclusion and future work; conclusion and perspectives; conclusions and perspectives; conclusion
            and outlook; outlook; future directions; future work; perspectives; meaning; relevance; discussion
            and limitations; take-home message; what this study adds; level of evidence; authors' conclusions;
            author's conclusions; key messages; lessons learned; conclusion/significance;
            conclusions/significance; conclusions and implications; conclusions and clinical relevance""",
        Role.CAPTION: """
            figure legends; figure legend; figure captions; figures; tables; legends; tables and figures""",
        Role.REFERENCES: """
            references; reference; bibliography; literature cited; works cited; reference list; literature;
            references and notes; notes and references; cited literature; list of references; further reading;
            references cited; supplementary references; additional references""",
        Role.OTHER: """
            abstract; keywords; key words; keyword; index terms; acknowledgements; acknowledgments;
            acknowledgement; acknowledgment; funding; funding sources; funding statement; financial support;
            financial disclosure; role of the funding source; disclosure; disclosures; disclosure statement;
            conflict of interest; conflicts of interest; conflict of interests; conflict of interest statement;
            competing interest; competing interests; declaration of competing interest; declaration of interest;
            declaration of interests; declarations; data availability; data availability statement; data
            sharing; data sharing statement; availability of data and materials; code availability; author
            contributions; authors' contributions; contributors; contributions; credit authorship contribution
            statement; author information; author details; authors' information; affiliations; correspondence;
            abbreviations; list of abbreviations; supplementary material; supplementary materials; supplementary
            information; supplementary data; supporting information; additional information; additional file;
            additional files; supplemental material; supplemental information; appendix; appendices; ethics
            statement; ethics declarations; ethics approval and consent to participate; consent for publication;
            publisher's note; open access; rights and permissions; cite this article; about this article;
            editor's summary; highlights; graphical abstract; contents; table of contents; glossary;
            nomenclature; footnotes; footnote; notes; provenance and peer review; patient consent; peer review
            information; reporting summary; extended data; article information; author summary; plain language
            summary; lay summary; significance statement; copyright; license; preface""",
    }
)
_ROLES: Mapping[str, Role] = MappingProxyType(
    {" ".join(name.split()): role for role, names in _HEADINGS.items() for name in names.split(";")}
)
_NUMBER = re.compile(
    r"(?:(?:section|chapter|part)\s+)?(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[ivx]{1,5}[.)]|[a-h][.)])[\s:|–-]+", re.I
)
_APPENDIX = re.compile(r"(?:appendix|appendices|supplement(?:ary|al)?)\b", re.I)
_LABEL = re.compile(r"(?:(?<=^)|(?<=[.?!)\]]\s)|(?<=\n))([A-Z][A-Za-z,&/'’() -]{2,45}?)\s?:\s+(?=\S)")
_RETRACTED = re.compile(
    r"\W*(?:retracted|withdrawn)(?:\s+(?:article|paper|publication))?\s*(?:[:\]).–—|-]|$)"
    r"|.{0,600}[(\[]\s*(?:retracted|withdrawn)\b[^()\[\]]{0,80}[)\]]\W*$",
    re.I,
)
_REFERENCES = re.compile(
    r"(?:references|bibliography|bibliographie|literatur(?:e|verzeichnis)?|literature cited|works cited|citations|"
    r"r[ée]f[ée]rences|referencias|bibliograf[ií]a)\b(?:\W+\w+){0,4}\W*",
    re.I,
)


def known_role(heading: str) -> Role | None:
    """What the part under a heading is there for; None where the heading is not known."""
    plain = " ".join(heading.replace("’", "'").split()).strip(" .:;–—|-*#")
    plain = _NUMBER.sub("", plain, count=1).casefold().strip()
    if _APPENDIX.match(plain):
        return Role.OTHER
    role = _ROLES.get(plain)
    return Role.REFERENCES if role is None and _REFERENCES.fullmatch(plain) else role


def role_of(heading: str) -> Role:
    """What the part under a heading is there for; `OTHER` where the heading does not say."""
    return known_role(heading) or Role.OTHER


def says_retracted(title: str) -> bool:
    """Whether a title has the mark that publishers and indexes put before or after that of a retracted paper."""
    return _RETRACTED.match(title) is not None


class Text:
    """A text put together from paragraphs under headings; headings become sections, not text.

    A heading that says nothing takes the role of the heading above it.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._sections: list[Section] = []
        self._open: tuple[int, str, Role] | None = None
        self._above: list[tuple[int, Role]] = []
        self._pages: list[int] = []

    def heading(self, title: str, level: int = 1, role: Role | None = None) -> None:
        """Begin a section; `role` where the source says it."""
        title = clean(title)
        self._above = [(at, above) for at, above in self._above if at < level]
        found = role or known_role(title)
        if found is None:
            found = self._above[-1][1] if self._above else Role.OTHER
        self._above.append((level, found))
        self._close()
        self._open = (self._length, title, found)

    def role(self) -> Role:
        """The role of the section that is open."""
        return self._open[2] if self._open else Role.OTHER

    def aside(self, title: str, role: Role, paragraphs: list[str]) -> None:
        """A section of its own, after which the one that was open goes on."""
        before = self._open
        self._close()
        self._open = (self._length, title, role)
        for paragraph in paragraphs:
            self.paragraph(paragraph)
        self._close()
        self._open = (self._length, before[1], before[2]) if before else None

    def paragraph(self, text: str) -> list[int]:
        """Append a paragraph; where it begins, if it is not empty."""
        text = text.strip()
        if not text:
            return []
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return [start]

    def page(self, offset: int | None = None) -> None:
        """Begin a page, here or at an offset of what is already written."""
        self._pages.append(self._length if offset is None else offset)

    def _close(self) -> None:
        if self._open is None:
            return
        start, title, role = self._open
        # The blank line between two sections belongs to neither.
        start += 2 if 0 < start < self._length else 0
        if start < self._length:
            self._sections.append(Section(start=start, end=self._length, title=title, role=role))
        self._open = None

    def document(self, id: str, *, title: str = "", year: int | None = None, study: str = "",
                 retracted: bool = False) -> Document:  # fmt: skip
        """All of it."""
        self._close()
        return Document(
            id=id,
            text="".join(self._parts),
            title=title,
            sections=tuple(self._sections),
            pages=tuple(self._pages),
            year=year,
            study=study,
            retracted=retracted or says_retracted(title),
        )

    def empty(self) -> bool:
        """Whether nothing was written."""
        return not self._parts


def add_labelled(text: Text, abstract: str, level: int = 2) -> None:
    """An abstract whose parts begin with "METHODS:" and the like, as sections; another as paragraphs."""
    marks = [m for m in _LABEL.finditer(abstract) if known_role(m.group(1)) is not None]
    # One label alone may be a word that ends a sentence's first clause.
    if len(marks) < 2:
        marks = []
    for paragraph in abstract[: marks[0].start()].split("\n\n") if marks else abstract.split("\n\n"):
        text.paragraph(clean(paragraph))
    ends = [*(m.start() for m in marks[1:]), len(abstract)]
    for mark, end in zip(marks, ends, strict=False):
        text.heading(mark.group(1), level)
        text.paragraph(clean(abstract[mark.end() : end]))


def labelled(id: str, paragraphs: Sequence[str], labels: object) -> Document:
    """Paragraphs as they are, each a section under its label; without sections where the two do not go together."""
    known = isinstance(labels, list) and len(labels) == len(paragraphs) and all(isinstance(x, str) for x in labels)
    sections, start = [], 0
    for text, label in zip(paragraphs, labels, strict=True) if known and isinstance(labels, list) else ():
        if text:
            sections.append(Section(start=start, end=start + len(text), title=label, role=role_of(label)))
        start += len(text) + 2
    return Document(id=id, text="\n\n".join(paragraphs), sections=tuple(sections))


def clean(text: str) -> str:
    """One line without controls, lone surrogates and runs of white space."""
    kept = "".join(c if c.isprintable() or c.isspace() else "" for c in text if not "\ud800" <= c <= "\udfff")
    return " ".join(kept.split())
