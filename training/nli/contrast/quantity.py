"""Rules about figures: numbers and units."""

import re
from collections.abc import Iterator

from training.nli.contrast.clauses import lower, sentence
from training.nli.contrast.finding import (
    AMOUNT,
    C,
    E,
    Finding,
    N,
    Row,
    bare,
    cross,
    dressed,
    fan,
    was,
)


def numbers_change(f: Finding) -> Iterator[Row]:
    """By how much: exact, above and below a bound; and another outcome."""
    c = bare(f)
    if c.verb not in AMOUNT:
        return
    value = f.number("v", 12, 80)
    base = c.text().rstrip(".")
    other = c.with_(target=f.objects[0]).text().rstrip(".")
    bound = f.number("b", 2, 9)
    text = dressed(f, f"{base} by {value}%.", "p")
    right = f.pick(
        "r",
        [
            f"by {value}%",
            f"by more than {value - bound}%",
            f"by less than {value + bound}%",
            f"by at least {value - bound}%",
        ],
    )
    wrong = f.pick(
        "w",
        [
            f"by {value + 2 * bound}%",
            f"by more than {value + bound}%",
            f"by less than {value - bound}%",
            f"by at most {value - bound}%",
        ],
    )
    yield text, f"{base} {right}.", E
    yield text, f"{base} {wrong}.", C
    yield text, f"{other} {f.pick('n', [right, wrong])}.", N
    # The hypothesis stays and the premise moves across its bound.
    h = f.number("h", 20, 60)
    limit = f.pick("l", ["more than", "less than"])
    far, near = f"{base} by {h + bound * 2}%.", f"{base} by {h - bound}%."
    unknown = f.pick(
        "u",
        [
            f"{base}.",
            f"{base}; the size of the effect is not given.",
            f"{base} by at least {h - 2 * bound}%."
            if limit == "more than"
            else f"{base} by at most {h + 2 * bound}%.",
        ],
    )
    yes, no = (far, near) if limit == "more than" else (near, far)
    yield from cross(
        f"{base} by {limit} {h}%.", dressed(f, yes, "e"), dressed(f, unknown, "u"), dressed(f, no, "c")
    )


def numbers_levels(f: Finding) -> Iterator[Row]:
    """From a level to a level: rise, fall and ratio."""
    noun = f.clause.target
    if f.clause.verb not in AMOUNT or noun.startswith(("the ", "a ")):
        return
    start = f.number("s", 4, 40)
    ratio = f.number("r", 2, 4)
    up = f.number("up", 0, 1)
    low, high = start, start * ratio
    a, b = (low, high) if up else (high, low)
    word = {2: "doubled|halved", 3: "tripled|fell to a third", 4: "quadrupled|fell to a quarter"}[ratio].split("|")[
        not up
    ]
    false = {2: "tripled|fell to a third", 3: "doubled|halved", 4: "doubled|halved"}[ratio].split("|")[not up]
    agent = lower(f.clause.subject)
    text = f.pick(
        "p",
        [
            f"With {agent}, mean {noun} went from {a} to {b} units.",
            f"Mean {noun} {was(noun)} {a} units before and {b} units after exposure to {agent}.",
        ],
    )
    text = dressed(f, text, "p")
    rise, fall = f"mean {noun} rose", f"mean {noun} fell"
    yield (
        text,
        sentence(f.pick("e", [f"{rise if up else fall} with {agent}", f"mean {noun} {word} with {agent}"])),
        E,
    )
    yield (
        text,
        sentence(f.pick("c", [f"{fall if up else rise} with {agent}", f"mean {noun} {false} with {agent}"])),
        C,
    )
    third = lower(f.objects[0])
    if third.startswith(("the ", "a ", "an ")):
        third = f"level of {third}"
    yield (
        text,
        sentence(
            f.pick(
                "n",
                [
                    f"mean {third} {'rose' if f.number('z', 0, 1) else 'fell'} with {agent}",
                    f"mean {noun} {word} with {lower(f.subjects[0])}",
                ],
            )
        ),
        N,
    )


