"""bend's numbers, against the same worked out otherwise: by hand, and row by row."""

import math
import random
from itertools import pairwise, product

import pytest

from askew.metrics import bend
from askew.stats.tables import Interval
from tests.bend.rows import arms, number, row, table_of
from tests.cases import cases_of
from tests.numbers_told import analyses, lines, told

QUICK = Interval(resamples=200)


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
        for status in ("refused", "unparsed", "truncated"):
            found[status, arm] = mean(r["reply_status"] == status for r in own.values())
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
        # A reply that gave no answer explains its change; else the plain one that gave none.
        for cause in ("answered", "refused", "unparsed", "truncated"):
            told = [
                b["reply_status"] if b["reply_status"] != "answered" else a["reply_status"]
                for a, b in pairs
            ]
            own_part = [c if t == cause else 0 for c, t in zip(changes, told, strict=True)]
            found[f"effect_{cause}", arm] = mean(own_part)
        if arm not in ("repeat", "typos"):
            its = dict.fromkeys((a["subset"], a["item"]) for a, _ in pairs)
            harmless = [
                r["score"] - at[*k[:3], "plain"]["score"] for item in its for k, r in at.items()
                if k[:2] == item and k[3] == "typos" and (*k[:3], "plain") in at
            ]  # fmt: skip
            found["beyond_rewording", arm] = found["flips", arm] - mean(c != 0 for c in harmless)
            found["effect_beyond_rewording", arm] = found["effect", arm] - mean(harmless)
        if arm != "repeat":
            its = dict.fromkeys((a["subset"], a["item"]) for a, _ in pairs)
            own_noise = mean(d for item in its for d in again_of(item))
            found["beyond_noise", arm] = found["flips", arm] - own_noise
        if arm == "absent":
            found["omni_accuracy", "all"] = mean((a["score"] + b["score"]) / 2 for a, b in pairs)
    others = [a for a in asked if a not in ("plain", "repeat")]
    whole = [k for k in {k[:3]: 0 for k in at} if all((*k, a) in at for a in ("plain", *others))]
    found["worst_case", "all"] = mean(
        min(at[*k, a]["score"] for a in ("plain", *others)) for k in whole
    )
    score = {a: mean(at[*k, a]["score"] for k in whole) for a in ("plain", *others)}
    found["worst_effect", "all"] = max(score["plain"] - score[a] for a in others)
    # Of four arms typos is the only rewording.
    found["worst_beyond_rewording", "all"] = max(
        (score["plain"] if a == "typos" else min(score["plain"], score["typos"])) - score[a]
        for a in others
    )
    return found


def mean(values):
    listed = [float(v) for v in values]
    return math.fsum(listed) / len(listed) if listed else math.nan


def at_random(seed, subset="mine"):
    """Ten items in four arms and two epochs, of which some are lost and some don't fit."""
    rng = random.Random(seed)
    statuses, rows = ("answered", "refused", "unparsed", "truncated"), []
    arms_of = ("plain", "repeat", "absent", "order-1", "typos")
    for i, arm, e in product(range(10), arms_of, (1, 2)):
        if rng.random() < 0.8 and not (arm == "absent" and i > 6):
            score, answer = rng.choice((0, 0.5, 1)), rng.choice(("A", "B", None))
            more = {"subset": subset, "reply_status": rng.choice(statuses)}
            rows.append(row(i, arm, score, answer, epoch=e, **more))
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_every_number_equals_loops_over_the_rows(seed):
    """Also over two tasks that share names of items."""
    rows = table_of(at_random(seed), *([at_random(seed + 4, "arc")] if seed % 2 else []))
    found = bend(rows, interval=None)
    found = found[found["subset"] == "all"]
    expected = by_loops(rows)
    assert {(r.metric, r.arm) for r in found.itertuples()} == set(expected)
    for (metric, arm), value in expected.items():
        assert number(found, metric, arm).value == pytest.approx(value, nan_ok=True), (metric, arm)


