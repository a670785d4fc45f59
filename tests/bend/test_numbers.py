"""bend's numbers, against the same worked out otherwise: by hand, and row by row."""

import math
import random
import statistics
from itertools import pairwise

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log

from askew.analysis import read_observations
from askew.metrics import bend
from askew.papers.bend.stand_in import FILE
from askew.papers.bend.tasks import bend as bent
from askew.statistics.tables import Interval
from tests.bend.rows import arms, number, row, table_of

FEW = Interval(resamples=200)
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


def test_an_arm_stands_against_plain_on_its_own_items_alone():
    """Where an arm fits only what is easy, what is hard has no part in its effect."""
    rows = table_of(
        arms(1, plain=1, absent=1), arms(2, plain=1, absent=0), arms(3, plain=0), arms(4, plain=0)
    )
    found = points(rows)
    assert number(found, "score", "plain").value == 0.5
    effect = number(found, "effect", "absent")
    assert (effect.value, effect.n_items, effect.n_dropped) == (-0.5, 2, 0)
    worst = number(found, "worst_effect")
    assert (worst.value, worst.n_items) == (0.5, 2)
    assert number(found, "omni_accuracy").value == (1 + 0.5) / 2
    worst = number(found, "worst_effect")
    assert (worst.value, worst.n_items, worst.n_dropped) == (0.5, 2, 2)


def test_a_reply_without_its_plain_one_is_in_no_pair_and_counted():
    rows = table_of(arms(1, plain=1, order=1), arms(2, order=0))
    effect = number(points(rows), "effect", "order")
    assert (effect.value, effect.n_items, effect.n_dropped) == (0.0, 1, 1)
    assert number(points(rows), "score", "order").value == 0.5


def test_pairs_are_of_one_epoch():
    rows = table_of(
        arms(1, plain=1, order=0, epoch=1), arms(1, plain=0, epoch=2), arms(1, order=1, epoch=3)
    )
    found = points(rows)
    assert number(found, "effect", "order").value == -1.0
    # The plain question was asked twice, with two scores.
    assert number(found, "noise").value == 1.0
    assert number(found, "beyond_noise", "order").value == 0.0


def test_noise_compares_each_epoch_with_the_one_before_however_rows_come():
    told = {1: 1, 2: 0, 3: 0, 4: 1}
    rows = table_of(*(arms(1, plain=s, epoch=e) for e, s in told.items()))
    shuffled = rows.sample(frac=1, random_state=3)
    for one in (rows, shuffled):
        assert number(points(one), "noise").value == pytest.approx(2 / 3)
    without = rows[rows["epoch"] != 2]
    assert number(points(without), "noise").value == pytest.approx(2 / 2)


def test_an_arms_noise_is_that_of_its_own_items():
    rows = table_of(
        arms(1, plain=1, repeat=1, absent=0),
        arms(2, plain=1, repeat=1, absent=1),
        arms(3, plain=1, repeat=0),
        arms(4, plain=0, repeat=1),
    )
    found = points(rows)
    assert number(found, "noise").value == 0.5
    assert number(found, "beyond_noise", "absent").value == 0.5


def test_answers_move_where_the_plain_one_was_read_and_another():
    def told(item, before, after):
        more = {"suggested": "B", "moved": float(after == "B")}
        return [row(item, "plain", 1, before), row(item, "suggestion", 1, after, **more)]

    rows = table_of(
        told(1, "A", "B"), told(2, "A", "A"), told(3, "B", "B"), told(4, None, "B"),
        told(5, "C", "D"),
    )  # fmt: skip
    moved = number(points(rows), "moved_rate", "suggestion")
    assert moved.value == pytest.approx(1 / 3)
    assert moved.n_items == 3
    # An answer that was not read is not another one.
    assert number(points(rows), "kept", "suggestion").value == pytest.approx(2 / 4)


def test_formats_have_following_scores_of_what_follows_and_their_spread():
    def told(item, bolding, quoting):
        return [
            row(item, "plain", 1),
            row(item, "format-bolding", bolding[0], format_ok=float(bolding[1])),
            row(item, "format-quoting", quoting[0], format_ok=float(quoting[1])),
        ]

    rows = table_of(
        told(1, (1, 1), (1, 1)), told(2, (0, 1), (1, 1)), told(3, (1, 0), (1, 1)),
        told(4, (1, 1), (0, 1)),
        [row(5, "plain", 1), row(5, "format-bolding", 0, format_ok=1.0)],
    )  # fmt: skip
    found = points(rows)
    assert number(found, "fi", "format-bolding").value == 4 / 5
    assert number(found, "est_true", "format-bolding").value == 2 / 4
    assert number(found, "est_true", "format-quoting").value == 3 / 4
    # On the four items that were scored in both.
    spread = number(found, "bias_f")
    assert spread.value == pytest.approx(100**2 * statistics.pvariance([2 / 3, 3 / 4]))
    assert (spread.n_items, spread.n_dropped) == (4, 1)


def test_what_was_given_up_is_counted_where_a_tool_is_missing():
    rows = table_of(
        *([row(i, "plain", 1), row(i, "tool_absent", 0, gave_up=float(i < 3))] for i in range(4))
    )
    assert number(points(rows), "gave_up", "tool_absent").value == 3 / 4


def test_scores_between_right_and_wrong_count_by_how_much_they_change():
    rows = table_of(arms(1, plain=0.5, order=0.75), arms(2, plain=1, order=0.25))
    found = points(rows)
    assert number(found, "effect", "order").value == pytest.approx(-0.25)
    assert number(found, "hurt", "order").value == 0.5
    assert number(found, "helped", "order").value == 0.5


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


def test_models_stand_in_rows_of_their_own():
    rows = table_of(
        arms(1, plain=1, order=0), arms(1, plain=0, order=0, model="acme/b"),
    )  # fmt: skip
    found = points(rows)
    assert number(found, "effect", "order", model="acme/a").value == -1.0
    assert number(found, "effect", "order", model="acme/b").value == 0.0
    assert number(points(rows, by=()), "score", "plain").n_items == 1


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
    for interval in (None, FEW):
        found = number(bend(rows, interval=interval), metric, arm)
        assert math.isnan(found.value)
        assert math.isnan(found.low)
        assert why in found.reason


def test_without_a_plain_question_there_are_scores_alone():
    found = points(table_of(arms(1, order=1), arms(2, order=0)))
    assert number(found, "score", "order").value == 0.5
    assert math.isnan(number(found, "effect", "order").value)
    assert "worst_effect" not in set(found["metric"])


def test_nothing_observed_is_no_error():
    assert not len(points(FOUR[:0]))


def test_intervals_hold_their_values_within_the_bounds():
    found = bend(table_of(at_random(5), at_random(6, "arc")), interval=FEW)
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
