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
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from askew.files import yaml_of
from askew.logs.excluded import ASKED_OUT, Run
from askew.papers import asked_for, asking
from askew.report.accounting import run_record, settings_of
from askew.report.blocks import (
    NOTHING_DECIDED,
    Block,
    Cell,
    Column,
    Decided,
    Document,
    Group,
    Headline,
    Note,
    Part,
    Row,
    Section,
    Table,
    simulated_note,
)
from askew.report.ceiling import COLUMN, said_of
from askew.report.estimates import Estimate, Model
from askew.report.render import write_document
from askew.report.report import Report, build_report
from askew.report.study import Study
from askew.report.verdicts import ALARM, without_effect
from askew.schema import ENOUGH_ITEMS, MISSING, SET_ASIDE, Paper
from askew.stats.nulls import UNKNOWN
from askew.stats.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import one_line
from askew.version import __version__

WORDS: Mapping[str, Any] = yaml_of("askew.report", "report.yaml")["card"]
KINDS = (".md", ".json")
# What is told of samples that is no loss, or of no sample at all.
_NO_LOSS = ("superseded", "mixed versions", "kept apart")
_POLICY = ("fail", "can't tell", "pass")


def write_cards(
    study: Study,
    path: str | Path,
    interval: Interval = DEFAULT_INTERVAL,
    decided: Decided = NOTHING_DECIDED,
) -> list[Path]:
    """Write a page a model: into a folder as Markdown and JSON, or one model's into such a file.

    Args:
        study: what was read.
        path: a folder; or a .md or .json file, where there is one model.
        interval: how to make intervals.
        decided: a policy's outcome to tell on top.
    """
    report = build_report(study, interval=interval, transcripts=False, decided=decided)
    made = [(m, card(study.rows, report, m)) for m in report.models]
    if Path(path).suffix.lower() in KINDS:
        if len(made) != 1:
            told = f"{path}: the logs hold {len(made)} models; a folder takes their cards"
            raise ValueError(told)
        return [write_document(made[0][1], path)]
    stems = _stems([m.label for m, _ in made])
    return [
        write_document(document, Path(path) / f"{stem}{kind}")
        for stem, (_, document) in zip(stems, made, strict=True)
        for kind in KINDS
    ]


