"""Subject, verb and object of a plain finding sentence; silent on anything that is not plain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from training.nli.contrast.lexicon import (
    ADVERBS,
    EXTRACTED,
    FINITE,
    FUNCTION,
    LEAD_INS,
    MODALS,
    NEGATIVE,
    REPORTING,
    SPECULATIVE,
    VERBS,
    Verb,
)

_FORM: dict[str, tuple[str, str]] = {}
for _lemma in EXTRACTED:
    _v = VERBS[_lemma]
    for _tense, _text in (("base", _v.base), ("third", _v.third), ("past", _v.past)):
        _FORM.setdefault(_text, (_lemma, _tense))
VERB_RE = re.compile(
    rf"(?:(?P<modal>{MODALS}) )?(?:{ADVERBS} "
    rf")?(?<![\w-])(?P<verb>{'|'.join(sorted(_FORM, key=len, reverse=True))})(?![\w-])"
)
GLUED = re.compile(r"\w[\[(]|[\])]\w")
"""A bracket inside a word ("PGE(2)", "alpha(v)beta(3)"): it cannot be dropped."""
_STATISTICS = re.compile(r"\s*[(\[][^()\[\]]*(?:[()\[][^()\[\]]*[)\]][^()\[\]]*)*[)\]]")
_STOP = re.compile(
    r"[,;:()]|\.(?=\s|$)| (?:by|through|via|and thereby|which|that|but|while|whereas|when|where|as|compared|"
    r"relative|"
    r"than|because|due|without|after|before|during|from|at|under|using|following|upon|across|within|over|"
    r"even|only|rather|thereby|thus|between|independent\w*|if|unless|both|is|are|was|were|has|have|had|can|"
    r"may|might|could|will|would|did|does|do|not|who|whose|so|versus|vs|since|until|although|though|irrespective|"
    r"regardless|leading|resulting|suggesting|indicating)(?![\w-])"
)
_PLURAL_ONLY = {"mice", "data", "bacteria", "women", "men", "children", "people", "criteria", "phenomena", "genera"}
_SINGULAR_S = re.compile(r"(?:ss|us|is|ics|itis|osis|sis|AIDS|itus|diabetes|statins?es|series|HIV|rabies|herpes)$")


@dataclass(frozen=True, slots=True)
class Clause:
    """``subject verb target place`` of a finding, as a sentence states it."""

    subject: str
    verb: str
    target: str
    place: str = ""
    plural: bool = False
    past: bool = True

    @property
    def entry(self) -> Verb:
        """The verb with its forms."""
        return VERBS[self.verb]

    @property
    def tense(self) -> str:
        """The form the verb had."""
        return "past" if self.past else ("base" if self.plural else "third")

    @property
    def tail(self) -> str:
        """Object and place, with the spaces before them."""
        return f" {self.target}{' ' + self.place if self.place else ''}"

    def finite(self) -> str:
        """The verb as the sentence had it: past, or present in number."""
        v = self.entry
        return v.past if self.past else (v.base if self.plural else v.third)

    def text(self) -> str:
        """The clause as a sentence."""
        return sentence(f"{self.subject} {self.finite()}{self.tail}")

    def inner(self) -> str:
        """The clause as it stands after "that" or "whether"."""
        return f"{lower(self.subject)} {self.finite()}{self.tail}"

    def negated(self) -> str:
        """The clause with "did not" or "does not"."""
        auxiliary = "did not" if self.past else ("do not" if self.plural else "does not")
        return sentence(f"{self.subject} {auxiliary} {self.entry.base}{self.tail}")

    def modal(self, word: str) -> str:
        """The clause with a modal, an infinitive marker or anything else that takes the base form."""
        return sentence(f"{self.subject} {word} {self.entry.base}{self.tail}")

    def passive(self, auxiliary: str = "") -> str:
        """The clause in the passive."""
        many = is_plural(self.target)
        be = auxiliary or (("were" if many else "was") if self.past else ("are" if many else "is"))
        place = f" {self.place}" if self.place else ""
        return sentence(f"{self.target} {be} {self.entry.participle} by {lower(self.subject)}{place}")

    def with_(self, **changes: object) -> "Clause":
        """A copy with other parts."""
        return replace(self, **changes)  # type: ignore[arg-type]


def lower(text: str) -> str:
    """Text as it stands inside a sentence: an initial capital goes unless the word looks like a name."""
    first, _, rest = text.partition(" ")
    core = first.strip("([")
    if re.fullmatch(r"[A-Z][a-z]{2,}(?:-[a-z]+)*", core) and core not in _NAMES:
        return text[:1].lower() + text[1:]
    if first in _FUNCTION_WORDS:
        return first.lower() + (f" {rest}" if rest else "")
    return text


_FUNCTION_WORDS = set("A An In As To If Is It So We No Of At On By Up-regulating Re-activation".split())
_NAMES = set(
    "Alzheimer Parkinson Crohn Huntington Hodgkin Wnt Notch Hedgehog Drosophila Mycobacterium Plasmodium Candida "
    "Staphylococcus Escherichia Salmonella Listeria Helicobacter Chlamydia Arabidopsis Caenorhabditis Toxoplasma "
    "Saccharomyces African American Asian European Chinese Japanese Indian Western Golgi Gram Bayesian Mendelian "
    "Toll Dicer Akt Ras Rho Rac Myc Src Jun Fos Smad Hippo Sirt Nanog Sox Oct Pax Tet Bcl Bax Foxp Zika Ebola Cas "
    "Klebsiella Streptococcus Pseudomonas Leishmania Trypanosoma Legionella Clostridium Medicare Medicaid Chagas "
    "Kaposi Kupffer Schwann Sertoli Leydig Purkinje Langerhans Pten Cre Dnmt Nodal Sonic Lactobacillus Fiji Aire "
    "Bifidobacterium Aspergillus Noxa Ulp Rapamycin-insensitive Glasgow Wuhan".split()
)


def capital(text: str) -> str:
    """Text with a capital, unless its first word has a spelling of its own ("mTOR")."""
    first = text.split(" ", 1)[0].rstrip(",:")
    stem = first.split("-")[0]
    if re.fullmatch(r"[a-z]+(?:-[a-z]+)*", first) or (stem.islower() and len(stem) > 3):
        return text[:1].upper() + text[1:]
    return text


def sentence(text: str) -> str:
    """Text with a capital and one full stop."""
    return capital(re.sub(r"\s+", " ", text).strip().rstrip(".")) + "."


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase takes a plural verb, judged by its head."""
    core = re.split(
        r" (?:of|in|with|to|for|from|on|at|by|that|between|among|against|after|during|treated)(?![\w-])", phrase
    )[0]
    if re.search(r" and ", core):
        return True
    head = core.rsplit(" ", 1)[-1]
    if head.lower() in _PLURAL_ONLY:
        return True
    return head.endswith("s") and not head.endswith("'s") and not _SINGULAR_S.search(head)


