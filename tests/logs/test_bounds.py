"""Logs that say megabytes of themselves, or too much: cut or refused in a sentence, never shown."""

import json
import tracemalloc
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from inspect_ai.scorer import Score

from askew.analysis import read_observations, write_observations
from askew.cli import main
from askew.logs.runs import run_settings
from askew.papers import paper_named
from askew.report.study import Study
from askew.schema import SET_ASIDE
from tests.cli.broken_logs import COMMANDS, POLICY, packed, parts_of, samples, with_header
from tests.growth import ratio
from tests.logs.made_logs import a_log, a_sample, a_score, written

LONG = "L" * 2_000_000
ODD = "\x00\ud800\u202e\x1b[31m"


def many(n=100_000, start=""):
    return {f"k{start}{i}": i for i in range(n)}


def header(**told):
    """A log whose run says this of itself."""
    return lambda path: with_header(path, lambda h: h["eval"].update(told))


def of_samples(change):
    """A log of which every summary is changed."""

    def changed(path):
        parts = parts_of(path)
        summaries = json.loads(parts["summaries.json"])
        for number, summary in enumerate(summaries):
            change(summary, number)
        parts["summaries.json"] = json.dumps(summaries).encode()
        path.write_bytes(packed(parts))

    return changed


def metadata(**told):
    return of_samples(lambda s, _: s["metadata"].update(told))


def scores(**told):
    return of_samples(lambda s, _: [score.update(told) for score in s["scores"].values()])


def score_metadata(**told):
    return of_samples(lambda s, _: [v["metadata"].update(told) for v in s["scores"].values()])


# What is read, with texts cut.
CUT = {
    "a long model": header(model=LONG),
    "an odd model": header(model="lab/" + ODD),
    "a long task argument": header(task_args={"template": LONG}),
    "a task argument of many parts": header(task_args={"a": [*range(100_000)]}),
    "a long name of a task argument": header(task_args={LONG: 1}),
    "an odd task argument": header(task_args={ODD: ODD}),
    "model arguments in each other": header(model_args=json.loads('{"a":' * 200 + "1" + "}" * 200)),
    "many tags": header(tags=[f"t{i}" for i in range(100_000)]),
    "a long tag": header(tags=[LONG]),
    "a long address": header(model_base_url="http://" + LONG),
    "a long solver": header(solver=LONG),
    "a long package": header(packages={LONG: LONG}),
    "a long version": header(task_version=LONG),
    "a long revision": lambda path: with_header(
        path, lambda h: h["eval"]["metadata"].update(data=LONG, data_revision=LONG)
    ),
    "much metadata of a run": lambda path: with_header(
        path, lambda h: h["eval"]["metadata"].update(many(), refused=many())
    ),
    "a long error of a run": lambda path: with_header(
        path,
        lambda h: h.update(
            status="error", error={"message": LONG, "traceback": LONG, "traceback_ansi": LONG}
        ),
    ),
    "long sample ids": of_samples(lambda s, i: s.update(id=LONG[:200_000] + str(i))),
    "odd sample ids": of_samples(lambda s, i: s.update(id=ODD + str(i))),
    "a long item": metadata(item=LONG[:200_000]),
    "an odd item": metadata(item=ODD),
    "a long condition": metadata(hint=LONG[:200_000]),
    "an odd condition": metadata(hint=ODD),
    "a long subset": metadata(subset=LONG[:200_000]),
    "a long list": metadata(told=list(range(100_000))),
    "lists in each other": metadata(told=json.loads("[" * 300 + "]" * 300)),
    "a number without end": metadata(told=10**400),
    "a long answer": scores(answer=LONG[:400_000], explanation=LONG[:400_000]),
    "an odd answer": scores(answer=ODD, explanation=ODD),
    "a long outcome": score_metadata(outcome=LONG[:200_000]),
}  # fmt: skip
# What is left out, with the sentence that says why.
REFUSED = {
    "many task arguments": (header(task_args=many()), "more than 1,000 task arguments"),
    "many within one": (header(task_args={"a": many()}), "more than 1,000 task arguments"),
    "many model arguments": (header(model_args=many()), "more than 1,000 model arguments"),
    "many solver arguments": (
        header(solver="x/y", solver_args=many()), "more than 1,000 solver arguments"
    ),
    "many roles": (
        header(model_roles={f"r{i}": {"model": "m/x"} for i in range(20_000)}),
        "more than 1,000 model roles",
    ),
    "many packages": (
        header(packages=dict.fromkeys(many(), "1")), "more than 1,000 packages"
    ),
    "a long date": (header(created=LONG), "ValidationError"),
    "many fields": (
        of_samples(lambda s, i: s["metadata"].update(many(20_000))),
        "it has 20,016 fields, more than 200",
    ),
    "few fields each, many together": (
        of_samples(lambda s, i: s["metadata"].update(many(100, start=i))),
        "its samples have more than 200 fields",
    ),
    "a long field": (metadata(**{LONG[:200_000]: 1}), "a field's name is longer than 100"),
    "an odd field": (metadata(**{ODD: 1}), "a field's name is longer than 100 characters, or"),
    "many details of a score": (score_metadata(**many(20_000)), "fields, more than 200"),
    "many measures": (
        of_samples(lambda s, _: [
            v["value"].update(dict.fromkeys(many(20_000), 0.5)) for v in s["scores"].values()
        ]),
        "it has 20,003 fields, more than 200",
    ),
    "a text for a number": (metadata(order="first"), "its order is no number"),
    "a number for a text": (metadata(gold=7), "its gold is no text"),
    "no number": (metadata(order=float("nan")), "its order is no number"),
    "a detail that passes for a measure": (
        score_metadata(correct=7.0), "measure correct is not between 0 and 1"
    ),
    "an epoch without end": (
        of_samples(lambda s, _: s.update(epoch=10**30)), "its epoch is none from 1 to 100,000"
    ),
    "an epoch before the first": (of_samples(lambda s, _: s.update(epoch=-1)), "its epoch is none"),
    "a long error": (of_samples(lambda s, _: s.update(error=LONG[:400_000], scores=None)), "LLLL"),
    "a long limit": (
        of_samples(lambda s, _: s.update(limit=LONG[:400_000], scores=None)), "stopped by its LLLL"
    ),
    "a summary of megabytes": (
        of_samples(lambda s, _: s.update(error=LONG)), "is longer than 1,048,576 characters"
    ),
}  # fmt: skip


