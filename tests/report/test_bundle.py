"""A folder with the report and Inspect's viewer: what is written, and what is refused."""

import logging
import os
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from askew.analysis import write_bundle
from askew.cli import main
from askew.papers import asked_for
from askew.report import bundle
from askew.report.bundle import BundleError
from tests.report.observed import Page, observed
from tests.report.test_explorer import unpacked


@pytest.fixture
def logs(tmp_path):
    """Two logs of one name in two folders, as far as a bundle looks at them."""
    places = [tmp_path / "logs" / folder / "a b.eval" for folder in ("one", "two")]
    for place in places:
        place.parent.mkdir(parents=True)
        place.write_text(place.parent.name)
    return places


@pytest.fixture
def quick(monkeypatch):
    """Without Inspect's viewer, which takes seconds to copy."""
    copied = {}

    def copy(log_dir, output_dir):
        folder = bundle.Path(log_dir)
        found = [p for p in folder.rglob("*") if p.is_file()]
        copied.update({p.relative_to(folder).as_posix(): p.read_text() for p in found})
        bundle.Path(output_dir).mkdir()

    def page(observations, path, viewer, **options):
        copied["viewer"] = viewer
        path.write_text("page")

    def header(place, header_only):
        if bundle.Path(place).read_text() == "broken":
            raise ValueError("no header")

    monkeypatch.setattr(bundle, "bundle_log_dir", copy)
    monkeypatch.setattr(bundle, "read_eval_log", header)
    monkeypatch.setattr(bundle, "write_report", page)
    return copied


def observations_of(logs):
    observations = observed(items=2)
    return observations.assign(log=[str(logs[n % len(logs)]) for n in range(len(observations))])


