"""Files as publishers give them: known by their records, validated whole, counted, chosen from."""

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers import get_paper
from askew.sources.records import RecordsError
from askew_authoring.publishers import import_files
from tests.cases import cases_of

FLD = cases_of(__file__, "FLD")
PRO = {**cases_of(__file__, "PRO_TOLD"), "options": [*(f"stone {i}" for i in range(9)), "cork"]}
EQUATION = cases_of(__file__, "EQUATION")
JUDGED = cases_of(__file__, "JUDGED")


def jsonl(path, *records):
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def parquet(path, *records):
    pq.write_table(pa.Table.from_pylist(list(records)), path)
    return path


def imported(task, *paths, **options):
    return import_files(get_paper(task), paths, **options)


def test_fld_becomes_judging_records_without_the_numbers_of_its_sentences(tmp_path):
    older = {**{k: v for k, v in FLD.items() if k != "facts"}, "context": "sent1: it rains."}
    path = jsonl(tmp_path / "test.jsonl", FLD, {**older, "world_assump_label": "UNKNOWN"})
    made = imported("instruction_boundary", path)
    assert made.publisher.name == "fld"
    assert [(r["facts"], r["conclusion"], r["label"]) for r in made.records] == [
        (["the heron is old.", "no heron is tall."], "the heron is not tall.", "true"),
        (["it rains."], "the heron is not tall.", "unknown"),
    ]


def test_the_papers_choice_of_fld_is_half_unknown_and_seeded(tmp_path):
    labels = ["UNKNOWN"] * 30 + ["PROVED"] * 10 + ["DISPROVED"] * 10
    records = [
        {**FLD, "hypothesis": f"heron {i} is tall.", "world_assump_label": label}
        for i, label in enumerate(labels)
    ]
    path = parquet(tmp_path / "test-00000-of-00001.parquet", *records)
    made, again, other = (
        imported("instruction_boundary", path, choose=True, seed=seed) for seed in (None, 0, 1)
    )
    assert made.counts == {"unknown": 20, "true": 10, "false": 10}
    assert made.records == again.records != other.records


def test_mmlu_pro_becomes_single_questions_chosen_as_the_authors_code_draws_them(tmp_path):
    records = [{**PRO, "question_id": i, "question": f"Which floats, {i}?"} for i in range(400)]
    made = imported("instruction_boundary", parquet(tmp_path / "t.parquet", *records), choose=True)
    random.seed(42)
    theirs = random.sample(records, 300)
    assert [r["id"] for r in made.records] == [f"mmlu_pro-{r['question_id']}" for r in theirs]
    assert made.records[0]["options"][made.records[0]["gold"][0]] == "cork"
    assert any("published with 12,032" in line for line in made.told)
    assert any("not the whole set" in line for line in made.told)


def test_equations_and_judging_questions_are_read_as_their_repositories_have_them(tmp_path):
    (equation,) = imported("knowno", jsonl(tmp_path / "e.jsonl", EQUATION)).records
    assert "paper" not in equation
    assert get_paper("knowno").part("items").parse_record(equation).gold_option == "L = x^2"
    path = tmp_path / "Judging Questions.json"
    path.write_text(json.dumps({"data": [JUDGED]}, indent=1))
    (judged,) = imported("instruction_boundary", path).records
    assert (judged["facts"], judged["label"]) == (JUDGED["Facts"], "true")
    path.write_bytes(
        json.dumps([{**JUDGED, "a": "\xe9"}], indent=1, ensure_ascii=False).encode("latin-1")
    )
    with pytest.raises(RecordsError, match=r"1 error; .*\n  line \d+: byte 9 .* is not UTF-8"):
        imported("instruction_boundary", path)


@pytest.mark.whole
def test_imported_records_are_linted_and_run(tmp_path):
    def askew(*arguments):
        done = CliRunner().invoke(main, ["data", *map(str, arguments)])
        assert done.exit_code == 0, done.output
        return done.stdout

    path, out = jsonl(tmp_path / "test.jsonl", PRO), tmp_path / "pro.jsonl"
    done = askew("import", "instruction_boundary", path, "-o", out)
    assert "used: 1 (1 with 10 options)" in done
    task = get_paper("instruction_boundary").make(data=str(out), setting="miscellany")
    assert {len(s.choices) for s in task.dataset} == set(range(2, 11))
    askew("lint", "instruction_boundary", "--data", out)
    listed = askew("list")
    assert "MMLU-Pro" in listed
    assert "Where none is stated" in listed
