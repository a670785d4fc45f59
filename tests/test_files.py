"""A file has its name only when it is whole."""

import re
from pathlib import Path

import pytest

import askew
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


def test_nothing_writes_results_by_another_way() -> None:
    """What is not written whole and renamed would be half-written after a kill."""
    ways = re.compile(
        r"""\.write_(?:text|bytes)\(|write_(?:table|eval_log)\(|open\([^()]*["'][wax][bt+]*["']"""
        r"""|to_(?:csv|json|parquet)\((?!index)|savefig\(|\bjson\.dump\("""
    )
    source = Path(askew.__file__).parent
    assert {
        (path.relative_to(source).as_posix(), way)
        for path in source.rglob("*.py")
        for way in ways.findall(path.read_text(encoding="utf-8"))
    } == {
        ("files.py", ".write_bytes("),
        # Under a passing name: `passing` gives it, as the tests of killed commands see.
        ("report/study.py", "to_csv("),
        ("report/study.py", "write_table("),
        ("logs/replay.py", "write_eval_log("),
    }
