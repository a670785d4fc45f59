"""The verdict on a mitigation: two criteria, on paired items, with intervals."""

import numpy as np
import pandas as pd

from askew.metrics import mitigation_verdict
from askew.stats.tables import Interval

FORMATS = ("bolding", "brackets", "quoting")
QUICK = Interval(resamples=800)


def arm(fi, acc, demos=0, n=80, seed=0, category="wrapping"):
    """Observations of one arm; the items' difficulty is the same in every arm."""
    difficulty = np.random.default_rng(99).random(n)
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        for name, follows, knows in zip(FORMATS, fi, acc, strict=True):
            ok = rng.random() < follows
            rows.append(
                {
                    "model": "m", "task": "format_bias", "subset": "mmlu", "category": category,
                    "item": f"q{i}", "cluster": f"q{i}", "epoch": 1, "format": name,
                    "prompting": "zs", "demos": demos, "repeat": 1, "format_ok": float(ok),
                    "score": float(ok and difficulty[i] < knows),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


BEFORE = arm((0.9, 0.6, 0.4), (0.9, 0.6, 0.4))


def test_a_bias_that_goes_while_all_formats_are_followed_is_mitigated():
    (verdict,) = mitigation_verdict(BEFORE, arm((1, 1, 1), (0.8, 0.8, 0.8), 5, seed=1), QUICK)
    assert verdict.effective
    assert verdict.settled
    assert [c.format for c in verdict.criteria] == ["all", "bolding", "brackets", "quoting"]
    bias = verdict.criteria[0]
    assert bias.metric == "bias_f"
    assert bias.low <= bias.change <= bias.high < 0
    assert (verdict.n_items, verdict.n_dropped) == (80, 0)
    assert str(verdict) == "wrapping: mitigated: BiasF falls and FI rises for every format"


def test_one_format_that_is_followed_less_spoils_it():
    after = arm((0.7, 0.9, 0.9), (0.8, 0.8, 0.8), 5, seed=1)
    (verdict,) = mitigation_verdict(BEFORE, after, QUICK)
    assert verdict.effective is False
    assert str(verdict) == "wrapping: not mitigated: FI does not rise for bolding"
    failed = [c for c in verdict.criteria if not c.holds]
    assert [(c.metric, c.format) for c in failed] == [("fi", "bolding")]
    assert failed[0].high < 0


def test_a_small_change_is_not_settled():
    after = arm((0.92, 0.64, 0.44), (0.88, 0.6, 0.42), 1, n=30, seed=5)
    (verdict,) = mitigation_verdict(arm((0.9, 0.6, 0.4), (0.9, 0.6, 0.4), n=30), after, QUICK)
    assert not verdict.settled


def test_only_items_of_both_arms_count():
    after = arm((1, 1, 1), (0.8, 0.8, 0.8), 5, seed=1)
    lost = after["item"].isin(["q0", "q1"]) & (after["format"] == "quoting")
    (verdict,) = mitigation_verdict(BEFORE, after[~lost], QUICK)
    assert (verdict.n_items, verdict.n_dropped) == (78, 2)


def test_categories_that_both_arms_have_get_separate_verdicts():
    other = arm((0.9, 0.6, 0.4), (0.9, 0.6, 0.4), category="list")
    after = arm((1, 1, 1), (0.8, 0.8, 0.8), 5, seed=1)
    both = pd.concat([after, after.assign(category="list")])
    found = mitigation_verdict(pd.concat([BEFORE, other]), both, QUICK)
    assert [v.category for v in found] == ["wrapping", "list"]
    assert [v.category for v in mitigation_verdict(BEFORE, both, QUICK)] == ["wrapping"]
