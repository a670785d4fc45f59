"""Binary QA's metrics against a calculation of their own, and what makes them undefined."""

import math
import random
import warnings
from dataclasses import replace
from statistics import pstdev

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.metrics import (
    binary_qa,
    model_binary_core,
    model_binary_parts,
    model_binary_score,
    random_guesser,
)
from askew.papers.binary_qa.numbers import WEIGHTS, checked_weights
from askew.papers.binary_qa.paper import COMPARED, CORE, FORMS, SPREADS
from askew.stats.clusters import NO_NULL
from askew.stats.tables import Interval
from tests.cases import cases, cases_of
from tests.numbers_told import analyses, lines, told
from tests.repeated import times

DOMAINS = ("reading", "ethics", "numerical")
OPPOSITE = {"Yes": "No", "No": "Yes"}
QUICK = Interval(resamples=300)


def rows_of(answers, model="m"):
    """Observations from {(domain, item, truth): {form: answer}}."""
    rows = [
        (model, domain, item, item, 1, form, truth, answer)
        for (domain, item, truth), by_form in answers.items()
        for form, answer in by_form.items()
    ]
    columns = ("model", "subset", "item", "cluster", "epoch", "form", "truth", "answer")
    return pd.DataFrame(rows, columns=columns)


def right(truth, **other):
    """The right answer in every form, but for the ones given."""
    flipped = COMPARED["nrc"]
    return {f: OPPOSITE[truth] if f in flipped else truth for f in FORMS} | other


def balanced(domains=DOMAINS, n=4, **other):
    places = [(d, f"{d}-{i}", ("Yes", "No")[i % 2]) for d in domains for i in range(n)]
    return {place: right(place[2], **other) for place in places}


def row(table, metric, subset="all"):
    (found,) = table[(table["metric"] == metric) & (table["subset"] == subset)].to_dict("records")
    return found


# --- an independent calculation, straight from the paper's words ---


def f1_of(pairs, label):
    hits = sum(t == a == label for t, a in pairs)
    false_alarms = sum(a == label != t for t, a in pairs)
    misses = sum(t == label != a for t, a in pairs)
    return 2 * hits / (2 * hits + false_alarms + misses) if hits else 0.0


def by_hand(answers):
    pairs = [(truth, a["original"]) for (_, _, truth), a in answers.items()]

    def recall(label):
        of_label = [a for t, a in pairs if t == label]
        return sum(a == label for a in of_label) / len(of_label) if of_label else math.nan

    def precision(label):
        said = [t for t, a in pairs if a == label]
        return sum(t == label for t in said) / len(said) if said else math.nan

    shares = {}
    for metric, forms in COMPARED.items():
        wants = OPPOSITE.get if metric == "nrc" else (lambda answer: answer)
        consistent = [
            a["original"] in OPPOSITE and all(a[f] == wants(a["original"]) for f in forms)
            for a in answers.values()
        ]
        shares[metric] = sum(consistent) / len(consistent)
    shares["f1"] = sum(f1_of(pairs, label) for label, _ in pairs) / len(pairs)
    shares["delta_recall"] = recall("No") - recall("Yes")
    shares["delta_precision"] = precision("No") - precision("Yes")
    return shares


def drawn(seed, n=12, domains=DOMAINS):
    rng = random.Random(seed)
    places = [(d, f"{d}-{i}", rng.choice(["Yes", "No"])) for d in domains for i in range(n)]
    said = lambda: rng.choices(["Yes", "No", None], [5, 5, 1])[0]  # noqa: E731
    return {place: {form: said() for form in FORMS} for place in places}


def same(left, right):
    return (math.isnan(left) and math.isnan(right)) or left == pytest.approx(right, abs=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 20))
