"""Edits of one place in a real sentence: it stays as its authors wrote it but for that place."""

import re
from collections.abc import Iterator
from functools import lru_cache

from training.nli.contrast.clauses import (
    GLUED,
    capital,
    is_plural,
    lower,
    noun_phrase,
    sentence,
    strip_lead,
    strip_parentheses,
)
from training.nli.contrast.edits import Source, negated, other_count, told
from training.nli.contrast.finding import C, E, N, Row, cross, fan
from training.nli.contrast.lexicon import NEGATIVE, POPULATIONS, SPECULATIVE


@lru_cache(maxsize=64)
def _simple(text: str) -> str:
    """A sentence without lead-in and parentheses; "" where it is speculative or refers to others."""
    plain = strip_lead(strip_parentheses(text)).strip()
    words = plain.split()
    if GLUED.search(text) or ". " in plain or re.search(r"[()\[\]]|\b(?:this|these|studies)\b", plain, re.I):
        return ""
    if not 6 <= len(words) <= 40 or not plain.endswith(".") or "?" in plain or ":" in plain or ";" in plain:
        return ""
    if re.match(
        r"(?:this|these|it|they|both|such|he|she|the (?:former|latter)|to|and|or|but|[a-z])\b", plain, re.I
    ):
        return ""
    return sentence(plain)


_COMPARED = re.compile(
    r"^(?P<q>[^,]{3,90}?) (?P<be>was|were|is|are) (?P<adv>(?:also |statistically |significantly |markedly |"
    r"substantially |"
    r"much |slightly |consistently )*)(?P<adj>higher|lower|greater|smaller|larger|longer|shorter|more common|"
    r"less common|"
    r"more frequent|less frequent|better|worse|faster|slower) (?P<in>in|with|for|among|after|during) "
    r"(?P<a>[^,.;()]{3,60}?) (?:than|compared with|compared to) (?:(?P=in) "
    r")?(?P<b>[^,.;()]{3,60}?)(?P<rest>[.,;(].*)?$"
)
_ANTONYMS = dict(
    p
    for a, b in (
        ("higher", "lower"),
        ("greater", "smaller"),
        ("larger", "smaller"),
        ("longer", "shorter"),
        ("more common", "less common"),
        ("more frequent", "less frequent"),
        ("better", "worse"),
        ("faster", "slower"),
    )
    for p in ((a, b), (b, a))
)


def compared_groups(s: Source) -> Iterator[Row]:
    """ "Q was higher in A than in B": the converse holds, an exchange of arms or of the adjective does not."""
    found = _COMPARED.match(_plain(s.text))
    if not found or re.search(NEGATIVE, found["q"] + found["adv"]) or not noun_phrase(found["q"], 12):
        return
    q, be, adj, at, a, b = (found[k].strip() for k in ("q", "be", "adj", "in", "a", "b"))
    if not noun_phrase(a, 8) or not noun_phrase(b, 8) or re.match(r"(?:that|those|before|after|at|at the)\b", b):
        return
    converse = f"{q} {be} {_ANTONYMS[adj]} {at} {b} than {at} {a}."
    yield s.text, s.pick("e", [sentence(converse), sentence(f"{q} {be} {adj} {at} {a} than {at} {b}")]), E
    yield (
        s.text,
        s.pick(
            "c",
            [
                sentence(f"{q} {be} {adj} {at} {b} than {at} {a}"),
                sentence(f"{q} {be} {_ANTONYMS[adj]} {at} {a} than {at} {b}"),
            ],
        ),
        C,
    )
    third, other = s.other(b), s.other(q)
    if third and other:
        yield (
            s.text,
            sentence(
                s.pick(
                    "n",
                    [f"{q} {be} {adj} {at} {third} than {at} {b}", f"{other} {be} {adj} {at} {a} than {at} {b}"],
                )
            ),
            N,
        )


