"""Three places for questions, one way to load them."""

import json

import pytest

from askew.papers import get_paper, task_papers
from askew.papers.format_bias import items as format_bias
from askew.papers.knowno.items import load
from askew.papers.mathcomp import items as mathcomp
from askew.parameters import SelectionError
from askew.sources.loading import templates
from askew.sources.records import RecordsError
from tests.cases import cases_of

QUESTION = cases_of(__file__, "QUESTION")


def write(path, *records):
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return str(path)


LONG = ("a" * 5_000, "not a path (File name too long)")


@pytest.mark.parametrize(("data", "why"), [*cases_of(__file__, "NO_FILES"), LONG])
@pytest.mark.parametrize("load", [load, mathcomp.load])
def test_data_that_names_no_file_is_rejected_in_any_type(load, data, why):
    with pytest.raises(SelectionError) as caught:
        load(data)
    message = str(caught.value)
    assert message.startswith("data=")
    assert f": {why}" in message
    assert len(message) < 500


def test_all_errors_of_a_file_come_at_once_with_their_lines(tmp_path):
    wrong = {**QUESTION, "id": "b", "gold_option": "pear"}, {"id": "c", "riddle": "?"}
    few = {**QUESTION, "id": "d", "options": ["plum"]}
    path = write(tmp_path / "mine.jsonl", QUESTION, *wrong, few)
    with pytest.raises(RecordsError) as caught:
        load(path)
    message = str(caught.value)
    missing = "'pear' is missing from the options"
    assert all(part in message for part in ("line 2", missing, "line 3", "fit no record", "line 4"))


def test_a_gold_option_offered_twice_is_refused(tmp_path):
    twice = {**QUESTION, "options": ["plum", "plum", "brick"]}
    with pytest.raises(RecordsError, match="more than once in the options"):
        load(write(tmp_path / "mine.jsonl", twice))


def test_questions_about_one_text_share_a_cluster(tmp_path):
    story = {**QUESTION, "story": "A plum fell off the table."}
    loaded = load(
        write(tmp_path / "mine.jsonl", story, {**story, "id": "b"}, QUESTION | {"id": "c"})
    )
    clusters = [item.cluster for item in loaded.items]
    assert clusters[0] == clusters[1] != clusters[2]


@pytest.mark.parametrize("name", ["cluster", "unit"])
def test_a_file_names_what_is_resampled_together_as_it_did_before_too(tmp_path, name):
    asked = {"question": "Who fell?", "answer": "Ann", "passage": "Ann fell."}
    asked["subset"] = "fairytaleqa"
    path = write(tmp_path / "mine.jsonl", {"id": "a", name: "story", **asked})
    assert [item.cluster for item in format_bias.load(path).items] == ["story"]


# What logs name as their questions: a rename in records moves none of these.
REVISIONS = cases_of(__file__, "REVISIONS")


@pytest.mark.parametrize("task", REVISIONS)
def test_the_bundled_questions_keep_their_revision(task):
    assert f"-{REVISIONS[task]}-" in str(get_paper(task).make(data="bundled").version)


def test_an_equation_index_must_point_at_the_gold(tmp_path):
    record = {
        "id": "e", "context_before": "Let", "context_after": "so", "options_list": ["a=1", "a=2"],
        "gold_option": "a=1", "gold_option_index": 1,
    }  # fmt: skip
    with pytest.raises(RecordsError, match="does not point at gold_option"):
        load(write(tmp_path / "mine.jsonl", record))


@pytest.mark.parametrize("task", [task for task in task_papers() if task != "bend"])
def test_a_subset_of_the_name_of_all_of_them_is_refused_with_its_line(task, tmp_path):
    """A log of it would be left out, once its replies are paid."""
    items = get_paper(task).part("items")
    first, *_ = (json.loads(line) for line in templates(items.PAPER.home)[0])
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(first | {"subset": "all"}), encoding="utf-8")
    with pytest.raises(RecordsError, match=r"(?s)line 1.*subset"):
        items.load(str(path))


def test_repeated_ids_are_refused(tmp_path):
    with pytest.raises(RecordsError, match="line 2, field id: 'a' is that of line 1 too"):
        load(write(tmp_path / "mine.jsonl", QUESTION, QUESTION))
