"""Environments are made by uv where it works and by pip where it does not."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from sysconfig import get_path

import pytest

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def wheel(tmp_path):
    """A package of one line, so that no index is asked."""
    made = tmp_path / "tiny-1.0-py3-none-any.whl"
    about = "tiny-1.0.dist-info"
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("tiny.py", "SIZE = 1\n")
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        file.writestr(f"{about}/RECORD", "")
    return made


@pytest.mark.parametrize(("works", "installer"), [(True, "uv"), (False, "pip")])
def test_what_is_asked_for_is_installed_by_the_one_that_works(tmp_path, wheel, works, installer):
    if works:
        uv = Path(get_path("scripts")) / "uv"
        if not uv.is_file():
            pytest.skip("uv is not installed here")
        seen = tmp_path / "seen"
        seen.mkdir()
        (seen / "uv").symlink_to(uv)
    else:
        seen = tmp_path / "broken"
        seen.mkdir()
        (seen / "uv").write_text("#!/bin/sh\nexit 2\n")
        (seen / "uv").chmod(0o755)
    environment = {**os.environ, "PATH": f"{seen}:{os.environ['PATH']}"}
    environment |= {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1"}
    folder = tmp_path / "environment"
    base = getattr(sys, "_base_executable", sys.executable)
    words = [ROOT / ".ci" / "install", base, folder, "--no-index", wheel]
    if works:
        subprocess.run([base, "-m", "venv", "--without-pip", folder], check=True)
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (told,) = folder.rglob("tiny-1.0.dist-info/INSTALLER")
    assert told.read_text().strip() == installer
    assert (
        subprocess.run([folder / "bin" / "python", "-c", "import tiny"], check=False).returncode
        == 0
    )
