"""What stands behind the numbers: outcomes, what was left out or not read, and the runs."""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import pandas as pd

from askew.files import yaml_of
from askew.logs.read import read_replies
from askew.logs.tables import REPLACED, WHAT, Run
from askew.papers import get_paper
from askew.report.blocks import Table, fill, make_table
from askew.report.caveats import CEILING_WORDS, Ceilings
from askew.report.estimates import Estimate, Model, format_p_value
from askew.report.study import Study, levels_of
from askew.schema import (
    GRADER,
    MISSING,
    NOT_APPLICABLE,
    OUTCOMES,
    PERCENT,
    POINTS,
    THRESHOLDS,
    Metric,
    Unit,
    unread,
)
from askew.stats.engine import Items, Number, Sums, analysis, share
from askew.stats.intervals import Floats, wilson
from askew.stats.tables import NUMBERS, OVERALL, Analysis, Interval, metric_table
from askew.stats.thresholds import level_rows, next_levels
from askew.untrusted import one_line

_REPORT = yaml_of("askew.report", "report.yaml")
_WORDS, _NOT_READ, _REPLACED = (_REPORT[n] for n in ("accounting", "not_read", "replaced"))
# Replies that were not read: so many are shown, by so many characters of their ends.
_EXAMPLES, _END = 3, 160
# Settings that say how a model is loaded, reached and drawn from, not what it is asked.
_NOT_ASKED = ("args.", "endpoint", "config.seed", "config.logprobs", "config.top_logprobs")
_UNSET = "not set"
_RIGHT = Metric("right")
_EFFECT = Metric("effect", unit=POINTS, bounds=(-1.0, 1.0), interval="paired")
_CELLS = ("condition", "difficulty")


def config_diff(run: Run, other: Run) -> dict[str, tuple[str, str]]:
    """Compare what two runs of a task asked: what differs, with the value of each.

    Questions are told apart by the revision of their data, which holds what the data set holds.
    """
    own, others = (
        {"data": f"{r.data}, revision {r.revision}", "prompts": r.prompts, "version": r.version}
        | {k: v for k, v in r.settings.items() if not k.startswith(_NOT_ASKED)}
        for r in (run, other)
    )
    if run.revision == other.revision:
        del own["data"], others["data"]
    pairs = {k: (own.get(k, _UNSET), others.get(k, _UNSET)) for k in others | own}
    return {name: pair for name, pair in pairs.items() if not _alike(*pair)}


def _alike(one: str, other: str) -> bool:
    try:
        return one == other or float(one) == float(other)
    except ValueError:
        return False


def setting_name(key: str) -> str:
    """A setting's name without the layer it comes from."""
    return key.partition(".")[2] or key


def describe_config_diff(diff: Mapping[str, tuple[str, str]]) -> str:
    """Describe what differs between two runs, in a line: its own value, then the other's."""
    return ", ".join(
        f"{setting_name(key)} {own} ({'elsewhere' if other == _UNSET else 'not'} {other})"
        for key, (own, other) in diff.items()
    )


def incomparable_runs(found: Sequence[Run]) -> dict[str, str]:
    """Models that were not asked as most of their task's were, with what differs."""
    if not found:
        return {}
    usual = max(found, key=lambda run: sum(not config_diff(other, run) for other in found))
    apart = {run.model: describe_config_diff(config_diff(run, usual)) for run in found}
    return {model: text for model, text in apart.items() if text}


def _by_model(
    id: str, records: Iterable[Mapping[Any, Any]], models: Sequence[Model], **more: Any
) -> Table | None:
    """A table of `report.yaml`: a row a record, with its model under test, in groups (`of`)."""
    words, known = {**_WORDS[id], **more, "group": "of"}, {m.label: m for m in models}
    words["columns"] = columns = {"Model": "{{ head }}", **words["columns"]}
    words.setdefault("texts", [name for name in columns if name != "Scored"])
    rows = []
    for record in records:
        model = known.get(record["model"])  # a log that was not read may have one nobody knows
        head = model.short if model else one_line(record["model"]) or "no model"
        rows.append({**record, "head": head, "kind": model.kind if model else "measured"})
    how = {"paper": get_paper, "one_line": one_line, "agreement": agreement}
    return make_table(words, rows, id, **how) if rows else None


