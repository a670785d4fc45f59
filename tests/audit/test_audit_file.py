"""An audit's file: what it says, and every mistake in it told before anything is asked."""

import json
from datetime import date, datetime
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from askew.audit import running
from askew.audit.asking import Answered
from askew.audit.audit_file import AuditError, read_audit
from askew.audit.parts import Part
from askew.cli import main
from askew.cli.audits import _Progress
from askew.papers import asking

ROOT = Path(__file__).resolve().parents[2]
SMALL = {
    "version": 1,
    "models": ["respondent/typical"],
    "tasks": [{"task": "knowno", "subsets": ["mctest"], "parameters": {"items": 2}}],
}
MODEL = {"model": "respondent/typical"}
MCTEST = {"items": 2, "subset": "mctest"}

POLICY = """
version: 1
allow_simulated: true
rules: [{metric: omni_accuracy, task: knowno, subset: mctest, max: 1, min_items: 1}]
"""
# What a treatment takes is no parameter of the task itself.
FRAMED = {"task": "askew/binary_qa", "items": 2, "treatments": "framing", "framing": "Well: "}


@pytest.fixture
def told(tmp_path):
    """What is said of the small audit with some fields otherwise."""

    def _told(**otherwise):
        path = tmp_path / "audit.yaml"
        path.write_text(yaml.safe_dump({**SMALL, **otherwise}), encoding="utf-8")
        with pytest.raises(AuditError) as error:
            read_audit(path)
        return str(error.value)

    return _told


@pytest.mark.whole
def test_the_example_asks_every_task_of_two_models():
    audit = read_audit(ROOT / "docs" / "audit.yaml")
    assert {t.task for t in audit.tasks} == set(asking())
    assert len(audit.models) == 2
    assert (ROOT / audit.policy).is_file()
    assert audit.baseline in {m.model for m in audit.models}


