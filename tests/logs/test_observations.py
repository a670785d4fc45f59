"""From runs to observations: the same numbers as in the task, by every way of running it."""

from statistics import fmean

import pytest
from inspect_ai import eval_retry, score
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import match
from inspect_ai.solver import solver

from askew import metrics
from askew.analysis import read_observations
from askew.papers.knowno.paper import CORE_HINTS
from askew.papers.knowno.scorer import knowno_scorer
from askew.papers.knowno.tasks import knowno
from askew.report.study import Study
from askew.respondents.provider import Respondent
from tests.conftest import metric_values
from tests.logs.made_logs import table_of

pytestmark = pytest.mark.whole

ITEMS = 6
ASKED = ITEMS * len(CORE_HINTS)
WITHOUT = ("hint_as_option", "hint_in_instruction", "no_hint")


def by_table(observations):
    """OmniAccuracy of each subset, and of all, by the metric table."""
    table = metrics.knowno(observations, by=(), interval=None)
    rows = table[table["metric"] == "omni_accuracy"]
    return dict(zip(rows["subset"], rows["value"], strict=True))


def by_hand(path):
    """The same from the log's full samples, by the paper's formula and nothing of ours."""
    groups = {}
    for sample in read_eval_log(path).samples:
        if not sample.error:
            key = (sample.metadata["subset"], sample.metadata["item"], sample.epoch)
            value = sample.scores["knowno_scorer"].value["correct"]
            groups.setdefault(key, {})[sample.metadata["hint"]] = value
    core = {"with_gold", *WITHOUT}
    whole = {key: hints for key, hints in groups.items() if core <= set(hints)}
    omni = {}
    for subset in dict.fromkeys(key[0] for key in groups):
        mine = [hints for key, hints in whole.items() if key[0] == subset]
        without = fmean(fmean(h[hint] for h in mine) for hint in WITHOUT)
        omni[subset] = (fmean(h["with_gold"] for h in mine) + without) / 2
    return {**omni, "all": fmean(omni.values())}


def by_task(log):
    values = metric_values(log)
    subsets = {n.removesuffix("_omni_accuracy"): v for n, v in values.items() if "_omni" in n}
    return {**subsets, "all": values["omni_accuracy"]}


def assert_same_numbers(log):
    expected = pytest.approx(by_hand(log.location))
    assert by_task(log) == expected
    assert by_table(read_observations(log.location, quiet=True)) == expected


@pytest.fixture
def tenth_errs(monkeypatch):
    """Every tenth sample that is asked ends in an error, until the fault is gone."""
    reply, state = Respondent._reply, {"asked": 0, "fault": True}

    def shaky(self, *asked):
        state["asked"] += 1
        if state["fault"] and state["asked"] % 10 == 0:
            raise RuntimeError("no line")
        return reply(self, *asked)

    monkeypatch.setattr(Respondent, "_reply", shaky)
    return state


@pytest.mark.parametrize(("epochs", "log_format"), [(1, "json"), (3, "eval")])
def test_task_table_and_hand_agree(run, epochs, log_format):
    log = run(knowno(items=ITEMS), model="respondent/typical", epochs=epochs, log_format=log_format)
    assert 0 < by_hand(log.location)["all"] < 1
    assert_same_numbers(log)


def test_task_table_and_hand_agree_where_a_tenth_errored(run, tenth_errs):
    log = run(knowno(items=ITEMS), model="respondent/typical")
    assert sum(s.error is not None for s in log.samples) == ASKED // 10
    assert_same_numbers(log)
    told = Study.read(log.location, quiet=True).excluded
    assert table_of(told, "what", "count") == [("errored", ASKED // 10)]
    assert "no line" in told["why"].iloc[0]


def test_a_retry_is_read_with_its_first_attempt_as_one_whole_run(run, tmp_path, tenth_errs):
    log = run("askew/knowno", model="respondent/typical", task_args={"items": ITEMS})
    tenth_errs["fault"] = False
    (retried,) = eval_retry(
        read_eval_log(log.location), log_dir=str(tmp_path / "logs"), display="none"
    )
    observations = Study.read(tmp_path / "logs", quiet=True)
    assert len(observations.rows) == ASKED
    assert not observations.rows.duplicated(["sample_id", "epoch"]).any()
    assert by_table(observations.rows) == pytest.approx(by_hand(retried.location))
    told = observations.excluded
    assert table_of(told, "what", "count") == [("superseded", ASKED)]


@pytest.mark.parametrize("action", ["append", "overwrite"])
def test_a_log_scored_again_gives_the_same_rows_as_before(run, tmp_path, action):
    log = run(knowno(items=ITEMS), model="respondent/typical")
    before = Study.read(log.location, quiet=True)
    again = score(log, knowno_scorer(), action=action, display="none")
    values = metric_values(again)
    assert len(values) >= 6
    assert values == pytest.approx({n: metric_values(log)[n] for n in values}, nan_ok=True)
    other = score(again, match(), action="append", display="none")
    write_eval_log(other, tmp_path / "logs" / "again-scored.eval")
    after = Study.read(tmp_path / "logs", quiet=True)
    assert set(after.rows["log"]) == {str(tmp_path / "logs" / "again-scored.eval")}
    assert after.rows.drop(columns="log").equals(before.rows.drop(columns="log"))


@solver
def silent():
    async def solve(state, generate):
        return await generate(state)

    return solve


def test_a_replaced_solver_is_another_model_and_loses_the_conditions_it_does_not_make(
    run, tmp_path
):
    task = knowno(items=2)
    for number, sample in enumerate(task.dataset):
        if number % 2:
            sample.metadata["reflection"] = "Look again."
    run(knowno(items=2), log_dir=str(tmp_path / "both"))
    run(task, solver=silent(), log_dir=str(tmp_path / "both"))
    observations = Study.read(tmp_path / "both", quiet=True)
    assert observations.rows.groupby("model").size().to_dict() == {
        "respondent/oracle": 12,
        "respondent/oracle (solver=silent)": 6,
    }
    assert ("replaced solver", 6) in table_of(observations.excluded, "what", "count")
