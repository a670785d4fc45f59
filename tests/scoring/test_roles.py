"""A model role that a task needs and that is not bound."""

import pytest
from click.testing import CliRunner
from inspect_ai import eval as run_eval
from inspect_ai._cli.main import inspect as inspect_command

from askew.bend.tasks import bend
from askew.papers.knowno.tasks import knowno

GIVEN = {"model": "respondent/typical", "display": "none"}


@pytest.mark.parametrize("stop_when", [None, 0.2])
def test_a_run_without_the_role_it_needs_ends_before_its_first_sample(tmp_path, stop_when):
    made = knowno(items=2, parser="grader", stop_when=stop_when)
    [log] = run_eval(made, log_dir=str(tmp_path), **GIVEN)
    assert log.status == "error"
    assert "--model-role grader=<model>" in log.error.message
    assert not log.samples
    assert not log.stats.model_usage


@pytest.mark.parametrize("asked", [knowno, lambda **given: bend("askew/knowno", "plain", **given)])
def test_a_run_with_the_role_is_as_before(tmp_path, asked):
    roles = {"grader": "respondent/oracle"}
    [log] = run_eval(
        asked(items=2, parser="grader"), model_roles=roles, log_dir=str(tmp_path), **GIVEN
    )
    assert log.status == "success", log.error
    assert all(sample.error is None for sample in log.samples)


@pytest.mark.parametrize(
    "given", ["knowno -T parser=grader", "bend -T task=askew/knowno -T parser=grader"]
)
def test_the_command_line_ends_with_the_message_and_not_with_0(tmp_path, given):
    ended = CliRunner().invoke(
        inspect_command,
        ["eval", *f"askew/{given}".split(), "-T", "items=2", "--model", "respondent/typical",
         "--display", "none", "--log-dir", str(tmp_path)],
    )  # fmt: skip
    assert ended.exit_code == 2
    assert "parser=grader needs the model role 'grader'" in ended.output
