"""An audit's file: what it says, and every mistake in it told before anything is asked."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from askew import audit as module
from askew.audit import count_finished, groups, read_audit
from askew.cli import main
from askew.files import YamlFileError
from askew.papers import task_papers
from tests.cases import cases, cases_of
from tests.logs.made_logs import a_log
from tests.logs.made_logs import written as write_log

ROOT = Path(__file__).resolve().parents[1]
SMALL = cases_of(__file__, "SMALL")
MODEL = {"model": "respondent/typical"}

POLICY = cases_of(__file__, "POLICY")


def written(folder, **otherwise):
    """The small audit with some fields otherwise."""
    path = folder / "audit.yaml"
    path.write_text(yaml.safe_dump({**SMALL, **otherwise}), encoding="utf-8")
    return path


@pytest.mark.whole
def test_the_example_runs_every_task_on_two_models():
    audit = read_audit(ROOT / "docs" / "audit.yaml")
    assert {t.task for t in audit.tasks} == set(task_papers())
    assert len(audit.models) == 2
    assert Path(audit.policy).is_file()
    assert audit.baseline in {m.model for m in audit.models}


@cases("otherwise", "said")
def test_a_mistake_is_reported_with_its_place_and_the_fix(tmp_path, otherwise, said):
    with pytest.raises(YamlFileError) as error:
        read_audit(written(tmp_path, **otherwise))
    assert said in str(error.value)


@cases("otherwise")
def test_reading_an_audit_needs_no_key_and_loads_no_model(tmp_path, monkeypatch, otherwise):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert read_audit(written(tmp_path, **otherwise)).version == 1


def test_models_with_the_same_settings_run_together(tmp_path):
    """What `eval_set` is given goes for all of its models, and a name stands in it once."""
    named = [
        "respondent/typical", {**MODEL, "config": {"seed": 1}}, {**MODEL, "args": {"x": 1}},
        "respondent/oracle", {"model": "respondent/oracle", "config": {"seed": 1}},
    ]  # fmt: skip
    found = groups(read_audit(written(tmp_path, models=named)), "s3://bucket/audit/")
    assert [[(m.model, m.config, m.args) for m in models] for models in found.values()] == [
        [("respondent/typical", {}, {}), ("respondent/oracle", {}, {})],
        [("respondent/typical", {"seed": 1}, {}), ("respondent/oracle", {"seed": 1}, {})],
        [("respondent/typical", {}, {"x": 1})],
    ]
    first, second, third = found
    assert first == "s3://bucket/audit/default"
    assert second.startswith("s3://bucket/audit/seed-1-")
    assert third.startswith("s3://bucket/audit/default-")


def test_paths_are_relative_to_the_file(tmp_path, monkeypatch):
    given = {"log_dir": "logs", "policy": "p.yaml", "report": ["r.md", str(tmp_path / "r.html")]}
    monkeypatch.chdir(tmp_path)
    for path in (written(tmp_path, **given), "audit.yaml"):
        audit = read_audit(path)
        named = [audit.log_dir, audit.policy, *audit.report]
        wanted = [tmp_path / name for name in ("logs", "p.yaml", "r.md", "r.html")]
        assert [tmp_path / name for name in named] == wanted
    assert read_audit(written(tmp_path, log_dir="s3://b/a")).log_dir == "s3://b/a"


@pytest.fixture
def command(run, tmp_path, monkeypatch):
    """An audit of two models of which one has no log; does the command with more words."""
    given = {"items": 2, "subset": "mctest"}
    run("askew/knowno", MODEL["model"], task_args=given, log_dir=str(tmp_path / "logs"))
    monkeypatch.setattr(module, "eval_set", lambda *tasks, **how: (True, []))
    two = {"models": [MODEL["model"], "respondent/oracle"], "baseline": "respondent/oracle"}
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = {"policy": str(tmp_path / "policy.yaml")}

    def _asked(*words, **otherwise):
        path = written(tmp_path, **{**two, **policy, **otherwise})
        words = ("audit", str(path), "--log-dir", str(tmp_path / "logs"), *words)
        return CliRunner().invoke(main, words)

    return _asked


def test_report_and_gate_are_there_where_nothing_can_be_compared(command, tmp_path):
    report = tmp_path / "report.json"
    done = command("-o", str(report))
    assert done.exit_code == 3
    assert "askew: nothing is compared: baseline 'respondent/oracle'" in done.stderr
    assert "PASS" in done.stdout
    assert len(json.loads(report.read_text("utf-8"))["runs"]) == 1
    assert command(policy="").exit_code == 3
    # The gate alone is passed.
    assert command(baseline="").exit_code == 0


def test_what_eval_set_is_given(command, monkeypatch):
    given = []

    def eval_set(tasks, **how):
        given.append((tasks, how))
        return True, []

    monkeypatch.setattr(module, "eval_set", eval_set)
    settings = {**MODEL, "config": {"temperature": 1.0}}
    command(models=[settings], baseline="", connections={"respondent": 6}, epochs=3,
          roles={"grader": "respondent/oracle"},
          tasks=[{"task": "knowno", "subsets": ["mctest", "bank77"], "parameters": {"items": 1}},
                 {"task": "instruction_boundary", "parameters": {"items": 1}}])  # fmt: skip
    ((tasks, how),) = given
    assert len(tasks) == 3
    (model,) = how["model"]
    assert (str(model), model.config.max_connections) == ("respondent/typical", 6)
    assert str(how["model_roles"]["grader"]) == "respondent/oracle"
    assert (how["temperature"], how["epochs"], how["fail_on_error"]) == (1.0, 3, False)


def test_a_resumed_audit_counts_its_own_finished_runs(tmp_path):
    audit = read_audit(written(tmp_path, models=["openai/gpt-5", "openai/other"]))
    [folder] = groups(audit, str(tmp_path))
    assert count_finished(audit, str(tmp_path)) == (0, 2)
    runs = [
        {"model": "openai/gpt-5"}, {"model": "openai/gpt-5"},
        {"model": "openai/other", "status": "error"},
        {"model": "openai/other", "task": "askew/mathcomp"},
    ]  # fmt: skip
    for number, run in enumerate(runs):
        write_log(a_log([], made=number, **run), folder, f"{number}.eval")
    assert count_finished(audit, str(tmp_path)) == (1, 2)
