"""The task: the paper's prompts in every format, its arms, its selectors, and a run end to end."""

import json
from collections import Counter

import pytest
from inspect_ai._util.registry import registry_params

from askew.papers.format_bias.items import demonstrations
from askew.papers.format_bias.paper import CATEGORIES, PAPER, FormatBiasMeta
from askew.papers.format_bias.scorer import rightness
from askew.papers.format_bias.tasks import (
    demonstrated_reply,
    expected_answer,
    format_bias,
    render_item,
    true_answer,
)
from askew.reading.formats import FORMATS, PLACEHOLDER_TABLE_1, read
from askew.solvers.chain import planned_dialogue
from tests.cases import cases


def test_every_item_runs_in_every_format_of_its_categories():
    dataset = format_bias(items=20).dataset
    formats = {}
    for sample in dataset:
        formats.setdefault(sample.metadata["subset"], set()).add(sample.metadata["format"])
    wrapping = {n for n, f in FORMATS.items() if f.category == "wrapping"}
    assert formats["mmlu"] == formats["bbh"] == wrapping | {"char", "text"}
    assert formats["gsm8k"] == formats["hotpotqa"] == formats["fairytaleqa"] == wrapping
    assert formats["scidocsrr"] == {"python", "bullet", "separator", "newline"}
    assert formats["semeval2017"] == formats["scidocsrr"]
    assert formats["scirex_easy"] == formats["scirex_hard"] == {"json", "yaml"}
    per_item = Counter((s.metadata["item"], s.metadata["subset"]) for s in dataset)
    assert all(n == 2 * len(formats[subset]) for (_, subset), n in per_item.items())


@pytest.mark.parametrize("name", list(PAPER.factor("format").values))
def test_demonstrated_replies_follow_their_format(name):
    fmt = FORMATS[name]
    shown = [d for ds in demonstrations().values() for d in ds
             if d.kind in CATEGORIES[fmt.category].kinds]  # fmt: skip
    assert len(shown) >= 10
    for item in shown:
        for prompting in ("zs", "cot"):
            asked = expected_answer(item, fmt, prompting)
            reading = read(demonstrated_reply(item, fmt, prompting), fmt, asked)
            assert reading.format_ok, (item.id, prompting)
            truth = true_answer(item, asked.kind)
            target = truth if isinstance(truth, str) else json.dumps(truth)
            meta = FormatBiasMeta(
                task="format_bias", item=item.id, cluster=item.cluster, subset=item.subset,
                category=fmt.category, format=name, prompting=prompting, demos=1, repeat=1,
                kind=asked.kind, keys=",".join(asked.keys), n_elements=asked.n_elements,
            )  # fmt: skip
            assert rightness(reading.value, target, meta) == 1, (item.id, prompting)


def test_demonstrations_and_repeats_are_crossed_as_arms():
    arms = {(s.metadata["demos"], s.metadata["repeat"])
            for s in format_bias(items=2, demos="0,5", repeat=[1, 3]).dataset}  # fmt: skip
    assert arms == {(0, 1), (0, 3), (5, 1), (5, 3)}


@pytest.mark.parametrize("name", list(PAPER.factor("format").values))
def test_each_arm_repeats_its_instruction_in_every_format(name):
    fmt = FORMATS[name]
    kind = CATEGORIES[fmt.category].kinds[0]
    item = next(d for ds in demonstrations().values() for d in ds if d.kind == kind)
    for prompting in ("zs", "cot"):
        sentence = fmt.instruct(expected_answer(item, fmt, prompting))
        asked = {n: render_item(item, fmt, prompting, 0, n, 0) for n in (1, 3, 5)}
        said = {n: " ".join(t for _, t in planned_dialogue(s)) for n, s in asked.items()}
        assert {n: text.count(sentence) for n, text in said.items()} == {1: 1, 3: 3, 5: 5}


@cases("given")
def test_the_reading_parameter_selects_the_reading_of_the_paper(given):
    asked = {"subset": "gsm8k", "items": 1, "format": "placeholder", "prompting": "zs"}
    made = format_bias(**asked, reading=given)
    (sample,), (own_scorer,) = made.dataset, made.scorer
    assert PLACEHOLDER_TABLE_1 in sample.metadata["format_instruction"]
    assert registry_params(own_scorer) == {
        "parser": "rules", "extraction": "strict", "casefold": True, "credit": "declared",
    }  # fmt: skip
