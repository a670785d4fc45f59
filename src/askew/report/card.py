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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from askew.files import yaml_of
from askew.logs.excluded import ASKED_OUT
from askew.papers import asked_for, asking
from askew.report.accounting import run_record, settings_of
from askew.report.blocks import (
    NOTHING_DECIDED,
    POLICY,
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
    filled,
    simulated_note,
)
from askew.report.ceiling import COLUMN
from askew.report.estimates import Estimate, Model, RowKind
from askew.report.render import write_document
from askew.report.report import Report, build_report, headline_record, records
from askew.report.study import Study
from askew.report.verdicts import ALARM, without_effect
from askew.schema import ENOUGH_ITEMS, MISSING, SET_ASIDE
from askew.stats.nulls import UNKNOWN
from askew.stats.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import one_line
from askew.version import __version__

WORDS: Mapping[str, Any] = yaml_of("askew.report", "report.yaml")["card"]
KINDS = (".md", ".json")
# What is told of samples that is no loss, or of no sample at all.
_NO_LOSS = ("superseded", "mixed versions", "kept apart")


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
    cards = [_card(report, model) for model in report.models]
    if Path(path).suffix.lower() in KINDS:
        if len(cards) != 1:
            told = f"{path}: the logs hold {len(cards)} models; a folder takes their cards"
            raise ValueError(told)
        return [write_document(cards[0], path)]
    stems = _stems([model.label for model in report.models])
    return [
        write_document(document, Path(path) / f"{stem}{kind}")
        for stem, document in zip(stems, cards, strict=True)
        for kind in KINDS
    ]


def _stems(labels: Sequence[str]) -> list[str]:
    """A file name a model, whatever the others' order: labels that come to one name get digests."""
    stems = [re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-.")[:80] or "model" for label in labels]
    plain, length = stems, 0
    # A label may be what another one's name with its digest is: longer digests part them. Some
    # systems don't tell cases apart.
    while (counts := Counter(map(str.lower, stems))).total() > len(counts):
        length += 8
        stems = [
            f"{name}-{_digest(label)[:length]}" if counts[stem.lower()] > 1 else stem
            for name, label, stem in zip(plain, labels, stems, strict=True)
        ]
    return stems


def _digest(label: str) -> str:
    return hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()


def _card(report: Report, model: Model) -> Document:
    """The page of one model."""
    every, words = report.study, WORDS["shows"]
    # One by one: no column of texts is searched for half a surrogate pair, which a name may hold.
    is_its = [name in (model.label, model.name) for name in every.excluded["model"]]
    own = Study(
        every.rows[every.rows["model"] == model.label],
        every.excluded[np.array(is_its, dtype=bool)],
        tuple(run for run in every.runs if run.model == model.label),
    )
    tasks = dict.fromkeys([*(run.task for run in own.runs), *own.rows["task"]])
    asked = [_asked(task, own) for task in tasks]
    numbers = [h for c in report.chapters for h in c.headlines if h.model.label == model.label]
    high = report.ceilings.only(lambda _, of: of == model.label)
    limits = [*_limits(asked, numbers, own.excluded, high.notes)]
    policy = _policy(report.decided, model)
    tested = [h.estimate for h in numbers if h.verdict and not h.estimate.missing]
    bends = sum(not _muted(estimate) for estimate in tested)
    chance = words["chance"].format(n=bends, chance=f"{ALARM * bends:.2f}")
    shown = [*words["said"], *([chance] if bends else [])]
    unmet = [words["unmet"].format(what=line) for line in policy["unmet"]]
    sections = {
        "asked": Section("", "", (), [_asked_table(asked)]),
        "shows": Section("", "", shown, [
            _table("shows", map(_cells, numbers), kind=model.kind), *_notes(unmet),
        ]),
        "left": Section("", "", (), _left_out(asked, own)),
        "limits": Section("", "", (), [Note(limits)]),
        "from": Section("", "", (), [_table("from", (
            (asked_for(run.task).name, settings_of(run, 400),
             f"{run.scored:,} of {run.planned:,}", run.started, run.software)
            for run in own.runs
        ))]),
    }  # fmt: skip
    of_screen = report.screen.rows if report.screen else ()
    found = [said for row in of_screen if row.model is model for said in row.findings]
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
        "limits": limits,
        "ceilings": high.records,
        "runs": [run_record(run) for run in own.runs],
    }
    return Document(
        title=WORDS["title"].format(model=model.label_shown),
        lede=" ".join([*found, _lede(asked, own, policy if report.decided.outcome else None)]),
        parts=[Part(id, title, [sections[id]]) for id, title in WORDS["parts"].items()],
        data=lambda: data,
        simulated=simulated_note([model.short] if model.simulated else []),
        written=report.written,
    )


