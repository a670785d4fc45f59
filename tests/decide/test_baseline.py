"""Rules of a policy on the loss since a baseline: ordinary logs, three outcomes, and refusals."""

import json
from functools import partial

import pytest
from click.testing import CliRunner
from inspect_ai.log import write_eval_log

from askew import compare_logs
from askew.cli import main
from askew.decide.compare import compare
from askew.decide.gate import check_losses, gate
from askew.decide.policy import Policy, Rule, read_policy
from askew.files import YamlFileError
from askew.logs.locations import find_logs
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.bend.rows import arms, table_of
from tests.cases import cases
from tests.logs.ordinary import a_log

RIGHT, WRONG = "C", "I"


def folders(tmp_path, before, now, rule="", models=()):
    """Accepted logs and those to check, several a side, and a policy on them."""
    for name, logs in (("last-month", before), ("logs", now)):
        for number, log in enumerate(logs):
            log.eval.eval_id = f"{name}{number}"
            # JSON is written at once, an archive sample by sample.
            kind = "eval" if len(log.samples) < 50 else "json"
            file = f"2026-03-01T12-00-0{number}_sums_{number}.{kind}"
            write_eval_log(log, tmp_path / name / file)
    text = f"version: 1\nmodels: [{', '.join(models)}]\nrules:\n"
    text += f'  - {{baseline: "last-month/*", max_loss: 0.03{rule}}}\n'
    (tmp_path / "policy.yaml").write_text(text)


def a_folder(tmp_path, now, rule="", before=(RIGHT,) * 200, models=(), **more):
    """The last month's logs, those to check and a policy on them."""
    folders(tmp_path, [a_log(before)], [a_log(now, **more)], rule, models)


def gated(tmp_path, *more):
    page = tmp_path / "page.json"
    run = CliRunner().invoke(
        main,
        ["gate", str(tmp_path / "logs"), "--policy", str(tmp_path / "policy.yaml"), "-o", str(page),
         *more],
    )  # fmt: skip
    found = json.loads(page.read_text()) if page.exists() else {"tables": {}, "about": {}}
    return run, found["tables"] | found["about"]


@pytest.mark.parametrize(
    ("now", "code", "status"),
    [([RIGHT] * 200, 0, "pass"), ([RIGHT] * 150 + [WRONG] * 50, 1, "fail"),
     ([RIGHT] * 190 + [WRONG] * 10, 3, "inconclusive")],
)  # fmt: skip
def test_a_loss_passes_fails_or_stays_open_by_the_numbers_of_a_comparison(
    tmp_path, now, code, status
):
    a_folder(tmp_path, now)
    junit = tmp_path / "gate.xml"
    run, page = gated(tmp_path, "--junit", str(junit))
    (check,) = page["checks"]
    assert (run.exit_code, check["status"]) == (code, status), run.output
    (row,) = compare_logs(a_log([RIGHT] * 200), a_log(now)).table.to_dict("records")
    assert [check[k] for k in ("value", "low", "high")] == pytest.approx(
        [row[k] for k in ("difference", "low", "high")]
    )
    assert (check["task"], check["metric"], check["n_items"]) == ("sums", "match", 200)
    assert 'name="* against' in junit.read_text()


@pytest.mark.whole
def test_every_task_and_score_has_a_check_and_a_rule_may_name_one(tmp_path):
    both = [{"one": 1, "two": 1}] * 200
    a_folder(tmp_path, [{"one": 1, "two": 0}] * 200, before=both)
    statuses = {c["metric"]: c["status"] for c in gated(tmp_path)[1]["checks"]}
    assert statuses == {"match/one": "pass", "match/two": "fail"}
    a_folder(tmp_path, [{"one": 1, "two": 0}] * 200, ", score: '*/one', task: sums", before=both)
    assert gated(tmp_path)[0].exit_code == 0
    less = ", score: '*/two', lower_is_better: true"
    a_folder(tmp_path, [{"one": 1, "two": 0}] * 200, less, before=both)
    assert gated(tmp_path)[0].exit_code == 0


