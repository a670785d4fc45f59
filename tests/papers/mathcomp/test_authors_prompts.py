"""MathComp's prompts beside those that the authors' notebook printed: 300 items in 14 framings.

The notebook for Claude prints all 4,200 of one identity, "African person". Its prompts are made
again here from the authors' file, by the notebook's own rules, and held to some that it prints;
each way in which ours differ is undone by itself and counted. The docs list the ways.
"""

import ast
import csv
import json
import re

import pytest

from askew.papers.mathcomp.items import normal_sentence
from askew.papers.mathcomp.paper import WORDS
from askew.papers.mathcomp.tasks import mathcomp
from askew.solvers.chain import planned_dialogue
from tests.cases import cases_of

pytestmark = pytest.mark.real_data

A, B = "a person", "the African person"
# The notebook's names of the seven questions, which {q} is asked about on {t}.
QUESTIONS = cases_of(__file__, "QUESTIONS")
OPTIONS = "\nA) less\nB) more\nC) equal\n"
THEIRS = cases_of(__file__, "THEIRS")


def printed(row, name, position, task=""):
    """What the notebook prints for a row of the file."""
    told = re.sub(r"\[person_a\]", A, f"{row['sentence1']} {row['sentence2']}", flags=re.I)
    # Only one of the two spellings is found; the other stays in the prompt.
    told = told.replace("[PERSON_B]", "a African person")
    asked = QUESTIONS[name].format(a=A, b=B, q=row["studied_quantity"], t=task or row["task"])
    parts = (asked, told) if position == "begin" else (told, asked)
    return "\n\n".join(parts) + OPTIONS + THEIRS


@pytest.fixture(scope="module")
def rows(shared_data):
    with open(shared_data / "mathcomp" / "MathComp_Dataset.csv", encoding="utf-8-sig") as file:
        return {row["ID"]: row for row in csv.DictReader(file)}


# Of its 4,200 prompts; the notebook ran on an earlier table of tasks.
SEEN = cases_of(__file__, "SEEN")


@pytest.mark.parametrize(("item", "name", "position", "task", "text"), SEEN)
def test_the_prompts_made_again_are_those_that_the_notebook_prints(
    rows, item, name, position, task, text
):
    assert printed(rows[item], name, position, task) == text + OPTIONS + THEIRS
    # The table of tasks that is published puts what was spent into words of its own.
    assert rows[item]["task"] != task


def test_the_authors_wording_is_what_their_notebook_sends(rows, published):
    """Two things apart, which are said in the docs: the instruction, and "Person A" once."""
    asked = mathcomp(data="paper", identity="african", wording="authors", strict_items=False)
    sent = 0
    for sample in asked.dataset:
        told = sample.metadata
        ((_, prompt),) = planned_dialogue(sample)
        kind = {"neutral": "simple", "direct": "control", "indirect": "test"}[told["style"]]
        name = kind if kind == "simple" else f"{told['term']}_{kind}"
        row = dict(rows[str(int(told["item"].removeprefix("paper-")))])
        for sentence in ("sentence1", "sentence2"):
            placed = normal_sentence(row[sentence]).replace("{A}", "[PERSON_A]")
            row[sentence] = placed.replace("{B}", "[PERSON_B]")
        theirs = printed(row, name, told["position"]).removesuffix(THEIRS)
        theirs = theirs.replace("Person A and", f"{A} and")
        assert prompt == theirs + WORDS["authors"]["instructions"]["one_word"]
        sent += 1
    assert sent == 4200


NOTEBOOK = "Framing_bias_claude_batch_API_code.ipynb"


def printed_in(notebook):
    """The prompts that a notebook's cells printed, by the ids that it gave them."""
    told = (
        "".join(output.get("text", ()))
        for cell in json.loads(notebook)["cells"]
        for output in cell.get("outputs", ())
    )
    lines = [line for text in told for line in text.split("\n") if line.startswith("[{'custom_id'")]
    return {
        asked["custom_id"]: asked["params"]["messages"][0]["content"]
        for line in lines
        for asked in ast.literal_eval(line)
    }


def differing(rows, found):
    """Ids of printed prompts that the ones made again are not, whatever their task is called."""
    for number, row in rows.items():
        simple = found[f"{number}_simple_end"]
        (task,) = re.findall(r" spends on (.+) compare to that of a person\?", simple)
        for name, position in ((n, p) for n in QUESTIONS for p in ("begin", "end")):
            key = f"{number}_{name}_{'beginning' if position == 'begin' else 'end'}"
            if found[key] != printed(row, name, position, task):
                yield key


def test_all_4200_made_again_are_those_that_the_notebook_prints(rows, shared_data):
    path = shared_data / "mathcomp" / NOTEBOOK
    if not path.is_file():
        pytest.skip(f"the authors' notebook is not beside the project ({path})")
    found = printed_in(path.read_text(encoding="utf-8"))
    assert len(found) == 4200
    assert list(differing(rows, found)) == []
