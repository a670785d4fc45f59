"""Observations as Every Eval Ever 0.3.0 has them, a file of numbers and one of samples per run.

A sample's metadata holds the columns of its observation. https://github.com/evaleval/every_eval_ever
"""

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pandas as pd
from inspect_ai.log import EvalSample

from askew import __version__
from askew.files import fill_text, write_atomically, yaml_of
from askew.logs.read import Asking, read_samples
from askew.logs.tables import ExportError, Run, observation_table
from askew.papers import get_paper
from askew.report.study import Study, at_top, levels_of
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, Interval
from askew.untrusted import digest, escape_control, one_line, whole_characters

FORMAT, SCHEMA_VERSION = "every-eval-ever", "0.3.0"
UNSTATED = "unstated"
# What a folder of that form can't be called.
_BAD_IN_PATH = re.compile(r'[<>:"\\|?*\x00-\x1f]+')
# Of a developer's or a model's name, in bytes: a system takes 255 of a folder's.
_LONGEST = 160
_METHOD = "; items resampled (askew docs/explanation/statistics.md)"
_FORM = yaml_of(__package__, "exchange.yaml")
Told = dict[str, Any]
"""What fills a form."""


def write_exchange(
    study: Study, folder: str | Path, *, organization: str = UNSTATED,
    interval: Interval = DEFAULT_INTERVAL,
) -> list[Path]:  # fmt: skip
    """Write each run as `data/askew_<task>/<developer>/<model>/<id>.json` and `<id>_samples.jsonl`.

    Args:
        study: The logs, as `Study.read` returns them; the files must still be there.
        folder: The folder for `data/`.
        organization: Who ran the evaluation.
        interval: How to compute intervals.

    Returns:
        The paths of the files.

    Raises:
        ExportError: Logs of some runs can't be read any more; the other runs are written first.
    """
    if lost := sorted({*study.rows.get("run", [])} - {run.run for run in study.runs}):
        why = "nothing says what it was; read its logs again"
        raise ExportError("; ".join(f"run {one_line(run)}: {why}" for run in lost))
    written, failed = list[Path](), list[str]()
    simulated = {m.label for m in study.models if m.simulated}
    summary = study.summary(interval)
    for run in study.runs:
        rows = study.by_task.get(run.task, study.rows[:0])
        rows = rows[rows["run"] == run.run]
        if not len(rows):
            continue
        name = str(rows["model_name"].iloc[0])
        values = _template_values(run, name, organization, run.model in simulated)
        try:
            samples = "".join(_samples(values, rows))
        except ExportError as error:
            failed.append(str(error))
            continue
        numbers = summary[(summary["task"] == run.task) & (summary["model"] == run.model)]
        results = [*_results(values, numbers, interval)]
        more = {"results": results, "checksum": digest(samples, 64), "rows": len(rows)}
        filled = fill_text(_FORM["head"], values | more)
        head = json.dumps(filled, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
        # The numbers last: they name the file of samples.
        files = {"_samples.jsonl": samples, ".json": head}
        paths = [write_atomically(Path(folder, values["home"] + n), t) for n, t in files.items()]
        written += reversed(paths)
    if failed:
        raise ExportError(f"{'; '.join(failed)}; {len(written)} files of other runs are written")
    return written


def read_exchange(folder: str | Path) -> pd.DataFrame:
    """Read the observations of a folder that `write_exchange` wrote, without the exclusions.

    Args:
        folder: The folder that holds `data/`.

    Returns:
        Rows as those of `read_observations`.

    Raises:
        ValueError: A file is not of this format; the message names it.
    """
    rows = []
    for path in sorted(Path(folder).rglob("*_samples.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                told = json.loads(line)["metadata"].items()
                rows.append({k.removeprefix("askew."): json.loads(v) for k, v in told})
            except (ValueError, TypeError, AttributeError, KeyError) as error:
                raise ValueError(f"{path}: not of this format: {error}") from error
    return observation_table(rows)


def _template_values(run: Run, model_name: str, organization: str, simulated: bool) -> Told:
    """What every part of a run's form may be filled with."""
    paper = get_paper(run.task)
    model_id = _model_id(model_name)
    developer, _, model = model_id.partition("/")
    name = f"askew_{run.task}"
    id = f"{name}/{model_id}/{run.run}"
    place = Path("data", name, developer, model.replace("/", "_"))
    place /= str(UUID(digest(id, 32), version=4))
    inspect = re.search(r"inspect_ai ([^,\s]+)", run.software)
    return {
        **vars(run), "version_of_task": run.version, "version": SCHEMA_VERSION, "id": id,
        "name": name, "created": str(int(time.time())), "organization": organization,
        "title": f"askew: {paper.title}", "reference": paper.citation, "askew": __version__,
        "model_name": model_name, "model_id": model_id, "model_label": run.model,
        "simulated": str(simulated).lower(), "dataset": f"askew/{run.task} ({run.data})",
        "settings": json.dumps(run.settings, ensure_ascii=False), "home": place.as_posix(),
        "inspect": inspect[1] if inspect else "unknown",
        "file": f"{place.as_posix()}_samples.jsonl",
    }  # fmt: skip


def _results(values: Told, numbers: pd.DataFrame, interval: Interval) -> Iterator[Told]:
    """The task's numbers over all that was asked; those that are not defined have no place."""
    levels = levels_of(numbers)
    for row in numbers[at_top(numbers, opened=("subset",))].to_dict("records"):
        if math.isnan(row["value"]):
            continue
        name = str(row["metric"])
        metric = get_paper(values["task"]).headline_declaration(name)
        place = {k: str(row[k]) for k in levels if not pd.isna(row[k])}
        least, most = (
            b if math.isfinite(b) else f"{b}".replace("inf", "Infinity") for b in metric.bounds
        )
        at = ",".join(f"{k}={v}" for k, v in place.items())
        nulls = {k: f"{row[k]!r}" for k in NULL_COLUMNS if not math.isnan(row[k])}
        uncertainty: Told = {"num_samples": int(row["n_items"])}
        if not math.isnan(row["low"] + row["high"]):
            ends = {"low": float(row["low"]), "high": float(row["high"])}
            how = {"level": interval.level, "method": f"{metric.interval}{_METHOD}"}
            uncertainty["confidence_interval"] = fill_text(_FORM["interval"], ends | how)
        yield fill_text(_FORM["result"], values | {
            "result": f"{values['id']}#{name}[{at}]",
            "meaning": metric.meaning or metric.label or name,
            "metric": f"askew.{values['task']}.{name}", "label": metric.label or name,
            "unit": "proportion" if metric.unit.factor == 100 else metric.unit.name or "number",
            "place": place, "lower": metric.better == "lower", "least": least, "most": most,
            "better": metric.better, "margin": f"{metric.margin!r}", "value": float(row["value"]),
            "uncertainty": uncertainty,
            "details": {
                **{k: f"{row[k]}" for k in ("n_items", "n_dropped", "dropped_of")}, **nulls,
                **({"reason": str(row["reason"])} if row["reason"] else {}),
            },
        })  # fmt: skip


def _samples(values: Told, rows: pd.DataFrame) -> list[str]:
    """One line an observation, in the order of the rows."""
    lines, records = [""] * len(rows), rows.to_dict("records")
    places: dict[str, dict[Asking, list[int]]] = {}
    for n, row in enumerate(records):
        asking = str(row["sample_id"]), int(row["epoch"])
        places.setdefault(str(row["log"]), {}).setdefault(asking, []).append(n)
    for log, wanted in places.items():
        where = unreadable = "prompts and replies can't be read from it"
        try:
            for asking, found in read_samples(log, [*wanted]):
                where = _name(asking)
                if isinstance(found, Exception):
                    raise found
                for n in wanted.pop(asking):
                    lines[n] = _line(_sample(values, records[n], found))
                where = unreadable
        except Exception as error:  # a log may hold anything, and storage fail in its own way
            text = one_line(f"{type(error).__name__}: {error}")
            raise ExportError(f"{log}: {where}: {text}") from error
        if wanted:
            raise ExportError(f"{log}: it no longer contains {_name(min(wanted))}")
    return lines


def _name(asking: Asking) -> str:
    return f"sample {one_line(asking[0])!r} in epoch {asking[1]}"


def _sample(values: Told, row: Mapping[Any, Any], sample: EvalSample) -> Told:
    target = [sample.target] if isinstance(sample.target, str) else sample.target
    dialogue = [{"turn_idx": turn, "role": message.role, "content": message.text}
                for turn, message in enumerate(sample.messages)]  # fmt: skip
    prompts = [str(one["content"]) for one in dialogue if one["role"] in ("system", "user")]
    turns = [one["turn_idx"] for one in dialogue if one["role"] == "assistant"]
    several = len(turns) > 1
    raw = "\n\n".join(prompts[:1] if several else prompts)
    measure = get_paper(values["task"]).split_of
    score = float(row[measure])
    if math.isnan(score):
        raise ValueError(f"its score lacks {measure}, which this format requires")
    kept = {k: v for k, v in row.items() if not (v is None or v is pd.NA or v != v)}
    answer = {
        "turn": turns[-1] if several else 0, "answer": str(row.get("answer")),
        "source": "messages[turn_idx].content" if several else "output.raw",
        "by": str(row.get("decided_by") or "rules"),
    }  # fmt: skip
    made: Told = fill_text(_FORM["sample"], values | {
        "sample": str(row["sample_id"]), "hash": digest(raw + "".join(target), 64),
        "kind": "multi_turn" if several else "single_turn", "raw": raw, "target": target,
        "choices": sample.choices or None, "messages": dialogue if several else None,
        "output": None if several else {"raw": [sample.output.completion]},
        "answers": [fill_text(_FORM["answer"], answer)] if "answer" in kept else [],
        "score": score, "correct": score == 1.0, "turns": max(1, len(turns)),
        "metadata": {
            f"askew.{k}": json.dumps(v.item() if hasattr(v, "item") else v, ensure_ascii=False)
            for k, v in kept.items()
        },
    })  # fmt: skip
    return made


def _model_id(name: str) -> str:
    """The model's name as that form takes it: a provider, a slash, a name; long ones are cut."""
    kept = whole_characters(name)
    clean = _BAD_IN_PATH.sub("-", escape_control(kept, len(kept))).strip("/. ")
    parts = [p.strip(". ") or "-" for p in clean.split("/") if p.strip()]
    developer, *rest = parts if len(parts) > 1 else (UNSTATED, *parts)
    names = [developer, "/".join(rest) or "-"]
    for i, name in enumerate(names):
        if len(whole := name.encode()) > _LONGEST:
            start = whole[:_LONGEST].decode(errors="ignore").strip("/. ")
            names[i] = f"{start}-{digest(name, 8)}"
    return "/".join(names)


def _line(record: Mapping[str, Any]) -> str:
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    # Line separators of Unicode end a line for some readers.
    return re.sub("[\x85\u2028\u2029]", lambda m: f"\\u{ord(m[0]):04x}", text) + "\n"
