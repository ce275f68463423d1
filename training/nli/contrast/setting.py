"""Rules about what a result holds for: chance, points in time, populations."""

from collections.abc import Iterator

from training.nli.contrast.clauses import lower, sentence
from training.nli.contrast.finding import (
    AMOUNT,
    EVENT,
    C,
    E,
    Finding,
    N,
    Row,
    bare,
    cross,
    dressed,
    fan,
    opposite,
    plain,
    was,
)
from training.nli.contrast.lexicon import NARROWER, POPULATIONS


def _p(f: Finding, key: str, low: bool) -> str:
    values = (
        ["0.001", "0.004", "0.01", "0.02", "0.03", "0.0002"]
        if low
        else ["0.09", "0.14", "0.23", "0.41", "0.58", "0.72", "0.88"]
    )
    value = f.pick(key, values)
    small = f.pick(key + "s", [f"(P = {value})", f"(p={value})", f"(p < {value})"]) if low else f"(P = {value})"
    return f.pick(
        key + "w",
        [
            small,
            small,
            f"({f.pick(key + 't', ['t-test', 'log-rank test', 'Mann–Whitney U test', 'F-test'])}, {small[1:]}",
        ],
    )


_SIGNIFICANT = (
    "{base} {low}.",
    "{base}, which was a significant effect.",
    "There was a significant effect of {agent} on {target} {low}.",
)
_NOT_SIGNIFICANT = (
    "{effect} did not reach significance {high}.",
    "{base} in numerical terms, but the difference could be due to chance {high}.",
    "{negated} significantly {high}.",
)
_UNTESTED = (
    "{base}; no test of significance was carried out.",
    "{base}; neither P values nor intervals are reported.",
    "{base}.",
)
_SAYS_SIGNIFICANT = (
    "{subject} significantly {verb}{tail}.",
    "{effect} was statistically significant.",
    "{effect} was significant at the 5% level.",
)
_SAYS_NOT = (
    "{effect} was not statistically significant.",
    "{effect} could be explained by chance.",
    "No significant effect of {agent} on {target} was found.",
)
_SAYS_EQUAL = ("{equal}", "{effect} was shown to be zero")


def significance_of_p(f: Finding) -> Iterator[Row]:
    """A P value decides what may be called significant; without one it is open."""
    c = plain(f)
    if c.verb in EVENT or not c.entry.direction:
        return
    agent, was_ = lower(c.subject), was(c.target)
    high = _p(f, "high", False)
    words = {
        "base": c.text().rstrip("."),
        "negated": c.negated().rstrip("."),
        "subject": c.subject,
        "agent": agent,
        "target": c.target,
        "verb": c.finite(),
        "tail": c.tail,
        "effect": f"the effect of {agent} on {c.target}",
        "equal": f"{c.target} {was_} exactly the same with and without {agent}",
        "low": _p(f, "low", True),
        "high": high,
    }

    def worded(key: str, options: tuple[str, ...]) -> str:
        return sentence(f.pick(key, list(options)).format(**words))

    yes, open_ = worded("y", _SIGNIFICANT), worded("o", _UNTESTED)
    no = worded("n", _NOT_SIGNIFICANT)
    if f.number("bare", 0, 2) == 0:
        no = sentence(f"The test of {words['effect']} gave {high.strip('()')}.")
    yield from cross(worded("h", _SAYS_SIGNIFICANT), yes, open_, no)
    yield from cross(worded("g", _SAYS_NOT), no, open_, yes)
    equal = sentence(words["equal"])
    yield no, worded("id", _SAYS_EQUAL), N
    yield yes, c.text(), E
    yield sentence(f"{c.target} {was_} the same to the last digit with and without {agent}"), equal, E
    yield yes, equal, C


