"""The sources of a built set are pinned, fetched once, verified, and named where out of reach."""

import hashlib
from urllib.parse import urlsplit

import pytest

from askew.sources.pinned import Source, SourceError, fetch
from askew_authoring.binary_qa.sources import FILES, LOADERS

CONTENT = b"label,input\n0,I paid.\n"
SHA = hashlib.sha256(CONTENT).hexdigest()


def pinned(url="https://example.org/never-asked", sha256=SHA):
    return Source("binary_qa/ethics.csv", url, "made@1", "ours", sha256=sha256)


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    folder = tmp_path / "mirror"
    (folder / "binary_qa").mkdir(parents=True)
    monkeypatch.setenv("ASKEW_MIRROR", str(folder))
    return folder / "binary_qa"


def test_every_data_set_has_files_and_a_loader():
    assert set(FILES) == set(LOADERS)
    names = [f.filename for files in FILES.values() for f in files]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("file", [f for files in FILES.values() for f in files], ids=str)
def test_every_file_is_pinned_by_a_revision_or_a_digest(file):
    assert urlsplit(file.url).scheme == "https"
    revision = file.revision.partition("@")[2]
    assert len(file.sha256) == 64 or (len(revision) == 40 and revision in file.url)


def test_another_content_is_refused_and_not_kept(mirror):
    (mirror / "ethics.csv").write_bytes(b"<html>Sign in</html>")
    with pytest.raises(SourceError, match="not the pinned file"):
        fetch(pinned())
    (mirror / "ethics.csv").write_bytes(CONTENT)
    assert fetch(pinned()).read_bytes() == CONTENT
