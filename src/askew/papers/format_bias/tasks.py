"""Format bias: does the requested output format move the score?

Every question is asked in every format of the categories that fit it, zero-shot and with a
chain of thought. The paper's prompts (Appendix E) stand at the end of this file; the sentence
that asks for a format stands with the format, in `askew.reading.formats`.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, cast

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from askew.assembly import Settings, assemble, settings_config
from askew.papers.format_bias.items import DEMOS_FILE, FormatItem, demonstrations, load
from askew.papers.format_bias.paper import CATEGORIES, PAPER, READING, FormatBiasMeta
from askew.papers.format_bias.scorer import Extraction, format_bias_scorer
from askew.parameters import SelectionError, choose
from askew.reading.formats import (
    FORMATS,
    PAPER_FORMATS,
    TAGGED_CATEGORIES,
    ExpectedAnswer,
    Format,
    Kind,
    Prompting,
    Value,
)
from askew.reading.formats.single import PLACEHOLDER_TABLE_1
from askew.reading.letters import LETTERS
from askew.schema import sample_id
from askew.solvers.chain import format_instruction, framing_insertion, one_step, system_prompt
from askew.sources.loading import revision_of, spread


@task
def format_bias(
    data: str = "bundled",
    subset: str | None = None,
    category: str | None = None,
    format: str | None = None,
    prompting: str | None = None,
    demos: str | int | None = None,
    repeat: str | int | None = None,
    items: int | None = None,
    reading: str | Sequence[str] | Mapping[str, Any] | None = None,
    seed: int = 0,
    settings: Settings = "default",
    **parts: Any,
) -> Task:
    """LLMs Are Biased Towards Output Formats: one question, many formats (Long et al.).

    Args:
        data: "bundled" (our own questions), "paper", or the path of a JSONL or CSV file.
        subset: the paper's tasks (mmlu, bbh, gsm8k, ...), several with commas; default all.
        category: mcq, wrapping, list, mapping; default all.
        format: formats by name; default the paper's fifteen, "all" also those registered.
        prompting: "zs", "cot"; default both.
        demos: how many formatted examples to show: 0, 1, 5, or several to compare.
        repeat: how often to give the format instruction: 1, 3, 5, or several to compare.
        items: how many items, whole and spread over subsets; default all.
        reading: how the paper is read where it can be read in two ways, such as
            "extraction=strict,casefold=true": extraction ("published": whatever can be extracted
            is scored, as the authors do; or "strict": only replies that follow the format score,
            Eq. 3), casefold (whether case does not count between keyphrases; false), placeholder
            (the placeholder's line as in "appendix" E.2 or as in "table1").
        seed: for the choice of items, demonstrations and every shuffle.
        settings: "default" (temperature 0) or "paper" (also top_p 1, at most 1,024 tokens).
        **parts: parts of `reading`, given alone.
    """
    read_as = _reading(PAPER.parts(parts, reading=reading)["reading"])
    formats = _formats(category, format, read_as["placeholder"])
    asked_categories = [c for c in CATEGORIES if any(f.category == c for f in formats)]
    promptings = cast(tuple[Prompting, ...], PAPER.factor("prompting").select(prompting))
    shown_often, given_often = (
        [int(n) for n in PAPER.factor(name).select(str(given) if isinstance(given, int) else given)]
        for name, given in (("demos", demos), ("repeat", repeat))
    )
    conditions = list(product(promptings, shown_often, given_often))
    loaded = load(data, subset)
    kinds = {kind for c in asked_categories for kind in CATEGORIES[c].kinds}
    chosen = spread([item for item in loaded.items if item.kind in kinds], items, seed)

    def samples() -> Iterator[Sample]:
        for item in chosen:
            shown = _shuffled_documents(item, seed)
            for fmt in formats:
                if item.kind in CATEGORIES[fmt.category].kinds:
                    for name, n_demos, n_repeat in conditions:
                        yield asked_in(shown, fmt, name, n_demos, n_repeat, seed)

    headlines = [h for h in PAPER.headlines if h.removeprefix("bias_f_") in asked_categories]
    return assemble(
        dataclasses.replace(PAPER, headlines=tuple(headlines)),
        dataset=MemoryDataset(list(samples()), name=f"format_bias-{data}"),
        loaded=loaded,
        prompts=(PROMPTS, _instructions(formats), revision_of([DEMOS_FILE])),
        setup=[one_step(system_prompt(), framing_insertion(), format_instruction())],
        solver=generate(),
        scorer=format_bias_scorer(
            extraction=cast(Extraction, read_as["extraction"]),
            casefold=read_as["casefold"] == "true",
        ),
        config=settings_config(settings, GenerateConfig(top_p=1.0, max_tokens=1_024)),
        columns=("answer", "target"),
    )


def _reading(given: Mapping[str, Any]) -> dict[str, str]:
    """Every part of `reading`, each as given or else its first value."""
    chosen = {name: valid[0] for name, valid in READING.items()}
    for name, value in given.items():
        chosen[name] = str(value).lower()
        if chosen[name] not in READING[name]:
            raise SelectionError(
                f"reading: {name}={value!r:.60} is not a value of {name}; "
                f"valid: {', '.join(READING[name])}"
            )
    return chosen


def _formats(category: str | None, name: str | None, placeholder: str) -> list[Format]:
    """The formats asked for: of the chosen categories, in the order of registration."""
    categories = choose("category", category, tuple(CATEGORIES))
    within = [n for n, fmt in FORMATS.items() if fmt.category in categories]
    default = [n for n in within if n in PAPER_FORMATS]
    formats = [FORMATS[n] for n in choose("format", name, within, default)]
    if placeholder == "appendix":
        return formats
    own: Any = FORMATS["placeholder"]
    reworded = dataclasses.replace(own, instruction=PLACEHOLDER_TABLE_1)
    return [reworded if fmt.name == own.name else fmt for fmt in formats]


def _instructions(formats: Sequence[Format]) -> dict[str, str]:
    """How formats are asked for: always the paper's, so that its subsets agree on the version."""
    asked = {name: FORMATS[name] for name in PAPER_FORMATS} | {f.name: f for f in formats}
    return {name: fmt.instruct(fmt.example.asked) for name, fmt in asked.items()}


def _shuffled_documents(item: FormatItem, seed: int) -> FormatItem:
    """The item with its documents in one seeded order, the same for every format."""
    if item.kind != "ranking":
        return item
    order = list(range(len(item.documents)))
    random.Random(f"format_bias/{seed}/{item.id}").shuffle(order)
    return dataclasses.replace(
        item,
        documents=tuple(item.documents[i] for i in order),
        relevant=tuple(item.relevant[i] for i in order),
    )


def asked_in(
    item: FormatItem, fmt: Format, prompting: Prompting, demos: int, repeat: int, seed: int
) -> Sample:
    """An item asked in a format: the instructions of Appendix E are inserted around its text."""
    asked = expected_answer(item, fmt, prompting)
    meta = FormatBiasMeta(
        task=PAPER.task,
        item=item.id,
        unit=item.unit,
        subset=item.subset,
        category=fmt.category,
        format=fmt.name,
        prompting=prompting,
        demos=demos,
        repeat=repeat,
        kind=asked.kind,
        keys=",".join(asked.keys),
        n_elements=asked.n_elements,
        system_prompt=SYSTEM,
        **_treatments(item, fmt, asked, repeat),
    )
    examples = demonstration_text(item, fmt, prompting, demos, seed)
    return sample_of(meta, examples + body(item), item.choices, true_answer(item, asked.kind))


def sample_of(meta: FormatBiasMeta, question: str, choices: Sequence[str], truth: Value) -> Sample:
    """A question with its truth, under the id that its condition gives it."""
    condition = {factor.name: getattr(meta, factor.name) for factor in PAPER.factors}
    return Sample(
        id=sample_id(meta.item, condition),
        input=question,
        choices=list(choices) or None,
        target=truth if isinstance(truth, str) else json.dumps(truth, ensure_ascii=False),
        metadata=meta.as_metadata(),
    )


def _treatments(
    item: FormatItem, fmt: Format, asked: ExpectedAnswer, repeat: int
) -> dict[str, Any]:
    """The instructions of Appendix E for an item in a format, as the chain inserts them.

    The format's own sentence is what `repeat` repeats; multiple choice without a wrapper has it
    inside its instruction.
    """
    cot = asked.prompting == "cot"
    sentence = fmt.instruct(asked)
    if fmt.category == "mcq":
        instruction = MCQ[asked.prompting].format(how=sentence)
        wrap = WRAP["mcq"] if cot else ""
        return {"framing": "\n".join([instruction] * repeat), "format_instruction": wrap}
    if fmt.category == "wrapping":
        how = WRAPPED_LETTER[asked.prompting]
        is_choice = asked.kind == "letter"
        instruction = (
            MCQ[asked.prompting].format(how=how) if is_choice else SHORT_ANSWER[asked.prompting]
        )
        return {"framing": instruction, "format_instruction": "\n".join([sentence] * repeat)}
    if fmt.category == "list":
        sentence += LIST_SUFFIX[asked.prompting]
        requirement = REQUIREMENTS[item.kind]
    else:
        named = [f"{key.lower()}s" for key in asked.keys]
        listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
        requirement = REQUIREMENTS["extraction"].format(
            kinds=listed, how=" step-by-step" if cot else ""
        )
    wrap = f"{BETWEEN[fmt.category]}{WRAP[fmt.category]}" if cot else ""
    return {
        "framing": requirement,
        "framing_position": "end" if item.kind == "ranking" else "begin",
        "format_instruction": "\n".join([sentence] * repeat) + wrap,
    }


def expected_answer(item: FormatItem, fmt: Format, prompting: Prompting) -> ExpectedAnswer:
    """The answer that an item asks for in a format."""
    kind: Kind = "text"
    if item.kind == "mcq":
        kind = fmt.example.asked.kind if fmt.category == "mcq" else "letter"
    elif item.kind in ("ranking", "keyphrases"):
        kind = item.kind
    elif item.kind == "extraction":
        kind = "entities"
    return ExpectedAnswer(kind, item.choices, tuple(item.entities), len(item.documents), prompting)


def true_answer(item: FormatItem, kind: Kind) -> Value:
    """The right answer of an item, as a value of its kind."""
    if kind == "option":
        return item.choices[LETTERS.index(item.answer)]
    if kind == "ranking":
        return list(item.relevant)
    if kind == "keyphrases":
        return list(item.keyphrases)
    if kind == "entities":
        return {key: list(names) for key, names in item.entities.items()}
    return item.answer


def body(item: FormatItem) -> str:
    """The question itself, laid out as in the authors' files."""
    if item.kind == "mcq":
        listed = " | ".join(f"{LETTERS[i]}. {c}" for i, c in enumerate(item.choices))
        return BODIES["mcq"].format(choices=listed, **item.context)
    if item.kind == "ranking":
        return BODIES["ranking"].format(documents=list(item.documents), **item.context)
    return BODIES[item.kind].format(**item.context)


def demonstration_text(
    item: FormatItem, fmt: Format, prompting: Prompting, number: int, seed: int
) -> str:
    """Worked examples to stand before a question; never the question itself."""
    if not number:
        return ""
    kind = "bbh" if item.subset == "bbh" else item.kind
    pool = [
        d
        for d in demonstrations()[kind]
        if d.context != item.context and tuple(d.entities) == tuple(item.entities)
    ]
    # One seeded draw for all items and formats, so that arms differ in nothing else.
    drawn = random.Random(f"demos/{seed}/{kind}").sample(pool, len(pool))[:number]
    if len(drawn) < number:
        raise SelectionError(
            f"demos={number}: for {item.id} there are only {len(drawn)} demonstrations"
        )
    examples = "\n\n".join(
        DEMONSTRATIONS["one"].format(
            number=i, body=body(d), reply=demonstrated_reply(d, fmt, prompting)
        )
        for i, d in enumerate(drawn, start=1)
    )
    return DEMONSTRATIONS["all"].format(examples=examples)


def demonstrated_reply(item: FormatItem, fmt: Format, prompting: Prompting) -> str:
    """The right answer to an item in a format, with a line of reasoning where one is asked."""
    asked = expected_answer(item, fmt, prompting)
    value = true_answer(item, asked.kind)
    written = fmt.write(value)
    if prompting == "zs":
        return written
    if fmt.category in TAGGED_CATEGORIES:
        written = f"<ANSWER>{written}</ANSWER>"
    reasoning = REASONING[item.kind].format(answer=_said(item))
    return f"{reasoning}\n\n{written}"


def _said(item: FormatItem) -> str:
    """The right answer in words, without any mark that a format could take for its own."""
    if item.kind == "mcq":
        return f"{item.answer}, {item.choices[LETTERS.index(item.answer)]}"
    return item.answer


# --- The paper's words -----------------------------------------------------------------------

# Appendix D.2.
SYSTEM = "You are helpful assistant!"

# Appendix E.1 and E.2: multiple choice. `{how}` says how the choice is to be given.
MCQ: Mapping[str, str] = {
    "zs": "Answer the following multiple-choice question {how}.",
    "cot": "Answer the following multiple-choice question step-by-step {how}.",
}
# E.2, with Section 4's "without any explanation", which E.2 leaves out.
WRAPPED_LETTER: Mapping[str, str] = {
    "zs": "by outputting only the designated character identifier without any explanation",
    "cot": "by outputting only the designated character identifier",
}
SHORT_ANSWER: Mapping[str, str] = {
    "zs": "Answer the following question without any explanation.",
    "cot": "Answer the following question step by step.",
}

# Appendix E.3: what follows the sentence that asks for a list.
LIST_SUFFIX: Mapping[str, str] = {"zs": " without any explanation.", "cot": " step by step."}

# Appendix E.3 and E.4. E.4 names "the tasks" alone also where methods, materials and metrics
# are asked for: mended here.
REQUIREMENTS: Mapping[str, str] = {
    "ranking": (
        "You are required to transform the list of documents into a binary list of 1 or 0 where "
        "1 indicates the document brings useful information to the topic, and 0 indicates the "
        "document does not bring useful information to the topic."
    ),
    "keyphrases": "Extract a list of keyphrases from the following document:",
    "extraction": "Extract the entities reflecting the {kinds} in the following document{how}:",
}

# Appendix E.1, E.3, E.4: the final answer of a chain of thought.
WRAP: Mapping[str, str] = {
    "mcq": "Wrap your final answer by <ANSWER> and </ANSWER>.",
    "list": "Wrap your final list by <ANSWER> and </ANSWER>.",
    "mapping": "Wrap your final list by <ANSWER> and </ANSWER>.",
}

# A blank line behind a mapping's skeleton, as in the authors' prompts.
BETWEEN: Mapping[str, str] = {"list": "\n", "mapping": "\n\n"}

# The layout of `input_data` in the authors' files, and of Appendix E.3.
BODIES: Mapping[str, str] = {
    "mcq": "Question: {question}\nAnswer choices: {choices}",
    "arithmetic": "Question: {question}",
    "reading": "Content: {passage}\n\nQuestion: {question}",
    "multihop": "Question: {question}\nContext: {context}",
    "ranking": (
        "Given a query, and a list of documents:\nTopic: {query}\nList of documents: {documents}"
    ),
    "keyphrases": "{text}",
    "extraction": "{text}",
}

# Ours: worked examples that stand before a question.
DEMONSTRATIONS: Mapping[str, str] = {
    "all": "{examples}\n\nNow it is your turn.\n\n",
    "one": "Example {number}\n{body}\n\nReply:\n{reply}",
}
REASONING: Mapping[str, str] = {
    "mcq": "Each choice is weighed against the question in turn. The one that fits is {answer}.",
    "arithmetic": "The quantities are taken one after the other, which gives {answer}.",
    "reading": "The passage tells this in so many words: {answer}.",
    "multihop": "The first fact leads to the second, and the second gives {answer}.",
    "ranking": "Each document is compared with the topic, in the order of the list.",
    "keyphrases": "The terms that the document is about are taken in the order of the text.",
    "extraction": "The document is searched for each kind of entity in turn.",
}

# What the version of the task depends on.
PROMPTS = (
    (SYSTEM, MCQ, WRAPPED_LETTER, SHORT_ANSWER, LIST_SUFFIX, REQUIREMENTS, WRAP, BETWEEN),
    (BODIES, DEMONSTRATIONS, REASONING),
)
