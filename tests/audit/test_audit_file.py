"""An audit's file: what it says, and every mistake in it told before anything is asked."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from askew.audit.audit_file import AuditError, read_audit
from askew.cli import main
from askew.papers import asking

ROOT = Path(__file__).resolve().parents[2]
SMALL = {
    "version": 1,
    "models": ["respondent/typical"],
    "tasks": [{"task": "knowno", "subsets": ["mctest"], "parameters": {"items": 2}}],
}


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
        ({"models": [{"model": "a/b", "config": {"temprature": 1}}]}, "temperature"),
        ({"models": [{"model": "a/b", "config": {"max_connections": 1}}]}, "set `connections`"),
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