def numbers_share(f: Finding) -> Iterator[Row]:
    """So many of so many: percentages, halves and bounds."""
    c = bare(f)
    n = f.pick("n", ["20", "40", "50", "80", "200", "400"])
    total = int(n)
    part = total * f.number("k", 2, 18) // 20
    if part * 2 == total or part * 100 % total:
        return
    unit = f.pick("u", ["mice", "patients", "cultures", "volunteers", "families", "clinics", "biopsies", "strains"])
    base = c.text().rstrip(".")
    share = part * 100 // total
    text = dressed(f, f"{base} in {part} of {total} {unit}.", "p")
    big = part * 2 > total
    off = share + (15 if share < 60 else -15)
    right = f.pick(
        "r",
        [
            f"{share}% of the {unit}",
            f"{'more' if big else 'fewer'} than half of the {unit}",
            f"at least {part - 1} of the {unit}",
        ],
    )
    wrong = f.pick(
        "w",
        [
            f"{off}% of the {unit}",
            f"{'fewer' if big else 'more'} than half of the {unit}",
            f"at most {part - 1} of the {unit}",
        ],
    )
    yield text, f"{base} in {right}.", E
    yield text, f"{base} in {wrong}.", C
    other = c.with_(target=f.objects[0]).text().rstrip(".")
    yield text, f"{other} in {f.pick('n2', [right, wrong])}.", N
    # A bound in the premise: what lies above it is open, what lies below is settled.
    k = f.number("bound", 2, total - 3)
    floor = dressed(f, f"{base} in at least {k - 1} of the {total} {unit}.", "q")
    above = dressed(f, f"{base} in {k + 1} of the {total} {unit}.", "a")
    below = dressed(f, f"{base} in {k - 1} of the {total} {unit}.", "b")
    yield from cross(f"{base} in more than {k} of the {total} {unit}.", above, floor, below)
    yield from cross(f"{base} in no more than {k} of the {total} {unit}.", below, floor, above)


_CONVERT = (
    ("{} hours", "{} days", "{} hours", 24, (1, 5)),
    ("{} days", "{} weeks", "{} days", 7, (2, 8)),
    ("{} months", "{} years", "{} months", 12, (2, 6)),
    ("{} min", "{} hours", "{} min", 60, (2, 6)),
    ("{} s", "{} min", "{} s", 60, (2, 6)),
)
_MASS = (
    ("{} mg", "{} g", 1000),
    ("{} µg", "{} mg", 1000),
    ("{} ng", "{} µg", 1000),
)
_MOLAR = (("{} nM", "{} µM", 1000), ("{} µM", "{} mM", 1000), ("{} pM", "{} nM", 1000))


def _figure(value: float) -> str:
    return f"{value:g}" if value < 1e6 else f"{value:,.0f}"


def units_of_time(f: Finding) -> Iterator[Row]:
    """How long, in another unit."""
    c = bare(f)
    small, large, mixed, factor, (lo, hi) = _CONVERT[f.number("u", 0, len(_CONVERT) - 1)]
    k = f.number("k", lo, hi)
    first, second = small.format(k * factor), large.format(k)
    if k == 1:
        second = second.rstrip("s").replace("1 ", "one ", 1)
    noun = f"the effect of {lower(c.subject)} on {c.target}"
    flip = f.number("flip", 0, 1)
    told, same = (first, second) if flip else (second, first)
    wrong = f.pick(
        "w", [mixed.format(k), large.format(k * factor), large.format(k + 3), small.format(k * factor * 10)]
    )
    other = f"the effect of {lower(f.subjects[0])} on {c.target}"
    form = f.pick("form", ["{} lasted {}", "{} was present for {}", "{} wore off after {}"])
    text = dressed(f, sentence(form.format(noun, told)), "p")
    yield text, sentence(form.format(noun, same)), E
    yield text, sentence(form.format(noun, wrong)), C
    yield text, sentence(form.format(other, f.pick("n", [same, wrong]))), N
    yield dressed(f, sentence(form.format(other, same)), "q"), sentence(form.format(noun, same)), N


_COMPOUNDS = (
    "caffeine, magnesium, the extract, the test compound, melatonin, curcumin, the active ingredient, folate"
)


def _substances(f: Finding) -> tuple[str, str]:
    """Two things that come in doses: of the finding's own entities where they may, else common ones."""
    named = [
        lower(t)
        for t in (f.clause.subject, *f.subjects)
        if re.fullmatch(r"[A-Za-z]+(?:ine?|ol|one|ide|ate|[ai]b|il|am|an|ium|ose|erol) ?", t)
        or re.search(r"^vitamin|acid$", t)
    ]
    common = _COMPOUNDS.split(", ")
    first = named[0] if named else f.pick("compound", common)
    return first, f.pick("compound2", [c for c in common if c != first])