def significance_of_interval(f: Finding) -> Iterator[Row]:
    """A ratio whose interval holds 1, or does not, or is not given."""
    s = lower(f.clause.subject)
    event = f.pick(
        "ev",
        ["death", "relapse", "readmission", "infection", "fracture", "preterm birth", "disease onset", "dropout"],
    )
    name = f.pick("r", ["hazard ratio", "odds ratio", "relative risk", "rate ratio"])
    up = f.number("up", 0, 1)
    point = f.number("pt", 15, 40) / 100
    ratio = 1 + point if up else 1 - point * 0.9

    def interval(width: float) -> str:
        return f"{ratio * (1 - width):.2f}–{ratio * (1 + width * 1.2):.2f}"

    narrow = interval(0.08 if up else 0.05)
    wide = interval(0.45)
    given = f"the {name} for {event} with {s} was {ratio:.2f}"
    yes, no = (sentence(f"{given} (95% CI {i})") for i in (narrow, wide))
    open_ = sentence(f.pick("o", [f"{given}; no confidence interval is given", f"{given}"]))
    word = "raised" if up else "lowered"
    significant = f.pick(
        "h",
        [
            f"the {name} for {event} with {s} differed significantly from 1",
            f"{event} was significantly {'more' if up else 'less'} likely with {s}",
        ],
    )
    lacking = f.pick(
        "g",
        [
            f"the {name} for {event} with {s} was compatible with no effect",
            f"the {name} for {event} with {s} did not differ significantly from 1",
        ],
    )
    yield from cross(sentence(significant[0].upper() + significant[1:]), yes, open_, no)
    yield from cross(sentence(lacking), no, open_, yes)
    yield no, sentence(f"{s} {was(s)} proven to leave the risk of {event} unchanged"), N
    del word


def temporal_course(f: Finding) -> Iterator[Row]:
    """When an effect was there, when it was gone, and when nobody looked."""
    c = bare(f)
    unit = f.pick("u", ["days", "weeks", "months", "hours", "years"])
    early = f.number("e", 1, 6)
    late, later = early * 3, early * 6
    base, no = c.text().rstrip("."), c.negated().rstrip(".")
    turn = f.number("turn", 0, 1)
    on, off = (late, early) if turn else (early, late)

    def at(n: int) -> str:
        return f"{n} {unit if n > 1 else unit[:-1]}"

    text = f.pick(
        "p",
        [
            f"{base} at {at(on)} but not at {at(off)}.",
            f"At {at(on)}, {lower(base)}; at {at(off)}, no such effect was seen.",
            f"Measured {at(off)} after the start, {c.target} {was(c.target)} unaffected, yet {lower(base)} when "
            f"measured at {at(on)}.",
        ],
    )
    yield text, f"{base} at {at(on)}.", E
    yield text, f"{base} at {at(off)}.", C
    yield text, f"{base} at {at(later)}.", N
    yield text, f"{no} at {at(off)}.", E
    yield text, f"{no} at {at(on)}.", C
    yield text, f"{no} at {at(later)}.", N


def temporal_order(f: Finding) -> Iterator[Row]:
    """Which of two changes came first."""
    c = bare(f)
    if c.verb not in AMOUNT or c.target.startswith(("the ", "a ")):
        return
    a, b, x = (
        f"the change in {c.target}",
        f"the change in {lower(f.objects[0])}",
        f"the change in {lower(f.objects[1])}",
    )
    n = f.number("n", 2, 9)
    unit = f.pick("u", ["days", "weeks", "hours", "minutes"])
    first = f.pick(
        "p",
        [
            f"{a} preceded {b} by {n} {unit}",
            f"{b} followed {n} {unit} after {a}",
            f"{a} was seen at {n} {unit} and {b} at {n * 3} {unit}",
            f"{b} was not seen until {n} {unit} after {a}",
        ],
    )
    together = f"{a} and {b} were seen at the same time"
    h = f.pick("h", [f"{a} came before {b}", f"{b} came after {a}", f"{b} came later than {a}"])
    g = f.pick("g", [f"{a} came after {b}", f"{b} came before {a}", f"{b} came earlier than {a}"])
    text = dressed(f, sentence(first), "p")
    silent = dressed(
        f,
        sentence(
            f.pick(
                "s",
                [
                    f"{a} and {b} were both seen within {n} {unit}",
                    f"{a} came {f.pick('o', ['before', 'after'])} {x}",
                ],
            )
        ),
        "s",
    )
    reverse = dressed(f, sentence(first.replace(a, "@").replace(b, a).replace("@", b)), "r")
    yield from cross(sentence(h), text, silent, f.pick("c", [reverse, sentence(together)]))
    yield from cross(sentence(g), reverse, silent, text)
    yield text, sentence(f"{x} came {f.pick('o2', ['before', 'after'])} {b}"), N