@pytest.mark.parametrize(
    ("otherwise", "said"),
    [
        ({"models": []}, "models: "),
        ({"models": ["nobody"]}, "models 1 model: "),
        ({"tasks": [{"task": "knows"}]}, "'knows' is not a value of task"),
        ({"tasks": [{"task": "knowno", "subsets": ["x"]}]}, "'x' is not a value of subset"),
        ({"tasks": [{"task": "knowno", "parameters": {"item": 2}}]}, "Did you mean items"),
        ({"tasks": [{"task": "knowno", "parameters": {"items": 0}}]}, "whole number"),
        (
            {"tasks": [{"task": "bend", "parameters": {**FRAMED, "framng": "?"}}]},
            "has no parameter 'framng'",
        ),
        ({"tasks": [{"task": "knowno", "subset": "mctest"}]}, "no such field; valid: task"),
        ({"tasks": [{"task": "knowno", "subsets": ["mctest"] * 2}]}, "given twice"),
        (
            {"tasks": [{"task": "knowno", "subsets": ["mctest"], "parameters": {"subset": "all"}}]},
            "not both",
        ),
        ({"connections": {"openai": 4}}, "no model is asked at 'openai'"),
        ({"connections": {"respondent": 0}}, "at least 1"),
        ({"models": [{**MODEL, "config": {"temprature": 1}}]}, "temperature"),
        ({"models": [{**MODEL, "config": {"max_connections": 1}}]}, "set `connections`"),
        (
            {"models": [{**MODEL, "args": {"api_version": date(2024, 10, 21)}}]},
            "models 1 args api_version: 2024-10-21 is a date: write '2024-10-21', with quotes",
        ),
        ({"models": [{**MODEL, "args": {"key": b"x"}}]}, "models 1 args key: bytes can't be sent"),
        (
            {"models": [{**MODEL, "config": {"extra_body": {"since": datetime(2024, 1, 2)}}}]},
            "is a date",
        ),
        ({"tasks": [{"task": "knowno", "parameters": {"data": date(2024, 1, 2)}}]}, "is a date"),
        ({"models": ["opnai/gpt"]}, "models 1 model: Model API opnai of model 'opnai/gpt' not"),
        ({"models": ["respondent/oracle"] * 2}, "respondent/oracle is given twice"),
        (
            {"tasks": [*SMALL["tasks"], {"task": "askew/knowno", "parameters": MCTEST}]},
            "tasks: knowno (mctest) is given twice",
        ),
        ({"roles": {"grader": "gpt-5"}}, "roles grader: "),
        ({"roles": {"grader": "opnai/gpt-5"}}, "roles grader: Model API opnai"),
        ({"roles": {"grder": "respondent/oracle"}}, "'grder'. Did you mean grader"),
        ({"roles": {"polisher": "respondent/oracle"}}, "no task of these has a role 'polisher'"),
        ({"tasks": [{"task": "bend"}]}, "tasks 1: parameters: task: bend asks a task of yours"),
        ({"baseline": "respondent/typicl"}, "baseline: 'respondent/typicl' is no model of these"),
        ({"baseline": "respondent/typical"}, "baseline: there is no other model to compare"),
        (
            {
                "models": [{"model": "respondent/typical", "config": {"seed": n}} for n in (1, 2)],
                "baseline": "respondent/typical",
            },
            "baseline: respondent/typical is asked in several ways",
        ),
        ({"report": ["report.pdf"]}, ".html"),
        ({"polcy": "x"}, "no such field; valid: version"),
        ({"epochs": 0}, "epochs: "),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_to_do(told, otherwise, said):
    assert said in told(**otherwise)


def test_what_a_treatment_takes_may_be_said(tmp_path):
    path = tmp_path / "audit.yaml"
    bent = {"task": "bend", "parameters": FRAMED}
    path.write_text(yaml.safe_dump({**SMALL, "tasks": [bent]}), encoding="utf-8")
    assert read_audit(path).tasks[0].asked == [FRAMED]


@pytest.mark.parametrize(
    "otherwise",
    [
        {"models": ["openai/gpt-5", "hf/some/model", "openai-api/mine/one"]},
        {"roles": {"grader": "respondent/oracle"}},
        {"tasks": [{"task": "instruction_boundary"}], "roles": {"polisher": "respondent/oracle"}},
        # Which roles another task has, only its author knows.
        {"tasks": [{"task": "bend", "parameters": FRAMED}], "roles": {"critic": "openai/gpt-5"}},
        {"models": ["respondent/typical", "respondent/oracle"], "baseline": "respondent/typical"},
        {
            "models": [{"model": "respondent/typical", "config": {"seed": n}} for n in (1, 2)],
            "baseline": "respondent/typical (seed=1)",
        },
        # Compared with itself, treatment by treatment.
        {
            "tasks": [{"task": "format_bias", "parameters": {"items": 1, "demos": "0,5"}}],
            "baseline": "respondent/typical",
        },
        {"models": [{**MODEL, "args": {"api_version": "2024-10-21", "tools": [1, None]}}]},
    ],
)
def test_what_can_be_asked_needs_no_key_and_loads_no_model(tmp_path, monkeypatch, otherwise):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = tmp_path / "audit.yaml"
    path.write_text(yaml.safe_dump({**SMALL, **otherwise}), encoding="utf-8")
    assert read_audit(path).version == 1


def test_all_mistakes_are_told_at_once(told):
    found = told(models=["nobody"], epochs=0)
    assert "2 problem(s)" in found


def test_a_dry_run_names_every_part_and_asks_nothing(tmp_path):
    path = tmp_path / "audit.yaml"
    connections = {"respondent": 6}
    path.write_text(yaml.safe_dump({**SMALL, "connections": connections}), encoding="utf-8")
    args = ["audit", str(path), "--log-dir", str(tmp_path / "logs"), "--dry-run"]
    done = CliRunner().invoke(main, args)
    assert done.exit_code == 0, done.output
    (line,) = done.output.splitlines()
    assert line.startswith("knowno, respondent/typical (mctest): ")
    assert line.endswith("(respondent: 6)")
    assert not (tmp_path / "logs").exists()


def test_an_audit_says_where_its_logs_go(tmp_path):
    path = tmp_path / "audit.yaml"
    path.write_text(yaml.safe_dump(SMALL), encoding="utf-8")
    done = CliRunner().invoke(main, ["audit", str(path)])
    assert done.exit_code == 2
    assert "--log-dir" in done.stderr


@pytest.fixture
def asked(run, tmp_path, monkeypatch):
    """An audit of two models of which one could not be asked; does the command with more words."""
    run("askew/knowno", task_args=MCTEST, log_dir=str(tmp_path / "logs"), model=MODEL["model"])
    monkeypatch.setattr(running, "run_parts", lambda *given: [])
    two = {"models": [MODEL["model"], "respondent/oracle"], "baseline": "respondent/oracle"}
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = {"policy": str(tmp_path / "policy.yaml")}

    def _asked(*words, **otherwise):
        path = tmp_path / "audit.yaml"
        path.write_text(yaml.safe_dump({**SMALL, **two, **policy, **otherwise}), encoding="utf-8")
        words = ("audit", str(path), "--log-dir", str(tmp_path / "logs"), *words)
        return CliRunner().invoke(main, words)

    return _asked


def test_report_and_gate_are_there_where_nothing_can_be_compared(asked, tmp_path):
    report = tmp_path / "report.json"
    done = asked("-o", str(report))
    assert done.exit_code == 2
    assert "askew: nothing is compared: baseline 'respondent/oracle'" in done.stderr
    assert "PASS" in done.stdout
    assert len(json.loads(report.read_text("utf-8"))["runs"]) == 1
    assert asked(policy="").exit_code == 2
    # The gate alone is passed.
    assert asked(baseline="").exit_code == 0


def test_an_audit_of_a_cluster_without_address_asks_nothing(asked):
    pytest.importorskip("distributed", reason="askew[cluster] brings Dask")
    done = asked("--cluster", "")
    assert done.exit_code == 2
    assert "give a protocol, a host and a port" in done.stderr


def test_progress_says_what_begins_what_is_asked_again_and_how_many_are_done(capsys):
    one, other = (Part("knowno", f"a/{name}", {}) for name in "xy")
    told = _Progress(2, quiet=False)
    told.begun(one)
    told.begun(other)
    told.ended(one, Answered(False, why="its process ended by signal 9", lost=True), True)
    told.begun(one)
    told.ended(other, Answered(True, 8), False)
    told.ended(one, Answered(False, why="no disk"), False)
    assert capsys.readouterr().err.splitlines() == [
        "begun, 0 of 2 done: knowno, a/x",
        "begun, 0 of 2 done: knowno, a/y",
        "lost, to be asked again: knowno, a/x: its process ended by signal 9",
        "begun again, 0 of 2 done: knowno, a/x",
        "1 of 2: knowno, a/y: 8 samples",
        "2 of 2: knowno, a/x: FAILED: no disk",
    ]
    assert told.failed == 1


def test_a_quiet_audit_says_only_what_failed(capsys):
    told = _Progress(2, quiet=True)
    told.begun(Part("knowno", "a/x", {}))
    told.ended(Part("knowno", "a/x", {}), Answered(True, 8), False)
    told.ended(Part("knowno", "a/y", {}), Answered(False, why="no disk"), False)
    assert capsys.readouterr().err == "2 of 2: knowno, a/y: FAILED: no disk\n"
