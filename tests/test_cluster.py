"""A Dask cluster of two processes and an object store, both on loopback; workers are killed."""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai.log import list_eval_logs, read_eval_log
from pandas.testing import assert_frame_equal

from askew.analysis import read_observations, summarize
from askew.audit import workers
from askew.cli import main
from askew.papers.knowno.paper import CORE_HINTS
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
    return read_observations(logs, quiet=True)


def peak():
    """The most memory that this program had, in MB: `getrusage` begins with its parent's."""
    said = STATUS.read_text(encoding="utf-8")
    return int(said.partition("VmHWM:")[2].split()[0]) / 1024


def test_a_cluster_reads_and_summarises_as_one_process_does(cluster, logs, here):
    executor = cluster[1].get_executor(pure=False)
    apart = read_observations(logs, quiet=True, executor=executor)
    assert_frame_equal(apart, here, check_exact=True)
    assert apart.attrs == here.attrs
    assert apart["model"].nunique() == 2
    numbers = summarize(apart, FEW, executor=executor)
    assert_frame_equal(numbers, summarize(here, FEW), check_exact=True)


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
    apart = read_observations(logs, executor=executor, progress=progress)
    assert killed
    assert_frame_equal(apart, here, check_exact=True)
    client.wait_for_workers(2)


AUDIT = """
version: 1
models: [openai-api/mine/one]
tasks:
  - {task: knowno, subsets: [mctest], parameters: {items: 2}}
connections: {openai-api: 1}
policy: POLICY
"""
POLICY = """
version: 1
allow_simulated: true
rules: [{metric: omni_accuracy, task: knowno, subset: mctest, min: 0.01, min_items: 1}]
"""


@pytest.fixture(scope="module")
def audit_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    text = AUDIT.replace("POLICY", str(folder / "policy.yaml"))
    (folder / "audit.yaml").write_text(text, encoding="utf-8")
    return folder / "audit.yaml"


def test_a_worker_killed_in_the_middle_of_an_eval_loses_nothing_and_doubles_nothing(
    cluster, server, audit_file, tmp_path
):
    there, client, _ = cluster
    _, asked, at = server
    at[len(asked) + 3] = lambda: kill_the_worker_that_asks(client)
    report = tmp_path / "report.json"
    done = CliRunner().invoke(
        main,
        [
            *("audit", str(audit_file), "--cluster", there.scheduler_address),
            *("--log-dir", "s3://bucket/audit", "-o", str(report)),
        ],
    )
    assert done.exit_code in (0, 1, 2), done.output
    assert "1 of 1" in done.stderr, done.output
    assert "FAILED" not in done.stderr
    begun = [line for line in done.stderr.splitlines() if line.startswith("begun")]
    assert [line.partition(",")[0] for line in begun] == ["begun", "begun again"]
    assert not at, "no worker was killed"
    # Asked again is what no log held when the worker was killed.
    assert ASKED <= len(asked) <= ASKED + 3
    observations = read_observations("s3://bucket/audit", quiet=True)
    counts = observations.groupby("model").size()
    assert counts.to_dict() == {"openai-api/mine/one": ASKED}
    assert not observations.duplicated(["model", "sample_id", "epoch"]).any()
    told = json.loads(report.read_text("utf-8"))
    assert {run["scored"] for run in told["runs"]} == {ASKED}
    statuses = [read_eval_log(log, header_only=True) for log in list_eval_logs("s3://bucket/audit")]
    assert sum(log.status == "success" for log in statuses) == 1


def kill_the_worker_that_asks(client):
    """Of two workers, the one whose child asks the server."""
    working = [address for address, tasks in client.processing().items() if tasks]
    for address, children in client.run(asking_children, workers=working).items():
        if children:
            os.kill(client.run(os.getpid, workers=[address])[address], signal.SIGKILL)
            # Answered before it is gone, it would ask on.
            for _ in range(600):
                if not any(map(is_running, children)):
                    break
                time.sleep(0.1)
            return
    raise AssertionError("no worker asks")


