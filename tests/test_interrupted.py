"""A command killed at work leaves the old file or none, and a rerun completes.

The kill is SIGKILL at the worst moments: half of a file is on the disk, all of it is and it has
not got its name yet, or a model is being asked. Where others write the file (pandas, Arrow), the
kernel ends the process within their write.
"""

import json
import signal

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from askew.analysis import left_out, read_observations
from askew.papers import asked_for
from askew.scoring.judge import judge_cases
from tests.forks import ALL_TASKS, EPOCHS
from tests.logs.made_logs import a_log, a_sample, a_score, written

pytestmark = pytest.mark.whole

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
BOATS = b'{"id": "q1"}\n' * 2_000
OLD = "what was there before"
POLICY = """\
version: 1
rules:
  - name: any
    metric: omni_accuracy
    subset: mctest
    min: 0.0
    min_items: 1
"""


class Commands:
    """Runs askew's commands in a folder of its own, to the end or to a moment."""

    def __init__(self, forks, folder):
        self.forks, self.folder = forks, folder
        self.mirror = ""

    def __call__(self, *arguments, moment="", program="askew"):
        (self.folder / "output.txt").unlink(missing_ok=True)
        started = self.forks.start(
            [program, *arguments], self.folder, moment=moment, mirror=self.mirror
        )
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


