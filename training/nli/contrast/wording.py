"""Rules about what a sentence names and how: conjunctions, entities, overlapping and other words."""

import re
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
    opposite,
    plain,
    premise,
    said,
    synonym,
    was,
)
from training.nli.contrast.lexicon import SYNONYMS


def conjunction(f: Finding) -> Iterator[Row]:
    """Parts of a conjunction follow; a conjunction with something new does not."""
    c = bare(f)
    if " and " in c.target:
        return
    a, b, x = c.target, lower(f.objects[0]), lower(f.objects[1])
    if " and " in b or " or " in a + b:
        return
    s, past, base = c.subject, c.entry.past, c.entry.base
    both = dressed(
        f,
        f.pick(
            "p", [f"{s} {past} both {a} and {b}.", f"{s} {past} {a}, and {b} as well.", f"{s} {past} {a} and {b}."]
        ),
        "p",
    )
    one = dressed(f, f"{s} {past} {a} but not {b}.", "q")
    neither = dressed(f, f"{s} {past} neither {a} nor {b}.", "r")
    alone = premise(f, "s") if not f.clause.place else dressed(f, c.text(), "s")
    yield from cross(f"{s} {past} {a} and {b}.", both, alone, f.pick("c", [one, neither]))
    yield from cross(f"{s} {past} {b}.", both, alone, f.pick("c2", [one, neither]))
    yield from cross(f"{s} {past} {a} but not {b}.", one, alone, f.pick("c3", [both, neither]))
    either = dressed(f, f"{s} {past} either {a} or {b}; the assay cannot tell which.", "t")
    yield from cross(f.pick("h", [f"{s} {past} {a}.", f"{s} {past} {b}."]), both, either, neither)
    yield f.pick("last", [both, one]), f"{s} {past} {a} and {x}.", N
    yield (
        f.pick("last2", [both, one]),
        f"{s} did not {base} {f.pick('l3', [a, x])}.",
        C if f.pick("l3", [a, x]) == a else N,
    )


def conjunction_of_agents(f: Finding) -> Iterator[Row]:
    """Agents that act each, or only together."""
    c = bare(f)
    if not entity(c.subject) or not entity(f.subjects[0]) or c.verb in EVENT:
        return
    a, b = c.subject, lower(f.subjects[0])
    past, base, o = c.entry.past, c.entry.base, c.target
    each = dressed(f, f"{a} and {b} each {past} {o}, with no need for the other.", "e")
    jointly = dressed(f, f"{a} {past} {o} only when given with {b}; neither did so alone.", "c")
    combined = dressed(f, f"The combination of {lower(a)} and {b} {past} {o}.", "n")
    h = f.pick("h", [f"{a} alone {past} {o}.", sentence(f"{b} alone {past} {o}")])
    yield from cross(h, each, combined, jointly)
    yield from cross(f"{a} did not {base} {o} unless {b} {was(b)} present.", jointly, combined, each)


def entity_swap(f: Finding) -> Iterator[Row]:
    """One agent, not another; a third that nobody mentioned."""
    c = bare(f)
    if len(f.subjects[0].split()) > 4 or len(c.subject.split()) > 5:
        return
    a, b, x = c.subject, lower(f.subjects[0]), f.subjects[1]
    past, base, o = c.entry.past, c.entry.base, c.target
    text = f.pick(
        "p",
        [
            f"{a}, but not {b}, {past} {o}.",
            f"{a} {past} {o}, whereas {b} did not.",
            f"{o} {was(o)} {c.entry.participle} by {lower(a)} and not by {b}.",
        ],
    )
    text = dressed(f, sentence(text), "p")
    yield text, c.with_(subject=a).text(), E
    yield text, c.with_(subject=sentence(b)[:-1]).text(), C
    yield text, c.with_(subject=x).text(), N
    both = dressed(f, f"{a} and {b} both {past} {o}.", "b")
    yield from cross(c.with_(subject=sentence(b)[:-1]).text(), both, premise(f, "n"), text)
    yield from cross(sentence(f"{b} did not {base} {o}"), text, premise(f, "n2"), both)


def entity_near(f: Finding) -> Iterator[Row]:
    """Another member of the same family is another thing."""
    c = plain(f)
    near = sibling(c.subject, f), sibling(c.target, f)
    text = premise(f, "p")
    options = [c.with_(subject=near[0])] * bool(near[0]) + [c.with_(target=near[1])] * bool(near[1])
    if not options:
        return
    moved = options[f.number("which", 0, len(options) - 1)]
    if any(w not in text for w in (c.subject.split()[-1], c.target.split()[-1])):
        return
    yield from cross(
        moved.text(),
        dressed(f, moved.passive() if c.verb not in EVENT else moved.text(), "e"),
        text,
        dressed(f, moved.negated(), "c"),
    )
    against = opposite(c)
    yield from fan(text, said(c, f, "h"), said(moved, f, "h"), said(against, f, "h") if against else c.negated())