def compared_significance(s: Source) -> Iterator[Row]:
    """ "Was significantly higher", "was higher" and "did not differ"."""
    found = _COMPARED.match(_plain(s.text))
    if not found or "significantly" not in found["adv"] or not noun_phrase(found["q"], 12):
        return
    q, be, adj, at, a, b = (found[k].strip() for k in ("q", "be", "adj", "in", "a", "b"))
    if not noun_phrase(a, 8) or not noun_phrase(b, 8):
        return
    higher = sentence(f"{q} {be} significantly {adj} {at} {a} than {at} {b}")
    same = sentence(f"{q} did not differ significantly between {a} and {b}")
    unlike = sentence(f"{q} differed significantly between {a} and {b}")
    denial = told(s, f"No significant difference in {lower(q)} was seen between {a} and {b}.")
    yield s.text, sentence(f"{q} {be} {adj} {at} {a} than {at} {b}"), E
    yield s.text, s.pick("e", [higher, unlike]), E
    yield s.text, same, C
    yield denial, same, E
    yield denial, s.pick("e", [higher, unlike]), C
    if other := s.other(q):
        silent = told(s, f"{other} did not differ significantly between {a} and {b}.")
        yield silent, same, N
        yield silent, s.pick("e", [higher, unlike]), N
        yield s.text, sentence(f"{other} differed significantly between {a} and {b}"), N


@lru_cache(maxsize=64)
def _plain(text: str) -> str:
    return re.sub(r"^(?:In|Among|During|After|At) [^,]{3,60}, ", "", strip_lead(strip_parentheses(text)))


_ASSOCIATED = re.compile(
    r"^(?P<a>[^,;:]{3,80}?) (?P<be>was|were|is|are|has been|have been) (?P<adv>(?:(?:also|significantly|"
    r"independently|strongly|closely) )*)"
    r"(?P<sign>(?:positively |inversely |negatively )?)(?P<verb>associated|correlated|linked) (?P<prep>with|to) "
    r"(?P<b>[^,.;:()]{3,80}?)(?P<rest>[.,;:(].*)?$"
)


def associated(s: Source) -> Iterator[Row]:
    """A stated association: it holds as such, as no more than such, and not in its absence."""
    found = _ASSOCIATED.match(_plain(s.text))
    if not found or GLUED.search(s.text) or re.search(NEGATIVE + "|" + SPECULATIVE, found["a"] + found["b"]):
        return
    a, b, be, sign = found["a"], found["b"], found["be"].split()[0], found["sign"]
    if not noun_phrase(a, 10) or not noun_phrase(b, 10) or " among" in b:
        return
    be = {"has": "was", "have": "were"}.get(be, be)
    link = f"{found['verb']} {found['prep']}"
    if is_plural(b) and re.search(r" and | or ", b):
        return
    related = s.pick("e", [f"{a} {be} {link} {b}", f"There was an association between {lower(a)} and {lower(b)}"])
    unrelated = s.pick(
        "c", [f"{a} {be} not {link} {b}", f"There was no association between {lower(a)} and {lower(b)}"]
    )
    absent = told(s, f"No relation was found between {lower(a)} and {lower(b)}.")
    yield s.text, sentence(f"{a} {be} {sign}{link} {b}"), E
    yield from cross(sentence(related), s.text, "", absent)
    yield from cross(sentence(unrelated), absent, "", s.text)
    if other := s.other(b):
        elsewhere = told(s, f"{a} {be} {link} {other}.")
        yield elsewhere, sentence(s.pick("o", [related, unrelated])), N
        yield s.text, sentence(s.pick("o", [related, unrelated]).replace(lower(b), other).replace(b, other)), N
    verb = s.pick("v", ["bring about", "lead to"])
    plural = is_plural(a)
    third = {"bring about": "brings about", "lead to": "leads to"}[verb]
    effect = f"a change in {b}" if _AMOUNT_NOUN.match(b) else b
    causes = sentence(f"{a} {verb if plural else third} {effect}")
    proven = f"An experiment proved that {lower(a)} {verb if plural else third} {effect}."
    refuted = told(s, f"{lower(a)} {'do' if plural else 'does'} not {verb} {effect}; a third factor explains both.")
    yield from cross(causes, proven, s.text, refuted)


