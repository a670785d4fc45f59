"""Summary card: one page per model for decision makers, with tests run, results and limits.

With too few items for a verdict a number has no value, the JSON null. See `card.md.jinja`.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import eq
from pathlib import Path
from typing import Any

from askew import __version__
from askew.files import yaml_of
from askew.logs.tables import NOT_LACKING
from askew.papers import get_paper, task_papers
from askew.parameters import SelectionError
from askew.report.accounting import run_record, settings_of
from askew.report.blocks import NOTHING_DECIDED, Decision, Headline, render_lines, simulated_note
from askew.report.caveats import COLUMN
from askew.report.estimates import Model
from askew.report.render import write_text
from askew.report.report import Report, build_report, headline_record, records
from askew.report.study import Study, names_faulty_logs
from askew.schema import ENOUGH_ITEMS, INVALID_ITEM
from askew.stats.clusters import NO_NULL
from askew.stats.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import digest, one_line

_WORDS: Mapping[str, str] = yaml_of("askew.report", "report.yaml")["card"]
SUFFIXES = (".md", ".json")
# Exclusion reasons without a note on the page. Of the others, not all have a lost sample.
_NO_NOTE = ("superseded", "mixed versions", "several settings")
# What a headline's record says in the report only.
_NOT_IN_CARD = ("items_needed", "sentence", "worst_finding")


@names_faulty_logs
def write_cards(
    study: Study,
    path: str | Path,
    interval: Interval = DEFAULT_INTERVAL,
    decided: Decision = NOTHING_DECIDED,
) -> list[Path]:
    """Write one summary card per model, as Markdown and JSON.

    Args:
        study: The logs, as `Study.read` returns them.
        path: A folder; for a single model also a .md or .json file.
        interval: How to compute intervals.
        decided: Outcome of the policy and the comparison, shown first.

    Returns:
        The paths of the cards.
    """
    report = build_report(study, interval=interval, transcripts=False, decided=decided)
    models, is_file = study.models, Path(path).suffix.lower() in SUFFIXES
    if is_file and (n := len(models)) != 1:
        raise SelectionError(f"{path}: the logs contain {n} models; name a folder for their cards")
    written = []
    for model, stem in zip(models, _file_stems([m.label for m in models]), strict=True):
        card = _card(report, model)
        targets = [Path(path)] if is_file else [Path(path, stem + suffix) for suffix in SUFFIXES]
        written += [write_text(target, "card.md.jinja", *card) for target in targets]
    return written


def _file_stems(labels: Sequence[str]) -> list[str]:
    """Return one file name per model; labels with the same name get a digest."""
    stems = [re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-.")[:80] or "model" for label in labels]
    # Systems that ignore case take names that differ in nothing else as the same.
    counts = Counter(map(str.lower, stems))
    return [
        f"{stem}-{digest(label, 16)}" if counts[stem.lower()] > 1 else stem
        for stem, label in zip(stems, labels, strict=True)
    ]


def _card(report: Report, model: Model) -> tuple[Callable[[], dict[str, Any]], dict[str, Any]]:
    """The page of one model as data, and the values of its template."""
    study = report.study
    # Compare in Python: pandas fails on names with unpaired surrogates.
    by_label, by_name = (
        study.excluded["model"].map(partial(eq, name)).astype(bool)
        for name in (model.label, model.name)
    )
    # Only of several settings it is said by a model's name, which may be another's label.
    is_own = by_label | (by_name & (study.excluded["what"] == "several settings"))
    rows = study.rows[study.rows["model"] == model.label]
    runs = tuple(run for run in study.runs if run.model == model.label)
    own = Study(rows, study.excluded[is_own], runs)
    tasks = dict.fromkeys([*(run.task for run in own.runs), *own.rows["task"]])
    task_records = [_task_record(task, own) for task in tasks]
    all_headlines = (one for chapter in report.chapters for one in chapter.headlines)
    headlines = [_if_enough(one) for one in all_headlines if one.model.label == model.label]
    ceilings = report.ceilings.only(lambda _, label: label == model.label)
    numbers = [
        {k: v for k, v in headline_record(h).items() if k not in _NOT_IN_CARD}
        | {"label": h.label, "unit": h.estimate.unit.name, COLUMN: ceilings.of(h.task, model.label)}
        for h in headlines
    ]
    # Checks of the logs as a whole have no model.
    checks = [check for check in report.decided.checks if check.model in (model.label, "")]
    unmet = [c.text for c in sorted(checks, key=lambda c: not c.model) if c.status != "pass"]
    status = next((check.status for check in checks), "")
    policy = {"status": status, "checks": len(checks), "unmet": unmet}
    data = {
        "schema": "askew-card",
        "version": "1.1",
        "askew_version": __version__,
        "written": report.written,
        "model": {"model": model.label, "name": model.name, "simulated": model.simulated},
        "least_items": ENOUGH_ITEMS,
        "policy": policy if report.decided.outcome else None,
        "asked": task_records,
        "numbers": numbers,
        "outcomes": records(own.outcomes.drop(columns="model")),
        "left_out": records(own.excluded.drop(columns="log")),
        "limits": _limits(task_records, headlines, own, ceilings.notes),
        "ceilings": ceilings.records,
        "runs": [run_record(run) for run in own.runs],
    }
    summary = report.summary_table.rows if report.summary_table else ()
    days = sorted({run.started[:10] for run in own.runs})
    template_values = data | {
        "own": own,
        "model": model,
        "headlines": headlines,
        "simulated": simulated_note([model.short]),
        "found": next((row.findings for row in summary if row.model is model), ()),
        "days": list(dict.fromkeys((*days[:1], *days[-1:]))),
        "unmet": unmet,
        "reply_counts": [_reply_counts(task, own) for task in tasks],
        "metric": lambda of: get_paper(of.task).headline_declaration(of.metric),
        "subsets": _format_subsets,
        "settings": partial(settings_of, most=400),
        "one_line": one_line,
    }
    return lambda: data, template_values


def _task_record(task: str, own: Study) -> dict[str, Any]:
    """Return the questions and prompt variants of one task as a record."""
    paper, rows = get_paper(task), own.rows[own.rows["task"] == task]
    conditions, missing = {}, {}
    for factor in paper.factors:
        if factor.name in rows:
            seen = [str(v) for v in rows[factor.name].dropna().unique() if str(v)]
            labels = {str(v): factor.label(v) for v in factor.conditions}
            ordered = [v for v in labels if v in seen] + [v for v in seen if v not in labels]
            name = factor.name.replace("_", " ")
            conditions[name] = [one_line(labels.get(v, v)) for v in ordered]
            # Data may bring its own values of a free factor, so none is missing.
            missing[name] = [labels[v] for v in labels if v not in seen and not factor.free]
    run = next((run for run in own.runs if run.task == task), None)
    return {
        "task": task,
        "question": paper.question,
        "reference": paper.citation,
        **{k: getattr(run, k, None) for k in ("data", "revision", "prompts", "version")},
        "items": len(rows[["subset", "item"]].drop_duplicates()),
        "subsets": list(dict.fromkeys(map(str, rows["subset"]))),
        "epochs": rows["epoch"].nunique(),
        "wordings": conditions,
        "wordings_not_asked": {name: labels for name, labels in missing.items() if labels},
    }


def _format_subsets(task_record: Mapping[str, Any]) -> str:
    names = get_paper(task_record["task"]).subset_names
    return ", ".join(one_line(names.get(s, s)) for s in task_record["subsets"]) or "none"


def _if_enough(of: Headline) -> Headline:
    """The headline; without its value on too few items."""
    few = of.estimate.few
    if of.estimate.missing or not few:
        return of
    nan = math.nan
    found = replace(of.estimate, value=nan, low=nan, high=nan, null=NO_NULL, reason=few)
    return replace(of, estimate=found, null_text="")


def _reply_counts(task: str, own: Study) -> dict[str, Any]:
    """Count parsed replies, other outcomes and lost samples of a task."""
    replies = own.outcomes[own.outcomes["task"] == task]
    others = dict(zip(replies["outcome"], map(int, replies["count"]), strict=True))
    is_noted = (own.excluded["task"] == task) & ~own.excluded["what"].isin(_NO_NOTE)
    out = own.excluded[is_noted].astype({"count": int})
    lost = out[~out["what"].isin((INVALID_ITEM, *NOT_LACKING))].groupby("what", sort=False)["count"]
    notes = [(f"{r['what']}: {r['why']}", r["count"]) for r in out.to_dict("records")]
    parsed = others.pop("ok", 0)
    return {
        "task": task, "parsed": parsed, "others": others, "lost": dict(lost.sum()), "notes": notes,
    }  # fmt: skip


def _limits(
    task_records: Sequence[Mapping[str, Any]],
    headlines: Sequence[Headline],
    own: Study,
    ceilings: Sequence[str],
) -> list[str]:
    """Limits of the card, one sentence each."""
    partly = [
        (get_paper(one["task"]).name, _format_subsets(one))
        for one in task_records
        if {*one["subsets"]} < {*get_paper(one["task"]).selection(one["data"] or "")}
    ]
    few = [f"{h.label} ({h.title}, {h.estimate.n_items})" for h in headlines
           if h.estimate.missing and h.estimate.reason == h.estimate.few]  # fmt: skip
    names = {data: [get_paper(one["task"]).name for one in task_records
                    if data in (one["data"] or "").split(",")]
             for data in ("bundled", "paper")}  # fmt: skip
    not_pooled = [
        (row["what"], f"{get_paper(row['task']).name}: {one_line(row['why'])}")
        for row in own.excluded.to_dict("records")
        if row["what"] in ("several settings", "mixed versions")
    ]
    run = {one["task"] for one in task_records}
    others = [get_paper(task).name for task in task_papers() if task not in run]
    return render_lines(
        _WORDS["limits"], ceilings=[one_line(note, 1_000) for note in ceilings], others=others,
        few=few, partly=partly, not_pooled=not_pooled, least=ENOUGH_ITEMS,
        parsed=not all(get_paper(task).told_by_score for task in run), **names,
    )  # fmt: skip
