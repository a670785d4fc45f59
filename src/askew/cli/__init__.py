"""The command line: `askew report | data | ...`. Commands import what they need when they run."""

import atexit
import gc
import os
import sys
import traceback
from typing import Any

import click

from askew import __version__
from askew.cli.bend import bend
from askew.cli.common import ExtensibleGroup
from askew.cli.data import data
from askew.cli.decisions import calibrate, compare, gate, plan
from askew.cli.reports import export, grader_check, import_results, report, score_replies
from askew.cli.runs import audit, demo

# Read when numpy is: products here are small, and threads that wait for each other cost
# a tenth of a report.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Nearly all that is imported and read stays: looking often for cycles among it costs as much,
# and looking once more at the end a twentieth of a report.
gc.set_threshold(100_000, 20, 100)
atexit.register(gc.freeze)


class Friendly(ExtensibleGroup):
    """A group whose expected errors are one message and exit code 2, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of our output (head, less) has gone; click would say 1, "a rule fails".
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            ctx.exit(2 if ctx.invoked_subcommand in ("gate", "audit") else 0)

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra)
        except Exception as error:
            from askew.sources.pinned import SourceError

            if isinstance(error, OSError) and error.filename and error.strerror:
                click.echo(f"askew: {error.filename}: {error.strerror}", err=True)
            elif isinstance(error, ValueError | SourceError | OSError) or (
                type(error).__name__ in ("PrerequisiteError", "JudgeCheckError")
            ):  # it says what is wrong with the input, rather than with askew
                click.echo(f"askew: {error}", err=True)
            else:
                traceback.print_exc()
            sys.exit(2)  # of a gate, 1 means that a rule fails


@click.group(cls=Friendly, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="askew")
def main() -> None:
    """Measure how much answers depend on how questions are phrased.

    Run the tasks themselves with Inspect: inspect eval askew/<task> --model <model>
    """


for command in (
    audit, bend, calibrate, compare, data, demo, export, gate, grader_check, import_results, plan,
    report, score_replies,
):  # fmt: skip
    main.add_command(command)
