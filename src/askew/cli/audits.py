"""`askew audit`: from one file to logs, a report and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

import click

from askew.cli.inputs import helpers_for, observations_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

    from askew.audit.asking import Answered, Starter
    from askew.audit.audit_file import AuditFile
    from askew.audit.parts import Part
    from askew.decide.compare import Comparison

# What an audit that is not complete ends with, where no rule fails: it can't be told.
_INCOMPLETE = 2


@dataclass(frozen=True)
class _Helpers:
    """Who asks, for whom, how many parts at a time; and who reads, of a cluster the same."""

    asking: Executor
    starter: Starter
    at_a_time: int
    reading: Executor | None


@dataclass
class _Progress:
    """A line on stderr for every part that begins, and one for what came of it."""

    parts: int
    quiet: bool
    done: int = 0
    failed: int = 0
    begun_once: set[str] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)
    """Parts begin in threads of their own."""

    def begun(self, part: Part) -> None:
        with self.lock:
            again = " again" if part.folder in self.begun_once else ""
            self.begun_once.add(part.folder)
            self._say(f"begun{again}, {self.done} of {self.parts} done: {part.name}")

    def ended(self, part: Part, answered: Answered, again: bool) -> None:
        with self.lock:
            if again:
                self._say(f"lost, to be asked again: {part.name}: {answered.why}")
                return
            self.done += 1
            self.failed += not answered.success
            said = f"{answered.samples} samples" if answered.success else f"FAILED: {answered.why}"
            told = f"{self.done} of {self.parts}: {part.name}: {said}"
            self._say(told, always=not answered.success)

    def waits(self) -> None:
        self._say("parts of an earlier command are still asked there: waiting until they ended")

    def _say(self, told: str, always: bool = False) -> None:
        if always or not self.quiet:
            click.echo(told, err=True)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--log-dir", help="Where logs go, a folder or s3://...; default the file's.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask cluster's scheduler, to ask there.")
@click.option(
    "--workers", type=click.IntRange(1), metavar="N",
    help="Parts that are asked at a time on this machine; default the cores that serve.",
)  # fmt: skip
@click.option("-o", "--output", "outputs", multiple=True, help="A report; default the file's.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and stop.")
@click.option("--quiet", is_flag=True, help="No progress; only the outcome's line.")
def audit(
    file: str, log_dir: str | None, cluster: str | None, workers: int | None,
    outputs: tuple[str, ...], dry_run: bool, quiet: bool,
) -> None:  # fmt: skip
    """Ask all that FILE names, then report it and check it against its policy.

    Run it again after whatever stopped it: what was answered is kept. Exit code: the gate's, and 2
    where a part could not be asked.
    """
    from askew.audit.audit_file import AuditError, read_audit
    from askew.audit.parts import parts_of, rooms
    from askew.audit.running import run_parts
    from askew.decide.policy import read_policy
    from askew.report.writers import kind_of

    if cluster is not None and workers:
        raise click.UsageError("--workers is about this machine, --cluster about others: give one")
    told = read_audit(file)
    parts = parts_of(told)
    where = log_dir or told.log_dir
    if not where:
        raise AuditError(f"{file}: say where logs go: log_dir in the file, or --log-dir")
    policy = read_policy(told.policy) if told.policy else None
    reports = outputs or tuple(told.report)
    for path in reports:
        kind_of(path)
    if dry_run:
        _say_parts(told, parts, where, workers)
        return
    progress = _Progress(len(parts), quiet)
    with _helpers(parts, where, cluster, workers, progress) as helpers:
        room = rooms(parts, told.connections, helpers.at_a_time)
        run_parts(parts, where, helpers.asking, room, progress.ended, helpers.starter)
        reading = helpers.reading
        if reading is not None:
            code = _ended(told, policy, where, reports, reading, quiet)
        else:
            with helpers_for((where,), workers, None) as pool:
                code = _ended(told, policy, where, reports, pool, quiet)
    sys.exit(code or (_INCOMPLETE if progress.failed else 0))


@contextmanager
def _helpers(
    parts: Sequence[Part], where: str, cluster: str | None, workers: int | None, progress: _Progress
) -> Iterator[_Helpers]:
    from concurrent.futures import ThreadPoolExecutor

    from askew import executors
    from askew.audit.asking import Here
    from askew.audit.workers import on_workers

    if cluster is not None:
        with executors.cluster(cluster) as there:
            starter = on_workers(there.client, parts, where, progress.begun, progress.waits)
            yield _Helpers(there.executor, starter, there.threads, there.executor)
        return
    many, here = _at_a_time(parts, workers), Here(progress.begun)
    with ThreadPoolExecutor(many) as threads:
        try:
            yield _Helpers(threads, here, many, None)
        finally:
            here.stop()


def _at_a_time(parts: Sequence[Part], workers: int | None) -> int:
    """How many parts this machine asks at a time."""
    from askew.executors import cores

    return min(workers or cores(), len(parts))


def _say_parts(told: AuditFile, parts: Sequence[Part], where: str, workers: int | None) -> None:
    """Every part with its folder, and what it opens here where a provider has a limit."""
    from askew.audit.parts import rooms, under

    room = rooms(parts, told.connections, _at_a_time(parts, workers))
    for part in parts:
        opens = ", ".join(f"{p}: {room[p].connections}" for p in part.uses if p in room)
        click.echo(f"{part.name}: {under(where, part)}" + (f" ({opens})" if opens else ""))


def _ended(
    told: AuditFile, policy: Any, where: str, reports: Sequence[str], executor: Executor | None,
    quiet: bool,
) -> int:  # fmt: skip
    """Report and gate, also where no comparison can be made; the exit code of what went worst."""
    from askew.analysis import write_report
    from askew.decide.decided import told_of
    from askew.decide.documents import gate_document
    from askew.decide.gate import gate
    from askew.report.terminal import terminal_text, terminal_width

    observations = observations_of((where,), quiet, executor)
    given: dict[str, Any] = {"quiet": quiet, "executor": executor}
    checked = gate(observations, policy, quiet=quiet) if policy else None
    compared, why = _compared(observations, told.baseline, given)
    if reports:
        write_report(observations, *reports, decided=told_of(checked, compared), **given)
        if not quiet:
            click.echo(f"{len(observations)} observations, report in {', '.join(reports)}")
    if checked is not None:
        text = checked.verdict if quiet else terminal_text(gate_document(checked), terminal_width())
        click.echo(text)
    if why:
        click.echo(f"askew: nothing is compared: {why}", err=True)
    return (checked.exit_code if checked else 0) or (_INCOMPLETE if why else 0)


def _compared(
    observations: pd.DataFrame, baseline: str, given: dict[str, Any]
) -> tuple[Comparison | None, str]:
    """The models against the baseline, if there is one; or why there is no comparison."""
    from askew.decide.compare import compare

    try:
        return (compare(observations, baseline, **given) if baseline else None), ""
    except ValueError as error:
        return None, str(error)
