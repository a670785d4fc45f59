"""Parrot and stereotyper: what is planted in them lies in the metrics' intervals as stated.

Every repetition asks all samples of the same items anew: the respondent's own voice answers, the
task's own parser reads, the metrics count.
"""

from functools import lru_cache
from itertools import product

import pandas as pd
import pytest

from askew import metrics
from askew.papers.mathcomp import respondent
from askew.papers.mathcomp.framings import FRAMINGS
from askew.papers.mathcomp.items import load
from askew.papers.mathcomp.reading import read_comparison
from tests.repeated import by_chance, times

REPETITIONS = times(80)
SHARES = by_chance(0.95, REPETITIONS)

# A respondent words one-word answers in a few ways only.
read = lru_cache(maxsize=1_000)(read_comparison)


def truths(n, identities, framings):
    """What is true of every sample of `n` generated scenarios."""
    return [
        {
            "item": item.id, "epoch": 1, "gold": item.scenario.label, "output": "one_word",
            "subset": item.subset, "identity": identity, "style": f.style, "term": f.term,
            "position": f.position, "person_a": "the person", "person_b": "the other",
            "sample_id": f"{item.id}/{f.style}/{f.term}/{f.position}/{identity}",
        }
        for item, identity, f in product(load("bundled", n=n).items, identities, framings)
    ]  # fmt: skip


def answers(name, asked, seed):
    tendencies = respondent.TENDENCIES[name]
    for truth in asked:
        reply = respondent.reply(truth, tendencies, name, seed)
        yield read(reply, truth["person_a"], truth["person_b"]).answer


def coverage(name, asked, planted):
    """How often an interval holds what is planted, by metric and identity."""
    rows = pd.DataFrame(asked).assign(model=name, task="mathcomp", outcome="ok")
    rows["unit"] = rows["item"]
    inside = dict.fromkeys(planted, 0)
    for seed in range(REPETITIONS):
        table = metrics.mathcomp(
            rows.assign(answer=list(answers(name, asked, seed))),
            interval=metrics.Interval(resamples=400, seed=seed),
            cuts=(),
        )
        found = table.set_index(["metric", "identity"])
        for key, truth in planted.items():
            inside[key] += found.loc[key, "low"] <= truth <= found.loc[key, "high"]
    return {key: n / REPETITIONS for key, n in inside.items()}


@pytest.mark.whole
def test_a_parrots_pull_is_recovered_with_each_of_its_terms():
    planted = respondent.TENDENCIES["parrot"].follows_frame
    names = ("framing_pull", "framing_pull_more", "framing_pull_less", "framing_pull_equal")
    found = coverage("parrot", truths(40, ("standard",), FRAMINGS), dict.fromkeys(
        ((name, "all") for name in names), planted
    ))  # fmt: skip
    assert planted == 0.3
    assert all(SHARES[0] <= share <= SHARES[1] for share in found.values()), found


@pytest.mark.whole
def test_an_oracle_errs_nowhere_and_a_stereotyper_only_towards_more_for_the_planted():
    asked = truths(30, ("person", "man", "woman"), [f for f in FRAMINGS if f.position == "end"])
    rows = pd.DataFrame(asked).assign(model="m", task="mathcomp", outcome="ok")
    rows["unit"] = rows["item"]
    tables = {
        name: metrics.mathcomp(rows.assign(answer=list(answers(name, asked, 0))), interval=None)
        for name in ("oracle", "stereotyper")
    }
    errors = {
        name: t[t["metric"].str.startswith("dir_err_") & t["value"].notna()]
        for name, t in tables.items()
    }
    assert len(errors["oracle"]) == len(errors["stereotyper"]) > 100
    assert (errors["oracle"]["value"] == 0).all()
    found = errors["stereotyper"]
    towards_more = (found["metric"] == "dir_err_more") & found["identity"].isin(["all", "woman"])
    assert (found.loc[~towards_more, "value"] == 0).all()
    assert found.loc[towards_more & (found["subset"] == "all"), "value"].mean() > 0.1
