"""A page a model, for whoever decides on it: what was asked, what it shows, and what it does not.

Everything on it is the report's: its headlines with their verdicts, what was left out, its runs. A
number stands with its items, its interval and what is seen without the effect; on fewer items than
a verdict needs, it is not given, in the data neither.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from askew.logs.excluded import ASKED_OUT, Run
from askew.papers import asked_for, asking
from askew.report.accounting import run_record, setting_name
from askew.report.card_asked import WORDS, Asked, asked_of, asked_table, card_table
from askew.report.ceiling import COLUMN, said_of
from askew.report.document import (
    NOTHING_DECIDED,
    Block,
    Cell,
    Decided,
    Document,
    Headline,
    Notes,
    Part,
    Row,
    Section,
    Table,
    simulated_note,
    text_row,
)
from askew.report.estimates import Estimate, Model
from askew.report.report import Report, build_report
from askew.report.study import Study
from askew.report.verdicts import ALARM, without_effect
from askew.report.writers import write_document
from askew.schema import ENOUGH_ITEMS, MISSING, SET_ASIDE
from askew.statistics.nulls import UNKNOWN
from askew.statistics.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import one_line
from askew.version import __version__

SCHEMA, SCHEMA_VERSION = "askew-card", "1.1"
KINDS = (".md", ".json")
# What is told of samples that is no loss, or of no sample at all.
_NO_LOSS = ("superseded", "mixed versions", "kept apart")
_POLICY = ("fail", "can't tell", "pass")


def write_cards(
    study: Study,
    path: str | Path,
    interval: Interval = DEFAULT_INTERVAL,
    decided: Decided | None = None,
) -> list[Path]:
    """Write a page a model: into a folder as Markdown and JSON, or one model's into such a file.

    Args:
        study: what was read.
        path: a folder; or a .md or .json file, where there is one model.
        interval: how to make intervals.
        decided: a policy's outcome to tell on top.
    """
    report = build_report(
        study, interval=interval, transcripts=False, decided=decided or NOTHING_DECIDED
    )
    made = [(m, card(study.rows, report, m)) for m in report.models]
    if Path(path).suffix.lower() in KINDS:
        if len(made) != 1:
            raise ValueError(
                f"{path}: the logs hold {len(made)} models; a folder takes their cards"
            )
        return [write_document(made[0][1], path)]
    stems = _stems([m.label for m, _ in made])
    return [
        write_document(document, Path(path) / f"{stem}{kind}")
        for stem, (_, document) in zip(stems, made, strict=True)
        for kind in KINDS
    ]


def _stems(labels: Sequence[str]) -> list[str]:
    """A file name a model, whatever the others' order: labels that come to one name get digests."""
    plain = {
        label: re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-.")[:80] or "model" for label in labels
    }
    stems, length = dict(plain), 8
    # A label may be what another one's name with its digest is: longer digests part them.
    while clashing := _shared(stems):
        for label in clashing:
            digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()
            stems[label] = f"{plain[label]}-{digest[:length]}"
        length += 8
    return [stems[label] for label in labels]


def _shared(stems: Mapping[str, str]) -> list[str]:
    """Labels whose file names are not theirs alone; some systems don't tell cases apart."""
    counts = Counter(stem.lower() for stem in stems.values())
    return [label for label, stem in stems.items() if counts[stem.lower()] > 1]


def card(rows: pd.DataFrame, report: Report, model: Model) -> Document:
    """The page of one model."""
    own = rows[rows["model"] == model.label]
    runs = [r for r in report.runs if r.model == model.label]
    tasks = list(dict.fromkeys([*(r.task for r in runs), *own["task"]]))
    asked = [asked_of(task, own[own["task"] == task], runs) for task in tasks]
    numbers = [h for c in report.chapters for h in c.headlines if h.model.label == model.label]
    # One by one: no column of texts is searched for half a surrogate pair, which a name may hold.
    is_its = [name in (model.label, model.name) for name in report.losses["model"]]
    lost = report.losses[np.array(is_its, dtype=bool)]
    high = said_of(f for f in report.ceilings.found if f.model == model.label)
    said: dict[str, tuple[Sequence[str], Sequence[Block]]] = {
        "asked": ((), [asked_table(asked)]),
        "shows": (_said(numbers), _number_blocks(numbers, report.decided, model)),
        "left": ((), _left_out(asked, report.outcomes, lost, model)),
        "limits": ((), [Notes([*_limits(asked, numbers, lost, high)])]),
        "from": ((), [_run_table(runs)]),
    }
    parts = [Part(id, title, [Section("", "", *said[id])]) for id, title in WORDS["parts"].items()]
    return Document(
        title=WORDS["title"].format(model=model.label_shown),
        lede=_lede(asked, own, runs, report.decided, model),
        parts=parts,
        data=partial(_data, model, asked, numbers, lost, runs, report),
        simulated=simulated_note([model.short] if model.simulated else []),
        written=report.written,
    )


# --- What it shows ----------------------------------------------------------------------------