def temporal_schedule(f: Finding) -> Iterator[Row]:
    """Before, during and after: an exchange of the two is another experiment."""
    c = bare(f)
    event = f.pick(
        "e",
        [
            "irradiation",
            "infection",
            "birth",
            "weaning",
            "transplantation",
            "the meal",
            "vaccination",
            "injury",
            "menopause",
            "the operation",
        ],
    )
    base = c.text().rstrip(".")
    when, other = ("before", "after") if f.number("t", 0, 1) else ("after", "before")
    only = (
        f"{base} {when} {event} but no longer {other} {event}."
        if when == "before"
        else f"{base} after {event} but had not done so before {event}."
    )
    both = f"{base} both before and after {event}."
    h = f"{base} {other} {event}."
    yield from cross(
        h,
        dressed(f, both, "e"),
        dressed(f, f"{base} {when} {event}; no data are available for the time {other} {event}.", "n"),
        only,
    )
    yield only, f"{base} {when} {event}.", E
    yield only, f"{base} at all times, {when} as well as {other} {event}.", C
    yield only, c.with_(target=f.objects[0]).text().rstrip(".") + f" {f.pick('w', [when, other])} {event}.", N


def _populations(f: Finding) -> tuple[str, str, str]:
    group = POPULATIONS[f.number("group", 0, len(POPULATIONS) - 1)]
    i = f.number("i", 0, len(group) - 1)
    rest = [p for p in group if p != group[i]]
    # No third group may overlap with the two: animals beside people, other animals beside animals.
    third = f.pick("third", [p for p in ("mice", "rats", "zebrafish", "monkeys") if p not in group or p in rest])
    if third == rest[f.number("j", 0, len(rest) - 1)]:
        third = "dogs"
    return group[i], rest[f.number("j", 0, len(rest) - 1)], third


def population_restricted(f: Finding) -> Iterator[Row]:
    """An effect in one population and not in another; a third was not studied."""
    c = bare(f)
    a, b, x = _populations(f)
    base, no = c.text().rstrip("."), c.negated().rstrip(".")
    text = f.pick(
        "p",
        [
            f"{base} in {a} but not in {b}.",
            f"In {a}, {lower(base)}; in {b}, there was no effect.",
            f"{base} in {a}; {b} showed no response.",
        ],
    )
    both = dressed(f, f.pick("q", [f"{base} in {a} and in {b}.", f"{base} in both {a} and {b}."]), "q")
    alone = dressed(f, f"{base} in {a}.", "n")
    yield from cross(f"{base} in {b}.", both, alone, text)
    yield from cross(f"{no} in {b}.", text, dressed(f, f"{no} in {a}.", "n"), both)
    yield text, f"{base} in {a}.", E
    yield text, f.pick("all", [f"{base} in {a} and {b} alike.", f"{no} in {a}."]), C
    yield text, f"{f.pick('x', [base, no])} in {x}.", N


def population_widened(f: Finding) -> Iterator[Row]:
    """From one group to a wider one ("some") and to another one; the sign."""
    c = bare(f)
    against = opposite(c)
    names = sorted(NARROWER)
    a = names[f.number("a", 0, len(names) - 1)]
    group = next((g for g in POPULATIONS if a in g), ("mice", "patients"))
    b = f.pick("b", [p for p in group if p != a])
    base = c.text().rstrip(".")
    other = c.with_(target=f.objects[0]).text().rstrip(".")
    wrong = (against.text() if against else c.negated()).rstrip(".")
    text = dressed(
        f, f.pick("p", [f"{base} in {a}.", f"Among {a}, {lower(base)}.", f"In a study of {a}, {lower(base)}."]), "p"
    )
    yield from fan(
        text,
        f.pick(
            "e",
            [f"{base} in at least some {NARROWER[a]}.", f"{base} in {a}.", f"{base} in a group of {NARROWER[a]}."],
        ),
        f.pick(
            "n",
            [
                f"{base} in {b}.",
                f"{other} in at least some {NARROWER[a]}.",
                f"{other} in a group of {NARROWER[a]}.",
            ],
        ),
        f"{wrong} in {a}.",
    )
    yield from cross(
        f"{base} in {b}.", dressed(f, f"Among {b}, {lower(base)}.", "e"), text, dressed(f, f"{wrong} in {b}.", "c")
    )


def population_stated(f: Finding) -> Iterator[Row]:
    """The population the sentence itself names, exchanged for another."""
    c = plain(f)
    if not f.stated or not c.place:
        return
    for group in POPULATIONS:
        for word in group:
            if f" {word} " in f" {c.place} ":
                other = f.pick("o", [g for g in group if g != word])
                moved = c.with_(place=c.place.replace(word, other, 1))
                against = opposite(c)
                yield from fan(f.stated, c.text(), moved.text(), against.text() if against else c.negated())
                yield from cross(
                    moved.text(), dressed(f, moved.text(), "e"), f.stated, dressed(f, moved.negated(), "c")
                )
                return
