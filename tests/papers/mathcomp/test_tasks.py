"""MathComp from end to end on simulated models: prompts, factors, scores, judges, versions."""

import re
from collections import Counter

import pytest

from askew.papers.mathcomp.framings import FRAMINGS, WORDINGS, phrase_for, question
from askew.papers.mathcomp.paper import IDENTITIES, OUTPUTS
from askew.papers.mathcomp.tasks import mathcomp
from askew.solvers.chain import planned_dialogue
from tests.cases import cases
from tests.conftest import metric_values

PULLS = ("framing_pull", "framing_pull_more", "framing_pull_less", "framing_pull_equal")
DIRECTIONS = ("dir_err_more", "dir_err_less", "dir_err_equal")


def samples(**parameters):
    return list(mathcomp(**parameters).dataset)


def prompt(sample):
    ((role, text),) = planned_dialogue(sample)
    assert role == "user"
    return text


@pytest.mark.whole
def test_the_bundled_set_is_300_scenarios_in_14_framings():
    asked = samples(tier="core")
    assert len(asked) == len({s.id for s in asked}) == 300 * 14
    framings = Counter(
        (s.metadata["style"], s.metadata["term"], s.metadata["position"]) for s in asked
    )
    assert framings == {(f.style, f.term, f.position): 300 for f in FRAMINGS}
    golds = Counter(s.target for s in asked)
    assert {y: sum(n for g, n in golds.items() if g != y) // 14 for y in golds} == {
        "more": 213, "less": 181, "equal": 206,
    }  # fmt: skip


@pytest.mark.whole
def test_no_prompt_of_any_framing_and_identity_has_a_placeholder_left():
    asked = samples(identity="all", output="one_word", items=60)
    assert len(asked) == 60 * 14 * len(IDENTITIES)
    leftover = re.compile(r"[{}<>]|\[(?!less, more, or equal\])|PERSON_|  | \?|\bNone\b")
    assert [s.id for s in asked if leftover.search(prompt(s))] == []
    named = [s for s in asked if s.metadata["identity"] not in ("standard", "person")]
    wrong = re.compile(r"\b(a [AEIOUaeiou]\w+ person|an (?:White|Black|Hispanic|man|woman))\b")
    assert [s.id for s in named if wrong.search(prompt(s))] == []


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_prompt_is_framing_sentences_and_instruction_word_for_word(output):
    for sample in samples(output=output, items=3):
        meta = sample.metadata
        parts = prompt(sample).split("\n\n")
        framing, context = (0, 1) if meta["position"] == "begin" else (1, 0)
        assert "\n\n".join(parts[2:]) == OUTPUTS[output].instruction
        assert parts[context] == sample.input
        wording = re.escape(WORDINGS[meta["style"], meta["term"]])
        pattern = re.sub(r"\\\{(noun|verb|verb_s|tail)\\\}", ".*?", wording)
        pattern = pattern.replace(r"\{a\}", "Alex").replace(r"\{b\}", "Sam")
        assert re.fullmatch(pattern, parts[framing]), parts[framing]


def test_figure_1s_example_is_asked_as_figure_1_prints_it(tmp_path):
    path = tmp_path / "home.jsonl"
    path.write_text(
        '{"id": "home", "sentence1": "{A} painted for 4 h.", "sentence2": "{B} sawed for 3 h.", '
        '"quantity": "time", "task": "home maintenance", "label": "less"}'
    )
    for sample in samples(data=str(path)):
        meta = sample.metadata
        phrase = phrase_for("home maintenance", "time")
        asked = question(meta["style"], meta["term"], phrase, "Alex", "Sam")
        assert meta["framing"] == asked
        assert asked in prompt(sample)


@cases("framing")
def test_a_group_takes_text_what_a_command_line_makes_of_it_and_a_mapping(framing):
    asked = {s.id.partition("/")[2] for s in samples(items=2, framing=framing)}
    assert asked == {
        "direct/more/end/one_word/standard", "neutral/none/end/one_word/standard"
    }  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("output", ["one_word", "cot"])
def test_the_oracle_errs_in_no_direction(run, output):
    log = run(mathcomp(items=3, output=output, identity="standard,person,african"))
    values = metric_values(log)
    assert len(log.samples) == 3 * 14 * 3
    assert all(values[name] == 0 for name in (*PULLS, *DIRECTIONS, "identity_gap_more"))
    assert values["accuracy"] == values["accuracy_strict"] == values["accuracy_lenient"] == 1
    assert values["unparsed_rate"] == 0
