"""Names → parts. The only place that knows both the steps and the backends."""

from __future__ import annotations

from collections.abc import Callable

from epoche.backends.base import Decomposer, NliModel
from epoche.backends.onnx_nli import OnnxNli
from epoche.config import Config, load_config, load_policy, with_tau
from epoche.errors import UnknownBackend
from epoche.policy import Policy
from epoche.steps.decompose import RuleDecomposer, WholeDecomposer
from epoche.verify import Pipeline

DECOMPOSERS: dict[str, Callable[[], Decomposer]] = {"rules": RuleDecomposer, "whole": WholeDecomposer}


class Verifier(Pipeline):
    """A pipeline from names; with no arguments: embedded model, rules, policy `paper`.

    Args:
        nli: `mini`, a local folder, a hub id (`org/name`), or a model of your own.
        decomposer: `rules`, `whole`, or one of your own.
        policy: `paper`, a policy file, or a `Policy`.
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
        policy: str | Policy = "paper",
        *,
        tau: float | None = None,
        config: Config | None = None,
    ) -> None:
        config = config or load_config(
            nli=nli if isinstance(nli, str) else None,
            decomposer=decomposer if isinstance(decomposer, str) else None,
        )
        chosen = policy if isinstance(policy, Policy) else load_policy(policy)
        super().__init__(
            nli=make_nli(nli if isinstance(nli, str) else config.nli, config)
            if nli is None or isinstance(nli, str)
            else nli,
            decomposer=make_decomposer(config.decomposer if decomposer is None else decomposer),
            policy=chosen if tau is None else with_tau(chosen, tau),
            config=config,
        )


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
