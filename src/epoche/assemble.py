"""Names → parts. The only place that knows both the steps and the backends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from epoche.backends.base import Decomposer, Encoder, LanguageModel, NliModel
from epoche.backends.cached import CachedModel, CachedNli
from epoche.backends.metered import Budget as Budget
from epoche.backends.metered import MeteredModel, Usage
from epoche.backends.metered import Price as Price
from epoche.backends.onnx_nli import OnnxNli
from epoche.backends.store import Store
from epoche.config import (
    DEFAULT,
    OPENAI,
    POLICIES,
    Config,
    api_key,
    cache_file,
    load_config,
    load_policy,
    named_policy,
    with_tau,
)
from epoche.errors import OptionError, UnknownBackend
from epoche.policy import Policy
from epoche.steps.decompose import RuleDecomposer, WholeDecomposer
from epoche.steps.model_audit import ModelNli
from epoche.steps.model_decompose import ModelDecomposer
from epoche.steps.segment import SPLITTER
from epoche.types import Component, Kind, NliInfo
from epoche.verify import Pipeline

DECOMPOSERS: dict[str, Callable[[], Decomposer]] = {"rules": RuleDecomposer, "whole": WholeDecomposer}
#: Families of language models: a server, a hub's encoder–decoder, a hub's chat model, a file.
FAMILIES = ("openai", "hf", "hf-chat", "gguf")
#: Those that give probabilities of tokens.
AUDITORS = ("openai", "gguf")
#: What a language model as auditor has to agree with.
EMBEDDED = "mini"


class Verifier(Pipeline):
    """A pipeline from names; with no arguments: embedded model, rules, the default policies.

    Args:
        nli: `mini`, a local folder, a hub id (`org/name`), or a model of your own. `openai:MODEL` or `gguf:FILE`: a
            language model reads, and `mini` has to agree.
        decomposer: `rules`, `whole`, `openai:MODEL`, `hf:NAME`, `hf-chat:NAME`, `gguf:FILE`, or one of your own.
        policy: `default`, `paper`, `calibrated`, a policy file, or a `Policy`.
        tau: threshold in place of the policy's; it voids a promise.
        config: how evidence is read; `nli` and `decomposer` above take precedence.

    Raises:
        UnknownBackend, MissingExtra, ModelError: a model that is not there or cannot be used.
        PolicyError, OptionError: a policy or number that cannot be used.
    """

    def __init__(
        self,
        nli: str | NliModel | None = None,
        decomposer: str | Decomposer | None = None,
        policy: str | Policy = DEFAULT,
        *,
        tau: float | None = None,
        config: Config | None = None,
    ) -> None:
        config = config or load_config(
            nli=nli if isinstance(nli, str) else None,
            decomposer=decomposer if isinstance(decomposer, str) else None,
        )
        meter = _meter(config)
        model = make_nli(config.nli, config, meter=meter) if nli is None or isinstance(nli, str) else nli
        second = make_nli(EMBEDDED, config) if isinstance(model, ModelNli) else None
        parts = make_decomposer(config.decomposer if decomposer is None else decomposer, config, meter)
        #: What was chosen in place of what was asked for, and why.
        self.notices: tuple[str, ...] = ()
        chosen: Policy | dict[Kind, Policy]
        if isinstance(policy, Policy):
            chosen = policy if tau is None else with_tau(policy, tau)
        else:
            chosen = {kind: load_policy(policy, kind) for kind in Kind}
            if policy == DEFAULT:
                chosen, self.notices = fitting_defaults(model.info, parts.component)
            if tau is not None:
                chosen = {kind: with_tau(one, tau) for kind, one in chosen.items()}
        super().__init__(nli=model, decomposer=parts, policy=chosen, config=config, second=second)


def _meter(config: Config) -> Meter:
    """Remembers what language models say in the user's cache, if one is asked at all."""
    asked = config.decomposer not in DECOMPOSERS or is_language_model(config.nli)
    return Meter(Store(cache_file()) if asked and config.cache else None, place=config.base_url)


def fitting_defaults(nli: NliInfo, decomposer: Component) -> tuple[dict[Kind, Policy], tuple[str, ...]]:
    """The default policy of each kind, or `paper` with a notice where it was made for other parts."""
    chosen, notices = {}, []
    for kind in Kind:
        file = named_policy(DEFAULT, kind)
        chosen[kind] = file.policy
        made = file.calibration
        if made is None:
            continue
        ours = (nli.sha256, f"{decomposer.name} {decomposer.version}", f"{SPLITTER.name} {SPLITTER.version}")
        if (made.nli_sha256, made.decomposer, made.splitter) != ours:
            chosen[kind] = POLICIES["paper"]
            notices.append(
                f"{kind.value}s are decided by the policy paper, which promises nothing: the default was made for "
                f"the model mini and {made.decomposer}; calibrate one of your own with epoche calibrate"
            )
    return chosen, tuple(notices)


