"""A paper in a package of its own works everywhere, without a change in askew."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai.log import read_eval_log

from askew import papers, read_observations, summarize, write_report
from askew.cli import main
from askew.report.study import Study
from askew.respondents import provider
from tests.cases import cases_of
from tests.report.observed import unfolded_report

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "sixth_paper"
ENTRY_POINTS = cases_of(__file__, "ENTRY_POINTS")
LINT = cases_of(__file__, "LINT")
POLICY = cases_of(__file__, "POLICY")


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A folder that holds the package as an installer would leave it."""
    folder = tmp_path_factory.mktemp("site-packages")
    shutil.copytree(FOLDER, folder / "sixth_paper")
    (folder / "sixth_paper" / "lint.py").write_text(LINT)
    about = folder / "sixth_paper-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: sixth-paper\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def forget() -> None:
    """Papers and respondents are looked for anew."""
    for cached in (papers.names, papers.find_paper, provider.answerer_of, provider.respondents):
        cached.cache_clear()


@pytest.fixture(scope="module")
def shouting(installed):
    """The paper, found by its entry point."""
    sys.path.insert(0, str(installed))
    forget()
    yield papers.get_paper("shouting")
    sys.path.remove(str(installed))
    for name in [m for m in sys.modules if m.split(".")[0] == "sixth_paper"]:
        del sys.modules[name]
    forget()


@pytest.fixture(scope="module")
def logs(shouting, tmp_path_factory) -> Path:
    """Runs of two simulated models."""
    from inspect_ai import eval

    folder = tmp_path_factory.mktemp("runs")
    for model in ("respondent/typical", "respondent/deaf"):
        eval(shouting.make(), model=model, log_dir=str(folder), display="none")
    return folder


def askew(*args: object):
    done = CliRunner().invoke(main, [str(a) for a in args])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_its_eval_shows_its_numbers_and_columns(logs):
    log = read_eval_log(str(next(iter(sorted(logs.glob("*.eval"))))))
    assert log.status == "success"
    assert set(log.results.scores[0].metrics) >= {"tone_spread", "accuracy"}
    assert log.eval.metadata["paper"] == "shouting"
    columns = [c.id for c in log.eval.viewer.task_samples_view.columns]
    assert "score:shouting_scorer:correct" in columns or any("correct" in c for c in columns)


def test_its_logs_become_observations_and_numbers(logs):
    observations = Study.read(logs)
    assert len(observations.rows) == 2 * 48
    table = summarize(observations.rows)
    assert set(table["metric"]) == {"accuracy", "tone_spread"}
    assert table["low"].notna().all()


def test_its_report_shows_what_it_declares(logs, tmp_path):
    observations = Study.read(logs)
    report = json.loads(write_report(observations, tmp_path / "report.json").read_text())
    assert {h["metric"] for h in report["headlines"]} == {"tone_spread"}
    page = unfolded_report(observations, tmp_path / "report.md").read_text(encoding="utf-8")
    for words in ("Does a question in capitals get another answer?", "Accuracy",
                  "Spread over tones", "Shouted"):  # fmt: skip
        assert words in page


def test_its_verdict_is_on_the_first_screen(logs, tmp_path):
    page = write_report(Study.read(logs), tmp_path / "brief.md").read_text("utf-8")
    [deaf] = [line for line in page.splitlines() if line.startswith("| respondent/deaf")]
    assert "| capitals: +" in deaf
    assert "**detected**" in deaf


def test_its_models_are_compared_and_gated(logs, tmp_path):
    compared = askew("compare", logs, "--baseline", "respondent/typical", "--by", "tone")
    assert compared.exit_code == 0
    assert "tone_spread" in compared.stdout
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    assert askew("gate", logs, "--policy", policy).exit_code in (0, 1)


@pytest.mark.whole
def test_it_is_planned_and_calibrated(shouting):
    planned = askew("plan", "--task", "shouting", "--model", "respondent/typical")
    assert planned.exit_code == 0, planned.output
    assert "48" in planned.stdout
    done = askew("calibrate", "--task", "shouting", "--items", 24, "--repetitions", 4)
    assert done.exit_code in (0, 1), done.output
    assert "tone_spread" in done.stdout


def test_its_data_are_shown_templated_and_verified(shouting, tmp_path):
    assert "WHAT IS" in askew("data", "show", "shouting").stdout
    own = tmp_path / "own.jsonl"
    own.write_text(askew("data", "template", "shouting").stdout)
    assert "nothing found" in askew("data", "lint", "shouting", "--data", own).stdout
    own.write_text('{"id": "loud", "question": "WHAT?", "answer": "so"}\n')
    assert "shouted" in askew("data", "lint", "shouting", "--data", own).stdout
    assert "shouting: Shouting" in askew("data", "list").stdout


def test_replies_to_its_samples_are_scored(shouting, tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text(askew("data", "template", "shouting", "--replies").stdout)
    done = askew("score-replies", path, "--task", "shouting", "--log-dir", tmp_path / "logs")
    assert done.exit_code == 0, done.output
    assert read_observations(tmp_path / "logs", quiet=True)["correct"].tolist() == [1.0]
    path.write_text('{"model": "m", "tone": "calm", "completion": "yes"}\n')
    assert "sample_id" in askew("score-replies", path, "--task", "shouting").stderr


@pytest.mark.whole
def test_inspect_finds_it_by_name(shouting, tmp_path):
    from inspect_ai import eval

    (log,) = eval("sixth_paper/shouting", model="respondent/deaf", limit=4, display="none",
                  log_dir=str(tmp_path))  # fmt: skip
    assert log.status == "success"
    assert "tone_spread" in log.results.scores[0].metrics
