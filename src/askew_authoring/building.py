"""One builder of question sets: plan what a model is asked, ask, review on a sheet, finish.

A builder is the module `build` of a paper: `plan_build` plans, `write` writes of a sample, and
`SheetRow` says what a person decides and what follows.
It asks by an eval, whose log is the audit trail; one that was stopped goes on where it was. What it
made goes onto a sheet, where a person accepts, mends or rejects each row before it becomes a file
for `data=PATH`.
"""

import csv
import io
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from inspect_ai import Task, eval_set
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from askew.files import write_atomically
from askew.reading.reply import visible
from askew.respondents.answering import REFUSAL, rng_for
from askew.schema import TRUTH_KEY
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
# Of a hostile reply no more is looked at.
_LINES, _LONGEST_LINE = 400, 2_000
_BULLET = re.compile(r"^(?:[-*\u2022>]|\d{1,3}[.)])[ \t]+")
_YES, _NO = ("yes", "y", "x", "1", "true"), ("no", "n", "0", "false")
# A cell with an apostrophe in front of what a spreadsheet takes for a formula, or of another one.
_GUARDED = re.compile(r"'+\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r]")
# A character that can't be seen, as a sheet spells it.
_SPELLED = re.compile(r"⟨U\+([0-9A-F]{4,5})⟩")
Record = dict[str, Any]
# What was written by the id of its sample: the sample's metadata.
Made = Mapping[str, Mapping[str, Any]]


class ReviewError(ValueError):
    """A review sheet can't be used as it is."""


class ReviewRow(ABC):
    """A row of a sheet: dataclasses of texts, one of which a person fills in, build on it."""

    id: str
    accept: str  # yes or no, as a person writes it; empty where nobody decided
    WHOLE: ClassVar[int] = 1  # how many rows an item has
    FIXED: ClassVar[str] = "id"  # of another value here, a person's word is about something else
    MENDED: ClassVar[str] = ""  # the text that a person may have mended; any where none is named
    PLACE: ClassVar[tuple[str, ...]] = ("id",)  # what tells a row from all others
    # Of what a build makes as a whole: its open items are gone once there is another.
    BUILT: ClassVar[str] = "id"

    @staticmethod
    @abstractmethod
    def record(rows: Sequence[Any]) -> Record:
        """What the accepted rows of an item become; a ValueError where they can't."""

    @property
    def verdict(self) -> bool | None:
        """Whether a person accepted the row; nothing where it is open."""
        word = self.accept.strip().casefold()
        return True if word in _YES else False if word in _NO else None

    def judged(self, trust_checks: bool) -> bool | None:
        """The verdict or, where there is none, what the checks that were made come to."""
        return self.verdict

    @property
    def place(self) -> str:
        """What the row is about, as errors name it."""
        return ", ".join(getattr(self, name) for name in self.PLACE)


Row = TypeVar("Row", bound=ReviewRow)
Name = TypeVar("Name", bound=str)


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
    # What was written and can't be used, or is missing, by reason.
    left: Callable[[Made], Mapping[str, int]] = lambda made: {}

    def describe(self) -> str:
        """The plan in lines for a terminal."""
        text = f"calls: {self.calls[0]:,} of {self.model}"
        if self.checker:
            same = " (the writer itself)" if str(self.checker) == str(self.model) else ""
            text += f" and {self.calls[1]:,} of {self.checker}{same}"
        elif self.checker is not None:
            text += "; checked by nobody (--checker), so read all the more"
        return "\n".join([*self.found, text])


@dataclass(frozen=True)
class BuildResult:
    """What a run left: the sheet, its items, its open rows, and what is missing, by reason."""

    sheet: Path
    n_items: int
    undecided: int
    left: Mapping[str, int]


def run_build(plan: Plan[Row], **options: Any) -> BuildResult:
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
            made, ids = _complete_samples(logs), [str(sample.id) for sample in task.dataset]
            there = {name: made[name] for name in ids if name in made}
            written |= there
            rows += [row for metadata in there.values() for row in plan.rows(metadata)]
            final = merge_rows(rows, read_sheet(sheet, plan.row) if sheet.exists() else [])
            write_sheet(sheet, plan.row, final)
        if len(there) < len(ids):
            missing[f"{task.name}: not built, run again"] = len(ids) - len(there)
    n_items, undecided = (
        len({row.id for row in final}),
        sum(row.judged(False) is None for row in final),
    )
    return BuildResult(sheet, n_items, undecided, {**plan.left(written), **missing})


