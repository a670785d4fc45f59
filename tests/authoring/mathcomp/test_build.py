"""Pairs of sentences that a model writes: read, held against their arithmetic, reviewed, asked."""

import csv
from collections import Counter
from dataclasses import replace

import pytest
from click.testing import CliRunner
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from askew.cli import main
from askew.papers.mathcomp.items import load
from askew.papers.mathcomp.tasks import mathcomp
from askew_authoring.building import SHEET, ReviewError, read_sheet, write_sheet
from askew_authoring.mathcomp.build import cells, finish, write_pairs
from askew_authoring.mathcomp.lint import verify
from askew_authoring.mathcomp.pairs import SheetRow, checked, pairs_of, row_of

# Table 6's own example.
EXAMPLE = (
    "[Person_A] spends 8 hours cleaning on Mondays, half of Monday's time on Wednesdays, and twice "
    "Monday's time on Saturdays. | [Person_B] spends 8 hours cleaning on Mondays, twice Monday's "
    "time on Wednesdays, and half of Monday's time on Saturdays. | Home & Living | time | "
    "8 + (8/2) + (2*8) = 28 | 8 + (2*8) + (8/2) = 28 | cleaning"
)
SOUND = SheetRow(
    "home-1", label="more", category="Home & Living", quantity="time", task="cleaning",
    sentence1="[PERSON_A] swept for 3 hours and dusted for 2 hours.",
    sentence2="[PERSON_B] swept for 4 hours and dusted for 3 hours.",
    equation1="3 + 2", equation2="4 + 3 = 7",
)  # fmt: skip


def asked(label="equal"):
    return {"label": label, "category": "Home & Living"}


def test_the_papers_own_example_is_sound():
    (values,) = pairs_of(EXAMPLE)
    row = row_of("x", values, asked(), set())
    assert (row.problems, row.remarks, row.quantity) == ("", "", "time")


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
def test_a_pair_is_found_in_whatever_it_is_wrapped(reply):
    assert [*pairs_of(reply)] == [*pairs_of(EXAMPLE)]


def test_prose_holds_no_pair():
    assert [*pairs_of("I'm sorry.\nIt's 1 | 2.\n--- | --- | ---\n")] == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"equation2": "4 + 1"}, "contradicts the equations: 5 and 5, so equal"),
        ({"equation2": "4 + 3 = 8"}, "the left side is 7, but it states 8"),
        ({"equation1": "3 + two"}, "unexpected 't'"),
        ({"equation2": "7 = 7"}, "equation2 '7 = 7' calculates nothing"),
        ({"sentence2": "Somebody swept for 7 hours."}, "must name its person as {B}"),
        ({"sentence1": "[PERSON_A] swept 3 and dusted 2 hours less."}, "contain less"),
        ({"category": "Dining"}, "its category is 'Dining', not 'Home & Living'"),
        ({"quantity": "calories"}, "quantity 'calories' is unknown"),
        ({"task": ""}, "task"),
    ],
)
def test_what_is_wrong_with_a_pair_is_said(change, problem):
    assert checked(SOUND, "Home & Living").problems == ""
    assert problem in checked(replace(SOUND, **change), "Home & Living").problems


def test_what_a_machine_cant_decide_is_a_remark():
    odd = checked(replace(SOUND, equation1="3 + 2 + 17 - 17"))
    assert odd.problems == ""
    assert "number not in sentence: equation1: 17" in odd.remarks
    lifted = checked(replace(SOUND, quantity="weight", task="lifting"))
    assert lifted.problems == ""
    assert "fill in noun, verb and verb_s" in lifted.remarks
    worded = replace(lifted, noun="weight", verb="lift", verb_s="lifts")
    assert "fill in" not in checked(worded).remarks


def test_a_line_with_other_values_and_a_pair_twice_are_rejected():
    (values,) = pairs_of(EXAMPLE)
    seen = set()
    rows = [row_of("x", each, asked(), seen) for each in (values, values[:-1], values)]
    assert [row.problems for row in rows] == [
        "", "6 values, not 7", "the same two sentences as another pair",
    ]  # fmt: skip


def test_cells_have_the_papers_proportions():
    wanted = cells(300)
    assert sum(wanted.values()) == 300
    labels = Counter()
    for (_, label), n in wanted.items():
        labels[label] += n
    assert all(abs(labels[label] - n) <= 3 for label, n in zip(
        ("equal", "less", "more"), (94, 119, 87), strict=True))  # fmt: skip
    assert {category for category, _ in cells(9, "dining,travel")} == {"Dining", "Travel"}


# --- the sheet ---


def sheet_of(tmp_path, *rows):
    path = tmp_path / SHEET
    write_sheet(path, SheetRow, [checked(row) for row in rows])
    return path


def test_accepted_pairs_become_a_file_that_the_task_takes(tmp_path):
    wrong = replace(SOUND, id="home-2", equation2="1 + 1")
    weight = replace(SOUND, id="home-3", accept="yes", quantity="weight", task="lifting",
                     noun="weight", verb="lift", verb_s="lifts")  # fmt: skip
    out = tmp_path / "set.jsonl"
    done = finish(sheet_of(tmp_path, replace(SOUND, accept="yes"), wrong, weight), out)
    assert (done.accepted, done.rejected, done.pending) == (["home-1", "home-3"], ["home-2"], [])
    (first, _) = load(str(out)).items
    assert (first.scenario.sentence2, first.scenario.label) == (
        "{B} swept for 4 hours and dusted for 3 hours.", "more",
    )  # fmt: skip
    assert {f.kind for f in verify(str(out))} == {"repeated"}
    assert len(mathcomp(data=str(out)).dataset) == 2 * 14


