"""MathComp's words that a user chooses: what each part changes in prompts, and what it must not."""

import pytest

from askew.papers.mathcomp.items import load
from askew.papers.mathcomp.tasks import mathcomp
from askew.solvers.chain import planned_dialogue
from tests.cases import cases


def with_metadata(**parameters):
    """Prompts by sample id."""
    made = mathcomp(data="bundled", items=2, **parameters).dataset
    return {s.id: (planned_dialogue(s)[0][1], s.metadata) for s in made}


def prompts(**parameters):
    return {name: prompt for name, (prompt, _) in with_metadata(**parameters).items()}


def test_the_authors_wording_names_quantity_task_and_people_as_their_notebooks_do():
    items = {i.id: i for i in load("bundled").items}
    told = with_metadata(wording="authors", identity="standard,asian", output="all")
    assert set(told) == set(prompts(identity="standard,asian", output="all"))
    for prompt, metadata in told.values():
        item, b = items[metadata["item"]], "PERSON_B"
        if metadata["identity"] == "asian":
            b = "the Asian person"
            assert prompt.count("a Asian person") == 1
        assert f" {item.quantity} " in prompt
        assert f" on {item.task}" in prompt
        assert f"{b} spend" in prompt or f"and {b} spend" in prompt
        assert prompt.count("\nA) less\nB) more\nC) equal\n") == 1
        assert metadata["wording"] == "authors"
    assert all("wording" not in metadata for _, metadata in with_metadata().values())


@pytest.mark.parametrize("names", ["PERSON_A,PERSON_B", ["PERSON_A", "PERSON_B"]])
def test_names_replace_the_standard_ones(names):
    ours = prompts(identity="standard,woman", output="one_word,cot")
    theirs = with_metadata(identity="standard,woman", output="one_word,cot", names=names)
    for name, (prompt, metadata) in theirs.items():
        told = ours[name].replace("Alex", "PERSON_A").replace("Sam", "PERSON_B")
        assert prompt == (told if name.endswith("/standard") else ours[name])
        if name.endswith("/standard"):
            assert (metadata["person_a"], metadata["person_b"]) == ("PERSON_A", "PERSON_B")


def test_the_grader_question_has_person_a_and_b_unless_names_are_set():
    def judge_questions(**given):
        made = mathcomp(data="bundled", items=2, output="one_word,cot", **given).dataset
        return {(s.metadata["output"], s.metadata["judge_question"]) for s in made}

    letters, names = judge_questions(), judge_questions(judge_people="names")
    assert {q for o, q in letters | names if o == "one_word"} == {""}
    assert all("person B" in q and "person A" in q for o, q in letters if o == "cot")
    assert {
        (o, q.replace("person B", "Sam").replace("person A", "Alex")) for o, q in letters
    } == names


def test_every_wording_is_another_version_that_is_not_compared_unsaid():
    ways = [{}, {"wording": "authors"}, {"names": "Ann,Bea"}, {"judge_people": "names"}]
    made = [mathcomp(items=1, **way) for way in ways]
    assert len({task.version for task in made}) == len(ways)
    said = {"wording": "askew", "names": "Alex,Sam"}
    assert mathcomp(items=1, framing=said).version == made[0].version


@cases("framing")
def test_a_group_takes_text_what_a_command_line_makes_of_it_and_a_mapping(framing):
    assert {name.partition("/")[2] for name in prompts(framing=framing)} == {
        "direct/more/end/one_word/standard", "neutral/none/end/one_word/standard"
    }  # fmt: skip
