"""Logs that other processes read: a Dask cluster of two workers, and processes of this machine."""

import pytest
from click.testing import CliRunner
from pandas.testing import assert_frame_equal

from askew.analysis import read_observations
from askew.cli import main
from tests.logs.made_logs import a_log, a_sample, a_score, written

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for number in range(4):
        samples = [
            a_sample(f"i{n}", hint, score=a_score(float((n + number) % 2)))
            for n in range(24)
            for hint in HINTS
        ]
        written(a_log(samples, model=f"lab/{number}"), folder, f"{number}.eval")
    return str(folder)


@pytest.mark.whole
def test_rows_that_two_dask_workers_read_are_those_of_one_process(logs, tmp_path):
    distributed = pytest.importorskip("distributed", reason="askew[cluster] brings Dask")
    there = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None,
        silence_logs=50,
    )  # fmt: skip
    with there:
        with distributed.Client(there) as client:
            executor = client.get_executor(pure=False)
            apart = read_observations(logs, quiet=True, executor=executor)
        assert_frame_equal(apart, read_observations(logs, quiet=True), check_exact=True)
        address = ["--cluster", there.scheduler_address]
        told = [
            CliRunner().invoke(main, ["export", logs, "-o", str(tmp_path / f"{n}.csv"), *more])
            for n, more in enumerate(([], ["--workers", "2"], address))
        ]
    assert [done.exit_code for done in told] == [0, 0, 0], told
    one, *others = ((tmp_path / f"{n}.csv").read_text(encoding="utf-8") for n in range(3))
    assert others == [one, one]
