"""`askew compare`: a table on the terminal, a file on demand, one message where it can't."""

import json

from tests.cases import cases


def test_a_comparison_is_printed(askew, logs):
    code, out, _ = askew("compare", logs, "--baseline", "respondent/typical")
    assert code == 0
    assert out.startswith("Compared with respondent/typical (simulated)")
    assert "omni_accuracy" in out
    assert "knowno: respondent/oracle (simulated)" in out


def test_a_file_is_written_and_quiet_prints_nothing(askew, logs, tmp_path):
    target = tmp_path / "c.json"
    code, out, _ = askew(
        "compare", logs, "--baseline", "respondent/oracle", "-o", target, "--quiet",
        "--metric", "omni_*", "--by", "subset",
    )  # fmt: skip
    assert (code, out) == (0, "")
    told = json.loads(target.read_text())
    assert {c["metric"] for c in told["comparisons"]} == {"omni_accuracy"}
    assert len(told["comparisons"]) == 4


@cases("options", "told")
def test_what_is_wrong_is_one_message_and_exit_code_2(askew, logs, options, told):
    code, out, err = askew("compare", logs, *options)
    assert (code, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_logs_that_are_not_there_are_one_message(askew, tmp_path):
    code, _, err = askew("compare", tmp_path / "none", "--baseline", "x")
    assert code == 2
    assert "no such file or folder" in err
