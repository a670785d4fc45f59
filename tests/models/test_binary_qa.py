"""The simulated models' tendencies in Binary QA, and metrics that find them again."""

from statistics import fmean

import pandas as pd
import pytest

from askew.data.binary_qa import FORMS, OPPOSITE, SUBSETS
from askew.metrics import binary_qa, model_binary_score
from askew.metrics.binary_score import CORE
from askew.metrics.tables import Interval
from askew.models.binary_qa import TENDENCIES, Tendencies, reply
from askew.models.respondent import RESPONDENTS
from askew.parsing.yesno import read_yes_no

PER_DOMAIN = 24
REPETITIONS = 20
HIT = ("delta_recall", "nrc", "mbs")


def truths(n=PER_DOMAIN):
    for subset in SUBSETS:
        for i in range(n):
            answer = ("Yes", "No")[i % 2]
            for form, asked in FORMS.items():
                yield {
                    "item": f"{subset}-{i}",
                    "subset": subset,
                    "form": form,
                    "truth": answer,
                    "expected": OPPOSITE[answer] if asked.flips else answer,
                    "sample_id": f"{subset}-{i}/{form}",
                    "epoch": 1,
                }


def answers(tendencies, name, seed=0, n=PER_DOMAIN):
    """Observations of one simulated model, read as the scorer reads them."""
    return pd.DataFrame(
        [
            t | {"unit": t["item"], "answer": read_yes_no(reply(t, tendencies, name, seed)).answer}
            for t in truths(n)
        ]
    )


def metrics_of(observations, resamples=400):
    table = binary_qa(observations, by=(), interval=Interval(resamples=resamples))
    return table[table["subset"] == "all"].set_index("metric")


def planted_by_nay(p):
    """What a model scores that says No with an extra chance `p` at every asking."""
    twice_the_same, thrice_the_same = p**2 + (1 - p) ** 2, p**3 + (1 - p) ** 3
    return {
        "f1": (2 * (1 - p) / (2 - p) + 2 / (2 + p)) / 2,
        "delta_recall": p,
        "delta_precision": 1 / (1 + p) - 1,
        "prc": (1 + thrice_the_same) / 2,
        "nrc": ((1 - p) + (1 - p) ** 2) / 2,
        "arc": (1 + twice_the_same) / 2,
        "sc": (1 + thrice_the_same) / 2,
    }


def planted_by_literal(q):
    """What a model scores that overlooks a negation with chance `q`."""
    return {
        "f1": 1.0,
        "delta_recall": 0.0,
        "delta_precision": 0.0,
        "prc": 1.0,
        "nrc": (1 - q) ** 2,
        "arc": 1.0,
        "sc": 1.0,
    }


PLANTED = {
    "nay": planted_by_nay(TENDENCIES["nay"].says_no),
    "literal": planted_by_literal(TENDENCIES["literal"].ignores_negation),
}


def test_every_respondent_has_a_voice():
    assert set(RESPONDENTS) <= set(TENDENCIES)


@pytest.mark.parametrize("name", PLANTED)
def test_metrics_recover_what_was_planted_within_their_intervals(name):
    planted = PLANTED[name]
    # No domain differs from another, so the spread to be found is none.
    planted = planted | {"mbs": model_binary_score(planted, dict.fromkeys(CORE, 0.0))}
    held = dict.fromkeys(HIT, 0)
    found = {m: [] for m in planted}
    for seed in range(REPETITIONS):
        rows = metrics_of(answers(TENDENCIES[name], name, seed))
        for metric in planted:
            found[metric].append(rows.loc[metric, "value"])
        for metric in HIT:
            low, high = rows.loc[metric, "low"], rows.loc[metric, "high"]
            held[metric] += low - 1e-9 <= planted[metric] <= high + 1e-9
    # 95% intervals: of twenty, fewer than sixteen would be a one in a thousand accident.
    assert min(held.values()) >= 16, held
    for metric in CORE:
        assert fmean(found[metric]) == pytest.approx(planted[metric], abs=0.03), metric


def test_an_oracle_is_right_in_every_form():
    rows = metrics_of(answers(TENDENCIES["oracle"], "oracle", n=6))
    assert rows.loc["mbs", "value"] == pytest.approx(100)


def test_a_chatty_model_is_read_as_well_as_a_terse_one():
    rows = metrics_of(answers(TENDENCIES["chatty"], "chatty", n=12))
    assert rows.loc["mbs", "value"] == pytest.approx(100)
    assert rows.loc["no_answer", "value"] == 0


def test_a_mute_model_answers_nothing():
    rows = metrics_of(answers(TENDENCIES["mute"], "mute", n=4))
    assert rows.loc["no_answer", "value"] == 1
    assert rows.loc["f1", "value"] == 0


def test_one_that_does_not_know_errs_alike_in_all_forms():
    rows = metrics_of(answers(Tendencies(knows=0.5), "typical", n=40))
    assert {rows.loc[m, "value"] for m in ("prc", "nrc", "arc", "sc")} == {1.0}
    assert 0.35 < rows.loc["f1", "value"] < 0.65


def test_knowing_less_somewhere_shows_as_spread():
    uneven = answers(Tendencies(knows_less={"translation": 0.5}), "typical", n=40)
    assert metrics_of(uneven).loc["stdev_f1", "value"] > 0.15


def test_taking_the_first_option_shows_in_arc_and_hardly_in_sc():
    rows = metrics_of(answers(Tendencies(takes_first=0.3), "typical", n=60))
    assert rows.loc["arc", "value"] < 0.8
    assert metrics_of(answers(Tendencies(takes_first=1.0), "typical", n=4)).loc["sc", "value"] == 1


@pytest.mark.parametrize("name", RESPONDENTS)
def test_equal_seeds_give_equal_replies(name):
    first, again, other = (answers(TENDENCIES[name], name, s, n=6) for s in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    if name in ("typical", "random", "nay", "literal", "agreeable"):
        assert not first["answer"].equals(other["answer"])


def test_repeats_are_drawn_anew():
    rows = answers(TENDENCIES["random"], "random", n=20).set_index(["item", "form"])["answer"]
    first, second = (rows.xs(f, level="form").to_numpy() for f in ("original", "repeat_2"))
    assert 20 < (first == second).sum() < 80
