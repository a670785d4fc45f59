"""Nay and literal: what is planted in them lies in the metrics' intervals as often as stated.

Every repetition asks all forms of the same items anew: the respondent's own voice answers, the
task's own parser reads, the metrics count.
"""

from functools import lru_cache
from statistics import fmean

import pandas as pd
import pytest

from askew.metrics import binary_qa, model_binary_score
from askew.papers.binary_qa.paper import CORE, FORMS, OPPOSITE, SUBSETS
from askew.papers.binary_qa.respondent import TENDENCIES, expected, reply
from askew.reading.yesno import read_yes_no
from askew.statistics.tables import Interval
from tests.repeated import by_chance, times

# As many as the bundled set has.
PER_DOMAIN = 24
REPETITIONS = times(60)
# A value at the edge of what is possible (no lean at all) is always inside.
SHARES = (by_chance(0.95, REPETITIONS)[0], 1.0)
HIT = ("delta_recall", "nrc", "mbs")

# A respondent words Yes and No in a few ways only.
read = lru_cache(maxsize=1_000)(read_yes_no)


@pytest.fixture(scope="module")
def asked():
    """What is true of every sample: Yes and No in turn, in every domain."""
    return [
        {
            "item": f"{subset}-{i}", "unit": f"{subset}-{i}", "subset": subset, "epoch": 1,
            "form": form, "truth": answer, "sample_id": f"{subset}-{i}/{form}",
            "expected": OPPOSITE[answer] if how.flips else answer,
        }
        for subset in SUBSETS
        for i, answer in enumerate(("Yes", "No") * (PER_DOMAIN // 2))
        for form, how in FORMS.items()
    ]  # fmt: skip


def planted_by(name, asked):
    """What the tendencies imply; no domain differs from another, so there is no spread to find."""
    core = {e.metric: e.value for e in expected(asked, TENDENCIES[name])}
    return core | {"mbs": model_binary_score({m: core[m] for m in CORE}, dict.fromkeys(CORE, 0.0))}


def measured(name, asked):
    """The metrics of every repetition over all domains."""
    rows = pd.DataFrame(asked)
    for seed in range(REPETITIONS):
        answers = [read(reply(t, TENDENCIES[name], name, seed)).answer for t in asked]
        table = binary_qa(
            rows.assign(answer=answers), by=(), interval=Interval(resamples=300, seed=seed)
        )
        yield table[table["subset"] == "all"].set_index("metric")


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


def test_what_is_planted_is_what_formulas_by_hand_give(asked):
    by_hand = {
        "nay": planted_by_nay(TENDENCIES["nay"].says_no),
        "literal": planted_by_literal(TENDENCIES["literal"].ignores_negation),
    }
    for name, values in by_hand.items():
        planted = planted_by(name, asked)
        assert {m: planted[m] for m in CORE} == pytest.approx(values)
    assert planted_by("literal", asked)["mbs"] == pytest.approx(100 - 7.5 * (1 - 0.6**2))


@pytest.mark.whole
@pytest.mark.parametrize("name", ["nay", "literal"])
def test_intervals_hold_what_is_planted_as_often_as_they_claim(name, asked):
    planted = planted_by(name, asked)
    inside, found = dict.fromkeys(HIT, 0), {m: [] for m in CORE}
    for table in measured(name, asked):
        for metric in HIT:
            low, high = table.loc[metric, ["low", "high"]]
            inside[metric] += low - 1e-9 <= planted[metric] <= high + 1e-9
        for metric in CORE:
            found[metric].append(table.loc[metric, "value"])
    shares = {metric: n / REPETITIONS for metric, n in inside.items()}
    assert all(SHARES[0] <= share <= SHARES[1] for share in shares.values()), shares
    for metric in CORE:
        assert fmean(found[metric]) == pytest.approx(planted[metric], abs=0.015), metric
