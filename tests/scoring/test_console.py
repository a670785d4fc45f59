"""What Inspect shows of a task: at most six numbers, the headline first with its interval."""

import math

import pandas as pd
import pytest
from click.testing import CliRunner
from inspect_ai import eval
from inspect_ai import eval as run_eval
from inspect_ai._cli.main import inspect as inspect_command
from inspect_ai.scorer import SampleScore, Score

from askew import summarize
from askew.bend.tasks import bend
from askew.papers import get_paper, names
from askew.papers.format_bias.tasks import format_bias
from askew.papers.knowno.tasks import knowno
from askew.parameters import SelectionError
from askew.report.study import at_top
from askew.scoring import outcome
from askew.scoring.outcome import missing_in_words
from tests.cases import cases, cases_of
from tests.report.simulated import answered

MOST = 6
# Logic questions of one are generated, which takes seconds.
TASKS = [
    pytest.param(t, marks=pytest.mark.whole) if t == "instruction_boundary" else t for t in names()
]


def live_scores(task: str, items: int = 12) -> list[SampleScore]:
    """Scores of a simulated run, as Inspect hands them to metrics."""
    paper = get_paper(task)
    found = []
    for row in answered(task, items, "typical", 1).to_dict("records"):
        told = {k: v for k, v in row.items() if isinstance(v, str) or not pd.isna(v)}
        answer = told.pop("answer", None)
        values = {name: told.pop(name) for name in paper.measures if name in told}
        own = {name: told.pop(name) for name in ("epoch", "outcome")}
        # bend's own score names item and arm, the samples are their author's.
        score = Score(value=values, answer=answer, metadata=own | (told if task == "bend" else {}))
        found.append(SampleScore(score=score, sample_metadata=told))
    return found


def shows(task: str, *given: str):
    return getattr(get_paper(task).part("scorer"), f"{task}_metrics")(*given)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("n", [0, 1, 2, 20])
def test_the_primary_metric_comes_first_or_has_a_reason(task, n):
    token = outcome.REASONS.set({})
    few = shows(task)(live_scores(task)[:n])
    reasons = outcome.REASONS.get()
    outcome.REASONS.reset(token)
    lead = get_paper(task).headlines[0]
    assert (next(iter(few), "") == lead) == (lead in few)
    assert f"{lead}_low" in few or reasons[lead]
    assert n == 0 or not any(math.isnan(v) for v in few.values())


NAMED = cases_of(__file__, "NAMED")
# Of all numbers some that stand among them, and some that don't.
ALL = cases_of(__file__, "ALL")


@pytest.mark.whole
@pytest.mark.parametrize("task", TASKS)
def test_which_numbers_are_shown_in_which_order(task):
    lead, *beside = NAMED[task]
    few = shows(task)(live_scores(task, 120))
    few.pop("plain_score_stderr", None)
    assert [*few] == [lead, f"{lead}_low", f"{lead}_high", *beside]
    everything = shows(task, "all")(live_scores(task, 120))
    among, absent = ALL[task]
    assert [*everything][:3] == [*few][:3]
    assert {*beside, *among} <= {*everything}
    assert not {*absent} & {*everything}
    assert few == pytest.approx({name: everything[name] for name in few}, nan_ok=True)
    # Another headline takes the first's place.
    other = shows(task, "few", beside[-1])(live_scores(task, 120))
    assert [*other][:3] == [beside[-1], f"{beside[-1]}_low", f"{beside[-1]}_high"]


@pytest.fixture
def looked_at(monkeypatch):
    """Looks from within the samples of the models named here; none outside of any sample."""
    models: list[str] = [""]
    monkeypatch.setattr(outcome, "sample_limits", lambda: None)
    monkeypatch.setattr(outcome, "get_model", lambda: models[-1])
    monkeypatch.setattr(outcome, "_WAIT", math.inf)
    return models


def test_values_of_one_model_are_never_reused_for_another(looked_at):
    scores, looked = live_scores("knowno"), shows("knowno")
    looked_at.append("a")
    first = looked(scores[:6])
    looked_at.append("b")
    assert looked(scores) != pytest.approx(first, nan_ok=True)


