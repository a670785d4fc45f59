"""Which logs are one run, and what the models of different runs are called."""

import pytest

from askew.logs.runs import is_secret
from askew.report.study import Study
from tests.cases import cases
from tests.logs.made_logs import a_log, a_sample, table_of


def read(*logs):
    return Study.read(list(logs), quiet=True)


def models(*logs):
    return list(dict.fromkeys(read(*logs).rows["model"]))


def two(**different):
    """Labels of a run and of one that differs in this."""
    return models(a_log([a_sample()]), a_log([a_sample()], **different))


@cases("different", "suffix")
def test_runs_are_separate_that_differ_in(different, suffix):
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


def test_a_run_with_mixed_software_versions_is_reported():
    other = {"inspect_ai": "0.3.285", "askew": "0.2.0"}
    told = read(a_log([a_sample("i1")]), a_log([a_sample("i2")], packages=other)).excluded
    assert table_of(told, "what", "count", "why") == [("mixed versions", 2, "askew 0.1.0, 0.2.0")]


KEY = "sk9aB3dE5fG7hJ1kL3mN5pQ7"


@cases("different")
def test_no_secret_gets_into_a_label_or_the_report_on_settings(different):
    observations = read(a_log([a_sample()]), a_log([a_sample()], **different))
    assert KEY not in " ".join(observations.rows["model"])
    if different != {"model_args": {"deployment": KEY}}:
        assert KEY not in repr(observations.runs)


def test_equal_labels_of_runs_are_made_unique_by_the_runs_name():
    one, other = f"a{KEY}", f"b{KEY}"
    logs = [a_log([a_sample()], model_args={"deployment": v}) for v in (one, other)]
    labels = models(*logs)
    assert len(labels) == 2
    assert all(label.startswith("openai/gpt-5 (deployment=...) [run ") for label in labels)


def test_the_interface_letter_does_not_separate_runs():
    """Version 1-B asks and scores as 1-A did, and as 1 before there were letters."""
    assert two(version="1-B-d1-p1") == ["openai/gpt-5"]


def test_a_label_is_short_however_much_differs_and_two_stay_two():
    arguments = [{f"a{n}": f"v{n}{end}" for n in range(900)} for end in "ab"]
    logs = [a_log([a_sample()], model_args=given) for given in (*arguments, {})]
    labels = models(*logs)
    assert len(labels) == 3
    assert max(map(len, labels)) < 600


@pytest.mark.parametrize(
    "different",
    [{"model_args": {name: "other"}} for name in ("private_deployment", "key", "headers")]
    + [{"model_base_url": "https://host/v1?deployment=other"}],
)
def test_what_may_be_a_secret_separates_runs_and_is_not_shown(different):
    first = {"model_base_url": "https://host/v1?deployment=one"}
    labels = models(a_log([a_sample()], **first), a_log([a_sample()], **{**first, **different}))
    assert len(labels) == 2
    assert "other" not in " ".join(labels)


@cases("value")
def test_a_secret_is_hidden_by_its_value_whatever_its_setting_is_called(value):
    read_ = read(a_log([a_sample()]), a_log([a_sample()], model_args={"where": value}))
    assert value not in repr(read_.runs) + " ".join(read_.rows["model"])
    failed = a_sample(error=f"no access: {value}; Bearer sk-abcdefgh12345678")
    told = " ".join(read(a_log([failed, a_sample("i2")])).excluded["why"])
    assert "no access" in told
    assert not any(secret in told for secret in ("pw123456", "abcdef12", "abc%2F", "sk-abc"))


def test_secrets_are_known_by_name_and_other_settings_are_not():
    secrets = ["api_key", "apiKey", "HF-TOKEN", "x.auth", "secret", "aws_id"]
    others = ["max_tokens", "tokenizer", "keyboard", "author", "monkey"]
    assert [name for name in secrets + others if is_secret(name)] == secrets