def is_running(pid):
    import psutil

    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def asking_children():
    """The processes of this worker that ask the server of the test, by Linux's own list."""
    import psutil

    return [c.pid for c in psutil.Process().children() if "askew.audit.asking" in c.cmdline()]


@pytest.fixture
def ask_there(cluster, audit_file, forks, tmp_path):
    """Asks on the cluster into a folder of the bucket: here, or in a process of its own."""

    def _ask(folder, *, apart=False):
        address = cluster[0].scheduler_address
        words = [
            "audit",
            str(audit_file),
            "--cluster",
            address,
            "--log-dir",
            f"s3://bucket/{folder}",
        ]
        if apart:
            return forks.start(["askew", *words], tmp_path)
        return CliRunner().invoke(main, words)

    return _ask


@pytest.fixture
def stop(cluster):
    """Ends a command in the middle of an answer, which comes once nobody waits for it."""
    nobody_asks = threading.Event()

    def _stop(process, how):
        os.kill(process, how)
        for _ in range(300):
            if not any(cluster[1].run(asking_children).values()):
                nobody_asks.set()
                return
            time.sleep(0.1)

    _stop.nobody_asks = nobody_asks
    return _stop


def whole_and_single(folder):
    observations = read_observations(f"s3://bucket/{folder}", quiet=True)
    assert len(observations) == ASKED
    assert not observations.duplicated(["model", "sample_id", "epoch"]).any()


def test_what_an_interrupted_command_had_begun_ends_on_the_worker(server, ask_there, stop):
    _, asked, at = server
    before = len(asked)
    at[before + 3] = lambda: stop(os.getpid(), signal.SIGINT)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = ask_there("interrupted")
    finally:
        signal.signal(signal.SIGINT, handler)
    assert done.exit_code == 1
    assert stop.nobody_asks.wait(60)
    assert len(asked) == before + 3
    assert "1 of 1" in ask_there("interrupted").stderr
    assert len(asked) <= before + ASKED + 3
    whole_and_single("interrupted")


def test_what_a_killed_command_had_begun_ends_on_the_worker(server, ask_there, stop, forks):
    _, asked, at = server
    before, begun = len(asked), []
    at[before + 3] = lambda: stop(*begun, signal.SIGKILL)
    begun.append(ask_there("killed", apart=True))
    assert forks.ended(*begun) == -signal.SIGKILL
    assert stop.nobody_asks.wait(60)
    assert "1 of 1" in ask_there("killed").stderr
    assert len(asked) <= before + ASKED + 3
    whole_and_single("killed")


def test_two_commands_do_not_ask_one_part(server, ask_there, forks, monkeypatch):
    _, asked, at = server
    before, reached, answer = len(asked), threading.Event(), threading.Event()
    at[before + 3] = lambda: (reached.set(), answer.wait(60))
    monkeypatch.setattr(workers, "_PATIENCE", 0.1)
    begun = ask_there("twice", apart=True)
    assert reached.wait(120)
    second = ask_there("twice")
    answer.set()
    assert second.exit_code == 2
    assert "another command asks this part" in second.stderr
    assert forks.ended(begun) in (0, 1, 2)
    assert len(asked) == before + ASKED
    whole_and_single("twice")


def test_the_same_audit_on_one_machine_is_the_same_numbers(cluster, server, audit_file, tmp_path):
    _, asked, _ = server
    before = len(asked)
    done = CliRunner().invoke(
        main, ["audit", str(audit_file), "--log-dir", str(tmp_path), "--quiet", "--workers", "2"]
    )
    assert "omni" not in done.stderr
    assert len(asked) == before + ASKED
    here = summarize(read_observations(str(tmp_path), quiet=True), FEW)
    there = summarize(read_observations("s3://bucket/audit", quiet=True), FEW)
    assert_frame_equal(here, there, check_exact=True)
