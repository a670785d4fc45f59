"""The tutorial of bend, as a reader follows it: files, commands, and what they print."""

import re
from pathlib import Path

import pytest

from askew.report.study import Study
from tests.report.observed import unfolded_report

pytestmark = pytest.mark.whole
PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "your-benchmark.md"
TUTORIAL = PAGE.read_text("utf-8")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = re.compile(r"`(\w+\.(?:py|toml))`.*?\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The tutorial's files, in a folder."""
    made = tmp_path_factory.mktemp("examples")
    for name, text in FILES.findall(TUTORIAL):
        (made / name).write_text(text, "utf-8")
    return made


def missing(said, printed):
    """Lines that were not printed, one after the other; "..." leaves some out."""
    lines = iter(line.strip() for line in printed.splitlines())
    return [x for x in map(str.strip, said.splitlines()) if x not in ("", "...") and x not in lines]


@pytest.fixture(scope="module")
def done(folder, forks):
    """The tutorial's commands, done in order."""
    printed, done = "", []
    for kind, text in FENCED.findall(TUTORIAL):
        commands = text.replace("\\\n", " ").splitlines() if not kind else []
        for command in (c for c in commands if c.split()[0] in ("askew", "inspect")):
            code, printed, err = forks(command, folder)
            assert code == 0, (command, err)
            done.append(" ".join(command.split()[:2]))
        if kind == "text" and done[-1] == "askew bend":
            assert missing(text, printed) == []
    return done


def test_every_command_of_the_tutorial_does_what_it_shows(done):
    assert {"askew bend", "inspect eval", "askew report", "askew compare"} <= set(done)


def test_the_report_has_the_numbers_of_the_tutorial(done, folder):
    """The finding, and each arm's score with its interval."""
    first = min((folder / "logs" / "capitals").glob("*.eval"))
    report = unfolded_report(Study.read(first, quiet=True), folder / "report.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w+)[\w, ]* \| ([\d.]+)% (\([^)]*\)) \| ([^|]*) \|", TUTORIAL, re.M)
    assert [arm for arm, *_ in rows] == ["repeat", "absent", "order", "suggestion"]
    for arm, score, interval, effect in rows:
        assert re.search(
            rf"\| {arm} [^\n]*\| {re.escape(f'{score} {interval}')} \|[^\n]*{re.escape(effect)}",
            report,
        ), arm
    assert "The treatment absent lowers the score by 83.3 points (56.1 to 97.8)" in report
