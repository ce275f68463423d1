"""Policies, promises, plans and drift for people. It words what was found and computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epoche.calibrate.checking import Checked
from epoche.calibrate.checking import Report as Check
from epoche.calibrate.dial import Setting
from epoche.calibrate.drifting import Drift
from epoche.calibrate.making import Made
from epoche.calibrate.planning import Expected
from epoche.policy import PolicyFile, Posterior, Promise, Scale, Target
from epoche.report import words
from epoche.report.bench_tables import to_markdown
from epoche.report.promise_tables import promise_tables

_SHIFT = (
    "a promise is about items like those it was made on: with another mix of supported, refuted and unsettled "
    "ones it is void (--target per-label promises for each answer apart, which a new mix changes less)"
)


def render_made(made: Made) -> str:
    """What `calibrate` found, then the policy."""
    lines = []
    for found in made.found:
        if found.promise is None:
            lines.append(f"nothing promised{f' for {found.label}' if found.label else ''}")
            continue
        low, high = found.promise.interval
        lines.append(
            f"promised: {words.promise_rule([found.promise])}; τ = {found.choice.threshold:.6g}; risk counted "
            f"{found.promise.risk:.3f} [{low:.3f}, {high:.3f}], coverage {found.promise.coverage:.3f}"
        )
    return "\n".join([*lines, render_policy(made.file)])


def render_policy(file: PolicyFile) -> str:
    """Every number of a policy in words."""
    policy, calibration = file.policy, file.calibration
    ours = calibration is None or calibration.nli_sha256 is not None
    lines = [f"policy {policy.name}{f', for {policy.kind}s' if policy.kind else ''}"]
    if ours:
        lines.append(f"  rule: {words.policy_rule(policy)}")
    lines.append(f"  τ: {words.threshold_rule(policy)}")
    if ours:
        lines.append(f"  costs: {words.costs_rule(policy.costs)}")
    lines.append(f"  promise: {words.promise_rule(policy.promises)}")
    if policy.posterior is not None:
        lines += _posterior(policy.posterior)
    if calibration is not None:
        mix = ", ".join(f"{count} {label}" for label, count in calibration.labels.items())
        lines.append(
            f"  made on: {calibration.source}; {calibration.fitted_on} items fitted on, {calibration.promised_on} "
            f"others promised on ({mix})"
        )
        if calibration.scale is not None:
            lines += _scale(calibration.scale)
        if calibration.missing:
            lines.append(f"  {calibration.missing}")
    if policy.promises:
        lines.append(f"  {_SHIFT}")
    return "\n".join(lines) + "\n"


def _scale(scale: Scale) -> list[str]:
    error = "" if scale.ece is None else f"; expected calibration error on the others {scale.ece:.3f}"
    low, high = scale.confidence[0], scale.confidence[-1]
    shown = [low + (high - low) * i / 4 for i in range(5)] if high > low else [low]
    pairs = ", ".join(f"{at:.3g}: {scale.right(at):.2f}" for at in shown)
    return [f"  right, by confidence ({scale.method}, fitted on {scale.n} items{error}): {pairs}"]


def _posterior(posterior: Posterior) -> list[str]:
    width = max(map(len, posterior.features))
    lines = [f"  P(label), fitted on {posterior.n} items; weights per standard deviation of a feature:"]
    lines.append(f"    {'':{width}}  " + "  ".join(f"{label:>19}" for label in posterior.labels))
    for i, name in enumerate(("intercept", *posterior.features)):
        row = "  ".join(f"{weights[i]:>19.3f}" for weights in posterior.weights)
        lines.append(f"    {name:{width}}  {row}")
    return lines


def render_check(report: Check) -> str:
    """Every promise against items it has not seen."""
    lines = [f"{report.policy.name} on {report.items.source.name}: {report.items.n} items"]
    for row in report.rows:
        lines.append(f"  {_verdict(row)}")
    if report.shifted:
        lines.append(f"  the mix of gold labels is another one (p = {report.same_mix:.2g}): {_SHIFT}")
    return "\n".join(lines) + "\n"


def _verdict(row: Checked) -> str:
    promise, (low, high) = row.promise, row.bounds
    what = words.TARGETS[promise.target] + (f" “{promise.label}”" if promise.label else "")
    if row.verdict == "nothing answered":
        return f"{what}: nothing is answered here, so nothing can be broken"
    sure = f"{(1 - (promise.delta or 0.05)) * 100:g} %"
    said = {
        "shown again": f"holds: shown again with {sure} certainty",
        "not contradicted": "not contradicted; more items would be needed to show it again",
        "on average": "no verdict: such a promise holds on average over calibration sets, not for each",
        "broken": f"BROKEN: the risk exceeds {promise.alpha * 100:g} % with {sure} certainty",
    }[row.verdict]
    total = "all" if promise.target is Target.GENERALIZED else f"{row.answered}"
    return (
        f"{what}: promised at most {promise.alpha * 100:g} %; {row.errors} of {total} wrong, risk between "
        f"{low:.3f} and {high:.3f}, coverage {row.coverage:.3f}: {said}"
    )


def render_plan(
    alpha: float, delta: float, table: Sequence[tuple[int, int]], found: Sequence[Expected] | None
) -> str:
    """How many answered items a promise takes, by errors among them, and by a pilot's risks."""
    sure = f"{(1 - delta) * 100:g} %"
    lines = [
        f"to promise a risk of at most {alpha * 100:g} % with {sure} certainty at one threshold chosen beforehand:",
        f"  {'errors':>8}  {'answered items needed':>22}",
    ]
    lines += [f"  {errors:>8}  {items:>22}" for errors, items in table]
    if found is None:
        return "\n".join([*lines, "choosing the threshold on the same items takes more"]) + "\n"
    if not found:
        lines.append("by the pilot items the risk is too high at every coverage: no number of items will do")
        return "\n".join(lines) + "\n"
    lines.append("if the risks are those of the pilot items:")
    lines.append(f"  {'coverage':>8}  {'risk':>8}  {'answered needed':>16}  {'labelled needed':>16}")
    lines += [f"  {e.coverage:>8.3f}  {e.risk:>8.3f}  {e.answered:>16}  {e.items:>16}" for e in found]
    return "\n".join(lines) + "\n"


