"""A `summary.json` for people. It words what the summary holds and computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_FIGURES = (
    ("accuracy", "accuracy (forced proposals)"),
    ("macro_f1", "macro-F1 (forced proposals)"),
    ("aurc", "AURC (mean risk at each item's own confidence)"),
    ("e_aurc", "E-AURC (over the best ranking)"),
    ("augrc", "AUGRC"),
    ("auroc_failure", "AUROC of failure"),
    ("risk", "risk (wrong among answered)"),
    ("decisive_risk", "decisive risk (wrong among answered supported/refuted, yes/no)"),
    ("false_support_rate", "false-support rate (wrong among answered supported, yes)"),
    ("reward", "reward (right +1, withheld 0, wrong −cost)"),
    ("ece", "expected calibration error"),
    ("brier", "Brier score"),
)


def render_summary(summary: Mapping[str, Any]) -> str:
    """Figures with their 95 % intervals, risk at coverage, coverage at risk; groups after the whole."""
    lines = [
        f"{summary['n']} items: {summary['verdicts']} answered, {summary['abstentions']} withheld, "
        f"{summary['failures']} failed"
    ]
    intervals = summary["intervals"]
    for name, words in _FIGURES:
        if summary.get(name) is not None:
            lines.append(f"  {words:<64}{_shown(summary[name], intervals.get(name))}")
    if summary.get("ranks_better_than_chance") is not None:
        low, high = summary["aurc_by_chance"]
        verdict = "better than" if summary["ranks_better_than_chance"] else "no better than"
        lines.append(f"  The confidence ranks {verdict} chance (AURC by chance {_number(low)} to {_number(high)}).")
    if summary.get("risk_at_coverage") is not None:
        lines.append("  risk at coverage")
        for coverage, risk in summary["risk_at_coverage"].items():
            realised = summary["realised_coverage"][coverage]
            bounds = intervals["risk_at_coverage"][coverage]
            lines.append(f"    {float(coverage):>6.0%}  {_shown(risk, bounds)}  (realised {_number(realised)})")
        lines.append(
            "  coverage at risk: τ chosen on the same items (optimistic); on one half, counted on the other"
        )
        held_out = summary.get("held_out") or {}
        for risk, coverage in summary["coverage_at_risk"].items():
            apart = held_out.get(risk)
            shown = f"; {_number(apart['coverage'])}, at a risk of {_number(apart['risk'])}" if apart else ""
            lines.append(f"    {float(risk):>6.0%}  {_number(coverage)}{shown}")
    for name, group in summary.get("groups", {}).items():
        lines.append("")
        lines.append(f"group {name}: {render_summary(group).rstrip()}")
    return "\n".join(lines) + "\n"


def _shown(value: float | None, bounds: Any) -> str:
    if value is None:
        return "undefined"
    if not bounds or bounds[0] is None:
        return _number(value)
    return f"{_number(value)} [{_number(bounds[0])}, {_number(bounds[1])}]"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
