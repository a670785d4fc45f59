"""What the console shows at the end of a run of bend: a line an arm."""

from collections import Counter
from functools import cache
from typing import Any

import click
from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.util import display_type

from askew.bend.numbers import versions_of
from askew.bend.paper import PAPER
from askew.logs.tables import UNFIT
from askew.report.blocks import Document, Part, Section, make_table
from askew.report.estimates import Estimate
from askew.report.render import terminal_text, terminal_width
from askew.report.study import Study
from askew.schema import PERCENT, POINTS
from askew.untrusted import one_line


def arm_table(log: EvalLog | str) -> str:
    """A line an arm, the mean of its numbered versions; then what fits or reaches no sample."""
    header = read_eval_log(log, header_only=True) if isinstance(log, str) else log
    study = Study.read(log, quiet=True)
    if PAPER.task not in study.by_task:
        return ""
    rows, table = study.by_task[PAPER.task], study.table(PAPER.task)
    table = table[(table["subset"] == "all") & (table["model"] != "all")]
    found = {(r["metric"], r["arm"]): r for r in table.to_dict("records")}
    ids = header.eval.dataset.sample_ids or []
    asked = Counter(str(name).rpartition("/")[2] for name in ids)
    scored, epochs = Counter(rows["arm"].map(str)), header.eval.config.epochs or 1
    versions = versions_of(asked)
    of_version = {arm: stem for stem, own in versions.items() for arm in own}
    lines = []
    for arm in dict.fromkeys(of_version.get(arm, arm) for arm in asked):
        own = versions.get(arm, (arm,))
        effect = found.get(("effect", arm))
        n = sum(scored[one] for one in own)
        lines.append({"cells": {
            "arm": one_line(arm) + (f" (mean of {len(own)})" if len(own) > 1 else ""),
            "score, %": _text(found, "score", arm),
            "effect, points (95% CI)": _effect(effect) if effect else "",
            "flips, %": _text(found, "flips", arm),
            "not parsed, %": _text(found, "unparsed", arm),
            "samples": str(n),
            "excluded": str(max(0, sum(asked[one] for one in own) * epochs - n)),
        }})  # fmt: skip
    subset = one_line(str(rows["subset"].iloc[0]))
    block = make_table({"caption": "{{ subset }}"}, lines, "arms", subset=subset)
    part = Part("arms", "", [Section("", "", (), [block])])
    text = terminal_text(Document("", "", [part], dict), terminal_width())
    absent = study.excluded[study.excluded["what"].isin([UNFIT, "unscored"])]
    whys = [f"{row.what}, {row.why}" for row in absent.itertuples()]
    return "\n".join([text.rstrip(), *whys])


def _text(found: Any, metric: str, arm: str) -> str:
    return PERCENT.write(found[metric, arm]["value"]) if (metric, arm) in found else ""


def _effect(row: Any) -> str:
    of = Estimate(row["value"], row["low"], row["high"], unit=POINTS)
    return f"{of.written}{f' ({of.interval})' if of.interval else ''}"


class BendSummary(Hooks):
    """Prints the arms of bend's whole runs, unless the display is `none`."""

    async def on_run_end(self, data: RunEnd) -> None:
        for log in data.logs if display_type() != "none" else ():
            paper = (log.eval.metadata or {}).get("paper")
            is_whole = paper == PAPER.task and log.status == "success"
            if is_whole and (text := arm_table(log.location or log)):
                click.echo(f"\n{text}\n")


@cache
def show_summary() -> None:
    """Let Inspect know of it, once."""
    hooks(name="bend_summary", description="Shows the arms of a bent task.")(BendSummary)
