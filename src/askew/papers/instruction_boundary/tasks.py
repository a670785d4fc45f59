"""Instruction Boundary: what does the coverage of a prompt do to rare labels?

Judging items (True, False, Unknown) and choice items (one, none or several options right) are
asked under eight settings. What a setting changes against vanilla stands in `_prompt`; the words,
the paper's (Table 2) and ours, stand at the end of this file.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from askew.assembly import Settings, assemble, settings_config
from askew.papers.instruction_boundary.items import (
    load,
    logic_items,
    shot_items,
    shots_revision,
)
from askew.papers.instruction_boundary.logic import LogicShape
from askew.papers.instruction_boundary.paper import (
    MISCELLANY,
    PAPER,
    BoundaryMeta,
    Family,
    SettingVariant,
)
from askew.papers.instruction_boundary.polishing import REQUEST, prompt_polishing
from askew.papers.instruction_boundary.questions import (
    EXTRA_OPTIONS,
    NONE,
    STATED,
    STATEMENT,
    BoundaryItem,
    NoneStyle,
    VariantsAsked,
    asked_under_miscellany,
    balanced,
    conditions,
    option_text,
    settings_of,
    shown_indexes,
    suggestion,
)
from askew.papers.instruction_boundary.scorer import (
    JUDGE_WORDS,
    JudgeMode,
    instruction_boundary_scorer,
)
from askew.parameters import SelectionError, choose, parts_of, whole_number
from askew.schema import sample_id
from askew.solvers.chain import (
    format_instruction,
    framing_insertion,
    multi_turn_reflection,
    one_step,
)
from askew.solvers.setup import require_role

# A parameter of several parts: text such as "a=1,b=2", what a command line makes of it, a mapping.
Parts = str | Sequence[str] | Mapping[str, Any] | None


@task
def instruction_boundary(
    data: str = "bundled",
    subset: str | None = None,
    setting: str | None = None,
    variants: Parts = None,
    none_style: NoneStyle = "removed",
    judge: JudgeMode = "fallback",
    items: int | None = None,
    logic: Parts = None,
    strict_items: bool = True,
    seed: int = 0,
    settings: Settings = "default",
    **parts: Any,
) -> Task:
    """Instruction Boundary / BiasDetector: sparse labels under eight settings (Ling et al.).

    Args:
        data: "bundled" (our own questions), "paper", or the path of a JSONL or CSV file.
        subset: logic, choice, ten; of the paper folio, mcq_450, mcq_2700, judging_questions.
        setting: settings to ask under; default all eight.
        variants: what tells a setting's conditions apart, such as "suggest=true+wrong,n_wrong=1+5":
            suggest (conformity: unknown, true, false; none, several, wrong; default unknown and
            none), examples (few_shot: labels of the examples, in order: unknown, true, false;
            none, single, multiple; default unknown and none), missing (missing_choices: unknown,
            true, false; none, several; default unknown and none), polish (prompt_polishing: fixed,
            our rewrites, or model, the role `polisher`), n_wrong (miscellany: numbers of wrong
            options beside the right one, of 1 to 9).
        none_style: "removed", or "stated": none items offer that all other options are false.
        judge: who reads what rules can't: "fallback" (the role `grader` where it is bound),
            "required" (it must be), or "never" (such replies are wrong).
        items: how many items, whole, spread over subsets and forms; default all.
        logic: the bundled judging items, such as "n_logic=60,depth=2": n_logic (how many, 120),
            depth (rule applications in their proofs, a number or a range: 1-3), width (conditions
            in a rule, 1-2), distractors (rules on a dead end, 1-3), negation (how often a property
            is negative, 0.3).
        strict_items: leave out items that `askew data verify` finds unsound.
        seed: for the generator, the choice of items and every shuffle.
        settings: "default" and "paper" are the same here: temperature 0.
        **parts: any part of `variants` or `logic` by its own name.
    """
    wanted = settings_of(setting)
    grouped = _grouped(parts, variants=variants, logic=logic)
    choices = VariantsAsked.of(**grouped["variants"])
    choose("none_style", none_style, ("removed", "stated"))
    choose("judge", judge, ("fallback", "required", "never"))
    whole_number("seed", seed, least=None)
    shape = LogicShape.of(**grouped["logic"])
    loaded = load(data, subset, seed=seed, logic=shape, strict_items=strict_items)
    everywhere = asked_under_miscellany(loaded.items)
    askable = [i for i in loaded.items if any(conditions(i, wanted, choices, everywhere))]
    chosen = [item.reordered(seed) for item in balanced(askable, items, seed)]
    distracted = asked_under_miscellany(chosen)
    shots = _Shots(choices.examples, seed) if "few_shot" in wanted else None

    def samples() -> Iterator[Sample]:
        for item in chosen:
            for condition in conditions(item, wanted, choices, distracted):
                yield _sample(item, condition, none_style, shots, seed)

    polishes = "prompt_polishing" in wanted and "model" in choices.polish
    return assemble(
        PAPER,
        dataset=MemoryDataset(list(samples()), name=f"instruction_boundary-{data}"),
        loaded=loaded,
        prompts=(*WORDS, shots_revision()),
        setup=[
            one_step(
                *([require_role("grader", "judge=required")] if judge == "required" else []),
                *([require_role("polisher", "polish=model")] if polishes else []),
                *([prompt_polishing()] if polishes else []),
                framing_insertion(),
                format_instruction(),
            )
        ],
        solver=one_step(multi_turn_reflection(), generate())
        if "multi_turn" in wanted
        else generate(),
        scorer=instruction_boundary_scorer(judge=judge),
        config=settings_config(settings, GenerateConfig()),
        columns=("answer", "target"),
    )


def _grouped(alone: Mapping[str, Any], **groups: Parts) -> dict[str, dict[str, Any]]:
    """The parts of every group; those that are given alone, beside it, count."""
    for name in alone:
        if name not in PAPER.parameters:
            raise SelectionError(
                f"instruction_boundary has no parameter {name!r:.60}; there are: "
                f"{', '.join(PAPER.parameters)}"
            )
    return {
        group: {
            **{name: _several(part) for name, part in parts_of(group, given, valid).items()},
            **{name: part for name, part in alone.items() if name in valid},
        }
        for group, given in groups.items()
        for valid in [PAPER.grouped[group]]
    }


def _several(part: object) -> object:
    """Several values of a part: a command line joins them with a plus, as commas part the parts."""
    return part.split("+") if isinstance(part, str) and "+" in part else part


@dataclass(frozen=True)
class _Prompt:
    """What a prompt is made of, and what the chain adds to it."""

    question: str
    framing: str = ""
    framing_position: Literal["begin", "end"] = "end"
    reflection: str = ""
    answer_format: str = ""


def _prompt(
    item: BoundaryItem,
    condition: SettingVariant,
    options: Sequence[str],
    suggested: str,
    examples: str,
) -> _Prompt:
    """Vanilla, and the one thing that each setting changes."""
    labels = _labels(item.family, condition)
    body = _body(item, options, condition)
    if condition.setting == "vagueness":
        return _Prompt(f"{body}\n\n{VAGUE[item.family]}")
    ask = POLISHED_ASK if condition == _REWRITTEN and not item.polished else ASK
    question = "\n\n".join([body, "\n".join([ask, *labels.values()]), GUIDANCE[item.family]])
    answer_format = _answer_format(item.family, labels)
    if condition.setting == "multi_turn":
        review = f"{TURNS['review']}\n\n{answer_format}"
        return _Prompt(question, framing=TURNS["reasoning"], reflection=review)
    if condition.setting == "conformity":
        return _Prompt(question, framing=suggested, answer_format=answer_format)
    if condition.setting == "few_shot":
        return _Prompt(question, examples, "begin", answer_format=answer_format)
    return _Prompt(question, answer_format=answer_format)


_REWRITTEN = SettingVariant("prompt_polishing", "fixed")


def _body(item: BoundaryItem, options: Sequence[str], condition: SettingVariant | None) -> str:
    """Facts and conclusion, or passage, question and numbered options."""
    if item.family == "judging":
        return BODIES["judging"].format(facts=item.passage, conclusion=item.question)
    polished = condition == _REWRITTEN and item.polished
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(options, start=1))
    passage = BODIES["passage"].format(passage=item.passage) if item.passage else ""
    question = item.polished if polished else item.question
    return passage + BODIES["choice"].format(question=question, options=listed)


def _labels(family: Family, condition: SettingVariant) -> dict[str, str]:
    """The labels that a prompt offers, each with its description."""
    labels = dict(LABELS[family])
    if condition.setting == "missing_choices":
        del labels[condition.variant]
    if condition.setting == MISCELLANY and family == "judging":
        labels |= EXTRA
    return labels


def _answer_format(family: Family, labels: Mapping[str, str]) -> str:
    if family == "judging":
        return FORMAT["judging"].format(labels=_or([_name(labels[name]) for name in labels]))
    return FORMAT["choice"].format(forms=_or([f"with {FORMAT[name]}" for name in labels], ","))


def _name(described: str) -> str:
    return described.partition(":")[0]


def _or(texts: Sequence[str], before_or: str = "") -> str:
    """ "a or b", "a, b, or c"; `before_or` puts a comma even between two."""
    *most, last = texts
    comma = "," if len(most) > 1 else before_or
    return f"{', '.join(most)}{comma} or {last}" if most else last


class _Shots:
    """Examples for few-shot prompts: generated theories, and choice questions kept aside."""

    def __init__(self, wanted: Mapping[Family, Sequence[str]], seed: int) -> None:
        self._wanted = wanted
        self._seed = seed
        # Negative seeds draw no task's items.
        theories = logic_items(LogicShape(_THEORIES, depth=(1, 2)), -1 - abs(seed))
        self._pool = [*theories, *(item.reordered(seed) for item in shot_items())]

    def text(self, item: BoundaryItem) -> str:
        """The examples for an item, drawn by its id: the labels wanted, in their order."""
        labels = self._wanted[item.family]
        drawn: dict[str, list[BoundaryItem]] = {}
        for label in dict.fromkeys(labels):
            of_form = [shot for shot in self._pool if shot.form == label]
            random.Random(f"shots/{self._seed}/{item.id}/{label}").shuffle(of_form)
            drawn[label] = of_form
        shots = "\n\n".join(_shot(drawn[label].pop()) for label in labels)
        head = SHOT["one"] if len(labels) == 1 else SHOT["many"].format(n=len(labels))
        return f"{head}\n\n{shots}\n\n{SHOT['now']}"


_THEORIES = 40


def _shot(item: BoundaryItem) -> str:
    answer = _name(LABELS["judging"][item.form]) if item.family == "judging" else _shown(item.truth)
    return f"{_body(item, item.options, None)}\n\n{SHOT['answer'].format(answer=answer)}"


def _shown(numbers: str) -> str:
    return "None" if numbers == NONE else numbers.replace(",", ", ")


def _sample(
    item: BoundaryItem,
    condition: SettingVariant,
    none_style: NoneStyle,
    shots: _Shots | None,
    seed: int,
) -> Sample:
    indexes = shown_indexes(item, condition, none_style, seed)
    options = [option_text(item, i) for i in indexes]
    suggested = suggestion(item, condition, indexes, seed)
    examples = shots.text(item) if shots and condition.setting == "few_shot" else ""
    prompt = _prompt(item, condition, options, _suggested(suggested), examples)
    labels = _labels(item.family, condition)
    meta = BoundaryMeta(
        task=PAPER.task,
        item=item.id,
        unit=item.unit,
        subset=item.subset,
        family=item.family,
        form=item.form,
        setting=condition.setting,
        variant=condition.variant,
        truth=item.truth,
        shown=",".join(str(i + 1) for i in indexes),
        suggestion=suggested,
        source=item.source,
        framing=prompt.framing,
        framing_position=prompt.framing_position,
        reflection=prompt.reflection,
        format_instruction=prompt.answer_format,
    )
    return Sample(
        id=sample_id(item.id, condition.values),
        input=prompt.question,
        choices=options or [_name(text) for text in labels.values()],
        target=_target(item, indexes),
        metadata=meta.as_metadata(),
    )


def _suggested(answer: str) -> str:
    if not answer:
        return ""
    named = {**LABELS["judging"], **LABELS["choice"]}.get(answer, answer)
    return SUGGEST.format(answer=_name(named))


def _target(item: BoundaryItem, indexes: Sequence[int]) -> str:
    """The right answer as a reply to the prompt would give it."""
    if item.family == "judging":
        return _name(LABELS["judging"][item.form])
    right = [str(n) for n, i in enumerate(indexes, start=1) if i in item.gold or i == STATED]
    return ", ".join(right) or "None"


# --- The words ----------------------------------------------------------------------------------
# Table 2 prints the question, the judging labels with their descriptions, the vague form, the
# suggestion, and the sentences that show reasoning and introduce an example. The rest is ours:
# the paper's appendix of prompts is not in the text at hand.

ASK = "Which is the answer?"
LABELS: Mapping[Family, Mapping[str, str]] = {
    "judging": {
        "true": "True: Conclusion is proved.",
        "false": "False: Conclusion is disproved.",
        "unknown": "Unknown: Conclusion cannot be determined.",
    },
    "choice": {
        "one": "One: A single option is correct.",
        "several": "Several: More than one option is correct.",
        "none": "None: No option is correct.",
    },
}
EXTRA = {
    "all_true": f"{EXTRA_OPTIONS['all_true']}: Every label above applies.",
    "all_false": f"{EXTRA_OPTIONS['all_false']}: Each label above is wrong.",
}
VAGUE: Mapping[Family, str] = {
    "judging": "Which is the answer? True, False, or Unknown.",
    "choice": "Which is the answer? One option, several options, or none.",
}
TURNS = {
    "reasoning": "Also show your reasoning process.",
    "review": (
        "Review your reasoning and your answer, correct what is wrong in them, and give your "
        "final answer."
    ),
}
SUGGEST = "The answer is {answer}."
SHOT = {
    "one": "Here is an example to learn from.",
    "many": "Here are {n} examples to learn from.",
    "answer": "Answer: {answer}",
    "now": "Here is the question to answer.",
}
BODIES = {
    "judging": "Facts:\n{facts}\n\nConclusion:\n{conclusion}",
    "passage": "Passage:\n{passage}\n\n",
    "choice": "Question:\n{question}\n\nOptions:\n{options}",
}
GUIDANCE: Mapping[Family, str] = {
    "judging": "Follow the facts step by step as far as they lead, and add nothing to them.",
    "choice": "Check every option on its own.",
}
FORMAT = {
    "judging": "Answer with one label: {labels}.",
    "choice": "Answer {forms}.",
    "one": "the number of the correct option",
    "several": "the numbers of all correct options separated by commas",
    "none": "None",
}
# In place of the question where no rewrite of an item is shipped.
POLISHED_ASK = (
    "Having weighed what is set out above with due care, which of the following would you say "
    "is the most fitting answer?"
)
# All that a prompt, a polisher or a judge is told in our words: runs that differ in them differ.
WORDS = (
    *(BODIES, ASK, LABELS, EXTRA, GUIDANCE, FORMAT, VAGUE, TURNS, SUGGEST, SHOT, POLISHED_ASK),
    *(STATEMENT, REQUEST, JUDGE_WORDS),
)
