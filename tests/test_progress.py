"""Who waits is told how far the work is, up to its last step."""

import pytest

from askew.analysis import export_charts, write_report
from askew.decide.calibrate import calibrate
from askew.decide.compare import compare
from askew.decide.documents import decide
from askew.decide.gate import gate
from askew.decide.plan import plan
from askew.decide.policy import Policy
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.report.simulated import observed

QUICK = Interval(resamples=50)
RULES = [{"task": "knowno", "metric": "gap", "max": 0.2}]
POLICY = Policy.model_validate({"version": 1, "rules": RULES})


@pytest.fixture(scope="module")
def two():
    return observed("knowno", 12, good=("oracle", 0), poor=("agreeable", 0))


@pytest.mark.whole
@pytest.mark.parametrize(
    ("work", "last"),
    [
        (lambda study, to, tell: write_report(study, to / "a.html", **tell), "a.html"),
        (lambda study, to, tell: write_report(study, to / "a.csv", to / "b.csv", **tell), "b.csv"),
        (lambda study, to, tell: export_charts(study, to, "svg", QUICK, **tell), "KnowNo"),
        (lambda study, to, tell: gate(study, POLICY, QUICK, **tell), "intervals"),
        (lambda study, to, tell: compare(study, "x/good", interval=QUICK, **tell), ""),
        (lambda study, to, tell: decide(study, POLICY, interval=QUICK, **tell), "intervals"),
        (lambda study, to, tell: plan(
            "knowno", ["openai/gpt-5"], parameters={"items": 6}, seeds=2, interval=QUICK, **tell
        ), "run 2"),
        (lambda study, to, tell: calibrate(
            ["knowno"], ["oracle"], items=6, repetitions=1, interval=QUICK, **tell
        ), "oracle"),
    ],
    ids=["html", "csv", "export", "gate", "compare", "report --policy", "plan", "calibrate"],
)  # fmt: skip
def test_each_step_is_told_and_the_last_one_is_the_last(work, last, two, tmp_path):
    told = []
    work(Study(two), tmp_path, {"progress": lambda *step: told.append(step)})
    total = told[0][1]
    assert [done for done, *_ in told] == list(range(1, total + 1))
    assert {of for _, of, _ in told} == {total}
    assert last in told[-1][2]
