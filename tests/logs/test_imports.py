"""Published results become logs: effects by arm as by hand, and refusals that say what to do."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from askew import Study, compare_logs, write_report
from askew.cli import main
from askew.logs.imports import import_results
from askew.sources.records import RecordsError
from tests.cases import cases


def results(n=40, arms=("original", "pressure", "doubt"), models=("a/one", "b/two"), **more):
    rng = np.random.default_rng(2)
    rows = [
        {"model": m, "item": f"q{i}", "arm": arm, "score": int(rng.random() < 0.9 - 0.3 * k)}
        for m in models for i in range(n) for k, arm in enumerate(arms)
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(**more)


def saved(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    return path


@pytest.mark.whole
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_effects_of_arms_are_those_of_the_file(tmp_path, suffix):
    frame = results(reply="text", epoch=1)
    file = saved(frame, tmp_path / f"results{suffix}")
    found = import_results(file, tmp_path / "logs")
    assert (len(found.logs), found.control, found.notes) == (2, "original", [])
    study = Study.read(tmp_path / "logs", quiet=True)
    table = study.summary()
    scores = frame.groupby(["model", "arm"])["score"].mean()
    for model in ("a/one", "b/two"):
        own = table[(table["model"] == model) & (table["arm"] == "pressure")]
        (effect,) = own[own["metric"] == "effect"].to_dict("records")
        assert effect["value"] == pytest.approx(
            scores[model, "pressure"] - scores[model, "original"]
        )
        assert effect["low"] < effect["value"] < effect["high"]
    assert not len(study.excluded)
    page = write_report(study, tmp_path / "page.html")
    assert "pressure" in page.read_text()
    sides = compare_logs(*[str(log) for log in found.logs])
    assert (sides.table["n"][0], sides.table["n_clusters"][0]) == (120, 40)


def test_missing_cells_and_empty_scores_are_counted(tmp_path):
    frame = results(models=["m"]).drop(index=[1, 2]).assign(cluster="c")
    frame["score"] = frame["score"].astype(object)
    frame.loc[3, "score"] = None
    found = import_results(saved(frame, tmp_path / "r.jsonl"), tmp_path / "logs")
    assert found.notes == [
        "results, m: 2 of 120 cells (item and arm) are missing",
        "results, m: 1 of 118 rows have no score",
    ]
    study = Study.read(tmp_path / "logs", quiet=True)
    counts = study.excluded.groupby("what")["count"].sum()
    assert dict(counts) == {"not run": 2, "unscored": 1}
    assert [at["arm"] for at in study.runs[0].lost] == ["plain"]
    assert not study.summary(None).empty


@pytest.mark.parametrize(
    ("change", "said"),
    [
        # As SycoBench, DOVE and a wide table name their columns.
        (lambda f: f.rename(columns={"item": "question_id", "arm": "pressure"}),
         ["no column item (is it 'question_id'?", "no column arm (is it 'pressure'?"]),
        (lambda f: f.rename(columns={"score": "is_correct"}), ["is it 'is_correct'?"]),
        (lambda f: f.pivot(index=["model", "item"], columns="arm", values="score").reset_index(),
         ["a column per arm", "frame.melt"]),
        (lambda f: f.assign(score="good"), ["good is no score from 0 to 1"]),
        (lambda f: f.assign(score=f["score"] * 100), ["100 is no score from 0 to 1"]),
        (lambda f: pd.concat([f, f[:1]]), ["the same model, item, arm and epoch as line"]),
        (lambda f: f.assign(epoch="first"), ["epoch: Input should be a valid integer"]),
        (lambda f: f.assign(epoch=1.5), ["epoch: Input should be a valid integer"]),
        (lambda f: f.assign(task="all"), ["rename this task"]),
        (lambda f: pd.concat([f, f[f["arm"] != "original"].assign(model="z")]),
         ["results, z: no item of arm 'pressure'"]),
        (lambda f: f.assign(item=f["item"] + f["arm"]), ["no item of arm 'pressure' is in"]),
        (lambda f: f.assign(arm=f["arm"].replace("original", "usual")),
         ["no arm has the name of a control", "usual, pressure, doubt"]),
        (lambda f: f.assign(arm=f["arm"].replace("doubt", "plain")), ["several arms could be"]),
        (lambda f: f[f["arm"] == "original"], ["is the only arm"]),
        (lambda f: f.assign(arm=f["arm"].replace("doubt", "all")), ["rename this arm"]),
        (lambda f: f.assign(model=""), ["field model: the cell is empty"]),
    ],
)  # fmt: skip
def test_a_file_that_means_nothing_is_refused_with_what_to_do(tmp_path, change, said):
    file = saved(change(results(models=["m"])), tmp_path / "r.csv")
    run = CliRunner().invoke(main, ["import", str(file), "--log-dir", str(tmp_path / "logs")])
    assert run.exit_code == 2
    assert all(text in run.output for text in said), run.output
    assert not (tmp_path / "logs").exists()


def test_a_name_of_the_control_and_scores_in_words_are_taken(tmp_path):
    rows = [
        {"model": "m", "item": i, "arm": arm, "score": score, "reply": "so"}
        for i in range(25) for arm, score in (("first/1", True), ("first 1", "false"))
    ]  # fmt: skip
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    run = CliRunner().invoke(
        main, ["import", str(file), "--control", "first/1", "--log-dir", str(tmp_path / "logs")]
    )
    assert run.exit_code == 0, run.output
    assert "control arm: first/1" in run.output
    file.write_text(json.dumps(rows[0] | {"reply": "half \ud800"}))
    assert "hex escape" in CliRunner().invoke(main, ["import", str(file)]).output
    rows = Study.read(tmp_path / "logs", quiet=True).rows
    assert dict(rows.groupby("arm")["score"].mean()) == {"plain": 1.0, "first 1": 0.0}


def test_truth_values_are_names_and_a_later_record_without_a_score_is_refused(tmp_path):
    common = {"model": "m", "item": 1, "score": 1, "reply": True, "cluster": " "}
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(json.dumps(common | {"arm": arm}) for arm in (False, True)))
    assert len(import_results(file, tmp_path / "logs", control="False").logs) == 1
    file.write_text(file.read_text() + '\n{"model": "m", "item": 2, "arm": true, "Score": 1}')
    with pytest.raises(RecordsError, match="line 3, field score: missing"):
        import_results(file, tmp_path / "logs", control="False")


@pytest.mark.parametrize(
    "names",
    [
        ("\u538b\u529b", "\u6000\u7591"),
        ("+1", "-1"),
        ("<5", ">5"),
        ("a b", "a/b"),
        ("(all)", "plain"),
        ("x" * 150 + "1", "x" * 150 + "2"),
    ],
)
def test_arms_and_items_that_ids_cannot_spell_pair_by_name_in_whatever_order(tmp_path, names):
    """Two files of two models, of which one lists arms and items backwards."""
    arms, logs = ["original", *names], []
    for model, turn in (("a", 1), ("b", -1)):
        rows = [
            {"model": model, "item": f"{i % 4}{name}", "arm": arm, "score": int(arm == names[0])}
            for i in range(4) for name in names for arm in arms
        ][::turn]  # fmt: skip
        file = saved(pd.DataFrame(rows), tmp_path / f"{model}.jsonl")
        logs += import_results(file, tmp_path / model, control="original").logs
    study = Study.read([str(log) for log in logs], quiet=True)
    assert not len(study.excluded)
    scores = study.rows.groupby(["arm", "model"])["score"].mean().unstack()
    assert len(scores) == 3
    assert (scores["a"] == scores["b"]).all()
    assert sorted(scores["a"]) == [0, 0, 1]
    assert {n for n in names if n != "plain" and len(n) < 100} <= {*scores.index}
    pairs = compare_logs(*map(str, logs)).table.iloc[0]
    assert (pairs["n"], pairs["risen"], pairs["fallen"]) == (24, 0, 0)


@cases("epochs", "not_run")
def test_seeds_as_epochs_lack_nothing_and_counted_epochs_that_are_missing_show(
    tmp_path, epochs, not_run
):
    frame = pd.concat(
        results(n=3, models=[model]).assign(epoch=epoch)
        for model, own in epochs.items()
        for epoch in own
    )
    import_results(saved(frame, tmp_path / "r.csv"), tmp_path / "logs")
    study = Study.read(tmp_path / "logs", quiet=True)
    assert len(study.rows) == len(frame)
    assert study.excluded["count"].sum() == not_run
