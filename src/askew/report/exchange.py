"""Observations in the form of Every Eval Ever (schema 0.3.0), and back.

A run is one evaluation: a file of its numbers with their intervals, and one of its samples with
what was asked, replied and read. The columns of an observation travel in a sample's metadata, so
that conditions and scores come back as they were. https://github.com/evaleval/every_eval_ever
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pandas as pd
from inspect_ai.log import EvalSample

from askew.files import formed, write_whole, yaml_of
from askew.logs.excluded import Run
from askew.logs.observations import ExportError, observation_table
from askew.logs.samples import Asking, read_samples
from askew.papers import asked_for
from askew.report.study import Study
from askew.report.summary import at_top, levels_of
from askew.schema import Metric, Paper
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, Interval
from askew.untrusted import one_line, shown, whole_characters
from askew.version import __version__

FORMAT, SCHEMA_VERSION = "every-eval-ever", "0.3.0"
UNSTATED = "unstated"
# What a folder of that form can't be called.
_BAD_IN_PATH = re.compile(r'[<>:"\\|?*\x00-\x1f]+')
# Of a developer's and of a model's name, in bytes: a system takes 255 of a folder's.
_LONGEST_DEVELOPER, _LONGEST_MODEL = 80, 160
_METHOD = "; items resampled (askew docs/statistics.md)"
_FORM = yaml_of(__package__, "exchange.yaml")
_FAILED_SHOWN = 10


def write_exchange(
    study: Study, folder: str | Path, *, organization: str = UNSTATED,
    interval: Interval = DEFAULT_INTERVAL,
) -> list[Path]:  # fmt: skip
    """Write each run as `data/askew_<task>/<developer>/<model>/<id>.json` and `<id>_samples.jsonl`.

    ExportError names the runs whose logs can't be read any more; the others are written before.

    Args:
        study: what was read; its logs must still be there.
        folder: where `data/` is to be.
        organization: who ran the evaluation.
        interval: how to make intervals.
    """
    written: list[Path] = []
    failed: list[str] = []
    behind = {run.run: run for run in study.runs}
    simulated = {m.label for m in study.models if m.simulated}
    summary = study.summary(interval)
    for task, part in study.by_task.items():
        for name, own in part.groupby("run", sort=False):
            run = behind.get(str(name))
            if run is None:
                raise ExportError(f"run {name}: nothing says what it was; read its logs again")
            numbers = summary[(summary["task"] == task) & (summary["model"] == run.model)]
            made = _Evaluation(run, own, numbers, run.model in simulated, organization, interval)
            try:
                samples = "".join(made.samples())
            except ExportError as error:
                failed.append(str(error))
                continue
            home = Path(folder) / made.home
            lines = write_whole(home.with_name(f"{home.name}_samples.jsonl"), samples)
            head = json.dumps(made.head(samples), indent=1, allow_nan=False, ensure_ascii=False)
            written += [write_whole(home.with_name(f"{home.name}.json"), head + "\n"), lines]
    if failed:
        told = "; ".join(failed[:_FAILED_SHOWN]) + ("; …" if len(failed) > _FAILED_SHOWN else "")
        raise ExportError(f"{told}; {len(written)} files of other runs are written")
    return written


def read_exchange(folder: str | Path) -> pd.DataFrame:
    """The observations in a folder that `write_exchange` wrote, without what was left out."""
    rows = []
    for path in sorted(Path(folder).rglob("*_samples.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            metadata = json.loads(line)["metadata"]
            rows.append({k.removeprefix("askew."): json.loads(v) for k, v in metadata.items()})
    return observation_table(rows)


class _Evaluation:
    """One run in that form, of which `exchange.yaml` holds the parts."""

    def __init__(
        self, run: Run, rows: pd.DataFrame, numbers: pd.DataFrame, simulated: bool,
        organization: str, interval: Interval,
    ) -> None:  # fmt: skip
        self.run, self.rows, self.numbers, self.interval = run, rows, numbers, interval
        self.paper: Paper = asked_for(run.task)
        model_name = str(rows["model_name"].iloc[0])
        self.model_id = _model_id(model_name)
        self.name = f"askew_{run.task}"
        self.id = f"{self.name}/{self.model_id}/{run.run}"
        digest = hashlib.sha256(self.id.encode()).digest()
        developer, _, model = self.model_id.partition("/")
        self.home = Path("data") / self.name / developer / model.replace("/", "_")
        self.home /= str(UUID(bytes=digest[:16], version=4))
        self.told = {
            **vars(run), "version_of_task": run.version, "version": SCHEMA_VERSION, "id": self.id,
            "name": self.name, "created": str(int(time.time())), "organization": organization,
            "title": f"askew: {self.paper.title}", "reference": self.paper.cited,
            "askew": __version__, "model_name": model_name, "model_id": self.model_id,
            "model_label": run.model, "simulated": str(simulated).lower(),
            "dataset": f"askew/{run.task} ({run.data})",
            "settings": json.dumps(run.settings, ensure_ascii=False),
        }  # fmt: skip

    def _form(self, part: str, **told: Any) -> dict[str, Any]:
        made: dict[str, Any] = formed(_FORM[part], {**self.told, **told})
        return made

    def head(self, samples: str) -> dict[str, Any]:
        inspect = re.search(r"inspect_ai ([^,\s]+)", self.run.software)
        return self._form(
            "head", inspect=inspect[1] if inspect else "unknown", results=[*self._results()],
            file=f"{self.home.as_posix()}_samples.jsonl", checksum=_digest(samples),
            rows=len(self.rows),
        )  # fmt: skip

    def _results(self) -> Iterator[dict[str, Any]]:
        """The task's numbers over all that was asked; those that are not defined have no place."""
        shown = self.numbers[at_top(self.numbers, opened=("subset",))]
        levels = levels_of(shown)
        for row in shown.to_dict("records"):
            if math.isnan(row["value"]):
                continue
            name, metric = str(row["metric"]), self.paper.headlined(str(row["metric"]))
            place = {k: str(row[k]) for k in levels if not pd.isna(row[k])}
            at = ",".join(f"{k}={v}" for k, v in place.items())
            yield self._form(
                "result",
                result=f"{self.id}#{name}[{at}]",
                meaning=metric.meaning or metric.label or name,
                metric=f"askew.{self.run.task}.{name}",
                label=metric.label or name,
                unit="proportion" if metric.unit.factor == 100 else metric.unit.name or "number",
                place=place,
                lower=metric.better == "lower",
                least=_bound(metric.bounds[0]),
                most=_bound(metric.bounds[1]),
                better=metric.better,
                margin=f"{metric.margin!r}",
                value=float(row["value"]),
                uncertainty=self._uncertainty(row, metric),
                details=_details(row),
            )

    def _uncertainty(self, row: Mapping[Any, Any], metric: Metric) -> dict[str, Any]:
        told: dict[str, Any] = {"num_samples": int(row["n_items"])}
        ends = {end: float(row[end]) for end in ("low", "high")}
        if not any(map(math.isnan, ends.values())):
            how = {"level": self.interval.level, "method": f"{metric.interval}{_METHOD}"}
            told["confidence_interval"] = formed(_FORM["interval"], ends | how)
        return told

    def samples(self) -> list[str]:
        """One line an observation, in the order of the rows."""
        places: dict[str, dict[Asking, list[int]]] = {}
        rows = self.rows.to_dict("records")
        for place, row in enumerate(rows):
            asking = str(row["sample_id"]), int(row["epoch"])
            places.setdefault(str(row["log"]), {}).setdefault(asking, []).append(place)
        lines = [""] * len(rows)
        for log, wanted in places.items():
            lacking = {*wanted}
            for asking, found in _opened(log, [*wanted]):
                try:
                    if isinstance(found, Exception):
                        raise found
                    for place in wanted[asking]:
                        lines[place] = _line(self._sample(rows[place], found))
                except Exception as error:  # a log may hold anything in any place
                    raise ExportError(f"{log}: {_named(asking)}: {_said(error)}") from error
                lacking.discard(asking)
            if lacking:
                raise ExportError(f"{log}: it holds no {_named(min(lacking))}")
        return lines

    def _sample(self, row: Mapping[Any, Any], sample: EvalSample) -> dict[str, Any]:
        target = [sample.target] if isinstance(sample.target, str) else sample.target
        said = [(message.role, message.text) for message in sample.messages]
        asked = [text for role, text in said if role in ("system", "user")]
        turns = [turn for turn, (role, _) in enumerate(said) if role == "assistant"]
        several = len(turns) > 1
        told = [{"turn_idx": n, "role": role, "content": t} for n, (role, t) in enumerate(said)]
        raw = "\n\n".join(asked[:1] if several else asked)
        score = float(row[self.paper.split_of])
        if math.isnan(score):
            raise ValueError(f"its score lacks {self.paper.split_of}, which that form asks for")
        attributed = self._form(
            "answer",
            turn=turns[-1] if several else 0,
            source="messages[turn_idx].content" if several else "output.raw",
            answer=str(row.get("answer")),
            by=str(row.get("decided_by") or "rules"),
        )
        return self._form(
            "sample", sample=str(row["sample_id"]), hash=_digest(raw + "".join(target)),
            kind="multi_turn" if several else "single_turn", raw=raw, target=target,
            choices=sample.choices or None,
            output=None if several else {"raw": [sample.output.completion]},
            messages=told if several else None,
            answers=[] if _absent(row.get("answer")) else [attributed], score=score,
            correct=score == 1.0, turns=max(1, len(turns)),
            metadata={
                f"askew.{k}": json.dumps(v.item() if hasattr(v, "item") else v, ensure_ascii=False)
                for k, v in row.items()
                if not _absent(v)
            },
        )  # fmt: skip


