"""Where sentences, claims and clauses come from, and what is left out because it serves evaluation."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from training.nli.contrast.clauses import Clause, clauses, is_plural, lower
from training.nli.contrast.edits import Source
from training.nli.contrast.finding import Finding, entity
from training.nli.pairs import normalise, read_jsonl, stable_hash
from training.nli.science import corpus, training_claims

PREMISE_WORDS = 95
_NEAR_TEST = 3


@lru_cache(maxsize=2)
def held_out_documents(data: Path) -> frozenset[str]:
    """Abstracts cited by dev or calibration claims, and those nearest in words to a test claim.

    The test file names no documents, so the abstracts that a test claim is most likely about are left out by
    word overlap (inverse document frequency): its sentences are compared, never generated from.
    """
    folder = data / "scifact"
    kept = {row["id"] for row in training_claims(data)}
    cited: set[str] = set()
    for row in read_jsonl(folder / "claims_dev.jsonl"):
        cited.update(map(str, row["cited_doc_ids"]))
    for row in read_jsonl(folder / "claims_train.jsonl"):
        if row["id"] not in kept:
            cited.update(map(str, row["cited_doc_ids"]))
    index: defaultdict[str, set[str]] = defaultdict(set)
    for doc, sentences in corpus(data).items():
        for word in set(normalise(" ".join(sentences)).split()):
            index[word].add(doc)
    for row in read_jsonl(folder / "claims_test.jsonl"):
        overlap: Counter[str] = Counter()
        for word in sorted(set(normalise(row["claim"]).split())):
            if 0 < len(index.get(word, ())) < 1000:
                for doc in index[word]:
                    overlap[doc] += round(1000 * math.log(6000 / len(index[word])))
        ranked = sorted(overlap, key=lambda doc: (-overlap[doc], doc))
        cited.update(ranked[:_NEAR_TEST])
    return frozenset(cited)


def held_out_claims(data: Path) -> set[str]:
    """SciFact claims that serve evaluation or calibration: an edit may not produce one of them."""
    folder = data / "scifact"
    kept = {row["id"] for row in training_claims(data)}
    rows = [row for name in ("dev", "test") for row in read_jsonl(folder / f"claims_{name}.jsonl")]
    rows += [row for row in read_jsonl(folder / "claims_train.jsonl") if row["id"] not in kept]
    return {normalise(row["claim"]) for row in rows}


def sentences(data: Path) -> Iterator[tuple[str, str]]:
    """(document, sentence) of the SciFact abstracts that may be trained on. PubMedQA stays unseen."""
    held = held_out_documents(data)
    for doc, abstract in corpus(data).items():
        if doc not in held:
            yield from ((doc, s.strip()) for s in abstract)


def entailed(data: Path) -> Iterator[tuple[str, str]]:
    """(premise, claim) of annotated pairs where the premise entails the claim, as written by people."""
    held = held_out_documents(data)
    abstracts = corpus(data)
    for row in training_claims(data):
        for doc in sorted(set(map(str, row["cited_doc_ids"])) - held):
            for rationale in row["evidence"].get(doc, []):
                if rationale["label"] == "SUPPORT":
                    yield " ".join(abstracts[doc][i].strip() for i in rationale["sentences"]), row["claim"]
    for name in (
        "healthver_rationale.train",
        "check_covid.train",
        "nli4ct_evidence.train",
        "evidence_inference.train",
    ):
        for row in read_jsonl(data / "nli" / f"{name}.jsonl.gz"):
            if row["label"] == "entailment":
                yield row["premise"], row["hypothesis"]


def _content(text: str) -> set[str]:
    return {w for w in re.findall(r"[\w-]+", text.lower()) if len(w) > 3}


_ABBREVIATED = re.compile(r"(?P<long>[A-Za-z][\w-]*(?: [\w-]+){0,5}) \((?P<short>[A-Z][A-Za-z0-9-]{1,7}s?)\)")


def abbreviations(text: str) -> Iterator[tuple[str, str]]:
    """(long form, abbreviation) as a text defines them, where the initials agree."""
    for found in _ABBREVIATED.finditer(text) if "(" in text else ():
        letters = re.sub(r"[^A-Z]", "", found["short"]).lower()
        words = found["long"].split()
        if len(letters) < 2:
            continue
        for n in range(1, len(words) + 1):
            initials = "".join(part[0] for w in words[-n:] for part in re.split(r"-", w) if part).lower()
            if initials == letters and (words[-n].islower() or n == 1):
                yield " ".join(words[-n:]), found["short"]
                break


@lru_cache(maxsize=2)
def findings(data: Path) -> tuple[Finding, ...]:
    """Every plain clause, with entities of other documents that share no content word with it."""
    raw: dict[str, tuple[str, Clause, str, str]] = {}
    names: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for premise, claim in entailed(data):
        for clause, modal in clauses(claim):
            if not modal and len(premise.split()) <= PREMISE_WORDS:
                raw.setdefault(normalise(clause.text()), (premise, clause, premise, ""))
    asides: list[tuple[str, str]] = []
    for doc, text in sentences(data):
        names[doc].update(abbreviations(text))
        if (
            8 <= len(text.split()) <= 25
            and re.match(r"[A-Z][a-z]", text)
            and not re.search(r"\b(?:we|our)\b", text, re.I)
        ):
            asides.append((doc, text))
        for clause, modal in clauses(text):
            given = text if len(text.split()) <= PREMISE_WORDS else ""
            stated, hedged = ("", given) if modal else (given, "")
            raw.setdefault(normalise(clause.text()), (doc, clause, stated, hedged))
    items = sorted(raw.items())
    subjects = [(v[0], v[1].subject) for _, v in items if entity(v[1].subject, 4) and v[1].subject[0].isalpha()]
    objects = [
        (v[0], v[1].target) for _, v in items if len(v[1].target.split()) <= 5 and " and " not in v[1].target
    ]
    pools = subjects, objects, asides
    return tuple(
        _finding(key, doc, clause, (stated, hedged), pools, tuple(names[doc].items()))
        for key, (doc, clause, stated, hedged) in items
    )


def _finding(
    key: str,
    doc: str,
    clause: Clause,
    texts: tuple[str, str],
    pools: tuple[list[tuple[str, str]], list[tuple[str, str]], list[tuple[str, str]]],
    names: tuple[tuple[str, str], ...],
) -> Finding:
    subjects, objects, asides = pools
    taken = _content(f"{clause.subject} {clause.target} {clause.place} {' '.join(texts)}")

    def draw(pool: list[tuple[str, str]], salt: str, fits: str) -> str:
        start = stable_hash(f"{salt}|{key}") % len(pool)
        for k in range(len(pool)):
            source, text = pool[(start + 17 * k) % len(pool)]
            if source != doc and not taken & _content(text) and (not fits or is_plural(text) == is_plural(fits)):
                taken.update(_content(text))
                return text
        raise ValueError(f"nothing to set against {key!r}")

    one, two = draw(subjects, "s1", clause.subject), draw(subjects, "s2", clause.subject)
    three, four = draw(objects, "o1", clause.target), draw(objects, "o2", clause.target)
    aside = draw(asides, "a", "")
    return Finding(clause, texts[0], key, (one, two), (lower(three), lower(four)), aside, names, texts[1])


def material(data: Path) -> Iterator[Source]:
    """Real sentences and annotated pairs for the edits, with noun phrases of other documents."""
    phrases = [f.clause.subject for f in findings(data) if len(f.clause.subject.split()) <= 4]

    def others(key: str) -> tuple[str, ...]:
        start = stable_hash(key) % len(phrases)
        return tuple(phrases[(start + 31 * k) % len(phrases)] for k in range(12))

    for premise, claim in entailed(data):
        yield Source(premise, claim, others(claim))
    for _, text in sentences(data):
        if len(text.split()) <= PREMISE_WORDS:
            yield Source(text, "", others(text))
