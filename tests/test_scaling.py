"""The recipes of docs/scaling.md, run on few items: shards pool, other engines agree."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai import eval

from askew import metrics
from askew.analysis import left_out, read_observations, summarize, write_observations
from askew.logs import unpacking
from askew.papers.knowno.tasks import knowno
from tests.cli.broken_logs import named, packed, parts_of, understated
from tests.logs.made_logs import a_log, a_sample, written
from tests.logs.test_unpacking import lying
from tests.object_store import Lies, served_bucket

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
# Of each of the three subsets; a part that asks two of them asks twice as many.
ITEMS = 4


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


FOLDER, EVAL_SET, BUCKET = blocks("console")


def words_of(line):
    """A recipe's line as a command, small and quiet; whether it is started in the background."""
    words = shlex.split(line.removeprefix("$ "))
    background = words[-1] == "&"
    if background:
        (subset,) = [w for w in words if w.startswith("subset=")]
        many = ITEMS * len(subset.split(","))
        words[-1:] = ["-T", f"items={many}", "--display", "none", "--log-level", "error"]
    return words, background


@pytest.fixture(scope="module")
def follow(forks):
    """Does a recipe in a folder and says what each of its commands ended with."""

    def _follow(recipe, folder, **settings):
        running, codes = [], []
        for line in recipe.splitlines():
            words, background = words_of(line)
            if words == ["wait"]:
                codes += [forks.ended(process) for process in running]
                continue
            started = forks.start(words, folder, **settings)
            if background:
                running.append(started)
            else:
                codes.append(forks.ended(started))
        return codes

    return _follow


def without_report(recipe):
    """The reports of these parts are compared in full below."""
    return "\n".join(line for line in recipe.splitlines() if "askew report" not in line)


