"""One builder of question sets: plan what a model is asked, ask, review on a sheet, finish.

A builder asks by an eval, whose log is the audit trail; one that was stopped goes on where it was.
What it made goes onto a sheet, where a person accepts, mends or rejects each row before it becomes
a file for `data=PATH`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from inspect_ai import Task, eval_set
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import Solver, TaskState
from inspect_ai.util import store
from pydantic import TypeAdapter

from askew.files import write_whole
from askew.reading.reply import visible
from askew.schema import TRUTH_KEY, Paper
from askew.solvers.chain import reveal_truth
from askew.untrusted import in_cell

SHEET = "review.csv"
# The metadata of a sample that holds what was written.
WRITTEN = "written"
# The role of the second model, which checks what the writer made.
CHECKER = "checker"
EXACT = GenerateConfig(temperature=0.0)
# Samples that failed are asked again, so often and after so many seconds, before a run ends.
RETRIES: Mapping[str, Any] = {"retry_attempts": 2, "retry_wait": 5.0}
_CHARACTERS_A_TOKEN = 4
# Of a hostile reply no more is looked at.
_LINES, _LONGEST_LINE = 400, 2_000
_BULLET = re.compile(r"^(?:[-*\u2022>]|\d{1,3}[.)])[ \t]+")
_YES, _NO = ("yes", "y", "x", "1", "true"), ("no", "n", "0", "false")
# A cell with an apostrophe in front of what a spreadsheet takes for a formula, or of another one.
_GUARDED = re.compile(r"'+\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r]")
# A character that can't be seen, as a sheet spells it.
_SPELLED = re.compile(r"⟨U\+([0-9A-F]{4,5})⟩")


class ReviewError(ValueError):
    """A review sheet can't be used as it is."""


class Reviewed:
    """A row of a sheet: dataclasses of texts, one of which a person fills in, build on it."""

    id: str
    accept: str  # yes or no, as a person writes it; empty where nobody decided
    WHOLE: ClassVar[int] = 1  # how many rows an item has
    FIXED: ClassVar[str] = "id"  # of another value here, a person's word is about something else
    MENDED: ClassVar[str] = ""  # the text that a person may have mended; any where none is named

    @property
    def verdict(self) -> bool | None:
        """Whether a person accepted the row; nothing where it is open."""
        word = self.accept.strip().casefold()
        return True if word in _YES else False if word in _NO else None

    def judged(self, trust_checks: bool) -> bool | None:
        """The verdict or, where there is none, what the checks that were made come to."""
        return self.verdict

    @property
    def open(self) -> bool:
        """Whether a person is to decide."""
        return self.verdict is None

    @property
    def place(self) -> str:
        """What the row is about, as errors name it."""
        return self.id

    @property
    def built_with(self) -> str:
        """What a build makes as a whole: its open items are gone once there is another."""
        return self.id


Row = TypeVar("Row", bound=Reviewed)
# What was written by the id of its sample: the sample's metadata.
Made = Mapping[str, Mapping[str, Any]]


# --- Asking ---


@dataclass(frozen=True)
class Plan(Generic[Row]):
    """What a build will ask, before it asks."""

    folder: Path
    model: str | Model
    checker: str | Model | None  # none where there is nothing to check
    tasks: Mapping[str, Task]  # by the names of their logs' folders
    row: type[Row]
    rows: Callable[[Mapping[str, Any]], Iterable[Row]]  # of a written sample's metadata
    found: Sequence[str]  # in lines, what there is to write about
    calls: tuple[int, int]  # of the writer and of the checker, without further tries
    tokens: tuple[int, int] = (0, 0)  # shown and written, an estimate
    # What was written and can't be used, or is missing, by reason.
    left: Callable[[Made], Mapping[str, int]] = lambda made: {}

    def describe(self) -> str:
        """The plan in lines for a terminal."""
        told = f"calls: {self.calls[0]:,} of {self.model}"
        if self.checker:
            same = " (the writer itself)" if str(self.checker) == str(self.model) else ""
            told += f" and {self.calls[1]:,} of {self.checker}{same}"
        elif self.checker is not None:
            told += "; checked by nobody (--checker), so read all the more"
        tokens = "about {:,} tokens in and {:,} out, before reasoning and further tries"
        return "\n".join([*self.found, told, *[tokens.format(*self.tokens)] * any(self.tokens)])