def units_of_dose(f: Finding) -> Iterator[Row]:
    """A dose or a concentration in another unit, a power of ten away, or in total."""
    s, y = _substances(f)
    table, what = (_MASS, "dose") if f.number("t", 0, 1) else (_MOLAR, "concentration")
    small, large, factor = table[f.number("m", 0, 2)]
    value = f.pick("v", ["50", "100", "200", "250", "500", "750", "2000", "5000"])
    x = int(value)
    a, b = small.format(_figure(x)), large.format(_figure(x / factor))
    wrong = f.pick(
        "w",
        [
            large.format(_figure(x)),
            large.format(_figure(x / 100)),
            small.format(_figure(x / factor)),
            small.format(_figure(x * 10)),
        ],
    )
    told, same = (a, b) if f.number("flip", 0, 1) else (b, a)
    text = dressed(f, f"The {what} of {s} was {told}.", "p")
    yield (
        text,
        f"{s} {was(s)} used at a {what} of {same}."[0].upper() + f"{s} {was(s)} used at a {what} of {same}."[1:]
        if s[0].islower()
        else f"{s} {was(s)} used at a {what} of {same}.",
        E,
    )
    yield text, f"The {what} of {s} amounted to {wrong}.", C
    yield text, f"The {what} of {s} amounted to {same}.", E
    yield text, f"The {what} of {y} amounted to {f.pick('n', [same, wrong])}.", N
    yield from cross(
        f"The {what} of {s} did not exceed {b}.",
        dressed(f, f"{sentence(s)[:-1]} {was(s)} given at {small.format(_figure(x * 0.5))}.", "e"),
        f"The {what} of {s} was chosen by the physician in charge.",
        dressed(f, f"The {what} of {s} was {large.format(_figure(x / factor * 3))}.", "c"),
    )


def units_of_total(f: Finding) -> Iterator[Row]:
    """Single dose, number of doses and total: any two give the third, one does not."""
    s, other = _substances(f)
    n, each = f.number("n", 2, 6), f.number("d", 1, 12) * 5
    every = f.pick("e", ["day", "week", "month"])
    who = f.pick("w", ["Each animal", "Each participant", "Every patient"])
    hypothesis = f"{who} received {n * each} mg of {s} per {every}."
    give = f"{who} received {{}} doses of {{}} mg of {s} every {every}."
    right = dressed(f, give.format(n, each), "r")
    wrong = dressed(f, give.format(n + 1, each), "w")
    silent = f"{who} received doses of {each} mg of {s}."
    yield from cross(hypothesis, right, silent, wrong)
    yield from fan(
        right,
        f"{who} received {_figure(n * each / 1000)} g of {s} per {every}.",
        f"{who} received {n * each} mg of {other} per {every}.",
        f"{who} received {n * each} g of {s} per {every}.",
    )


def units_of_change(f: Finding) -> Iterator[Row]:
    """Fold, percent and times."""
    c = bare(f)
    if c.verb not in AMOUNT:
        return
    base, up = c.text().rstrip("."), AMOUNT[c.verb] > 0
    if up:
        k = f.number("k", 2, 5)
        ways = {
            2: ["by 100%", "by a factor of two", "two-fold"],
            3: ["by 200%", "three-fold"],
            4: ["by 300%", "four-fold"],
            5: ["by 400%", "five-fold"],
        }
        told, same = (ways[k][0], ways[k][-1]) if f.number("flip", 0, 1) else (ways[k][-1], ways[k][0])
        wrong = f.pick("w", [ways[2 + (k - 1) % 4][0], ways[2 + (k - 1) % 4][-1], f"by {k * 10}%", f"by {k}%"])
    else:
        a, b, no = f.pick(
            "d",
            [
                "by 50%|by half|by a tenth",
                "by 75%|by three quarters|by a quarter",
                "by 25%|by a quarter|by three quarters",
                "by 20%|by a fifth|by half",
                "by 10%|by a tenth|by a fifth",
            ],
        ).split("|")
        told, same = (a, b) if f.number("flip", 0, 1) else (b, a)
        wrong = no
    text = dressed(f, f"{base} {told}.", "p")
    other = c.with_(target=f.objects[0]).text().rstrip(".")
    yield from fan(text, f"{base} {same}.", f"{other} {f.pick('n', [same, wrong])}.", f"{base} {wrong}.")
    yield from cross(
        f"{base} {same}.",
        text,
        dressed(f, f.pick("x", [f"{base}.", f"{other} {told}."]), "n"),
        dressed(f, f"{base} {wrong}.", "c"),
    )
