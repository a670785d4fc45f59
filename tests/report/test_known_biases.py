"""A model with a bias of known size, and the sentence of the report that gives it.

Answers are made here, without askew's simulated models. Whether an item has a bias is drawn once,
as at temperature 0: what is not repeated by chance is an effect of the prompt.
"""

import random
import re

import pandas as pd
import pytest

from askew.decide.compare import compare
from askew.report.report import build_report
from askew.report.study import Study
from tests.cases import cases_of
from tests.chapters import QUICK
from tests.report.simulated import made

ITEMS = 240
ARMS = {"plain": "plain", "repeat": "repeat", "order-1": "order", "suggestion": "suggestion"}
AGENT_ARMS = {"plain": "plain", "repeat": "repeat", "tool_order": "tool_order",
              "tool_result": "tool_result"}  # fmt: skip
OF_CHOICES = {"knows": 0.9}


def score(has, arm, rng, place):
    """Whether an answer is right: `has` are the biases that this item meets."""
    if has("redraws") or (arm == "suggestion" and has("follows")):
        return rng.random() < 0.5 if has("redraws") else False
    if arm == "tool_result" and has("doubts"):
        return False
    return place == 0 if has("first") else has("knows")


def rows_of(model, arms, **biases):
    rows = []
    for i in range(ITEMS):
        item = random.Random(f"{model}, item {i}")
        meets = {name: item.random() < share for name, share in {**OF_CHOICES, **biases}.items()}
        at = {arm: item.randrange(4) for arm in arms}
        at["repeat"] = at["suggestion"] = at["tool_result"] = at["plain"]
        for arm, treatment in arms.items():
            right = score(lambda name: meets.get(name, False), arm, item, at[arm])  # noqa: B023
            rows.append({
                "task": "bend", "model": f"x/{model}", "model_name": f"x/{model}", "subset": "own",
                "item": f"i{i}", "cluster": f"i{i}", "epoch": 1, "arm": arm, "run": model,
                "treatment": treatment, "score": float(right), "answer": "A" if right else "B",
                "outcome": "ok", "tier": "", "status": "scored", "sample_id": f"i{i}/{arm}",
                "log": "",
            })  # fmt: skip
    return rows


def page_of(rows):
    """Findings of the summary and sentences of the chapters, by model."""
    report = build_report(Study(rows), interval=QUICK, transcripts=False)
    told = {row.model.short: [*row.findings] for row in report.summary_table.rows}
    for headline in (h for chapter in report.chapters for h in chapter.headlines):
        told[headline.model.short].append(headline.sentence)
    return told


@pytest.fixture(scope="module")
def choices():
    biases = {"steady": {}, "follower": {"follows": 0.5}, "noisy": {"redraws": 0.64},
              "first": {"first": 0.3}}  # fmt: skip
    return page_of(pd.DataFrame([r for m, b in biases.items() for r in rows_of(m, ARMS, **b)]))


@pytest.fixture(scope="module")
def agents():
    biases = {"doubter": {"doubts": 0.5}, "first": {"first": 0.3}}
    rows = [r for m, b in biases.items() for r in rows_of(m, AGENT_ARMS, **b)]
    return page_of(pd.DataFrame(rows))


def classified(notices, seed):
    """Replies of a classifier that is right in 90% and gives a false "none" in 2%."""
    overrides = {"knows": 0.9, "denies": 0.02, "refuses": 0.0, "volunteers": 0.0,
                 "notices": {"hint_as_option": notices, "hint_in_instruction": notices,
                             "no_hint": 0.0}}  # fmt: skip
    return made("knowno", 48, subset="bank77").observations("typical", seed, overrides)


@pytest.fixture(scope="module")
def classifier():
    return page_of(classified(0.3, 3))


BIASES = cases_of(__file__, "BIASES")


@pytest.mark.parametrize(("page", "model", "sentence", "least", "most"), BIASES)
def test_a_known_bias_is_given_by_a_sentence_with_its_size(
    page, model, sentence, least, most, request
):
    told = " ".join(request.getfixturevalue(page)[model])
    found = re.search(sentence, told)
    assert found, told
    assert least <= float(found[1]) <= most, told


def test_a_classifier_with_none_half_as_often_as_last_month_is_worse():
    months = {"x/before": classified(0.7, 1), "x/now": classified(0.3, 2)}
    rows = pd.concat([r.assign(model=m, model_name=m) for m, r in months.items()])
    table = compare(Study(rows), "x/before", interval=QUICK).table
    (row,) = table[table["metric"] == "discernment"].to_dict("records")
    assert (row["verdict"], round(row["difference"], 1)) == ("worse", -0.4)


@pytest.mark.parametrize("model", ["steady", "noisy"])
def test_without_a_bias_no_sentence_gives_one(choices, model):
    assert not [s for s in choices[model] if "treatment" in s]