@pytest.mark.whole
@cases("more", "rule", "why")
def test_a_comparison_that_would_mean_nothing_is_open_with_its_reason(tmp_path, more, rule, why):
    a_folder(tmp_path, [RIGHT] * 200, rule, **more)
    run, page = gated(tmp_path)
    (check,) = page["checks"]
    assert (run.exit_code, check["status"]) == (3, "inconclusive")
    assert why in check["why"]


def test_a_run_that_was_cut_off_does_not_pass(tmp_path):
    a_folder(tmp_path, [RIGHT] * 200)
    cut = a_log([RIGHT] * 150)
    cut.status, cut.eval.dataset.sample_ids = "cancelled", [*range(200)]
    write_eval_log(cut, tmp_path / "logs" / "2026-03-01T12-00-00_sums_0.json")
    run, page = gated(tmp_path)
    assert run.exit_code == 3
    assert any("50 were not run" in note for note in page["notes"])


WHOLE = [RIGHT] * 200
BOTH = [{"one": 1, "two": 1}] * 200


def changed(log, at, **fields):
    """A log of which some samples have other fields."""
    for n in at:
        log.samples[n] = log.samples[n].model_copy(update=fields)
    return log


bad, whole = partial(a_log, [WRONG] * 200), partial(a_log, WHOLE)
TALES, LATE, PART = {"task": "tales"}, range(150, 200), WHOLE[:150] + [WRONG] * 50
# The accepted logs, those to check, and what is not to pass.
LACKING = {
    "a model without a baseline": lambda: (
        [whole(model="m/a")], [whole(model="m/a"), bad(model="m/b")], "m/b"),
    "a model that is gone": lambda: (
        [whole(model="m/a"), whole(model="m/b")], [whole(model="m/a")], "m/b"),
    "a task without a baseline": lambda: ([whole()], [whole(), bad(**TALES)], "tales"),
    "a task that is gone": lambda: ([whole(), whole(**TALES)], [whole()], "tales"),
    "a score without a baseline": lambda: (
        [a_log([{"one": 1}] * 200)], [a_log([{"one": 1, "two": 0}] * 200)], "match/two"),
    "a score that is gone": lambda: ([a_log(BOTH)], [a_log([{"one": 1}] * 200)], "match/two"),
    "a score of a part": lambda: (
        [a_log(BOTH * 2)], [a_log(BOTH + [{"one": 1}] * 200)], "match/two"),
    "fewer samples": lambda: ([whole()], [a_log(WHOLE[:150])], "match"),
    "other samples": lambda: ([whole()], [changed(whole(), LATE, id="x")], "match"),
    "other inputs": lambda: ([whole()], [changed(a_log(PART), LATE, input="x")], "match"),
    "other targets": lambda: ([whole()], [changed(a_log(PART), LATE, target="x")], "match"),
    "fewer samples in fewer epochs": lambda: (
        [a_log(WHOLE * 2, epochs=2)], [a_log(WHOLE[:150])], "match"),
    "fewer epochs of a part": lambda: (
        [a_log(WHOLE * 2, epochs=2)],
        [changed(a_log(WHOLE * 2, epochs=2), range(1, 100, 2), scores={})], "match"),
    "nothing scored in the baseline": lambda: (
        [whole(), bad(errors=range(200), **TALES)], [whole(), bad(**TALES)], "tales"),
    "nothing scored in both": lambda: (
        [whole(), bad(errors=range(200), **TALES)], [whole(), bad(errors=range(200), **TALES)],
        "tales"),
    "several settings now": lambda: (
        [whole(), whole(**TALES)],
        [whole(), whole(task_args={"few": 1}), whole(**TALES)], "sums"),
    "several settings before": lambda: (
        [whole(), whole(task_args={"few": 1}), whole(**TALES)],
        [whole(), whole(**TALES)], "sums"),
    "several settings before, another model now": lambda: (
        [whole(model="m/a"), whole(model="m/a", task_args={"few": 1}), whole(**TALES)],
        [bad(model="m/b"), whole(**TALES)], "sums"),
}  # fmt: skip


