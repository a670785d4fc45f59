"""bend's numbers, against the same worked out otherwise: by hand, and row by row."""

import math
import random
import statistics
from itertools import pairwise

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log

from askew.analysis import read_observations
from askew.bend.stand_in import FILE
from askew.bend.tasks import bend as bent
from askew.metrics import bend
from askew.stats.tables import Interval
from tests.bend.rows import arms, number, row, table_of
from tests.cases import cases_of
from tests.numbers_told import (
    analyses,
    lines,
    told,
)

QUICK = Interval(resamples=200)
# Four items: two are lost, one is won, one stays wrong.
FOUR = table_of(
    arms(1, plain=1, repeat=1, absent=0),
    arms(2, plain=1, repeat=0, absent=0),
    arms(3, plain=0, repeat=0, absent=1),
    arms(4, plain=0, repeat=0, absent=0),
)


def points(rows, **how):
    return bend(rows, interval=None, **how)


# --- By hand ------------------------------------------------------------------------------------


def test_what_an_arm_does_to_four_items():
    found = points(FOUR)
    assert number(found, "score", "plain").value == 0.5
    assert number(found, "score", "absent").value == 0.25
    assert number(found, "effect", "absent").value == -0.25
    assert number(found, "hurt", "absent").value == 0.5
    assert number(found, "helped", "absent").value == 0.25
    assert number(found, "flips", "absent").value == 0.75
    assert number(found, "noise").value == 0.25
    assert number(found, "beyond_noise", "absent").value == 0.5
    assert number(found, "kept", "absent").value == 0.25
    assert number(found, "worst_effect").value == 0.25
    assert number(found, "omni_accuracy").value == (0.5 + 0.25) / 2
    assert set(found["n_items"]) == {4}


# --- Row by row ---------------------------------------------------------------------------------


def by_loops(rows):
    """Every number of one model and task, by loops over the rows."""
    at = {}
    for r in rows.sort_values("epoch", kind="stable").to_dict("records"):
        at.setdefault((r["subset"], r["item"], r["epoch"], r["arm"]), r)
    found, asked = {}, list(dict.fromkeys(k[3] for k in at))
    items = list(dict.fromkeys(k[:2] for k in at))

    def again_of(item):
        plain = [at[k] for k in at if k[:2] == item and k[3] == "plain"]
        pairs = [(a["score"], b["score"]) for a, b in pairwise(plain)]
        for k in at:
            if k[:2] == item and k[3] == "repeat" and (*k[:3], "plain") in at:
                pairs.append((at[*k[:3], "plain"]["score"], at[k]["score"]))
        return [a != b for a, b in pairs]

    noise = [d for item in items for d in again_of(item)]
    found["noise", "all"] = mean(noise)
    for arm in asked:
        own = {k[:3]: r for k, r in at.items() if k[3] == arm}
        found["score", arm] = mean(r["score"] for r in own.values())
        if arm == "plain":
            continue
        pairs = [(at[*k, "plain"], r) for k, r in own.items() if (*k, "plain") in at]
        changes = [b["score"] - a["score"] for a, b in pairs]
        found["effect", arm] = mean(changes)
        found["hurt", arm] = mean(c < 0 for c in changes)
        found["helped", arm] = mean(c > 0 for c in changes)
        found["flips", arm] = mean(c != 0 for c in changes)
        read = [(a["answer"], b["answer"]) for a, b in pairs]
        read = [(a, b) for a, b in read if isinstance(a, str) and isinstance(b, str)]
        found["kept", arm] = mean(a == b for a, b in read)
        if arm != "repeat":
            its = dict.fromkeys((a["subset"], a["item"]) for a, _ in pairs)
            own_noise = mean(d for item in its for d in again_of(item))
            found["beyond_noise", arm] = found["flips", arm] - own_noise
        if arm == "absent":
            found["omni_accuracy", "all"] = mean((a["score"] + b["score"]) / 2 for a, b in pairs)
    others = [a for a in asked if a not in ("plain", "repeat")]
    whole = [k for k in {k[:3]: 0 for k in at} if all((*k, a) in at for a in ("plain", *others))]
    score = {a: mean(at[*k, a]["score"] for k in whole) for a in ("plain", *others)}
    found["worst_effect", "all"] = max(score["plain"] - score[a] for a in others)
    return found


