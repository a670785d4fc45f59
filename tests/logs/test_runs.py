"""Which logs are one run, and what the models of different runs are called."""

import pytest
from inspect_ai.scorer import Score

from askew.logs.runs import is_secret
from askew.report.study import Study
from tests.cases import cases
from tests.logs.made_logs import a_log, a_sample, table_of

HIGH, LOW = {"reasoning_effort": "high"}, {"reasoning_effort": "low"}


def read(*logs):
    return Study.read(list(logs), quiet=True)


def models(*logs):
    return list(dict.fromkeys(read(*logs).rows["model"]))


def two(**different):
    """Labels of a run and of one that differs in this."""
    return models(a_log([a_sample()]), a_log([a_sample()], **different))


@cases("different", "suffix")
def test_runs_are_kept_apart_that_differ_in(different, suffix):
    labels = two(**different)
    assert len(labels) == 2
    name, told = labels[1].split(" (", 1)
    assert name == "openai/gpt-5"
    assert suffix in told


@cases("same")
def test_runs_are_pooled_that_differ_only_in(same):
    assert two(**same) == ["openai/gpt-5"]


def test_replies_that_were_made_elsewhere_are_not_pooled_with_a_run():
    labels = two(model="replay/openai/gpt-5")
    assert labels == ["openai/gpt-5", "openai/gpt-5 (replies=made elsewhere)"]


def test_other_questions_make_another_model_and_are_named_by_where_they_are_from():
    labels = two(data="paper", revision="d2")
    assert labels == ["openai/gpt-5 (data=bundled)", "openai/gpt-5 (data=paper)"]


def test_labels_do_not_depend_on_which_log_is_read_first():
    logs = [
        a_log([a_sample()], given={"temperature": 0.7}, model_args={"seed": 2}),
        a_log([a_sample()], model_args={"seed": 1}),
    ]
    assert set(models(*logs)) == set(models(*reversed(logs)))


def test_what_tells_a_model_apart_in_one_task_is_in_its_label_in_all_tasks():
    high = a_log([a_sample()], given=HIGH)
    asked = {"kind": "reading", "form": "original", "truth": "Yes", "expected": "Yes"}
    scores = {"binary_qa_scorer": Score(value={"correct": 1.0, "said_no": 0.0, "answered": 1.0})}
    sample = a_sample(task="binary_qa", scores=scores, **asked)
    elsewhere = a_log([sample], given=LOW, paper="binary_qa")
    assert set(models(high, elsewhere)) == {
        "openai/gpt-5 (reasoning_effort=high)",
        "openai/gpt-5 (reasoning_effort=low)",
    }


def test_a_run_made_by_two_versions_of_the_software_is_told():
    other = {"inspect_ai": "0.3.285", "askew": "0.2.0"}
    told = read(a_log([a_sample("i1")]), a_log([a_sample("i2")], packages=other)).excluded
    assert table_of(told, "what", "count", "why") == [("mixed versions", 2, "askew 0.1.0, 0.2.0")]


KEY = "sk9aB3dE5fG7hJ1kL3mN5pQ7"


@pytest.mark.parametrize(
    "different",
    [
        {"model_args": {"api_key": KEY}},
        {"model_args": {"client": {"accessKey": KEY}}},
        {"model_args": {"deployment": KEY}},
        {"model_args": {"aws_session": KEY}},
        {"given": {"extra_headers": {"x": KEY}}},
        {"given": {"extra_body": {"auth": KEY}}},
        {"model_base_url": f"https://{KEY}@host/?token={KEY}"},
        {"model_roles": {"grader": {"model": "a/b", "args": {"password": KEY}}}},
    ],
)
def test_no_secret_gets_into_a_label_or_the_report_on_settings(different):
    observations = read(a_log([a_sample()]), a_log([a_sample()], **different))
    assert KEY not in " ".join(observations.rows["model"])
    if different != {"model_args": {"deployment": KEY}}:
        assert KEY not in repr(observations.runs)


def test_runs_whose_labels_would_be_equal_are_told_apart_by_the_runs_name():
    one, other = f"a{KEY}", f"b{KEY}"
    logs = [a_log([a_sample()], model_args={"deployment": v}) for v in (one, other)]
    labels = models(*logs)
    assert len(labels) == 2
    assert all(label.startswith("openai/gpt-5 (deployment=...) [run ") for label in labels)


@pytest.mark.parametrize("name", ["api_key", "apiKey", "HF-TOKEN", "x.auth", "secret", "aws_id"])
def test_secrets_are_known_by_name(name):
    assert is_secret(name)


@pytest.mark.parametrize("name", ["max_tokens", "tokenizer", "keyboard", "author", "monkey"])
def test_other_settings_are_not_taken_for_secrets(name):
    assert not is_secret(name)


def test_every_combination_of_settings_has_a_label_of_its_own():
    logs = [
        a_log([a_sample()], given=given, data=data, revision=revision, args={"seed": seed})
        for given in (HIGH, LOW, {})
        for data, revision in (("bundled", "d1"), ("paper", "d2"), ("paper", "d3"))
        for seed in (0, 1)
    ]
    observations = read(*logs)
    assert observations.rows["model"].nunique() == observations.rows["run"].nunique() == len(logs)


def test_the_letter_of_the_interface_keeps_no_runs_apart():
    """Version 1-B asks and scores as 1-A did, and as 1 before there were letters."""
    assert two(version="1-B-d1-p1") == ["openai/gpt-5"]


def test_a_label_is_short_however_much_differs_and_two_stay_two():
    arguments = [{f"a{n}": f"v{n}{end}" for n in range(900)} for end in "ab"]
    logs = [a_log([a_sample()], model_args=given) for given in (*arguments, {})]
    labels = models(*logs)
    assert len(labels) == 3
    assert max(map(len, labels)) < 600
