"""The README's promises: its flip was recorded, its sizes are the data's, its commands run."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from askew.papers import get_paper, task_papers

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Who answers in the place of the models that need a key.
MODELS = {"openai/gpt-5": "respondent/typical", "anthropic/claude-opus-4-1": "respondent/agreeable"}
# What changes the reader's machine, asks for a key or stays open: held by what it names.
NOT_RUN = ("make", ".", "pip", "export", "inspect view")
# Its commands have a test of their own, with the data of the task that they name.
ELSEWHERE = "Your own benchmark"


HERE = "\n## ".join(s for s in README.split("\n## ") if s.partition("\n")[0] != ELSEWHERE)


def blocks(language=""):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", HERE, re.M | re.S)
    return [code for named, code in fenced if named == language]


def commands():
    """Every command line, as printed, without its comment; then those in running text."""
    lines = "".join(blocks()).replace("\\\n", " ").splitlines()
    inline = re.findall(r"`((?:askew|inspect) [^`]+)`", HERE.replace("\n", " "))
    printed = [line.partition(" #")[0].strip() for line in lines]
    return [*printed, *(line for line in inline if not line.startswith(NOT_RUN))]


def rows(header):
    table = README.partition(header)[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in table]


def test_the_flip_at_the_top_was_recorded():
    file = ROOT / "tests" / "real_model" / "knowno.jsonl"
    told = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    own = {r["hint"]: r for r in told if r["item"] == "st05-q2"}
    flip = rows("| options in the prompt | reply | |\n")
    assert len(flip) == 2
    for hint, (options, reply, verdict) in zip(("with_gold", "hint_as_option"), flip, strict=True):
        record = own[hint]
        lettered = (f"{letter}: {o}" for letter, o in zip("ABCD", record["options"], strict=True))
        assert options == ", ".join(lettered)
        assert record["completion"].endswith(reply)
        expected = record["gold"] if record["gold"] in record["options"] else "none-of-them"
        assert (record["right"]["answer"] == expected) == (verdict == "correct")
        assert record["model"] in README


@pytest.mark.whole
def test_the_sizes_are_those_of_the_bundled_questions():
    sizes = rows("| task | items | samples | samples with `-T items=10` |\n")
    assert [task for task, *_ in sizes] == list(task_papers())
    for task, items, samples, few in sizes:
        whole = get_paper(task).make().dataset
        asked = {sample.metadata["item"] for sample in whole}
        assert (items, samples) == (f"{len(asked):,}", f"{len(whole):,}")
        assert few == f"{len(get_paper(task).make(items=10).dataset):,}"


@pytest.mark.whole
@pytest.mark.parametrize("task", task_papers())
def test_every_task_has_a_row_with_examples_from_its_prompts(task):
    (row,) = re.findall(
        rf"^\| \[`{task}`\]\(docs/reference/tasks/{task}\.md\)[^|]*\|(.+?) \| \*\*", README, re.M
    )
    examples = re.findall(r'\*"(.+?)"\*', row)
    assert examples
    asked = get_paper(task).make().dataset
    texts = "\n".join(f"{sample.input} {sample.metadata}" for sample in asked)
    assert [e for e in examples if e not in texts] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a reader does it all, with the replies that they have already."""
    made = tmp_path_factory.mktemp("reader")
    shutil.copy(ROOT / "tests" / "real_model" / "knowno.jsonl", made / "replies.jsonl")
    return made


@pytest.mark.whole
def test_every_command_runs_as_printed_in_the_order_printed(forks, folder, monkeypatch):
    monkeypatch.delenv("INSPECT_LOG_DIR")
    ran = [c for c in commands() if not c.startswith(NOT_RUN)]
    assert len(ran) >= 12
    for command in ran:
        for real, simulated in MODELS.items():
            command = command.replace(real, simulated)
        if command.startswith(("inspect eval", "askew plan")) and "items=" not in command:
            command += " -T items=2"
        command, _, written = command.partition(" > ")
        code, out, err = forks(command, folder)
        if command.startswith("askew gate audit"):
            # So few items, of simulated models, can't pass; the policy itself is sound.
            assert code != 0, err
            assert "knowno" in out
        else:
            assert code == 0, f"{command}\n{out}\n{err}"
        if written:
            (folder / written.strip()).write_text(out, encoding="utf-8")
    assert {"report.html", "policy.yaml", "mine.jsonl"} <= {*os.listdir(folder)}


@pytest.mark.whole
def test_the_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    exec(code.replace('knowno", ', 'knowno", limit=8, display="none", '), {})
    assert [*tmp_path.glob("*.html")]