# As much where settings lie in each other, or in what a model or scorer is made of.
WITHIN = {
    "scorers": header(scorers=[{"name": "knowno_scorer", "options": many(1_001)}]),
    "model roles": header(model_roles={"grader": {"model": "lab/x", "args": many(1_001)}}),
    "model roles ": header(
        model_roles={"grader": [{"model": "lab/x", "config": {"extra_body": many(1_001)}}]}
    ),
    "generation settings": header(model_generate_config={"extra_body": many(1_001)}),
    "generation settings ": lambda path: with_header(
        path, lambda h: h["plan"]["config"].update(extra_body={"a": many(1_001)})
    ),
}


def folder_with(changes, logs):
    """Two models' good logs, and one more for each change."""
    written(a_log(samples()), logs, "good.eval")
    written(a_log(samples(score=a_score(0.0)), model="lab/one"), logs, "one.eval")
    for number, change in enumerate(changes):
        change(written(a_log(samples("odd"), model=f"lab/odd{number}"), logs, f"odd{number}.eval"))
    return logs


def kept(logs, tmp_path):
    """The observations, once what is kept of them was seen to be of few bytes."""
    rows = Study.read(logs, quiet=True)
    told = [rows.excluded.to_dict("records"), [asdict(run) for run in rows.runs]]
    assert len(json.dumps(told)) < 10_000
    assert rows.rows.memory_usage(deep=True).sum() < 40_000
    for suffix in ("csv", "parquet"):
        assert write_observations(rows, tmp_path / f"rows.{suffix}").stat().st_size < 60_000
    assert pq.read_metadata(tmp_path / "rows.parquet").num_rows == len(rows.rows)
    return rows.rows


@pytest.mark.whole
@pytest.mark.parametrize("what", CUT)
def test_what_is_long_is_cut_and_the_log_read(what, tmp_path):
    rows = kept(folder_with([CUT[what]], tmp_path / "logs"), tmp_path)
    assert len(rows) == 12
    assert set(Study(rows).excluded["what"]) <= {"never asked"}


@pytest.mark.whole
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_too_much_is_left_out_with_a_sentence(what, tmp_path):
    change, sentence = REFUSED[what]
    rows = kept(folder_with([change], tmp_path / "logs"), tmp_path)
    assert len(rows) == 8
    told = Study(rows).excluded
    assert sentence in " | ".join(told["why"])
    assert told["why"].str.len().max() < 400


@pytest.mark.parametrize("what", WITHIN)
def test_settings_are_counted_wherever_they_lie(what, tmp_path):
    rows = Study.read(folder_with([WITHIN[what]], tmp_path), quiet=True)
    assert len(rows.rows) == 8
    assert f"more than 1,000 {what.strip()}" in rows.excluded["why"].iloc[0]


def test_as_many_settings_as_a_run_may_have_are_read(tmp_path):
    changes = [header(model_args=many(1_000)), header(model_roles={"a": {"model": "lab/x"}})]
    assert len(read_observations(folder_with(changes, tmp_path), quiet=True)) == 16