def sibling(text: str, f: Finding) -> str:
    """The phrase with a gene-like name numbered otherwise ("IL-6" → "IL-10"), or another organ; else ""."""
    if found := re.search(r"\b(?P<stem>[A-Z][A-Za-z]{1,5}-?)(?P<n>\d{1,2})(?![\w-])", text):
        n = int(found["n"])
        new = n + f.number("sib", 1, 4)
        return text[: found.start("n")] + str(new) + text[found.end("n") :]
    for group in _FAMILIES:
        for word in group:
            if re.search(rf"\b{word}\b", text):
                others = [w for w in group if w != word]
                return re.sub(rf"\b{word}\b", f.pick("fam", others), text, count=1)
    return ""


_FAMILIES = (
    ("liver", "kidney", "lung", "heart", "brain", "spleen", "muscle", "pancreas"),
    ("breast cancer", "prostate cancer", "lung cancer", "colorectal cancer", "ovarian cancer"),
    ("hepatic", "renal", "pulmonary", "cardiac", "cerebral"),
    ("macrophages", "neutrophils", "monocytes", "mast cells", "eosinophils"),
    ("macrophage", "neutrophil", "monocyte", "mast cell"),
    ("glucose", "cholesterol", "lactate", "urea", "insulin", "cortisol"),
    ("vitamin D", "vitamin C", "vitamin E", "vitamin A"),
    ("neurons", "astrocytes", "microglia", "oligodendrocytes"),
    ("apoptosis", "autophagy", "senescence", "ferroptosis"),
    ("proliferation", "migration", "adhesion", "differentiation"),
    ("stroke", "myocardial infarction", "atrial fibrillation", "heart failure"),
    ("diabetes", "asthma", "hypertension", "arthritis", "osteoporosis"),
    ("mitochondrial", "lysosomal", "peroxisomal", "ribosomal"),
    ("angiogenesis", "fibrosis", "haematopoiesis", "inflammation"),
)


def overlap(f: Finding) -> Iterator[Row]:
    """All the words of the premise in another construction."""
    c = bare(f)
    against = opposite(c)
    x, o2 = lower(f.subjects[0]), lower(f.objects[0])
    if against is None or not entity(c.subject, 4) or c.verb in EVENT:
        return
    s, past, o = c.subject, c.entry.past, c.target
    text = f.pick(
        "p",
        [
            f"{s}, which {past} {o}, {against.entry.past} {o2}.",
            f"{s} {past} {o}, and {x} {against.entry.past} {o2}.",
        ],
    )
    relative = "which" in text
    text = dressed(f, text, "p")
    yield text, f"{s} {past} {o}.", E
    yield text, sentence(f"{s if relative else x} {against.entry.past} {o2}"), E
    yield text, f"{s} {against.entry.past} {o}.", C
    yield text, (f"{s} {past} {o2}." if relative else sentence(f"{x} {past} {o2}")), C
    yield text, (sentence(f"{o} {against.entry.past} {o2}") if relative else f"{s} {against.entry.past} {o2}."), N
    yield text, (sentence(f"{o2} {past} {o}") if relative else sentence(f"{x} {past} {o}")), N


def overlap_groups(f: Finding) -> Iterator[Row]:
    """Who was compared with whom, in long subjects that share their words."""
    x, y = lower(f.clause.subject), lower(f.subjects[0])
    if not entity(f.clause.subject) or not entity(f.subjects[0]):
        return
    unit = f.pick("u", ["Cultures", "Animals", "Plants", "Volunteers", "Subjects", "Strains"])
    out, more, less = f.pick(
        "o",
        [
            "growth|more|less",
            "damage|more|less",
            "lesions|more|fewer",
            "improvement|more|less",
            "symptoms|more|fewer",
        ],
    ).split("|")
    text = dressed(
        f,
        f"{unit} that received {x} together with {y} showed {more} {out} than {lower(unit)} that received {x} "
        f"without {y}.",
        "p",
    )
    yield (
        text,
        f"{unit} that received {x} without {y} showed {less} {out} than {lower(unit)} that received {x} "
        f"together with {y}.",
        E,
    )
    yield text, f"Among {lower(unit)} that received {x}, those that also received {y} showed {more} {out}.", E
    yield (
        text,
        f"{unit} that received {x} without {y} showed {more} {out} than {lower(unit)} that received {x} "
        f"together with {y}.",
        C,
    )
    yield text, f"Among {lower(unit)} that received {x}, those that also received {y} showed {less} {out}.", C
    yield (
        text,
        f"{unit} that received {y} without {x} showed {f.pick('n1', [more, less])} {out} than {lower(unit)} "
        f"that received {x} together with {y}.",
        N,
    )
    yield (
        text,
        f"Among {lower(unit)} that received {y}, those that also received {x} showed "
        f"{f.pick('n2', [more, less])} {out}.",
        N,
    )


