"""Rules about who does what to whom: direction, roles, causes, comparisons."""

from collections.abc import Iterator

from training.nli.contrast.clauses import Clause, is_plural, lower, sentence
from training.nli.contrast.finding import (
    AMOUNT,
    EVENT,
    C,
    E,
    Finding,
    N,
    Row,
    bare,
    changed,
    cross,
    dressed,
    entity,
    fan,
    gene,
    opposite,
    plain,
    premise,
    said,
    synonym,
    was,
)


def direction(f: Finding) -> Iterator[Row]:
    """The same change, the opposite change, and either in something else."""
    c = plain(f)
    against = opposite(c)
    if against is None or not c.entry.direction:
        return
    other = f.pick("o", [c.with_(target=f.objects[0]).text(), against.with_(target=f.objects[0]).text()])
    same = synonym(c, f, "s")
    yield from cross(
        said(c, f, "h"),
        f.pick("e", [premise(f, "e"), dressed(f, same.text(), "s")]),
        dressed(f, other, "n"),
        dressed(f, against.text(), "c"),
    )
    stated = premise(f, "p")
    yield from fan(
        stated, said(same, f, "h2"), said(against.with_(target=f.objects[1]), f, "h3"), said(against, f, "h2")
    )


def direction_of_two(f: Finding) -> Iterator[Row]:
    """Two outcomes that moved apart, each told rightly and wrongly, and a third."""
    c = bare(f)
    if c.verb not in AMOUNT or " and " in c.target:
        return
    d = AMOUNT[c.verb]
    a, b, third = c.target, lower(f.objects[0]), lower(f.objects[1])
    verb = "decreased" if d > 0 else "increased"
    text = dressed(
        f,
        f.pick(
            "p",
            [
                f"{c.subject} {c.entry.past} {a} but {verb} {b}.",
                f"While {b} {changed(b, -d, f, 'v')} after exposure to {lower(c.subject)}, {a} "
                f"{changed(a, d, f, 'w')}.",
            ],
        ),
        "p",
    )
    after = f.pick(
        "after",
        [f"with {lower(c.subject)}", f"in response to {lower(c.subject)}", f"after exposure to {lower(c.subject)}"],
    )
    turn = f.number("turn", 0, 1)
    for noun, sign in ((a, d), (b, -d)):
        yield text, sentence(f"{noun} {changed(noun, sign, f, noun)} {after}"), E
        if (noun == a) == bool(turn):
            yield text, sentence(f"{noun} {changed(noun, -sign, f, noun + '-')} {after}"), C
    yield text, sentence(f"{third} {changed(third, d if turn else -d, f, 'third')} {after}"), N


def direction_of_inhibitor(f: Finding) -> Iterator[Row]:
    """Blocking a factor is another experiment than adding it."""
    c = bare(f)
    against = opposite(c)
    if against is None or not entity(c.subject) or c.entry.direction == 0:
        return
    if c.verb in EVENT:
        return
    blocked = ["Inhibition of", "Depletion of", "Blockade of", "Silencing of"]
    means = f.pick("m", blocked if gene(c.subject) else ["Withdrawal of", "Removal of", "Absence of"])
    less = c.with_(subject=f"{means} {lower(c.subject)}", plural=False)
    text = dressed(f, less.text(), "p")
    yield from fan(text, said(less, f, "h"), said(c, f, "h"), said(less.with_(verb=against.verb), f, "h"))
    hypothesis = less.with_(verb=against.verb).text()
    yield from cross(hypothesis, dressed(f, less.with_(verb=against.verb).passive(), "e"), premise(f, "n"), text)


def role_swap(f: Finding) -> Iterator[Row]:
    """Agent and patient: the passive keeps them, an exchange does not."""
    c = bare(f)
    if c.verb in EVENT or not entity(c.subject, 4) or not entity(c.target, 4):
        return
    swapped = c.with_(subject=c.target, target=lower(c.subject), plural=is_plural(c.target))
    against = opposite(c)
    active, passive = c.text(), c.passive()
    one = dressed(f, f.pick("v", [active, passive]), "p")
    hypothesis = f.pick("v2", [passive, active])
    denial = lower(c.negated())
    only = f"{swapped.text().rstrip('.')}, but not the other way round: {denial}"
    back = f.pick(
        "n", [swapped.text(), swapped.passive(), f"{swapped.text().rstrip('.')}; the reverse was not tested."]
    )
    yield from cross(hypothesis, one, dressed(f, back, "b"), only)
    yield from fan(one, said(c, f, "h"), said(swapped, f, "s"), said(against, f, "a") if against else "")


