"""What several tests need: a quiet Inspect, runs in a temporary folder, the papers' real files."""

import os
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog

from askew.papers import get_paper
from askew.scoring.outcome import with_metrics
from tests.browsing import opened_browser
from tests.forks import Forks
from tests.repeated import THOROUGH, times

# A busy machine is slow to draw examples: that is no fault of what is tested. A change is judged
# by the same examples as the one before it; new ones are drawn where more are asked for.
drawn = {"derandomize": THOROUGH == 1, "max_examples": times(40), "deadline": None}
settings.register_profile("askew", **drawn, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("askew")

SHARED = Path(__file__).resolve().parents[1].parent / "shared"

# Commands, whole reports and comparisons, and golden files: more than a unit each.
_WHOLE = ("cli", "clients", "hostile", "golden", "report")
# What simulates whole runs, generates whole sets, or reads the papers' real files.
_WHOLE_FILES = (
    *("test_chapter.py", "test_pooling.py", "test_generator.py", "test_real_data.py"),
    *("test_difficulty.py", "test_generated.py"),
)
# Where workers share the files, the longest come first: no worker waits for another's last one.
_LONGEST = (
    *("test_contract.py", "test_audit_recipe.py", "test_readme.py", "test_report_of_all_tasks.py"),
    *("test_others.py", "test_control.py", "test_golden.py", "test_flow.py", "test_cluster.py"),
    *("test_calibrate.py", "test_replay.py"),
)


@cache
def _all_is_whole(file):
    inside = any(file.is_relative_to(Path(__file__).parent / part) for part in _WHOLE)
    return inside or file.name in _WHOLE_FILES


def _is_whole(item):
    return _all_is_whole(item.path) or bool({"run", "logs", "forks"} & set(item.fixturenames))


def pytest_ignore_collect(collection_path, config):
    """Files that hold nothing for the quick tier are not imported for it."""
    return ("not whole" in config.option.markexpr and _all_is_whole(collection_path)) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """What runs an eval, a command or a whole report is left out of the quick tier."""
    long = {i.path for i in items if i.parent and i.parent.get_closest_marker("whole")}
    for item in items:
        if _is_whole(item):
            item.add_marker(pytest.mark.whole)
    if hasattr(config, "workerinput"):
        first = {name: place for place, name in enumerate(_LONGEST)}
        items.sort(key=lambda i: (first.get(i.path.name, len(first)), i.path not in long))


@pytest.fixture(scope="session")
def _own_folders(tmp_path_factory):
    """For each test a folder's name that no other test has; whoever writes there makes it."""
    folder = tmp_path_factory.mktemp("own")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _no_network_settings(monkeypatch, _own_folders):
    """No test reads a user's cache or mirror, or writes logs into the project.

    What Inspect keeps for itself lies in a folder of these tests: it looks at each run through
    what killed ones left there, and finds those of these tests alone.
    """
    own = next(_own_folders)
    monkeypatch.setenv("XDG_DATA_HOME", str(own.parent / "data"))
    monkeypatch.setenv("ASKEW_CACHE", str(own / "cache"))
    monkeypatch.delenv("ASKEW_MIRROR", raising=False)
    monkeypatch.setenv("INSPECT_LOG_DIR", str(own / "logs"))
    monkeypatch.delenv("INSPECT_EVAL_MODEL", raising=False)


def show_all(task: Task) -> None:
    """Let Inspect show all metrics of a task, if it is of askew's."""
    told = task.metadata or {}
    if told.get("benchmark") == "askew" and task.scorer:
        home = get_paper(told["paper"]).part("scorer")
        shows = getattr(home, f"{told['paper']}_metrics")
        with_metrics(task.scorer[-1], shows("all", told["primary_metric"]))


@pytest.fixture
def run(tmp_path):
    """Run one task on one model, offline, and give its log."""

    def _run(task: Task | str, model: str = "respondent/oracle", **options) -> EvalLog:
        options.setdefault("log_dir", str(tmp_path / "logs"))
        if isinstance(task, Task):
            show_all(task)
        (log,) = eval(task, model=model, display="none", log_level="error", **options)
        return log

    return _run


@pytest.fixture(scope="session")
def forks(tmp_path_factory):
    """Does command lines as processes, without the seconds that their imports take."""
    own = tmp_path_factory.getbasetemp()
    started = Forks(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)
    yield started
    started.close()


@pytest.fixture(scope="module")
def browser():
    """A headless browser."""
    with opened_browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The papers' real files; tests that need them skip where they are absent."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the papers' real files are not beside the project (../shared/data)")
    return folder


def metric_values(log: EvalLog) -> dict[str, float]:
    """All metrics of a log's first scorer by name."""
    assert log.results is not None
    return {name: m.value for name, m in log.results.scores[0].metrics.items()}
