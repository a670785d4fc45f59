"""Reports on logs of tasks of other authors: scores, comparisons of models, flips, and alone."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
from click.testing import CliRunner
from inspect_ai.log import write_eval_log
from jsonschema import validate
from scipy import stats

from askew import compare_logs
from askew.cli import main
from tests.logs.made_logs import a_log as askews_log
from tests.logs.made_logs import a_sample, written
from tests.logs.ordinary import a_log
from tests.report.test_report import SCHEMA


def answers(p, seed, n=60):
    return ["C" if x < p else "I" for x in np.random.default_rng(seed).random(n)]


def report_of(folder, *logs):
    for number, log in enumerate(logs):
        write_eval_log(log, folder / "logs" / f"2026-03-01T12-00-0{number}_x_{number}.eval")
    files = {kind: folder / f"report.{kind}" for kind in ("html", "json", "md", "csv")}
    outputs = [arg for file in files.values() for arg in ("-o", str(file))]
    run = CliRunner().invoke(main, ["report", str(folder / "logs"), *outputs])
    return run, files


def test_ordinary_logs_alone_have_a_page_with_scores_comparisons_and_replies(tmp_path):
    a, b = answers(0.9, 1), answers(0.5, 2)
    logs = [a_log(a, model="m/a"), a_log(b, model="m/b"), a_log(b, model="m/b", task="tales")]
    run, files = report_of(tmp_path, *logs)
    assert run.exit_code == 0, run.output
    data = json.loads(files["json"].read_text())
    validate(data, SCHEMA)
    first = data["other_tasks"]["scores"][0]
    right = sum(x == "C" for x in a)
    interval = stats.binomtest(right, 60).proportion_ci(method="wilson")
    assert [first[k] for k in ("value", "low", "high")] == pytest.approx(
        [right / 60, interval.low, interval.high], abs=1e-6
    )
    (pair,) = data["other_tasks"]["comparisons"]
    (row,) = compare_logs(*logs[:2]).table.to_dict("records")
    for name in ("difference", "low", "high", "p_value", "p_corrected", "n", "verdict"):
        assert pair[name] == pytest.approx(row[name])
    assert not data["left_out"]
    assert "Mean scores" in files["md"].read_text()
    page = files["html"].read_text()
    assert "reply C" in page
    assert "There is nothing to report" not in page


def test_the_reply_browser_lists_replies_of_ordinary_logs_and_of_askews(tmp_path):
    written(askews_log([a_sample(f"i{n}") for n in range(3)]), tmp_path / "logs", "own.eval")
    a, b = answers(0.9, 1, 9), answers(0.5, 2, 9)
    _, files = report_of(tmp_path, a_log(a, model="m/a"), a_log([{"x": 1, "y": 0.4}], model="m/b"),
                         a_log(b, model="m/b", task="tales", errors=[2]))  # fmt: skip
    page = files["html"].read_text()
    packed = [re.search(rf'id="replies-{of}">([^<]*)<', page)[1] for of in ("index", "0")]
    index, texts = (json.loads(zlib.decompress(base64.b64decode(of))) for of in packed)
    own, sums, tales = index["tasks"]
    assert [m[0] for m in index["models"]][-2:] == ["m/a", "m/b"]
    assert [t["title"] for t in (sums, tales)] == ["sums", "tales"]
    assert sums["conditions"][0]["values"] == ["match", "match/x", "match/y"]
    assert sums["verdict"] == [int(v == "C") for v in a] + [1, 2]
    assert tales["verdict"] == [int(v == "C") for n, v in enumerate(b) if n != 2]
    assert not any(tales["flip"])
    assert {texts[place][1] for place in sums["text"][:9]} == {f"reply {v}" for v in a}
    assert own["conditions"][0]["title"] != "measure"


def test_epochs_count_a_sample_once_and_lost_samples_are_named(tmp_path):
    values = answers(0.7, 3, 80)
    _, files = report_of(tmp_path, a_log(values, epochs=2, errors=[0]))
    (score,) = json.loads(files["json"].read_text())["other_tasks"]["scores"]
    means = [np.mean([v == "C" for v in values[2 * i + (i == 0) : 2 * i + 2]]) for i in range(40)]
    assert (score["n"], score["epochs"]) == (40, 2)
    interval = stats.ttest_1samp(means, 0).confidence_interval()
    assert [score["low"], score["high"]] == pytest.approx([interval.low, interval.high])
    assert "1 ended in an error" in files["md"].read_text()
    assert f"\nsums,match,mockllm/model,,{score['value']}," in files["csv"].read_text()


SEVERAL = [a_log(answers(0.9, 1), task_args={"few": n}) for n in (1, 2)]


@pytest.mark.parametrize(
    ("logs", "why"),
    [([a_log(["C"] * 9, errors=range(9))], "9 ended in an error"),
     ([a_log(["apple"] * 9)], "9 have no number as match"), (SEVERAL, "differ in task.few")],
)  # fmt: skip
def test_a_task_without_scores_has_the_reason_alone_and_with_others(tmp_path, logs, why):
    run, _ = report_of(tmp_path / "alone", *logs)
    assert (run.exit_code, why in run.output) == (2, True)
    run, files = report_of(tmp_path / "beside", *logs, a_log(answers(0.9, 1), task="tales"))
    assert run.exit_code == 0, run.output
    (score,) = json.loads(files["json"].read_text())["other_tasks"]["scores"]
    assert (score["task"], why in files["md"].read_text()) == ("tales", True)


def pages_of(folder, *logs):
    run, files = report_of(folder, *logs)
    assert run.exit_code == 0, run.output
    return files["md"].read_text(), json.loads(files["json"].read_text())["other_tasks"]


def test_a_measure_has_one_unit_by_all_its_values_and_no_direction_beyond_0_to_1(tmp_path):
    """Means of counts may lie from 0 to 1; of two models one may have such values alone."""
    few = [{"acc": n % 2, "errors": int(n % 5 < 2)} for n in range(40)]
    many = [{"acc": 1, "errors": 3 * (n % 9 == 0)} for n in range(40)]
    page, data = pages_of(tmp_path, a_log(few, model="m/a"), a_log(many, model="m/b"))
    fractions = {row["measure"]: row["fraction"] for row in data["scores"]}
    assert fractions == {"match/acc": True, "match/errors": False}
    verdicts = {row["measure"]: row["verdict"] for row in data["comparisons"]}
    assert (verdicts["match/acc"], data["comparisons"][1]["margin"]) == ("better", None)
    rows = [line for line in page.splitlines() if line.startswith("| match/errors")]
    assert len(rows) == 3
    assert not any("%" in row or "percent" in row for row in rows)
    turns = a_log([9] * 20 + [8] * 20), a_log([12] * 40, model="x")
    higher, _ = pages_of(tmp_path / "turns", *turns)
    assert "| higher (" in higher
    assert "better (" not in higher


@pytest.mark.parametrize(
    ("one", "other", "judged"),
    [({"values": [1] * 20}, {"values": [0] * 20}, {"1", "0"}),
     ({"values": [1] * 10 + [3] * 10}, {"values": [0] * 10 + [3] * 10}, set()),
     ({"values": [1] * 20}, {"values": [1, 0] * 20, "epochs": 2}, {"1"}),
     ({"values": [0.9] * 20}, {"values": [0.2] * 20}, set())],
)  # fmt: skip
def test_only_scores_of_0_and_1_are_right_or_wrong(tmp_path, one, other, judged):
    sides = [a_log(model=f"m/{n}", **of) for n, of in enumerate((one, other))]
    page, _ = pages_of(tmp_path, *sides)
    sides = [line.split(": ") for line in page.splitlines() if line.startswith("  - m/")]
    assert sides
    assert {of[1] for of in sides if of[-1].endswith(("right", "wrong"))} == judged


def test_rows_without_a_number_have_a_reason_and_notes_count_what_one_side_lacks(tmp_path):
    logs = [a_log([1, 0] * 10, model="m/a"), a_log([1, 0] * 10, model="m/b", inputs="other {}")]
    page, _ = pages_of(tmp_path, *logs)
    assert "nan" not in page
    assert "20 of 20 samples have another input" in page
    assert "samples only in" not in page
    assert "askew compare A B --allow-diff input" in page
    page, _ = pages_of(tmp_path / "fewer", logs[0], a_log([1, 0] * 6, model="m/b"))
    assert "8 of 20 samples only in m/a" in page
    assert "only in m/b" not in page
