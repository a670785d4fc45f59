"""The replies in a page: which ones, by which rule, how much room they take, what is in them."""

import base64
import json
import zlib

import numpy as np
import pandas as pd
import pytest

from askew.analysis import summarize
from askew.logs.read import Reply
from askew.papers import get_paper
from askew.report import explorer
from askew.report.explorer import chosen, collect_replies
from askew.report.render import query_of
from askew.report.study import Study
from tests.report.observed import observed
from tests.report.test_report_hostile import SCRIPT


def unpacked(packed):
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def made(observations, **options):
    found = collect_replies(Study(observations), summarize(observations, None), **options)
    return found, unpacked(found.index)


def column(task, name):
    coded = task[name] if name in task else next(c for c in task["conditions"] if c["name"] == name)
    return [coded["values"][code] for code in coded["codes"]]


def texts_of(observations, monkeypatch, text="words"):
    """As if every log held every reply; gives back what was asked of each."""
    asked = {}

    def read(log, wanted):
        asked.setdefault(log, []).extend(wanted)
        for a in wanted:
            yield a, Reply(f"asked {a[0]} {text}", f"replied {text}", "read", "x")

    monkeypatch.setattr(explorer, "read_replies", read)
    return asked


def test_every_reply_is_listed_with_its_prompt_and_verdict():
    observations = pd.concat([observed(), observed("respondent/typical")], ignore_index=True)
    found, index = made(observations)
    (task,) = index["tasks"]
    assert (found.total, found.listed) == (48 * 2, 48 * 2)
    assert [index["models"][m][0] for m in task["model"]] == list(observations["model"])
    for name in ("hint", "subset", "item", "answer"):
        assert column(task, name) == list(observations[name].astype(str))
    assert column(task, "sample") == list(observations["sample_id"])
    assert task["verdict"] == list(observations["correct"].astype(int))
    assert next(c for c in task["conditions"] if c["name"] == "subset")["labels"][0] == "MC-Test"


def test_a_flip_is_correct_in_one_condition_and_incorrect_in_another():
    observations = observed(right=lambda hint, i: i == 0 or (i == 1 and hint == "with_gold"))
    (task,) = made(observations)[1]["tasks"]
    flips = {item for item, flip in zip(column(task, "item"), task["flip"], strict=True) if flip}
    assert flips == {"mctest-1", "bank77-1"}


def test_a_share_is_neither_right_nor_wrong_and_flips_nothing():
    observations = observed(items=2)
    observations["correct"] = np.where(observations["hint"] == "with_gold", 0.5, 1.0)
    observations.loc[0, "correct"] = np.nan
    (task,) = made(observations)[1]["tasks"]
    assert set(task["verdict"][1:]) == {1, 2}
    assert task["verdict"][0] == 3
    assert not any(task["flip"])
    assert "0.5" in task["score"]["values"]


@pytest.fixture
def many():
    models = [observed(f"acme/{n}", items=40) for n in range(3)]
    return pd.concat(models, ignore_index=True)


def kept(observations, most):
    of = Study(observations).by_task
    told = explorer._selection_keys({t: (get_paper(t), rows) for t, rows in of.items()})
    return observations[chosen(told, most)]


def keys_of(rows):
    return set(rows[["model", "sample_id"]].itertuples(index=False, name=None))


def test_the_rule_gives_the_same_replies_for_any_order_of_logs(many):
    first = keys_of(kept(many, 100))
    other = keys_of(kept(many.sample(frac=1, random_state=3).reset_index(drop=True), 100))
    assert first == other
    assert len(first) == 100


def test_half_the_places_go_to_flips_each_with_a_correct_reply(many):
    # Of 120 questions a model, two flip.
    flipping, question = ["mctest-1", "bank77-2"], ["model", "item"]
    right = many["item"].isin(flipping) & (many["hint"] == "no_hint")
    some = kept(many.assign(correct=right.astype(float)), 60)
    flips = some[some["item"].isin(flipping)]
    assert len(some) == 60
    for _, own in flips[flips["correct"] == 0].groupby(question):
        right = flips.merge(own[question], on=question)
        assert (right["correct"] == 1).any()
    assert len(flips) >= 6 * 2


def test_texts_belong_to_the_observation_that_names_them(many, monkeypatch):
    texts_of(many, monkeypatch)
    monkeypatch.setattr(explorer, "MOST_TEXTS", 150)
    many["log"] = many["model"] + ".eval"
    found, index = made(many)
    (task,) = index["tasks"]
    texts = [text for chunk in found.chunks for text in unpacked(chunk)]
    placed = [(s, p) for s, p in zip(column(task, "sample"), task["text"], strict=True) if p >= 0]
    assert found.texts == len(placed) == 150
    assert all(texts[place][0] == f"asked {sample} words" for sample, place in placed)
    assert sorted(place for _, place in placed) == list(range(150))


def test_a_level_chooses_replies_and_a_pooled_one_chooses_none():
    assert query_of({"hint": "no_hint", "subset": "all"}) == "hint=no_hint"
    assert query_of({"a": SCRIPT}).isascii()
    assert "<" not in query_of({"a": SCRIPT})