def test_tasks_without_an_arm_in_common_have_no_largest_loss_together():
    one, other = arms(1, plain=1, absent=0, subset="arc"), arms(1, plain=1, system=0, subset="gsm")
    found = bend(table_of(one, other), interval=None)
    assert number(found, "worst_effect", subset="arc").value == 1.0
    together = number(found, "worst_effect")
    assert math.isnan(together.value)
    assert "all arms" in together.reason


def test_an_arm_of_one_task_is_none_of_the_numbered_arms_of_another():
    numbered = {"wording-1": 1, "wording-2": 0}
    rows = arms(1, plain=1, wording=0), arms(1, plain=1, subset="arc", **numbered)
    found = bend(table_of(*rows), interval=None)
    assert number(found, "effect", "wording", "mine").value == -1
    assert number(found, "effect", "wording-2", "arc").value == -1


@pytest.mark.parametrize(
    ("rows", "metric", "arm", "why"),
    [
        (table_of(arms(1, plain=1), arms(2, order=0)), "effect", "order", "plain and in this arm"),
        (table_of(arms(1, plain=1, order=1)), "beyond_noise", "order", "a second run"),
        (table_of(arms(1, plain=1, order=1)), "noise", "all", "a second run"),
        (table_of(arms(1, plain=1, order=1), arms(2, plain=1, absent=1)), "worst_effect", "all",
         "all arms"),
        (table_of([row(1, "plain", 1, None), row(1, "order", 1, None)]), "kept", "order",
         "no answer was parsed"),
        (table_of([row(1, "plain", 1), row(1, "suggestion", 1)]), "moved_rate", "suggestion",
         "suggested option"),
        (table_of([row(1, "plain", 1), row(1, "format-bolding", 1, format_ok=0.0)]), "est_true",
         "format-bolding", "followed the format"),
    ],
)  # fmt: skip
def test_an_undefined_effect_has_its_reason(rows, metric, arm, why):
    for interval in (None, QUICK):
        found = number(bend(rows, interval=interval), metric, arm)
        assert math.isnan(found.value)
        assert math.isnan(found.low)
        assert why in found.reason


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
FEW["cluster"] = FEW["item"].replace({"2": "1"})
TOGETHER = lines(cases_of(__file__, "TOGETHER"))
# What the loops above work out, and no line here.
_BY_LOOPS = (*cases_of(__file__, "_BY_LOOPS"),)


def by_hand(rows):
    return [line for line in told(*analyses(bend, rows)) if not line.startswith(_BY_LOOPS)]


def test_every_number_of_two_tasks_together_and_of_each_in_the_order_they_came():
    found = by_hand(FEW)
    assert found[: len(TOGETHER)] == TOGETHER
    assert len(found) == 3 * len(TOGETHER)
    assert "worst_effect zoo all: 0.333333, 2-2 1/1 = 0.333333/1 0/1" in found
    assert "beyond_noise arc order-1: -0.5, 2-0 1/1" in found
    # A task alone has its numbers under all.
    of_zoo = [line.replace(" zoo ", " all ") for line in found if " zoo " in line]
    assert by_hand(FEW[FEW["subset"] == "zoo"]) == of_zoo


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
    found = by_hand(OWN)
    assert [line for line in found if line in OF_OWN] == OF_OWN
    assert len(found) == 38


def test_selectivity_is_what_wrong_suggestions_move_beyond_right_ones():
    def moved(item, arm, to):
        return row(item, arm, 0, "A", suggested=to, moved=float(item < (4 if to == "B" else 1)))

    rows = [r for i in range(6) for r in (
        row(i, "plain", 1, "C"), moved(i, "suggestion", "B"), moved(i, "suggestion-right", "D"),
    )]  # fmt: skip
    found = number(bend(table_of(rows), interval=None), "selectivity")
    assert found.value == pytest.approx(4 / 6 - 1 / 6)