_AMOUNT_NOUN = re.compile(
    r"(?:the |an? )?(?:increased |reduced |higher |lower )?(?:risk|level|number|amount|degree|rate)s?\b"
)


def real_number(s: Source) -> Iterator[Row]:
    """A sentence with a figure, by itself, with another figure, and with another subject."""
    plain = _simple(s.text)
    if not plain or re.search(r"\b(?:we|our|I)\b", plain) or re.search(SPECULATIVE, plain):
        return
    changed = other_count(s.text, plain)
    swapped = _other_subject(s, plain)
    if changed is None or not swapped:
        return
    yield s.text, plain, E
    yield s.text, changed, C
    yield s.text, s.pick("n", [swapped, _other_subject(s, changed)]), N


def _other_subject(s: Source, plain: str) -> str:
    """The sentence about something else: its subject noun phrase exchanged."""
    found = re.match(
        r"^(?P<np>[^,]{3,70}?) (?P<be>was|were|is|are|had|has|have|showed|decreased|increased|occurred|"
        r"developed)\b",
        plain,
    )
    if not found or not noun_phrase(found["np"], 9):
        return ""
    other = s.other(found["np"])
    return sentence(other + plain[found.end("np") :]) if other else ""


_LADDERS: tuple[dict[str, float], ...] = (
    {"ng": 1, "µg": 1e3, "mg": 1e6, "g": 1e9, "kg": 1e12},
    {"nM": 1, "µM": 1e3, "mM": 1e6},
    {"nm": 1, "µm": 1e3, "mm": 1e6, "cm": 1e7},
    {"minute": 1, "hour": 60, "day": 1440, "week": 10080},
    {"month": 1, "year": 12},
    {"s": 1, "min": 60, "h": 3600},
)
_UNITS = {unit: ladder for ladder in _LADDERS for unit in ladder}
_QUANTITY = re.compile(
    rf"(?<![\w.,±–-])(?P<n>\d+(?:\.\d+)?) (?P<u>{'|'.join(sorted(_UNITS, key=len, reverse=True))})s?\b(?![-/²³])"
)


def _amount(value: float, unit: str) -> str:
    return f"{value:g} {unit}{'s' if len(unit) > 2 and unit != 'min' and value != 1 else ''}"


def real_unit(s: Source) -> Iterator[Row]:
    """A sentence with a quantity: converted, in a wrong unit, and about something else."""
    plain = _simple(s.text).replace("μ", "µ")
    found = _QUANTITY.search(plain)
    if not found or re.search(r"\b(?:we|our|I)\b", plain):
        return
    before, after = plain[: found.start()], plain[found.end() :]
    # A range or an alternative has a second number in the old unit.
    if re.search(r"(?:±|\bto|\band|\bor|\bbetween) $", before) or re.match(r" (?:to|or|and|±) \d", after):
        return
    value, unit = float(found["n"]), found["u"]
    ladder = _UNITS[unit]
    others = [u for u in ladder if u != unit]
    converted = [(value * ladder[unit] / ladder[u], u) for u in others]
    exact = [_amount(v, u) for v, u in converted if 0.01 <= v <= 5000 and abs(round(v, 2) - v) < 1e-9]
    if not exact or found[0] != _amount(value, unit):  # "a 52 week trial" has no room for another unit
        return
    same = before + s.pick("s", exact) + after
    wrong = before + _amount(value, s.pick("w", others)) + after
    yield s.text, s.pick("e", [plain, same, same]), E
    yield s.text, wrong, C
    if swapped := _other_subject(s, s.pick("n", [same, wrong])):
        yield s.text, swapped, N


