"""`askew calibrate`: a report on the terminal and as a file."""

SMALL = ("--task", "knowno", "--items", "12", "--repetitions", "2")


def test_a_calibration_report_is_printed_and_passes(askew, tmp_path):
    target = tmp_path / "c.md"
    code, out, _ = askew("calibrate", *SMALL, "--respondent", "oracle", "-o", target)
    assert code == 0
    assert "knowno: respondent/oracle" in out
    assert "0 failed" in out
    assert "omni_accuracy" in target.read_text()


def test_a_failed_calibration_exits_with_code_1(askew, monkeypatch):
    from askew.decide.calibrate import CalibrationReport

    monkeypatch.setattr(CalibrationReport, "passed", property(lambda self: False))
    assert askew("calibrate", *SMALL, "--respondent", "mute", "--quiet")[0] == 1
