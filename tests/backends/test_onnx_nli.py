"""The ONNX Runtime backend, on real graphs: a word-vector model, tiny transformers, the embedded model."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import resources
from itertools import permutations
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from epoche.backends import onnx_nli, onnx_session
from epoche.backends.base import SCORE_DECIMALS
from epoche.backends.labels import KNOWN_PAIRS
from epoche.backends.onnx_nli import OnnxNli
from epoche.errors import BackendError, ModelError, OptionError
from epoche.types import NLI_LABELS
from tests.backends.tiny_models import (
    WIDTH,
    Bag,
    bag_model,
    byte_level,
    knowing_head,
    random_head,
    unigram,
    wordpiece,
)

PAIR = ("All 40 mice survived.", "Forty mice survived.")
TEXT = "mice survived No all 40 % β-catenin dose rose fell by 3.5 µM in the naïve group ; not (p < 0.05)"
WORDS = TEXT.split()

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)
pair_lists = st.lists(st.tuples(texts, texts), min_size=1, max_size=40)
needs_torch = pytest.mark.extras


def many_pairs(n: int, seed: int = 0, most: int = 40) -> list[tuple[str, str]]:
    """Pairs of 1 to `most` words on each side."""
    rng = random.Random(seed)
    side = lambda: " ".join(rng.choices(WORDS, k=rng.randint(1, most // 2)))  # noqa: E731
    return [(side(), side()) for _ in range(n)]


# Shape, order, rounding


def test_scores_are_rounded_rows_in_the_order_of_the_pairs(bag: Path) -> None:
    nli = OnnxNli.load(str(bag))
    pairs = many_pairs(50)
    scores = nli.score(pairs)
    assert scores.shape == (50, 3)
    assert scores.dtype == np.float64
    assert np.allclose(scores.sum(axis=1), 1.0, atol=2e-6)
    assert (np.round(scores, SCORE_DECIMALS) == scores).all()
    assert (scores == np.concatenate([nli.score([pair]) for pair in pairs])).all()


def test_no_pairs_give_no_rows(bag: Path) -> None:
    calls: list[tuple[int, int]] = []
    assert OnnxNli.load(str(bag)).score([], lambda *p: calls.append(p)).shape == (0, 3)
    assert calls == []


def test_softmax_by_hand(bag: Path, tmp_path: Path) -> None:
    # A head of zeros leaves the bias: logits (0, ln 2, ln 5), so P = (1, 2, 5) / 8.
    head = np.zeros((2 * WIDTH, 3), np.float32)
    model = Bag(head=head, bias=np.log(np.array([1, 2, 5], np.float32)))
    assert OnnxNli.load(str(bag_model(tmp_path / "m", model))).score([PAIR])[0].tolist() == [
        0.125,
        0.25,
        0.625,
    ]


def test_pair_is_what_the_graph_gives_for_cls_premise_sep_hypothesis_sep(bag: Path) -> None:
    """Case 3, without the loader: ids, mask and segments written out."""
    tokenizer = Tokenizer.from_file(str(bag / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    sides = [tokenizer.encode(text, add_special_tokens=False).ids for text in PAIR]
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    ids = np.array([[cls, *sides[0], sep, *sides[1], sep]])
    segments = np.array([[0] * (len(sides[0]) + 2) + [1] * (len(sides[1]) + 1)])
    session = ort.InferenceSession(str(bag / "model.onnx"), providers=["CPUExecutionProvider"])
    fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": segments}
    (logits,) = session.run(None, fed)
    e = np.exp(logits[0].astype(np.float64))
    assert OnnxNli.load(str(bag)).score([PAIR])[0] == pytest.approx(e / e.sum(), abs=2e-6)


# Case 1: labels


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_case_01_same_weights_under_any_named_order_score_the_same(
    bag: Path, tmp_path: Path, order: tuple[int, ...]
) -> None:
    tokenizer = Tokenizer.from_file(str(bag / "tokenizer.json"))
    labels = tuple(NLI_LABELS[i].upper() for i in order)
    model = Bag(tokenizer=tokenizer, labels=labels, head=np.ascontiguousarray(random_head()[:, order]))
    nli = OnnxNli.load(str(bag_model(tmp_path / "m", model)))
    assert nli.info.label_order == labels
    pairs = many_pairs(30)
    assert (nli.score(pairs) == OnnxNli.load(str(bag)).score(pairs)).all()


@pytest.mark.parametrize("labels", [None, ("LABEL_0", "LABEL_1", "LABEL_2")])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_case_01_unnamed_head_is_refused_or_identified(
    tmp_path: Path, labels: tuple[str, ...] | None, order: tuple[int, ...]
) -> None:
    pytest.importorskip("onnx")
    tokenizer = wordpiece()
    head = knowing_head(tokenizer)
    folder = str(bag_model(tmp_path / "m", Bag(tokenizer=tokenizer, labels=labels, head=head[:, order].copy())))
    with pytest.raises(ModelError, match=r"m: .*identify_labels=True"):
        OnnxNli.load(folder)
    nli = OnnxNli.load(folder, identify_labels=True)
    assert "12 of 12 known pairs right" in nli.info.self_test
    assert nli.info.label_order == (labels or ())
    known = nli.score([(premise, hypothesis) for premise, hypothesis, _ in KNOWN_PAIRS])
    assert [NLI_LABELS[i] for i in known.argmax(axis=1)] == [label for _, _, label in KNOWN_PAIRS]


def test_case_01_head_that_knows_nothing_is_not_identified(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    folder = bag_model(tmp_path / "m", Bag(labels=None))
    with pytest.raises(ModelError, match="self-test cannot tell"):
        OnnxNli.load(str(folder), identify_labels=True)


def test_case_01_a_named_head_needs_no_self_test(bag: Path) -> None:
    assert OnnxNli.load(str(bag), identify_labels=True).info.self_test == ""


def test_case_01_two_class_head_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    two = Bag(labels=("entailment", "not_entailment"), head=random_head(columns=2))
    with pytest.raises(ModelError, match="cannot tell contradiction from silence"):
        OnnxNli.load(str(bag_model(tmp_path / "m", two)), identify_labels=True)


def test_case_01_embedded_model_counts_mice(mini: OnnxNli) -> None:
    scores = mini.score([("All 40 mice survived.", "No mouse survived."), PAIR])
    assert [NLI_LABELS[i] for i in scores.argmax(axis=1)] == ["contradiction", "entailment"]


# Case 2: what is equal


def test_case_02_pairs_are_never_joined(bag: Path) -> None:
    nli = OnnxNli.load(str(bag))
    pairs = [("a_b", "c"), ("a", "b_c"), ("a_", "bc"), ("a b", "c"), ("a", "b c")]
    together = nli.score(pairs)
    assert (together == np.concatenate([nli.score([pair]) for pair in pairs])).all()
    assert len({tuple(row) for row in together.tolist()}) == len(pairs)


def test_case_02_equal_pairs_are_scored_once(bag: Path) -> None:
    calls: list[tuple[int, int]] = []
    scores = OnnxNli.load(str(bag), batch_size=1).score([PAIR, PAIR, PAIR[::-1], PAIR], lambda *p: calls.append(p))
    # Two different pairs, so two batches of one; one of them answers three rows.
    assert len(calls) == 2
    assert calls[-1] == (4, 4)
    assert (scores[0] == scores[1]).all()
    assert (scores[0] == scores[3]).all()
    assert (scores[0] != scores[2]).any()


def test_progress_rises_to_the_number_of_pairs(bag: Path) -> None:
    calls: list[tuple[int, int]] = []
    OnnxNli.load(str(bag), batch_size=4).score(many_pairs(60), lambda *p: calls.append(p))
    done = [d for d, _ in calls]
    assert done == sorted(set(done))
    assert calls[-1] == (60, 60)


# Case 3: direction


@pytest.mark.parametrize("kind", ["bag", pytest.param("bert", marks=needs_torch)])
def test_case_03_a_swap_is_noticed(kind: str, request: pytest.FixtureRequest) -> None:
    nli = OnnxNli.load(str(request.getfixturevalue(kind)))
    pairs = many_pairs(20)
    swapped = nli.score([(hypothesis, premise) for premise, hypothesis in pairs])
    assert (np.abs(nli.score(pairs) - swapped).max(axis=1) > 1e-4).all()


def test_case_03_embedded_model_reads_the_evidence_as_the_premise(mini: OnnxNli) -> None:
    evidence, claim = "Drug X cut deaths from 12% to 6% in adults.", "Drug X cut deaths."
    forward, backward = mini.score([(evidence, claim), (claim, evidence)])
    assert forward.argmax() == 0
    # The claim says nothing of adults or of 6%, so it does not entail the evidence.
    assert backward[0] < forward[0]
    assert backward.argmax() != 0


# Cases 10 and 11: length


def test_case_10_too_long_a_pair_is_refused_with_its_counts(bag: Path) -> None:
    nli = OnnxNli.load(str(bag))
    # 59 + 2 tokens and 3 special ones are the 64 that it reads; one more is too many.
    fits, long = " ".join(["mice"] * 59), " ".join(["mice"] * 60)
    assert nli.info.max_tokens == 64
    assert nli.score([(fits, "mice mice")]).shape == (1, 3)
    with pytest.raises(
        BackendError, match=r"pair of 65 tokens \(premise 60, hypothesis 2, special 3\).*the 64 that"
    ):
        nli.score([PAIR, (long, "mice mice")])


def test_case_10_stored_truncation_and_padding_are_switched_off(bag: Path) -> None:
    stored = json.loads((bag / "tokenizer.json").read_text(encoding="utf-8"))
    assert stored["truncation"]["max_length"] == 16
    assert stored["padding"] is not None
    nli = OnnxNli.load(str(bag))
    start = " ".join(["mice"] * 40)
    # The last words count although they stand far behind the stored limit of 16 tokens.
    a, b = nli.score([(f"{start} survived", "mice"), (f"{start} fell", "mice")])
    assert (a != b).any()
    assert len(nli.token_spans(start)) == 40


def test_case_11_a_blob_of_4000_tokens_is_refused_with_its_counts(bag: Path) -> None:
    blob = json.dumps({"mice": [1] * 2000})
    nli = OnnxNli.load(str(bag))
    tokens = len(nli.token_spans(blob))
    assert tokens > 4000
    with pytest.raises(
        BackendError, match=rf"pair of {tokens + 4} tokens \(premise {tokens}, hypothesis 1, special 3\)"
    ):
        nli.score([(blob, "mice")])


# What is no score


@pytest.mark.parametrize("text", ["", "   ", "\u200b"])
def test_an_empty_side_is_refused(bag: Path, text: str) -> None:
    nli = OnnxNli.load(str(bag))
    with pytest.raises(BackendError, match="no token in the premise"):
        nli.score([(text, "mice")])
    with pytest.raises(BackendError, match="no token in the hypothesis"):
        nli.score([("mice", text)])


def test_half_a_surrogate_pair_is_refused(bag: Path) -> None:
    nli = OnnxNli.load(str(bag))
    with pytest.raises(BackendError, match=r"'TNF-\\ud83dα' holds half of a surrogate"):
        nli.score([("TNF-\ud83dα", "mice")])
    with pytest.raises(BackendError, match="surrogate"):
        nli.token_spans("TNF-\ud83dα")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_logits_that_are_no_numbers_are_refused(tmp_path: Path, bad: float) -> None:
    pytest.importorskip("onnx")
    folder = bag_model(tmp_path / "m", Bag(bias=np.array([0, bad, 0], np.float32)))
    with pytest.raises(BackendError, match="no finite numbers"):
        OnnxNli.load(str(folder)).score([PAIR])


def test_special_tokens_in_a_text_are_text(bag: Path) -> None:
    """Evidence that contains "[SEP] …" must not become a hypothesis of its own."""
    nli = OnnxNli.load(str(bag))
    assert len(nli.token_spans("[SEP]")) > 1
    a, b = nli.score([("mice [SEP] survived", "fell"), ("mice", "survived [SEP] fell")])
    assert (a != b).any()


def test_token_ids_that_the_graph_lacks_are_an_error_of_ours(bag: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(bag, tmp_path / "m")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.add_tokens(["elsewhere"])
    tokenizer.save(str(folder / "tokenizer.json"))
    with pytest.raises(BackendError, match="m: ONNX Runtime fails on"):
        OnnxNli.load(str(folder)).score([("elsewhere", "mice")])


# Graphs


def test_int32_inputs_missing_segments_and_a_nameless_output_work(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    model = Bag(integer="int32", inputs=("input_ids", "attention_mask"), outputs=("scores_of_head",))
    assert OnnxNli.load(str(bag_model(tmp_path / "m", model))).score([PAIR]).shape == (1, 3)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            Bag(inputs=("input_ids", "attention_mask", "token_type_ids", "position_ids")),
            "asks for position_ids",
        ),
        (Bag(shape=("batch", 32)), "not integers of free size"),
        (Bag(outputs=("first", "second")), r"\(first, second\) is called logits"),
        (Bag(config={"pad_token_id": None}, tokenizer=None), "no padding token"),  # type: ignore[arg-type]
        (Bag(config={"max_position_embeddings": None}), "no max_position_embeddings"),
    ],
)
def test_graphs_that_cannot_be_used(tmp_path: Path, model: Bag, message: str) -> None:
    pytest.importorskip("onnx")
    if model.tokenizer is None:
        model.tokenizer = _without_padding()
    with pytest.raises(ModelError, match=message):
        OnnxNli.load(str(bag_model(tmp_path / "m", model)))


def _without_padding() -> Tokenizer:
    text = wordpiece().to_str().replace("[PAD]", "[BLANK]")
    value = json.loads(text)
    value["padding"] = None
    return Tokenizer.from_str(json.dumps(value))


def test_head_with_two_outputs_under_three_names_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    with pytest.raises(ModelError, match="its head has 2 outputs, not 3"):
        OnnxNli.load(str(bag_model(tmp_path / "m", Bag(head=random_head(columns=2)))))


@pytest.mark.parametrize("shape", [(2, 2), (1, 3), (2, 7, 3), (2,)])
def test_output_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(BackendError, match=r"for 2 pairs, not \[2, 3\]"):
        onnx_nli._softmax(np.zeros(shape, np.float32), 2, "m")


def test_tokenizer_without_a_pair_template_is_refused(bag: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(bag, tmp_path / "m")
    value = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    value["post_processor"] = None
    (folder / "tokenizer.json").write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(ModelError, match="no post-processor for pairs"):
        OnnxNli.load(str(folder))


def test_broken_files_are_named_without_the_path_of_a_machine(bag: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(bag, tmp_path / "m")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"m: tokenizer\.json cannot be read") as caught:
        OnnxNli.load(str(folder))
    assert str(tmp_path) not in str(caught.value)
    # A well-formed message that is no model: field 1 (ir_version) = 8, and nothing else.
    (folder / "model.onnx").write_bytes(b"\x08\x08")
    shutil.copy(bag / "tokenizer.json", folder / "tokenizer.json")
    with pytest.raises(ModelError, match=r"m: ONNX Runtime cannot load model\.onnx") as caught:
        OnnxNli.load(str(folder))
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize("numbers", [{"threads": 0}, {"batch_size": 0}])
def test_options_out_of_range(bag: Path, numbers: dict[str, int]) -> None:
    with pytest.raises(OptionError, match="whole numbers from 1"):
        OnnxNli.load(str(bag), **numbers)  # type: ignore[arg-type]


def test_weights_outside_the_onnx_file_score_the_same(bag: Path, tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_file(str(bag / "tokenizer.json"))
    folder = bag_model(tmp_path / "m", Bag(tokenizer=tokenizer, external="weights.bin"))
    assert (OnnxNli.load(str(folder)).score([PAIR]) == OnnxNli.load(str(bag)).score([PAIR])).all()


# Token spans


@cache
def spans_of(kind: str) -> OnnxNli:
    import tempfile

    makers: dict[str, Callable[[], Tokenizer]] = {"word": wordpiece, "unigram": unigram, "byte": byte_level}
    return OnnxNli.load(str(bag_model(Path(tempfile.mkdtemp()) / kind, Bag(tokenizer=makers[kind]()))))


KINDS = ("word", "unigram", "byte")


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(max_size=60).filter(lambda t: not any(0xD800 <= ord(c) <= 0xDFFF for c in t)))
@settings(max_examples=150, deadline=None)
def test_token_spans_are_ordered_and_inside_any_text(kind: str, text: str) -> None:
    pytest.importorskip("onnx")
    spans = spans_of(kind).token_spans(text)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    # One character may be several tokens, so spans may be equal, but they never run backwards.
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert [end for _, end in spans] == sorted(end for _, end in spans)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("naïve mice", ["naïve", "mice"]),
        (unicodedata.normalize("NFD", "naïve mice"), [unicodedata.normalize("NFD", "naïve"), "mice"]),
        ("😀 mice 😀😀 survived", ["😀", "mice", "😀😀", "survived"]),
        ("細胞 mice 混合物", ["細胞", "mice", "混合物"]),
        ("β-catenin ≤ 5 µM", ["β-catenin", "≤", "5", "µM"]),
        ("  mice \n survived\u2028", ["mice", "survived"]),
    ],
)
def test_token_spans_count_code_points(kind: str, text: str, words: list[str]) -> None:
    """Between the words lie only blanks, so the characters of all spans are the words again."""
    pytest.importorskip("onnx")
    covered = {i for start, end in spans_of(kind).token_spans(text) for i in range(start, end)}
    assert "".join(c for i, c in enumerate(text) if i in covered and not c.isspace()) == "".join(words)


@pytest.mark.parametrize("kind", KINDS)
@given(premise=texts, hypothesis=texts)
@settings(max_examples=50, deadline=None)
def test_token_spans_count_what_the_limit_counts(kind: str, premise: str, hypothesis: str) -> None:
    pytest.importorskip("onnx")
    nli = spans_of(kind)
    long = " ".join([premise] * 40)
    counts = len(nli.token_spans(long)), len(nli.token_spans(hypothesis))
    total = sum(counts) + 3
    if total > nli.info.max_tokens:
        with pytest.raises(
            BackendError, match=rf"pair of {total} tokens \(premise {counts[0]}, hypothesis {counts[1]}"
        ):
            nli.score([(long, hypothesis)])


# Case 36: a score depends on its pair alone


@cache
def session(folder: str, threads: int) -> OnnxNli:
    return OnnxNli.load(folder, threads=threads)


def loaded(folder: str, threads: int, batch_size: int) -> OnnxNli:
    """As `OnnxNli.load` would give it, but models of several batch sizes share one session."""
    nli = copy.copy(session(folder, threads))
    nli._runner = copy.copy(nli._runner)
    nli._runner._batch_size = batch_size
    return nli


MODELS = [
    "bag",
    pytest.param("bert", marks=needs_torch),
    pytest.param("deberta", marks=needs_torch),
    pytest.param("embedded", marks=()),
]


def folder_of(kind: str, request: pytest.FixtureRequest) -> str:
    if kind == "embedded":
        request.getfixturevalue("mini")
        return "mini"
    return str(request.getfixturevalue(kind))


@pytest.mark.parametrize("kind", MODELS)
def test_case_36_batch_order_and_threads_change_no_bit(kind: str, request: pytest.FixtureRequest) -> None:
    folder = folder_of(kind, request)
    pairs = many_pairs(40 if kind == "embedded" else 120, most=24 if kind == "bag" else 40)
    alone = loaded(folder, 1, 1)
    expected = np.concatenate([alone.raw([pair]) for pair in pairs])
    for threads in (1, 2):
        for batch_size in (1, 2, 5, 64) if kind == "embedded" else (1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 63, 64):
            order = random.Random(batch_size).sample(range(len(pairs)), len(pairs))
            found = loaded(folder, threads, batch_size).raw([pairs[i] for i in order])
            worst = np.abs(found - expected[order]).max()
            assert worst == 0.0, f"threads {threads}, batch {batch_size}: {worst}"


@pytest.mark.parametrize("kind", MODELS)
@given(pairs=pair_lists, data=st.data())
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_case_36_neighbours_change_no_bit(
    kind: str, request: pytest.FixtureRequest, pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    folder = folder_of(kind, request)
    order = data.draw(st.permutations(range(len(pairs))))
    threads, batch_size = data.draw(st.sampled_from([1, 2])), data.draw(st.sampled_from([1, 2, 3, 8, 64]))
    whole = loaded(folder, 1, 32).raw(pairs)
    assert (loaded(folder, threads, batch_size).raw([pairs[i] for i in order]) == whole[order]).all()
    assert (loaded(folder, 1, 32).raw(pairs[:1]) == whole[:1]).all()


@needs_torch
def test_case_36_dynamic_int8_is_run_row_by_row(bert: Path, tmp_path: Path) -> None:
    """Dynamic quantization scales activations over the whole batch; we must not let it."""
    pytest.importorskip("onnx")
    from onnxruntime.quantization import quantize_dynamic

    folder = shutil.copytree(bert, tmp_path / "m")
    quantize_dynamic(str(bert / "model.onnx"), str(folder / "model.onnx"))
    pairs = many_pairs(40)
    nli = OnnxNli.load(str(folder), batch_size=32)
    together = nli.raw(pairs)
    assert (together == np.concatenate([nli.raw([pair]) for pair in pairs])).all()
    # The fault is there: the same rows in one batch give other scores.
    runner = nli._runner
    rows = [runner._row(i, *pair) for i, pair in enumerate(pairs)]
    width = max(rows, key=lambda row: [r.width for r in rows].count(row.width)).width
    same = [row for row in rows if row.width == width]
    assert len(same) > 3
    assert np.abs(runner._run(same) - np.concatenate([runner._run([row]) for row in same])).max() > 0


def test_case_36_two_processes_give_the_same_bytes(bag: Path) -> None:
    program = (
        "import sys\nfrom epoche.backends.onnx_nli import OnnxNli\n"
        "from tests.backends.test_onnx_nli import many_pairs\n"
        "nli = OnnxNli.load(sys.argv[1], threads=int(sys.argv[2]), batch_size=int(sys.argv[3]))\n"
        "print(nli.score(many_pairs(40, most=24)).tobytes().hex(), nli.info.sha256)"
    )
    command = [sys.executable, "-c", program, str(bag)]
    outputs = {
        subprocess.run([*command, *numbers], capture_output=True, text=True, check=True).stdout
        for numbers in (("1", "1"), ("2", "64"))
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("kind", ["bag", pytest.param("deberta", marks=needs_torch)])
def test_threads_may_share_a_model(kind: str, request: pytest.FixtureRequest) -> None:
    nli = OnnxNli.load(folder_of(kind, request), batch_size=8)
    jobs = [many_pairs(30, seed=seed, most=24) for seed in range(8)]
    expected = [nli.score(pairs) for pairs in jobs]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(nli.score, jobs))
    assert all((a == b).all() for a, b in zip(expected, found, strict=True))


# Case 13: many pairs, bounded memory


@given(
    widths=st.lists(st.integers(min_value=1, max_value=600), min_size=1, max_size=60),
    size=st.integers(min_value=1, max_value=200),
)
def test_case_13_batches_are_bounded_and_complete(widths: list[int], size: int) -> None:
    rows = [
        onnx_session.Row(i, np.full(w, i % 5), np.zeros(w, np.int64), -(-w // 8) * 8) for i, w in enumerate(widths)
    ]
    batches = list(onnx_session.batches(rows, size))
    assert sorted(row.index for batch in batches for row in batch) == list(range(len(rows)))
    for batch in batches:
        assert len({row.width for row in batch}) == 1
        assert len(batch) <= size
        assert len(batch) * batch[0].width <= max(onnx_session._BATCH_TOKENS, batch[0].width)


#: The most memory that a process has held; not `ru_maxrss`, which in a child starts at its parent's.
PEAK = """
from epoche.backends.onnx_nli import OnnxNli
from tests.backends.test_onnx_nli import many_pairs

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
"""
needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from Linux's /proc")


def output_of(program: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", PEAK + program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@needs_proc
def test_case_13_many_pairs_and_one_of_8000_tokens(bag: Path) -> None:
    """100 claims × 40 sentences: all are scored in bounded memory; the long one is refused by its counts."""
    program = """