def strip_parentheses(text: str) -> str:
    """Text without parentheses and square brackets."""
    return re.sub(r"\s+([,.;])", r"\1", re.sub(r"\s+", " ", _STATISTICS.sub("", text))).strip()


def strip_lead(text: str) -> str:
    """Text without "Here we show that", "Moreover," or a section name."""
    text = re.sub(r"^[A-Z][A-Z &/]{5,}[:.]?\s+(?=[A-Z])", "", text.strip())
    for _ in range(3):
        text = re.sub(rf"^{LEAD_INS}", "", text, flags=re.I)
        text = re.sub(rf"^{REPORTING}", "", text, flags=re.I)
    return text


def noun_phrase(text: str, words: int = 8) -> bool:
    """Whether text may pass for a noun phrase: short, no finite verb, balanced, no dangling word."""
    tokens = text.split()
    if not 1 <= len(tokens) <= words or re.search(r"[,;:()\[\]=<>%/]|\d\.\d|\*|\"|\.", text):
        return False
    if re.search(FINITE, text, re.I) or tokens[-1].lower() in FUNCTION or tokens[-1].lower().endswith("ly"):
        return False
    if tokens[0].lower() in FUNCTION - {"a", "an", "the"} or tokens[0].lower().endswith("ly"):
        return False
    if re.match(
        r"(?:and|or|to|by|well|results?|data|findings|treatment effect|effects?|it|addition|order)\b",
        tokens[0],
        re.I,
    ):
        return False
    if VERB_RE.search(text) or re.search(r"\b(?:respectively|former|latter|above|following|et al)\b", text):
        return False
    if re.search(
        r"\b(?:rapid|incomplete|novel|severe|potent|accompanied|residing|express|everyone's|effector|turn|"
        r"\w+[^be]ed)$",
        text,
    ):
        return False
    return any(len(t) > 2 for t in tokens) and not re.match(r"^[a-z]?\d+$", tokens[0])


