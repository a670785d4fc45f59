"""The checks of the bundled sets find nothing, and guessers get no more of them than chance."""

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.decide.simulation import simulation
from askew.papers import get_paper
from askew.papers.format_bias.items import items_of, parse_record
from askew_authoring.commands import LINTED, lint_of
from askew_authoring.linting import by_set, near_duplicates, opposite_pairs, undeclared_in_logs
from tests.cases import cases_of

ROOT = Path(__file__).parents[2]

# What a check notes although nothing is wrong: some papers name nothing of a kind.
GAPS = {"format_bias": {"empty truth"}}
# Core totals are up to 45 % apart: the largest number tells something about them.
TELLING = {"mathcomp": {"core: more or less, by numbers"}}
SETS = cases_of(__file__, "SETS")


@pytest.mark.parametrize("task", LINTED)
def test_nothing_is_found_in_the_bundled_questions(task):
    found = lint_of(get_paper(task)).verify("bundled")
    assert [f for f in found if f.kind not in GAPS.get(task, ())] == []


def clusters_told(items):
    """How many clusters the core and the hard questions of each subset have."""
    sets = by_set(items).items()
    found = {name: len({item.cluster for item in group}) for name, group in sets}
    subsets = dict.fromkeys(item.subset for item in items)
    told = (f"`{s}` {found[f'{s} core']}, {found[f'{s} hard']}" for s in subsets)
    return f"Clusters (core, hard): {'; '.join(told)}."


@pytest.mark.whole
@pytest.mark.parametrize("task", LINTED)
def test_bundled_items_that_are_alike_share_a_cluster_and_the_docs_count_these(task):
    items = get_paper(task).items.load("bundled").items
    page = (ROOT / f"docs/reference/tasks/{task}.md").read_text("utf-8")
    assert clusters_told(items) in " ".join(page.split())
    assert [*near_duplicates(items), *opposite_pairs(items)] == []


def test_pairs_of_opposite_answers_without_a_cluster_are_found():
    items = get_paper("binary_qa").items.load("bundled", "ethics").items
    apart = [item.model_copy(update={"cluster": item.id}) for item in items]
    assert len([*opposite_pairs(apart)]) >= len({item.cluster for item in items}) - 1


@pytest.mark.parametrize("declared", [True, False])
def test_a_text_that_models_of_logs_answer_alike_has_to_be_a_cluster(declared):
    made = simulation("knowno", subset="mctest", hint="with_gold")
    run = made.observations("typical", 0, {"knows": 0.5}, alike=0.5)
    items = get_paper("knowno").items.load("bundled", "mctest").items
    if not declared:
        items = [replace(item, cluster=item.id) for item in items]
    found = undeclared_in_logs(items, run, "correct")
    assert [issue.item for issue in found] == ([] if declared else ["story"])


def test_items_of_a_template_without_a_cluster_are_near_duplicates():
    path = files("askew.papers.format_bias") / "bundled" / "reading_hard.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    records = [parse_record({k: v for k, v in line.items() if k != "cluster"}) for line in lines]
    found = {issue.item for issue in near_duplicates(items_of(records))}
    # Of four tales told five times, all but the first of each.
    assert len(found) >= 12


def test_the_lint_command_reports_nothing_found():
    said = CliRunner().invoke(main, ["data", "lint", "binary_qa", "--data", "bundled"])
    assert said.output == "binary_qa (bundled): nothing found\n"


@pytest.mark.whole
@pytest.mark.parametrize("task", LINTED)
def test_guessers_stay_within_chance(task):
    found = lint_of(get_paper(task)).statistics("bundled")
    assert set(found) >= {*SETS[task]}
    untold = {name: of for name, of in found.items() if name not in TELLING.get(task, ())}
    assert [each.line() for of in untold.values() for each in of if not each.within_chance] == []
