"""MathComp's words that a user chooses: what each part changes in prompts, and what it must not."""

import pytest

from askew.papers.mathcomp.paper import OUTPUTS
from askew.papers.mathcomp.tasks import mathcomp
from askew.report.study import Study
from askew.solvers.chain import planned_dialogue
from tests.cases import cases


def with_metadata(**parameters):
    """Prompts by sample id."""
    made = mathcomp(items=2, n=10, **parameters).dataset
    return {s.id: (planned_dialogue(s)[0][1], s.metadata) for s in made}


def prompts(**parameters):
    return {name: prompt for name, (prompt, _) in with_metadata(**parameters).items()}


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_authors_layout_moves_options_and_nothing_else(output):
    ours, theirs = prompts(output=output), prompts(output=output, layout="authors")
    behind = "\n" if output == "one_word" else "\n\n"
    assert {
        name: prompt.replace(
            "\n\nA) less B) more C) equal\n", f"\nA) less\nB) more\nC) equal{behind}"
        )
        for name, prompt in ours.items()
    } == theirs
    assert not set(ours.values()) & set(theirs.values())


def test_equal_wording_changes_only_the_indirect_equal_question():
    ours, theirs = prompts(), prompts(framing="equal_wording=same")
    changed = {name for name, prompt in ours.items() if theirs[name] != prompt}
    assert changed == {name for name in ours if "/indirect/equal/" in name}
    for name in changed:
        assert theirs[name].count(", but do they") == theirs[name].count(" the same total ") == 1
        assert " the equal total " not in theirs[name]
        mended = theirs[name].replace(", but", " but").replace(" same total", " equal total")
        assert mended == ours[name]


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
        made = mathcomp(items=2, n=10, output="one_word,cot", **given).dataset
        return {(s.metadata["output"], s.metadata["judge_question"]) for s in made}

    letters, names = judge_questions(), judge_questions(judge_people="names")
    assert {q for o, q in letters | names if o == "one_word"} == {""}
    assert all("person B" in q and "person A" in q for o, q in letters if o == "cot")
    assert {
        (o, q.replace("person B", "Sam").replace("person A", "Alex")) for o, q in letters
    } == names


def test_every_wording_is_another_version_that_is_not_compared_unsaid():
    ways = [{}, {"layout": "authors"}, {"equal_wording": "same"}, {"names": "Ann,Bea"},
            {"judge_people": "names"}]  # fmt: skip
    made = [mathcomp(items=1, n=10, **way) for way in ways]
    assert len({task.version for task in made}) == len(ways)
    said = {"layout": "askew", "equal_wording": "equal", "names": "Alex,Sam"}
    assert mathcomp(items=1, n=10, framing=said).version == made[0].version


@pytest.mark.whole
def test_runs_in_other_words_are_named_by_them_however_they_were_given(run, tmp_path):
    for given in (
        {}, {"framing": "style=neutral"}, {"layout": "authors"},
        {"framing": "layout=authors,style=neutral"},
    ):  # fmt: skip
        run(mathcomp(items=1, n=10, **given))
    observations = Study.read(str(tmp_path / "logs"), quiet=True)
    names = {name.removeprefix("respondent/oracle") for name in observations.rows["model"].unique()}
    assert len(names) == 2
    assert any("layout=authors" in name for name in names)


@cases("framing")
def test_a_group_takes_text_what_a_command_line_makes_of_it_and_a_mapping(framing):
    assert {name.partition("/")[2] for name in prompts(framing=framing)} == {
        "direct/more/end/one_word/standard", "neutral/none/end/one_word/standard"
    }  # fmt: skip