def render_drift(drift: Drift) -> str:
    """What a stream says of a policy's promises."""
    lines = [
        f"{drift.policy.name}: {drift.items} items, {drift.labelled} with a gold label, {drift.answered:.1%} "
        "of all reach τ"
    ]
    for row in drift.rows:
        lines.append(f"  {_feedback(row.promise, row.answered, row.errors, row.evidence, row.refuted_after)}")
    if drift.same_scores is None:
        lines.append("  the policy keeps no confidences, so theirs cannot be compared")
    elif drift.shifted:
        lines.append(f"  SHIFTED: the confidences are distributed differently (p = {drift.same_scores:.2g})")
    else:
        lines.append(f"  the confidences look like those it was made on (p = {drift.same_scores:.2g})")
    if drift.why:
        lines.append(f"  THE PROMISE NO LONGER HOLDS: {drift.why}. Calibrate on items of now")
    return "\n".join(lines) + "\n"


def _feedback(promise: Promise, answered: int, errors: int, evidence: float, refuted: int | None) -> str:
    level = 1 / (promise.delta or 0.05)
    head = (
        f"{words.TARGETS[promise.target]}, promised at most {promise.alpha * 100:g} %: {errors} of {answered} "
        f"labelled answers wrong"
    )
    if refuted is not None:
        return f"{head}; REFUTED after {refuted} labelled answers (evidence {evidence:.3g} ≥ {level:g})"
    return f"{head}; evidence against it {evidence:.3g} of {level:g}"


def render_promises(found: Mapping[str, Any]) -> str:
    """`promises.json` as plain text."""
    return "\n".join(to_markdown(table) for table in promise_tables("", found))


def render_dial(settings: Sequence[Setting]) -> str:
    """What a dearer false support does, counted."""
    lines = [
        "cost of a false support → answers by expected cost (counted on these items, which moves with them):",
        f"  {'cost':>6}  {'supported from':>14}  {'coverage':>8}  {'risk':>6}  {'false support':>16}  "
        f"{'cost per item':>13}",
    ]
    for s in settings:
        risk = f"{s.wrong / s.answered:.3f}" if s.answered else "-"
        rate = "-" if s.false_support_rate is None else f"{s.false_support_rate:.3f} of {s.supported}"
        lines.append(
            f"  {s.false_support:>6g}  {f'P ≥ {s.least:.3f}':>14}  {s.answered / s.n:>8.3f}  {risk:>6}  "
            f"{rate:>16}  {s.cost:>13.3f}"
        )
    return "\n".join(lines) + "\n"
