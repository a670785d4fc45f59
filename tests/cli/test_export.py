"""`askew export`: observations and charts as files."""

import pytest
from click.testing import CliRunner

from askew.cli import main


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "starts"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_every_chart_is_a_file_that_marks_simulated_models(logs, tmp_path, kind, starts):
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
