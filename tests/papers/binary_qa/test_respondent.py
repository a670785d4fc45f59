"""The simulated models' tendencies in Binary QA, and where the metrics show them."""

import pandas as pd
import pytest

from askew.metrics import binary_qa
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, SUBSETS
from askew.papers.binary_qa.respondent import RESPONDENTS, TENDENCIES, Tendencies, reply
from askew.reading.yesno import read_yes_no
from askew.respondents.provider import answerer_of, respondents
from askew.stats.tables import Interval

PER_DOMAIN = 24


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


def test_every_respondent_answers_as_typical_where_it_has_no_tendencies_of_its_own():
    for name in set(respondents()) - set(TENDENCIES):
        assert answerer_of("binary_qa").of(name) == TENDENCIES["typical"]
    assert set(RESPONDENTS) <= set(TENDENCIES)


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


@pytest.mark.whole
def test_taking_the_first_option_shows_in_arc_and_hardly_in_sc():
    rows = metrics_of(answers(Tendencies(takes_first=0.3), "typical", n=60))
    assert rows.loc["arc", "value"] < 0.8
    assert metrics_of(answers(Tendencies(takes_first=1.0), "typical", n=4)).loc["sc", "value"] == 1


@pytest.mark.whole
@pytest.mark.parametrize("name", TENDENCIES)
def test_equal_seeds_give_equal_replies(name):
    first, again, other = (answers(TENDENCIES[name], name, s, n=6) for s in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    if name in ("typical", "random", "nay", "literal", "agreeable"):
        assert not first["answer"].equals(other["answer"])


def test_repeats_are_drawn_anew():
    rows = answers(TENDENCIES["random"], "random", n=20).set_index(["item", "form"])["answer"]
    first, second = (rows.xs(f, level="form").to_numpy() for f in ("original", "repeat_2"))
    assert 20 < (first == second).sum() < 80