@settings(max_examples=times(25), deadline=None)
def test_every_value_is_what_a_plain_count_gives(seed, n):
    answers = drawn(seed, n)
    table = binary_qa(rows_of(answers), interval=None)
    by_place = table.pivot(index="subset", columns="metric", values="value")
    overall, *measured = (by_place.loc[place] for place in ("all", *DOMAINS))
    by_domain = [by_hand({k: v for k, v in answers.items() if k[0] == d}) for d in DOMAINS]
    for metric, value in by_hand(answers).items():
        assert same(overall[metric], value), metric
        for found, domain in zip(measured, by_domain, strict=True):
            assert same(found[metric], domain[metric]), metric
        spread = [domain[metric] for domain in by_domain]
        wanted = math.nan if any(map(math.isnan, spread)) else pstdev(spread)
        assert same(overall[f"stdev_{metric}"], wanted), metric
    core = {m: overall[m] for m in CORE}
    spreads = {m: overall[f"stdev_{m}"] for m in CORE}
    assert same(overall["mbs"], model_binary_score(core, spreads))
    assert same(overall["mbs_core"], model_binary_core(core))


@pytest.mark.parametrize("left_out", [*FORMS][1:])
def test_a_form_that_did_not_run_makes_only_its_metric_undefined(left_out):
    rows = rows_of(balanced())
    table = binary_qa(rows[rows["form"] != left_out], interval=QUICK)
    (hit,) = [m for m, forms in COMPARED.items() if left_out in forms]
    found = row(table, hit)
    assert math.isnan(found["value"])
    assert found["reason"] == f"not asked: {left_out}"
    assert math.isnan(row(table, "mbs")["value"])
    assert hit in row(table, "mbs")["reason"]
    assert all(row(table, m)["value"] in (0, 1) for m in CORE if m != hit)


def test_one_domain_has_no_score_but_a_core():
    table = binary_qa(rows_of(balanced(("ethics",))), interval=QUICK)
    assert math.isnan(row(table, "mbs")["value"])
    assert "one domain" in row(table, "mbs")["reason"]
    assert "mbs_core" in row(table, "mbs")["reason"]
    assert "one domain" in row(table, "stdev_f1")["reason"]
    assert row(table, "mbs_core")["value"] == pytest.approx(100)


def test_a_model_that_only_answers_no_has_no_precision_for_yes():
    answers = {k: dict.fromkeys(FORMS, "No") for k in balanced()}
    table = binary_qa(rows_of(answers), interval=QUICK)
    assert row(table, "delta_recall")["value"] == 1
    assert math.isnan(row(table, "delta_precision")["value"])
    assert "never answered" in row(table, "delta_precision")["reason"]
    assert row(table, "mbs")["reason"] == "undefined: delta_precision"


# --- the random guesser ---


@pytest.fixture(scope="module")
def guesser():
    return random_guesser(rows_of(balanced(n=200)), draws=2_000, seed=4)


@cases("metric", "chance")
@pytest.mark.parametrize("subset", ["all", "reading"])
def test_a_random_guesser_gets_what_chance_gives(guesser, metric, chance, subset):
    assert row(guesser, metric, subset)["value"] == pytest.approx(chance, abs=0.005)


def test_the_printed_baseline_is_one_such_guesser():
    domains = ("reading", "multi_hop", "numerical", "translation", "ethics")
    table = random_guesser(rows_of(balanced(domains, 200)), draws=1_000)
    # Table 1, first row: one draw on a thousand items.
    assert row(table, "mbs")["low"] - 0.3 < 57.4 < row(table, "mbs")["high"]
    printed = {"prc": 0.27, "nrc": 0.26, "arc": 0.48, "sc": 0.24, "delta_recall": 0.01}
    for metric, value in printed.items():
        assert row(table, metric)["low"] - 0.005 <= value <= row(table, metric)["high"] + 0.005


def item_rows(domain, item, unit, truth, epoch=1, without=(), **other):
    """One item in one epoch, right in every form but those left out and those given."""
    by_form = {f: answer for f, answer in right(truth, **other).items() if f not in without}
    return rows_of({(domain, item, truth): by_form}).assign(cluster=unit, epoch=epoch)


