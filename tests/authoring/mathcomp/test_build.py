"""Pairs of sentences that a model writes: read, held against their arithmetic, reviewed, asked."""

from collections import Counter
from dataclasses import replace

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers.mathcomp.items import load
from askew.papers.mathcomp.tasks import mathcomp
from askew_authoring.building import SHEET, read_sheet, run_build, write_sheet
from askew_authoring.mathcomp.build import (
    SheetRow,
    cells,
    check_pair,
    finish_build,
    pairs_of,
    plan_build,
)
from askew_authoring.mathcomp.lint import verify
from tests.cases import cases, cases_of

# Table 6's own example.
EXAMPLE = cases_of(__file__, "EXAMPLE")
SOUND = SheetRow(
    "home-1", label="more", category="Home & Living", quantity="time", task="cleaning",
    sentence1="[PERSON_A] swept for 3 hours and dusted for 2 hours.",
    sentence2="[PERSON_B] swept for 4 hours and dusted for 3 hours.",
    equation1="3 + 2", equation2="4 + 3 = 7",
)  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        EXAMPLE,
        f"1. {EXAMPLE}",
        f"| {EXAMPLE} |",
        f"```\n{EXAMPLE}\n```",
        f"Here you are:\n\nsentence1 | sentence2 | category\n--- | --- | ---\n- {EXAMPLE}\n\nDone.",
        f"<think>a | b | c</think>{EXAMPLE}",
    ],
)
def test_a_pair_is_found_in_any_wrapping(reply):
    assert [*pairs_of(reply)] == [*pairs_of(EXAMPLE)]


@cases("change", "problem")
def test_problems_of_a_pair_are_reported(change, problem):
    assert check_pair(SOUND, "Home & Living").problems == ""
    assert problem in check_pair(replace(SOUND, **change), "Home & Living").problems


def test_cells_have_the_papers_proportions():
    labels = Counter()
    for (_, label), n in cells(300).items():
        labels[label] += n
    assert sum(labels.values()) == 300
    assert all(abs(labels[x] - n) <= 3 for x, n in {"equal": 94, "less": 119, "more": 87}.items())
    assert {category for category, _ in cells(9, "dining,travel")} == {"Dining", "Travel"}


def test_accepted_pairs_become_a_file_that_the_task_takes(tmp_path):
    wrong = replace(SOUND, id="home-2", equation2="1 + 1")
    weight = replace(SOUND, id="home-3", accept="yes", quantity="weight", task="lifting",
                     noun="weight", verb="lift", verb_s="lifts")  # fmt: skip
    sheet, out = tmp_path / SHEET, tmp_path / "set.jsonl"
    write_sheet(sheet, SheetRow, [*map(check_pair, (replace(SOUND, accept="yes"), wrong, weight))])
    done = finish_build(sheet, out)
    assert [r["id"] for r in done.records] == ["home-1", "home-3"]
    assert (done.rejected, done.pending) == (["home-2"], [])
    first, _ = load(str(out)).items
    assert first.sentence2 == "{B} swept for 4 hours and dusted for 3 hours."
    assert first.label == "more"
    assert {f.kind for f in verify(str(out))} == {"repeated"}
    assert len(mathcomp(data=str(out)).dataset) == 2 * 14


# --- the run ---

QUIET = {"display": "none", "log_level": "error", "retry_attempts": 0, "retry_wait": 0.01}


@pytest.mark.whole
def test_a_simulated_writers_pairs_become_a_set_that_verifies(tmp_path):
    built = run_build(plan_build("respondent/random", tmp_path, 6, "dining"), **QUIET)
    rows = read_sheet(built.sheet, SheetRow)
    rejected = sum(bool(row.problems) for row in rows)
    assert built.undecided == 6
    assert built.left == {"rejected": rejected}
    assert all("but the right side is" in row.problems for row in rows if row.problems)
    out = tmp_path / "set.jsonl"
    done = finish_build(built.sheet, out, trust_checks=True)
    assert len(done.rejected) == rejected
    assert verify(str(out)) == []
    sets = Counter(i.label for i in load(str(out)).items)
    assert set(sets) == {"more", "less", "equal"}


@pytest.mark.whole
def test_the_commands_write_finish_and_verify(tmp_path):
    def askew(*args):
        done = CliRunner().invoke(main, args)
        return done.exit_code, done.output

    folder, out = str(tmp_path / "set"), str(tmp_path / "set.jsonl")
    build = ["data", "build", "mathcomp", "--folder", folder]
    code, said = askew(*build, "--model", "respondent/oracle", "--items", "3", "--yes")
    assert code == 0
    assert "3 rows to be decided" in said
    code, said = askew(*build, "--finish", out, "--trust-checks")
    assert (code, f"items in {out}; 0 rejected" in said) == (0, True)
    assert askew("data", "lint", "mathcomp", "--data", out)[0] == 0
    assert askew(*build)[0] != 0