_ORDERED = (
    ("upstream of", "downstream of"),
    ("more abundant than", "less abundant than"),
    ("detected earlier than", "detected later than"),
    ("expressed more widely than", "expressed less widely than"),
)
_RANKED = (
    ("studied before", "studied after"),
    ("mentioned more often than", "mentioned less often than"),
    ("given more weight than", "given less weight than"),
)


def role_order(f: Finding) -> Iterator[Row]:
    """Relations that cannot hold both ways: upstream, larger, earlier."""
    a, b, x = f.clause.subject, f.subjects[0], f.subjects[1]
    if not entity(a) or not entity(b):
        return
    table = _ORDERED if gene(a) and gene(b) else _RANKED
    to, back = table[f.number("kind", 0, len(table) - 1)]
    if f.number("turn", 0, 1):
        to, back = back, to
    text = dressed(f, f"{a} {was(a)} {to} {lower(b)}.", "p")
    yield text, f"{b} {was(b)} {back} {lower(a)}.", E
    yield text, f"{b} {was(b)} {to} {lower(a)}.", C
    yield text, f"{x} {was(x)} {f.pick('n', [to, back])} {lower(a)}.", N
    # The same hypothesis when only other relations are known.
    silent = dressed(f, f"{a} {was(a)} {to} {lower(x)}, as {was(b)} {lower(b)}.", "s")
    yield silent, f"{b} {was(b)} {f.pick('m', [to, back])} {lower(a)}.", N


def _designs(f: Finding, c: Clause, link: str) -> tuple[str, str]:
    cause = f.pick(
        "rct",
        [
            "In a controlled experiment, {}.",
            "With all else equal by randomization, {}.",
            "An intervention study showed that {}.",
        ],
    )
    see = f.pick(
        "obs",
        [
            "In a survey, {}.",
            "In an observational cohort, {}.",
            "Across the participants, {}.",
            "Records from one region showed that {}.",
        ],
    )
    return cause.format(c.inner()), see.format(link)


def causation(f: Finding) -> Iterator[Row]:
    """An association is no cause; a cause implies an association; the sign counts."""
    c = bare(f)
    if c.verb not in AMOUNT:
        return
    s, o, d = lower(c.subject), c.target, AMOUNT[c.verb]
    be = was(s)
    level = "higher" if d > 0 else "lower"
    link = f.pick(
        "l",
        [
            f"{s} {be} associated with {level} {o}",
            f"{s} {be} linked to {level} {o}",
            f"{s} and {level} {o} were found together",
            f"{s} {be} accompanied by {level} {o}",
        ],
    )
    if is_plural(o) or " of " in o or o.startswith(("the ", "a ")):
        link = f"{s} {be} {'positively' if d > 0 else 'inversely'} associated with {o}"
    design, seen = _designs(f, c, link)
    against = opposite(c)
    assert against is not None
    causal = f.pick(
        "h",
        [
            c.with_(past=False, plural=is_plural(c.subject)).text(),
            sentence(f"{s} caused a {'rise' if d > 0 else 'fall'} in {o}"),
        ],
    )
    yield from cross(causal, f.pick("e", [design, premise(f, "e")]), seen, dressed(f, against.text(), "c"))
    sign, wrong = ("positively", "inversely") if d > 0 else ("inversely", "positively")
    correlated = sentence(f"{s} {be} {sign} associated with {o}")
    opposed = sentence(f"{s} {be} {wrong} associated with {o}")
    elsewhere = dressed(f, f"{s} {be} {f.pick('si', [sign, wrong])} associated with {f.objects[0]}.", "n")
    yield from cross(correlated, f.pick("ee", [design, seen]), elsewhere, dressed(f, opposed, "o"))
    yield from cross(opposed, dressed(f, opposed, "o2"), elsewhere, seen)
    # The other way round: an association has no direction.
    acts = sentence(f"changes in {o} had an effect on {s}")
    shown = dressed(f, f"When {o} {was(o)} changed by experiment, {s} changed as well.", "r")
    idle = dressed(f, f"When {o} {was(o)} changed by experiment, {s} stayed as before.", "i")
    yield from cross(acts, shown, seen, idle)


