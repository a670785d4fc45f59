"""Which samples a run that may stop still asks: whole clusters, decided by those asked first."""

import asyncio
import math
from types import SimpleNamespace

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import SampleScore, Score

from askew.papers import get_paper, papers
from askew.parameters import SelectionError
from askew.scoring.stopping import SampleCluster, SequentialStopping

KNOWNO = get_paper("knowno")
SPEC = SimpleNamespace(
    config=SimpleNamespace(max_samples=None),
    model_generate_config=GenerateConfig(max_connections=10),
)
UNITS, EACH = 200, 2
SAMPLES = [Sample(id=f"q{u}/{k}", input="?") for u in range(UNITS) for k in range(EACH)]
OF = {s.id: SampleCluster(s.id.split("/")[0], s.id.split("/")[0]) for s in SAMPLES}


def share_right(scores):
    """A metric whose interval is as narrow as many scores are."""
    n = len(scores)
    mean = sum(s.score.value["correct"] for s in scores) / n if n else math.nan
    wide = 4 / n if n else math.nan
    return {
        "omni_accuracy": mean,
        "omni_accuracy_low": mean - wide,
        "omni_accuracy_high": mean + wide,
    }


def given(right=1.0):
    score = SampleScore(score=Score(value={"correct": right}))
    return {"askew/knowno_scorer": score}


def run(asked, width=0.1, epochs=1, metric=share_right):
    """What a run of a stopping task says, where `asked(stop)` drives it."""

    async def whole():
        stop = SequentialStopping(KNOWNO, metric, OF, width)
        await stop.start_task(SPEC, SAMPLES, epochs)
        await asked(stop)
        return await stop.complete_task()

    return asyncio.run(whole())


async def each(stop, samples=SAMPLES, epoch=1, lost=()):
    """Asks one sample after the other; those who are lost never end."""
    asked = []
    for sample in samples:
        if await stop.schedule_sample(sample.id, epoch) is None:
            asked.append(sample.id)
            if sample.id not in lost:
                await stop.complete_sample(sample.id, epoch, given())
    return asked


def test_replies_that_come_sooner_don_t_decide():
    """All ends out of order: nothing is known before the first ones are in."""

    async def drive(stop):
        for sample in SAMPLES[:-EACH]:
            assert await stop.schedule_sample(sample.id, 1) is None
        for sample in SAMPLES[EACH : EACH + 90]:
            await stop.complete_sample(sample.id, 1, given())
        # The first cluster is still under way: 45 whole ones behind it say nothing yet.
        assert await stop.schedule_sample(SAMPLES[-EACH].id, 1) is None
        for sample in SAMPLES[:EACH]:
            await stop.complete_sample(sample.id, 1, given())
        # A cluster that was begun is finished, whatever is known by now.
        assert await stop.schedule_sample(SAMPLES[-1].id, 1) is None

    run(drive)


def test_a_sample_that_failed_is_not_waited_for_for_ever():
    async def drive(stop):
        assert len(await each(stop, lost={SAMPLES[0].id})) < len(SAMPLES)

    assert run(drive)["stopped"]


def test_a_cluster_that_ran_in_part_is_waited_for():
    """A shuffled run asks the second of a cluster long after its first."""

    async def drive(stop):
        for sample in (SAMPLES[0], *SAMPLES[EACH:]):
            assert await stop.schedule_sample(sample.id, 1) is None
            await stop.complete_sample(sample.id, 1, given())

    looks = []
    run(drive, metric=lambda scores: looks.append(len(scores)) or share_right(scores))
    assert looks == [len(SAMPLES) - 1]


def test_all_epochs_run_for_the_items_of_the_first_epoch():
    async def drive(stop):
        first = await each(stop)
        assert await each(stop, epoch=2) == first

    told = run(drive, epochs=2)
    assert told["stopped"]
    assert told["samples"] == 2 * EACH * told["items"]


def test_samples_of_an_earlier_attempt_count():
    """A retried run tells of them without asking whether to ask them."""

    async def drive(stop):
        for sample in SAMPLES[:100]:
            await stop.complete_sample(sample.id, 1, given())
        assert await stop.schedule_sample(SAMPLES[100].id, 1) is not None

    assert run(drive)["items"] == 50


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
        await each(stop, samples)
        await asyncio.sleep(0)
        return await stop.complete_task()

    async def both():
        return await asyncio.gather(one(SAMPLES), one(SAMPLES[:40]))

    long, short = asyncio.run(both())
    assert (long["stopped"], long["of_items"]) == (True, UNITS)
    assert (short["stopped"], short["of_items"]) == (False, 20)