def _details(row: Mapping[Any, Any]) -> dict[str, str]:
    counts = {k: f"{row[k]}" for k in ("n_items", "n_dropped")}
    nulls = {k: f"{row[k]!r}" for k in NULL_COLUMNS if not math.isnan(row[k])}
    return {**counts, **nulls, **({"reason": str(row["reason"])} if row["reason"] else {})}


def _bound(bound: float) -> float | str:
    return bound if math.isfinite(bound) else ("Infinity" if bound > 0 else "-Infinity")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _model_id(name: str) -> str:
    """The model's name as that form takes it: a provider, a slash, a name."""
    kept = whole_characters(name)
    clean = _BAD_IN_PATH.sub("-", shown(kept, len(kept))).strip("/. ")
    parts = [p.strip(". ") or "-" for p in clean.split("/") if p.strip()]
    developer, *rest = parts if len(parts) > 1 else (UNSTATED, *parts)
    model = _cut("/".join(rest) or "-", _LONGEST_MODEL)
    return f"{_cut(developer, _LONGEST_DEVELOPER)}/{model}"


def _cut(name: str, longest: int) -> str:
    """A name of so many bytes at most, with a digest of what was longer."""
    whole = name.encode()
    if len(whole) <= longest:
        return name
    digest = hashlib.sha256(whole).hexdigest()[:8]
    return f"{whole[: longest - 9].decode(errors='ignore').strip('/. ')}-{digest}"


def _opened(log: str, wanted: Sequence[Asking]) -> Iterator[tuple[Asking, EvalSample | Exception]]:
    try:
        yield from read_samples(log, wanted)
    except Exception as error:  # any reader of any storage may fail in its own way
        raise ExportError(
            f"{log}: samples carry prompts and replies, and the log can't be read ({_said(error)})"
        ) from error


def _named(asking: Asking) -> str:
    return f"sample {one_line(asking[0])!r} in epoch {asking[1]}"


def _said(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}")


def _absent(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def _line(record: Mapping[str, Any]) -> str:
    # Line separators of Unicode end a line for some readers.
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    for sign in "\x85\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"
