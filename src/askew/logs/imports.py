"""Make logs of results that were published item by item, so that reports show the effect of arms.

A file has a row per model, item and arm. A model's rows become a log of `bend`: the control arm is
its plain arm, and the score counts as the author's. No model is called.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.scorer import Score
from pydantic import BaseModel, BeforeValidator, Field, ValidationInfo, field_validator

from askew import __version__
from askew.logs.replay import LONGEST_LOG, log_of, write_log
from askew.parameters import SelectionError, reading_progress
from askew.reading.reply import refuses
from askew.schema import clean_id
from askew.scoring.outcome import as_number
from askew.sources.loading import Text
from askew.sources.records import READERS, RecordsError, UnfitError, each_record, parquet_records
from askew.stats.tables import OVERALL
from askew.untrusted import digest, one_line

CONTROLS = ("plain", "control", "baseline", "original")
_NEEDED = ("model", "item", "arm", "score")
# What others call a column.
_OTHERS: Mapping[str, Sequence[str]] = {
    "model": ("model_name", "model_id", "llm", "system"),
    "item": ("item_id", "question_id", "sample_id", "prompt_id", "instance_id", "id", "qid"),
    "arm": ("condition", "variant", "treatment", "perturbation", "template", "pressure", "format"),
    "score": ("correct", "is_correct", "accuracy", "acc", "value", "label_correct"),
}
_PLAIN, _LONGEST_ID = "plain", 100
_INPUT = "(The prompt is not known: this result was made elsewhere.)"
# Numbers, truth values and dates are names too.
_Name = Annotated[Text, BeforeValidator(str)]


class _Result(BaseModel):
    """One published score; None where the file has an empty one."""

    task: _Name = "results"
    model: _Name
    item: _Name
    arm: _Name
    epoch: int = Field(1, ge=1)
    score: float | None
    reply: Annotated[str, BeforeValidator(str)] | None = None
    cluster: _Name = ""

    @field_validator("score", mode="before")
    @classmethod
    def _is_a_share(cls, given: object) -> float | None:
        if given is None or given != given or not str(given).strip():
            return None
        score = as_number(given)
        if score is None or not 0 <= score <= 1:
            fix = "give a number from 0 to 1, true or false; leave it empty if there is none"
            raise ValueError(f"{one_line(given, 60)} is no score from 0 to 1: {fix}")
        return score

    @field_validator("task", "arm")
    @classmethod
    def _is_one(cls, name: str, info: ValidationInfo) -> str:
        if name == OVERALL:
            kind = info.field_name
            raise ValueError(f"{OVERALL!r} means all {kind}s together: rename this {kind}")
        return name


@dataclass(frozen=True)
class Imported:
    """The logs that were written, and what to know of them."""

    logs: Sequence[Path]
    control: str
    notes: Sequence[str]


def import_results(
    file: str | Path, log_dir: str | Path = "logs", *, control: str = "", quiet: bool = True
) -> Imported:
    """Write a log per task and model from a JSONL, CSV or Parquet file of results.

    Its columns are model, item, arm and score (0 to 1, true or false); optional reply, cluster,
    epoch and task. The arm to compare with is by default the one called plain, control, baseline
    or original. An error names columns or scores that are wrong and cells that are repeated.
    """
    path = Path(file).expanduser()
    columns: list[str] = []  # of the first record
    seen: dict[tuple[object, ...], int] = {}

    def parse(record: Mapping[str, Any]) -> _Result:
        columns[:] = columns or record
        if missing := [name for name in _NEEDED if name not in columns]:
            raise RecordsError(f"{path}: {_explain(missing, columns)}")
        empty = {k for k, v in record.items() if v is None or v != v or not str(v).strip()}
        return _Result.model_validate({k: record[k] for k in record if k not in empty - {"score"}})

    def use(line: int, found: _Result) -> _Result:
        key = found.task, found.model, found.item, found.arm, found.epoch
        if (first := seen.setdefault(key, line)) != line:
            what = f"{one_line(found.model)}, {one_line(found.item)}, {one_line(found.arm)}"
            raise UnfitError(
                f"the same model, item, arm and epoch as line {first} ({what})",
                "give repetitions an epoch of their own (1, 2, ...), or keep one",
            )
        return found

    readers = {**READERS, ".parquet": parquet_records}
    results = [vars(result) for result in each_record(path, parse, use, readers=readers)]
    frame = pd.DataFrame(results, dtype=object).astype({"epoch": float, "score": float})
    control = _control(control, [*frame["arm"].unique()])
    # All of them before the first log: what is refused leaves none.
    run = ["task", "model"]
    notes = [note for _, own in frame.groupby(run, sort=False) for note in _missing(own, control)]
    # Items and epochs are of a task: models that lack some were still to be asked all. Seeds get
    # the numbers of their order in the model.
    of_task, of_run = (frame.groupby(by)["epoch"].rank("dense").astype(int) for by in ("task", run))
    epochs = frame.groupby("task")["epoch"]
    frame["epoch"] = of_task.where(epochs.transform("max") == epochs.transform("nunique"), of_run)
    items = frame.groupby("task")["item"].unique()
    # By arm, its part of ids and its name in tables.
    names = {arm: (_id(arm), _shown(arm)) for arm in frame["arm"].unique()}
    names[control] = _PLAIN, _PLAIN
    parts = []
    for _, own in frame.groupby(run, sort=False):
        # Logs that are not too long, of whole items each.
        place = own["item"].factorize()[0]
        size = max(1, LONGEST_LOG * (place.max() + 1) // len(own))
        parts += [*own.groupby(place // size)]
    written = []
    with reading_progress(len(parts), quiet, "writing logs") as on_written:
        for number, part in parts:
            rows = [*part.itertuples(index=False)]
            log = _log_of(rows, path, number, items[rows[0].task], names)
            written.append(write_log("bend", log, log_dir))
            on_written(rows[0].model)
    return Imported(written, control, notes)


def _explain(missing: Sequence[str], there: Sequence[str]) -> str:
    """Which columns are missing, and which ones may be they."""
    free = [name for name in there if name not in _NEEDED]
    if {*missing} == {"arm", "score"} and len(free) > 1 and not _alike("score", free):
        return (
            f"no column arm: this looks like a column per arm ({', '.join(free[:4])}, ...). Make a "
            'row per arm, in pandas: frame.melt(["model", "item"], var_name="arm", '
            'value_name="score")'
        )
    parts = []
    for name in missing:
        near = _alike(name, free)
        parts.append(f"no column {name}" + (f" (is it {near!r}? Rename it to {name})" * bool(near)))
    columns = ", ".join(map(one_line, there[:20]))
    return f"{'; '.join(parts)}. Columns: {columns}"


def _alike(name: str, there: Sequence[str]) -> str:
    lower = {column.lower(): column for column in there}
    named = (*_OTHERS[name], name)
    near = (found for other in named for found in get_close_matches(other, lower, 1, 0.85))
    return lower.get(next(near, ""), "")


def _control(given: str, arms: Sequence[str]) -> str:
    """The arm that the others are compared with."""
    if given and given not in arms:
        raise SelectionError(f"control={given!r}: no such arm. There are: {_listed(arms)}")
    found = [given] if given else [arm for arm in arms if arm.lower() in CONTROLS]
    if len(found) != 1:
        why = "several arms could be the control" if found else "no arm has the name of a control"
        raise SelectionError(f"{why}. Name it with --control. Arms: {_listed(arms)}")
    if len(arms) < 2:
        raise SelectionError(f"{arms[0]!r} is the only arm: there is nothing to compare with it")
    return found[0]


def _listed(arms: Sequence[str]) -> str:
    more = f" and {len(arms) - 20} more" if len(arms) > 20 else ""
    return ", ".join(map(one_line, arms[:20])) + more


def _id(text: str) -> str:
    """A part of sample ids, in every file the same for a text, and another for any other text."""
    name = clean_id(text)
    if name == text != _PLAIN and len(name) <= _LONGEST_ID:
        return name
    return f"{name[: _LONGEST_ID - 20]}-{digest(text, 16)}"


def _shown(text: str) -> str:
    """How an item or arm is called in tables: as in the file, where a table can hold that."""
    fits = text.isprintable() and len(text) <= _LONGEST_ID and text != _PLAIN
    return text if fits else _id(text)


def _missing(own: pd.DataFrame, control: str) -> Iterator[str]:
    """What a task and model lack of items times arms; an arm that shares no item is an error."""
    items = own.groupby("arm", sort=False)["item"].agg(set)
    about = ", ".join(map(one_line, own.iloc[0][["task", "model"]]))
    for arm, of in items.items():
        if not of & items.get(control, set()):
            raise SelectionError(
                f"{about}: no item of arm {one_line(arm)!r} is in the control arm {control!r}, so "
                "no effect is paired. Use the same item names in all arms"
            )
    n = own["item"].nunique() * len(items)
    if lacking := n - items.map(len).sum():
        yield f"{about}: {lacking:,} of {n:,} cells (item and arm) are missing"
    if empty := own["score"].isna().sum():
        yield f"{about}: {empty:,} of {len(own):,} rows have no score"


def _log_of(
    part: Sequence[Any], path: Path, number: int, all_items: Sequence[str],
    names: Mapping[str, tuple[str, str]],
) -> EvalLog:  # fmt: skip
    task, model = part[0].task, part[0].model
    items = dict.fromkeys(_id(one.item) for one in part)
    arms = dict.fromkeys(names[one.arm][0] for one in part)
    metadata = {
        "benchmark": "askew", "askew": __version__, "paper": "bend", "data": task,
        "data_revision": digest("\n".join(sorted(map(_id, all_items))), 8),
        "data_items": {task: len(all_items)}, "prompt_revision": "results",
    }  # fmt: skip
    ids = [f"{item}/{arm}" for item in items for arm in arms]
    identity = [str(path), task, model, str(number)]
    samples = [_sample(one, *names[one.arm]) for one in part]
    return log_of("bend", model, samples, path.name, identity, ids, metadata=metadata)


def _sample(one: Any, arm_id: str, arm: str) -> EvalSample:
    item = _shown(one.item)
    details = {
        "item": item, "cluster": one.cluster or item, "subset": one.task, "arm": arm,
        "treatment": arm, "epoch": one.epoch, "outcome": "ok",
    }  # fmt: skip
    if one.reply is not None and refuses(one.reply):
        details["reply_status"] = "refused"
    score = Score(value={"score": one.score}, metadata=details)
    if math.isnan(one.score):
        how = {"reason": "scoring_failed", "explanation": "no score given"}
        score = Score.unscored(**how, metadata=details)
    output = ModelOutput.from_content(one.model, one.reply or "")
    output.usage = ModelUsage()
    return EvalSample(
        id=f"{_id(one.item)}/{arm_id}", epoch=one.epoch, input=_INPUT, target="",
        output=output, messages=[output.message], scores={"bend_scorer": score},
        metadata={k: details[k] for k in ("item", "cluster", "subset")},
    )  # fmt: skip
