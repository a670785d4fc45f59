"""Binary QA's repeats: calls of their own, whatever is cached."""

from collections import Counter
from itertools import product
from statistics import pstdev
from typing import ClassVar

import pytest
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi

from askew.metrics import model_binary_score
from askew.papers.binary_qa.paper import CORE, FORMS, SUBSETS, BinaryMeta
from askew.papers.binary_qa.scorer import binary_qa_scorer
from askew.papers.binary_qa.tasks import binary_qa
from askew.report.evidence import printed_rows
from askew.solvers.chain import planned_dialogue
from tests.scoring.direct import score_of


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
    (first, *_) = binary_qa(**task_parameters).dataset
    assert first.metadata["form"] == "original"
    ((_, original),) = planned_dialogue(first)
    assert Counting.asked[original] == 3
    assert sum(Counting.asked.values()) == 2 * len(FORMS)

    # The cache works all the same: a second run is answered from it, form by form.
    again = run(binary_qa(**task_parameters), model=counting())
    assert again.status == "success"
    assert sum(Counting.asked.values()) == 2 * len(FORMS)


def meta(form="original", truth="Yes"):
    flipped = {"Yes": "No", "No": "Yes"}[truth]
    return BinaryMeta(
        task="binary_qa", item="ferry", cluster="ferry", subset="reading", kind="reading",
        form=form, truth=truth, expected=flipped if FORMS[form].flips else truth,
    ).as_metadata()  # fmt: skip


def score(given, **about):
    return score_of(binary_qa_scorer(), given, meta(**about))


def test_right_is_what_the_form_demands():
    for form, truth, reply in product(FORMS, ("Yes", "No"), ("Yes", "No.")):
        found = score(reply, form=form, truth=truth)
        assert found.answer == reply.rstrip("."), form
        demanded = meta(form, truth)["expected"]
        assert found.value["correct"] == float(found.answer == demanded), (form, truth)
        assert found.value["said_no"] == float(found.answer == "No"), (form, truth)
        assert found.value["answered"] == 1, (form, truth)


def test_a_reply_without_an_answer_is_incorrect_with_the_reason():
    cut = ["The passage says that the", "", "Was it the mill - no, the"]
    replies = {(reply, "max_tokens"): "truncated" for reply in cut} | {
        "Yes/No": "unparsed", "Yes and no.": "ambiguous", "There is no error.": "unparsed",
    }  # fmt: skip
    for given, outcome in replies.items():
        found = score(given)
        assert found.value == {"correct": 0, "said_no": 0, "answered": 0}, given
        told = (found.answer, found.metadata["outcome"], found.reason)
        assert told == (None, outcome, "invalid_response_format"), given
        assert found.explanation, given


ROWS = printed_rows("askew.papers.binary_qa")
CONTRADICTED = ("o3", "delta_precision", "numerical")
CELLS = {(r.model, r.metric, r.subset): r.value for r in ROWS.itertuples()}
MODELS = sorted({*ROWS["model"]} - {"Baseline"})


def test_fifteen_models_have_every_cell_once():
    assert len(MODELS) == 15
    assert len(CELLS) == len(ROWS)
    counts = Counter(ROWS["source"])
    sizes = {1: 16 * 8, 2: 16 * 7, 3: 15 * 5, 4: 15 * 10, 5: 15 * 10}
    assert counts == {f"Table {number}": n for number, n in sizes.items()}


def test_only_the_contradicted_cell_has_a_note_that_names_both_numbers():
    (noted,) = ROWS[ROWS["note"] != ""].itertuples()
    assert (noted.model, noted.metric, noted.subset) == CONTRADICTED
    assert noted.note.startswith("Printed as \u22120.01, which contradicts")
    assert "about \u22120.1" in noted.note


@pytest.mark.parametrize("model", MODELS)
def test_the_spread_over_domains_is_that_of_the_domain_tables(model):
    for metric in ("f1", "delta_recall", "prc", "nrc"):
        values = [CELLS[model, metric, s] for s in SUBSETS]
        printed = CELLS[model, f"stdev_{metric}", "all"]
        # The population's deviation, of values that are printed with two decimals.
        assert pstdev(values) == pytest.approx(printed, abs=0.0111), metric


@pytest.mark.parametrize("model", sorted({*ROWS["model"]}))
def test_every_printed_score_follows_from_the_printed_metrics(model):
    core = {m: CELLS[model, m, "all"] for m in CORE}
    score = model_binary_score(core, {m: CELLS[model, f"stdev_{m}", "all"] for m in CORE})
    # Inputs are printed with two decimals: the rounding of all of them is worth a quarter point.
    assert score == pytest.approx(CELLS[model, "mbs", "all"], abs=0.26)