def readers(rows: pd.DataFrame) -> pd.DataFrame:
    """Who decided what replies say, by task and model, where the task has a grader to ask.

    Of replies that both read (`both`), `agreed` is how many say the same.
    """
    columns = ["task", "model", "outcome", "answer", "decided_by", "rules_answer"]
    own = rows.reindex(columns=columns)
    own = own[own["task"].map(lambda task: get_paper(task).graded is not None).astype(bool)]
    grader, none = own["decided_by"] == GRADER, unread(own)
    both = grader & ~own["rules_answer"].isin((None, "", math.nan))
    counts = {
        "all": grader | True, "rules": ~grader & ~none, "grader": grader, "none": none,
        "both": both, "agreed": both & (own["answer"] == own["rules_answer"]),
    }  # fmt: skip
    return pd.DataFrame(counts).groupby([own["task"], own["model"]], sort=False).sum()


def agreement(agreed: int, both: int) -> str:
    """How often grader and rules say the same, with Wilson's interval."""
    if not both:
        return NOT_APPLICABLE
    low, high = wilson(agreed / both, both)
    return f"{agreed} of {both} ({low:.0%} to {high:.0%})"


def outcome_table(study: Study) -> Table | None:
    """Who read the scored replies, and their outcomes: what could not be read counts as wrong."""
    counts, read = study.outcomes, readers(study.rows).to_dict("index")
    seen = {*counts["outcome"]}
    shown = [o for o in OUTCOMES if o == "ok" or o in seen] + sorted(seen - {*OUTCOMES})
    records = []
    at: Any
    for at, part in counts.groupby(["task", "model"], sort=False):
        own = part.set_index("outcome")["count"].reindex(shown, fill_value=0)
        more = {one_line(o): f"{n:,}" for o, n in own.items()} | {"all": f"{own.sum():,}"}
        records.append({"task": at[0], "model": at[1], "read": read.get(at), "cells": more})
    meanings = {one_line(o): OUTCOMES.get(o, "") for o in shown}
    meanings |= _WORDS["outcomes"]["meanings"]
    return _by_model("outcomes", records, study.models, meanings=meanings)


def accounts(
    study: Study, excluded: pd.DataFrame, found: Ceilings, interval: Interval
) -> dict[str, Table | None]:
    """All tables of `report.yaml`, by name; None for one without a row."""
    tasks = [run.task for run in study.runs]
    kinds = {w: f"{w}: {WHAT[w]}" if w in WHAT else one_line(w) for w in excluded["what"]}
    records: dict[str, Iterable[Mapping[Any, Any]]] = {
        # Samples and logs that stand in no rate, and notes about those that do.
        "losses": ({**row, "kinds": kinds} for row in excluded.to_dict("records")),
        "uneven": (
            {**row, "task": task}
            for task in study.by_task
            for row in study.lost_shares(task).to_dict("records")
        ),
        "ceilings": (
            {**one._asdict(), "rate": one.rate, "word": CEILING_WORDS[one.ceiling]}
            for one in found.found
        ),
        "levels": level_records(study, interval),
        "thresholds": threshold_records(study, interval),
        "runs": (
            {**asdict(run), "settings": settings_of(run, 600),
             "logs": one_line("; ".join(run.logs), 400)}
            for run in sorted(study.runs, key=lambda run: tasks.index(run.task))
        ),
    }  # fmt: skip
    tables = {id: _by_model(id, of, study.models) for id, of in records.items()}
    return {"outcomes": outcome_table(study), **tables}


def run_record(run: Run) -> dict[str, Any]:
    """A run as plain data, as reports and cards hold it."""
    inside = ("model_name", "subsets", "empty", "lost", "failure")
    return {key: value for key, value in asdict(run).items() if key not in inside}


def settings_of(run: Run, most: int) -> str:
    """A run's settings in a line of so many characters at most."""
    texts = (f"{setting_name(k)}={v}" for k, v in run.settings.items())
    return one_line(", ".join(texts), most) or "none"


def not_read(study: Study, *, texts: bool = True) -> list[str]:
    """A sentence for each log that a later one replaces whole, then for each task and model of
    which more than 3 replies in 100 were not read.

    With `texts`, the logs are opened for three of these replies.
    """
    out = study.excluded[study.excluded["why"] == REPLACED]
    records = [
        fill(_REPLACED, log=log, model=model, task=get_paper(task).name, count=n)
        for log, model, task, n in out[["log", "model", "task", "count"]].itertuples(index=False)
    ]
    for task, rows in study.by_task.items():
        paper = get_paper(task)
        for model in study.models:
            own = rows[rows["model"] == model.label]
            if not len(unread := paper.not_read(own)):
                continue
            # How some of them end, where an answer is settled.
            wanted = unread.reindex(columns=["log", "sample_id", "epoch"]).head(_EXAMPLES * texts)
            ends = [
                one_line(reply.reply[-_END:], _END)
                for log, sample, epoch in wanted.dropna().itertuples(index=False)
                for _, reply in read_replies(log, [(str(sample), int(epoch))])
                if not reply.unread
            ]
            how = {"n": len(unread), "of": len(own), "model": model.short, "task": paper.name}
            records.append(fill(_NOT_READ, ends=ends, **how))
    return records


