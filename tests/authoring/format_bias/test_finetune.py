"""The training set: inverse ratios, the task's own prompts, followed formats, no test item."""

import json
import math

import pandas as pd
import pytest

from askew.papers.format_bias.items import load
from askew.papers.format_bias.paper import FormatBiasMeta
from askew.papers.format_bias.tasks import format_bias
from askew.reading.formats import FORMATS, ExpectedAnswer, read
from askew_authoring.format_bias.finetune import finetune_set, training_ratios

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


def test_any_stretch_has_the_ratios():
    rows = finetune_set(observations({"bolding": 0.6, "quoting": 0.2}), 400).rows
    for start in range(0, 400, 40):
        quoting = sum(format_of(chat) == "quoting" for chat in rows[start : start + 40])
        assert 28 <= quoting <= 32


def test_a_score_of_zero_gets_the_largest_finite_ratio_and_is_noted():
    made = finetune_set(observations({"bolding": 0.8, "brackets": 0.2, "quoting": 0.0}), 90)
    assert made.ratios == pytest.approx({"bolding": 1, "brackets": 4, "quoting": 4})
    assert made.notes == ("quoting has a systematic score of 0: it gets the largest finite ratio",)


def test_scores_are_those_of_the_plain_zero_shot_runs():
    plain = observations({"bolding": 0.8, "quoting": 0.4})
    others = observations({"bolding": 0.1, "quoting": 0.9}, prompting="cot")
    shown = observations({"bolding": 0.1, "quoting": 0.9}, demos=5)
    made = finetune_set(pd.concat([plain, others, shown]), 10)
    assert made.systematic == {"bolding": 0.8, "quoting": 0.4}
    assert not made.notes
    only_cot = finetune_set(others, 10)
    assert "scores are those of all runs" in only_cot.notes[0]


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


def test_lists_need_the_users_own_questions(tmp_path):
    rows = observations({"python": 0.5, "newline": 0.25}, category="list")
    with pytest.raises(ValueError, match="give a file of yours as pool"):
        finetune_set(rows, 4, category="list")
    pool = tmp_path / "pool.jsonl"
    records = [
        {"id": f"k{i}", "text": f"Tide {i} and marsh {i}.", "keyphrases": [f"tide {i}"]}
        for i in range(6)
    ]
    pool.write_text("\n".join(json.dumps(r) for r in records), encoding="utf-8")
    made = finetune_set(rows, 6, category="list", pool=pool)
    assert made.counts == {"python": 2, "newline": 4}


def test_equal_seeds_write_equal_files(tmp_path):
    paths = [
        finetune_set(observations(SYS), 30, seed=seed).write(tmp_path / f"{i}.jsonl")
        for i, seed in enumerate((0, 0, 1))
    ]
    first, again, other = (p.read_text(encoding="utf-8") for p in paths)
    assert first == again != other
    assert len([json.loads(line) for line in first.splitlines()]) == 30


@pytest.mark.parametrize(
    ("rows", "number", "problem"),
    [
        (observations(SYS), 0, "at least one"),
        (observations(SYS, category="list"), 5, "no scored reply in a wrapping format"),
        (pd.concat([observations(SYS), observations(SYS, model="n")]), 5, "one model"),
    ],
)
def test_wrong_wishes_are_refused(rows, number, problem):
    with pytest.raises(ValueError, match=problem):
        finetune_set(rows, number)


def test_training_ratios_are_inverse_to_the_score():
    assert training_ratios({"a": 60.0, "b": 30.0, "c": 20.0}) == {"a": 1.0, "b": 2.0, "c": 3.0}
    assert training_ratios({"a": 0.6, "b": 0.0, "c": 0.2}) == pytest.approx(
        {"a": 1.0, "b": 3.0, "c": 3.0}
    )
    assert training_ratios({"a": 0.0, "b": 0.0}) == {"a": 1.0, "b": 1.0}