def tokens_of(characters: int) -> int:
    """About how many tokens so many characters are: a rule of thumb."""
    return characters // _CHARACTERS_A_TOKEN


@dataclass(frozen=True)
class Built:
    """What a run left: the sheet, its items, its open rows, and what is missing, by reason."""

    sheet: Path
    n_items: int
    undecided: int
    left: Mapping[str, int]


def run_build(plan: Plan[Row], **options: Any) -> Built:
    """Ask for all that a plan holds and write the review sheet; options are `eval_set`'s."""
    rows: list[Row] = []
    final: list[Row] = []
    written: dict[str, Mapping[str, Any]] = {}
    missing: dict[str, int] = {}
    sheet = plan.folder / SHEET
    settings = {"log_dir_allow_dirty": True, **RETRIES, **options}
    roles = {CHECKER: plan.checker} if plan.checker else None
    for name, task in plan.tasks.items():
        logs = str(plan.folder / "logs" / name)
        try:
            eval_set(task, log_dir=logs, model=plan.model, model_roles=roles, **settings)
        finally:
            # Whatever ended the run: what was built so far is on the sheet.
            made = _made(logs)
            ids = [str(sample.id) for sample in task.dataset]
            there = {name: made[name] for name in ids if name in made}
            written |= there
            rows += [row for metadata in there.values() for row in plan.rows(metadata)]
            final = put_on_sheet(sheet, plan.row, rows)
        if there.keys() < {*ids}:
            missing[f"{task.name}: not built, run again"] = len(ids) - len(there)
    n_items, undecided = len({row.id for row in final}), sum(row.open for row in final)
    return Built(sheet, n_items, undecided, {**plan.left(written), **missing})


def _made(logs: str) -> Made:
    """Metadata of every sample that some log of the folder holds complete, by id."""
    found: dict[str, Mapping[str, Any]] = {}
    for log in list_eval_logs(logs, descending=True) if Path(logs).is_dir() else []:
        for sample in read_eval_log(log).samples or []:
            if sample.metadata.get(WRITTEN) and not sample.error:
                found.setdefault(str(sample.id), sample.metadata)
    return found


def builder_task(
    name: str, paper: Paper, samples: Iterable[Sample], solver: Solver, scorer: Scorer,
    config: GenerateConfig = EXACT, **metadata: Any,
) -> Task:  # fmt: skip
    """An eval that writes questions."""
    return Task(
        name=name,
        dataset=MemoryDataset([*samples], name=name),
        setup=[reveal_truth()],
        solver=solver,
        scorer=scorer,
        config=config,
        continue_on_fail=True,
        metadata={"benchmark": "askew-builder", "paper": paper.task, **metadata},
    )


async def asked(
    messages: Sequence[ChatMessage], hint: Mapping[str, Any], config: GenerateConfig = EXACT,
    role: str | None = None,
) -> ModelOutput:  # fmt: skip
    """What the writer, or the model of a role, says; a simulated one is told what it is asked."""
    truth = store().get(TRUTH_KEY)
    if isinstance(truth, Mapping):
        store().set(TRUTH_KEY, {**truth, **hint})
    model = get_model(role=role, required=True) if role else get_model()
    return await model.generate([*messages], config=config)


def scoring(measures: Callable[[Any, Mapping[str, Any]], tuple[dict[str, float], str]]) -> Scorer:
    """What a scorer says of a sample's `written` and its metadata: numbers, and why."""

    async def score(state: TaskState, target: Target) -> Score:
        written = state.metadata.get(WRITTEN)
        if not written:
            return Score.unscored(reason="scoring_failed", explanation="nothing was written")
        value, why = measures(written, state.metadata)
        return Score(value={**value}, explanation=why)

    return score


def lines_of(reply: str) -> Iterator[str]:
    """The lines of a reply without the marks and numbers of a list."""
    for line in visible(reply).split("\n", _LINES)[:_LINES]:
        yield _BULLET.sub("", line[:_LONGEST_LINE].strip())


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated writer or checker has."""

    botches: float = 0.0  # of a draft that is wrong
    misjudges: float = 0.0  # of judging a draft otherwise than it deserves
    refuses: float = 0.0  # of declining to answer
    chatty: bool = False  # whether it talks around its draft


def tendencies_in(prompts: Mapping[str, Any]) -> Mapping[str, Tendencies]:
    return TypeAdapter(dict[str, Tendencies]).validate_python(prompts["tendencies"])


# --- The sheet ---


def put_on_sheet(path: Path, row: type[Row], new: Sequence[Row]) -> list[Row]:
    """Write a build's rows, with what a person already decided, and those of earlier builds."""
    rows = merged(new, read_sheet(path, row) if path.exists() else [])
    write_sheet(path, row, rows)
    return rows


