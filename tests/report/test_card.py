"""The card: a page a model that says no more than its numbers carry."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from askew.analysis import summarize, write_cards
from askew.decide.documents import decide
from askew.decide.policy import Policy
from askew.papers.knowno.paper import SUBSETS
from askew.report.study import Study
from askew.schema import ENOUGH_ITEMS
from askew.stats.tables import Interval
from tests.logs.made_logs import a_log, a_sample
from tests.report.logged import excluded, logged, study_of
from tests.report.observed import observed

QUICK = Interval(resamples=60)


def cards(tmp_path, observations, **given):
    write_cards(study_of(observations), tmp_path / "cards", QUICK, **given)
    return {
        json.loads(p.read_text("utf-8"))["model"]["model"]: (
            p.with_suffix(".md").read_text("utf-8"), json.loads(p.read_text("utf-8")),
        )
        for p in (tmp_path / "cards").glob("*.json")
    }  # fmt: skip


@pytest.fixture
def enough():
    return logged(observed(items=ENOUGH_ITEMS))


def test_every_model_has_a_page_of_its_own(tmp_path):
    both = pd.concat([observed(), observed("respondent/typical")], ignore_index=True)
    found = cards(tmp_path, logged(both))
    assert set(found) == {"acme/model-1", "respondent/typical"}
    assert "Simulated models" in found["respondent/typical"][0]
    assert not {"Simulated", "respondent/typical"} & {*found["acme/model-1"][0].split()}


def test_numbers_are_the_reports_with_interval_and_items(tmp_path, enough):
    ((text, data),) = cards(tmp_path, enough).values()
    rows = summarize(enough.rows, QUICK).set_index(["metric", "subset"])
    number = next(n for n in data["numbers"] if n["metric"] == "omni_accuracy")
    expected = rows.loc[("omni_accuracy", "all")]
    for name in ("value", "low", "high", "n_items", "n_dropped"):
        assert number[name] == pytest.approx(expected[name]), name
    assert f"{100 * expected['value']:.1f} ({100 * expected['low']:.1f} to" in text


def test_on_few_items_no_number_is_given_in_neither_kind(tmp_path):
    few = logged(observed(subsets=("mctest",), items=ENOUGH_ITEMS - 1))
    ((text, data),) = cards(tmp_path, few).values()
    for number in data["numbers"]:
        assert number["value"] is number["low"] is number["high"] is number["null_mean"] is None
        assert (number["n_items"], number["reason"][:6]) == (ENOUGH_ITEMS - 1, "n = 19")
        assert number["verdict"] in (None, "inconclusive")
    shown, _, end = text.partition("## Results")[2].partition("## Outcomes")
    assert "% (" not in shown.replace("(95% CI)", "")
    assert "No value (n below 20)" in text
    assert f"Written by askew {data['askew_version']}, " in end


def test_prompt_variants_that_ran_or_were_left_out_are_named(tmp_path):
    part = logged(observed(hints=("with_gold", "no_hint"), items=ENOUGH_ITEMS))
    ((_, data),) = cards(tmp_path, part).values()
    (asked,) = data["asked"]
    assert asked["wordings"]["hint"] == ["correct option present", "no hint"]
    assert "none-of-them as an option" in asked["wordings_not_asked"]["hint"]
    assert (asked["data"], asked["revision"], asked["items"]) == ("bundled", "a1", 2 * ENOUGH_ITEMS)


def test_a_card_reports_exclusions_and_tasks_not_run(tmp_path, enough):
    rows = enough.rows.copy()
    rows.loc[rows.index[:3], "outcome"] = "refused"
    lost = {"model": rows["model"].iloc[0], "what": "unscored", "count": 4}
    lost["why"] = "no role 'grader' is bound"
    enough = replace(enough, rows=rows, excluded=excluded(lost, lost | {"what": "edited scores"}))
    ((text, data),) = cards(tmp_path, enough).values()
    assert all(words in text for words in ("3 refused", "| 4 unscored |", "no role"))
    limits = " ".join(data["limits"])
    assert "Not run: Instruction Boundary, MathComp, Format bias, Binary QA." in limits
    assert "KnowNo was run on part of its questions: MC-Test, BANK-77." in limits


def test_a_card_has_only_the_policy_checks_of_its_model(tmp_path):
    both = pd.concat(
        [observed("acme/good", lambda hint, i: True, SUBSETS, items=ENOUGH_ITEMS),
         observed("acme/bad", lambda hint, i: hint == "with_gold", SUBSETS, items=ENOUGH_ITEMS)],
        ignore_index=True,
    )  # fmt: skip
    rule = {"name": "notices", "task": "knowno", "metric": "omni_accuracy", "min": 0.7}
    told = logged(both)
    decided = decide(told, Policy.model_validate({"version": 1, "rules": [rule]}), interval=QUICK)
    found = cards(tmp_path, told, decided=decided)
    assert found["acme/good"][1]["policy"] == {"status": "pass", "checks": 1, "unmet": []}
    assert found["acme/bad"][1]["policy"]["status"] == "fail"
    assert ["notices" in found[name][0] for name in ("acme/bad", "acme/good")] == [True, False]


def test_what_another_setting_of_a_model_lost_is_not_on_its_card(tmp_path):
    logs = [a_log([a_sample(error="x")]), a_log([a_sample()], given={"reasoning_effort": "high"})]
    found = cards(tmp_path, Study.read(logs, quiet=True))
    assert [model for model, (text, _) in found.items() if "errored" in text] == ["openai/gpt-5"]


def test_hostile_names_and_models_of_one_spelling_have_files_of_their_own(tmp_path):
    # The last is called what the second of two alike is called with its digest.
    names = ("a/<b>", "a/|b|", "../../up", "acme/A", "acme/a", "acme-a-883a14b3")
    rows = pd.concat([observed(n) for n in names], ignore_index=True)
    found = cards(tmp_path, logged(rows))
    assert set(found) == set(names)
    assert all(p.parent == tmp_path / "cards" for p in tmp_path.rglob("*.md"))
    assert "<b>" not in found["a/<b>"][0]
