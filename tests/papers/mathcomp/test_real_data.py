"""MathComp on the paper's real file: from a mirror and by path, strict and as published."""

from collections import Counter

import pytest

from askew.files import toml_of
from askew.papers.mathcomp.framings import Scenario, label_of
from askew.papers.mathcomp.items import EXCLUDED, evaluate, scenarios
from askew.papers.mathcomp.numbers import mathcomp as numbers
from askew.papers.mathcomp.tasks import mathcomp
from askew.report.study import Study
from askew_authoring.mathcomp.lint import verify

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def file(shared_data):
    return shared_data / "mathcomp" / "MathComp_Dataset.csv"


@pytest.fixture(scope="module")
def items(file):
    return scenarios(file, strict_items=False)


def test_the_papers_file_gives_300_items_in_14_framings_as_published(published):
    asked = list(mathcomp(data="paper", scenarios="strict_items=false").dataset)
    assert len(asked) == len({s.id for s in asked}) == 300 * 14
    golds = Counter(s.target for s in asked)
    assert golds == {"less": 119 * 14, "equal": 94 * 14, "more": 87 * 14}


def test_all_300_items_run_and_ten_wrong_ones_are_marked(published):
    asked = list(mathcomp(data="paper").dataset)
    assert len(asked) == 300 * 14
    wrong = Counter(s.metadata["item"] for s in asked if "wrong" in s.metadata)
    assert wrong == dict.fromkeys(EXCLUDED, 14)
    assert {f.item for f in verify("paper") if f.excluded} == set(wrong)
    lax = mathcomp(data="paper", strict_items=False)
    assert lax.metadata["data_revision"].endswith(".as_published")
    drawn = list(mathcomp(data="paper", items=290, framing="style=neutral").dataset)
    assert len(drawn) == 290 * 2
    assert not any("wrong" in s.metadata for s in drawn)


@pytest.mark.whole
def test_wrong_items_are_named_and_in_no_number(run, published, tmp_path):
    log = run(mathcomp(data="paper", framing="style=neutral,position=end"))
    assert log.results.scores[0].unscored_samples == 10
    observations = Study.read(log.location)
    assert observations.rows["item"].nunique() == len(observations.rows) == 290
    out = observations.excluded
    assert list(out["what"].unique()) == ["invalid item"]
    assert sorted(out["why"]) == [f"{item}: {why}" for item, why in sorted(EXCLUDED.items())]
    # The run is whole: what is wrong with questions is not missing evidence.
    (ran,) = observations.runs
    assert (ran.planned, ran.scored) == (290, 290)
    table = numbers(observations.rows, by=(), interval=None, cuts=((),))
    assert set(table.loc[table["metric"] == "accuracy", "n_items"]) == {290}


def test_has_300_items_in_the_proportions_of_the_tables(items):
    assert len(items) == 300
    counted = toml_of("askew.papers.mathcomp", "published/topics.toml")
    topics = {(category, of): n for category, row in counted.items() for of, n in row.items()}
    assert Counter((item.category, item.quantity) for item in items) == topics
    assert sum(item.verbal for item in items) == 142


def test_only_three_labels_contradict_their_equations(items):
    assert _contradicted(items) == ["paper-126", "paper-129", "paper-242"]


def test_what_is_kept_is_corrected_and_follows_from_its_equations(file):
    asked = scenarios(file)
    assert {item.id: item.wrong for item in asked if item.wrong} == EXCLUDED
    assert _contradicted([item for item in asked if not item.wrong]) == []


def test_verify_reports_every_oddity_of_the_papers_file(file):
    found = verify(str(file))
    kinds = Counter(finding.kind for finding in found)
    assert {f.item for f in found if f.excluded} == {*EXCLUDED}
    assert kinds == {
        "task_phrase": 129, "number_format": 28, "number_not_in_sentence": 24,
        "number_not_in_equation": 23, "framing_word": 23, "equation": 17, "wrong": 10,
        "open_reading": 10, "label": 3, "date": 1, "pronoun": 1,
    }  # fmt: skip


def _contradicted(items: list[Scenario]) -> list[str]:
    return [
        item.id
        for item in items
        if label_of(evaluate(item.equation1), evaluate(item.equation2)) != item.label
    ]