def muted(found: Estimate) -> bool:
    """Whether a number rests on too few items to be told at all."""
    return not found.missing and found.n_items < ENOUGH_ITEMS


def _said(numbers: Sequence[Headline]) -> tuple[str, ...]:
    words = WORDS["shows"]
    tested = (h for h in numbers if h.verdict and not h.estimate.missing)
    bends = sum(not muted(h.estimate) for h in tested)
    chance = f"{ALARM * bends:.2f}"
    return (*words["said"], *([words["chance"].format(n=bends, chance=chance)] if bends else ()))


def _number_blocks(numbers: Sequence[Headline], decided: Decided, model: Model) -> list[Block]:
    words = WORDS["shows"]
    labels = words["columns"]
    rows = [Row(of.title, [Cell(_named(of)), *_cells(of)], model.kind) for of in numbers]
    unmet = [*decided.unmet_of.get(model.label, ()), *decided.unmet_of.get("", ())]
    told = [words["unmet"].format(what=line) for line in unmet]
    return [
        card_table("card-numbers", words, labels, rows, texts=labels),
        *([Notes(told)] if told else []),
    ]


def _named(of: Headline) -> str:
    meaning = asked_for(of.task).headlined(of.metric).meaning
    told = of.label + meaning
    unit = f", {of.unit.name}" if of.unit.name and of.unit.name not in told else ""
    return f"{of.label}{unit}" + (f": {meaning}" if meaning else "")


def _cells(of: Headline) -> list[Cell]:
    words, found = WORDS["shows"], of.estimate
    items = f"{found.n_items:,}"
    if found.n_dropped:
        items = words["dropped"].format(n=items, dropped=f"{found.n_dropped:,}")
    if muted(found):
        few = words["few"].format(n=found.n_items, least=ENOUGH_ITEMS)
        return [Cell(f"{MISSING} ({few})"), Cell(items), Cell(MISSING), Cell(_verdict(of))]
    value = Cell(estimate=replace(found, null=UNKNOWN), unit=of.unit)
    if not found.missing and math.isnan(found.low):
        value = Cell(f"{of.unit.write(found.value)} (no interval: {found.reason or 'undefined'})")
    return [value, Cell(items), Cell(_without(of) or MISSING), Cell(_verdict(of))]


def _without(of: Headline) -> str:
    declared = asked_for(of.task).headlined(of.metric)
    return of.without or without_effect(of.estimate, of.unit, declared)


def _verdict(of: Headline) -> str:
    return of.verdict.said if of.verdict else str(WORDS["shows"]["no_test"])


# --- What was left out, and what it does not show ---------------------------------------------


def _left_out(
    asked: Sequence[Asked], outcomes: pd.DataFrame, lost: pd.DataFrame, model: Model
) -> list[Block]:
    words = WORDS["left"]
    rows, notes = [], []
    for one in asked:
        of = outcomes[(outcomes["task"] == one.task) & (outcomes["model"] == model.label)]
        counts = {str(r["outcome"]): int(r["count"]) for r in of.to_dict("records")}
        wrong = ", ".join(f"{n:,} {one_line(o)}" for o, n in counts.items() if o != "ok")
        gone = _gone(lost, one.task)
        rows.append(
            text_row(
                one.paper.name,
                [f"{sum(counts.values()):,}", f"{counts.get('ok', 0):,}", wrong or words["nothing"],
                 ", ".join(f"{n:,} {what}" for what, n in gone.items()) or words["nothing"]],
            )
        )  # fmt: skip
        notes += [
            words["note"].format(task=one.paper.name, why=one_line(f"{r['what']}: {r['why']}", 400),
                                 n=f"{r['count']:,}")
            for r in lost[lost["task"] == one.task].to_dict("records")
            if r["what"] not in _NO_LOSS
        ]  # fmt: skip
    table = card_table("card-left-out", words, words["columns"], rows, texts=words["columns"][2:])
    return [table, *([Notes(notes)] if notes else [])]


def _gone(lost: pd.DataFrame, task: str) -> Counter[str]:
    """Samples that are in no number, by what happened to them."""
    gone: Counter[str] = Counter()
    for record in lost[lost["task"] == task].to_dict("records"):
        if record["what"] not in (*_NO_LOSS, SET_ASIDE, ASKED_OUT):
            gone[str(record["what"])] += int(record["count"])
    return gone


def _limits(
    asked: Sequence[Asked], numbers: Sequence[Headline], lost: pd.DataFrame, high: Sequence[str]
) -> Iterator[str]:
    words = WORDS["limits"]
    yield from words["said"]
    for said in high:
        yield words["ceiling"].format(said=one_line(said, 1_000))
    names = {one.task for one in asked}
    if left := [asked_for(task).name for task in asking() if task not in names]:
        yield words["tasks"].format(tasks=", ".join(left))
    for data in ("bundled", "paper"):
        if of := [one.paper.name for one in asked if one.run and one.run.data == data]:
            yield words[data].format(tasks=", ".join(of))
    for one in asked:
        usual = one.paper.selection(one.run.data if one.run else "")
        if usual and set(one.subsets) < set(usual):
            shown = ", ".join(one.paper.subset_names.get(s, s) for s in one.subsets) or "none"
            yield words["subsets"].format(task=one.paper.name, subsets=shown)
    if few := [
        f"{h.label} ({h.title}, {h.estimate.n_items})" for h in numbers if muted(h.estimate)
    ]:
        yield words["muted"].format(least=ENOUGH_ITEMS, what="; ".join(few))
    for record in lost[lost["what"].isin(["kept apart", "mixed versions"])].to_dict("records"):
        why = f"{asked_for(record['task']).name}: {one_line(record['why'])}"
        yield words["apart"].format(why=why) if record["what"] == "kept apart" else f"{why}."


