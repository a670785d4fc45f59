"""Replies that exist already become a log like any other, and the paper's numbers come out."""

import csv
import importlib.util
import json
from importlib.resources import files
from pathlib import Path

import pytest
from inspect_ai import score
from inspect_ai.log import read_eval_log

from askew import metrics
from askew.logs.replay import score_replies
from askew.papers.format_bias.scorer import format_bias_scorer
from askew.report.study import Study
from askew.sources.records import RecordsError
from tests.cases import cases, cases_of

CELLS = [("gsm8k", "zs"), ("gsm8k", "cot"), ("fairytaleqa", "zs")]
REPLY = cases_of(__file__, "REPLY")


def write(tmp_path, *replies):
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps({**REPLY, **r}) + "\n" for r in replies), encoding="utf-8")
    return path


def observed(tmp_path, *replies, **options):
    logs = score_replies(write(tmp_path, *replies), log_dir=tmp_path / "logs", **options)
    return Study.read([str(log) for log in logs], quiet=True)


def published_table_6():
    path = files("askew.papers.format_bias") / "published" / "printed.csv"
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return {
        (r["subset"], r["prompting"], r["format"], r["metric"]): 100 * float(r["value"])
        for r in rows
        if (r["source"], r["model"]) == ("Table 6", "ChatGPT")
    }


@pytest.fixture(scope="module")
def real_logs(shared_data, tmp_path_factory):
    """The authors' replies of each cell, scored once into one folder: a log each."""
    folder, logs = tmp_path_factory.mktemp("real"), {}
    for cell in CELLS:
        path = shared_data / "format_bias" / f"replay_chatgpt_{'_'.join(cell)}.jsonl"
        (logs[cell],) = score_replies(path, log_dir=folder)
    return logs


@pytest.mark.whole
@pytest.mark.real_data
@pytest.mark.parametrize(("task", "prompting"), CELLS)
def test_real_replies_give_the_papers_table_6(real_logs, task, prompting):
    observations = Study.read(str(real_logs[task, prompting]), quiet=True)
    assert len(observations.rows) == 1_400
    table = metrics.format_bias(observations.rows, interval=None)
    cells = table[(table["subset"] == task) & (table["prompting"] == prompting)]
    published, compared = published_table_6(), 0
    for metric, printed in (("fi", "fi"), ("sys_e", "sys_e")):
        rows = cells[(cells["metric"] == metric) & (cells["format"] != "all")]
        for row in rows.to_dict("records"):
            expected = published[task, prompting, row["format"], printed]
            assert 100 * row["value"] == pytest.approx(expected, abs=0.02), row
            assert row["n_items"] == 200
            compared += 1
    assert compared == 14


@pytest.mark.whole
def test_a_log_of_replies_is_viewed_read_and_scored_again(tmp_path):
    path = write(tmp_path, {}, {"format": "quoting", "completion": "12"})
    (written,) = score_replies(path, log_dir=tmp_path / "logs")
    log = read_eval_log(str(written))
    assert log.status == "success"
    assert log.eval.model == "replay/openai/gpt-x"
    assert log.eval.metadata["paper"] == "format_bias"
    assert log.eval.metadata["primary_metric"] == "bias_f_wrapping"
    assert log.results.total_samples == 2
    assert log.samples[0].messages[-1].text == "**12**"
    again = score(log, format_bias_scorer(extraction="strict"), action="append", display="none")
    names = [s.name for s in again.results.scores]
    assert names == ["format_bias_scorer", "score", "format_bias_scorer1", "score"]
    assert again.samples[0].scores["format_bias_scorer"].value["score"] == 1


def test_every_category_can_be_replayed(tmp_path):
    replies = [
        {"task": "MMLU", "format": "char", "target": "B", "completion": "B."},
        {"task": "mmlu", "format": "text", "target": "green", "completion": "Green",
         "choices": ["red", "green"]},
        {"task": "bbh", "format": "brackets", "target": "A", "completion": "[[a]]"},
        {"task": "mine", "format": "brackets", "target": "A", "completion": "[[A]]",
         "choices": ["x", "y"]},
        {"task": "SciDocsRR", "format": "python", "target": [1, 0], "completion": "[1, 0]"},
        {"task": "semeval2017", "format": "newline", "target": "['tide', 'ebb']",
         "completion": "ebb\ntide"},
        {"task": "SciREX Easy", "format": "yaml", "target": '{"Task": ["tide"]}',
         "completion": "Task: [Tide]"},
        {"task": "scirex_easy", "format": "json", "prompting": "cot", "target": {"Task": []},
         "completion": 'Well. <ANSWER>{"Task": []}</ANSWER>'},
    ]  # fmt: skip
    rows = observed(tmp_path, *({"item": i, **r} for i, r in enumerate(replies)))
    assert rows.rows["format_ok"].tolist() == [1.0] * len(replies)
    assert rows.rows["score"].tolist() == [1.0] * len(replies)
    assert "scirex_easy" in set(rows.rows["subset"])


@cases("second", "models")
def test_one_models_replies_in_several_files_are_one_model(tmp_path, second, models):
    """Unless both files hold the same sample: then nobody knows which reply counts."""
    paths = []
    for number, told in enumerate(({}, second)):
        (folder := tmp_path / str(number)).mkdir()
        paths += score_replies(write(folder, told), log_dir=tmp_path / "logs")
    rows = Study.read([str(path) for path in paths], quiet=True).rows
    assert len(rows) == 2
    assert rows["model"].nunique() == rows["run"].nunique() == models


@cases("reply", "problem")
def test_a_wrong_line_is_named(tmp_path, reply, problem):
    with pytest.raises(RecordsError, match="line 2") as caught:
        observed(tmp_path, {}, reply)
    assert problem in str(caught.value)


def documented_comparison():
    path = Path(__file__).parents[2] / "docs" / "examples" / "format_bias_published.py"
    spec = importlib.util.spec_from_file_location("format_bias_published", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.whole
@pytest.mark.real_data
def test_the_documented_comparison_finds_every_published_cell(real_logs):
    (folder,) = {str(Path(log).parent) for log in real_logs.values()}
    found = documented_comparison().differences(folder, "ChatGPT")
    assert len(found) == 42
    assert found["difference"].abs().max() <= 0.55
    assert set(found["n_items"]) == {200}
