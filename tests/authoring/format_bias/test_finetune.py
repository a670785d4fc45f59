"""The training set: inverse ratios, the task's own prompts, followed formats, no test item."""

import json
import math
import re
from itertools import islice, pairwise

import pandas as pd
import pytest

from askew.papers.format_bias.items import load
from askew.papers.format_bias.paper import FormatBiasMeta
from askew.papers.format_bias.tasks import format_bias
from askew.reading.formats import FORMATS, ExpectedAnswer, read
from askew_authoring.format_bias.finetune import finetune_set, training_questions
from tests.cases import cases_of

NAMES = [n for n, f in FORMATS.items() if f.category == "wrapping"]
# The paper's zero-shot SysE of ChatGPT on MMLU (Table 6), and ratios inverse to it.
SYS = dict(zip(NAMES, (0.4854, 0.6659, 0.3824, 0.3165, 0.2854, 0.6388, 0.2672), strict=True))
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNITS = {(small, large): n for small, large, n in cases_of(__file__, "UNITS")}


def observations(scores):
    same = {"model": "m", "subset": "mmlu", "category": "wrapping", "item": "q", "cluster": "q"}
    run = {"prompting": "zs", "demos": 0, "repeat": 1}
    return pd.DataFrame({**same, **run, "format": n, "score": s} for n, s in scores.items())


def format_of(chat):
    """The format whose instruction a chat's prompt ends with."""
    prompt = chat["messages"][1]["content"]
    (name,) = [n for n in NAMES if prompt.endswith(FORMATS[n].instruct(ExpectedAnswer("letter")))]
    return name


def test_ratios_and_counts_are_inverse_to_the_systematic_score():
    made = finetune_set(observations(SYS), 1_000)
    assert (len(made.rows), made.systematic) == (1_000, SYS)
    weights = {n: max(SYS.values()) / s for n, s in SYS.items()}
    assert made.ratios == pytest.approx(weights)
    for name, count in made.counts.items():
        assert abs(count - 1_000 * weights[name] / math.fsum(weights.values())) < 1
    assert pd.Series(map(format_of, made.rows)).value_counts().to_dict() == made.counts


def test_every_reply_follows_its_format_and_is_right():
    for chat in finetune_set(observations(SYS), 200).rows:
        assert [m["role"] for m in chat["messages"]] == ["system", "user", "assistant"]
        told = chat["messages"][2]["content"]
        assert read(told, FORMATS[format_of(chat)], ExpectedAnswer("letter")).format_ok


def test_prompts_are_those_of_the_task():
    chat = finetune_set(observations({"bolding": 0.5}), 1).rows[0]
    asked = next(iter(format_bias(subset="mmlu", format="bolding", prompting="zs").dataset))
    meta = FormatBiasMeta(**asked.metadata)
    system, user, _ = (m["content"] for m in chat["messages"])
    assert system == meta.system_prompt
    assert user.startswith(f"{meta.framing}\n\nQuestion: ")
    assert user.endswith(f"\n\n{meta.format_instruction}")


def test_no_test_item_is_inside(tmp_path):
    pool = tmp_path / "pool.jsonl"
    tested = [
        {"id": f"copy-{i}", "question": f" {item.context['question'].upper()} ",
         "choices": list(item.choices), "answer": item.answer}
        for i, item in enumerate(load("bundled", "mmlu").items[:5])
    ]  # fmt: skip
    seen = {"id": "q", "question": "Was this asked?", "choices": ["yes it was", "no"]}
    mine = [
        {"id": f"new-{i}", "question": f"What is {i} and {i}?", "choices": [str(2 * i), "none"]}
        for i in range(6)
    ]
    lines = [json.dumps({"answer": "A", **record}) for record in [*tested, seen, *mine]]
    pool.write_text("\n".join(lines), encoding="utf-8")
    made = finetune_set(observations({"bolding": 0.5, "quoting": 0.5}), 6, pool=pool)
    assert all("What is" in chat["messages"][1]["content"] for chat in made.rows)
    with pytest.raises(ValueError, match="has 6 questions that are not tested, but 7 examples"):
        finetune_set(observations({"bolding": 0.5}), 7, pool=pool)


# --- questions made by rule ---


def solved(question):
    """The answer, worked out from the question's words alone."""
    if match := re.fullmatch(r"What is (\d+) (plus|minus|times) (\d+)\?", question):
        a, b = int(match[1]), int(match[3])
        return str({"plus": a + b, "minus": a - b, "times": a * b}[match[2]])
    if match := re.fullmatch(r"Which number is the (largest|smallest): (.+)\?", question):
        numbers = [int(n) for n in re.findall(r"\d+", match[2])]
        return str(max(numbers) if match[1] == "largest" else min(numbers))
    if match := re.fullmatch(r"Which of the words (.+) comes (first|last) in .+\?", question):
        words = sorted(re.findall(r"[a-z]+", match[1].replace(" and ", " ")))
        return words[0] if match[2] == "first" else words[-1]
    if match := re.fullmatch(r"Which number comes next: (.+)\?", question):
        numbers = [int(n) for n in match[1].split(", ")]
        (step,) = {b - a for a, b in pairwise(numbers)}
        return str(numbers[-1] + step)
    if match := re.fullmatch(r"How many (\w+) are there in (\d+) (\w+)\?", question):
        return str(int(match[2]) * UNITS[match[1], match[3]])
    match = re.fullmatch(r"Which day of the week is (\d+) days after a (\w+)\?", question)
    return DAYS[(DAYS.index(match[2]) + int(match[1])) % 7]


def test_two_thousand_questions_are_distinct_and_right():
    items = list(islice(training_questions(0), 2_000))
    assert len({item.context["question"] for item in items}) == 2_000
    assert len({item.id for item in items}) == 2_000
    for item in items:
        assert item.choices["ABCD".index(item.answer)] == solved(item.context["question"])
        assert len(set(item.choices)) == 4
    letters = [item.answer for item in items]
    assert all(430 < letters.count(letter) < 570 for letter in "ABCD")
