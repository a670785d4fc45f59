"""Equation items from LaTeX: what is found, dropped, decided by a person, and written."""

import csv
from collections import Counter

import pytest

from askew.papers.knowno.items import load
from askew.respondents import provider
from askew_authoring import building
from askew_authoring.building import run_build
from askew_authoring.knowno.build import finish_build, plan_build, written_equation
from askew_authoring.knowno.latex import equations
from askew_authoring.knowno.lint import verify
from tests.cases import cases

ORACLE = "respondent/oracle"
SIDE = "The rudder holds the boat on its course while the wind turns. " * 20
QUIET = {"display": "none", "log_level": "error", "retry_attempts": 0, "retry_wait": 0.01}


def source(path, *equations):
    body = f"\n{SIDE}\n".join(equations)
    path.write_text(
        "\\documentclass{article}\n\\begin{equation} p = q + r + s \\end{equation}\n"
        f"\\begin{{document}}\n{SIDE}\n{body}\n{SIDE}\n\\bibliography{{own}}\n"
        "\\[ z = y + x + w \\]\n\\end{document}\n",
        encoding="utf-8",
    )
    return path


def numbered(*bodies):
    labelled = "\\begin{{equation}}\\label{{eq:{}}}\n{}.\n\\end{{equation}}"
    return [labelled.format(i, body) for i, body in enumerate(bodies)]


@pytest.fixture
def paper(tmp_path):
    return source(tmp_path / "boats.tex", *numbered("F = m a + k", "v = u + a t", "s = v t / 2"))


def test_equations_come_without_labels_marks_preamble_and_references(paper):
    found, out = equations([paper])
    assert [e.gold for e in found] == ["F = m a + k", "v = u + a t", "s = v t / 2"]
    assert not out
    assert len({e.id for e in found}) == 3
    before, after = found[1].context(100)
    assert before.endswith("turns.")
    assert 100 <= len(before.split()) < 115
    assert "\\bibliography" not in after


@pytest.mark.parametrize(
    ("equation", "why"),
    [
        ("\\[ x + y + z \\]", "has no two sides"),
        ("\\[ a = \\begin{cases} 1 \\\\ 2 \\end{cases} \\]", "has several lines"),
        ("$$ a = b $$", "is not from 8 to 600 characters long"),
        (f"\\[ w = x + y_1 \\] where $ w=x + y_{{1}} $ {SIDE}", "stands in the text around it"),
    ],
)
def test_unusable_equations_are_left_out_with_the_reason(tmp_path, equation, why):
    found, out = equations([source(tmp_path / "a.tex", equation)])
    assert (found, [reason.startswith(why) for reason in out]) == ([], [True])


@cases("reply", "equation")
def test_one_equation_or_none_is_parsed_from_a_reply(reply, equation):
    assert written_equation(reply, "F") == equation


@pytest.mark.whole
def test_a_set_is_built_reviewed_written_verified_and_run(tmp_path, paper):
    plan = plan_build([paper], ORACLE, tmp_path / "set", ORACLE)
    assert "3 equations" in plan.describe()
    assert "calls: 9 of respondent/oracle and 9 of respondent/oracle" in plan.describe()
    built = run_build(plan, **QUIET)
    assert (built.n_items, built.undecided, built.left) == (3, 9, {})
    out = tmp_path / "mine.jsonl"
    assert len(finish_build(built.sheet, out).pending) == 3
    assert not out.exists()
    first = next(iter(plan.tasks.values())).dataset[0].id
    with built.sheet.open(encoding="utf-8", newline="") as lines:
        rows = [*csv.DictReader(lines)]
    for row in rows:
        row["accept"] = "no" if (row["id"], row["number"]) == (first, "2") else "yes"
    with built.sheet.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    done = finish_build(built.sheet, out)
    assert (len(done.records), done.rejected) == (2, [first])
    items = load(str(out)).items
    assert {i.gold_text for i in items} == {"v = u + a t", "s = v t / 2"}
    assert all(len(i.options) == 4 for i in items)
    assert verify(str(out)) == []


@pytest.mark.whole
def test_right_repeated_flawed_and_missing_equations_are_dropped(tmp_path, monkeypatch):
    says = {
        ("write", 1): r"F = m \, a + k", ("write", 2): "F = m + a", ("write", 3): "F=m+a",
        ("write", 4): "no idea", ("check", 5): "Yes, the sign is wrong.", ("check", 6): "Maybe",
    }  # fmt: skip
    honest, calls = building.reply, Counter()

    def reply(truth, *others):
        asks, attempt = truth["at"]
        calls[asks] += 1
        return says.get((asks, attempt)) or honest(truth, *others)

    monkeypatch.setattr(building, "reply", reply)
    provider.answerer_of.cache_clear()
    paper = source(tmp_path / "a.tex", *numbered("F = m a + k"))
    built = run_build(plan_build([paper], ORACLE, tmp_path / "set", ORACLE), **QUIET)
    provider.answerer_of.cache_clear()
    reasons = ("the right one", "already there", "no equation", "flawed", "not judged")
    assert built.left == {f"dropped, {why}": 1 for why in reasons}
    assert (calls["write"], built.n_items) == (8, 1)