def segments(text: str) -> list[str]:
    """The sentence, then its coordinate main clauses, where a conjunction after a comma opens one."""
    plain = strip_parentheses(text).rstrip(". ")
    parts = re.split(r"(?:;|, and|, whereas|, while|, but) ", plain)
    return [plain, *(p for p in parts[1:] if len(p.split()) > 3)] if len(parts) > 1 else [plain]


def clauses(text: str) -> Iterator[tuple[Clause, str]]:
    """The plain clauses of a sentence, each with its modal ("" for a plain finding)."""
    if (
        "?" in text
        or GLUED.search(text)
        or re.search(r"\b(?:whether|hypothes\w+|aim\w*|sought|if|unclear|unknown)\b", text, re.I)
    ):
        return
    for segment in segments(text):
        plain, place, weak = strip_lead(segment), "", ""
        if soft := _SUGGESTING.match(plain):
            plain, weak = plain[soft.end() :], "may"
        if lead := re.match(r"(?:In|Among|in|among) ([^,]{3,50}), ", plain):
            place = f"in {lead[1]}"
            plain = plain[lead.end() :]
            if not noun_phrase(lead[1], 6):
                continue
        if passive := _passive(plain, place):
            yield passive, weak
            continue
        for match in VERB_RE.finditer(plain):
            found = _around(plain, match, place)
            if found:
                yield found[0], found[1] or weak
                if not found[1] and not weak:
                    yield from _coordinate(found[0], plain[match.end() :])
                break


_SUGGESTING = re.compile(
    r"[^,;:]{0,70}?\b(?:suggest(?:s|ed|ing)?|impl(?:y|ies|ied|ying)|propose[sd]?|speculated?|raise the "
    r"possibility|support the "
    r"(?:idea|notion|view|hypothesis)) that "
)
_PARTICIPLE = {VERBS[v].participle: v for v in EXTRACTED if " " not in v}
_PASSIVE_RE = re.compile(
    rf"^(?P<o>[^,;:()]{{3,90}}?) (?P<be>was|were|is|are) (?:also )?(?:{ADVERBS} "
    rf")?(?P<v>{'|'.join(_PARTICIPLE)}) by "
    r"(?P<s>[^,;:()]{3,80}?)(?P<rest>[,;:(]| and | which| that|$)"
)


def _passive(plain: str, place: str) -> Clause | None:
    """ "O was reduced by S", turned round."""
    found = _PASSIVE_RE.match(plain)
    if not found or re.match(r"\d|\w+ing\b|about|up to|an? (?:average|factor|mean)", found["s"]):
        return None
    subject, _, where = found["s"].partition(" in ")
    if where and (place or not noun_phrase(where, 6)):
        return None
    place = place or (f"in {where}" if where else "")
    object_ = found["o"]
    if not noun_phrase(subject, 8) or not noun_phrase(object_, 9) or re.search(r" (?:in|at|during) ", object_):
        return None
    if re.search(SPECULATIVE + "|" + NEGATIVE, f"{subject} {object_}", re.I) or not _sound(subject, object_):
        return None
    if _VAGUE.search(f"{subject} | {object_} {place}") or re.search(r"\b(?:only|unless|solely)\b", plain):
        return None
    plural, past = is_plural(subject), found["be"] in {"was", "were"}
    return Clause(sentence(subject)[:-1], _PARTICIPLE[found["v"]], lower(object_), place, plural, past)


def _coordinate(first: Clause, rest: str) -> Iterator[tuple[Clause, str]]:
    """Further predicates of the same subject: "S reduced A, increased B and blocked C"."""
    for part in re.split(r",? and |, ", rest)[1:]:
        match = VERB_RE.match(part)
        if match and not match["modal"] and _FORM[match["verb"]][1] == first.tense:
            found = _around(f"{first.subject} {part}", _verb_after(first.subject, part), "")
            if found:
                yield found


def _verb_after(subject: str, part: str) -> re.Match[str]:
    """The verb of ``part`` when the subject stands before it."""
    match = VERB_RE.match(f"{subject} {part}", len(subject) + 1)
    assert match is not None
    return match


def _sound(subject: str, object_: str) -> bool:
    """Whether subject and object are likely whole phrases that name something."""
    if re.fullmatch(r"[A-Za-z][a-z]*(?:al|ic|ous|ive|ary)", subject) and subject.lower() != "alcohol":
        return False
    if re.search(r"-fold\b|\d- |[Dd]ouble[- ]blind|controlled\b|[a-z] (?:Most|The|This|In|We|It|Our)\b", subject):
        return False
    return subject[0].isalnum() and not _EMPTY.search(object_)