def _complete_samples(logs: str) -> Made:
    """Metadata of every sample that some log of the folder holds complete, by id."""
    found: dict[str, Mapping[str, Any]] = {}
    for log in list_eval_logs(logs, descending=True) if Path(logs).is_dir() else []:
        for sample in read_eval_log(log).samples or []:
            if sample.metadata.get(WRITTEN) and not sample.error:
                found.setdefault(str(sample.id), sample.metadata)
    return found


def builder_task(
    paper: str, samples: Iterable[Sample], prompts: Mapping[str, Any], part: str = "",
    config: GenerateConfig = EXACT, **metadata: Any,
) -> Task:  # fmt: skip
    """An eval that writes questions of a paper, or of one part of it."""
    name = f"{paper}_builder{part}"
    return Task(
        name=name,
        dataset=MemoryDataset([*samples], name=name),
        setup=[reveal_truth()],
        solver=question_writing(paper, {**prompts}),
        config=config,
        continue_on_fail=True,
        metadata={"benchmark": "askew-builder", "paper": paper, **metadata},
    )


def builder_of(paper: str) -> Any:
    """The module that builds a paper's questions."""
    return import_module(f"askew_authoring.{paper}.build")


@solver
def question_writing(paper: str, prompts: dict[str, Any]) -> Solver:
    """Fill the sample's metadata `written` as the paper's builder writes, with these prompts."""
    write = builder_of(paper).write

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.metadata[WRITTEN] = await write(state, prompts)
        return state

    return solve


async def ask(
    messages: Sequence[ChatMessage], at: Sequence[str | int], drafts: Iterable[tuple[str, str]],
    config: GenerateConfig = EXACT, role: str | None = None,
) -> ModelOutput:  # fmt: skip
    """What the writer, or the model of a role, says.

    A simulated one is told which request it is, and of each line a sound and a flawed draft.
    """
    truth = store().get(TRUTH_KEY)
    if isinstance(truth, Mapping):
        call = {"at": [*at], "drafts": [*map(list, drafts)], "checks": role == CHECKER}
        store().set(TRUTH_KEY, {**truth, **call})
    model = get_model(role=role, required=True) if role else get_model()
    return await model.generate([*messages], config=config)


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


