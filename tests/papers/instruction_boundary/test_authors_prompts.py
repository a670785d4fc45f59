"""What `wording=authors` asks, held against the authors' files as they are.

The files are rendered here by other means than askew's: by searching their text for what is written
between quotes, never by parsing or running them.
"""

import ast
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from askew.papers.instruction_boundary.authors import WORDED
from askew.papers.instruction_boundary.items import SOURCES
from askew.papers.instruction_boundary.tasks import instruction_boundary
from askew.solvers.chain import planned_dialogue
from askew.sources.pinned import git_blob_id
from tests.cases import cases_of

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "instruction_boundary"
EXPERIMENTS = SHARED / "experiments"
pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(
        not EXPERIMENTS.is_dir(), reason="the authors' files are not beside the project"
    ),
]
# By setting, the name of its file; the texts of a file are told apart by what they begin with.
FILES = cases_of(__file__, "FILES")


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A mirror that holds the paper's real files."""
    folder = tmp_path / "mirror" / "instruction_boundary"
    folder.mkdir(parents=True)
    for path in (*SHARED.glob("*.json*"), *EXPERIMENTS.iterdir()):
        shutil.copy(path, folder / path.name.removesuffix(".txt"))
    monkeypatch.setenv("ASKEW_MIRROR", str(folder.parent))


def source(setting):
    return (EXPERIMENTS / f"{FILES[setting]}.py.txt").read_text(encoding="utf-8")


def written(setting):
    """The texts that a file calls a prompt."""
    return re.findall(r'prompt = f"""(.*?)"""', source(setting), re.DOTALL)


def elements():
    """The records of both choice files as the authors' code takes them, by question and options."""
    found = {}
    for name in ("choice_tfu_format_dataset", "MCQs_2700"):
        for record in json.loads((SHARED / f"{name}.json").read_text(encoding="utf-8")):
            question = record.get("question") or record["Conclusion"]
            passage = record.get("passage_text", "")
            if told := re.match(r"Background: (.*)\nOptions:\n", record.get("Facts", ""), re.S):
                passage = told[1]
            right = record["correct_answers"]
            key = (name[:4], " ".join(question.split()), tuple(record["options"]))
            found[key] = (question, record["options"], passage, right)
    return found


def judging_prompt(setting, sample):
    """A judging prompt, from the facts and the conclusion that our own one shows."""
    facts, conclusion = sample
    return [written(setting)[0].format(question=conclusion, facts=facts)]


def chosen(setting, element, shown):
    question, options, passage, _ = element
    facts = f"Facts: {passage}\n" if passage and passage.strip() else ""
    told = {"question": question, "facts_part": facts, "options_text": "\n".join(options)}
    if setting == "miscellany":
        (block,) = re.findall(r"prompt = \((.*?)\n        \)", source(setting), re.DOTALL)
        lines = "".join(re.findall(r'f"(.*)"', block)).replace("\\n", "\n")
        options = [f"{chr(ord('A') + i)}. {options[i]}\n" for i in shown]
        return [lines.format(question=question, options_text="".join(options))]
    if setting == "few_shot":
        text = source(setting)
        (example,) = ast.literal_eval(
            re.findall(r"all_examples = (\[.*?\n        \])", text, re.S)[0]
        )
        pieces = "".join(re.findall(r'examples_text \+= f"(.*)"', text)).replace("\\n", "\n")
        (unanswered,) = re.findall(r"else \"(.*?)\"\n", text)
        told["examples_text"] = pieces.replace("['", "[").replace("']", "]").format(
            i=1, example=example, example_answer=unanswered,
            example_options="\n".join(example["options"]),
        )  # fmt: skip
    texts = written(setting)
    if setting == "multi_turn":
        return [text.format(**told, first_answer="...") for text in texts]
    return [texts[-1].format(**told)]


def expected(asked, ours):
    """By sample, the messages that the authors' code would send."""
    records = elements()
    for sample in asked:
        meta = sample.metadata
        setting = meta["setting"]
        if meta["family"] == "judging":
            yield sample, judging_prompt(setting, ours[meta["item"]])
            continue
        file = "choi" if meta["subset"] == "mcq_450" else "MCQs"
        opens = re.search(r"^Question: (.*?)\n(?:Facts|Task|Options|\n)", last(sample), re.M | re.S)
        shown = [int(number) - 1 for number in meta["shown"].split(",")]
        question = " ".join(opens[1].split())
        fitting = [
            element for (of, asks, _), element in records.items()
            if (of, asks) == (file, question)
            and all(text in element[1][i] for i, text in zip(shown, sample.choices, strict=True))
        ]  # fmt: skip
        assert len(fitting) == 1, sample.id
        yield sample, chosen(setting, fitting[0], shown)


def last(sample):
    """The prompt without what stands in front of its question."""
    return sample.input[sample.input.rindex("\nQuestion: ") + 1 :] if (
        sample.metadata["setting"] == "few_shot"
    ) else sample.input  # fmt: skip


def test_the_pins_are_the_files_here():
    for told in WORDED.values():
        path = EXPERIMENTS / f"{told['file']}.txt"
        assert git_blob_id(path.read_bytes()) == SOURCES[told["file"]].blob_id
        assert SOURCES[told["file"]].url.endswith(f"/src/experiments/{told['file']}")
    assert len(list(EXPERIMENTS.iterdir())) == len({t["file"] for t in WORDED.values()}) == 8


@pytest.mark.whole
def test_all_450_questions_have_the_authors_prompts(published):
    given = {"data": "paper", "strict_items": False, "subset": "mcq_450"}
    asked = instruction_boundary(wording="authors", **given).dataset
    compared = Counter()
    for sample, messages in expected(asked, {}):
        told = [text for role, text in planned_dialogue(sample) if role != "assistant"]
        assert told == messages, sample.id
        compared[sample.metadata["setting"]] += 1
    assert compared == dict.fromkeys(FILES, 450)
