"""A Dask cluster of two processes and an object store, both on loopback; workers are killed."""

import os
import signal
import sys
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from askew.analysis import read_observations
from askew.papers.knowno.paper import CORE_HINTS
from askew.report.study import Study
from askew.statistics.tables import Interval
from tests.clients.wire import Said, wire
from tests.object_store import served_bucket

distributed = pytest.importorskip("distributed", reason="askew[cluster] brings Dask")
STATUS = Path("/proc/self/status")
pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parents[1]
FEW = Interval(resamples=100)
# Two items of KnowNo, each with every hint that is asked by default.
ASKED = 2 * len(CORE_HINTS)
# Logs that are read, and samples of each.
LOGS, SAMPLES = 6, 600


@pytest.fixture(scope="module")
def server():
    """A server of somebody's own that answers every question; a test may do more at one of them."""
    at = {}

    def reply(dialogue):
        asked.append(dialogue)
        at.pop(len(asked), lambda: None)()
        return Said("none of them")

    asked = []
    with wire(reply) as served:
        yield served, asked, at


@pytest.fixture(scope="module")
def cluster(server):
    with pytest.MonkeyPatch.context() as patched, served_bucket(patched) as settings:
        patched.setenv("MINE_BASE_URL", f"{server[0].address}/v1")
        patched.setenv("MINE_API_KEY", "not-a-key")
        there = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
            silence_logs=50,
        )  # fmt: skip
        with there, distributed.Client(there) as client:
            yield there, client, settings


@pytest.fixture(autouse=True)
def _same_store(cluster, monkeypatch):
    """What other tests' fixtures took away."""
    for name, value in cluster[2].items():
        monkeypatch.setenv(name, value)


def kill_one_at_work(client):
    """End a worker's process as a machine that fails does; one with work to do."""
    working = [address for address, tasks in client.processing().items() if tasks]
    pids = client.run(os.getpid)
    os.kill(pids[working[0]], signal.SIGKILL)


@pytest.fixture(scope="module")
def logs(cluster, tmp_path_factory):
    """Logs of two models in the bucket."""
    import boto3

    sys.path.insert(0, str(ROOT / "benchmarks"))
    from bench.made_logs import LogMaker

    maker, folder = LogMaker("knowno"), tmp_path_factory.mktemp("made")
    for number in range(LOGS):
        # One simulated model says what is in all of them; two models have three logs each.
        path = maker.write(folder, f"lab/model-{number % 2}", SAMPLES, 3 * number, part=number // 2)
        boto3.client("s3").upload_file(str(path), "bucket", f"read/{path.name}")
    return "s3://bucket/read"


@pytest.fixture(scope="module")
def here(logs):
    """What one process reads."""
    return Study.read(logs, quiet=True)


def peak():
    """The most memory that this program had, in MB: `getrusage` begins with its parent's."""
    said = STATUS.read_text(encoding="utf-8")
    return int(said.partition("VmHWM:")[2].split()[0]) / 1024


def test_a_cluster_reads_as_one_process_does(cluster, logs, here):
    executor = cluster[1].get_executor(pure=False)
    apart = Study.read(logs, quiet=True, executor=executor)
    assert_frame_equal(apart.rows, here.rows, check_exact=True)
    assert apart.runs == here.runs
    assert apart.rows["model"].nunique() == 2


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells a program's own memory")
def test_a_worker_keeps_no_more_memory_however_many_logs_it_reads(cluster, logs):
    client = cluster[1]
    executor = client.get_executor(pure=False)
    read_observations(logs, quiet=True, executor=executor)
    before = client.run(peak)
    for _ in range(2):
        read_observations(logs, quiet=True, executor=executor)
    after = client.run(peak)
    # Thousands of samples more, and no tenth of the memory.
    assert all(after[address] < 1.1 * before[address] for address in before)


def test_a_worker_killed_while_it_reads_loses_nothing(cluster, logs, here):
    _, client, _ = cluster
    killed = []

    def progress(done, total, name):
        if not killed and done < total:
            kill_one_at_work(client)
            killed.append(done)

    executor = client.get_executor(pure=False)
    apart = Study.read(logs, executor=executor, progress=progress)
    assert killed
    assert_frame_equal(apart.rows, here.rows, check_exact=True)
    client.wait_for_workers(2)