def mean(values):
    listed = [float(v) for v in values]
    return math.fsum(listed) / len(listed) if listed else math.nan


def at_random(seed, subset="mine"):
    """Ten items in four arms and two epochs, of which some are lost and some don't fit."""
    rng = random.Random(seed)
    return [
        row(i, arm, rng.choice((0, 0.5, 1)), rng.choice(("A", "B", None)), epoch=e, subset=subset)
        for i in range(10)
        for arm in ("plain", "repeat", "absent", "order-1")
        for e in (1, 2)
        if rng.random() < 0.8 and not (arm == "absent" and i > 6)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_every_number_equals_loops_over_the_rows(seed):
    rows = table_of(at_random(seed))
    found = points(rows)
    expected = by_loops(rows)
    assert {(r.metric, r.arm) for r in found.itertuples()} == set(expected)
    for (metric, arm), value in expected.items():
        assert number(found, metric, arm).value == pytest.approx(value, nan_ok=True), (metric, arm)


def test_tasks_that_share_names_of_items_stay_apart():
    """Each has the numbers that it has alone; all together, those of all pairs."""
    one, other = at_random(1, "arc"), at_random(2, "gsm8k")
    both = table_of(one, other)
    found = points(both)
    for name, rows in (("arc", one), ("gsm8k", other)):
        alone = points(table_of(rows))
        mine = found[found["subset"] == name]
        for r in alone.itertuples():
            together = number(mine, r.metric, r.arm, name)
            assert together.value == pytest.approx(r.value, nan_ok=True)
            assert (together.n_items, together.n_dropped) == (r.n_items, r.n_dropped)
    for (metric, arm), value in by_loops(both).items():
        assert number(found, metric, arm).value == pytest.approx(value, nan_ok=True)
    plain = both[both["arm"] == "plain"]
    n_items = len(plain[["subset", "item"]].drop_duplicates())
    assert number(found, "score", "plain").n_items == n_items > 12


def test_tasks_without_an_arm_in_common_have_no_largest_loss_together():
    rows = table_of(
        arms(1, plain=1, absent=0, subset="arc"), arms(1, plain=1, system=0, subset="gsm8k")
    )
    found = points(rows)
    assert number(found, "worst_effect", subset="arc").value == 1.0
    together = number(found, "worst_effect")
    assert math.isnan(together.value)
    assert "every arm" in together.reason


@pytest.mark.parametrize(
    ("rows", "metric", "arm", "why"),
    [
        (table_of(arms(1, plain=1), arms(2, order=0)), "effect", "order", "plain and in this arm"),
        (table_of(arms(1, plain=1, order=1)), "beyond_noise", "order", "asked once"),
        (table_of(arms(1, plain=1, order=1)), "noise", "all", "asked once"),
        (table_of(arms(1, plain=1, order=1), arms(2, plain=1, absent=1)), "worst_effect", "all",
         "every arm"),
        (table_of([row(1, "plain", 1, None), row(1, "order", 1, None)]), "kept", "order",
         "no answer could be read"),
        (table_of([row(1, "plain", 1), row(1, "suggestion", 1)]), "moved_rate", "suggestion",
         "names no option"),
        (table_of([row(1, "plain", 1), row(1, "format-bolding", 1, format_ok=0.0)]), "est_true",
         "format-bolding", "followed the format"),
    ],
)  # fmt: skip
def test_what_can_not_be_said_has_its_reason(rows, metric, arm, why):
    for interval in (None, QUICK):
        found = number(bend(rows, interval=interval), metric, arm)
        assert math.isnan(found.value)
        assert math.isnan(found.low)
        assert why in found.reason


def test_intervals_hold_their_values_within_the_bounds():
    found = bend(table_of(at_random(5), at_random(6, "arc")), interval=QUICK)
    known = found[found["low"].notna()]
    assert len(known)
    assert (known["low"] <= known["value"] + 1e-9).all()
    assert (known["value"] <= known["high"] + 1e-9).all()
    effects = known[known["metric"] == "effect"]
    assert ((effects["low"] >= -1) & (effects["high"] <= 1)).all()


# --- From logs ----------------------------------------------------------------------------------


def run(tmp_path, kind, treatments, model, **given):
    task = bent(f"{FILE}@{kind}", treatments, metrics="all", **given)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    return read_eval_log(log.location)


def shown(log):
    """What `inspect eval` prints of bend's own scorer."""
    (own,) = [s for s in log.results.scores if s.name == "bend_scorer"]
    return {name: metric.value for name, metric in own.metrics.items()}


@pytest.mark.whole
def test_omni_accuracy_of_a_log_is_what_a_hand_counts(tmp_path):
    log = run(tmp_path, "choices", "repeat,absent", "respondent/typical", items=12)
    right = {s.id: s.scores["choice"].value == "C" for s in log.samples}
    items = {i.rpartition("/")[0] for i in right}
    assert len(items) == 12
    plain, absent = (mean(right[f"{i}/{arm}"] for i in items) for arm in ("plain", "absent"))
    assert 0 < absent < 1
    found = points(read_observations([log.location]))
    assert number(found, "omni_accuracy").value == pytest.approx((plain + absent) / 2)
    noise = mean(right[f"{i}/plain"] != right[f"{i}/repeat"] for i in items)
    assert number(found, "noise").value == pytest.approx(noise)
    seen = shown(log)
    assert seen["worst_effect"] == pytest.approx(plain - absent)
    assert seen["absent_score"] == pytest.approx(absent)
    assert seen["absent_effect"] == pytest.approx(absent - plain)
    assert seen["plain_score"] == pytest.approx(plain)


@pytest.mark.whole
def test_bias_f_of_a_log_is_what_a_hand_counts(tmp_path):
    """The model's own words are in the transcript: what stands between the marks is read here."""
    formats = {"bolding": ("**", "**"), "quoting": ('"""', '"""'), "brackets": ("[[", "]]")}
    log = run(
        tmp_path, "short", "format", "respondent/format_shy", format=",".join(formats), items=20
    )
    est = []
    for name, (before, after) in formats.items():
        right = []
        for sample in log.samples:
            if not sample.id.endswith(f"/format-{name}"):
                continue
            (event,) = [e for e in sample.events if e.event == "model"]
            said = event.output.completion
            assert said.startswith(before)
            assert said.endswith(after)
            right.append(said[len(before) : -len(after)] == sample.target)
        assert len(right) == 20
        est.append(mean(right))
    assert len(set(est)) > 1
    found = points(read_observations([log.location]))
    expected = 100**2 * statistics.pvariance(est)
    assert number(found, "bias_f").value == pytest.approx(expected)
    assert shown(log)["bias_f"] == pytest.approx(expected)


# Two tasks that share names of items and units; one item in two epochs, two without some arm.
FEW = table_of(
    arms(1, plain=1, repeat=1, absent=0, order_1=0.5, subset="zoo"),
    arms(1, plain=1, repeat=0, absent=1, order_1=1, subset="zoo", epoch=2),
    arms(2, plain=0.5, repeat=0.5, absent=0.5, order_1=1, subset="zoo"),
    arms(3, plain=0, absent=1, subset="zoo"),
    arms(4, order_1=1, subset="zoo"),
    arms(1, plain=1, repeat=1, absent=0, order_1=1, subset="arc"),
    arms(2, plain=0, repeat=1, order_1=0, subset="arc"),
)
FEW["unit"] = FEW["item"].replace({"2": "1"})
TOGETHER = lines(cases_of(__file__, "TOGETHER"))


def test_every_number_of_two_tasks_together_and_of_each_in_the_order_they_came():
    found = told(*analyses(bend, FEW))
    assert found[: len(TOGETHER)] == TOGETHER
    assert len(found) == 3 * len(TOGETHER)
    assert "worst_effect zoo all: 0.333333, 2-1 1/1 = 0.333333/1 0/1" in found
    assert "beyond_noise arc order-1: -0.5, 2-0 1/1" in found


def test_a_task_alone_has_its_numbers_under_all():
    (alone,) = analyses(bend, FEW[FEW["subset"] == "zoo"])
    of_zoo = [x for x in told(*analyses(bend, FEW)) if " zoo " in x]
    assert told(alone) == [line.replace(" zoo ", " all ") for line in of_zoo]


# Two formats, a suggestion and a missing tool; some replies have no answer, or no reading.
def formatted(item, name, score, ok, answer="A"):
    return row(item, f"format-{name}", score, answer, format_ok=ok)


def suggested(item, score, answer):
    moved = float(answer == "B")
    return row(item, "suggestion", score, answer, suggested="B", moved=moved)


OWN = table_of(
    [
        row(1, "plain", 1, "A"), formatted(1, "bolding", 1, 1.0), formatted(1, "quoting", 0.5, 0.0),
        suggested(1, 0, "B"), row(1, "tool_absent", 0, "A", gave_up=1.0),
    ],
    [
        row(2, "plain", 1, "B"), formatted(2, "bolding", 0, 1.0), formatted(2, "quoting", 1, 1.0),
        suggested(2, 1, "B"), row(2, "tool_absent", 1, "C", gave_up=math.nan),
    ],
    [
        row(3, "plain", 0, None), formatted(3, "bolding", 1, math.nan),
        formatted(3, "quoting", 1, 1.0), suggested(3, 1, "B"),
        row(3, "tool_absent", 1, "A", gave_up=0.0),
    ],
    [row(4, "plain", 0, "C"), formatted(4, "bolding", 1, 1.0), suggested(4, 0, "C")],
)  # fmt: skip
OF_OWN = lines(cases_of(__file__, "OF_OWN"))


def test_numbers_of_arms_with_numbers_of_their_own():
    found = told(*analyses(bend, OWN))
    assert [line for line in found if line in OF_OWN] == OF_OWN
    assert len(found) == 38


def test_units_are_drawn_within_tasks():
    (found,) = analyses(bend, FEW)
    assert found.table.units == [("arc", "1"), ("zoo", "1"), ("zoo", "3"), ("zoo", "4")]
    assert found.table.strata.tolist() == [0, 1, 1, 1]


def test_where_arms_trade_places_scores_of_whole_items_move_and_nothing_is_lost():
    (found,) = analyses(bend, FEW)
    point, draws = found.table.point(), found.exchanges["arm"](found.table, 50, 4)
    arms_of = ("plain", "absent", "order-1")
    for name in ("whole", "whole_score"):
        cells = [("zoo", arm, name) for arm in arms_of]
        assert set(sum(draws[c] for c in cells)) == {sum(point[c][0] for c in cells)}
    assert draws["zoo", "plain", "whole_score"].std() > 0
    assert set(draws["zoo", "plain", "whole"]) == {3}
    # What is not compared over arms stays: a repetition, and all that is of pairs.
    for cell in (
        ("zoo", "repeat", "score"),
        ("zoo", "absent", "before"),
        ("zoo", "plain", "score"),
    ):
        assert set(draws[cell]) == set(point[cell])


def test_the_largest_loss_leaves_out_what_nobody_can_answer_and_needs_a_plain_question():
    lost = table_of(arms(1, plain=1, order_1=1), [row(1, "tool_absent", 0)])
    found = told(*analyses(bend, lost))
    assert "worst_effect all all: 0, 1-0 1/1 = 0/1" in found
    alone = told(*analyses(bend, table_of(arms(1, plain=1), [row(1, "tool_absent", 0)])))
    assert not [x for x in alone if x.startswith(("worst_effect", "omni"))]
    one = told(*analyses(bend, OWN[OWN["arm"].isin(["plain", "format-bolding"])]))
    assert not [x for x in one if x.startswith("bias_f")]


def test_a_format_that_no_reply_followed_leaves_its_score_and_the_spread_unknown():
    rows = OWN.assign(format_ok=OWN["format_ok"].where(OWN["arm"] != "format-quoting", 0.0))
    found = told(*analyses(bend, rows))
    assert "est_true all format-quoting: nan, 0-3 0/1; no reply followed the format" in found
    why = "a format was followed by no reply, or no item was scored in every format"
    assert f"bias_f all all: nan, 2-2 2/1; {why}" in found
