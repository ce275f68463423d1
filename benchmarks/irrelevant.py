"""What irrelevant evidence does: thirty sentences, or thirty abstracts, of other topics beside what a claim cites.

    python benchmarks/irrelevant.py [--claims 300] [--many 100] [--threads 2]

SciFact dev with the cited abstracts, model `mini`, the policies `default` and `paper`. Added sentences come from
abstracts that share less than a fifth of the claim's words. Checked on every claim: the scores of the sentences
that were there are the same bytes. Writes `results/irrelevant.json`: what became of each answer, and of each label
that was proposed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from epoche.assemble import Verifier, make_nli, open_store
from epoche.bench.catalogue import corpus_file
from epoche.bench.datasets import Item, load_scifact, scifact_documents
from epoche.config import data_folder, load_config
from epoche.outcome import Outcome
from epoche.sources.corpus.terms import terms
from epoche.types import Document

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "irrelevant.json"
SEED, ADDED = 7, 30
#: Largest share of a claim's words in an abstract that has nothing to do with it.
SHARED = 0.2
OPPOSITE = {"supported": "refuted", "refuted": "supported"}


def strangers(item: Item, corpus: dict[str, Document], words: dict[str, set[str]]) -> list[Document]:
    """Thirty abstracts of other topics, drawn with a seed of the claim's own."""
    asked = set(terms(item.statement.text))
    cited = {document.id for document in item.documents}
    random = Random(f"{SEED} {item.id}")
    found: list[Document] = []
    for key in random.sample(sorted(corpus), len(corpus)):
        if key not in cited and len(asked & words[key]) <= SHARED * len(asked):
            found.append(corpus[key])
        if len(found) == ADDED:
            break
    return found


def one_of_each(documents: list[Document], random: Random) -> Document:
    """A document made of one sentence of each."""
    parts = [d.text[a:b] for d in documents for a, b in [random.choice(d.spans or ((0, len(d.text)),))]]
    spans, start = [], 0
    for part in parts:
        spans.append((start, start + len(part)))
        start += len(part) + 1
    return Document(id="zz-added", text=" ".join(parts), spans=tuple(spans))


def became(outcome: Outcome) -> str:
    """A label, or the reason why there is none."""
    return str(outcome.label.value if outcome.label is not None else outcome.certificate.outcome.reason)


def same_scores(before: Outcome, after: Outcome) -> bool:
    """Whether every premise that was read before has the scores that it had."""
    kept = {(s.document, s.index): i for i, s in enumerate(after.certificate.evidence.sentences)}
    theirs = before.certificate.evidence
    places = {tuple(w.sentences): i for i, w in enumerate(after.certificate.evidence.windows) if w.parts == 1}
    for j, window in enumerate(theirs.windows):
        if window.parts > 1:
            continue
        now = tuple(kept[theirs.sentences[i].document, theirs.sentences[i].index] for i in window.sentences)
        if any(
            row[j] != new[places[now]]
            for row, new in zip(before.certificate.scores, after.certificate.scores, strict=True)
        ):
            return False
    return True


def proposed(outcome: Outcome) -> str:
    """The label before any threshold."""
    proposal = outcome.certificate.proposal
    return "none" if proposal is None else str(proposal.label.value)


def table(answers: Counter[tuple[str, str]], proposals: Counter[tuple[str, str]]) -> dict[str, Any]:
    """Of the claims that were supported or refuted before: what became of them."""
    decided = {k: n for k, n in answers.items() if k[0] in OPPOSITE}
    return {
        "decided_before": sum(decided.values()),
        "turned_round": sum(n for (a, b), n in decided.items() if OPPOSITE[a] == b),
        "same": sum(n for (a, b), n in decided.items() if a == b),
        "newly_decided": sum(n for (a, b), n in answers.items() if a not in OPPOSITE and b in OPPOSITE),
        "proposals_turned_round": sum(n for (a, b), n in proposals.items() if OPPOSITE.get(a) == b),
        "answers": {f"{a} → {b}": n for (a, b), n in sorted(answers.items())},
        "proposals": {f"{a} → {b}": n for (a, b), n in sorted(proposals.items())},
    }


def main() -> None:
    """Writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=300)
    parser.add_argument("--many", type=int, default=100, help="claims to which thirty abstracts are added")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    folder = data_folder()
    claims = load_scifact(
        folder / "scifact" / "claims_dev.jsonl", corpus_file(folder), split="dev", protocol="abstract"
    ).items[: options.claims]
    corpus = scifact_documents(corpus_file(folder))
    words = {key: set(terms(f"{d.title} {d.text}")) for key, d in corpus.items()}
    config = load_config({}, threads=options.threads, max_sentences=100_000)
    found: dict[str, Any] = {"claims": len(claims), "added": ADDED, "seed": SEED, "changed_scores": 0}
    with tempfile.TemporaryDirectory() as kept:
        nli = make_nli("mini", config, open_store(Path(kept) / "scores.sqlite"))
        found["nli_sha256"] = nli.info.sha256
        verifiers = {name: Verifier(nli, policy=name, config=config) for name in ("default", "paper")}
        Changes = Counter[tuple[str, str]]
        counts: dict[str, dict[str, tuple[Changes, Changes]]] = {
            how: {name: (Counter(), Counter()) for name in verifiers} for how in ("sentences", "abstracts")
        }
        for number, item in enumerate(claims):
            others = strangers(item, corpus, words)
            added = {"sentences": [one_of_each(others, Random(f"{SEED} {item.id}"))]}
            if number < options.many:
                added["abstracts"] = others
            for name, verifier in verifiers.items():
                before = verifier.verify(item.statement.text, item.documents)
                for how, more in added.items():
                    after = verifier.verify(item.statement.text, [*item.documents, *more])
                    answers, proposals = counts[how][name]
                    answers[became(before), became(after)] += 1
                    proposals[proposed(before), proposed(after)] += 1
                    found["changed_scores"] += not same_scores(before, after)
            print(f"\r{number + 1} of {len(claims)}", end="", flush=True)
    found["abstracts_added_to"] = min(options.many, len(claims))
    found |= {how: {name: table(*c) for name, c in by.items()} for how, by in counts.items()}
    RESULTS.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