def _stems(labels: Sequence[str]) -> list[str]:
    """A file name a model, whatever the others' order: labels that come to one name get digests."""
    plain = [re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-.")[:80] or "model" for label in labels]
    digests = [hashlib.sha256(la.encode("utf-8", "surrogatepass")).hexdigest() for la in labels]
    stems, length = list(plain), 8
    # A label may be what another one's name with its digest is: longer digests part them. Some
    # systems don't tell cases apart.
    while (counts := Counter(map(str.lower, stems))).total() > len(counts):
        stems = [
            f"{plain[n]}-{digests[n][:length]}" if counts[stem.lower()] > 1 else stem
            for n, stem in enumerate(stems)
        ]
        length += 8
    return stems


def card(rows: pd.DataFrame, report: Report, model: Model) -> Document:
    """The page of one model."""
    own = rows[rows["model"] == model.label]
    runs = [r for r in report.runs if r.model == model.label]
    tasks = list(dict.fromkeys([*(r.task for r in runs), *own["task"]]))
    asked = [_asked_of(task, own[own["task"] == task], runs) for task in tasks]
    numbers = [h for c in report.chapters for h in c.headlines if h.model.label == model.label]
    # One by one: no column of texts is searched for half a surrogate pair, which a name may hold.
    is_its = [name in (model.label, model.name) for name in report.losses["model"]]
    lost = report.losses[np.array(is_its, dtype=bool)]
    tested = [h.estimate for h in numbers if h.verdict and not h.estimate.missing]
    bends = sum(not _muted(estimate) for estimate in tested)
    chance = WORDS["shows"]["chance"].format(n=bends, chance=f"{ALARM * bends:.2f}")
    shown = [*WORDS["shows"]["said"], *([chance] if bends else [])]
    high = said_of(f for f in report.ceilings.found if f.model == model.label)
    sections = {
        "asked": Section("", "", (), [_asked_table(asked)]),
        "shows": Section("", "", shown, _number_blocks(numbers, report.decided, model)),
        "left": Section("", "", (), _left_out(asked, report.outcomes, lost, model)),
        "limits": Section("", "", (), [Note([*_limits(asked, numbers, lost, high)])]),
        "from": Section("", "", (), [_run_table(runs)]),
    }
    of_screen = report.screen.rows if report.screen else ()
    found = [said for row in of_screen if row.model is model for said in row.findings]
    parts = [Part(id, title, [sections[id]]) for id, title in WORDS["parts"].items()]
    return Document(
        title=WORDS["title"].format(model=model.label_shown),
        lede=" ".join([*found, _lede(asked, own, runs, report.decided, model)]),
        parts=parts,
        data=partial(_data, model, asked, numbers, lost, runs, report),
        simulated=simulated_note([model.short] if model.simulated else []),
        written=report.written,
    )


@dataclass(frozen=True)
class _Asked:
    """What one task asked of the model: of which questions, in which wordings."""

    task: str
    run: Run | None
    items: int
    subsets: tuple[str, ...]
    epochs: int
    wordings: Mapping[str, tuple[str, ...]]
    not_asked: Mapping[str, tuple[str, ...]]

    @property
    def paper(self) -> Paper:
        return asked_for(self.task)


def _asked_of(task: str, rows: pd.DataFrame, runs: Sequence[Run]) -> _Asked:
    paper = asked_for(task)
    wordings: dict[str, tuple[str, ...]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    for factor in paper.factors:
        if factor.name not in rows:
            continue
        seen = [str(v) for v in rows[factor.name].dropna().unique() if str(v)]
        declared = list(map(str, factor.conditions))
        ordered = [v for v in declared if v in seen] + [v for v in seen if v not in declared]
        labels = {str(v): factor.label(v) for v in factor.conditions}
        name = factor.name.replace("_", " ")
        wordings[name] = tuple(one_line(labels.get(v, v)) for v in ordered)
        if not factor.free:
            missing[name] = tuple(labels[v] for v in declared if v not in seen)
    return _Asked(
        task=task,
        run=next((r for r in runs if r.task == task), None),
        items=len(rows[["subset", "item"]].drop_duplicates()) if len(rows) else 0,
        subsets=tuple(dict.fromkeys(map(str, rows["subset"]))) if len(rows) else (),
        epochs=int(rows["epoch"].nunique()) if len(rows) else 0,
        wordings=wordings,
        not_asked={name: of for name, of in missing.items() if of},
    )


def _asked_table(asked: Sequence[_Asked]) -> Table:
    def listed(of: Mapping[str, Sequence[str]]) -> str:
        return "; ".join(f"{name}: {', '.join(values)}" for name, values in of.items())

    return _table("asked", [
        _texts(one.paper.name, [
            one.paper.question, _questions(one), listed(one.wordings) or MISSING,
            listed(one.not_asked) or WORDS["asked"]["all"],
        ])
        for one in asked
    ])  # fmt: skip


def _questions(one: _Asked) -> str:
    words, names = WORDS["asked"], one.paper.subset_names
    told: str = words["questions"].format(
        **{k: getattr(one.run, k, "unknown") for k in ("data", "revision", "version")},
        items=f"{one.items:,}",
        subsets=", ".join(one_line(names.get(s, s)) for s in one.subsets) or "none",
        epochs=words["epochs"].format(n=one.epochs) if one.epochs > 1 else "",
    )
    return told


def _table(id: str, rows: Sequence[Row], texts: slice = slice(None)) -> Table:
    """Make the table of one part: its words say what stands above it and on top of its columns."""
    words = WORDS[id]
    labels = words["columns"]
    shown = [Column(label, numeric=label not in labels[texts]) for label in labels]
    return Table(f"card-{id}", words["caption"], words["head"], shown, [Group(rows)])


def _texts(head: str, texts: Sequence[str]) -> Row:
    return Row(head, [Cell(text) for text in texts])


def _muted(found: Estimate) -> bool:
    """Whether a number rests on too few items to be told at all."""
    return not found.missing and found.n_items < ENOUGH_ITEMS


def _number_blocks(numbers: Sequence[Headline], decided: Decided, model: Model) -> list[Block]:
    rows = [Row(of.title, _cells(of), model.kind) for of in numbers]
    told = [WORDS["shows"]["unmet"].format(what=line) for line in _unmet(decided, model)]
    return [_table("shows", rows), *([Note(told)] if told else [])]


def _cells(of: Headline) -> list[Cell]:
    words, found, unit = WORDS["shows"], of.estimate, of.unit
    declared = asked_for(of.task).headlined(of.metric)
    name = of.label
    if unit.name and unit.name not in of.label + declared.meaning:
        name += f", {unit.name}"
    named = Cell(name + (f": {declared.meaning}" if declared.meaning else ""))
    verdict = Cell(of.verdict.said if of.verdict else words["no_test"])
    items = f"{found.n_items:,}"
    if found.n_dropped:
        items = words["dropped"].format(n=items, dropped=f"{found.n_dropped:,}")
    if _muted(found):
        few = words["few"].format(n=found.n_items, least=ENOUGH_ITEMS)
        return [named, Cell(f"{MISSING} ({few})"), Cell(items), Cell(MISSING), verdict]
    value = Cell(estimate=replace(found, null=UNKNOWN), unit=unit)
    if not found.missing and math.isnan(found.low):
        value = Cell(f"{unit.write(found.value)} (no interval: {found.reason or 'undefined'})")
    without = of.without or without_effect(found, unit, declared)
    return [named, value, Cell(items), Cell(without or MISSING), verdict]


def _left_out(
    asked: Sequence[_Asked], outcomes: pd.DataFrame, lost: pd.DataFrame, model: Model
) -> list[Block]:
    words = WORDS["left"]
    rows, notes = [], []
    for one in asked:
        of = outcomes[(outcomes["task"] == one.task) & (outcomes["model"] == model.label)]
        counts = {str(r["outcome"]): int(r["count"]) for r in of.to_dict("records")}
        wrong = ", ".join(f"{n:,} {one_line(o)}" for o, n in counts.items() if o != "ok")
        left = lost[lost["task"] == one.task].to_dict("records")
        gone: Counter[str] = Counter()
        for record in left:
            if record["what"] not in (*_NO_LOSS, SET_ASIDE, ASKED_OUT):
                gone[str(record["what"])] += int(record["count"])
        lacking = ", ".join(f"{n:,} {what}" for what, n in gone.items())
        texts = [f"{sum(counts.values()):,}", f"{counts.get('ok', 0):,}", wrong, lacking]
        rows.append(_texts(one.paper.name, [text or words["nothing"] for text in texts]))
        for record in left:
            if record["what"] not in _NO_LOSS:
                why = one_line(f"{record['what']}: {record['why']}", 400)
                count = f"{record['count']:,}"
                notes.append(words["note"].format(task=one.paper.name, why=why, n=count))
    return [_table("left", rows, texts=slice(2, None)), *([Note(notes)] if notes else [])]


def _limits(
    asked: Sequence[_Asked], numbers: Sequence[Headline], lost: pd.DataFrame, high: Sequence[str]
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
    few = [f"{h.label} ({h.title}, {h.estimate.n_items})" for h in numbers if _muted(h.estimate)]
    if few:
        yield words["muted"].format(least=ENOUGH_ITEMS, what="; ".join(few))
    for record in lost[lost["what"].isin(["kept apart", "mixed versions"])].to_dict("records"):
        why = f"{asked_for(record['task']).name}: {one_line(record['why'])}"
        yield words["apart"].format(why=why) if record["what"] == "kept apart" else f"{why}."


def _run_table(runs: Sequence[Run]) -> Table:
    rows = []
    for run in runs:
        scored = f"{run.scored:,} of {run.planned:,}"
        texts = [settings_of(run, 400), scored, run.started, run.software]
        rows.append(_texts(asked_for(run.task).name, texts))
    return _table("from", rows)


def _policy(decided: Decided, model: Model) -> tuple[str, int]:
    """The worst that a policy says of this model or of the logs as a whole, of how many checks."""
    own = (of for (_, m), of in decided.statuses.items() if m in (model.label, ""))
    said = [status for statuses in own for status in statuses]
    return next((word for word in _POLICY if word in said), ""), len(said)


def _unmet(decided: Decided, model: Model) -> list[str]:
    return [*decided.unmet_of.get(model.label, ()), *decided.unmet_of.get("", ())]


def _lede(
    asked: Sequence[_Asked], own: pd.DataFrame, runs: Sequence[Run], decided: Decided, model: Model
) -> str:
    word, checks = _policy(decided, model)
    told = f"{checks} check{'s' * (checks != 1)}"
    outcome = WORDS["policy"].format(word=word or "says nothing of it", checks=told)
    days = sorted({run.started[:10] for run in runs})
    lede: str = WORDS["lede"].format(
        tasks=", ".join(one.paper.name for one in asked) or "No task",
        replies=f"{len(own):,}",
        asked=" to ".join(dict.fromkeys((days[0], days[-1]))) if days else "at an unknown time",
        outcome=outcome if decided.outcome else "",
        least=ENOUGH_ITEMS,
    )
    return lede


def _data(
    model: Model, asked: Sequence[_Asked], numbers: Sequence[Headline], lost: pd.DataFrame,
    runs: Sequence[Run], report: Report,
) -> Mapping[str, Any]:  # fmt: skip
    high = [found for found in report.ceilings.found if found.model == model.label]
    of_model = report.outcomes[report.outcomes["model"] == model.label]
    word, checks = _policy(report.decided, model)
    policy = {"status": word, "checks": checks, "unmet": _unmet(report.decided, model)}
    return {
        "schema": "askew-card",
        "version": "1.1",
        "askew_version": __version__,
        "written": report.written,
        "model": {"model": model.label, "name": model.name, "simulated": model.simulated},
        "least_items": ENOUGH_ITEMS,
        "policy": policy if report.decided.outcome else None,
        "asked": [
            {
                "task": one.task,
                "question": one.paper.question,
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


def _number(of: Headline) -> dict[str, Any]:
    found = of.estimate
    quiet = _muted(found)
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
