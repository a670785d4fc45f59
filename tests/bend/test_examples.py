"""The worked examples of docs/reference/bend.md: files, commands, and what they print."""

import re
from pathlib import Path

import pytest

from askew.report.study import Study
from tests.report.observed import unfolded_report

pytestmark = pytest.mark.whole
DOCS = Path(__file__).parents[2] / "docs" / "reference/bend.md"
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = re.compile(r"`(\w+\.(?:py|toml))`:\s*\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def part_of(title):
    return DOCS.read_text("utf-8").partition(f"\n## {title}")[2].partition("\n## ")[0]


EXAMPLES = part_of("Four examples")
PLACES = {part.partition("\n")[0]: part for part in EXAMPLES.split("\n### ")[1:]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The examples' files, in a folder."""
    made = tmp_path_factory.mktemp("examples")
    for name, text in FILES.findall(EXAMPLES):
        (made / name).write_text(text, "utf-8")
    return made


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def tables(text):
    """Tables of a page: for each its rows, as values by their column."""
    found = re.findall(r"^\|[^\n]*\|\n\|[ :|-]+\|\n((?:\|[^\n]*\|\n?)+)", text, re.MULTILINE)
    heads = re.findall(r"^(\|[^\n]*\|)\n\|[ :|-]+\|$", text, re.MULTILINE)
    return [
        [dict(zip(cells(head), cells(line), strict=True)) for line in rows.splitlines()]
        for head, rows in zip(heads, found, strict=True)
    ]


def in_order(said, printed):
    """Whether the lines stand in what was printed, one after the other; "..." leaves some out."""
    lines = iter(printed.splitlines())
    return [line for line in said if line != "..." and line not in lines]


@pytest.mark.parametrize("place", PLACES)
def test_an_example_prints_what_the_docs_show(place, folder, forks):
    printed, commands = "", []

    def told(command):
        code, out, err = forks(command, folder)
        assert code == 0, err
        return out

    for kind, text in FENCED.findall(PLACES[place]):
        if not kind:
            commands += text.splitlines()
            printed = "".join(told(command) for command in text.splitlines())
        elif kind == "text":
            assert in_order(text.splitlines(), printed) == []
    assert [c.split()[1] for c in commands] == ["bend", "eval", "report"]
    *_, logs, _, table = commands[-1].split()
    assert (folder / table).stat().st_size
    written = unfolded_report(Study.read(folder / logs, quiet=True), folder / "report.md")
    report = written.read_text("utf-8").replace(" *(simulated)*", "")
    real = [row for table in tables(report) for row in table if "Arm" in row]
    for row in (row for table in tables(PLACES[place]) for row in table):
        assert [r for r in real if row.items() <= r.items()], [
            r for r in real if r["Arm"] == row["Arm"]
        ]
