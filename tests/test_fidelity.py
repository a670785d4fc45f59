"""The pages on reproduction: their commands run, and the reports have the blocks they name.

Runs are simulated on our own questions, a few of them, with the parameters that the pages give;
what only the papers' files have (their subsets, the authors' words) is left out.
"""

import contextlib
import io
import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from askew.cli.common import task_parameters
from askew.decide.simulation import simulation
from askew.papers import get_paper, names, task_papers
from askew.papers.format_bias.paper import CATEGORIES, KINDS
from askew.parameters import parse_list
from askew.report.blocks import Block, Figure, Table
from askew.report.report import build_report
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.cases import cases_of

PAGES = Path(__file__).resolve().parents[1] / "docs/explanation/reproduction"
INDEX = (PAGES / "index.md").read_text(encoding="utf-8")
RESPONDENTS = ("typical", "agreeable", "oracle")
ITEMS = {"mathcomp": 3, "binary_qa": 20, "instruction_boundary": 12}
QUICK = Interval(resamples=40)
EVERY_EVAL = ("--model", "--log-dir")
BLOCK = re.compile(rf"`((?:{'|'.join(n.replace('_', '[_-]') for n in names())})-[a-z0-9_-]+)`")
CODE = re.compile(r"```(bash|python)\n(.*?)```", re.DOTALL)


@dataclass
class Row:
    printed: str
    runs: list[str]
    where: str
    has_print: bool
    made: str

    @property
    def verdict(self) -> str:
        return re.split(r"[ :;]", self.made, maxsplit=1)[0]

    @property
    def n_printed(self) -> int:  # "Tables 3 to 5" are three.
        several = re.fullmatch(r"(?:Tables|Figures) (\d+) to (\d+)", self.printed)
        return int(several[2]) - int(several[1]) + 1 if several else 1

    @property
    def blocks(self) -> list[str]:
        return BLOCK.findall(self.where)


@dataclass
class Part:
    """A paper's page: its runs by name, each a list of commands or a script."""

    title: str
    text: str
    runs: dict[str, list[str]] = field(default_factory=dict)
    scripts: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)


def parts() -> dict[str, Part]:
    found = {}
    for task in task_papers():
        text = (PAGES / f"{task}.md").read_text(encoding="utf-8")
        part = Part(task, CODE.sub("", text))
        for language, code in CODE.findall(text):
            if language == "python":
                part.scripts[re.match(r"# (\w+):", code)[1]] = code
                continue
            for line in code.splitlines():
                if named := re.match(r"# (\w+):", line):
                    run = part.runs.setdefault(named[1], [])
                else:
                    run.append(line)
        for line in part.text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if len(cells) == 6 and cells[0] not in ("table or figure", "---|---|---|---|---|---"):
                runs = [] if cells[2] == "-" else cells[2].split(", ")
                part.rows.append(Row(cells[0], runs, cells[3], cells[4] == "yes", cells[5]))
        found[task] = part
    return found


PARTS = parts()
ROWS = [pytest.param(p, r, id=f"{p.title}, {r.printed}") for p in PARTS.values() for r in p.rows]


def task_of(words: list[str]) -> str:
    (task,) = [w.removeprefix("askew/") for w in words if w.startswith("askew/")]
    return task


def given(words: list[str], option: str) -> list[str]:
    return [value for name, value in pairwise(words) if name == option]


# --- The pages themselves ---------------------------------------------------------------------


def test_every_page_runs_its_own_task():
    for task, part in PARTS.items():
        assert part.rows
        commands = [shlex.split(c) for run in part.runs.values() for c in run]
        assert {task_of(c) for c in commands if c[:2] == ["inspect", "eval"]} == {task}


def test_the_counts_at_the_top_are_those_of_the_tables():
    for title, part in PARTS.items():
        counts = Counter(v for row in part.rows for v in [row.verdict] * row.n_printed)
        # A table of two halves has two rows, and tables made alike have one.
        whole = {row.printed.partition(",")[0]: row for row in part.rows}
        n = sum(row.n_printed for row in whole.values())
        told = [str(n), *(str(counts[v]) for v in ("ok", "partly", "not"))]
        assert f"({title}.md) | {' | '.join(told)} |" in INDEX, (title, told)
        assert set(counts) <= {"ok", "partly", "not"}


@pytest.mark.parametrize(("part", "row"), ROWS)
def test_a_row_names_what_reproduces_it_or_why_not(part, row):
    known = {*part.runs, *part.scripts}
    assert set(row.runs) <= known
    if row.verdict == "not":
        assert not row.runs
        assert len(row.made) > len("not: x")
    else:
        assert row.runs
        assert row.blocks or not row.has_print
        assert row.where != "-"
    if row.verdict == "partly":
        assert ":" in row.made


