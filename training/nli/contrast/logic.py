"""Rules about what follows from what: negation, conditions, necessity, quantifiers."""

from collections.abc import Iterator

from training.nli.contrast.clauses import is_plural, lower, sentence
from training.nli.contrast.finding import (
    EVENT,
    C,
    E,
    Finding,
    N,
    Row,
    bare,
    cross,
    dressed,
    entity,
    fan,
    plain,
    premise,
    said,
    was,
)


def denied(f: Finding, key: str) -> str:
    """A sentence that denies the finding, worded one of many ways."""
    c = plain(f)
    options = [
        c.negated(),
        c.modal("failed to"),
        c.modal("was unable to" if not is_plural(c.subject) else "were unable to"),
    ]
    if c.verb not in EVENT:
        options += [sentence(f"{c.subject} had no effect on{c.tail}"), c.passive(f"{was(c.target)} not")]
    return dressed(f, f.pick(key, options), key)


def negation_of_claim(f: Finding) -> Iterator[Row]:
    """The plain finding under premises that state, deny or leave it open."""
    c = plain(f)
    other = c.with_(target=f.objects[0])
    untested = f"Whether {c.inner()} was not among the questions examined."
    neutral = f.pick("open", [untested, dressed(f, other.text(), "o"), dressed(f, other.negated(), "o")])
    yield from cross(said(c, f, "h"), premise(f, "e"), neutral, denied(f, "c"))


def negation_of_denial(f: Finding) -> Iterator[Row]:
    """The denied finding under premises that deny, state or leave it open."""
    c = plain(f)
    forms = [c.negated(), c.modal("failed to"), c.modal("did not")]
    if c.verb not in EVENT:
        forms.append(c.passive(f"{was(c.target)} not"))
    other = c.with_(target=f.objects[0])
    neutral = f.pick(
        "open", [dressed(f, other.negated(), "o"), dressed(f, c.with_(subject=f.subjects[0]).negated(), "o")]
    )
    yield from cross(f.pick("form", forms), denied(f, "e"), neutral, premise(f, "c"))


def negation_of_effect(f: Finding) -> Iterator[Row]:
    """ "No effect" and "an effect", under a finding, its denial and a double negation."""
    c = bare(f)
    if not c.entry.direction or c.verb in EVENT:
        return
    some, none = (sentence(f"{c.subject} had {a} effect on {c.target}") for a in ("an", "no"))
    # A double negation is a premise as much as a plain statement.
    double = dressed(f, f"{c.subject} {was(c.subject)} not without effect on {c.target}", "d")
    either = f.pick("which", [premise(f, "p"), double])
    absent = dressed(f, f"{c.target} {was(c.target)} the same with and without {lower(c.subject)}", "n")
    yield from fan(either, some, f"{c.subject} had an effect on {f.objects[0]}.", none)
    yield from fan(absent, none, f"{c.subject} had no effect on {f.objects[0]}.", some)


_CONDITIONS = (
    ("under hypoxia", "under normal oxygen"),
    ("in fasted animals", "in fed animals"),
    ("at high glucose", "at low glucose"),
    ("in the presence of calcium", "in the absence of calcium"),
    ("in carriers of the risk allele", "in non-carriers of the risk allele"),
    ("in stimulated cells", "in resting cells"),
    ("at acidic pH", "at neutral pH"),
    ("in smokers", "in non-smokers"),
    ("in iron-deficient animals", "in iron-replete animals"),
    ("in infected hosts", "in uninfected hosts"),
    ("during sleep", "during wakefulness"),
    ("in obese subjects", "in lean subjects"),
    ("in proliferating cells", "in quiescent cells"),
    ("in premenopausal participants", "in postmenopausal participants"),
    ("during pregnancy", "outside pregnancy"),
    ("at body temperature", "at room temperature"),
    ("after an overnight fast", "after a meal"),
    ("in p53-deficient tumours", "in tumours with intact p53"),
)


def _condition(f: Finding) -> tuple[str, str]:
    if entity(f.subjects[1]) and f.number("own", 0, 1):
        x = lower(f.subjects[1])
        return f"in the presence of {x}", f"in the absence of {x}"
    one, two = _CONDITIONS[f.number("condition", 0, len(_CONDITIONS) - 1)]
    return (one, two) if f.number("turn", 0, 1) else (two, one)


