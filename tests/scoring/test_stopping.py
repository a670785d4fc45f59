"""Early stopping: which samples are still asked, what a look is of, and what is said at the end."""

import asyncio
import math
from types import SimpleNamespace

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import SampleScore, Score

from askew.papers import get_paper, papers
from askew.parameters import SelectionError
from askew.schema import POINTS, Metric, Unit
from askew.scoring.outcome import BOUNDS
from askew.scoring.stopping import Anytime, SampleCluster, SequentialStopping, stopping
from tests.cases import cases

KNOWNO = get_paper("knowno")
LEAD = "omni_accuracy"
UNITS, EACH = 40, 2
SAMPLES = [Sample(id=f"u{u}/{k}", input="?") for u in range(UNITS) for k in range(EACH)]
# Three clusters are of one item; of many, each is one.
OF = {s.id: SampleCluster(f"i{n // EACH // 3}", s.id.split("/")[0]) for n, s in enumerate(SAMPLES)}
MANY = [Sample(id=f"q{u}/{k}", input="?") for u in range(200) for k in range(EACH)]
OF |= {s.id: SampleCluster(*[s.id.split("/")[0]] * 2) for s in MANY}
SPEC = SimpleNamespace(
    config=SimpleNamespace(max_samples=None),
    model_generate_config=GenerateConfig(max_connections=10),
)


def share_right(scores):
    """A metric whose interval is as narrow as many scores are."""
    n = len(scores)
    mean = sum(s.score.value for s in scores) / n if n else math.nan
    wide = 4 / n if n else math.nan
    return {LEAD: mean, f"{LEAD}_low": mean - wide, f"{LEAD}_high": mean + wide}


class Prepared:
    """A metric that gives prepared ends, and keeps of how many scores, and under which bounds."""

    def __init__(self, *ends):
        self.ends, self.looks, self.bounds = list(ends), [], []

    def __call__(self, scores):
        self.looks.append([s.score.value for s in scores])
        self.bounds.append(BOUNDS.get())
        low, value, high = self.ends.pop(0) if len(self.ends) > 1 else self.ends[0]
        return {LEAD: value, f"{LEAD}_low": low, f"{LEAD}_high": high, "other": 7.0}


WIDE, NARROW = (0.0, 0.5, 1.0), (0.5, 0.52, 0.55)


def run(drive, metric=share_right, width=0.1, epochs=1, samples=SAMPLES):
    """What is said at the end of a run, and what was asked of it."""

    async def whole():
        stop = SequentialStopping(KNOWNO, metric, OF, width)
        started = await stop.start_task(SPEC, samples, epochs)
        assert started == "askew stop_when"
        await drive(stop)
        return await stop.complete_task()

    return asyncio.run(whole())


def scored(value=1.0, name="askew/knowno_scorer"):
    return {name: SampleScore(score=Score(value=value))}


async def through(stop, samples=SAMPLES, epoch=1, lost=()):
    """Asks samples in turn; those who are lost never end. Who was asked, why others were not."""
    asked, left = [], []
    for i, sample in enumerate(samples):
        if told := await stop.schedule_sample(sample.id, epoch):
            left.append(told)
            continue
        asked.append(sample.id)
        if sample.id not in lost:
            await stop.complete_sample(sample.id, epoch, scored(float(i)))
    return asked, left


def test_a_stopped_run_records_its_counts_and_its_interval():
    kept = {}

    async def drive(stop):
        kept["asked"], kept["left"] = await through(stop)

    # Wide after 20 clusters, narrow at the next look, after 21; 21 clusters are of 7 items.
    metric = Prepared(WIDE, NARROW, (0.48, 0.52, 0.54))
    assert run(drive, metric, epochs=3) == {
        "stopped": True, "reached": True, "headline": LEAD, "stop_when": 0.1,
        "items": 7, "of_items": 14, "samples": 126, "of_samples": 240,
        # Both intervals hold: their common part is told.
        "value": 0.52, "low": 0.5, "high": 0.54,
    }  # fmt: skip
    assert kept["asked"] == [s.id for s in SAMPLES[: 21 * EACH]]
    assert [told.model_dump() for told in kept["left"][:1]] == [
        {"id": "u21/0", "epoch": 1, "reason": f"{LEAD} is known well enough", "metadata": None}
    ]
    assert len(kept["left"]) == 19 * EACH
    assert [len(look) for look in metric.looks] == [40, 42, 42]
    assert metric.bounds == [Anytime()] * 3
    assert BOUNDS.get() != Anytime()


