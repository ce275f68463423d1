"""The hand-written graph computes what the network of that family computes."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.extras
torch = pytest.importorskip("torch", reason="needs the extra `train`")
transformers = pytest.importorskip("transformers", reason="needs the extra `train`")
ort = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from training.nli.graph import buckets, build, read_weights  # noqa: E402

SIZES = {
    "vocab_size": 60,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 40,
    "num_labels": 3,
    "attn_implementation": "eager",
}


@pytest.mark.parametrize("family", ["bert", "mpnet"])
@pytest.mark.parametrize("int8", [False, True])
def test_the_graph_is_the_network(family: str, int8: bool) -> None:
    torch.manual_seed(3)
    config = transformers.AutoConfig.for_model(family, **SIZES, pad_token_id=0 if family == "bert" else 1)
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    for parameter in model.parameters():  # large enough that a wrong bias or scale shows
        torch.nn.init.normal_(parameter, std=0.3)
    model.eval()
    weights = {k: v.detach().numpy() for k, v in model.state_dict().items()}
    graph = build(weights, config.to_dict(), int8)
    session = ort.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    generator = np.random.default_rng(0)
    ids = generator.integers(5, 60, size=(3, 34))
    mask = np.ones_like(ids)
    mask[1, 20:] = 0
    ids[1, 20:] = config.pad_token_id
    given = {"input_ids": ids, "attention_mask": mask}
    if family == "bert":
        given["token_type_ids"] = (np.arange(34)[None] >= 12).astype(np.int64) * mask
    with torch.no_grad():
        expected = model(**{k: torch.from_numpy(v) for k, v in given.items()}).logits.numpy()
    (found,) = session.run(["logits"], given)
    assert set(given) == {i.name for i in session.get_inputs()}
    # int8 rounds weights to 1/127 of the largest of a row: the same answer, roughly.
    assert np.abs(found - expected).max() < (0.2 * np.abs(expected).max() if int8 else 1e-4)
    short = {k: v[1:2, :20] for k, v in given.items()}
    (alone,) = session.run(["logits"], short)
    assert np.abs(alone - found[1:2]).max() < 1e-4, "padding does not leak into a score"


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_a_file_gives_the_weights_back(family: str) -> None:
    torch.manual_seed(4)
    config = transformers.AutoConfig.for_model(family, **SIZES | {"max_position_embeddings": 300}, pad_token_id=1)
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    weights = {k: v.detach().numpy() for k, v in model.state_dict().items()}
    plain = read_weights(build(weights, config.to_dict(), int8=False).SerializeToString(), family)
    small = build(weights, config.to_dict(), int8=True).SerializeToString()
    unfolded = read_weights(small, family)
    if family == "mpnet":
        weights["mpnet.encoder.relative_attention_bias.weight"][16] = 0  # ahead by 0: no such distance
    assert plain.keys() == unfolded.keys() == {k for k in weights if not k.endswith("position_ids")}
    for name, value in plain.items():
        assert np.array_equal(value, weights[name]), name
        assert np.abs(unfolded[name] - value).max() <= np.abs(value).max() / 127, name
    model.load_state_dict({k: torch.from_numpy(v) for k, v in unfolded.items()})
    assert build(unfolded, config.to_dict(), int8=True).SerializeToString() == small, "int8 of int8 is the same"


def test_the_buckets_of_distances_by_hand() -> None:
    # 8 buckets: 4 behind (0-3), 4 ahead (4-7); of each half, distances 0 and 1 have one of their own,
    # 2 … farthest 8 share two by the logarithm: log(d/2)/log(8/2)·2, so 2-3 → 2 and 4 and more → 3.
    assert buckets(5, 8, farthest=8).tolist() == [3, 3, 2, 2, 1, 0, 5, 6, 6, 7, 7]