# --- Where it comes from ----------------------------------------------------------------------


def _run_table(runs: Sequence[Run]) -> Table:
    words = WORDS["from"]
    rows = [
        text_row(
            asked_for(run.task).name,
            [_settings(run) or "none", f"{run.scored:,} of {run.planned:,}", run.started,
             run.software],
        )
        for run in runs
    ]  # fmt: skip
    return card_table("card-runs", words, words["columns"], rows, texts=words["columns"])


def _settings(run: Run) -> str:
    return one_line(", ".join(f"{setting_name(k)}={v}" for k, v in run.settings.items()), 400)


def _policy(decided: Decided, model: Model) -> tuple[str, int]:
    """The worst that a policy says of this model or of the logs as a whole, of how many checks."""
    said = [
        status
        for (_, of), statuses in decided.statuses.items()
        if of in (model.label, "")
        for status in statuses
    ]
    return next((word for word in _POLICY if word in said), ""), len(said)


def _lede(
    asked: Sequence[Asked], own: pd.DataFrame, runs: Sequence[Run], decided: Decided, model: Model
) -> str:
    word, checks = _policy(decided, model)
    told = f"{checks} check{'s' * (checks != 1)}"
    outcome = WORDS["policy"].format(word=word or "says nothing of it", checks=told)
    days = sorted({run.started[:10] for run in runs})
    return str(
        WORDS["lede"].format(
            tasks=", ".join(one.paper.name for one in asked) or "No task",
            replies=f"{len(own):,}",
            asked=" to ".join(dict.fromkeys((days[0], days[-1]))) if days else "at an unknown time",
            outcome=outcome if decided.outcome else "",
            least=ENOUGH_ITEMS,
        )
    )


def _data(
    model: Model, asked: Sequence[Asked], numbers: Sequence[Headline], lost: pd.DataFrame,
    runs: Sequence[Run], report: Report,
) -> Mapping[str, Any]:  # fmt: skip
    high = [found for found in report.ceilings.found if found.model == model.label]
    of_model = report.outcomes[report.outcomes["model"] == model.label]
    return {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "askew_version": __version__,
        "written": report.written,
        "model": {"model": model.label, "name": model.name, "simulated": model.simulated},
        "least_items": ENOUGH_ITEMS,
        "policy": _policy_data(report.decided, model),
        "asked": [
            {
                "task": one.task,
                "question": one.question,
                "reference": one.paper.cited,
                **{
                    k: getattr(one.run, k, None) for k in ("data", "revision", "prompts", "version")
                },
                **{k: getattr(one, k) for k in ("items", "subsets", "epochs", "wordings")},
                "wordings_not_asked": one.not_asked,
            }
            for one in asked
        ],
        "numbers": [
            {**_number(of), COLUMN: report.ceilings.of(of.task, model.label)} for of in numbers
        ],
        "outcomes": [
            {"task": r["task"], "outcome": r["outcome"], "count": int(r["count"])}
            for r in of_model.to_dict("records")
        ],
        "left_out": [
            {k: int(v) if k == "count" else str(v) for k, v in r.items() if k != "log"}
            for r in lost.to_dict("records")
        ],
        "limits": [*_limits(asked, numbers, lost, said_of(high))],
        "ceilings": [found.record for found in high],
        "runs": [run_record(run) for run in runs],
    }


def _policy_data(decided: Decided, model: Model) -> dict[str, Any] | None:
    if not decided.outcome:
        return None
    word, checks = _policy(decided, model)
    unmet = [*decided.unmet_of.get(model.label, ()), *decided.unmet_of.get("", ())]
    return {"status": word, "checks": checks, "unmet": unmet}


def _number(of: Headline) -> dict[str, Any]:
    found = of.estimate
    quiet = muted(found)
    shown = replace(found, value=math.nan, low=math.nan, high=math.nan) if quiet else found
    few = WORDS["shows"]["few"].format(n=found.n_items, least=ENOUGH_ITEMS)
    return {
        "task": of.task,
        "metric": of.metric,
        "label": of.label,
        "unit": of.unit.name,
        **{k: getattr(shown, k) for k in ("value", "low", "high", "n_items", "n_dropped")},
        "reason": few if quiet else found.reason or found.why,
        **(asdict(UNKNOWN) if quiet else asdict(found.null)),
        "verdict": of.verdict.word if of.verdict else None,
        "verdict_because": of.verdict.why if of.verdict else None,
    }
