"""`askew calibrate`: a report on the terminal and as a file."""

SMALL = ("--task", "knowno", "--items", "12", "--repetitions", "2")


def test_a_failed_calibration_exits_with_code_1(askew, monkeypatch):
    from askew.decide.calibrate import CalibrationReport

    monkeypatch.setattr(CalibrationReport, "passed", property(lambda self: False))
    assert askew("calibrate", *SMALL, "--respondent", "mute", "--quiet")[0] == 1