def test_the_last_interval_is_recorded_if_the_common_part_misses_the_value():
    told = run(through, Prepared(NARROW, (0.6, 0.65, 0.7)))
    assert (told["low"], told["value"], told["high"]) == (0.6, 0.65, 0.7)
    # At the very end of what both hold, it fits.
    told = run(through, Prepared(NARROW, (0.45, 0.5, 0.6)))
    assert (told["low"], told["value"], told["high"]) == (0.5, 0.5, 0.55)
    told = run(through, Prepared(NARROW, (0.45, 0.55, 0.6)))
    assert (told["low"], told["value"], told["high"]) == (0.5, 0.55, 0.55)
    told = run(through, Prepared(NARROW, (0.45, 0.49, 0.6)))
    assert (told["low"], told["value"], told["high"]) == (0.45, 0.49, 0.6)


def test_only_the_scores_of_the_papers_own_scorer_are_looked_at():
    metric = Prepared(WIDE)

    async def drive(stop):
        for i, sample in enumerate(SAMPLES[: 20 * EACH]):
            await stop.schedule_sample(sample.id, 1)
            both = scored(9.0, "match") | scored(float(i), "knowno_scorer")
            unscored = {} if i == 3 else both
            await stop.complete_sample(sample.id, 1, unscored)

    run(drive, metric)
    # Once on the way and once at the end.
    assert metric.looks == [[float(i) for i in range(40) if i != 3]] * 2


def width_of(low, high, metric=None, task="knowno"):
    """The width of an interval; of a made-up metric in the place of the paper's headline."""
    paper = get_paper(task)
    if metric is not None:
        paper = SimpleNamespace(
            task="made", headlines=("made",), headline_declaration=lambda name: metric
        )
    stop = SequentialStopping(paper, Prepared(WIDE), OF, 0.1)
    return stop._width({"value": 0.0, "low": low, "high": high})


@pytest.mark.parametrize(
    ("metric", "low", "high", "width"),
    [
        (Metric("made"), 0.25, 0.5, 0.25),
        (Metric("made", bounds=(-1.0, 2.0)), -0.5, 0.5, 0.5),
        (Metric("made", bounds=(0.0, 16.0), interval="variance"), 1.0, 9.0, 0.5),
        # Without a largest value: on a scale of 100, in the cluster that it is written in.
        (Metric("made", bounds=(0.0, math.inf), unit=Unit("")), 10.0, 30.0, 0.2),
        (Metric("made", bounds=(0.0, math.inf), unit=POINTS), 0.1, 0.3, 0.2),
        (Metric("made", bounds=(0.0, math.inf), unit=Unit(""), interval="variance"),
         100.0, 900.0, 0.2),
        (Metric("made", bounds=(0.0, math.inf), unit=Unit("", 4.0), interval="variance"),
         100.0, 400.0, 0.2),
    ],
)  # fmt: skip
def test_a_width_is_a_share_of_the_largest_value_and_of_a_variance_in_its_root(
    metric, low, high, width
):
    assert width_of(low, high, metric) == pytest.approx(width)


@cases("task", "low", "high", "width")
def test_the_width_of_every_papers_primary_metric(task, low, high, width):
    assert width_of(low, high, task=task) == pytest.approx(width)


def in_order(samples, seed):
    """The samples in the order in which a run that may stop asks them."""
    return stopping(samples, {}, 0.1, KNOWNO, Prepared(WIDE), OF, seed)[0]