def _around(plain: str, match: re.Match[str], place: str) -> tuple[Clause, str] | None:
    """Subject and object on the two sides of a verb."""
    subject = plain[: match.start()].strip()
    lemma, tense = _FORM[match["verb"]]
    after = plain[match.end() :]
    if not after.startswith(" ") or re.match(
        r" (?:in|by|of|and|or|with|to|for|from|at|on|as|the most|not|as)\b", after
    ):
        return None
    # A past form may be an adjective ("increased Y"); a base form may be a noun: number must agree.
    if tense == "base" and not match["modal"] and not is_plural(subject):
        return None
    if tense == "base" and not match["modal"] and lemma in {"control", "influence", "limit", "slow", "lower"}:
        return None
    if (tense != "base" and match["modal"]) or (tense == "third" and is_plural(subject)):
        return None
    stop = _STOP.search(after, 1)
    object_ = after[: stop.start() if stop else len(after)].strip()
    rest = after[stop.start() :] if stop else ""
    if found := re.search(r" (in|among) ([^,;:()]+)$", " " + object_):
        if place:
            return None
        place, object_ = f"{found[1]} {found[2]}", object_[: max(found.start() - 1, 0)].strip()
        if not noun_phrase(found[2], 6) or re.search(r"\b(?:manner|fashion|way|part|vivo|vitro|order)\b", found[2]):
            return None
    if re.search(r"[ ](?:in|with)[ ]", object_) or (
        " and " in object_ and re.search(r" and \w+(?:s|ed) (?!of)\w", object_)
    ):
        return None
    if (
        re.search(r"\b(?:only|unless|solely|exclusively)\b", rest)
        or re.search(NEGATIVE, subject + rest[:40])
        or re.match(r"[ ,]*(?:when|if|unless|without|as well|from)\b", rest)
    ):
        return None
    if not noun_phrase(subject, 9) or not noun_phrase(object_, 11):
        return None
    if _VAGUE.search(f"{subject} | {object_} {place}") or re.search(r" \w+ing$", f" {object_}"):
        return None
    if re.search(r"(?:ed|ing|ive|al)$", subject.split()[-1]) and tense == "past":
        return None
    if not _sound(subject, object_):
        return None
    if re.search(SPECULATIVE, subject, re.I) or object_.split()[-1] in {"characterized", "mediated", "associated"}:
        return None
    plural = (tense == "base" and not match["modal"]) or is_plural(subject)
    return Clause(subject, lemma, object_, place, plural, tense == "past"), match["modal"] or ""


_EMPTY = re.compile(
    r"^(?:(?:the|an?|any|some|several|many|few|more|\w+(?:ic|al|ous|ar|nt|ed|ve|le|ase[ds]|rse|ong)) "
    r")*(?:effects?|changes?|reductions?|"
    r"increases?|decreases?|alterations?|defects?|outcomes?|interactions?|roles?|responses?|shifts?|improvements?|"
    r"differences?|results?|benefits?|problems?|processes|activity|levels?|group|register|groups|conditions?|"
    r"events?|factors?|parameters?|functions?|features?|impact|influence|risks?|trials?|activation|chance|"
    r"utility|restoration|prevention|presentation|hopes.*)$|"
    r"-fold\b|[a-z] (?:Most|The|This|In|We|It|These|Our)\b|\b"
    r"(?:higher|lower|greater|less|more|better|worse|caused|produced|induced|observed|seen|found|mediated)$"
)
_VAGUE = re.compile(
    r"[–-] \||\bet al\b|"
    r"\b(?:these|this|our|its|their|his|her|resulting|such|possibility|impression|question|awareness|concerns?|"
    r"each other|vivo|vitro|models? of|that|same|new insights?|first|latter|results|data|findings|approach|study|"
    r"studies|evidence|up to|expressed|secreted|cell sorting|pluripotent|understanding|the effects?|"
    r"Despite|INTRODUCTION|BACKGROUND|CONTEXT|hypothesis|the time|"
    r"the ability|the fact|the need|knowledge|a variety|alternative|mutated)\b|"
    r"^(?:Loss|Deletion|Inhibition|Treatment|Mutations?|"
    r"Overexpression|Expression|Knockdown|Activation|Exposure|Blockade|Disruption|Ablation|Depletion|Increases?) \|"
)