def conditional_exclusive(f: Finding) -> Iterator[Row]:
    """An effect under one condition only, told under either."""
    c = bare(f)
    on, off = _condition(f)
    base = c.text().rstrip(".")
    text = f.pick(
        "p",
        [
            f"{base} {on} but not {off}.",
            f"{c.subject} {c.entry.past} {c.target} only {on}; {off}, there was no such effect.",
            f"{base} {on}, whereas no effect was seen {off}.",
            f"The effect of {lower(c.subject)} was limited: {lower(c.subject)} {c.entry.past} {c.target} {on}, "
            f"not {off}.",
        ],
    )
    yield text, f"{base} {on}.", E
    yield text, f"{c.negated().rstrip('.')} {off}.", E
    yield text, f"{base} {off}.", C
    yield text, f.pick("always", [f"{base} both {on} and {off}.", f"{c.negated().rstrip('.')} {on}."]), C
    other = c.with_(target=f.objects[0]).text().rstrip(".")
    yield text, f"{other} {on}.", N
    yield text, f"{other} {off}.", N


def conditional_unsaid(f: Finding) -> Iterator[Row]:
    """An effect under one condition says nothing of the other; the hypothesis stays, the premise changes."""
    c = bare(f)
    on, off = _condition(f)
    base = c.text().rstrip(".")
    no = c.negated().rstrip(".")
    hypothesis = f.pick("h", [f"{base} {off}.", f"{off[0].upper()}{off[1:]}, {lower(base)}."])
    both = f.pick("both", [f"{base} {on} and {off} alike.", f"{base} whether {on} or {off}."])
    yield from cross(
        hypothesis, dressed(f, both, "e"), dressed(f, f"{base} {on}.", "n"), dressed(f, f"{no} {off}.", "c")
    )


def conditional_dropped(f: Finding) -> Iterator[Row]:
    """A finding in one group does not hold without the restriction; the general one holds in the group."""
    c = bare(f)
    on, off = _condition(f)
    base = c.text().rstrip(".")
    regardless = f"{base} regardless of whether this was tested {on} or {off}."
    only = dressed(f, f"{base} {on}.", "n")
    yield from cross(
        regardless,
        dressed(f, f"{base} {on}, and just as strongly {off}.", "e"),
        only,
        f"{base} {on} but not {off}.",
    )


def necessity_required(f: Finding) -> Iterator[Row]:
    """Required, sufficient, dispensable."""
    c = bare(f)
    if not entity(c.subject) or c.entry.direction <= 0 or c.verb in {"regulate"}:
        return
    noun = f.pick("noun", [f"the change in {c.target}", f"{c.target}"]) if c.entry.base not in EVENT else c.target
    s, be = c.subject, was(c.subject)
    needed = f.pick(
        "r",
        [
            f"{s} {be} required for {noun}.",
            f"{s} {be} indispensable for {noun}.",
            f"No {c.target} took place without {lower(s)}.",
        ],
    )
    if needed.startswith("No "):
        noun = c.target
    if noun.startswith(("the ", "a ", "an ")) and needed.startswith("No "):
        needed = f"{s} {be} required for {noun}."
    enough = f.pick(
        "s", [f"{s} {be} sufficient for {noun}.", f"{s} alone, without any other factor, brought about {noun}."]
    )
    spare = f.pick("d", [f"{s} {be} dispensable for {noun}.", f"{s} {be} not needed for {noun}."])
    must = f.pick(
        "h", [f"{noun} required {lower(s)}.", f"{noun} depended on {lower(s)}.", f"{s} {be} necessary for {noun}."]
    )
    suffices = f"{s} on {'their' if is_plural(s) else 'its'} own {be} enough for {noun}."
    pronoun = "they" if is_plural(s) else "it"
    more = f"{s} brought about {noun} only together with {lower(f.subjects[0])}; alone, {pronoun} did not."
    yield from cross(sentence(must), dressed(f, needed, "e"), dressed(f, enough, "n"), dressed(f, spare, "c"))
    yield from cross(sentence(suffices), dressed(f, enough, "e"), dressed(f, needed, "n"), dressed(f, more, "c"))


def necessity_removal(f: Finding) -> Iterator[Row]:
    """An effect that goes, or stays, when a second factor is taken away."""
    c, x = bare(f), lower(f.subjects[1])
    if not entity(f.subjects[1]) or not c.entry.direction:
        return
    away = f.pick("k", [f"removal of {x}", f"blocking {x}", f"loss of {x}", f"depletion of {x}"])
    effect = f"the effect of {lower(c.subject)} on {c.target}"
    gone = f.pick(
        "g",
        [f"{away} abolished {effect}.", f"{effect} disappeared upon {away}.", f"{effect} was lost after {away}."],
    )
    kept = f.pick("k2", [f"{away} left {effect} intact.", f"{effect} persisted after {away}."])
    needed = f.pick(
        "h", [f"{effect} required {x}.", f"{effect} depended on {x}.", f"{x} {was(x)} needed for {effect}."]
    )
    spare = f.pick("h2", [f"{effect} did not require {x}.", f"{effect} was independent of {x}."])
    stated = premise(f, "n")
    yield from cross(sentence(needed), dressed(f, gone, "e"), stated, dressed(f, kept, "c"))
    yield from cross(sentence(spare), dressed(f, kept, "e"), stated, dressed(f, gone, "c"))
    own = "themselves" if is_plural(x) else "itself"
    enough = sentence(f"{x} by {own} {was(x)} sufficient to {c.entry.base} {c.target}")
    does = dressed(f, f"{sentence(x)[:-1]} {c.entry.past} {c.target} even when nothing else was added.", "d")
    lacks = dressed(f, f"{sentence(x)[:-1]} alone did not {c.entry.base} {c.target}.", "l")
    yield from cross(enough, does, dressed(f, gone, "e"), lacks)