TENDENCIES: Mapping[str, Tendencies] = {
    "oracle": Tendencies(), "typical": Tendencies(botches=0.1, misjudges=0.05),
    "agreeable": Tendencies(botches=1), "random": Tendencies(botches=0.5, misjudges=0.5),
    "mute": Tendencies(refuses=1), "chatty": Tendencies(chatty=True),
}  # fmt: skip


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one request of a builder."""
    rng = rng_for(seed, name, truth["sample_id"], *truth["at"])
    if rng.random() < tendencies.refuses:
        return REFUSAL
    slips = tendencies.misjudges if truth["checks"] else tendencies.botches
    lines = (flawed if rng.random() < slips else sound for sound, flawed in truth["drafts"])
    text = "\n".join(lines)
    return f"Here you are:\n\n{text}\n\nThat is all." if tendencies.chatty else text


# --- The sheet ---


def merge_rows(new: Sequence[Row], earlier: Sequence[Row]) -> list[Row]:
    """New rows as a person decided on them before, and the others but for what was built anew."""
    decided = {row.place: row for row in earlier if row.verdict is not None}
    rows = []
    for row in new:
        old = decided.get(row.place, row)
        if getattr(old, row.FIXED) == getattr(row, row.FIXED):
            mended = {name: getattr(old, name) for name in ("accept", row.MENDED) if row.MENDED}
            row = replace(row, **mended) if mended else old  # type: ignore[type-var]
        rows.append(row)
    ids, anew = {row.id for row in new}, {getattr(row, row.BUILT) for row in new}
    gone = {r.id for r in earlier if r.verdict is None and getattr(r, r.BUILT) in anew}
    return [*rows, *(row for row in earlier if row.id not in ids | gone)]


def write_sheet(path: Path, row: type[Row], rows: Sequence[Row]) -> None:
    """Write the sheet whole or not at all."""
    lines = io.StringIO(newline="")
    writer = csv.DictWriter(lines, [f.name for f in fields(row)])  # type: ignore[arg-type]
    writer.writeheader()
    writer.writerows({k: _guard_cell(v) for k, v in vars(row).items()} for row in rows)
    write_atomically(path, lines.getvalue())


def read_sheet(path: Path, row: type[Row]) -> list[Row]:
    """The rows of a sheet; an error names what is wrong and where."""
    columns = [f.name for f in fields(row)]  # type: ignore[arg-type]
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            missing = [c for c in columns if c not in (reader.fieldnames or [])]
            if missing:
                raise ReviewError(f"{path} has no column {', '.join(missing)}; is it the sheet?")
            rows = [row(**{c: _unguard_cell(raw[c] or "") for c in columns}) for raw in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ReviewError(f"{path} can't be read: {error}") from error
    for number, read in enumerate(rows, start=1):
        if read.accept.strip() and read.verdict is None:
            raise ReviewError(
                f"{path}, record {number} ({read.place}): accept is {read.accept!r}; "
                "write yes or no"
            )
    return rows


def _guard_cell(cell: str) -> str:
    """A text as a spreadsheet shows it; reading gives the text back, with line ends as Unix has."""
    kept = str(in_cell("\n".join(cell.replace("\r\n", "\n").split("\r"))))
    own = cell.startswith("'") and _GUARDED.match(kept)
    return f"'{kept}" if own else kept


def _unguard_cell(cell: str) -> str:
    def meant(spelled: re.Match[str]) -> str:
        """The character that was spelled out; what stands for none stays."""
        sign = chr(int(spelled[1], 16))
        return sign if in_cell(sign) == spelled[0] else spelled[0]

    return _SPELLED.sub(meant, cell[1:] if _GUARDED.match(cell) else cell)


# --- Finishing ---


@dataclass(frozen=True)
class ReviewResult:
    """What a review left over: records, and ids of items rejected and still to decide."""

    records: list[Record]
    rejected: list[str]
    pending: list[str]


def finish_review(rows: Sequence[Row], trust_checks: bool = False) -> ReviewResult:
    """Items by their rows' verdicts: accepted is what all of its rows are."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.id, []).append(row)
    found = ReviewResult([], [], [])
    for name, own in groups.items():
        verdicts = {row.judged(trust_checks) for row in own}
        if False in verdicts:
            found.rejected.append(name)
        elif None in verdicts or len(own) != own[0].WHOLE:
            found.pending.append(name)
        else:
            try:
                found.records.append(own[0].record(own))
            except ValueError as error:
                raise ReviewError(f"{name}: {error}; correct the sheet, or write no") from error
    return found


def finish_build(
    row: type[Row], sheet: str | Path, out: str | Path, trust_checks: bool = False
) -> ReviewResult:
    """Write the accepted items of a review sheet as the file that `data=PATH` takes."""
    done = finish_review(read_sheet(Path(sheet), row), trust_checks)
    write_records(out, done.records)
    return done


def write_records(path: str | Path, records: Sequence[Mapping[str, Any]]) -> Path:
    """A JSONL file such as `data=PATH` takes, whole or not at all; none of no records."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return write_atomically(path, "".join(lines)) if records else Path(path)


def largest_remainder(number: int, ratios: Mapping[Name, float]) -> dict[Name, int]:
    """Whole numbers in these ratios that add up to `number`, by largest remainders.

    A tie goes to what is listed first.
    """
    total = sum(map(Fraction, ratios.values()))
    exact = {name: number * Fraction(ratio) / total for name, ratio in ratios.items()}
    shares = {name: math.floor(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: shares[name] - exact[name])
    for name in by_remainder[: number - sum(shares.values())]:
        shares[name] += 1
    return shares
