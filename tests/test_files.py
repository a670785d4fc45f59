"""A file has its name only when it is whole."""

from pathlib import Path

import pytest

from askew.files import passing, write_atomically


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_folders_are_made_and_texts_without_a_form_are_written(tmp_path: Path) -> None:
    target = write_atomically(tmp_path / "new" / "deep" / "a.txt", "half a pair: \ud800")
    assert target.read_bytes() == b"half a pair: ?"


def test_the_old_file_stays_until_the_block_ends(tmp_path: Path) -> None:
    target = write_atomically(tmp_path / "a.txt", "old")
    with passing(target) as part:
        part.write_text("new")
        assert target.read_text() == "old"
        assert part.parent == tmp_path
        assert part.name.startswith(".")
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = write_atomically(tmp_path / "a.txt", "old")

    def stopped() -> None:
        with passing(target) as part:
            part.write_text("ne")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        stopped()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]