@cases("task", "metric", "at")
def test_the_interval_is_that_of_the_summary(task, metric, at):
    lead = "_".join([metric, *at.values()])
    few = shows(task, "few", lead)(live_scores(task))
    table = summarize(answered(task, 12, "typical", 1).assign(model="x", model_name="x"))
    table = table[at_top(table, [*at]) & (table["metric"] == metric)]
    for level, value in at.items():
        table = table[table[level] == value]
    (row,) = table.to_dict("records")
    shown = [few[lead], few[f"{lead}_low"], few[f"{lead}_high"]]
    assert shown == pytest.approx([row["value"], row["low"], row["high"]])
    assert row["low"] < row["high"]


def test_a_task_shows_few_or_all_and_nothing_else():
    with pytest.raises(SelectionError, match="metrics='none'"):
        knowno(items=1, metrics="none")


@pytest.mark.whole
@pytest.mark.parametrize("given", [{}, {"category": "list"}, {"metrics": "all"}])
def test_inspect_finds_the_primary_metric_that_the_task_declares(given, tmp_path):
    made = format_bias(items=2, prompting="zs", **given)
    (log,) = eval(made, model="respondent/typical", log_dir=str(tmp_path), display="none")
    own, plain = log.results.scores
    assert (log.results.headline.score, log.results.headline.metric) == (
        "format_bias_scorer", next(iter(own.metrics))
    )  # fmt: skip
    assert ([*plain.metrics], plain.name) == (["accuracy", "stderr"], "score")
    assert (len(own.metrics) > MOST) == ("metrics" in given)


@pytest.mark.whole
def test_a_run_of_one_sample_shows_accuracy_and_explains_what_is_missing(tmp_path):
    (log,) = eval(
        knowno(items=2), model="respondent/typical", limit=1, log_dir=str(tmp_path), display="none"
    )
    own, plain = log.results.scores
    assert (own.metrics, plain.metrics["accuracy"].value) == ({}, 1.0)
    assert missing_in_words(log) == (
        "omni_accuracy is undefined for this 1 sample: not asked: hint_as_option, "
        "hint_in_instruction, no_hint; stderr is undefined for one cluster, not 0: run more items"
    )
    everything = eval(knowno(items=2), model="respondent/typical", log_dir=str(tmp_path))
    assert missing_in_words(everything[0]) == ""
    clusters = {s.metadata["cluster"] for s in everything[0].samples}
    correct = everything[0].results.scores[1].metrics
    assert (len(clusters) > 1) == (correct["stderr"].value > 0)
    # Inspect's tables take the stderr beside a headline for that of the headline.
    assert "stderr" not in everything[0].results.scores[0].metrics


GIVEN = {"model": "respondent/typical", "display": "none"}


@pytest.mark.whole
@pytest.mark.parametrize("stop_when", [None, 0.2])
def test_a_run_without_the_role_it_needs_ends_before_its_first_sample(tmp_path, stop_when):
    made = knowno(items=2, parser="grader", stop_when=stop_when)
    [log] = run_eval(made, log_dir=str(tmp_path), **GIVEN)
    assert log.status == "error"
    assert "--model-role grader=<model>" in log.error.message
    assert not log.samples
    assert not log.stats.model_usage


@pytest.mark.whole
@pytest.mark.parametrize("asked", [knowno, lambda **given: bend("askew/knowno", "plain", **given)])
def test_a_run_with_the_role_is_as_before(tmp_path, asked):
    roles = {"grader": "respondent/oracle"}
    [log] = run_eval(
        asked(items=2, parser="grader"), model_roles=roles, log_dir=str(tmp_path), **GIVEN
    )
    assert log.status == "success", log.error
    assert all(sample.error is None for sample in log.samples)


@cases("given")
def test_the_command_line_ends_with_the_message_and_not_with_0(tmp_path, given):
    ended = CliRunner().invoke(
        inspect_command,
        ["eval", *f"askew/{given}".split(), "-T", "items=2", "--model", "respondent/typical",
         "--display", "none", "--log-dir", str(tmp_path)],
    )  # fmt: skip
    assert ended.exit_code == 2
    assert "parser=grader needs the model role 'grader'" in ended.output
