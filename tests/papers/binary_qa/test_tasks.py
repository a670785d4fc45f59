"""Binary QA from end to end: prompts, eight forms, repeats that are real, planted tendencies."""

from typing import ClassVar

import pandas as pd
import pytest
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi

from askew import metrics
from askew.papers.binary_qa.paper import FORMS, SUBSETS
from askew.papers.binary_qa.tasks import binary_qa
from askew.schema import observation_row
from askew.solvers.chain import planned_dialogue
from tests.conftest import metric_values

CHOOSE = "Choose one of the following answers: "


def by_form(**parameters):
    """Samples of the first item, by form."""
    samples = list(binary_qa(**parameters).dataset)
    first = [s for s in samples if s.metadata["item"] == samples[0].metadata["item"]]
    return {s.metadata["form"]: s for s in first}


def prompt(sample):
    ((role, text),) = planned_dialogue(sample)
    assert role == "user"
    return text


def test_every_item_is_asked_in_eight_forms_under_readable_names():
    asked = by_form(subset="reading")
    assert list(asked) == list(FORMS)
    item = asked["original"].metadata["item"]
    assert [s.id for s in asked.values()] == [f"{item}/{form}" for form in FORMS]


def test_a_prompt_is_the_passage_the_question_and_the_options():
    sample = by_form(subset="ethics")["original"]
    passage, question, options = prompt(sample).split("\n\n")
    assert passage.startswith("Passage:\n")
    assert question.startswith("Question: Is this ")
    assert options == CHOOSE + "Yes/No"


def test_swapped_options_change_the_options_and_nothing_else():
    asked = by_form(subset="translation")
    original, swapped = prompt(asked["original"]), prompt(asked["swapped_options"])
    assert swapped == original.replace(CHOOSE + "Yes/No", CHOOSE + "No/Yes")
    assert swapped != original


def test_repeats_ask_the_very_words_of_the_original():
    asked = by_form(subset="numerical")
    assert prompt(asked["repeat_2"]) == prompt(asked["repeat_3"]) == prompt(asked["original"])


def test_targets_flip_under_the_negative_forms_alone():
    for sample in binary_qa().dataset:
        flips = FORMS[sample.metadata["form"]].flips
        assert (sample.target != sample.metadata["truth"]) is flips
        assert sample.target == sample.metadata["expected"]


def test_no_prompt_names_its_answer_or_its_condition():
    for sample in binary_qa(items=20).dataset:
        text = prompt(sample)
        assert sample.metadata["form"] not in text
        assert "expected" not in text


# --- repeats ---


@modelapi(name="counting")
class Counting(ModelAPI):
    """Says Yes, and counts how often it is asked what."""

    asked: ClassVar[dict[str, int]] = {}

    async def generate(self, input, tools, tool_choice, config):
        text = input[-1].text
        Counting.asked[text] = Counting.asked.get(text, 0) + 1
        made = ModelOutput.from_content("counting/model", "Yes")
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made


@pytest.fixture
def counting(monkeypatch, tmp_path):
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "inspect-cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    Counting.asked = {}
    return lambda: get_model("counting/model", config=GenerateConfig(cache=True), memoize=False)


def test_repeats_are_calls_of_their_own_even_with_inspect_s_cache_on(run, counting):
    task_parameters = {"subset": "reading", "items": 2}
    log = run(binary_qa(**task_parameters), model=counting())
    assert log.status == "success"
    original = prompt(by_form(subset="reading", items=2)["original"])
    assert Counting.asked[original] == 3
    assert sum(Counting.asked.values()) == 2 * len(FORMS)

    # The cache works all the same: a second run is answered from it, form by form.
    again = run(binary_qa(**task_parameters), model=counting())
    assert again.status == "success"
    assert sum(Counting.asked.values()) == 2 * len(FORMS)


# --- runs ---


def observed(log):
    scores = [(s.metadata, s.scores["binary_qa_scorer"]) for s in log.samples]
    return pd.DataFrame([observation_row(m, s.value, s.answer, s.metadata) for m, s in scores])


def test_an_oracle_scores_a_hundred(run):
    log = run(binary_qa(items=10), model="respondent/oracle")
    assert metric_values(log)["mbs"] == pytest.approx(100)
    assert len(log.samples) == 10 * len(FORMS)


def test_task_and_table_give_the_same_numbers(run):
    log = run(binary_qa(items=15), model="respondent/typical")
    live = metric_values(log)
    table = metrics.binary_qa(observed(log), by=(), interval=None)
    overall = table[table["subset"] == "all"]
    for name, value in zip(overall["metric"], overall["value"], strict=True):
        assert live[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@pytest.mark.whole
@pytest.mark.parametrize(
    ("model", "shows"),
    [
        ("nay", lambda m: m["delta_recall"] > 0 > m["delta_precision"]),
        ("literal", lambda m: m["nrc"] < 0.8 and m["f1"] == m["prc"] == m["sc"] == 1),
        ("mute", lambda m: m["no_answer"] == 1 and m["f1"] == 0),
        ("chatty", lambda m: m["mbs"] > 99.9),
        ("random", lambda m: m["nrc"] < 0.6 > m["prc"]),
    ],
)
def test_each_respondent_shows_what_was_planted(run, model, shows):
    found = metric_values(run(binary_qa(items=10), model=f"respondent/{model}"))
    assert shows(found), {m: v for m, v in found.items() if not m.startswith(SUBSETS)}
