"""A command killed at work leaves the old file or none, and a rerun completes.

The kill is SIGKILL at the worst moments: half of a file is on the disk, or all of it is and it has
not got its name yet. Where others write the file (pandas, Arrow), the
kernel ends the process within their write.
"""

import os
import signal

import pytest

from tests.logs.made_logs import a_log, a_sample, a_score, written

pytestmark = pytest.mark.whole

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
OLD = "what was there before"


class Commands:
    """Runs askew's commands in a folder of its own, to the end or to a moment."""

    def __init__(self, forks, folder):
        self.forks, self.folder = forks, folder

    def __call__(self, *arguments, moment="", program="askew"):
        (self.folder / "output.txt").unlink(missing_ok=True)
        started = self.forks.start([program, *arguments], self.folder, moment=moment)
        return self.forks.ended(started)

    def killed(self, *arguments, **how):
        by = signal.SIGXFSZ if how["moment"] == "past 4 KB" else signal.SIGKILL
        assert self(*arguments, **how) == -by, self.output

    def done(self, *arguments, **how):
        assert self(*arguments, **how) == 0, self.output

    @property
    def output(self):
        return (self.folder / "output.txt").read_text(encoding="utf-8", errors="replace")

    @property
    def leftovers(self):
        return list(self.folder.rglob(".*.part"))


@pytest.fixture
def command(forks, tmp_path):
    return Commands(forks, tmp_path)


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Two models' small logs of two tasks."""
    folder = tmp_path_factory.mktemp("logs")
    for model, right in (("lab/one", 1.0), ("lab/two", 0.0)):
        samples = [
            a_sample(f"i{n}", hint, score=a_score(right if n % 2 else 1.0))
            for n in range(6)
            for hint in HINTS
        ]
        written(a_log(samples, model=model), folder, f"{model[4:]}.eval")
    return folder


# A file that askew writes, and one that Arrow writes.
FILES = {"report": ("out.html", "half written"), "export": ("out.parquet", "past 4 KB")}


@pytest.mark.parametrize("word", FILES)
def test_a_killed_command_leaves_the_old_file_and_a_rerun_replaces_it(
    word, logs, command, tmp_path
):
    name, moment = FILES[word]
    target = tmp_path / name
    target.write_text(OLD, encoding="utf-8")
    arguments = [word, logs, "-o", target, "--quiet"]
    for dies in (moment, "not yet named"):
        command.killed(*arguments, moment=dies)
        assert target.read_text(encoding="utf-8") == OLD
        (left,) = command.leftovers
        assert left.stat().st_size == 4096 or dies != "past 4 KB"
        os.utime(left, (0, 0))  # what was left an hour ago is nobody's
    command.done(*arguments)
    assert command.leftovers == []
    assert OLD.encode() not in target.read_bytes()
