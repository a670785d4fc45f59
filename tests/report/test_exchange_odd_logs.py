"""Every Eval Ever of odd names and logs: each run has its place, none hides another."""

import json
import tracemalloc
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score

from askew.analysis import read_exchange, write_exchange
from askew.logs.observations import ExportError
from askew.report.exchange import _model_id
from askew.report.study import Study
from askew.statistics.tables import Interval
from tests.logs.made_logs import a_log, a_sample, written

QUICK = Interval(resamples=20)


def asked(item="good", reply="yes"):
    said = [ChatMessageUser(content="which?"), ChatMessageAssistant(content=reply)]
    output = ModelOutput.from_content("m", reply)
    return a_sample(item).model_copy(update={"messages": said, "output": output})


def a_run(folder, model, *samples):
    name = f"{len([*folder.glob('*')])}.eval"
    return written(a_log(samples or [asked()], model=model), folder, name)


@pytest.fixture
def logs(tmp_path):
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def exported(logs, tmp_path):
    observations = Study.read(str(logs), quiet=True)
    return write_exchange(observations, tmp_path / "out", interval=QUICK)


def heads(tmp_path):
    return [json.loads(p.read_text("utf-8")) for p in (tmp_path / "out").rglob("*.json")]


NAMES = [
    f"acme/{'m' * 400}1", f"acme/{'m' * 400}2", f"acme/{'模' * 300}", "a" * 400 + "/m",
    f"acme/{'/' * 400}x", "acme/" + "a/" * 200, "acme/x\u202etxt", "../../up", "acme/half",
]  # fmt: skip


def test_names_of_any_length_and_script_are_exported_each_for_itself(logs, tmp_path):
    for name in NAMES:
        a_run(logs, name)
    assert len(exported(logs, tmp_path)) == 2 * len(NAMES)
    names = {head["model_info"]["id"] for head in heads(tmp_path)}
    assert len(names) == len(NAMES)
    for path in (tmp_path / "out").rglob("*"):
        assert len(path.name.encode()) <= 255
        assert "\u202e" not in path.name
    assert len(read_exchange(tmp_path / "out")["model_name"].unique()) == len(NAMES)
    assert not [*tmp_path.glob("up*"), *tmp_path.parent.glob("up*")]


def test_a_name_is_where_its_files_are(logs, tmp_path):
    """As the form asks for: whoever knows the name finds the folder."""
    for name in NAMES:
        a_run(logs, name)
    exported(logs, tmp_path)
    for head in heads(tmp_path):
        developer, _, model = head["model_info"]["id"].partition("/")
        of = head["detailed_evaluation_results"]["file_path"].split("/")
        assert of[2:4] == [developer, model.replace("/", "_")]


@pytest.mark.parametrize("name", ["acme/model-1", "model", "hf/acme/model:4bit"])
def test_a_name_that_fits_is_kept(name):
    kept = _model_id(name)
    assert kept.endswith(name.replace(":", "-"))
    assert kept.count("/") == max(1, name.count("/"))


def test_a_run_whose_log_is_broken_is_named_and_the_others_are_exported(logs, tmp_path):
    a_run(logs, "acme/good")
    gone = a_run(logs, "acme/gone")
    odd = a_run(logs, "acme/odd")
    observations = Study.read(str(logs), quiet=True)
    gone.unlink()
    with ZipFile(odd, "w") as archive:
        archive.writestr("samples/good/with_gold/0_epoch_1.json", '{"messages": 3, "output": 4}')
    with pytest.raises(ExportError, match="2 files of other runs") as raised:
        write_exchange(observations, tmp_path / "out", interval=QUICK)
    assert str(gone) in str(raised.value)
    assert str(odd) in str(raised.value)
    (head,) = heads(tmp_path)
    assert head["model_info"]["id"] == "acme/good"


def test_a_sample_without_the_measure_that_the_form_asks_for_is_left_out(logs, tmp_path):
    lacking = Score(value={"said_none": 0.0, "delimiter_leak": 0.0}, answer="x")
    a_run(logs, "acme/odd", asked(), a_sample("odd", score=lacking))
    a_run(logs, "acme/good")
    exported(logs, tmp_path)
    assert len(heads(tmp_path)) == 2
    observations = Study.read(str(logs), quiet=True)
    assert list(observations.excluded["why"]) == ["its score lacks correct"]


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_samples_with_endless_ids_are_found(logs, tmp_path, kind):
    items = (f"{'w' * 400}1", f"{'w' * 400}2")
    written(a_log([asked(item, reply=item[-1]) for item in items]), logs, f"x.{kind}")
    observations = Study.read(str(logs / f"x.{kind}"), quiet=True)
    _, lines = write_exchange(observations, tmp_path / "out", interval=QUICK)
    samples = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    assert [sample["output"]["raw"] for sample in samples] == [["1"], ["2"]]


def test_a_log_without_a_sample_that_was_observed_is_named(logs, tmp_path):
    log = a_run(logs, "acme/a", asked(), asked("other"))
    observations = Study.read(str(logs), quiet=True)
    log.unlink()
    written(a_log([asked()], model="acme/a"), logs, log.name)
    with pytest.raises(ExportError, match="holds no sample 'other/with_gold/0'"):
        write_exchange(observations, tmp_path / "out", interval=QUICK)


def test_samples_are_read_one_at_a_time_without_their_events(logs, tmp_path):
    log = a_run(logs, "acme/a", *(asked(f"i{n}") for n in range(8)))
    observations = Study.read(str(logs), quiet=True)
    with ZipFile(log) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    events = b', "events": [' + b",".join([b'{"event": "info", "data": 1}'] * 300_000) + b"]}"
    with ZipFile(log, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name, part in parts.items():
            sample = name.startswith("samples/")
            archive.writestr(name, part.rstrip().removesuffix(b"}") + events if sample else part)
        archive.writestr("what/ever", bytes(n * n % 251 for n in range(400_000)))
    tracemalloc.start()
    try:
        write_exchange(observations, tmp_path / "out", interval=QUICK)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
    assert len(read_exchange(tmp_path / "out")) == 8