@pytest.mark.parametrize("name", LACKING)
def test_what_one_side_lacks_or_alone_has_does_not_pass(tmp_path, monkeypatch, name):
    before, now, about = LACKING[name]()
    before = [log.model_copy(update={"location": f"{n}"}) for n, log in enumerate(before)]
    monkeypatch.setattr("askew.decide.gate.find_logs", lambda _: find_logs(before))
    for model in ("*", "m/*") if "model" in name else ("*",):
        rule = Rule(baseline=str(tmp_path), max_loss=0.03, model=model)
        found, *_ = check_losses(find_logs(now), rule, Policy(version=1, rules=[rule]), 0.95)
        unmet = [c for c in found if c.status == "inconclusive" and c.why]
        assert any(about in f"{c.task}, {c.model}, {c.metric}" for c in unmet), found
        assert not any(c.status == "fail" for c in found)


@pytest.mark.whole
def test_what_has_no_baseline_is_let_be_where_the_rule_names_another(tmp_path):
    now = [a_log(WHOLE), a_log([WRONG] * 200, model="m/b"), a_log([WRONG] * 200, task="tales")]
    folders(tmp_path, [a_log(WHOLE)], now, ", task: sums, model: mockllm/*")
    assert gated(tmp_path)[0].exit_code == 0


@pytest.mark.whole
def test_few_samples_leave_it_open_and_models_of_the_policy_are_looked_for(tmp_path):
    a_folder(tmp_path, [WRONG] * 15, before=[RIGHT] * 15)
    assert gated(tmp_path)[1]["checks"][0]["why"] == "n = 15 < min_items = 20"
    a_folder(tmp_path, [RIGHT] * 200, models=["mockllm/*"])
    assert gated(tmp_path)[0].exit_code == 0
    a_folder(tmp_path, [RIGHT] * 200, models=["openai/*"])
    run, page = gated(tmp_path)
    assert run.exit_code == 3
    assert "models: mockllm/model" in page["checks"][0]["why"]


def test_a_baseline_that_is_not_there_or_is_checked_itself_is_an_error(tmp_path):
    a_folder(tmp_path, [RIGHT] * 200)
    policy = tmp_path / "policy.yaml"
    whole = policy.read_text()
    policy.write_text(whole.replace("last-month", "last-year"))
    run, _ = gated(tmp_path)
    assert (run.exit_code, "last-year" in run.output) == (2, True)
    policy.write_text(whole.replace("last-month/*", "logs"))
    run, _ = gated(tmp_path)
    assert (run.exit_code, "a folder of its own" in run.output) == (2, True)


@cases("rule", "why")
def test_rules_with_fields_of_the_other_kind_are_refused(tmp_path, rule, why):
    (tmp_path / "policy.yaml").write_text(f"version: 1\nrules: [{rule}]\n")
    with pytest.raises(YamlFileError, match=why):
        read_policy(tmp_path / "policy.yaml")


QUICK = Interval(resamples=100)
RULE = {"task": "bend", "metric": "worst_effect", "max": 0.2}


def losing(model="acme/a", n=200, **shares):
    """Items that are right, but for a share of them under each treatment."""
    return [
        found
        for i in range(n)
        for found in arms(
            i, model=model, plain=1, repeat=1,
            **{arm: float(i % 100 >= 100 * share) for arm, share in shares.items()},
        )
    ]  # fmt: skip


@cases("shares", "status")
@pytest.mark.parametrize("bound", ["interval", "value"])
def test_a_largest_loss_fails_a_rule_where_it_exceeds_that_of_rewordings(shares, status, bound):
    policy = Policy.model_validate({"version": 1, "rules": [{**RULE, "bound": bound}]})
    (check,) = gate(Study(table_of(losing(**shares))), policy, QUICK).checks
    assert check.status == status
    assert ("beyond rewording" in check.why) == (status == "inconclusive")


@pytest.mark.parametrize(("typos", "verdict"), [(0.15, "inconclusive"), (0.0, "worse")])
def test_a_largest_loss_is_worse_where_it_is_beyond_rewordings(typos, verdict):
    old = losing(suggestion=0.15, typos=typos)
    new = losing("acme/b", suggestion=0.3, typos=typos)
    asked = {"metric": ["worst_effect"], "interval": QUICK}
    found = compare(Study(table_of(old, new)), "acme/a", **asked).table.set_index("metric")
    assert found.loc["worst_effect", "p_corrected"] < 0.01
    assert found.loc["worst_effect", "verdict"] == verdict
    assert "worst_beyond_rewording" in found.index