def test_clusters_are_shuffled_by_the_seed_and_those_of_one_stay_in_their_order():
    order = [s.id for s in in_order(SAMPLES[:8], "d1")]
    # As it always was: a run that is taken up again asks in the order it was begun in.
    assert order == ["u1/0", "u1/1", "u2/0", "u2/1", "u3/0", "u3/1", "u0/0", "u0/1"]
    assert in_order(SAMPLES, "d2") != in_order(SAMPLES, "d1")


@pytest.mark.parametrize(("width", "stops"), [(0.25, False), (0.26, True), (0.24, False)])
def test_an_interval_must_be_narrower_than_the_requested_width(width, stops):
    assert run(through, Prepared((0.25, 0.4, 0.5)), width=width)["stopped"] == stops


def test_replies_that_come_sooner_don_t_decide():
    """All ends out of order: nothing is known before the first ones are in."""

    async def drive(stop):
        for sample in MANY[:-EACH]:
            assert await stop.schedule_sample(sample.id, 1) is None
        for sample in MANY[EACH : EACH + 90]:
            await stop.complete_sample(sample.id, 1, scored())
        # The first cluster is still under way: 45 whole ones behind it say nothing yet.
        assert await stop.schedule_sample(MANY[-EACH].id, 1) is None
        for sample in MANY[:EACH]:
            await stop.complete_sample(sample.id, 1, scored())
        # A cluster that was begun is finished, whatever is known by now.
        assert await stop.schedule_sample(MANY[-1].id, 1) is None

    run(drive, samples=MANY)


def test_a_sample_that_failed_is_not_waited_for_for_ever():
    async def drive(stop):
        asked, _ = await through(stop, MANY, lost={MANY[0].id})
        assert len(asked) < len(MANY)

    assert run(drive, samples=MANY)["stopped"]


def test_a_cluster_that_ran_in_part_is_waited_for():
    """A shuffled run asks the second of a cluster long after its first."""

    async def drive(stop):
        for sample in (MANY[0], *MANY[EACH:]):
            assert await stop.schedule_sample(sample.id, 1) is None
            await stop.complete_sample(sample.id, 1, scored())

    looks = []
    run(drive, lambda scores: looks.append(len(scores)) or share_right(scores), samples=MANY)
    assert looks == [len(MANY) - 1]


def test_all_epochs_run_for_the_items_of_the_first_epoch():
    async def drive(stop):
        first, _ = await through(stop, MANY)
        assert (await through(stop, MANY, epoch=2))[0] == first

    told = run(drive, epochs=2, samples=MANY)
    assert told["stopped"]
    assert told["samples"] == 2 * EACH * told["items"]


def test_samples_of_an_earlier_attempt_count():
    """A retried run tells of them without asking whether to ask them."""

    async def drive(stop):
        for sample in MANY[:100]:
            await stop.complete_sample(sample.id, 1, scored())
        assert await stop.schedule_sample(MANY[100].id, 1) is not None

    assert run(drive, samples=MANY)["items"] == 50


@pytest.mark.parametrize("task", [p.task for p in papers()])
@pytest.mark.parametrize("bad", [0, 1, 5, -0.1, "narrow", True, math.nan])
def test_a_width_that_is_none_is_refused_with_what_to_give(task, bad):
    kept = {"items": 1} if "items" in get_paper(task).parameters else {}
    with pytest.raises(SelectionError, match=r"stop_when=.*between 0 and 1"):
        get_paper(task).make(stop_when=bad, **kept)


def test_one_task_may_run_for_several_models_at_once():
    stop = SequentialStopping(KNOWNO, share_right, OF, 0.1)

    async def one(samples):
        await stop.start_task(SPEC, samples, 1)
        await through(stop, samples)
        await asyncio.sleep(0)
        return await stop.complete_task()

    async def both():
        return await asyncio.gather(one(MANY), one(MANY[:40]))

    long, short = asyncio.run(both())
    assert (long["stopped"], long["of_items"]) == (True, 200)
    assert (short["stopped"], short["of_items"]) == (False, 20)
