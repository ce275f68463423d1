"""Names → parts. The only place that knows both the steps and the backends."""

from __future__ import annotations

from collections.abc import Callable

from epoche.backends.base import Decomposer, NliModel
from epoche.backends.onnx_nli import OnnxNli
from epoche.config import DEFAULT, POLICIES, Config, load_config, load_policy, named_policy, with_tau
from epoche.errors import UnknownBackend
from epoche.policy import Policy
from epoche.steps.decompose import RuleDecomposer, WholeDecomposer
from epoche.steps.segment import SPLITTER
from epoche.types import Component, Kind, NliInfo
from epoche.verify import Pipeline

DECOMPOSERS: dict[str, Callable[[], Decomposer]] = {"rules": RuleDecomposer, "whole": WholeDecomposer}


class Verifier(Pipeline):
    """A pipeline from names; with no arguments: embedded model, rules, the default policies.

    Args:
        nli: `mini`, a local folder, a hub id (`org/name`), or a model of your own.
        decomposer: `rules`, `whole`, or one of your own.
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
        model = make_nli(config.nli, config) if nli is None or isinstance(nli, str) else nli
        parts = make_decomposer(config.decomposer if decomposer is None else decomposer)
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
        super().__init__(nli=model, decomposer=parts, policy=chosen, config=config)


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


def make_nli(name: str, config: Config) -> NliModel:
    """The NLI model of that name, loaded."""
    return OnnxNli.load(name, threads=config.threads, batch_size=config.batch_size)


def make_decomposer(name: str | Decomposer) -> Decomposer:
    """The decomposer of that name, or the one given.

    Raises:
        UnknownBackend: no such decomposer.
    """
    if not isinstance(name, str):
        return name
    if name not in DECOMPOSERS:
        raise UnknownBackend(f"no decomposer {name!r}: give one of {', '.join(sorted(DECOMPOSERS))}")
    return DECOMPOSERS[name]()
