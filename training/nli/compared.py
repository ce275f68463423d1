"""The figures that runs and precisions are compared by: fewer than an evaluation, enough to tell them apart."""

from pathlib import Path
from typing import Any

import torch

from training.nli.case_rates import case_rates
from training.nli.config import Mixture
from training.nli.evaluate import contrast_figures, pair_figures, read_set
from training.nli.evaluate_scifact import scifact_figures
from training.nli.export import write_config
from training.nli.graph import build
from training.nli.probes import with_noise
from training.nli.scorer import Scorer

MNLI_PAIRS = 2000


def weights_scorer(home: Path, mixture: Mixture, threads: int, int8: bool = False) -> Scorer:
    """The averaged weights that a run ended with, in float32 or int8 and without a temperature."""
    state = torch.load(home / "final.pt", map_location="cpu", weights_only=True)
    config = write_config(home, mixture.train)
    model = build({k: v.float().numpy() for k, v in state.items()}, config, int8=int8).SerializeToString()
    return Scorer(home, model, threads)


def compared_figures(scorer: Scorer) -> dict[str, Any]:
    """What is compared; thresholds and posterior are fitted on the calibration claims, nothing on dev."""
    rows = read_set("mnli.dev", MNLI_PAIRS)
    science = scifact_figures(scorer)
    claim = science["claim"]
    return {
        "mnli": pair_figures([r[2] for r in rows], scorer.score([r[:2] for r in rows]))["accuracy"],
        "contrast": contrast_figures(scorer)["accuracy"],
        "rationale": science["rationale"]["accuracy"],
        "neutral_supports": science["sentence"]["neutral_with_entailment_over_threshold"],
        "neutral_contradicts": science["sentence"]["neutral_with_contradiction_over_threshold"],
        "claim_macro_f1": claim["macro_f1"],
        "claim_macro_f1_interval": claim["macro_f1_interval"],
        "auroc_failure_posterior": claim["auroc_failure_posterior"],
        "noise": with_noise(scorer, 25),
        "cases": case_rates(scorer),
    }