def overlap_embedded(f: Finding) -> Iterator[Row]:
    """A clause inside another: asserted under "because" and "although", not under "if" or "unless"."""
    c = bare(f)
    outer = f"{lower(f.subjects[0])} affected {lower(f.objects[0])}"
    inner = c.inner()
    told = f.pick(
        "e",
        [
            f"Because {inner}, {outer}.",
            f"Although {inner}, {outer}.",
            f"{sentence(outer)[:-1]} after {inner}.",
            f"The authors noticed that {inner}, and {outer}.",
        ],
    )
    unsaid = f.pick(
        "n",
        [
            f"If {c.with_(past=False, plural=is_plural(c.subject)).inner()}, one should expect that "
            f"{lower(f.objects[0])} will change.",
            f"Unless {inner}, {outer}.",
            f"The authors had been told that {inner}, and {outer}.",
            f"It was assumed for the calculation that {inner}, and {outer}.",
        ],
    )
    false = f.pick(
        "c",
        [
            f"Instead of {c.entry.ing} {c.target}, {lower(c.subject)} left it unchanged, and {outer}.",
            f"{sentence(outer)[:-1]}, and it was a mistake to believe that {inner}.",
        ],
    )
    yield from cross(said(c, f, "h"), told, unsaid, false)


def synonyms(f: Finding) -> Iterator[Row]:
    """Another word for the same thing, in the verb, the object or an abbreviation."""
    c = plain(f)
    noun = c.target
    for word, other in SYNONYMS:
        # A modifier has no room for a phrase: "tumour growth" cannot become "neoplasm of ... growth".
        alone = noun == word or noun.startswith(f"{word} in ") or " " not in other
        if alone and re.search(rf"(?<![\w-]){word}(?![\w-])", noun):
            noun = re.sub(rf"(?<![\w-]){word}(?![\w-])", other, noun, count=1)
            break
    verb = synonym(c, f, "v")
    if verb.verb == c.verb and noun == c.target:
        return
    reworded = verb.with_(target=noun)
    against = opposite(c)
    text = premise(f, "p")
    wrong = synonym(against.with_(target=noun), f, "w") if against else None
    yield from fan(
        text,
        said(reworded, f, "h"),
        said(reworded.with_(target=f.objects[0]), f, "h"),
        said(wrong, f, "h") if wrong else reworded.negated(),
    )
    other = dressed(f, reworded.with_(target=f.objects[1]).text(), "n")
    yield from cross(said(reworded, f, "h2"), text, other, dressed(f, wrong.text() if wrong else c.negated(), "c"))


def abbreviated(f: Finding) -> Iterator[Row]:
    """An abbreviation stands for what its document defines, not for something else."""
    c = plain(f)
    for long, short in f.names:
        for form, other in ((long, short), (short, long)):
            for part in (c.subject, c.target):
                if not re.search(rf"(?<![\w-]){re.escape(form)}(?![\w-])", part) or (form == short) == (
                    long in part
                ):
                    continue
                new = re.sub(rf"(?<![\w-]){re.escape(form)}(?![\w-])", other.replace("\\", ""), part, count=1)
                same = c.with_(subject=sentence(new)[:-1]) if part == c.subject else c.with_(target=new)
                against = opposite(same)
                wrong = against.text() if against else same.negated()
                text = dressed(f, c.text(), "p")
                if f.stated and f.number("stated", 0, 1):
                    text = f.stated
                yield from fan(text, said(same, f, "h"), said(same.with_(target=f.objects[0]), f, "h"), wrong)
                third = dressed(f, c.with_(target=f.objects[1]).text(), "n")
                yield from cross(said(same, f, "h2"), text, third, dressed(f, c.negated(), "c"))
                return


def irrelevant(f: Finding) -> Iterator[Row]:
    """A sentence beside the point leaves the finding open; the point beside it does not."""
    c = plain(f)
    against = opposite(c)
    denial = against.text() if against else c.negated()
    where = f.number("w", 0, 1)

    def beside(text: str) -> str:
        return f"{f.aside} {text}" if where else f"{text} {f.aside}"

    s, o = c.subject, c.target
    silent = f.pick(
        "n",
        [
            f.aside,
            f"{s} and {o} were both measured in every sample.",
            f"How {o} {was(o)} assessed, and where {lower(s)} came from, is described elsewhere.",
            f"{sentence(o)[:-1]} and {lower(s)} have been studied for many years.",
            beside(f"Data on {lower(s)} and on {o} were collected by two observers."),
        ],
    )
    yield from cross(said(c, f, "h"), beside(c.text()), silent, beside(denial))
