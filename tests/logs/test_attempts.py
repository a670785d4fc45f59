"""Several askings of one sample: each counts once, and the right one stands."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, a_score, killed, table_of, written
from tests.repeated import times


def read(*logs):
    observations = Study.read(list(logs), quiet=True)
    return observations.rows, table_of(observations.excluded, "what", "count")


def answers(observations):
    return dict(zip(observations["item"], observations["answer"], strict=True))


def test_a_retry_fills_what_had_errored_and_its_copies_count_once():
    first = a_log([a_sample("i1", ended=1), a_sample("i2", ended=1, error="no line")])
    retry = a_log([a_sample("i1", ended=1), a_sample("i2", ended=5)], made=4)
    observations, told = read(first, retry)
    assert sorted(observations["item"]) == ["i1", "i2"]
    assert told == [("superseded", 2)]


def test_a_later_failed_attempt_counts_and_the_lost_score_is_reported():
    first = a_log([a_sample(ended=1)])
    retry = a_log([a_sample(ended=2, error="no line")])
    observations = Study.read([first, retry], quiet=True)
    assert observations.rows.empty
    assert ("errored", 1, "no line (an earlier attempt was scored)") in table_of(
        observations.excluded, "what", "count", "why"
    )


def test_a_rescored_log_counts_instead_of_its_original(tmp_path):
    import os

    again = written(a_log([a_sample(score=a_score(answer="again"))]), tmp_path, "a-scored.eval")
    once = written(a_log([a_sample(score=a_score(answer="once"))]), tmp_path, "a.eval")
    os.utime(again, (1_000, 1_000))
    os.utime(once, (2_000, 2_000))
    assert answers(read(tmp_path)[0]) == {"i1": "again"}


def test_a_killed_run_keeps_its_samples_and_reports_missing_ones(tmp_path):
    planned = ["i1/with_gold/0", "i2/with_gold/0", "i3/with_gold/0"]
    log = a_log([a_sample("i1")], status="started", planned=planned, epochs=2)
    path = killed(written(log, tmp_path))
    observations, told = read(path)
    assert list(observations["item"]) == ["i1"]
    assert told == [("not run", 5)]
    [why] = Study.read(path, quiet=True).excluded["why"]
    assert why == "the run was killed, or is not finished"


asking = st.tuples(
    st.sampled_from(["i1", "i2"]), st.integers(1, 2), st.integers(0, 59), st.booleans()
)


@pytest.mark.whole
@settings(max_examples=times(25), deadline=None)
@given(st.lists(asking, min_size=1, max_size=12, unique_by=lambda a: (a[0], a[1], a[2])))
def test_each_sample_counts_once_with_its_last_attempt(askings):
    logs = [
        a_log(
            [
                a_sample(
                    item, epoch=epoch, ended=ended, error="no line" if failed else None,
                    score=a_score(answer=str(ended)),
                )
            ],
            epochs=2,
            planned=[f"{item}/with_gold/0"],
        )
        for item, epoch, ended, failed in askings
    ]  # fmt: skip
    observations = Study.read(logs, quiet=True)
    last = {}
    for item, epoch, ended, failed in sorted(askings, key=lambda a: a[2]):
        last[(item, epoch)] = None if failed else str(ended)
    expected = {key: ended for key, ended in last.items() if ended is not None}
    found = zip(
        observations.rows["item"],
        observations.rows["epoch"],
        observations.rows["answer"],
        strict=True,
    )
    assert {(item, epoch): answer for item, epoch, answer in found} == expected
    assert len(observations.rows) == len(expected)
