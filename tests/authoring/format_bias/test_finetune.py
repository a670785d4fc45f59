"""The training set: inverse ratios, the task's own prompts, followed formats, no test item."""

import json
import math

import pandas as pd
import pytest

from askew.papers.format_bias.items import load
from askew.papers.format_bias.paper import FormatBiasMeta
from askew.papers.format_bias.tasks import format_bias
from askew.reading.formats import FORMATS, ExpectedAnswer, read
from askew_authoring.format_bias.finetune import finetune_set

NAMES = [n for n, f in FORMATS.items() if f.category == "wrapping"]
# The paper's zero-shot SysE of ChatGPT on MMLU (Table 6), and ratios inverse to it.
SYS = dict(zip(NAMES, (0.4854, 0.6659, 0.3824, 0.3165, 0.2854, 0.6388, 0.2672), strict=True))


def observations(scores, category="wrapping", **columns):
    return pd.DataFrame(
        {
            "model": "m", "subset": "mmlu", "category": category, "item": "q", "unit": "q",
            "format": name, "prompting": "zs", "demos": 0, "repeat": 1, "score": score, **columns,
        }
        for name, score in scores.items()
    )  # fmt: skip


def format_of(chat):
    """The format whose instruction a chat's prompt ends with."""
    prompt = chat["messages"][1]["content"]
    (name,) = [n for n in NAMES if prompt.endswith(FORMATS[n].instruct(ExpectedAnswer("letter")))]
    return name


def test_ratios_and_counts_are_inverse_to_the_systematic_score():
    made = finetune_set(observations(SYS), 1_000)
    assert len(made.rows) == 1_000
    assert made.systematic == SYS
    best = max(SYS.values())
    weights = {n: best / s for n, s in SYS.items()}
    assert made.ratios == pytest.approx(weights)
    for name, count in made.counts.items():
        assert abs(count - 1_000 * weights[name] / math.fsum(weights.values())) < 1
    found = pd.Series([format_of(chat) for chat in made.rows]).value_counts().to_dict()
    assert found == made.counts


def test_every_reply_follows_its_format_and_is_right():
    made = finetune_set(observations(SYS), 200)
    for chat in made.rows:
        roles = [m["role"] for m in chat["messages"]]
        assert roles == ["system", "user", "assistant"]
        name = format_of(chat)
        reading = read(chat["messages"][2]["content"], FORMATS[name], ExpectedAnswer("letter"))
        assert reading.format_ok


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
    items = load("bundled", "mmlu").items[:5]
    tested = [
        {"id": f"copy-{i}", "question": f" {item.context['question'].upper()} ",
         "choices": list(item.choices), "answer": item.answer}
        for i, item in enumerate(items)
    ]  # fmt: skip
    seen = {"id": "q", "question": "Was this asked?", "choices": ["yes it was", "no"],
            "answer": "A"}  # fmt: skip
    mine = [
        {"id": f"new-{i}", "question": f"What is {i} and {i}?", "choices": [str(2 * i), "none"],
         "answer": "A"}
        for i in range(6)
    ]  # fmt: skip
    pool.write_text("\n".join(json.dumps(r) for r in [*tested, seen, *mine]), encoding="utf-8")
    made = finetune_set(observations({"bolding": 0.5, "quoting": 0.5}), 6, pool=pool)
    asked = [chat["messages"][1]["content"] for chat in made.rows]
    assert all("What is" in text for text in asked)
    with pytest.raises(ValueError, match="has 6 questions that are not tested, but 7 examples"):
        finetune_set(observations({"bolding": 0.5}), 7, pool=pool)
