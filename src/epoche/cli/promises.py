"""`calibrate`, `check-promise`, `plan`, `drift` and `policy`."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import click

from epoche.cli.io import require_apart, require_writable, say, write_text
from epoche.errors import OptionError

TARGETS = ("risk", "decisive", "false-support", "per-label", "generalized")
LOWEST = "lowest"


def require_used(run: bool, policy: str, costs: str | None) -> None:
    """Costs move the answers of a posterior that is fitted here, and nothing else."""
    if costs is not None and not (run and policy == "calibrated"):
        raise OptionError("--costs needs a run and --policy calibrated: nothing else here has costs to decide by")


def require_file(out: str | None) -> None:
    """The report goes to the standard output, so what is written besides needs a file."""
    if out == "-":
        raise OptionError("--out is -: give a file, the standard output is for the report")


def _risk(given: str | None) -> float | None:
    """A number, or None for the lowest."""
    if given is None or given == LOWEST:
        return None
    try:
        return float(given)
    except ValueError:
        raise OptionError(f"--risk is {given!r}: give a number between 0 and 1, or lowest") from None


@click.command()
@click.argument("items", type=click.Path(readable=False))
@click.option(
    "--risk", metavar="ALPHA", help="Error rate to promise, or `lowest`. Without it: answer by cost alone."
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="How likely the promise may fail.")
@click.option("--target", type=click.Choice(TARGETS), default="risk", show_default=True, help="Wrong among what.")
@click.option("--method", type=click.Choice(["ltt", "sgr", "fixed", "crc"]), default="ltt", show_default=True)
@click.option("--tau", type=float, help="The threshold of --method fixed.")
@click.option(
    "--policy", default="calibrated", show_default=True, metavar="NAME|FILE", help="calibrated, paper, a file."
)
@click.option("--costs", metavar="FS:FR:ABSTAIN", help="Of a false support, a false refutation, no answer.")
@click.option(
    "--fit",
    "fit_share",
    type=float,
    default=0.4,
    show_default=True,
    help="Part that posterior or scale is fitted on.",
)
@click.option("--scale", is_flag=True, help="Also fit how often answers of which confidence are right.")
@click.option("--name", help="Name of the policy.")
@click.option("--out", "-o", required=True, metavar="FILE", help="The policy as JSON.")
def calibrate(
    items: str,
    risk: str | None,
    delta: float,
    target: str,
    method: Any,
    tau: float | None,
    policy: str,
    costs: str | None,
    fit_share: float,
    scale: bool,
    name: str | None,
    out: str,
) -> None:
    """A policy from labelled ITEMS: a run's folder, or lines of {"id","gold","pred","confidence"}.

    Exit code 1 where nothing can be promised; the policy then answers nothing and says what is missing.
    """
    from epoche.bench.record import load_run
    from epoche.calibrate.dial import settings
    from epoche.calibrate.labelled import is_run
    from epoche.calibrate.making import calibrate as make
    from epoche.calibrate.promise import Wanted
    from epoche.config import may_be_named
    from epoche.policy import Target
    from epoche.report.promises import render_dial, render_made

    require_file(out)
    require_writable(out)
    require_apart(out, [items, policy], None)
    path = Path(items)
    wanted = None
    if risk is not None:
        wanted = Wanted(_risk(risk), delta, Target(target), method, tau)
    elif not is_run(path) or policy == "paper":
        raise OptionError("--risk is missing: give the error rate to promise, like --risk 0.1, or --risk lowest")
    require_used(is_run(path), policy, costs)
    if name is not None and not may_be_named(name):
        raise OptionError(f"--name is {name!r}: give a printable name that no shipped policy has")
    made = make(path, policy, wanted, _costs(costs) if costs else None, fit_share, name or "", scale)
    text = render_made(made)
    if made.file.posterior is not None:
        text += render_dial(settings(load_run(path), made.file.policy, only=made.items.predictions.ids))
    write_text(made.file.model_dump_json(indent=1) + "\n", out)
    write_text(text, None)
    if made.file.calibration is not None and made.file.calibration.missing:
        say(made.file.calibration.missing)
        sys.exit(1)


def _costs(given: str) -> Any:
    from pydantic import ValidationError

    from epoche.config import first_problem
    from epoche.policy import Costs

    parts = given.split(":")
    try:
        false_support, false_refutation, abstain = (float(part) for part in parts)
        return Costs(false_support=false_support, false_refutation=false_refutation, abstain=abstain)
    except ValidationError as error:
        raise OptionError(f"--costs {given}: {first_problem(error)}") from None
    except ValueError:
        raise OptionError(f"--costs is {given!r}: give three numbers, like 2:1:0.5") from None


@click.command(name="check-promise")
@click.argument("policy", type=click.Path(readable=False))
@click.option("--on", required=True, metavar="RUN|FILE", help="Labelled items that the policy has not seen.")
def check_promise(policy: str, on: str) -> None:
    """Whether the promise of POLICY holds on other items. Exit code 1 where it is broken."""
    from epoche.calibrate.checking import check
    from epoche.report.promises import render_check

    report = check(Path(policy), Path(on))
    write_text(render_check(report), None)
    if report.broken:
        sys.exit(1)


@click.command()
@click.option("--risk", type=float, required=True, metavar="ALPHA")
@click.option("--delta", type=float, default=0.05, show_default=True)
@click.option("--target", type=click.Choice(TARGETS[:3]), default="risk", show_default=True)
@click.option("--pilot", metavar="RUN|FILE", help="Labelled items that say how risky which coverage is.")
@click.option("--policy", default="paper", show_default=True, metavar="NAME|FILE", help="How a pilot run is read.")
@click.option("--label", "unlabelled", metavar="FILE", help='Lines of {"id","pred","confidence"} to draw from.')
@click.option("--count", type=click.IntRange(min=1), default=50, show_default=True, help="How many to draw.")
@click.option(
    "--near", type=float, metavar="TAU", help="Pick those near τ, spread over documents: not for a promise."
)
@click.option("--seed", type=int, default=20260727, show_default=True)
@click.option("--out", "-o", metavar="FILE", help="The drawn items as JSON lines, `gold` to be filled in.")
def plan(
    risk: float,
    delta: float,
    target: str,
    pilot: str | None,
    policy: str,
    unlabelled: str | None,
    count: int,
    near: float | None,
    seed: int,
    out: str | None,
) -> None:
    """How many labelled items a promise takes, and which to label next."""
    from epoche.calibrate.labelled import read_labelled
    from epoche.calibrate.planning import expected, read_unlabelled, table, to_label
    from epoche.calibrate.promise import Wanted
    from epoche.config import load_policy
    from epoche.policy import Target
    from epoche.report.promises import render_plan

    Wanted(risk, delta)  # which checks both
    if near is not None and unlabelled is None:
        raise OptionError("--near says which items of --label to pick: give --label and --out")
    if near is not None and not math.isfinite(near):
        raise OptionError(f"--near is {near}: give a confidence")
    if (unlabelled is None) != (out is None):
        raise OptionError("--label and --out go together: what to draw from, and where the drawn items go")
    require_file(out)
    require_writable(out)
    found = None
    if pilot is not None:
        found = expected(read_labelled(Path(pilot), load_policy(policy)), risk, delta, Target(target))
    if unlabelled is not None:
        require_apart(out, [name for name in (unlabelled, pilot, policy) if name is not None], None)
        write_text(to_label(read_unlabelled(Path(unlabelled)), count, near, seed), out)
    write_text(render_plan(risk, delta, table(risk, delta), found), None)


@click.command()
@click.argument("policy", type=click.Path(readable=False))
@click.option(
    "--on",
    required=True,
    metavar="FILE|RUN",
    help='Lines of {"id","pred","confidence"[,"gold"]}, oldest first, or a run.',
)
@click.option("--out", "-o", metavar="FILE", help="The policy without a promise, where it no longer holds.")
def drift(policy: str, on: str, out: str | None) -> None:
    """Whether the promise of POLICY still holds for a stream. Exit code 1 where it does not."""
    from epoche.calibrate.drifting import drift as follow
    from epoche.calibrate.drifting import without_promise
    from epoche.report.promises import render_drift

    require_writable(out)
    require_apart(out, [on])
    found = follow(Path(policy), Path(on))
    write_text(render_drift(found), None)
    if found.why:
        if out is not None:
            write_text(without_promise(found.policy, found.why).model_dump_json(indent=1) + "\n", out)
        sys.exit(1)


@click.command()
@click.argument("policy", type=click.Path(readable=False))
@click.option("--kind", type=click.Choice(["claim", "question"]), default="claim", show_default=True)
def policy(policy: str, kind: str) -> None:
    """Every number of POLICY (a name or a file) in words."""
    from epoche.config import named_policy
    from epoche.report.promises import render_policy
    from epoche.types import Kind

    write_text(render_policy(named_policy(policy, Kind(kind))), None)