@pytest.fixture(scope="module")
def shared(follow, tmp_path_factory):
    """The observations of the parts that share a log folder."""
    folder = tmp_path_factory.mktemp("shared")
    assert follow(without_report(FOLDER), folder) == [0, 0]
    return read_observations(folder / "audit", quiet=True)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The observations of one run of everything."""
    (log,) = eval(
        knowno(items=3 * ITEMS), model="respondent/typical", display="none", log_level="error",
        log_dir=str(tmp_path_factory.mktemp("alone")),
    )  # fmt: skip
    return read_observations(log.location, quiet=True)


def assert_same_numbers(parts, whole):
    assert sorted(parts["sample_id"]) == sorted(whole["sample_id"])
    assert parts["run"].nunique() == 1
    ours, theirs = (
        summarize(rows).sort_values(["metric", "subset"], ignore_index=True)
        for rows in (whole, parts)
    )
    exact = ["metric", "subset", "value", "low", "high", "n_items"]
    pd.testing.assert_frame_equal(ours[exact], theirs[exact])


def test_processes_that_share_a_log_folder_give_the_numbers_of_one_run(shared, alone):
    assert len(alone) == 6 * 3 * ITEMS
    assert_same_numbers(shared, alone)


def test_eval_sets_with_a_folder_each_give_the_numbers_of_one_run(follow, alone, tmp_path):
    assert follow(without_report(EVAL_SET), tmp_path) == [0, 0]
    assert_same_numbers(read_observations(tmp_path / "audit", quiet=True), alone)


def boto3_client():
    import boto3

    return boto3.client("s3")


@pytest.fixture
def bucket(monkeypatch):
    """An object store on loopback with an empty bucket, and the settings that lead there."""
    with served_bucket(monkeypatch) as settings:
        yield settings


def test_parts_in_a_bucket_are_reported_as_one_run(follow, bucket, alone, tmp_path):
    recipe = BUCKET.replace("report.html", "report.json")
    assert follow(recipe, tmp_path, **bucket) == [0, 0, 0]
    told = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert "omni_accuracy" in json.dumps(told)
    assert_same_numbers(read_observations("s3://bucket/audit", quiet=True), alone)


def test_a_bucket_that_is_not_there_is_one_message(bucket, tmp_path):
    from click.testing import CliRunner

    from askew.cli import main

    target = tmp_path / "report.json"
    done = CliRunner().invoke(main, ["report", "s3://absent/audit", "-o", str(target)])
    assert done.exit_code == 2
    assert "s3://absent/audit" in done.stderr or "audit: " in done.stderr
    assert not target.exists()


def test_logs_in_a_bucket_that_lie_about_their_length_are_named_and_the_rest_is_read(
    bucket, tmp_path
):
    good = written(a_log([a_sample("good")]), tmp_path, "good.eval")
    parts = parts_of(good)
    journal = {f"_journal/summaries/{n}.json": b" " * 9_000_000 for n in range(2, 9)}
    contents = {
        "good": good.read_bytes(),
        "bomb": packed({**parts, **journal}),
        "lies": understated({**parts, "summaries.json": b" " * 3_000_000}, "summaries.json"),
        "short": good.read_bytes()[:-30],
    }
    for name, content in contents.items():
        boto3_client().put_object(Bucket="bucket", Key=f"odd/{named(name)}", Body=content)
    plain = written(a_log([a_sample("plain")]), tmp_path, named("plain")[:-5] + ".json")
    boto3_client().upload_file(str(plain), "bucket", f"odd/{plain.name}")
    observations = read_observations("s3://bucket/odd", quiet=True)
    assert sorted(observations["item"]) == ["good", "plain"]
    told = left_out(observations)
    why = {log.split("_")[1]: reason for log, reason in zip(told["log"], told["why"], strict=True)}
    assert sorted(why) == ["bomb", "lies", "short"]
    assert "would unpack" in why["bomb"]
    assert "CRC-32" in why["lies"]


def test_a_part_in_a_bucket_gives_no_more_than_it_tells(bucket, tmp_path, monkeypatch):
    """With a checksum to match, the lie is the whole part; what is behind it is not read."""
    put = boto3_client().put_object
    longest = []
    parts = max(map(len, parts_of(written(a_log([a_sample("i")]), tmp_path, "a.eval")).values()))
    whole = unpacking.joined
    monkeypatch.setattr(
        unpacking, "joined",
        lambda steps: (longest.append(len(c)) or c for c in whole(steps)),
    )  # fmt: skip
    for name, part, less in (
        ("header", "header.json", 0), ("summaries", "summaries.json", 0),
        ("cut", "summaries.json", 9), ("cut-header", "header.json", 9),
    ):  # fmt: skip
        log = written(a_log([a_sample(name)]), tmp_path, f"{name}.eval")
        lying(log, part, len(parts_of(log)[part]) - less)
        put(Bucket="bucket", Key=f"odd/{named(name)}", Body=log.read_bytes())
    observations = read_observations("s3://bucket/odd", quiet=True)
    assert sorted(observations["item"]) == ["header", "summaries"]
    assert sorted(log.split("_")[1] for log in left_out(observations)["log"]) == [
        "cut",
        "cut-header",
    ]
    assert max(longest) < parts + 100


# What a store says of an object's size beside how long it is.
SIZES = {"short": -40, "nothing": -4_000_000, "long": 40, "huge": 4_000_000}


def test_logs_whose_store_tells_another_size_are_named_and_the_rest_is_read(tmp_path, monkeypatch):
    lies, told = Lies(), {}
    with served_bucket(monkeypatch, lies):
        for name in ("good", *SIZES):
            log = written(a_log([a_sample(name)]), tmp_path, f"{name}.eval")
            boto3_client().upload_file(str(log), "bucket", f"odd/{named(name)}")
            if name in SIZES:
                told[name] = max(0, log.stat().st_size + SIZES[name])
                lies.sizes[f"/bucket/odd/{named(name)}"] = told[name]
        observations = read_observations("s3://bucket/odd", quiet=True)
    assert list(observations["item"]) == ["good"]
    assert sorted(log.split("_")[1] for log in left_out(observations)["log"]) == sorted(SIZES)
    for name, size in told.items():
        assert max(lies.asked[f"/bucket/odd/{named(name)}"], default=-1) < size, name


@pytest.fixture
def duckdb():
    return pytest.importorskip("duckdb")


def table_of(duckdb, query):
    return duckdb.sql(query).df().set_index(["subset", "hint"])


def test_duckdb_gives_the_reports_numbers_from_the_parquet_export(
    duckdb, shared, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    write_observations(shared, "observations.parquet")
    query, _ = blocks("sql")
    theirs = table_of(duckdb, query)
    table = summarize(shared).set_index(["subset", "metric"])
    assert len(theirs) == 18
    for key, row in theirs.iterrows():
        assert row["value"] == pytest.approx(table.loc[key, "value"])
        assert row["n_items"] == table.loc[key, "n_items"]


def test_the_second_query_counts_whole_items_only(duckdb, shared, tmp_path, monkeypatch):
    lost = shared[shared["hint"] == "no_hint"].index[:5]
    part = shared.drop(index=lost)
    monkeypatch.chdir(tmp_path)
    write_observations(part, "observations.parquet")
    theirs = table_of(duckdb, blocks("sql")[1])
    table = summarize(part).set_index(["subset", "metric"])
    assert theirs["n_items"].sum() == 4 * (3 * ITEMS - len(lost))
    for key, row in theirs.iterrows():
        assert row["value"] == pytest.approx(table.loc[key, "value"])
        assert row["n_items"] == table.loc[key, "n_items"]


def test_a_folder_of_files_is_one_table(duckdb, shared, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "observations").mkdir()
    for model in ("lab/one", "lab/two"):
        rows = shared.assign(model=model)
        write_observations(rows, f"observations/{model.replace('/', '-')}.parquet")
    (call,) = re.findall(r"duckdb\.sql\(\"(.*?)\"\)", PAGE)
    both = duckdb.sql(call).df()
    assert len(both) == 2 * len(shared)
    whole = metrics.knowno(both)
    for model, rows in both.groupby("model"):
        apart = metrics.knowno(rows)["value"].tolist()
        assert whole[whole["model"] == model]["value"].tolist() == pytest.approx(apart, nan_ok=True)


def test_spark_reads_the_export_as_duckdb_does(shared, tmp_path):
    spark_sql = pytest.importorskip("pyspark.sql", reason="Spark is read with pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    write_observations(shared, tmp_path / "observations.parquet")
    builder = spark_sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    try:
        read = spark.read.parquet(str(tmp_path / "observations.parquet"))
        assert read.count() == len(shared)
        asked = {
            (r["subset"], r["hint"]): r["count"]
            for r in read.groupBy("subset", "hint").count().collect()
        }
        assert asked == shared.groupby(["subset", "hint"]).size().to_dict()
        read.createOrReplaceTempView("read")
        query = blocks("sql")[0].replace("'observations.parquet'", "read")
        theirs = {(r["subset"], r["hint"]): r for r in spark.sql(query).collect()}
    finally:
        spark.stop()
    table = summarize(shared).set_index(["subset", "metric"])
    assert len(theirs) == 18
    for key, row in theirs.items():
        assert row["value"] == pytest.approx(table.loc[key, "value"])
        assert row["n_items"] == table.loc[key, "n_items"]
