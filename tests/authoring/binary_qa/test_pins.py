"""The sources of a built set are pinned, fetched once, verified, and named where out of reach."""

import hashlib
import stat
from urllib.parse import urlsplit

import pytest

from askew.sources.pinned import Source, SourceError, fetch, sha256_of
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


def test_a_file_of_a_mirror_is_verified_and_kept(mirror):
    (mirror / "ethics.csv").write_bytes(CONTENT)
    path = fetch(pinned())
    assert path.read_bytes() == CONTENT
    (mirror / "ethics.csv").unlink()
    assert fetch(pinned()) == path
    assert sha256_of(path) == SHA


def test_what_is_kept_is_the_owners_alone(mirror):
    (mirror / "ethics.csv").write_bytes(CONTENT)
    path = fetch(pinned())
    kept = [path, *list(path.parents)[:3]]
    assert [stat.S_IMODE(each.stat().st_mode) for each in kept] == [0o600, 0o700, 0o700, 0o700]


def test_another_content_is_refused_and_not_kept(mirror):
    (mirror / "ethics.csv").write_bytes(b"<html>Sign in</html>")
    with pytest.raises(SourceError, match="not the pinned file"):
        fetch(pinned())
    (mirror / "ethics.csv").write_bytes(CONTENT)
    assert fetch(pinned()).read_bytes() == CONTENT


def test_a_damaged_copy_is_fetched_again(mirror):
    (mirror / "ethics.csv").write_bytes(CONTENT)
    path = fetch(pinned())
    path.write_bytes(CONTENT[:5])
    assert fetch(pinned()).read_bytes() == CONTENT


def test_a_file_without_a_digest_is_taken_by_its_revision(mirror):
    (mirror / "ethics.csv").write_bytes(b"whatever the revision holds")
    assert fetch(pinned(sha256="")).read_bytes() == b"whatever the revision holds"


def test_a_missing_file_is_named_with_what_to_do(mirror):
    with pytest.raises(SourceError, match=r"ethics\.csv could not be had.*ASKEW_MIRROR"):
        fetch(pinned())


def test_an_address_out_of_reach_is_named(monkeypatch):
    monkeypatch.setattr("askew.sources.download.sleep", lambda seconds: None)
    file = pinned(url="http://127.0.0.1:9/ethics.csv")
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:9.*Check the network"):
        fetch(file)
