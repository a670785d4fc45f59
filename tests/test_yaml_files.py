"""YAML files of users: what is read, and what is said of what is not."""

from pathlib import Path

import pytest

from askew.files import YamlFileError, passing, read_yaml_file, write_atomically


@pytest.fixture
def read(tmp_path):
    def _read(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        return read_yaml_file(path)

    return _read


@pytest.fixture
def refused(read, tmp_path):
    def _refused(text):
        with pytest.raises(YamlFileError) as error:
            read(text)
        return str(error.value).removeprefix(str(tmp_path / "mine.yaml"))

    return _refused


def test_plain_data_is_read_as_it_is(read, refused):
    assert read("a: [1, 2.5, ü]\n7: true\nb: {c: null}") == {
        "a": [1, 2.5, "ü"], 7: True, "b": {"c": None},
    }  # fmt: skip
    assert "line 1: found unhashable key" in refused("? [x, y]\n: 1")
    assert read("") is None
    assert read("a: {x: 1}\nb: {x: 2}") == {"a": {"x": 1}, "b": {"x": 2}}


def test_every_refusal_has_its_line_and_its_words(refused):
    assert refused("a: &x [1]\nb: *x") == ", line 2: aliases are not read"
    assert refused("a: 1\nb: 2\na: 3") == ", line 3: 'a' is given twice"
    assert refused("x:\n  a: 1\n  a: 2") == ", line 3: 'a' is given twice"
    assert refused("a: !!python/name:os.getcwd x").startswith(", line 1: could not determine")
    assert refused("- " * 5000 + "x") == ": nested too deep"
    assert refused("a: [1").startswith(", line 1: ")


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