def _asked(task: str, own: Study) -> dict[str, Any]:
    """What one task asked of the model, as a record: of which questions, in which wordings."""
    paper, rows = asked_for(task), own.rows[own.rows["task"] == task]
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
        "reference": paper.cited,
        **{k: getattr(run, k, None) for k in ("data", "revision", "prompts", "version")},
        "items": len(rows[["subset", "item"]].drop_duplicates()),
        "subsets": list(dict.fromkeys(map(str, rows["subset"]))),
        "epochs": rows["epoch"].nunique(),
        "wordings": wordings,
        "wordings_not_asked": {name: of for name, of in missing.items() if of},
    }


def _asked_table(asked: Sequence[Mapping[str, Any]]) -> Table:
    words, rows = WORDS["asked"], []
    for one in asked:
        questions = words["questions"].format(
            **{k: one[k] or "unknown" for k in ("data", "revision", "version")},
            items=f"{one['items']:,}",
            subsets=_subsets(one),
            epochs=words["epochs"].format(n=one["epochs"]) if one["epochs"] > 1 else "",
        )
        how, missing = (
            "; ".join(f"{name}: {', '.join(values)}" for name, values in one[key].items())
            for key in ("wordings", "wordings_not_asked")
        )
        told = (one["question"], questions, how or MISSING, missing or words["all"])
        rows.append((_name(one), *told))
    return _table("asked", rows)


def _name(one: Mapping[str, Any]) -> str:
    return asked_for(one["task"]).name


def _subsets(one: Mapping[str, Any]) -> str:
    names = asked_for(one["task"]).subset_names
    return ", ".join(one_line(names.get(s, s)) for s in one["subsets"]) or "none"


def _notes(lines: Sequence[str]) -> list[Block]:
    return [Note(lines)] if lines else []


def _table(
    id: str, rows: Iterable[Sequence[str | Cell]], numeric: int = 0, kind: RowKind = "measured"
) -> Table:
    """The table of one part: its words say what stands above it and on top of its columns."""
    words = WORDS[id]
    columns = [Column(label, numeric=n < numeric) for n, label in enumerate(words["columns"])]
    made = [
        Row(str(head), [c if isinstance(c, Cell) else Cell(c) for c in cells], kind)
        for head, *cells in rows
    ]
    return Table(f"card-{id}", words["caption"], words["head"], columns, [Group(made)])


def _muted(found: Estimate) -> bool:
    """Whether a number rests on too few items to be told at all."""
    return not found.missing and found.n_items < ENOUGH_ITEMS


def _cells(of: Headline) -> list[str | Cell]:
    words, found, unit = WORDS["shows"], of.estimate, of.unit
    declared = asked_for(of.task).headlined(of.metric)
    named = of.label
    if unit.name and unit.name not in of.label + declared.meaning:
        named += f", {unit.name}"
    named += f": {declared.meaning}" if declared.meaning else ""
    verdict = of.verdict.said if of.verdict else words["no_test"]
    items = f"{found.n_items:,}"
    if found.n_dropped:
        items = words["dropped"].format(n=items, dropped=f"{found.n_dropped:,}")
    if _muted(found):
        few = words["few"].format(n=found.n_items, least=ENOUGH_ITEMS)
        return [of.title, named, f"{MISSING} ({few})", items, MISSING, verdict]
    value = Cell(estimate=replace(found, null=UNKNOWN), unit=unit)
    if not found.missing and math.isnan(found.low):
        value = Cell(f"{unit.write(found.value)} (no interval: {found.reason or 'undefined'})")
    without = of.without or without_effect(found, unit, declared)
    return [of.title, named, value, items, without or MISSING, verdict]


