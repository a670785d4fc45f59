"""Work done elsewhere: what comes of it is what one process makes, to the last digit."""

import pickle
import re
import sys
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool

import pytest
from click.testing import CliRunner
from pandas.testing import assert_frame_equal

from askew import executors
from askew.analysis import read_observations
from askew.cli import main
from askew.executors import WorkerError, cores, each, processes, worth
from askew.logs.locations import find_logs
from askew.logs.read import read_log
from askew.report.study import Study
from tests.elsewhere import Elsewhere
from tests.logs.made_logs import a_log, a_sample, written

PROMPT = "a prompt that stays where it is"


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Logs of two runs and a retry, with what is odd in rows, and two that give none."""
    folder = tmp_path_factory.mktemp("logs")
    rows = [
        [a_sample("i1"), a_sample("i2", error="gone"), a_sample("i3", note=1)],
        [a_sample("i1", ended=1, note="one"), a_sample("i2", ended=2, note=None)],
        [a_sample("i4", note=2**70, extra=[1, {"a": None}]), a_sample("i5", other=True)],
        [a_sample("i6", other=1.5), a_sample("i7", note="half \ud800", system_prompt=PROMPT)],
    ]
    for number, samples in enumerate(rows):
        model = "openai/gpt-5" if number < 2 else "lab/other"
        name = f"2026-03-01T12-0{number}-00+00-00_knowno_{number}.eval"
        written(a_log(samples, model=model), folder, name)
    (folder / "2026-03-01T12-09-00+00-00_broken.eval").write_bytes(b"no log")
    return folder


def test_logs_that_others_read_are_the_same_observations_in_the_same_types(logs):
    here, there = Study.read(logs, quiet=True), Elsewhere()
    apart = Study.read(logs, quiet=True, executor=there)
    assert len(here.rows) > 5
    assert_frame_equal(apart.rows, here.rows, check_exact=True)
    assert_frame_equal(apart.excluded, here.excluded)
    assert apart.runs == here.runs
    assert len(there.calls) == 5  # one log a call, the broken one too


def test_progress_names_each_log_as_it_is_read(logs):
    heard = []
    read_observations(logs, executor=Elsewhere(), progress=lambda *told: heard.append(told))
    assert [told[:2] for told in heard] == [(n, 5) for n in range(1, 6)]


def test_a_log_in_memory_is_read_where_it_is(logs):
    kept, there = a_log([a_sample("i9")]), Elsewhere()
    here = Study.read([kept], quiet=True)
    assert_frame_equal(read_observations([kept], quiet=True, executor=there), here.rows)
    assert there.calls == []


def test_prompts_and_replies_stay_where_they_are(logs):
    sent = b"".join(pickle.dumps(read_log(found)) for found in find_logs(logs))
    assert PROMPT.encode() not in sent
    assert b"which?" not in sent
    assert b"i1/with_gold/0" in sent or len(sent) > 1_000


def double(number):
    if number < 0:
        raise ValueError("below 0")
    return 2 * number


@pytest.mark.parametrize("executor", [None, Elsewhere()])
def test_results_come_in_the_order_of_the_parts_and_errors_as_they_are(executor):
    heard = []
    assert each(double, ((n,) for n in range(5)), executor, heard.append) == [0, 2, 4, 6, 8]
    assert sorted(heard) == [0, 1, 2, 3, 4]
    assert each(double, [], executor) == []
    with pytest.raises(ValueError, match="below 0"):
        each(double, [(1,), (-1,)], executor)


class Broken(Executor):
    """Loses every call, or can't take any."""

    def __init__(self, how, takes=True):
        self.how, self.takes = how, takes

    def submit(self, fn, /, *args, **kwargs):
        if not self.takes:
            raise self.how
        lost = Future()
        lost.set_exception(self.how)
        return lost


def test_a_process_that_was_killed_is_one_message():
    with pytest.raises(WorkerError, match="killed, or out of memory"):
        each(double, [(1,)], Broken(BrokenProcessPool("a process was terminated")))


def test_a_cluster_that_is_lost_is_one_message():
    distributed = pytest.importorskip("distributed", reason="askew[cluster] brings Dask")
    killed = distributed.KilledWorker("double-1", None, 3)
    with pytest.raises(WorkerError, match="worker after worker: were they killed"):
        each(double, [(1,)], Broken(killed))
    with pytest.raises(WorkerError, match="scheduler ended, or the connection to it was lost"):
        each(double, [(1,)], Broken(CancelledError()))
    closed = distributed.client.ClosedClientError("Client is closed.")
    with pytest.raises(WorkerError, match="scheduler ended, or the connection to it was lost"):
        each(double, [(1,)], Broken(closed, takes=False))


def test_small_logs_are_read_by_one_process_and_large_ones_by_no_more_than_there_are():
    assert worth([5_000] * 20) == 1
    assert worth([]) == 1
    assert worth([10**9]) == 1
    assert worth([10**9] * 100) == cores() >= 1


def test_one_process_starts_none():
    with processes(1) as pool:
        assert pool is None


@pytest.mark.whole
def test_the_command_line_takes_processes_and_says_the_same(logs, tmp_path):
    for name, more in (("here", []), ("there", ["--workers", "2"])):
        target = str(tmp_path / f"{name}.csv")
        done = CliRunner().invoke(main, ["export", str(logs), "-o", target, "--quiet", *more])
        assert done.exit_code == 0, done.output
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()


def test_a_cluster_and_workers_here_are_not_asked_for_together(logs):
    both = ["--workers", "2", "--cluster", "tcp://127.0.0.1:1"]
    done = CliRunner().invoke(main, ["export", str(logs), "-o", "x.csv", *both])
    assert done.exit_code == 2
    assert "give one" in done.output


@pytest.mark.whole
def test_a_cluster_that_is_not_there_is_one_message(logs, monkeypatch):
    pytest.importorskip("distributed", reason="askew[cluster] brings Dask")
    with (
        pytest.raises(WorkerError, match="no scheduler answers there"),
        executors.cluster("tcp://127.0.0.1:1", patience=0.2),
    ):
        pass


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "give a protocol, a host and a port"),
        ("10.0.0.1", "give a protocol, a host and a port"),
        ("/tmp/scheduler.json", "give a protocol, a host and a port"),
        ("tcp://10.0.0.1:port", "'port'"),
        ("http://10.0.0.1:8786", "unknown address scheme 'http'"),
        ("tls://10.0.0.1:8786", "TLS needs certificates"),
    ],
)
def test_an_address_of_no_scheduler_is_one_message_and_no_client_is_made(
    monkeypatch, address, said
):
    distributed = pytest.importorskip("distributed", reason="askew[cluster] brings Dask")
    made = []
    monkeypatch.setattr(distributed, "Client", lambda *given, **more: made.append(given))
    with pytest.raises(WorkerError) as told, executors.cluster(address):
        pass
    assert said in str(told.value)
    assert "\n" not in str(told.value)
    assert made == []


def test_a_cluster_needs_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(WorkerError, match=re.escape("pip install 'askew[cluster]'")),
        executors.cluster("tcp://10.0.0.1:8786"),
    ):
        pass
