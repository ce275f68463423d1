"""Tiny models made here go through the real loading and generating code, chat template included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epoche.backends.base import Prompt
from epoche.backends.hf_text import HfText
from epoche.errors import BackendError, ModelError
from epoche.steps.model_decompose import ModelDecomposer
from epoche.types import Kind, Statement

torch = pytest.importorskip("torch", reason='needs the extra "hf"')
transformers = pytest.importorskip("transformers", reason='needs the extra "hf"')
pytestmark = pytest.mark.extras

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}> {{ m.content }} </s> {% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
NO_SYSTEM = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" + TEMPLATE
)
CLAIM = Statement(text="Aspirin reduces pain and fever.", kind=Kind.CLAIM)


def tokenizer(folder: Path, template: str | None = None) -> int:
    """A byte-level tokenizer that knows every text; returns the size of its vocabulary."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["<pad>", "</s>", "<unk>", *alphabet])}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    if template is None:
        made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", chat_template=template
    )
    fast.save_pretrained(folder)
    return len(vocabulary)


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("t5")
    torch.manual_seed(1)
    config = transformers.T5Config(
        vocab_size=tokenizer(folder), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def llama(folder: Path, template: str | None, positions: int = 8192) -> Path:
    torch.manual_seed(2)
    config = transformers.LlamaConfig(
        vocab_size=tokenizer(folder, template), hidden_size=16, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=positions, pad_token_id=0,
        bos_token_id=None, eos_token_id=1,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return llama(tmp_path_factory.mktemp("llama"), TEMPLATE)


def test_an_encoder_decoder_completes_the_lines_prompt(t5: Path) -> None:
    model = HfText(str(t5), "lines")
    prompt = Prompt(system="", turns=(("user", "Facts:"),), max_tokens=7)
    reply = model.reply(prompt)
    assert reply == model.reply(prompt), "greedy"
    assert reply.prompt_tokens == len("Facts:") + 1
    assert reply.reply_tokens is not None
    assert 0 < reply.reply_tokens <= 9
    found = ModelDecomposer(model).decompose(CLAIM)
    assert found.conditions[-1].text == "Aspirin reduces pain and fever."
    assert found.replies


def test_a_chat_model_is_given_its_template(chat_model: Path) -> None:
    model = HfText(str(chat_model), "chat")
    prompt = Prompt(system="Be brief.", turns=(("user", "Hi"),), max_tokens=5)
    reply = model.reply(prompt)
    # A byte is a token, and </s> is one.
    text = "<system> Be brief.  <user> Hi  <assistant>"
    assert reply.prompt_tokens == len(text) + 2
    assert reply.cut
    assert model.component.name == f"hf-chat:{chat_model}"
    found = ModelDecomposer(model).decompose(CLAIM)
    assert [c.text for c in found.conditions] == ["Aspirin reduces pain and fever."]
    assert len(found.replies) == 2


def test_a_template_without_a_system_turn(tmp_path: Path) -> None:
    model = HfText(str(llama(tmp_path, NO_SYSTEM)), "chat")
    reply = model.reply(Prompt(system="Be brief.", turns=(("user", "Hi"),), max_tokens=2))
    assert reply.prompt_tokens == len("<user> Be brief.\n\nHi  <assistant>") + 1


def test_weights_are_named_in_the_version(chat_model: Path, tmp_path: Path) -> None:
    other = llama(tmp_path, TEMPLATE, positions=4096)
    again = HfText(str(chat_model), "chat").component.version
    assert HfText(str(chat_model), "chat").component.version == again
    weights: Any = transformers.LlamaForCausalLM.from_pretrained(other)
    with torch.no_grad():
        weights.model.embed_tokens.weight.add_(1.0)
    weights.save_pretrained(other)
    assert HfText(str(other), "chat").component.version != again


def test_a_prompt_that_would_be_cut_is_refused(tmp_path: Path) -> None:
    model = HfText(str(llama(tmp_path, TEMPLATE, positions=64)), "chat")
    with pytest.raises(BackendError, match="reads 64"):
        model.reply(Prompt(system="", turns=(("user", "x" * 80),), max_tokens=2))


def test_what_cannot_be_loaded_is_said(tmp_path: Path, t5: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        HfText(str(tmp_path / "nowhere"), "chat")
    with pytest.raises(ModelError, match=r"cannot be loaded|chat template"):
        HfText(str(t5), "chat")
    with pytest.raises(ModelError, match="no chat template"):
        HfText(str(llama(tmp_path, None)), "chat")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such-kind"}), encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be loaded"):
        HfText(str(tmp_path), "chat")


def test_it_is_no_auditor(chat_model: Path) -> None:
    with pytest.raises(BackendError, match="cannot audit"):
        HfText(str(chat_model), "chat").reply(Prompt(system="", turns=(("user", "x"),), answers=("A",)))