def test_worst_effect_excludes_unanswerable_arms_and_needs_the_plain_arm():
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
    why = "no reply followed one of the formats, or no item was scored in all formats"
    assert f"bias_f all all: nan, 2-2 2/1; {why}" in found


def rotated(rng, first, n_items=60, slips=0.2):
    """Replies over all rotations of 3 or 4 options; the right one is first in half of the items."""
    rows = []
    for i in range(n_items):
        n = rng.choice((3, 4))
        right = 0 if rng.random() < 0.5 else rng.randrange(n)
        mind = right if rng.random() < 0.7 else rng.randrange(n)
        for turn in range(n):
            said = rng.randrange(n) if rng.random() < slips else mind
            at = 0 if rng.random() < first else (said - turn) % n
            arm = f"order-rotation-{turn}" if turn else "plain"
            rows.append(row(
                i, arm, (at + turn) % n == right, "ABCD"[at], chosen_at=at + 1, n_options=n,
                right_at=(right - turn) % n + 1, treatment="order" if turn else "plain",
            ))  # fmt: skip
    return bend(table_of(*rows), interval=QUICK)


@pytest.mark.whole
def test_a_preference_for_the_first_option_is_detected_over_all_rotations_and_none_is_not():
    rng, detected = random.Random(2), 0
    for _ in range(20):
        found = number(rotated(rng, first=0.0), "first_preference")
        detected += not found.low <= 0 <= found.high
    assert detected <= 3
    table = rotated(rng, first=0.4)
    found = number(table, "first_preference")
    assert found.low > 0
    # A third or a quarter of the answers are first by chance.
    assert found.low < 0.4 * (1 - (1 / 3 + 1 / 4) / 2) < found.high
    assert number(table, "score_first").value > number(table, "score_last").value + 0.2
    assert number(table, "first_option", "plain").value > 0.5


def test_scores_by_position_compare_the_same_items_and_count_each_alike():
    """Items with two options are right everywhere; the longer ones only in the middle."""
    rows, right_at_middle = [], {3: 1.0, 4: 0.5, 6: 0.25}
    for i, n in enumerate([2, 3, 4, 6] * 6):
        for turn in range(n):
            at = (i - turn) % n
            middle = 0 < at < n - 1
            score = 1.0 if n == 2 else right_at_middle[n] if middle else 0.0
            arm = f"order-rotation-{turn}" if turn else "plain"
            rows.append(row(
                i, arm, score, "A", chosen_at=1, n_options=n, right_at=at + 1,
                treatment="order" if turn else "plain",
            ))  # fmt: skip
    table = bend(table_of(*rows), interval=QUICK)
    found = {p: number(table, f"score_{p}") for p in ("first", "middle", "last")}
    assert {p: f.n_items for p, f in found.items()} == {"first": 18, "middle": 18, "last": 18}
    assert (found["first"].value, found["last"].value) == (0, 0)
    assert math.isclose(found["middle"].value, (1 + 0.5 + 0.25) / 3)
    short = bend(table_of(*[r for r in rows if r["n_options"] == 2]), interval=None)
    assert "three or more options" in number(short, "score_first").reason


def tools_used(rng, first, n_items=60, slips=0.2):
    """First calls of three tools, of which a model has one in mind, plain and in another order."""
    rows = []
    for i in range(n_items):
        mind = "abc"[0 if rng.random() < 0.6 else rng.randrange(3)]
        for arm in ("plain", "tool_order"):
            listed = [*"abc"]
            while arm != "plain" and listed == [*"abc"]:
                rng.shuffle(listed)
            said = rng.choice("abc") if rng.random() < slips else mind
            used = listed[0] if rng.random() < first else said
            rows.append(row(i, arm, used == mind, used, first_tool=listed[0], used_tool=used))
    return bend(table_of(*rows), interval=QUICK)


