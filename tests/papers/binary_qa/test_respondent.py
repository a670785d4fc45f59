"""The simulated models' tendencies in Binary QA, and where the metrics show them."""

import pandas as pd
import pytest

from askew.metrics import binary_qa
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, SUBSETS
from askew.papers.binary_qa.respondent import TENDENCIES, Tendencies, reply
from askew.reading.yesno import read_yes_no
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


def test_an_oracle_is_right_in_every_form():
    rows = metrics_of(answers(TENDENCIES["oracle"], "oracle", n=6))
    assert rows.loc["mbs", "value"] == pytest.approx(100)


def test_a_chatty_model_is_read_as_well_as_a_terse_one():
    rows = metrics_of(answers(TENDENCIES["chatty"], "chatty", n=12))
    assert rows.loc["mbs", "value"] == pytest.approx(100)
    assert rows.loc["no_answer", "value"] == 0


def test_one_that_does_not_know_errs_alike_in_all_forms():
    rows = metrics_of(answers(Tendencies(knows=0.5), "typical", n=40))
    assert {rows.loc[m, "value"] for m in ("prc", "nrc", "arc", "sc")} == {1.0}
    assert 0.35 < rows.loc["f1", "value"] < 0.65