def _left_out(asked: Sequence[Mapping[str, Any]], own: Study) -> list[Block]:
    words = WORDS["left"]
    rows, notes = [], []
    for one in asked:
        of = own.outcomes[own.outcomes["task"] == one["task"]]
        counts = dict(zip(of["outcome"], of["count"], strict=True))
        wrong = ", ".join(f"{n:,} {one_line(o)}" for o, n in counts.items() if o != "ok")
        gone: Counter[str] = Counter()
        left = own.excluded[own.excluded["task"] == one["task"]]
        for record in left[~left["what"].isin(_NO_LOSS)].to_dict("records"):
            what, n = str(record["what"]), int(record["count"])
            if what not in (SET_ASIDE, ASKED_OUT):
                gone[what] += n
            why = one_line(f"{what}: {record['why']}", 400)
            notes.append(words["note"].format(task=_name(one), why=why, n=f"{n:,}"))
        lacking = ", ".join(f"{n:,} {what}" for what, n in gone.items())
        texts = (f"{sum(counts.values()):,}", f"{counts.get('ok', 0):,}", wrong, lacking)
        rows.append((_name(one), *(text or words["nothing"] for text in texts)))
    return [_table("left", rows, numeric=2), *_notes(notes)]


def _limits(
    asked: Sequence[Mapping[str, Any]],
    numbers: Sequence[Headline],
    lost: pd.DataFrame,
    high: Sequence[str],
) -> Iterator[str]:
    words = WORDS["limits"]
    yield from words["said"]
    for said in high:
        yield words["ceiling"].format(said=one_line(said, 1_000))
    names = {one["task"] for one in asked}
    if left := [asked_for(task).name for task in asking() if task not in names]:
        yield words["tasks"].format(tasks=", ".join(left))
    for data in ("bundled", "paper"):
        if of := [_name(one) for one in asked if one["data"] == data]:
            yield words[data].format(tasks=", ".join(of))
    for one in asked:
        usual = asked_for(one["task"]).selection(one["data"] or "")
        if usual and {*one["subsets"]} < {*usual}:
            yield words["subsets"].format(task=_name(one), subsets=_subsets(one))
    few = [f"{h.label} ({h.title}, {h.estimate.n_items})" for h in numbers if _muted(h.estimate)]
    if few:
        yield words["muted"].format(least=ENOUGH_ITEMS, what="; ".join(few))
    for record in lost[lost["what"].isin(["kept apart", "mixed versions"])].to_dict("records"):
        why = f"{asked_for(record['task']).name}: {one_line(record['why'])}"
        yield words["apart"].format(why=why) if record["what"] == "kept apart" else f"{why}."


def _policy(decided: Decided, model: Model) -> dict[str, Any]:
    """The worst that a policy says of this model or of the logs as a whole, of how many checks."""
    own = (of for (_, m), of in decided.statuses.items() if m in (model.label, ""))
    said = [status for statuses in own for status in statuses]
    unmet = [*decided.unmet_of.get(model.label, ()), *decided.unmet_of.get("", ())]
    worst = next((word for word in POLICY if word in said), "")
    return {"status": worst, "checks": len(said), "unmet": unmet}


def _lede(asked: Sequence[Mapping[str, Any]], own: Study, policy: Mapping[str, Any] | None) -> str:
    days = sorted({run.started[:10] for run in own.runs})
    return filled(
        WORDS["lede"],
        tasks=", ".join(map(_name, asked)) or "No task",
        replies=len(own.rows),
        days=list(dict.fromkeys((*days[:1], *days[-1:]))),
        policy=policy,
        least=ENOUGH_ITEMS,
    )


def _number(of: Headline) -> dict[str, Any]:
    """The report's record without its words, and of too few items without its number."""
    record = headline_record(of)
    if _muted(of.estimate):
        few = WORDS["shows"]["few"].format(n=of.estimate.n_items, least=ENOUGH_ITEMS)
        none = {"value": math.nan, "low": math.nan, "high": math.nan, **asdict(UNKNOWN)}
        record |= {**none, "reason": few}
    words = ("items_needed", "sentence", "worst_finding")
    named = {"label": of.label, "unit": of.unit.name}
    return {k: v for k, v in record.items() if k not in words} | named