# Files that could not be had for a test.
UNTESTED = {"equinfer", "mmlu", "judging_questions"}
# Tasks whose default prompts are all the paper's.
AS_PRINTED = ("knowno",)


@pytest.mark.parametrize(("part", "row"), [r for r in ROWS if r.values[1].verdict == "ok"])
def test_a_row_is_ok_only_on_tested_questions_of_the_paper_in_words_of_its_authors(part, row):
    commands = [shlex.split(c) for run in row.runs for c in part.runs.get(run, [])]
    for words in (c for c in commands if c[:2] == ["inspect", "eval"]):
        told = task_parameters(given(words, "-T"))
        assert told["data"] == "paper"
        assert part.title in AS_PRINTED or told["wording"] == "authors"
        assert not UNTESTED & subsets_of(part.title, told)


def subsets_of(task, told):
    """Which of the paper's sets a run asks: those named, or all that fit its formats."""
    if "subset" in told:
        return {*parse_list(told["subset"])}
    kinds = [k for c in [told.get("category")] if c for k in CATEGORIES[c].kinds]
    return {s for s in get_paper(task).subsets if not kinds or KINDS[s] in kinds}


# --- Reports of the runs ----------------------------------------------------------------------


def offline(task: str, words: list[str]) -> dict[str, object]:
    """A run's parameters, on a few of our own questions."""
    told = task_parameters(given(words, "-T"))
    asked = {k: v for k, v in told.items() if k not in ("data", "items", "wording")}
    bundled = get_paper(task).selection("bundled") or get_paper(task).subsets
    if not set(str(asked.get("subset", "")).split(",")) <= set(bundled):
        asked.pop("subset", None)
    return {**asked, "items": ITEMS.get(task, 10)}


@cache
def blocks_of(title: str, name: str) -> dict[str, Block]:
    """By id every block of the reports that a run writes."""
    logged: dict[str, list[pd.DataFrame]] = {}
    blocks: dict[str, Block] = {}
    for words in map(shlex.split, PARTS[title].runs[name]):
        if words[:2] == ["inspect", "eval"]:
            task, (models,), (folder,) = task_of(words), *(given(words, o) for o in EVERY_EVAL)
            made = simulation(task, **offline(task, words))
            few = RESPONDENTS[: len(models.split(","))]
            logged.setdefault(folder, []).extend(made.observations(r) for r in few)
        elif words[:2] == ["askew", "report"]:
            read = pd.concat([f for folder in words[2:] for f in logged.get(folder, ())])
            report = build_report(Study(read), interval=QUICK, transcripts=False)
            sections = (s for chapter in report.chapters for s in chapter.sections)
            blocks |= {block.id: block for s in sections for block in s.blocks}
    return blocks


def is_printed(block: Block, among: dict[str, Block]) -> bool:
    """Whether a table, or the one that holds a figure's numbers, has rows of the paper's."""
    table = among[block.table_id] if isinstance(block, Figure) else block
    assert isinstance(table, Table)
    return any(row.kind == "published" for group in table.groups for row in group.rows)


@pytest.mark.whole
@pytest.mark.parametrize(("part", "row"), [r for r in ROWS if r.values[1].blocks])
def test_the_blocks_of_a_row_are_in_the_reports_of_its_runs(part, row):
    there = {id: block for run in row.runs if run in part.runs
             for id, block in blocks_of(part.title, run).items()}  # fmt: skip
    assert set(row.blocks) <= set(there)
    assert any(is_printed(there[id], there) for id in row.blocks) == row.has_print


@pytest.mark.whole
@pytest.mark.parametrize("part", PARTS.values(), ids=lambda p: p.title)
def test_blocks_named_in_the_text_are_in_a_report_of_the_paper(part):
    there = {id for run in part.runs for id in blocks_of(part.title, run)}
    assert set(BLOCK.findall(part.text)) <= there


# --- On the papers' files ---------------------------------------------------------------------

# What the papers print of their sets; the 450 are three times 150.
PRINTED = cases_of(__file__, "PRINTED")


@pytest.fixture
def mirror(shared_data, tmp_path, monkeypatch):
    """The papers' files, those of the authors' prompts among them, as a mirror has them."""
    for folder in shared_data.iterdir():
        if folder.is_dir():
            own = tmp_path / folder.name
            own.mkdir()
            for file in filter(Path.is_file, folder.rglob("*")):
                (own / file.name.removesuffix(".txt")).symlink_to(file)
    monkeypatch.setenv("ASKEW_MIRROR", str(tmp_path))


@pytest.mark.real_data
@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "script"), [(n, s) for p in PARTS.values() for n, s in p.scripts.items()]
)
def test_a_script_counts_what_the_paper_prints(mirror, name, script):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(script, {})
    assert [told for told in PRINTED[name] if told not in said.getvalue()] == []
