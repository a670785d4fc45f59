"""A command killed while it writes leaves the old file or none, and a rerun completes.

The kill is SIGKILL at the two worst moments: half of the passing file is written, or all of it
and it has not got its name yet.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from askew.data.sources import git_blob_id
from tests.analysis.made_logs import a_log, a_sample, a_score, written

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
BODY = b'{"id": "q1"}\n' * 2_000

# What runs in the command's process before the command: it kills itself at that moment.
_HALF_WRITTEN = """
def die_half_written(path, data):
    with open(path, "wb") as file:
        file.write(bytes(data)[: len(data) // 2])
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
pathlib.Path.write_bytes = die_half_written
"""
_NOT_YET_NAMED = """
def die_unnamed(source, target, **more):
    os.kill(os.getpid(), signal.SIGKILL)
os.replace = die_unnamed
"""
_START = """
import os, pathlib, signal, sys
{moment}
{setting}
from askew.cli import main
main(sys.argv[1:])
"""
MOMENTS = {"half written": _HALF_WRITTEN, "not yet named": _NOT_YET_NAMED}


def askew(*arguments, moment="", setting="", cwd=None):
    code = _START.format(moment=moment, setting=setting)
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for model, right in (("lab/one", 1.0), ("lab/two", 0.0)):
        samples = [
            a_sample(f"i{n}", hint, score=a_score(right if n % 2 else 1.0))
            for n in range(6)
            for hint in HINTS
        ]
        written(a_log(samples, model=model), folder, f"{model[4:]}.eval")
    return folder


POLICY = """\
version: 1
rules:
  - name: any
    metric: omni_accuracy
    min: 0.0
"""


def command_of(name, logs, folder):
    """A command's arguments and the file that it writes."""
    command, _, suffix = name.partition(" ")
    target = folder / f"out{suffix}"
    if command == "report":
        return ["report", logs, "-o", target, "--quiet"], target
    if command == "compare":
        return ["compare", logs, "--baseline", "lab/one", "-o", target, "--quiet"], target
    policy = folder / "policy.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    return ["gate", logs, "--policy", policy, "--junit", target, "--quiet"], target


# Every command once, and the other moment for one: they share what writes their files.
CASES = [
    *(("report .html", "half written"), ("report .csv", "half written")),
    *(("compare .json", "half written"), ("gate .xml", "half written")),
    ("report .json", "not yet named"),
]


@pytest.mark.parametrize(("name", "moment"), CASES)
def test_a_killed_command_leaves_the_old_file_and_a_rerun_replaces_it(name, moment, logs, tmp_path):
    arguments, target = command_of(name, logs, tmp_path)
    target.write_text("what was there before", encoding="utf-8")
    killed = askew(*arguments, moment=MOMENTS[moment])
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert target.read_text(encoding="utf-8") == "what was there before"
    visible = {p.name for p in tmp_path.iterdir() if not p.name.startswith(".")}
    assert visible <= {target.name, "policy.yaml"}

    done = askew(*arguments)
    assert done.returncode == 0, done.stderr
    text = target.read_text(encoding="utf-8")
    assert text != "what was there before"
    if target.suffix == ".json":
        json.loads(text)


def test_a_killed_report_leaves_no_file_where_there_was_none(logs, tmp_path):
    arguments, target = command_of("report .html", logs, tmp_path)
    askew(*arguments, moment=_HALF_WRITTEN)
    assert not target.exists()


def test_a_killed_fetch_leaves_no_file_under_its_name_and_a_rerun_completes(tmp_path):
    cache, mirror = tmp_path / "cache", tmp_path / "mirror"
    (mirror / "knowno").mkdir(parents=True)
    (mirror / "knowno" / "boats.jsonl").write_bytes(BODY)
    setting = f"""
os.environ["ASKEW_CACHE"], os.environ["ASKEW_MIRROR"] = {str(cache)!r}, {str(mirror)!r}
from askew.data import sources
boats = sources.Source("knowno/boats.jsonl", "o/r", "c" * 40, "boats.jsonl",
                       {git_blob_id(BODY)!r}, "MIT")
sources.for_task = lambda task: (boats,)
"""
    killed = askew("data", "fetch", "knowno", moment=_NOT_YET_NAMED, setting=setting)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not list(cache.rglob("boats.jsonl"))
    done = askew("data", "fetch", "knowno", setting=setting)
    assert done.returncode == 0, done.stderr
    (fetched,) = cache.rglob("boats.jsonl")
    assert fetched.read_bytes() == BODY
    assert [p.name for p in fetched.parent.iterdir()] == ["boats.jsonl"], "no rest is left"


def test_no_command_writes_results_by_another_way():
    """What is not written whole and renamed would be half-written after a kill."""
    source = Path(sys.modules["askew.data.sources"].__file__).parents[1]
    allowed = {"whole_files.py", "export.py", "cache.py"}
    writers = [
        path.name
        for room in ("cli", "analysis")
        for path in (source / room).rglob("*.py")
        if path.name not in allowed and (".write_text(" in path.read_text(encoding="utf-8"))
    ]
    assert writers == []
