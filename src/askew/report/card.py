"""A page a model, for whoever decides on it: what was asked, what it shows, and what it does not.

Everything on it is the report's: its headlines with their verdicts, what was left out, its runs. A
number stands with its items, its interval and what is seen without the effect; on fewer items than
a verdict needs, it is not given, in the data neither. `card.md.jinja` lays it out.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from askew.files import yaml_of
from askew.logs.exclusions import ASKED_OUT
from askew.papers import get_paper, task_papers
from askew.report.accounting import run_record, settings_of
from askew.report.blocks import (
    NOTHING_DECIDED,
    POLICY_OUTCOMES,
    DecisionBlock,
    Headline,
    render_lines,
    simulated_note,
)
from askew.report.ceiling import COLUMN
from askew.report.estimates import Model, without_effect
from askew.report.render import write_text
from askew.report.report import Report, build_report, headline_record, records
from askew.report.study import Study, names_faulty_logs
from askew.schema import ENOUGH_ITEMS, SET_ASIDE
from askew.stats.nulls import UNKNOWN
from askew.stats.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import one_line
from askew.version import __version__

_WORDS: Mapping[str, str] = yaml_of("askew.report", "report.yaml")["card"]
KINDS = (".md", ".json")
# What is told of samples that is no loss, or of no sample at all.
_NO_LOSS = ("superseded", "mixed versions", "kept apart")


@names_faulty_logs
def write_cards(
    study: Study,
    path: str | Path,
    interval: Interval = DEFAULT_INTERVAL,
    decided: DecisionBlock = NOTHING_DECIDED,
) -> list[Path]:
    """Write one summary card per model, as Markdown and JSON.

    Args:
        study: The logs, as `Study.read` returns them.
        path: A folder; for a single model also a .md or .json file.
        interval: How to compute intervals.
        decided: A policy's outcome to show first.

    Returns:
        The paths of the cards.
    """
    report = build_report(study, interval=interval, transcripts=False, decided=decided)
    targets = {Path(path): report.models}
    if Path(path).suffix.lower() not in KINDS:
        stems = _stems([model.label for model in report.models])
        targets = {
            Path(path, f"{stem}{kind}"): [model]
            for stem, model in zip(stems, report.models, strict=True)
            for kind in KINDS
        }
    elif len(report.models) != 1:
        told = f"{path}: the logs hold {len(report.models)} models; a folder takes their cards"
        raise ValueError(told)
    made = {model.label: _card(report, model) for model in report.models}
    return [
        write_text(target, "card.md.jinja", *made[model.label])
        for target, (model,) in targets.items()
    ]


def _stems(labels: Sequence[str]) -> list[str]:
    """A file name a model, whatever the others' order: labels that come to one name get digests."""
    stems = [re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-.")[:80] or "model" for label in labels]
    plain, length = stems, 0
    digests = [hashlib.sha256(x.encode("utf-8", "surrogatepass")).hexdigest() for x in labels]
    # A label may be what another one's name with its digest is: longer digests part them. Some
    # systems don't tell cases apart.
    while (counts := Counter(map(str.lower, stems))).total() > len(counts):
        length += 8
        stems = [
            f"{name}-{digest[:length]}" if counts[stem.lower()] > 1 else stem
            for name, digest, stem in zip(plain, digests, stems, strict=True)
        ]
    return stems


def _card(report: Report, model: Model) -> tuple[Callable[[], dict[str, Any]], dict[str, Any]]:
    """The page of one model as data, and what fills its template."""
    every = report.study
    # One by one: no column of texts is searched for half a surrogate pair, which a name may hold.
    is_its = [name in (model.label, model.name) for name in every.excluded["model"]]
    own = Study(
        every.rows[every.rows["model"] == model.label],
        every.excluded[np.array(is_its, dtype=bool)],
        tuple(run for run in every.runs if run.model == model.label),
    )
    tasks = dict.fromkeys([*(run.task for run in own.runs), *own.rows["task"]])
    asked = [_task_record(task, own) for task in tasks]
    numbers = [h for c in report.chapters for h in c.headlines if h.model.label == model.label]
    high = report.ceilings.only(lambda _, of: of == model.label)
    policy = _policy(report.decided, model)
    data = {
        "schema": "askew-card",
        "version": "1.1",
        "askew_version": __version__,
        "written": report.written,
        "model": {"model": model.label, "name": model.name, "simulated": model.simulated},
        "least_items": ENOUGH_ITEMS,
        "policy": policy if report.decided.outcome else None,
        "asked": asked,
        "numbers": [_number(h) | {COLUMN: high.of(h.task, model.label)} for h in numbers],
        "outcomes": records(own.outcomes.drop(columns="model")),
        "left_out": records(own.excluded.drop(columns="log")),
        "limits": _limits(asked, numbers, own, high.notes),
        "ceilings": high.records,
        "runs": [run_record(run) for run in own.runs],
    }
    screen = report.screen.rows if report.screen else ()
    days = sorted({run.started[:10] for run in own.runs})
    told = {
        "least": ENOUGH_ITEMS,
        "own": own,
        "model": model,
        "simulated": simulated_note([model.short]),
        "found": next((row.findings for row in screen if row.model is model), ()),
        "days": list(dict.fromkeys((*days[:1], *days[-1:]))),
        "unmet": policy["unmet"],
        "left": [_reply_counts(task, own) for task in tasks],
        "written": report.written,
        "few": _few,
        "metric": lambda of: get_paper(of.task).headline_declaration(of.metric),
        "without": _without,
        "subsets": _subsets,
        "settings": partial(settings_of, most=400),
        "said": lambda of: "; ".join(f"{name}: {', '.join(values)}" for name, values in of.items()),
        "counted": lambda of: ", ".join(f"{n:,} {one_line(what)}" for what, n in of.items()),
    }
    more = {key: data[key] for key in ("asked", "limits", "policy")}
    return lambda: data, told | more | {"numbers": numbers}


def _task_record(task: str, own: Study) -> dict[str, Any]:
    """What one task asked of the model, as a record: of which questions, in which wordings."""
    paper, rows = get_paper(task), own.rows[own.rows["task"] == task]
    wordings, missing = {}, {}
    for factor in paper.factors:
        if factor.name in rows:
            seen = [str(v) for v in rows[factor.name].dropna().unique() if str(v)]
            labels = {str(v): factor.label(v) for v in factor.conditions}
            ordered = [v for v in labels if v in seen] + [v for v in seen if v not in labels]
            name = factor.name.replace("_", " ")
            wordings[name] = [one_line(labels.get(v, v)) for v in ordered]
            missing[name] = [la for v, la in labels.items() if v not in seen and not factor.free]
    run = next((run for run in own.runs if run.task == task), None)
    return {
        "task": task,
        "question": paper.question,
        "reference": paper.citation,
        **{k: getattr(run, k, None) for k in ("data", "revision", "prompts", "version")},
        "items": len(rows[["subset", "item"]].drop_duplicates()),
        "subsets": list(dict.fromkeys(map(str, rows["subset"]))),
        "epochs": rows["epoch"].nunique(),
        "wordings": wordings,
        "wordings_not_asked": {name: of for name, of in missing.items() if of},
    }


def _subsets(one: Mapping[str, Any]) -> str:
    names = get_paper(one["task"]).subset_names
    return ", ".join(one_line(names.get(s, s)) for s in one["subsets"]) or "none"


def _few(of: Headline) -> str:
    """Why a number is not told at all; empty where it rests on enough items."""
    found = of.estimate
    return "" if found.missing else found.few


def _without(of: Headline) -> str:
    return of.null_text or without_effect(
        of.estimate, of.unit, get_paper(of.task).headline_declaration(of.metric)
    )


def _reply_counts(task: str, own: Study) -> dict[str, Any]:
    """Of a task the replies that were read, those that were not, and samples without a score."""
    of, lost = own.outcomes, own.excluded
    of, lost = of[of["task"] == task], lost[(lost["task"] == task) & ~lost["what"].isin(_NO_LOSS)]
    wrong = dict(zip(of["outcome"], map(int, of["count"]), strict=True))
    told, gone = lost.to_dict("records"), Counter[str]()
    for record in told:
        if record["what"] not in (SET_ASIDE, ASKED_OUT):
            gone[str(record["what"])] += int(record["count"])
    notes = [(one_line(f"{r['what']}: {r['why']}", 400), int(r["count"])) for r in told]
    read = wrong.pop("ok", 0)
    return {"task": task, "read": read, "wrong": wrong, "gone": gone, "notes": notes}


def _limits(
    asked: Sequence[Mapping[str, Any]],
    numbers: Sequence[Headline],
    own: Study,
    high: Sequence[str],
) -> list[str]:
    """What the page does not show, a sentence each."""
    partly = [
        (get_paper(one["task"]).name, _subsets(one))
        for one in asked
        if {*one["subsets"]} < {*get_paper(one["task"]).selection(one["data"] or "")}
    ]
    few = [f"{h.label} ({h.title}, {h.estimate.n_items})" for h in numbers if _few(h)]
    names = {data: [get_paper(one["task"]).name for one in asked if one["data"] == data]
             for data in ("bundled", "paper")}  # fmt: skip
    apart = own.excluded[own.excluded["what"].isin(["kept apart", "mixed versions"])]
    said = [
        (what, f"{get_paper(task).name}: {one_line(why)}")
        for what, task, why in apart[["what", "task", "why"]].itertuples(index=False)
    ]
    there = {one["task"] for one in asked}
    others = [get_paper(task).name for task in task_papers() if task not in there]
    return render_lines(
        _WORDS["limits"], high=[one_line(note, 1_000) for note in high], others=others, few=few,
        partly=partly, apart=said, least=ENOUGH_ITEMS, **names,
    )  # fmt: skip


def _policy(decided: DecisionBlock, model: Model) -> dict[str, Any]:
    """The worst that a policy says of this model or of the logs as a whole, of how many checks."""
    own = (of for (_, m), of in decided.statuses.items() if m in (model.label, ""))
    said = [status for statuses in own for status in statuses]
    unmet = [*decided.unmet_by_model.get(model.label, ()), *decided.unmet_by_model.get("", ())]
    worst = next((word for word in POLICY_OUTCOMES if word in said), "")
    return {"status": worst, "checks": len(said), "unmet": unmet}


def _number(of: Headline) -> dict[str, Any]:
    """The report's record without its words, and of too few items without its number."""
    record = headline_record(of)
    if few := _few(of):
        none = {"value": math.nan, "low": math.nan, "high": math.nan, **asdict(UNKNOWN)}
        record |= {**none, "reason": few}
    words = ("items_needed", "sentence", "worst_finding")
    named = {"label": of.label, "unit": of.unit.name}
    return {k: v for k, v in record.items() if k not in words} | named