def make_nli(name: str, config: Config, store: Store | None = None, meter: Meter | None = None) -> NliModel:
    """The NLI model of that name, loaded; with a store, one that remembers its scores."""
    if is_language_model(name):
        return ModelNli((meter or Meter()).of(make_model(name, config)))
    model: NliModel = OnnxNli.load(name, threads=config.threads, batch_size=config.batch_size)
    return model if store is None else CachedNli(model, store)


def make_encoder(name: str, threads: int = 1) -> Encoder:
    """The sentence encoder of that name: a folder, or `org/name` of the hub.

    Raises:
        UnknownBackend, ModelError: none of that name, or one that cannot be used.
    """
    from epoche.backends.onnx_encoder import OnnxEncoder

    return OnnxEncoder.load(name, threads=threads)


def is_language_model(name: str) -> bool:
    """Whether an NLI model of this name is a language model, which must not audit alone."""
    return name.partition(":")[0] in AUDITORS


def open_store(path: Path) -> Store:
    """A cache of scores and replies."""
    return Store(path)


def make_decomposer(name: str | Decomposer, config: Config | None = None, meter: Meter | None = None) -> Decomposer:
    """The decomposer of that name, or the one given.

    Args:
        config: where and how language models are asked.
        meter: counts what they cost, and remembers what they say.

    Raises:
        UnknownBackend: no such decomposer.
        MissingExtra, ModelError: a model that needs an extra, or cannot be loaded.
    """
    if not isinstance(name, str):
        return name
    if name in DECOMPOSERS:
        return DECOMPOSERS[name]()
    meter = meter or Meter()
    return ModelDecomposer(meter.of(make_model(name, config or load_config(), meter.key_name)))


def require_decomposer(name: str) -> None:
    """Refuses a name that no decomposer can have, before anything is loaded.

    Raises:
        UnknownBackend: naming what there is.
    """
    family, colon, rest = name.partition(":")
    if name not in DECOMPOSERS and not (colon and rest.strip() and family in FAMILIES):
        known = ", ".join([*sorted(DECOMPOSERS), *(f"{family}:NAME" for family in FAMILIES)])
        raise UnknownBackend(f"no decomposer {name!r}: give one of {known}")


def make_model(name: str, config: Config, key_name: str | None = None) -> LanguageModel:
    """The language model of that name.

    Args:
        key_name: variable that holds the key for its server, in place of the usual ones.

    Raises:
        UnknownBackend, MissingExtra, ModelError, OptionError: see `make_decomposer`; a key that is none.
    """
    require_decomposer(name)
    family, _, rest = name.partition(":")
    if family == "gguf":
        from epoche.backends.gguf_chat import GgufChat

        return GgufChat(Path(rest), threads=config.threads)
    if family in ("hf", "hf-chat"):
        from epoche.backends.hf_text import HfText

        return HfText(rest, "lines" if family == "hf" else "chat", threads=config.threads)
    from epoche.backends.openai_chat import OpenAiChat

    key = api_key(config.base_url, name=key_name)
    if not key and config.base_url == OPENAI:
        raise OptionError(
            f"{name} needs a key: set {key_name or 'EPOCHE_API_KEY or OPENAI_API_KEY'}, or give the --base-url of "
            "a server that needs none"
        )
    return OpenAiChat(rest, config.base_url, key, seconds=config.reply_seconds, parallel=config.parallel)


class Meter:
    """Wraps language models so that what they cost is counted, and what they said is not paid for again."""

    def __init__(
        self,
        store: Store | None = None,
        price: Price | None = None,
        budget: Budget | None = None,
        place: str = "",
        key_name: str | None = None,
    ) -> None:
        self._store, self._price, self._budget, self._place = store, price, budget, place
        #: Variable that holds the key of the server, in place of the usual ones.
        self.key_name = key_name
        self._models: list[MeteredModel] = []

    def of(self, model: LanguageModel) -> LanguageModel:
        """The model, remembered and counted."""
        kept = model if self._store is None else CachedModel(model, self._store, self._place)
        metered = MeteredModel(kept, self._price, self._budget)
        self._models.append(metered)
        return metered

    def keeping(self, store: Store, place: str) -> Meter:
        """The same meter, remembering in a store what is said at a place."""
        self._store, self._place = store, place
        return self

    @property
    def usage(self) -> Usage:
        """What all of them used so far."""
        parts = [asdict(model.usage) for model in self._models]
        return Usage(**{name: sum(part[name] for part in parts) for name in asdict(Usage())})