def replies(folder):
    """Two models' replies, as `askew score-replies` takes them."""
    path = folder / "replies.jsonl"
    lines = [
        {"task": "gsm8k", "model": model, "prompting": "zs", "item": item, "format": fmt,
         "target": "12", "completion": "**12**"}
        for model in ("lab/one", "lab/two")
        for item in range(8)
        for fmt in ("bolding", "quoting")
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def scored(folder):
    (folder / "scored").mkdir()
    from askew.logs.replay import score_replies

    score_replies(replies(folder), log_dir=folder / "scored")
    return folder / "scored"


def word_of(name):
    return name.partition(" ")[0]


def arguments_of(name, logs, folder):
    """A command's arguments and the file that it writes."""
    word = word_of(name)
    target = folder / f"out{name.removeprefix(word).strip()}"
    if word == "report":
        return ["report", logs, "-o", target, "--quiet"], target
    if word == "export":
        return ["export", logs, "-o", target, "--quiet"], target
    if word == "compare":
        return ["compare", logs, "--baseline", "lab/one", "-o", target, "--quiet"], target
    if word == "calibrate":
        small = ["--task", "knowno", "--respondent", "oracle", "--items", 12, "--repetitions", 2]
        return ["calibrate", *small, "-o", target, "--quiet"], target
    if word == "finetune":
        given = ["--from", scored(folder), "--model", "lab/one", "--n", 20]
        return ["data", "finetune", *given, "-o", target], target
    policy = folder / "policy.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    return ["gate", logs, "--policy", policy, "--junit", target, "--quiet"], target


FILES = [
    *(f"report {suffix}" for suffix in (".html", ".md", ".json", ".csv")),
    *(f"compare {suffix}" for suffix in (".html", ".md", ".json", ".csv")),
    *("gate .xml", "calibrate .json", "finetune .jsonl", "export .csv", "export .parquet"),
]


@pytest.mark.parametrize("name", FILES)
def test_a_killed_command_leaves_the_old_file_and_a_rerun_replaces_it(
    name, logs, command, tmp_path
):
    arguments, target = arguments_of(name, logs, tmp_path)
    target.write_text(OLD, encoding="utf-8")
    moments = ["past 4 KB" if word_of(name) == "export" else "half written"]
    if name == "report .json" or word_of(name) == "export":
        moments.append("not yet named")
    for moment in moments:
        command.killed(*arguments, moment=moment)
        assert target.read_text(encoding="utf-8") == OLD
        (left,) = command.leftovers
        assert left.stat().st_size == 4096 or moment != "past 4 KB"
    command.done(*arguments)
    assert command.leftovers == []
    content = target.read_bytes()
    assert OLD.encode() not in content
    if target.suffix == ".json":
        json.loads(content)


def test_a_killed_report_leaves_no_file_where_there_was_none(logs, command, tmp_path):
    arguments, target = arguments_of("report .html", logs, tmp_path)
    command.killed(*arguments, moment="half written")
    assert not target.exists()


def test_killed_charts_are_whole_or_not_there_and_a_rerun_draws_all(logs, command, tmp_path):
    folder = tmp_path / "charts"
    export = ["export", logs, "--charts", folder, "--quiet"]
    command.killed(*export, moment="third half written")
    drawn = {path.name: path.read_bytes() for path in folder.glob("*.svg")}
    assert len(drawn) == 2
    assert len(command.leftovers) == 1
    command.done(*export)
    assert command.leftovers == []
    every = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(every) > 2
    assert drawn.items() <= every.items()
    assert all(content.endswith(b"</svg>") for content in every.values())


def answers_of(logs):
    """The answer of each sample that was scored; none counts twice."""
    observations = read_observations(logs, quiet=True)
    keys = observations[["task", "sample_id", "epoch"]].itertuples(index=False, name=None)
    answers = dict(zip(keys, observations["answer"].fillna(""), strict=True))
    assert len(answers) == len(observations)
    return answers, left_out(observations)


def killed_twice(folder, planned, kill, moments):
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


def test_an_eval_set_of_all_tasks_killed_twice_is_completed_and_counts_each_sample_once(
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

    before = killed_twice(folder, planned, kill, ("second turn", "judging"))
    command.done("report", folder, "-o", tmp_path / "between.json", "--quiet")
    command.done(folder, program="eval all tasks")
    completed(folder, planned, before)


SUMS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

@task
def sums():
    samples = [Sample(id=a, input=f"What is {a} + 5?", target=str(a + 5)) for a in range(6)]
    return Task(dataset=samples, solver=generate(), scorer=match(numeric=True))
"""


def test_an_eval_set_of_somebodys_task_under_bend_killed_twice_is_completed(command, tmp_path):
    (tmp_path / "sums.py").write_text(SUMS, encoding="utf-8")
    folder = tmp_path / "set"
    words = [
        "eval-set", "askew/bend", "-T", "task=sums.py", "-T", "treatments=reflection",
        "--model", "respondent/typical", "--log-dir", folder, "--max-samples", "2",
        "--log-buffer", "1",
    ]  # fmt: skip
    planned = {("bend", f"{a}/{arm}", 1) for a in range(6) for arm in ("plain", "reflection")}

    def kill(moment):
        command.killed(*words, moment=moment, program="inspect")

    before = killed_twice(folder, planned, kill, ("asking", "asking"))
    command.done(*words, program="inspect")
    completed(folder, planned, before)


def test_what_a_killed_report_left_in_a_log_folder_is_no_log(command, tmp_path):
    folder = tmp_path / "logs"
    written(a_log([a_sample("i1", hint) for hint in HINTS]), folder, "one.eval")
    arguments = ["report", folder, "-o", folder / "out.json", "--quiet"]
    command.killed(*arguments, moment="half written")
    assert len(command.leftovers) == 1
    observations = read_observations(folder, quiet=True)
    assert len(observations) == len(HINTS)
    assert len(observations.attrs["askew"]["logs"]) == 1


@pytest.mark.parametrize("moment", ["half logged", "not yet named"])
def test_killed_scoring_of_replies_leaves_no_log_and_a_rerun_scores_all(command, tmp_path, moment):
    arguments = ["score-replies", replies(tmp_path), "--log-dir", tmp_path / "logs"]
    command.killed(*arguments, moment=moment)
    assert len(command.leftovers) == 1
    assert list_eval_logs(str(tmp_path / "logs")) == []
    command.done(*arguments)
    assert command.leftovers == []
    observations = read_observations(tmp_path / "logs", quiet=True)
    assert observations.groupby("model").size().to_dict() == {"lab/one": 16, "lab/two": 16}
    # Once more, as after a kill between two models: nothing counts twice.
    command.done(*arguments)
    assert len(read_observations(tmp_path / "logs", quiet=True)) == 32


def test_a_killed_fetch_leaves_no_file_under_its_name_and_a_rerun_completes(command, tmp_path):
    (tmp_path / "mirror" / "knowno").mkdir(parents=True)
    (tmp_path / "mirror" / "knowno" / "boats.jsonl").write_bytes(BOATS)
    command.mirror = str(tmp_path / "mirror")
    cache = tmp_path / "cache"
    for moment in ("past 4 KB", "not yet named"):
        command.killed("data", "fetch", "knowno", moment=moment)
        assert not list(cache.rglob("boats.jsonl"))
        assert list(cache.rglob(".*.part"))
    command.done("data", "fetch", "knowno")
    (fetched,) = cache.rglob("boats.jsonl")
    assert fetched.read_bytes() == BOATS
    assert [p.name for p in fetched.parent.iterdir()] == ["boats.jsonl"], "no rest is left"


def test_a_killed_build_goes_on_where_it_stopped(command, tmp_path):
    (tmp_path / "mirror" / "knowno").mkdir(parents=True)
    (tmp_path / "mirror" / "knowno" / "boats.jsonl").write_bytes(BOATS)
    command.mirror = str(tmp_path / "mirror")
    folder = tmp_path / "built"
    build = [
        "data", "build", "binary_qa", "--model", "respondent/oracle",
        "--checker", "respondent/oracle", "--domains", "reading", "--items", 4,
        "--folder", folder, "--yes",
    ]  # fmt: skip
    for moment in ("asking", "half written"):
        command.killed(*build, moment=moment)
        assert not (folder / "review.csv").exists()
    command.done(*build)
    finish = [*build, "--finish", tmp_path / "mine.jsonl", "--trust-checks"]
    command.killed(*finish, moment="half written")
    assert not (tmp_path / "mine.jsonl").exists()
    command.done(*finish)
    assert len((tmp_path / "mine.jsonl").read_text(encoding="utf-8").splitlines()) == 4
    assert command.leftovers == []


def test_a_killed_judge_check_is_done_by_a_rerun_and_its_log_disturbs_no_report(
    command, logs, tmp_path
):
    folder = tmp_path / "logs"
    check = [
        "judge-check", "--grader", "respondent/oracle", "--task", "knowno", "--log-dir", folder,
    ]  # fmt: skip
    command.killed(*check, moment="asking")
    command.done(*check)
    assert f" {len(judge_cases('knowno'))} " in command.output
    headers = [read_eval_log(log, header_only=True) for log in list_eval_logs(str(folder))]
    assert sorted(h.status for h in headers) in (["started", "success"], ["success"])
    alone = len(read_observations(logs, quiet=True))
    assert len(read_observations([logs, folder], quiet=True)) == alone


@pytest.mark.parametrize(
    "arguments",
    [
        ["data", "template", "knowno"],
        ["data", "show", "knowno"],
        ["data", "verify", "knowno", "--data", "bundled"],
        ["data", "list"],
        ["plan", "--task", "knowno", "--models", "respondent/oracle"],
    ],
)
def test_commands_that_only_tell_write_no_file(command, tmp_path, arguments):
    command.done(*arguments)
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["output.txt"]
    assert command.output.strip()