# Levels of difficulty
#
# Conditions are those of the factor that the paper's plain condition names, the control's first.


def level_records(study: Study, interval: Interval) -> Iterator[Mapping[str, Any]]:
    """Accuracy at each level, and by how much a condition moves it from the control's."""
    for task, every in study.by_task.items():
        for rows, control in level_rows(get_paper(task), every):
            found = {
                (row["model"], name, row["difficulty"]): _estimate(row, POINTS)
                for name in dict.fromkeys(rows["condition"])
                if name != control
                for row in _numbers(rows, interval, name, control)
            }
            for row in _numbers(rows, interval):
                name, level = row["condition"], row["difficulty"]
                effect = found.get((row["model"], name, level))
                yield {
                    "task": task, "model": row["model"], "condition": name, "level": level,
                    "accuracy": _estimate(row, PERCENT),
                    "effect": effect or _without(name == control),
                    "n": row["n_items"],
                }  # fmt: skip


def threshold_records(study: Study, interval: Interval) -> Iterator[Mapping[str, Any]]:
    """Each condition's threshold and its shift from the control's, or why there is none."""
    at, by = (declared.name[:-1] for declared in THRESHOLDS)
    for task in study.by_task:
        table = study.table(task, interval)
        rows = table[table["metric"].str.startswith(at)].to_dict("records")
        levels = {(one["model"], one["condition"]): one for one in levels_to_ask(study, task)}
        keys = ("model", *levels_of(table))
        shifts = {(row["metric"], *(row[k] for k in keys)): row for row in rows}
        for row in rows:
            if row["metric"].startswith(by):
                continue
            condition = row["metric"].removeprefix(at)
            shift = shifts.get((by + condition, *(row[k] for k in keys)))
            p_value = shift["p_value"] if shift else math.nan
            asked = levels.get((row["model"], condition))
            yield {
                "task": task, "model": row["model"], "condition": condition,
                "threshold": _text(row),
                "shift": _text(shift) if shift else _without(asked is not None),
                "p": format_p_value(p_value)[2:].removeprefix("= ") if p_value >= 0 else MISSING,
                "n": row["n_items"],
                "next": (asked["difficulty"] or MISSING) if asked else "",
            }  # fmt: skip


def levels_to_ask(study: Study, task: str) -> list[dict[str, str]]:
    """Per model and control the levels at which effects are to be seen; empty if none is left.

    A set whose conditions are compared in parts has several controls.
    """
    return [
        {"model": str(model), "condition": control, "difficulty": next_levels(own)}
        for rows, control in level_rows(get_paper(task), study.by_task[task])
        for model, own in rows[rows["condition"] == control].groupby("model", sort=False)
    ]


def _without(is_control: bool) -> str:
    return "control" if is_control else f"{MISSING} (no items in common with the control)"


def _text(row: Mapping[Hashable, Any]) -> str:
    """A number of levels with its interval, or why there is none."""
    if math.isnan(row["low"]):
        return f"{MISSING} ({row['reason']})"
    return f"{row['value']:.1f} ({row['low']:.1f} to {row['high']:.1f})"


def _estimate(row: Mapping[Hashable, Any], unit: Unit) -> Estimate:
    return Estimate(**{name: row[name] for name in NUMBERS}, unit=unit)


def _numbers(
    rows: pd.DataFrame, interval: Interval, condition: str = "", control: str = ""
) -> list[dict[Any, Any]]:
    """Accuracy in each cell, or the difference of a condition from a control in a model's items."""
    if condition:
        rows = rows[rows["condition"].isin([condition, control])]
        rows = rows[rows.groupby(["model", "item"])["condition"].transform("nunique") == 2]

    def effect(sums: Sums) -> Floats:
        mine, plain = (sums.of(condition=c).ratio("right") for c in (condition, control))
        return mine - plain

    def analyse(rows: pd.DataFrame) -> Analysis:
        items, number = Items(rows, _CELLS, ("right",), ()), share(_RIGHT, "right")
        cells: Sequence[Any] = items.cells
        if condition:
            number = Number(replace(_EFFECT, name=condition), effect)
            cells = [(OVERALL, level) for level in sorted(rows["difficulty"].unique())]
        return analysis(items, _CELLS, {at: [number] for at in cells})

    return metric_table(rows, ("model",), _CELLS, analyse, interval).to_dict("records")