import sys
from epoche.errors import BackendError
nli = OnnxNli.load(sys.argv[1])
nli.score(many_pairs(10, most=24))
sentences = [p for p, _ in many_pairs(40, most=24)]
claims = [h for _, h in many_pairs(100, 1, most=24)]
before = peak()
print(nli.score([(s, c) for c in claims for s in sentences]).shape[0])
print(peak() - before)
try:
    nli.score([("mice " * 8000, claims[0])])
except BackendError as error:
    print(error)
"""
    rows, growth, refused = output_of(program, str(bag))
    assert rows == "4000"
    assert 0 < int(growth) < 60 * 1024  # kB
    assert "premise 8000" in refused


@needs_proc
def test_case_13_embedded_model_with_long_windows(mini: OnnxNli) -> None:
    """40 windows of 250 words: batches are bounded by their tokens, so memory is too."""
    program = """
nli = OnnxNli.load("mini", batch_size=64)
nli.score(many_pairs(10))
before = peak()
print(nli.score([(" ".join(["mice survived"] * 125), f"Dose {i} rose.") for i in range(40)]).shape[0])
print(peak() - before)
"""
    rows, growth = output_of(program)
    assert rows == "40"
    assert int(growth) < 250 * 1024  # kB


@needs_proc
def test_embedded_model_is_small_in_memory(mini: OnnxNli) -> None:
    """Import, load and ten pairs in less than 400 MB."""
    (used,) = output_of("OnnxNli.load('mini').score(many_pairs(10))\nprint(peak())")
    assert int(used) < 400 * 1024  # kB


def test_embedded_int8_weights_are_unpacked_at_load(mini: OnnxNli, tmp_path: Path) -> None:
    """Weight-only int8: each Cast and Mul on weights is folded once, and only the word table stays int8."""
    onnx = pytest.importorskip("onnx")
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    weights = Path(str(resources.files("epoche") / "weights" / "mini" / "model.onnx"))
    ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    graph = onnx.load(options.optimized_model_filepath).graph
    packed = {value.name for value in graph.initializer if value.data_type == onnx.TensorProto.INT8}
    readers = {node.op_type for node in graph.node for name in node.input if name in packed}
    assert len(packed) <= 1
    assert readers <= {"Gather"}
