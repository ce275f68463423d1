"""Text models of the Hugging Face hub or a folder, in this process: encoder–decoder and chat (extra `hf`)."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any, Literal

from epoche.backends.base import Prompt, Reply
from epoche.backends.model_files import file_sha256
from epoche.errors import BackendError, MissingExtra, ModelError
from epoche.types import Component


class HfText:
    """A model that `transformers` loads, greedy decoding, one prompt at a time.

    Only safetensors are read and no code of the model's repository is run.

    Args:
        name: a hub id or a folder.
        style: `lines`: an encoder–decoder such as FLAN-T5, which completes a text; `chat`: a model with a chat
            template.
        threads: of the processor.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelError: no such model, not of that style, or too large for the memory.
    """

    parallel = 1

    def __init__(self, name: str, style: Literal["lines", "chat"], threads: int = 1) -> None:
        self.style: Literal["lines", "chat"] = style
        self.name = f"{'hf' if style == 'lines' else 'hf-chat'}:{name}"
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtra(self.name, "hf") from None
        self._torch = torch
        torch.set_num_threads(threads)
        kind = transformers.AutoModelForSeq2SeqLM if style == "lines" else transformers.AutoModelForCausalLM
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(name)
            self._model: Any = kind.from_pretrained(name, use_safetensors=True)
        except Exception as error:  # the library raises nearly everything, and each means: not loaded
            raise ModelError(f"{self.name}: cannot be loaded ({' '.join(str(error).split())[:300]})") from None
        if style == "chat" and not getattr(self._tokenizer, "chat_template", None):
            raise ModelError(f"{self.name}: it has no chat template: it is no chat model")
        self._model.eval()
        revision = getattr(self._model.config, "_commit_hash", None) or _weights(Path(name))
        self.component = Component(name=self.name, version=f"{revision[:12]} greedy")
        self._lock = threading.Lock()

    def reply(self, prompt: Prompt) -> Reply:
        """See `LanguageModel.reply`."""
        if prompt.answers:
            raise BackendError(f"{self.name}: cannot audit: use it as a decomposer")
        with self._lock, self._torch.inference_mode():
            try:
                return self._generated(prompt)
            except (RuntimeError, ValueError, IndexError, MemoryError) as error:
                raise BackendError(f"{self.name}: {' '.join(str(error).split())[:300]}") from None

    def _generated(self, prompt: Prompt) -> Reply:
        encoded = self._encoded(prompt)
        given = int(encoded["input_ids"].shape[1])
        self._require_room(given, prompt.max_tokens)
        out = self._model.generate(**encoded, max_new_tokens=prompt.max_tokens, do_sample=False, num_beams=1)[0]
        new = out if self.style == "lines" else out[given:]
        ends = self._model.generation_config.eos_token_id
        stops = set(ends) if isinstance(ends, list) else {ends}
        count = int(new.shape[0])
        return Reply(
            text=self._tokenizer.decode(new, skip_special_tokens=True),
            prompt_tokens=given,
            reply_tokens=count,
            cut=count >= prompt.max_tokens and int(new[-1]) not in stops,
            served=self.name,
        )

    def _encoded(self, prompt: Prompt) -> Any:
        if self.style == "lines":
            text = "\n\n".join(text for text in (prompt.system, *(turn for _, turn in prompt.turns)) if text)
            return self._tokenizer(text, return_tensors="pt")
        turns = [{"role": role, "content": text} for role, text in prompt.turns]
        if prompt.system:
            turns.insert(0, {"role": "system", "content": prompt.system})
        try:
            return self._templated(turns)
        except Exception as error:  # a template is a program of its own, with errors of its own
            if not prompt.system:
                raise ValueError(f"its chat template fails: {error}") from None
        # Some templates (Gemma's for one) know no system turn: its text goes before the first question.
        turns = turns[1:]
        turns[0] = {"role": "user", "content": f"{prompt.system}\n\n{turns[0]['content']}"}
        return self._templated(turns)

    def _templated(self, turns: list[dict[str, str]]) -> Any:
        return self._tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )

    def _require_room(self, given: int, wanted: int) -> None:
        """Refuses what the model would cut or could not place."""
        limit = getattr(self._model.config, "max_position_embeddings", None)
        if isinstance(limit, int) and given + (wanted if self.style == "chat" else 0) > limit:
            raise BackendError(f"{self.name}: the prompt has {given} tokens and the model reads {limit}")


def _weights(folder: Path) -> str:
    """A hash over the weights in a folder, which has no revision."""
    hashes = "".join(file_sha256(path) for path in sorted(folder.glob("*.safetensors")))
    return hashlib.sha256(hashes.encode("utf-8")).hexdigest()
