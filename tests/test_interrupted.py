"""A command killed at work leaves the old file or none, and a rerun completes.

The kill is SIGKILL at the worst moments: half of a file is on the disk, all of it is and it has
not got its name yet, or a model is being asked. Where others write the file (pandas, Arrow), the
kernel ends the process within their write.
"""

import signal

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from askew.papers import asked_for
from askew.report.study import Study
from tests.forks import ALL_TASKS, EPOCHS
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
    command.done(*arguments)
    assert command.leftovers == []
    assert OLD.encode() not in target.read_bytes()


def answers_of(logs):
    """The answer of each sample that was scored; none counts twice."""
    observations = Study.read(logs, quiet=True)
    keys = observations.rows[["task", "sample_id", "epoch"]].itertuples(index=False, name=None)
    answers = dict(zip(keys, observations.rows["answer"].fillna(""), strict=True))
    assert len(answers) == len(observations.rows)
    return answers, observations.excluded


def killed_at(folder, planned, kill, moments):
    """An eval-set is killed and started again: what was done stays so, with the same answer."""
    before = {}
    for moment in moments:
        kill(moment)
        answers, told = answers_of(folder)
        assert len(before) < len(answers) < len(planned)
        assert before.items() <= answers.items()
        assert set(answers) < planned
        # Inspect recovers from its own buffer what was being asked, as samples with an error.
        missing = told[told["what"].isin(["never asked", "errored"])]["count"].sum()
        assert missing == len(planned) - len(answers)
        before = answers
    return before


def completed(folder, planned, before):
    """Every sample is there once, those of before with their answers; the finished logs say it."""
    answers, told = answers_of(folder)
    assert set(answers) == planned
    assert before.items() <= answers.items()
    assert set(told["what"]) == {"superseded"}
    finished = [
        log for log in list_eval_logs(str(folder))
        if read_eval_log(log, header_only=True).status == "success"
    ]  # fmt: skip
    assert len(finished) == len({task for task, _, _ in planned})
    assert answers_of(finished)[0] == answers


def test_an_eval_set_of_all_tasks_killed_is_completed_and_counts_each_sample_once(
    command, tmp_path
):
    folder = tmp_path / "set"
    planned = {
        (name, str(sample.id), epoch)
        for name, given in ALL_TASKS.items()
        for sample in asked_for(name).make(**given).dataset
        for epoch in range(1, EPOCHS + 1)
    }

    def kill(moment):
        command.killed(folder, moment=moment, program="eval all tasks")

    before = killed_at(folder, planned, kill, ("judging",))
    command.done("report", folder, "-o", tmp_path / "between.json", "--quiet")
    command.done(folder, program="eval all tasks")
    completed(folder, planned, before)