_UNITS = (
    "mice",
    "patients",
    "samples",
    "cell lines",
    "volunteers",
    "experiments",
    "families",
    "hospitals",
    "strains",
)


def _tallies(f: Finding) -> tuple[str, dict[str, str]]:
    """A unit, and ways to say in how many of them something was so."""
    n = f.number("n", 4, 40) * 2
    some, most, few = max(n * 2 // 5, 2), n * 4 // 5, max(n // 10, 1)
    unit = f.pick("unit", list(_UNITS))
    return unit, {
        "all": f.pick("all", [f"all {n} {unit}", f"each of the {n} {unit}", f"{n} of the {n} {unit}"]),
        "most": f.pick("most", [f"most of the {n} {unit}", f"the majority of the {unit}"]),
        "many": f"{most} of the {n} {unit}",
        "some": f.pick("some", [f"some of the {unit}", f"several of the {unit}"]),
        "part": f"{some} of the {n} {unit}",
        "few": f"only {few} of the {n} {unit}",
        "none": f.pick("none", [f"none of the {n} {unit}", f"not one of the {n} {unit}"]),
    }


# Quantifier of the hypothesis → (premises that entail it, that contradict it); all others leave it open.
_FOLLOWS: dict[str, tuple[set[str], set[str]]] = {
    "all the {}": ({"all"}, {"many", "part", "few", "none"}),
    "some of the {}": ({"all", "most", "many", "some", "part", "few"}, {"none"}),
    "none of the {}": ({"none"}, {"all", "most", "many", "some", "part", "few"}),
    "more than half of the {}": ({"all", "most", "many"}, {"part", "few", "none"}),
    "fewer than half of the {}": ({"part", "few", "none"}, {"all", "most", "many"}),
}


def quantifiers(f: Finding) -> Iterator[Row]:
    """All, most, some, few and none of a sample, computed."""
    c = bare(f)
    unit, kinds = _tallies(f)
    clause = c.text().rstrip(".")
    for form, (yes, no) in _FOLLOWS.items():
        if f.number(form, 0, 2) == 0:
            continue
        hypothesis = f"{clause} in {form.format(unit)}."
        by_label: dict[str, list[str]] = {E: [], N: [], C: []}
        for kind, words in kinds.items():
            label = E if kind in yes else C if kind in no else N
            by_label[label].append(dressed(f, f"{clause} in {words}.", form + kind))
        if not by_label[N]:
            # A subsample is silent on the whole only when nothing else is said: another outcome is.
            other = c.with_(target=f.objects[0]).text().rstrip(".")
            by_label[N].append(dressed(f, f"{other} in {kinds[f.pick(form + 'o', list(kinds))]}.", form))
        yield from cross(hypothesis, *(f.pick(form + label, by_label[label]) for label in (E, N, C)))


def quantifier_only(f: Finding) -> Iterator[Row]:
    """ "Only", and who is thereby left out."""
    c = bare(f)
    if not entity(f.subjects[0]) or not entity(c.subject):
        return
    a, b = c.subject, f.subjects[0]
    idle = f"{lower(b)} {was(b)}"
    told = f"Of the two, only {lower(a)} {c.entry.past} {c.target}; {idle} inactive."
    only = f"Of the factors tested, only {lower(a)} {c.entry.past} {c.target}; {idle} among the factors tested."
    text = f.pick("p", [told, only])
    wide = f.pick(
        "q",
        [
            f"{a} {c.entry.past} {c.target}, and {lower(b)} did so too.",
            f"Both {lower(a)} and {lower(b)} {c.entry.past} {c.target}.",
        ],
    )
    hypothesis = c.with_(subject=b).text()
    yield from cross(hypothesis, wide, premise(f, "n"), text)
    exclusive = f"{b}, unlike {lower(a)}, did not {c.entry.base} {c.target}."
    yield from cross(exclusive, text, premise(f, "n2"), wide)
