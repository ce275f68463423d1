"""Cases 7, 8 and 23 as rates: sentences of our own in many wordings. Case 5 is `probes.with_noise`.

Evaluation only. Nothing here is made by the generator of `contrast/`, nor does it read this file.
"""

from collections.abc import Iterator

from training.nli.pairs import LABELS
from training.nli.scorer import Scorer

Triple = tuple[str, str, str]
E, N, C = LABELS

_COUNTED = (
    ("The registry listed {} hospitals.", "312", "97"),
    ("Mean follow-up lasted {} months.", "18", "46"),
    ("The town has {} thousand inhabitants.", "240", "815"),
    ("Recruitment closed after {} volunteers had enrolled.", "58", "133"),
    ("Median survival was {} weeks.", "37", "11"),
    ("The slope of the regression line was {}.", "0.42", "1.9"),
    ("A total of {} adverse events were logged.", "7", "64"),
    ("The response rate reached {}%.", "81", "23"),
    ("Sensitivity of the assay was {}%.", "94", "55"),
    ("The oldest participant was {} years old.", "88", "61"),
    ("Each plate held {} wells.", "96", "24"),
    ("The survey cost {} million euros.", "3.4", "12"),
)
_MEASURED = (
    ("Cells were exposed to {} of the compound.", "20 nM", "20 µM"),
    ("The tablet contains {} of iron.", "65 mg", "65 g"),
    ("Samples were stored for {}.", "9 hours", "9 days"),
    ("Treatment went on for {}.", "6 weeks", "6 years"),
    ("The lesion measured {} across.", "4 mm", "4 cm"),
    ("Patients drank {} of water.", "250 ml", "250 l"),
    ("The vessel was {} wide.", "80 µm", "80 mm"),
    ("The infusion ran at {}.", "5 mg/h", "5 mg/min"),
    ("Plasma glucose was {}.", "6 mmol/l", "6 µmol/l"),
    ("The medium was buffered with {} HEPES.", "10 mM", "10 µM"),
    ("The beam had an energy of {}.", "6 MeV", "6 keV"),
    ("The site lies at {}.", "1200 m", "1200 km"),
)
_COMPARED = (
    "mortality between the two arms",
    "grip strength after training",
    "relapse rates across centres",
    "plasma ferritin between the groups",
    "length of stay after the intervention",
    "expression of the receptor in treated tissue",
    "pain scores at one year",
    "yield between the two strains",
)
_OPEN = (
    "We cannot rule out that {}.",
    "Whether {} remains open.",
    "It could not be excluded that {}.",
    "Our data do not allow us to say whether {}.",
)
_HELD = (
    ("the drug harms the kidney", "the drug does not harm the kidney"),
    ("the toxin reaches the placenta", "the toxin does not reach the placenta"),
    ("smoking explains the excess", "smoking does not explain the excess"),
    ("the mutation alters binding", "the mutation does not alter binding"),
)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def _frames(frames: tuple[tuple[str, str, str], ...]) -> Iterator[Triple]:
    for frame, one, other in frames:
        for stated, claimed in ((one, other), (other, one), (one, one), (other, other)):
            yield frame.format(stated), frame.format(claimed), E if stated == claimed else C


def case_7() -> Iterator[Triple]:
    """The same quantity with another number contradicts; with the same, it is entailed."""
    return _frames(_COUNTED)


def case_23() -> Iterator[Triple]:
    """The same number in another unit contradicts; in the same, it is entailed."""
    return _frames(_MEASURED)


def case_8() -> Iterator[Triple]:
    """Significant and not significant exclude each other."""
    for what in _COMPARED:
        there = (
            f"There was a significant difference in {what}.",
            f"A statistically significant change in {what} was seen.",
        )
        none = (
            f"There was no significant difference in {what}.",
            f"The change in {what} was not statistically significant.",
        )
        yield there[0], none[0], C
        yield none[0], there[0], C
        yield there[1], none[1], C
        yield none[1], there[1], C
        yield there[0], there[0], E
        yield none[1], none[1], E


def case_8_open() -> Iterator[Triple]:
    """What cannot be excluded is neither so nor not so."""
    for frame in _OPEN:
        for positive, negative in _HELD:
            yield _sentence(frame.format(positive)), _sentence(positive), N
            yield _sentence(frame.format(positive)), _sentence(negative), N


def case_rates(scorer: Scorer) -> dict[str, dict[str, float]]:
    """Share of right labels, per case and gold label."""
    report: dict[str, dict[str, float]] = {}
    for build in (case_7, case_8, case_8_open, case_23):
        rows = list(build())
        guess = scorer.score([r[:2] for r in rows]).argmax(axis=1)
        found: dict[str, list[bool]] = {}
        for (_, _, gold), g in zip(rows, guess, strict=True):
            found.setdefault(gold, []).append(LABELS[g] == gold)
        report[build.__name__] = {"pairs": len(rows)} | {
            label: round(sum(ok) / len(ok), 4) for label, ok in sorted(found.items())
        }
    return report