def test_a_preference_for_the_first_tool_is_detected_and_one_for_a_tool_that_is_first_is_not():
    rng, detected = random.Random(4), 0
    for _ in range(20):
        found = number(tools_used(rng, first=0.0), "first_tool_preference", "tool_order")
        detected += not found.low <= 0 <= found.high
    assert detected <= 3
    table = tools_used(rng, first=0.4)
    found = number(table, "first_tool_preference", "tool_order")
    assert 0 < found.low < 0.4 < found.high
    assert number(table, "first_tool", "plain").value > 0.6


def versions(rng, losses, n_items=80):
    """A suggestion in several wordings, each of which loses a share of the correct answers."""
    rows = []
    for i in range(n_items):
        right = rng.random() < 0.7
        slipped = [right != (rng.random() < 0.1) for _ in (0, *losses)]
        kept = [s and rng.random() >= loss for s, loss in zip(slipped[1:], losses, strict=True)]
        rows += [row(i, "plain", float(slipped[0])), *(
            row(i, f"suggestion-{v}", float(s)) for v, s in enumerate(kept, start=1)
        )]  # fmt: skip
    return table_of(*rows)


def test_wordings_of_an_arm_have_a_mean_a_spread_a_worst_one_and_a_worst_case():
    rows = versions(random.Random(3), (0.0, 0.1, 0.4))
    table = bend(rows, interval=QUICK)
    scores = rows.pivot(index="item", columns="arm", values="score")
    of_versions = scores[[f"suggestion-{v}" for v in (1, 2, 3)]]
    means = of_versions.mean()
    for metric, value in (
        ("score", means.mean()), ("effect", means.mean() - scores["plain"].mean()),
        ("versions_sd", means.std(ddof=0)), ("versions_drop", means.mean() - means.min()),
        ("versions_worst_case", of_versions.min(axis=1).mean()),
    ):  # fmt: skip
        found = number(table, metric, "suggestion")
        assert found.value == pytest.approx(value)
        assert found.low <= value <= found.high
    assert number(table, "versions_sd", "suggestion").p_value < 0.05
    alone = bend(rows[rows["arm"].isin(["plain", "suggestion-1"])], interval=None)
    assert "suggestion" not in {*alone["arm"]}


@pytest.mark.whole
def test_wordings_of_which_none_matters_seldom_have_a_spread_beyond_noise():
    rng = random.Random(8)
    tables = [bend(versions(rng, (0.2, 0.2)), interval=QUICK) for _ in range(20)]
    assert sum(number(t, "versions_sd", "suggestion").p_value <= 0.05 for t in tables) <= 3


def test_an_effect_of_parsing_alone_is_none_of_other_answers():
    """A model of one mind, of whose treated replies two in five are not parsed."""
    rng, excluded, n = random.Random(5), 0, 20
    for _ in range(n):
        rows = []
        for i in range(80):
            right = float(rng.random() < 0.7)
            lost = rng.random() < 0.4
            # A slip in either arm: the effect has noise beside what parsing does.
            plain, treated = (abs(right - (rng.random() < 0.05)) for _ in range(2))
            rows += [
                row(i, "plain", plain, str(plain), reply_status="answered"),
                row(i, "framing", 0 if lost else treated, None if lost else str(treated),
                    reply_status="unparsed" if lost else "answered"),
            ]  # fmt: skip
        table = bend(table_of(*rows), interval=QUICK)
        found = {c: number(table, f"effect_{c}", "framing") for c in ("unparsed", "answered")}
        effect = number(table, "effect", "framing")
        assert math.isclose(sum(f.value for f in found.values()), effect.value, abs_tol=1e-12)
        assert found["unparsed"].high < 0
        assert number(table, "effect_refused", "framing").value == 0
        excluded += not found["answered"].low <= 0 <= found["answered"].high
    assert excluded <= 0.1 * n
