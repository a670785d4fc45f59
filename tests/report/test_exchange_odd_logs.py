"""Every Eval Ever of odd names and logs: each run has its place, none hides another."""

import json
from zipfile import ZipFile

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score

from askew.analysis import read_exchange, write_exchange
from askew.logs.observations import ExportError
from askew.report.study import Study
from askew.stats.tables import Interval
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
