"""The command: parse, call, print, exit code. Heavy imports wait until a command runs."""

from __future__ import annotations

from typing import Any

import click

from epoche import __version__
from epoche.cli.bench import bench, curve, export
from epoche.cli.cache import cache
from epoche.cli.index import index
from epoche.cli.io import discard_stdout, say
from epoche.cli.judging import ask, replay, verify
from epoche.cli.nli import models, score
from epoche.cli.promises import calibrate, check_promise, drift, plan, policy
from epoche.errors import EpocheError


class _Group(click.Group):
    """Turns epoche's errors into one line on stderr and the error's exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except EpocheError as error:
            say(str(error))
            ctx.exit(error.exit_code)
        except BrokenPipeError:
            # The reader of our output went away (`| head`): there is nobody left to tell.
            discard_stdout()
            ctx.exit(1)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="epoche")
def main() -> None:
    """Checks scientific claims against evidence, and knows when not to answer."""


for command in (
    verify,
    ask,
    replay,
    score,
    models,
    bench,
    curve,
    export,
    cache,
    index,
    calibrate,
    check_promise,
    plan,
    drift,
    policy,
):
    main.add_command(command)