def real_order(s: Source) -> Iterator[Row]:
    """ "Before" and "after" exchanged in a sentence that has one of them."""
    plain = _simple(s.text)
    found = re.findall(r"\b(before|after|prior to|following)\b", plain)
    if (
        len(found) != 1
        or found[0] not in {"before", "after"}
        or re.search(r"\b(?:we|our|soon|years?|days?|weeks?|months?|hours?|h|min) " + found[0], plain)
    ):
        return
    if (
        re.search(SPECULATIVE + "|" + NEGATIVE, plain)
        or plain.lower().startswith(found[0])
        or re.search(rf"{found[0]} (?:\d|a |an |one|two|three|four|six|several|increasing)", plain)
        or re.search(r"\bwe\b|look|named|adjust|censor|control|correct", plain, re.I)
    ):
        return
    other = "before" if found[0] == "after" else "after"
    yield s.text, plain, E
    reversed_ = re.sub(rf"\b{found[0]}\b", other, plain)
    yield s.text, reversed_, C
    yield told(s, reversed_), reversed_, E
    yield told(s, reversed_), plain, C
    if swapped := _other_subject(s, plain):
        yield s.text, s.pick("n", [swapped, re.sub(rf"\b{found[0]}\b", other, swapped)]), N


def real_population(s: Source) -> Iterator[Row]:
    """The population of a real finding exchanged for another."""
    plain = _simple(s.text)
    if not plain or re.search(SPECULATIVE, plain) or re.search(r"\d|\b(?:we|our|also)\b", plain, re.I):
        return
    if len(plain.split()) > 25 or re.search(NEGATIVE, plain) or re.match(r"(?:Of|In|Few|Among|Most|Only)\b", plain):
        return
    for group in POPULATIONS:
        hits = [w for w in group if re.search(rf"\b(?:in|of|among|for|from) (?:the )?{w}(?![\w-])", plain)]
        if len(hits) == 1 and len(re.findall(rf"\b{hits[0]}\b", plain)) == 1:
            absent = [w for w in group if w not in s.text]
            if not absent:
                return
            other = s.pick("o", absent)
            moved = re.sub(rf"\b{hits[0]}\b", other, plain)
            denied = negated(s.text, plain)
            if denied is None:
                return
            against = re.sub(rf"\b{hits[0]}\b", other, denied)
            yield from fan(s.text, plain, s.pick("n", [moved, against]), denied)
            yield from fan(told(s, denied), denied, s.pick("n", [moved, against]), plain)
            return


_AIM_RE = re.compile(
    r"\b(?:whether|hypothesi[sz]ed? that|hypothesis that|proposed that|suggested that|thought that|believed "
    r"that) (?P<clause>[^,;:()]{15,140})\.?$"
)


def real_aim(s: Source) -> Iterator[Row]:
    """An aim or a hypothesis as its authors wrote it: what it asks is open, that it was asked is entailed."""
    found = _AIM_RE.search(s.text.strip())
    if (
        not found
        or re.search(
            r"\b(?:or|any|either|not|and when|above|remains?|unclear|unknown|there|this|these|it|they|our|their|"
            r"its|we|such|could|would|might|may|can)\b",
            found["clause"],
        )
        or s.text.count(".") > 1
    ):
        return
    clause = found["clause"].rstrip(". ")
    if not re.match(
        r"[\w-]+(?: [\w-]+){0,8} (?:is|are|was|were|has|have|plays?|affects?|reduces?|increases?|improves?|"
        r"influences?|predicts?|contributes?)\b",
        clause,
    ):
        return
    bare = sentence(capital(clause))
    if "whether" not in found[0]:
        yield s.text, bare, N
        return
    omitted = f"Whether {clause} was not considered by the authors."
    yield from cross(bare, told(s, bare), s.text, "")
    yield from cross(f"The authors considered whether {clause}.", s.text, "", omitted)
    yield from cross(f"The authors did not consider whether {clause}.", omitted, "", s.text)
    yield s.text, f"The authors found that {clause}.", N
    yield s.text, f"It was already certain that {clause}.", C
    yield f"It has been proven that {clause}.", f"It was already certain that {clause}.", E