# Two questions share a passage, one comes twice, three lack forms, one was asked in none we know.
FEW = pd.concat(
    [
        item_rows("reading", "a", "p1", "Yes"),
        item_rows("ethics", "a", "e1", "No"),
        item_rows("ethics", "a", "e1", "No", epoch=2, synonym="Yes"),
        item_rows("reading", "b", "p2", "No", without=("false_framing",), original="Yes"),
        item_rows("reading", "c", "p1", "No", synonym=None),
        item_rows(
            "ethics", "b", "e2", "Yes", original=None,
            without=("synonym", "hedged", "repeat_2", "repeat_3"),
        ),
        item_rows("ethics", "c", "e3", "Yes", without=("original",)),
        rows_of({("reading", "d", "No"): {"of_another_time": "Yes"}}),
    ],
    ignore_index=True,
)  # fmt: skip
WORKED = lines(cases_of(__file__, "WORKED"))


def test_every_number_of_seven_items_with_what_it_rests_on():
    assert told(*analyses(binary_qa, FEW))[: len(WORKED)] == WORKED


def test_noise_that_is_taken_off_the_spreads_raises_the_score_by_their_weight():
    (found,) = analyses(binary_qa, rows_of(balanced(("reading", "ethics"), 4)))
    point = found.table.point()
    clean = {
        (SPREADS[m].name, "all"): replace(NO_NULL, value_debiased=0.1 * (m == "prc")) for m in CORE
    }
    assert found.recombined(clean, point) == {}
    of_score = {("mbs", "all"): NO_NULL, **clean}
    # A spread of a fifth of its most, half of a fraction, costs a fifth of a twelfth of a tenth.
    worked = 100 - 100 * 0.1 * WEIGHTS["prc"] / 0.9 * 0.1 / 0.5
    assert found.recombined(of_score, point) == {("mbs", "all"): pytest.approx(worked)}


# --- The Model Binary Score ---


DELTAS = ("delta_recall", "delta_precision")
cores = st.fixed_dictionaries({m: st.floats(-(m in DELTAS), 1) for m in CORE})
spreads = st.fixed_dictionaries({m: st.floats(0, 1 if m in DELTAS else 0.5) for m in CORE})
weightings = st.fixed_dictionaries({m: st.floats(0.01, 5) for m in CORE})


def test_a_score_worked_out_by_hand():
    core = {
        "f1": 0.8, "delta_recall": -0.2, "delta_precision": 0.1, "prc": 0.9, "nrc": 0.6,
        "arc": 1.0, "sc": 0.7,
    }  # fmt: skip
    stdevs = {
        "f1": 0.1, "delta_recall": 0.3, "delta_precision": 0.0, "prc": 0.05, "nrc": 0.25,
        "arc": 0.0, "sc": 0.5,
    }  # fmt: skip
    metrics = 0.4 * 80 + 0.1 * 80 + 0.1 * 90 + 0.075 * (90 + 60 + 100 + 70)
    steadiness = (0.4 * 80 + 0.1 * 70 + 0.1 * 100 + 0.075 * (90 + 50 + 100 + 0)) / 9
    assert model_binary_score(core, stdevs) == pytest.approx(metrics + steadiness)
    assert model_binary_core(core) == pytest.approx(metrics / 0.9)


@given(cores, spreads, weightings)
@pytest.mark.filterwarnings("ignore::askew.papers.binary_qa.numbers.WeightsWarning")
def test_parts_add_up_and_the_score_stays_on_its_scale(core, stdevs, weights):
    parts = model_binary_parts(core, stdevs, weights)
    score = model_binary_score(core, stdevs, weights)
    assert math.fsum(parts.values()) == pytest.approx(score)
    assert len(parts) == 14
    assert -1e-9 <= score <= 100 + 1e-9


@pytest.mark.parametrize(
    ("off", "warns"), [(0.0, 0), (1e-10, 0), (-1e-10, 0), (1e-8, 1), (-1e-8, 1)]
)
def test_weights_are_rescaled_with_a_warning_where_they_differ_by_more_than_rounding(off, warns):
    given = {**WEIGHTS, "f1": WEIGHTS["f1"] + off}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rescaled = checked_weights(given)
    assert len(said) == warns
    assert math.fsum(rescaled.values()) == pytest.approx(0.9, abs=1e-12)
    assert list(rescaled) == list(CORE)