@pytest.mark.parametrize("epochs", [10**12, 100_001, 0, -1])
def test_a_run_of_as_many_epochs_as_nobody_asks_is_refused_also_where_it_asks_nothing(
    epochs, tmp_path
):
    change = header(config={"epochs": epochs}, dataset={"name": "made", "sample_ids": []})
    rows = Study.read(folder_with([change], tmp_path), quiet=True)
    assert len(rows.rows) == 8
    assert "its run's epochs are none from 1 to 100,000" in rows.excluded["why"].iloc[0]


def test_epochs_that_nobody_asked_cost_nothing():
    few, many = (
        lambda n=n: read_observations(a_log(samples(), epochs=n), quiet=True) for n in (2, 100_000)
    )
    few()
    assert ratio(many, few) < 1.2
    [never] = Study(many()).excluded["count"]
    assert never == 4 * (100_000 - 1)


def test_a_long_name_over_many_settings_is_not_repeated_in_memory():
    log = a_log(samples(), model_args={LONG[:200_000]: many(990)})
    tracemalloc.start()
    try:
        settings = run_settings(log, paper_named("knowno"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(settings.model) == 990
    assert peak < 20_000_000


def test_questions_that_are_wrong_and_packages_that_differ_are_told_up_to_a_number():
    wrong = [
        a_sample(f"i{n}", score=Score.unscored(reason=SET_ASIDE, explanation=f"i{n}"))
        for n in range(600)
    ]
    logs = [a_log(wrong), *(a_log(samples(), packages=dict.fromkeys(many(900), v)) for v in "ab")]
    told = Study.read(logs, quiet=True).excluded
    assert told[told["what"] == SET_ASIDE]["why"].iloc[-1] == "100 other reasons"
    mixed = told[told["what"] == "mixed versions"]["why"]
    assert (len(mixed), mixed.iloc[-1]) == (6, "897 other packages")


def test_two_long_settings_that_differ_at_their_ends_stay_two_runs(tmp_path):
    changes = [header(model="lab/x", task_args={"template": LONG + end}) for end in "ab"]
    rows = Study.read(folder_with(changes, tmp_path / "logs"), quiet=True)
    assert rows.rows[rows.rows["model_name"] == "lab/x"]["model"].nunique() == 2


@pytest.fixture(scope="module")
def all_of_them(tmp_path_factory):
    changes = [*CUT.values(), *(change for change, _ in REFUSED.values())]
    return folder_with(changes, tmp_path_factory.mktemp("all") / "logs")


OUTPUTS = {"html": 4_000_000, "md": 400_000, "json": 2_000_000, "csv": 1_000_000}


@pytest.mark.whole
@pytest.mark.parametrize("suffix", OUTPUTS)
def test_a_report_over_all_of_them_stays_small(suffix, all_of_them, tmp_path):
    target = tmp_path / f"report.{suffix}"
    done = CliRunner().invoke(main, ["report", str(all_of_them), "-o", str(target)])
    assert done.exit_code == 0, done.output
    assert target.stat().st_size < OUTPUTS[suffix]
    assert len(done.output) < 40_000
    assert "L" * 5_000 not in target.read_text(encoding="utf-8")
    assert "\x1b" not in target.read_text(encoding="utf-8")


@pytest.mark.whole
def test_a_card_for_each_of_their_models_stays_small(all_of_them, tmp_path):
    folder = tmp_path / "cards"
    done = CliRunner().invoke(main, ["report", str(all_of_them), "--card", "-o", str(folder)])
    assert done.exit_code == 0, done.output
    written = [*folder.iterdir()]
    models = read_observations(all_of_them, quiet=True)["model"].nunique()
    assert models > 2
    # Those of whom nothing could be read have one as well.
    assert len([path for path in written if path.suffix == ".md"]) > models
    for path in written:
        told = path.read_text(encoding="utf-8")
        assert len(told) < 200_000
        assert "L" * 5_000 not in told
        assert "\x1b" not in told


@pytest.mark.whole
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "report"])
def test_other_commands_over_all_of_them_stay_small(command, all_of_them, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(POLICY, encoding="utf-8")
    done = CliRunner().invoke(main, [command, str(all_of_them), *COMMANDS[command]])
    assert done.exit_code in (0, 2), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert len(done.output) < 60_000
    assert all(path.stat().st_size < 4_000_000 for path in tmp_path.glob("out.*"))


@pytest.mark.whole
@pytest.mark.parametrize("part", ["task_args", "model_args", "packages"])
def test_work_grows_no_faster_than_what_a_log_says_of_its_run(part, tmp_path):
    paths = []
    for n in (5_000, 20_000):
        path = written(a_log(samples()), tmp_path / "logs", f"{n}.eval")
        with_header(path, lambda h, n=n: h["eval"].update({part: dict.fromkeys(many(n), "1")}))
        paths.append(path)
    few, more = (lambda path=path: read_observations(path, quiet=True) for path in paths)
    few()
    assert ratio(more, few) < 5