def merged(new: Sequence[Row], earlier: Sequence[Row]) -> list[Row]:
    """New rows as a person decided on them before, and the others but for what was built anew."""
    decided = {row.place: row for row in earlier if row.verdict is not None}
    rows = [_as_decided(row, decided.get(row.place, row)) for row in new]
    ids, anew = {row.id for row in new}, {row.built_with for row in new}
    gone = ids | {r.id for r in earlier if r.verdict is None and r.built_with in anew}
    return [*rows, *(row for row in earlier if row.id not in gone)]


def _as_decided(row: Row, old: Row) -> Row:
    if getattr(old, row.FIXED) != getattr(row, row.FIXED):
        return row
    mended = {name: getattr(old, name) for name in ("accept", row.MENDED) if row.MENDED}
    return replace(row, **mended) if mended else old  # type: ignore[type-var]


def write_sheet(path: Path, row: type[Row], rows: Sequence[Row]) -> None:
    """Write the sheet whole or not at all."""
    lines = io.StringIO(newline="")
    writer = csv.DictWriter(lines, [f.name for f in fields(row)])  # type: ignore[arg-type]
    writer.writeheader()
    writer.writerows({k: _guarded(v) for k, v in vars(row).items()} for row in rows)
    write_whole(path, lines.getvalue())


def read_sheet(path: Path, row: type[Row]) -> list[Row]:
    """The rows of a sheet; an error names what is wrong and where."""
    columns = [f.name for f in fields(row)]  # type: ignore[arg-type]
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            missing = [c for c in columns if c not in (reader.fieldnames or [])]
            if missing:
                raise ReviewError(f"{path} has no column {', '.join(missing)}; is it the sheet?")
            rows = [row(**{c: _unguarded(raw[c] or "") for c in columns}) for raw in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ReviewError(f"{path} can't be read: {error}") from error
    for number, read in enumerate(rows, start=1):
        if read.accept.strip() and read.verdict is None:
            raise ReviewError(
                f"{path}, record {number} ({read.place}): accept is {read.accept!r}; "
                "write yes or no"
            )
    return rows


def _guarded(cell: str) -> str:
    """A text as a spreadsheet shows it; reading gives the text back, with line ends as Unix has."""
    kept = str(in_cell("\n".join(cell.replace("\r\n", "\n").split("\r"))))
    own = cell.startswith("'") and _GUARDED.match(kept)
    return f"'{kept}" if own else kept


def _unguarded(cell: str) -> str:
    text = cell[1:] if _GUARDED.match(cell) else cell
    return _SPELLED.sub(_meant, text)


def _meant(spelled: re.Match[str]) -> str:
    """The character that was spelled out; what stands for none stays."""
    sign = chr(int(spelled[1], 16))
    return sign if in_cell(sign) == spelled[0] else spelled[0]


# --- Finishing ---

Record = dict[str, Any]


@dataclass(frozen=True)
class Finished:
    """What a review left over: records, and ids of items rejected and still to decide."""

    records: list[Record]
    rejected: list[str]
    pending: list[str]


def finished(
    rows: Sequence[Row], record: Callable[[Sequence[Row]], Record], trust_checks: bool = False
) -> Finished:
    """Items by their rows' verdicts: accepted is what all of its rows are."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.id, []).append(row)
    found = Finished([], [], [])
    for name, own in groups.items():
        verdicts = {row.judged(trust_checks) for row in own}
        if False in verdicts:
            found.rejected.append(name)
        elif None in verdicts or len(own) != own[0].WHOLE:
            found.pending.append(name)
        else:
            try:
                found.records.append(record(own))
            except ValueError as error:
                raise ReviewError(f"{name}: {error}; mend the sheet, or write no") from error
    return found


def write_records(path: str | Path, records: Sequence[Mapping[str, Any]]) -> Path:
    """A JSONL file such as `data=PATH` takes, whole or not at all; none of no records."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return write_whole(path, "".join(lines)) if records else Path(path)
