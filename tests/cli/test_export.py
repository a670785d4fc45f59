"""`askew export`: observations and charts as files."""

import pytest
from click.testing import CliRunner
from inspect_ai import eval

from askew.cli import main


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for model in ("typical", "agreeable"):
        eval(
            "askew/knowno", model=f"respondent/{model}", task_args={"items": 6},
            log_dir=str(folder), display="none", log_level="error",
        )  # fmt: skip
    return str(folder)


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "starts"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_every_chart_is_a_file_that_says_who_was_simulated(logs, tmp_path, kind, starts):
    done = CliRunner().invoke(
        main, ["export", logs, "--charts", str(tmp_path / "charts"), "--chart-format", kind]
    )
    assert done.exit_code == 0, done.output
    drawn = sorted((tmp_path / "charts").iterdir())
    assert len(drawn) > 5
    assert f"{len(drawn)} charts in" in done.output
    for path in drawn:
        assert path.suffix == f".{kind}"
        assert path.read_bytes().startswith(starts)
        if kind == "svg":
            assert "simulated" in path.read_text(encoding="utf-8")


def test_nothing_to_write_or_nowhere_to_write_it_is_said(logs, tmp_path):
    nothing = CliRunner().invoke(main, ["export", logs])
    assert nothing.exit_code == 2
    assert "say what to write" in nothing.output
    odd = CliRunner().invoke(main, ["export", logs, "-o", str(tmp_path / "x.xlsx")])
    assert odd.exit_code == 2
    assert ".csv" in odd.output