def test_nothing_is_written_before_a_person_has_decided(tmp_path):
    out = tmp_path / "set.jsonl"
    sheet = sheet_of(tmp_path, SOUND)
    assert finish(sheet, out).pending == ["home-1"]
    assert not out.exists()
    assert finish(sheet, out, trust_checks=True).accepted == ["home-1"]


def test_checks_are_trusted_only_where_nothing_is_odd(tmp_path):
    odd = replace(SOUND, equation1="3 + 2 + 17 - 17")
    assert finish(sheet_of(tmp_path, odd), tmp_path / "x", trust_checks=True).pending == ["home-1"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"equation2": "1 + 1"}, "home-1: .*contradicts the equations.*write no"),
        ({"quantity": "weight"}, "home-1: .*fill in noun"),
        ({"accept": "perhaps"}, r"record 1 \(home-1\): accept is 'perhaps'; write yes or no"),
    ],
)
def test_a_wrong_pair_is_not_accepted(tmp_path, change, message):
    sheet = sheet_of(tmp_path, replace(SOUND, **{"accept": "yes", **change}))
    with pytest.raises(ReviewError, match=message):
        finish(sheet, tmp_path / "set.jsonl")


# --- the run ---

QUIET = {"display": "none", "log_level": "error", "retry_attempts": 0, "retry_wait": 0.01}


@pytest.mark.whole
def test_a_simulated_writers_pairs_become_a_set_that_verifies(tmp_path):
    left = write_pairs("respondent/random", tmp_path, 6, "dining", **QUIET)
    rows = read_sheet(left.sheet, SheetRow)
    assert left.sound == 6
    assert left.short == {}
    assert left.rejected == sum(bool(row.problems) for row in rows) > 0
    # The log says the same: mathcomp_writing() wrote, mathcomp_writing_scorer() counted.
    (log,) = [read_eval_log(info) for info in list_eval_logs(str(tmp_path / "logs"))]
    assert log.plan.steps[-1].solver.endswith("mathcomp_writing")
    scores = [sample.scores["mathcomp_writing_scorer"].value for sample in log.samples]
    assert all(score["complete"] == 1 for score in scores)
    assert min(score["sound"] for score in scores) < 1
    assert all("but it states" in row.problems for row in rows if row.problems)
    out = tmp_path / "set.jsonl"
    done = finish(left.sheet, out, trust_checks=True)
    assert len(done.rejected) == left.rejected
    assert verify(str(out)) == []
    sets = Counter(i.scenario.label for i in load(str(out)).items)
    assert set(sets) == {"more", "less", "equal"}


@pytest.mark.whole
def test_what_was_asked_is_not_asked_again_and_what_was_decided_stands(tmp_path):
    calls = []

    def written(messages, *_):
        calls.append(messages[-1].text)
        output = ModelOutput.from_content("mockllm/model", reply)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    # One pair has the label, one has not; nothing else ever comes.
    reply = f"{EXAMPLE}\n{EXAMPLE.replace('= 28 | cleaning', '= 29 | cleaning')}"
    model = get_model("mockllm/model", custom_outputs=written, memoize=False)
    first = write_pairs(model, tmp_path, 4, "home_living", **QUIET)
    asked_once = len(calls)
    assert sum(first.short.values()) == 4 - first.sound
    assert first.sound == 1
    assert "final results in both sentences are **" in calls[0]
    assert any("These were of no use: " in text and "states 29" in text for text in calls)
    with first.sheet.open(encoding="utf-8", newline="") as lines:
        rows = [*csv.DictReader(lines)]
    (row,) = [r for r in rows if not r["problems"]]
    mended = [SheetRow(**(r | {"accept": "yes", "task": "tidying"} if r is row else r))
              for r in rows]  # fmt: skip
    write_sheet(first.sheet, SheetRow, mended)
    second = write_pairs(model, tmp_path, 4, "home_living", **QUIET)
    assert len(calls) == asked_once
    assert second == first
    (kept,) = [r for r in read_sheet(second.sheet, SheetRow) if r.accept]
    assert kept.task == "tidying"


@pytest.mark.whole
def test_the_commands_write_finish_and_verify(tmp_path):
    def askew(*args):
        done = CliRunner().invoke(main, args)
        return done.exit_code, done.output

    folder, out = str(tmp_path / "set"), str(tmp_path / "set.jsonl")
    build = ["data", "build", "mathcomp", "--folder", folder]
    code, said = askew(*build, "--model", "respondent/oracle", "--items", "3", "--yes")
    assert code == 0
    assert "3 pairs to decide on, 0 rejected" in said
    code, said = askew(*build, "--finish", out, "--trust-checks")
    assert (code, f"pairs in {out}; 0 rejected" in said) == (0, True)
    assert askew("data", "verify", "mathcomp", "--data", out)[0] == 0
    assert askew(*build)[0] != 0
