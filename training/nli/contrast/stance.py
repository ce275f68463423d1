"""Rules about how firmly a sentence says what it says: hedging, and background that is no finding."""

from collections.abc import Iterator

from training.nli.contrast.clauses import is_plural, lower, sentence
from training.nli.contrast.finding import (
    Finding,
    N,
    Row,
    cross,
    dressed,
    fan,
    plain,
    premise,
    said,
)
from training.nli.contrast.logic import denied

_OPEN = [
    "Whether {} is not known.",
    "It is still a matter of debate whether {}.",
    "No study has yet settled whether {}.",
    "Data on whether {} are scarce and contradictory.",
    "Experts disagree on whether {}.",
    "It has not been resolved whether {}.",
]
_WEAK = [
    "It is conceivable that {}.",
    "Our observations hint that {}, but further work is needed.",
    "One possible explanation is that {}.",
    "Some authors have speculated that {}.",
    "It has been put forward, without direct evidence so far, that {}.",
]


def _present(f: Finding) -> str:
    c = f.clause
    return c.with_(past=False, plural=is_plural(c.subject), place=c.place).inner()


def _asserted(f: Finding) -> str:
    """The finding as a hypothesis; often word for word as it stands after "whether", which must not decide."""
    return f.pick("asserted", [said(f.clause, f, "h"), sentence(_present(f)), sentence(_present(f))])


def hedging_removed(f: Finding) -> Iterator[Row]:
    """A plain finding: entailed by itself, left open by "may", excluded by its denial."""
    c = f.clause
    modal = f.pick(
        "modal",
        ["may", "might", "could possibly", "can perhaps", "is thought to" if not c.plural else "are thought to"],
    )
    made = [
        dressed(f, c.modal(modal), "w"),
        dressed(f, c.modal(modal), "w2"),
        f.pick("t", _WEAK).format(_present(f)),
    ]
    weak = f.hedged or f.pick("weak", made)
    yield from cross(_asserted(f), premise(f, "e"), weak, denied(f, "c"))


def hedging_added(f: Finding) -> Iterator[Row]:
    """A weakened finding follows from the finding; it does not survive an exclusion."""
    c = f.clause
    weak = f.pick("form", [c.modal("may"), c.modal("might"), c.modal("can"), f"It is possible that {_present(f)}."])
    excluded = f.pick(
        "no",
        [f"Our results rule out that {_present(f)}.", c.modal("cannot"), f"It is impossible that {_present(f)}."],
    )
    other = c.with_(target=f.objects[0])
    yield from cross(weak, premise(f, "e"), dressed(f, other.modal("may"), "n"), excluded)


def hedging_certainty(f: Finding) -> Iterator[Row]:
    """How certain a finding is said to be."""
    inner = _present(f)
    unsure = f.pick(
        "u",
        ["It is uncertain whether {}.", "The question whether {} is unsettled.", "There is no certainty that {}."],
    )
    proven = f.pick("p", ["It has been proven that {}.", "It is certain that {}.", "There is proof that {}."])
    doubt, firm = (
        f.pick("o", _OPEN).format(inner),
        f.pick(
            "f",
            [
                "There is no longer any doubt that {}.",
                "It is beyond dispute that {}.",
                "Decisive experiments have proven that {}.",
            ],
        ).format(inner),
    )
    other = f.clause.with_(target=f.objects[0])
    elsewhere = other.with_(past=False, plural=is_plural(other.subject)).inner()
    yield from fan(doubt, unsure.format(inner), unsure.format(elsewhere), proven.format(inner))
    yield from fan(firm, proven.format(inner), proven.format(elsewhere), unsure.format(inner))


_AIM = [
    "We aimed to determine whether {}.",
    "The purpose of this work was to test whether {}.",
    "To find out whether {}, we carried out a series of experiments.",
    "This paper asks whether {}.",
    "The objective was to assess the hypothesis that {}.",
    "We hypothesized that {}.",
    "The trial was designed to establish whether {}.",
]
_TESTED = [
    "The authors examined whether {}.",
    "A question of the study was whether {}.",
    "The study was concerned with whether {}.",
]


def background_aim(f: Finding) -> Iterator[Row]:
    """An aim, a hypothesis or a rationale is no finding."""
    inner = _present(f)
    aim = f.pick("aim", _AIM).format(inner)
    against = f"Contrary to our hypothesis, {lower(plain(f).negated())}"
    yield from cross(_asserted(f), premise(f, "e"), aim, f.pick("c", [against, denied(f, "c")]))


def background_tested(f: Finding) -> Iterator[Row]:
    """What was asked is entailed by the aim; the answer is not."""
    c, inner = f.clause, _present(f)
    aim = f.pick("aim", _AIM[:4] + _AIM[6:]).format(inner)
    other = c.with_(target=f.objects[0])
    elsewhere = other.with_(past=False, plural=is_plural(other.subject)).inner()
    tested = f.pick("t", _TESTED)
    away = f.pick("away", _AIM[:4]).format(elsewhere)
    left = f.pick(
        "left", ["This study leaves aside whether {}.", "Whether {} is beyond the scope of this paper."]
    ).format(inner)
    yield from cross(tested.format(inner), aim, away, left)
    yield from cross(f"The authors did not examine whether {inner}.", left, away, aim)
    yield aim, f.pick("n", [said(c, f, "h"), plain(f).negated()]), N


def background_belief(f: Finding) -> Iterator[Row]:
    """A belief that the sentence goes on to overturn, confirm or leave there."""
    inner = _present(f)
    belief = f.pick(
        "b", ["It was long believed that {}", "Earlier reports claimed that {}", "The prevailing view is that {}"]
    )
    belief = belief.format(inner)
    yield from cross(
        _asserted(f),
        f"{belief}, and our experiments bear this out.",
        f.pick(
            "n", [f"{belief}; we set out to put this to the test.", f"{belief}, but the evidence is anecdotal."]
        ),
        f.pick(
            "c", [f"{belief}, but our experiments show the contrary.", f"{belief}; this turned out to be wrong."]
        ),
    )
