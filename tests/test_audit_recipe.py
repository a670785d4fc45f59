"""The documented audit, command by command: run, report, compare, gate."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from askew.decide.policy import read_policy
from askew.papers import get_paper, task_papers
from askew.report.study import Study

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parents[1]
RECIPE = "".join(
    (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    for page in ("run-an-audit.md", "compare-and-gate.md")
)
ITEMS = 2
MODELS = {"openai/gpt-5-mini": "respondent/agreeable", "openai/gpt-5": "respondent/typical"}


def commands(word):
    """The recipe's commands that start with these words, as the tests run them: small, offline."""
    blocks = re.findall(r"```bash\n(.*?)```", RECIPE, re.DOTALL)
    lines = [c.strip() for b in blocks for c in b.replace("\\\n", " ").splitlines()]
    found = [c for c in lines if c.startswith(word)]
    assert found, f"the recipe has no command {word!r}"
    for real, simulated in MODELS.items():
        found = [c.replace(real, simulated) for c in found]
    return [c.replace("docs/policy.yaml", str(ROOT / "docs" / "policy.yaml")) for c in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("audit")


@pytest.fixture(scope="module")
def shell(forks, folder):
    """Does a command in the audit's folder."""
    return lambda command: forks(command, folder)


EVAL_SET = f"{commands('inspect eval-set')[0]} -T items={ITEMS}"


@pytest.fixture(scope="module")
def audited(shell):
    code, out, err = shell(EVAL_SET)
    assert code == 0, out + err


def test_every_sample_counts_once(folder, audited):
    observations = Study.read(str(folder / "audit" / "logs"), quiet=True)
    asked = {t: len(get_paper(t).make(items=ITEMS).dataset) for t in task_papers()}
    counts = observations.rows.groupby(["task", "model"]).size()
    unscored = observations.excluded
    lost = unscored[unscored["what"] == "unscored"].groupby(["task", "model"])["count"].sum()
    assert set(counts.index) == {(t, m) for t in task_papers() for m in MODELS.values()}
    for (task, model), count in counts.items():
        assert count + lost.get((task, model), 0) == asked[task]
    assert not observations.rows.duplicated(["model", "task", "sample_id", "epoch"]).any()


@pytest.mark.parametrize("number", range(len(commands("askew report"))))
def test_the_reports_are_written(shell, folder, audited, number):
    command = commands("askew report")[number]
    code, _, err = shell(command)
    assert code == 0, err
    words = command.split()
    for written in (words[i + 1] for i, word in enumerate(words) if word == "-o"):
        assert "respondent/typical" in (folder / written).read_text(encoding="utf-8")


def test_the_models_are_compared(shell, folder, audited):
    code, out, err = shell(commands("askew compare")[0])
    assert code == 0, err
    assert all(f"{task}: respondent/agreeable (simulated)" in out for task in task_papers())
    assert "mitigated" not in out
    assert (folder / "audit" / "compare.html").stat().st_size > 5_000


def test_the_gate_measures_every_rule_of_the_example(shell, folder, audited):
    code, out, err = shell(commands("askew gate")[0])
    assert code in (1, 3), err
    rules = read_policy(ROOT / "docs" / "policy.yaml").rules
    # So few items can't tell much, but every metric that a rule names is there.
    assert "no metric fits" not in out
    assert "not measured" not in out
    assert {r.task for r in rules} == set(task_papers())
    root = ElementTree.parse(folder / "audit" / "gate.xml").getroot()
    assert int(root.get("tests")) >= len(rules) * len(MODELS)