def comparison(f: Finding) -> Iterator[Row]:
    """Two agents ranked: the converse with the opposite comparative is the same, an exchange is not."""
    c = bare(f)
    if c.verb in EVENT or not c.entry.direction:
        return
    a, b, x = lower(c.subject), lower(f.subjects[0]), lower(f.subjects[1])
    more, less = f.pick(
        "m",
        [
            "more strongly|less strongly",
            "more effectively|less effectively",
            "to a greater extent|to a lesser extent",
        ],
    ).split("|")
    one, two, third = (
        c.text().rstrip("."),
        c.with_(subject=b).text().rstrip("."),
        c.with_(subject=x).text().rstrip("."),
    )
    greater = f"{one} {more} than {b}."
    equal = f"{one} as much as {b} did."
    text = dressed(f, greater, "p")
    yield text, sentence(f"{two} {less} than {a}"), E
    yield text, sentence(f"{two} {more} than {a}"), C
    yield text, sentence(f"{third} {f.pick('n', [more, less])} than {a}"), N
    # The same hypothesis when both agents were only tested, or were equal.
    h = f.pick("h", [greater, sentence(f"{two} {less} than {a}")])
    silent = f"{one}; {b} was not tested." if not is_plural(b) else f"{one}; {b} were not tested."
    yield from cross(h, f"{sentence(two)[:-1]}, but {a} did so {more}.", silent, dressed(f, equal, "c"))


_OUTCOMES = (
    *("relapse", "remission", "infection", "readmission", "a rash", "headache", "anaemia", "full recovery"),
    *("weight loss", "dizziness", "insomnia", "hearing loss", "pneumonia", "a fracture"),
)


def comparison_of_rates(f: Finding) -> Iterator[Row]:
    """Two groups with their figures: which is higher."""
    c = bare(f)
    a, b, x = lower(c.subject), lower(f.subjects[0]), lower(f.subjects[1])
    high, low = f.number("hi", 30, 60), f.number("lo", 5, 25)
    outcome = f.pick("y", list(_OUTCOMES))
    other = f.pick("y2", [o for o in _OUTCOMES if o != outcome])
    text = f.pick(
        "p",
        [
            f"{outcome} was recorded in {high}% of the group with {a} and in {low}% of the group with {b}.",
            f"The rate of {outcome} was {low}% with {b} as against {high}% with {a}.",
            f"{outcome} was seen in {high} of 100 subjects with {a}, versus {low} of 100 with {b} (P < 0.001).",
        ],
    )
    text = sentence(text[0].upper() + text[1:])
    word = f.pick("w", ["more common", "less common", "more frequent", "less frequent"])
    up = word.startswith("more")
    right = f"{outcome} was {word} with {a if up else b} than with {b if up else a}"
    wrong = f"{outcome} was {word} with {b if up else a} than with {a if up else b}"
    yield text, sentence(right), E
    yield text, sentence(wrong), C
    yield (
        text,
        sentence(
            f.pick(
                "n", [f"{other} was {word} with {a} than with {b}", f"{outcome} was {word} with {b} than with {x}"]
            )
        ),
        N,
    )


def comparison_of_margins(f: Finding) -> Iterator[Row]:
    """Not worse is not better."""
    a, b = f.clause.subject, lower(f.subjects[0])
    o = lower(f.objects[0])
    if not entity(a, 4):
        return
    be = was(a)
    same = dressed(
        f, f"{a} {be} not inferior to {b} with regard to {o}; a superiority test was not carried out.", "n"
    )
    best = dressed(f, f"{a} {be} superior to {b} with regard to {o}.", "e")
    worst = dressed(f, f"{a} {be} inferior to {b} with regard to {o}.", "c")
    yield from cross(sentence(f"{a} {be} better than {b} with regard to {o}"), best, same, worst)
    yield from fan(
        f.pick("p", [same, best]),
        sentence(f"{a} {be} no worse than {b} in terms of {o}"),
        sentence(f"{a} {be} no worse than {b} in terms of {lower(f.objects[1])}"),
        sentence(f"{a} {be} worse than {b} in terms of {o}"),
    )
