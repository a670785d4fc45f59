"""Replies of a real language model, each as a careful reader read it before askew did.

Every line of `<task>.jsonl` is a reply that a small model gave at temperature 0, with what was
asked, as `askew score-replies` takes it, and what observations say of it (`right`). Where two
careful people could differ, that is no answer. `left` stands where the rules know no better yet:
no answer either.
"""

import json
from pathlib import Path

import pytest

from askew.logs.replay import score_replies
from askew.papers import get_paper
from askew.report.study import Study
from tests.cases import cases_of

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))
# Replies of each task, and how many of them have an answer that the rules do not read.
EXPECTED = cases_of(__file__, "EXPECTED")


def records(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.mark.whole
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_real_models_replies_are_read_as_careful_people_read_them(file, tmp_path):
    score_replies(file, file.stem, tmp_path)
    observed = Study.read(tmp_path, quiet=True)
    told = records(file)
    asked = ["item", *(factor.name for factor in get_paper(file.stem).factors)]
    asked = [name for name in asked if any(name in record for record in told)]
    read = {tuple(row[n] for n in asked): row for row in observed.rows.to_dict("records")}
    assert len(read) == len(observed.rows)
    misread = []
    for record in told:
        row = read[tuple(record.get(name, "") for name in asked)]
        right = record.get("left", record["right"])
        said = {name: row.get(name) for name in right}
        if said != right:
            misread.append((record["completion"], said, right))
    assert not misread, "\n".join(f"{reply!r}\n  read {s}\n  right {r}" for reply, s, r in misread)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_there_are_enough_replies_and_what_is_left_is_no_answer(file):
    told = records(file)
    left = [record for record in told if "left" in record]
    assert [len(told), len(left)] == EXPECTED[file.stem]
    assert len(told) >= 60
    assert all(r["left"]["outcome"] != "ok" == r["right"]["outcome"] for r in left)
