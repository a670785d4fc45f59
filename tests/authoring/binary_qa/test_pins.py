"""The sources of a built set are pinned, and each has a loader."""

from urllib.parse import urlsplit

from askew_authoring.binary_qa.sources import FILES, LOADERS


def test_every_file_is_pinned_by_a_revision_or_a_digest():
    assert set(FILES) == set(LOADERS)
    held = [file for files in FILES.values() for file in files]
    assert len({file.filename for file in held}) == len(held)
    for file in held:
        assert urlsplit(file.url).scheme == "https"
        revision = file.revision.partition("@")[2]
        assert len(file.sha256) == 64 or (len(revision) == 40 and revision in file.url)