def test_logs_of_one_name_stay_apart_and_are_linked(logs, quick, tmp_path):
    folder = write_bundle(observations_of(logs), tmp_path / "out")
    assert {name: text for name, text in quick.items() if name != "viewer"} == {
        "a b.eval": "one",
        "2/a b.eval": "two",
    }
    assert quick["viewer"] == {
        str(logs[0]): "viewer/index.html#/logs/a%20b.eval",
        str(logs[1]): f"viewer/index.html#/logs/{quote('2/a b.eval')}",
    }
    assert sorted(p.name for p in folder.iterdir()) == ["index.html", "viewer"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["logs", "out"]


def named(caplog):
    return [record.getMessage() for record in caplog.records if "viewer" in record.getMessage()]


@pytest.fixture
def warned(caplog):
    """What is logged, whatever level another eval of this process has set."""
    caplog.set_level(logging.WARNING, logger="askew")
    return caplog


def test_a_log_that_is_gone_or_broken_is_named_and_the_others_are_shown(
    logs, quick, tmp_path, warned
):
    three = [*logs, logs[0].with_name("broken.eval"), logs[0].with_name("good.eval")]
    three[2].write_text("broken")
    three[3].write_text("good")
    observations = observations_of(three)
    logs[0].unlink()
    write_bundle(observations, tmp_path / "out")
    assert {name: text for name, text in quick.items() if name != "viewer"} == {
        "a b.eval": "two",
        "good.eval": "good",
    }
    assert set(quick["viewer"]) == {str(logs[1]), str(three[3])}
    gone, broken = sorted(named(warned), key=lambda said: "broken" in said)
    assert str(logs[0]) in gone
    assert "no header" in broken


def test_where_no_log_is_left_nothing_is_written(logs, quick, tmp_path):
    observations = observations_of(logs)
    for log in logs:
        log.unlink()
    with pytest.raises(BundleError, match="none of the logs can be shown"):
        write_bundle(observations, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["logs"]


@pytest.fixture
def not_text(logs):
    """A log whose name is no text, and how tables show that."""
    place = logs[0].with_name(os.fsdecode(b"caf\xe9.eval"))
    try:
        place.write_text("of its own")
    except OSError:
        pytest.skip("this file system takes no name that is no text")
    return logs[0].with_name("caf?.eval")


def test_a_log_whose_name_is_no_text_is_shown(not_text, quick, tmp_path):
    write_bundle(observations_of([not_text]), tmp_path / "out")
    assert quick["caf-.eval"] == "of its own"
    assert quick["viewer"] == {str(not_text): "viewer/index.html#/logs/caf-.eval"}


def test_no_log_is_shown_in_the_place_of_another(not_text, logs, quick, tmp_path, warned):
    not_text.write_text("another")
    write_bundle(observations_of([not_text, logs[0]]), tmp_path / "out")
    assert {*quick} == {"a b.eval", "viewer"}
    assert set(quick["viewer"]) == {str(logs[0])}
    assert "several files" in named(warned)[0]


@pytest.mark.skipif(os.name == "nt", reason="Windows takes none of these names")
def test_names_that_inspect_takes_for_patterns_and_addresses_are_written_otherwise(
    logs, quick, tmp_path
):
    odd = ["*.eval", "[a].eval", "a#b.eval", "a%20b.eval", "x\ny.eval", "<img>.eval", "A.eval"]
    places = [logs[0].with_name(name) for name in (*odd, "?.eval", "a.eval")]
    for place in places:
        place.write_text(place.name)
    write_bundle(observations_of(places), tmp_path / "out")
    assert sorted(quick.pop("viewer")) == sorted(map(str, places))
    assert sorted(quick.values()) == sorted(place.name for place in places)
    assert not [name for name in quick if set(name) & set("*?[]#%<>\n")]
    assert len({name.lower() for name in quick}) == len(places)


def test_a_folder_that_is_not_empty_is_replaced_only_where_that_was_asked(logs, quick, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    write_bundle(observations_of(logs), folder)
    (folder / "index.html").write_text("old")
    with pytest.raises(BundleError, match=r"not empty.*--overwrite"):
        write_bundle(observations_of(logs), folder)
    assert (folder / "index.html").read_text() == "old"
    write_bundle(observations_of(logs), folder, overwrite=True)
    assert (folder / "index.html").read_text() == "page"


def test_what_is_no_bundle_is_never_deleted(logs, quick, tmp_path):
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    with pytest.raises(BundleError, match=r"thesis\.tex"):
        write_bundle(observations_of(logs), folder, overwrite=True)
    with pytest.raises(BundleError, match="holds a log"):
        write_bundle(observations_of(logs), tmp_path / "logs", overwrite=True)
    assert (folder / "thesis.tex").read_text() == "years of work"
    assert all(log.exists() for log in logs)


def test_a_file_a_file_name_and_a_folder_of_logs_are_refused(logs, quick, tmp_path):
    (tmp_path / "file").write_text("something")
    with pytest.raises(BundleError, match="is a file"):
        write_bundle(observations_of(logs), tmp_path / "file")
    with pytest.raises(BundleError, match=r"without \.html"):
        write_bundle(observations_of(logs), tmp_path / "report.html")
    with pytest.raises(BundleError, match="among the logs"):
        write_bundle(observations_of(logs), logs[0].parent / "out")
    with pytest.raises(BundleError, match="name no logs"):
        write_bundle(observed(items=1), tmp_path / "out")
    assert not quick


def test_where_writing_fails_nothing_is_left_and_nothing_is_lost(
    logs, quick, tmp_path, monkeypatch
):
    folder = write_bundle(observations_of(logs), tmp_path / "out")

    def fail(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(bundle, "write_report", fail)
    with pytest.raises(OSError, match="no space"):
        write_bundle(observations_of(logs), folder, overwrite=True)
    assert (folder / "index.html").read_text() == "page"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["logs", "out"]


def test_a_name_that_looks_like_an_upload_stays_here(logs, quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert write_bundle(observations_of(logs), "hf/user/space") == tmp_path / "hf/user/space"


def test_the_command_writes_page_and_viewer(run, tmp_path):
    run(asked_for("knowno").make(items=1), "respondent/typical")
    given = ["report", str(tmp_path / "logs"), "-o", str(tmp_path / "out")]
    done = _askew(*given, "--overwrite")
    assert done.exit_code == 2
    assert "--overwrite goes with --bundle" in done.output
    done = _askew(*given, "--bundle")
    assert done.exit_code == 0, done.output
    assert f"python -m http.server -d {tmp_path / 'out'}" in done.output
    page = Page((tmp_path / "out" / "index.html").read_text("utf-8"))
    (task,) = unpacked(next(c for a, c in page.scripts if a.get("id") == "replies-index"))["tasks"]
    (log,) = (tmp_path / "logs").glob("*.eval")
    assert task["viewer"] == [f"viewer/index.html#/logs/{quote(log.name)}"]
    assert (tmp_path / "out" / "viewer" / "logs" / log.name).stat().st_size == log.stat().st_size
    again = _askew(*given, "--bundle")
    assert again.exit_code == 2
    assert "not empty" in again.output


def _askew(*args):
    return CliRunner().invoke(main, args)
