"""Format-bias questions from the bundle, the paper's files and a user's file are one kind."""

import csv
import json
from collections import Counter

import pytest

from askew.papers.format_bias.items import demonstrations, load
from askew.papers.format_bias.paper import LEVELS, PAPER, SUBSETS
from askew.papers.format_bias.tasks import body
from askew.sources.loading import templates
from tests.cases import cases_of

FILES = cases_of(__file__, "FILES")


def test_levels_of_a_text_share_a_cluster_and_nest():
    by_cluster = {}
    for item in load("bundled", ["scirex_easy", "scirex_medium", "scirex_hard"]).items:
        by_cluster.setdefault(item.cluster, {})[item.subset] = item
    assert len(by_cluster) == 22 + 20
    for levels in by_cluster.values():
        assert {name: tuple(item.entities) for name, item in levels.items()} == LEVELS
        hard = levels["scirex_hard"].entities
        assert all(hard[k] == v for item in levels.values() for k, v in item.entities.items())


def test_demonstrations_cover_every_kind_and_test_nothing():
    shown = demonstrations()
    assert {kind: len(items) for kind, items in shown.items()} == {
        "mcq": 5, "bbh": 5, "arithmetic": 5, "reading": 5, "multihop": 5, "ranking": 5,
        "keyphrases": 5, "extraction": 15,
    }  # fmt: skip
    tested = {tuple(item.context.values()) for item in load("bundled").items}
    assert not any(tuple(d.context.values()) in tested for items in shown.values() for d in items)


def test_the_template_can_be_loaded_as_it_is(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(templates(PAPER.home)[0]), encoding="utf-8")
    items = load(str(path)).items
    # The extraction record gives one item a level.
    assert Counter(i.subset for i in items) == dict.fromkeys(SUBSETS, 1)
    sheet = tmp_path / "mine.csv"
    sheet.write_text("\n".join(templates(PAPER.home)[1]), encoding="utf-8")
    (item,) = load(str(sheet)).items
    assert item.choices == ("the Moon", "the wind", "rivers")


def test_a_users_subset_names_its_items(tmp_path):
    path = tmp_path / "mine.jsonl"
    records = (
        {"id": "a", "subset": "harbour", "question": "What floats?", "answer": "a cork"},
        {"id": "b", "text": "TideNet.", "Task": [], "Method": ["TideNet"], "subset": "nets"},
    )
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    one, two = load(str(path)).items
    assert (one.subset, one.kind, one.entities) == ("harbour", "arithmetic", {})
    assert (two.subset, two.kind, [*two.entities]) == ("nets", "extraction", ["Task", "Method"])
    assert [i.id for i in load(str(path), "nets").items] == ["b"]


# ---- the paper's own files -------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.real_data
@pytest.mark.parametrize("subset", FILES)
def test_the_papers_files_load_whole_by_name_and_by_path(published, subset):
    name, number = FILES[subset]
    by_name = load("paper", subset).items
    assert len(by_name) == number
    assert {item.subset for item in by_name} == {subset}
    assert len({item.id for item in by_name}) == number
    assert load(str(published / "format_bias" / name)).items == by_name


@pytest.mark.whole
@pytest.mark.real_data
@pytest.mark.parametrize("subset", ["bbh", "gsm8k", "hotpotqa", "fairytaleqa"])
def test_questions_are_laid_out_as_the_authors_laid_them_out(published, subset):
    name, number = FILES[subset]
    csv.field_size_limit(10**9)
    with (published / "format_bias" / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    items = load("paper", subset).items
    assert len(rows) == number
    alike = [" ".join(body(i).split()) == " ".join(r["input_data"].split()) for i, r in
             zip(items, rows, strict=True)]  # fmt: skip
    # The one row of HotpotQA without paragraphs is asked without "Context:".
    assert alike.count(False) == (1 if subset == "hotpotqa" else 0)
