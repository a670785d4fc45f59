"""Format bias: does the requested output format move the score?

The paper's prompts (Appendix E) are in `prompts.toml`; the sentence that asks for a format is with
the format, in `askew.reading.formats`.
"""

import dataclasses
import json
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Annotated, Any, Literal, Self, cast

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from pydantic import Field, TypeAdapter, ValidationError, field_validator, model_validator

from askew import assembly
from askew.files import toml_of
from askew.logs.replies import AskedReply
from askew.papers.format_bias.credit import Credit
from askew.papers.format_bias.generator import generate
from askew.papers.format_bias.items import DEMOS_FILE, FormatItem, demonstrations, load
from askew.papers.format_bias.paper import (
    CATEGORIES,
    KINDS,
    LEVELS,
    PAPER,
    PLAIN,
    READING,
    FormatBiasMeta,
)
from askew.papers.format_bias.scorer import Extraction, format_bias_scorer
from askew.parameters import DATA, Parts, SelectionError, choose, quote, suboption_values
from askew.reading import formats as catalogue
from askew.reading.formats import ExpectedAnswer, Format, Kind, Prompting, Value, get_format
from askew.reading.literals import LiteralError, read_json, read_python
from askew.reading.names import LETTERS
from askew.schema import clean_id
from askew.scoring.grader import Parser
from askew.scoring.outcome import Shown
from askew.solvers.chain import format_instruction, framing_insertion, one_step, system_prompt
from askew.sources.levels import listed, select_questions
from askew.sources.loading import Text, revision_of, spread

# Every text that prompts are made of; the version of the task depends on it.
_PROMPTS = toml_of(PAPER.home, "prompts.toml")
_ASKED, _LAID_OUT = _PROMPTS["asked"], _PROMPTS["laid_out"]
# Those of the authors' scripts, which differ from the paper's Appendix E.
_AUTHORS = toml_of(PAPER.home, "authors.toml")


@task
def format_bias(
    data: str = DATA,
    subset: str | None = None,
    tier: str = "all",
    difficulty: int | str | None = None,
    category: str | None = None,
    format: str | None = None,
    prompting: str | None = None,
    demos: str | int | None = None,
    repeat: str | int | None = None,
    items: int | None = None,
    reading: Parts = None,
    parser: Parser = "rules",
    seed: int = 0,
    settings: assembly.Settings = "default",
    metrics: Shown = "few",
    stop_when: float | None = None,
    **parts: Any,
) -> Task:
    """LLMs Are Biased Towards Output Formats: one question, many formats (Long et al.).

    Args:
        data: `bundled`, `generated` (lookups and sums from `seed`), both with a comma, `paper`, or
            a JSONL or CSV file.
        subset: The paper's tasks, such as `mmlu,gsm8k`; default all.
        tier: `core`, `hard` or `all` of the bundled questions.
        difficulty: Levels of generated questions, 1 to 10: `3`, or `4-8` (default).
        category: `mcq`, `wrapping`, `list`, `mapping`; default all.
        format: Formats by name; default the paper's fifteen, `all` adds registered ones.
        prompting: `zs`, `cot`; default both.
        demos: Formatted examples: 0, 1, 5, or several to compare; default 0.
        repeat: How often the format instruction is given: 1, 3, 5, or several; default 1.
        items: Number of items, spread over subsets; default all (100 generated).
        reading: `extraction`: `published`, or `strict` (only replies that follow the format
            score); `casefold` of keyphrases (`false`); `placeholder`: `appendix` or `table1`;
            `credit`: `declared`, `exact` or `contained`; `wording`: `askew`, or `authors` as in
            their scripts.
        parser: `rules`, `rules_then_grader` or `grader`, for letters and options only.
        seed: For generated questions, items, demonstrations and shuffles.
        settings: `default` (temperature 0) or `paper` (top_p 1, 1,024 tokens, the provider's
            temperature).
        metrics: Metrics that Inspect shows: `few` or `all`.
        stop_when: Stop when the CI of the primary metric is narrower than this: 0.05 is 5 points.
        **parts: A sub-option of `reading` by its own name.
    """
    shared = assembly.check_shared(**locals())
    given = PAPER.parts(parts, reading=reading)["reading"]
    # A command line makes of some words what they mean.
    texts = {n: (value if isinstance(value, str) else quote(value)) for n, value in given.items()}
    read_as = suboption_values({n: text.lower() for n, text in texts.items()}, READING)
    formats = _formats(category, format, read_as["placeholder"])
    asked_categories = [c for c in CATEGORIES if any(f.category == c for f in formats)]
    promptings = cast(tuple[Prompting, ...], PAPER.factor("prompting").select(prompting))
    shown_often, given_often = (
        [int(n) for n in PAPER.factor(name).select(quote(n) if isinstance(n, int) else n)]
        for name, n in (("demos", demos), ("repeat", repeat))
    )
    conditions = [*product(promptings, shown_often, given_often)]
    own = read_as["wording"] == "askew"
    if not own and any(shown_often):
        raise SelectionError("wording=authors has no demonstrations; remove demos")
    kinds = {kind for c in asked_categories for kind in CATEGORIES[c].kinds}
    asked_of = [name for name in generate.subsets if KINDS[name] in kinds]
    loaded, chosen = select_questions(
        data, subset, tier, difficulty, items, seed, load=load,
        generate=dataclasses.replace(generate, subsets=asked_of),
        choose_items=lambda of, n, seed: spread([i for i in of if i.kind in kinds], n, seed),
    )  # fmt: skip

    # What the authors put keeps its documents where they are.
    shown = [_shuffled_documents(item, seed) if own else as_read(item) for item in chosen]
    samples = [
        render_item(item, fmt, *condition, seed, own)
        for item, fmt, condition in product(shown, formats, conditions)
        if item.kind in CATEGORIES[fmt.category].kinds
    ]
    # Always how the paper's formats are asked for, so that its subsets agree on the version.
    theirs = (catalogue.FORMATS[name] for name in catalogue.PAPER_FORMATS)
    by_name = {f.name: f for f in (*theirs, *formats)}
    headlines = [h for h in PAPER.headlines if h.removeprefix("bias_f_") in asked_categories]
    return assembly.assemble(
        dataclasses.replace(PAPER, headlines=tuple(headlines)),
        dataset=MemoryDataset(samples, name=f"format_bias-{data}"),
        loaded=loaded,
        prompts=(
            [list(texts.values()) for texts in (_ASKED, _LAID_OUT)],
            {name: fmt.instruct(fmt.example.asked) for name, fmt in by_name.items()},
            revision_of([DEMOS_FILE]),
            *([] if own else [_AUTHORS]),
        ),
        setup=[one_step(system_prompt(), framing_insertion(), format_instruction())],
        scorer=format_bias_scorer(
            parser=parser,
            extraction=cast(Extraction, read_as["extraction"]),
            casefold=read_as["casefold"] == "true",
            credit=cast(Credit, read_as["credit"]),
        ),
        config=assembly.settings_config(
            settings, GenerateConfig(top_p=1.0, max_tokens=1_024), sampled=True
        ),
        **shared,
    )


def _formats(category: str | None, name: str | None, placeholder: str) -> list[Format]:
    """The formats asked for: of the chosen categories, in the order of registration."""
    categories = choose("category", category, tuple(CATEGORIES))
    within = [n for n, fmt in catalogue.FORMATS.items() if fmt.category in categories]
    default = [n for n in within if n in catalogue.PAPER_FORMATS]
    formats = {n: catalogue.FORMATS[n] for n in choose("format", name, within, default)}
    if placeholder == "table1" and (own := formats.get("placeholder")):
        words = catalogue.PLACEHOLDER_TABLE_1
        formats[own.name] = dataclasses.replace(own, instruction=words)
    return [*formats.values()]


def _shuffled_documents(item: FormatItem, seed: int) -> FormatItem:
    """The item with its documents in one seeded order, the same for every format."""
    order = list(range(len(item.documents)))
    random.Random(f"format_bias/{seed}/{item.id}").shuffle(order)
    documents = tuple(item.documents[i] for i in order)
    relevant = tuple(item.relevant[i] for i in order)
    return dataclasses.replace(item, documents=documents, relevant=relevant)


def render_item(
    item: FormatItem, fmt: Format, prompting: Prompting, demos: int, repeat: int, seed: int,
    own: bool = True,
) -> Sample:  # fmt: skip
    """An item in a format, in the words of Appendix E, or else of the authors' scripts."""
    expected = expected_answer(item, fmt, prompting)
    question = demonstration_text(item, fmt, prompting, demos, seed) + body(item)
    if own:
        treatments = _treatments(item, fmt, expected, repeat)
    else:
        question, instruction = _ask_as_authors(item, question, fmt, expected, repeat)
        treatments = {"format_instruction": instruction, "wording": "authors"}
    return make_sample(
        expected, question, true_answer(item, expected.kind), **assembly.place_of(item),
        accepted=item.accepted, category=fmt.category, format=fmt.name, demos=demos,
        repeat=repeat, system_prompt=_ASKED["system"], **treatments,
    )  # fmt: skip


def make_sample(
    asked: ExpectedAnswer, question: str, truth: Value, accepted: Sequence[str] | None, **other: Any
) -> Sample:
    """A question with its truth, what else it accepts, and `other` fields of its metadata."""
    target = truth if isinstance(truth, str) else json.dumps(truth, ensure_ascii=False)
    return assembly.sample_of(
        PAPER, FormatBiasMeta, question, target, asked.choices, kind=asked.kind,
        keys=",".join(asked.keys), n_elements=asked.n_elements, prompting=asked.prompting,
        accepted="" if accepted is None else json.dumps(accepted, ensure_ascii=False), **other,
    )  # fmt: skip


def _treatments(
    item: FormatItem, fmt: Format, expected: ExpectedAnswer, repeat: int
) -> dict[str, Any]:
    """The instructions of Appendix E for an item in a format, as the chain inserts them.

    The format's own sentence is what `repeat` repeats; multiple choice without a wrapper has it
    inside its instruction.
    """
    way = expected.prompting
    wrap = _ASKED["wrap"].get(fmt.category, "") if way == "cot" else ""
    sentence = fmt.instruct(expected)
    if fmt.category == "mcq":
        instruction = _ASKED["mcq"][way].format(how=sentence)
        return {"framing": "\n".join([instruction] * repeat), "format_instruction": wrap}
    if fmt.category == "list":
        sentence += _ASKED["list_suffix"][way]
    repeated = "\n".join([sentence] * repeat)
    if fmt.category == "wrapping":
        instruction = _ASKED["short_answer"][way]
        if expected.kind == "letter":
            instruction = _ASKED["mcq"][way].format(how=_ASKED["wrapped_letter"][way])
        return {"framing": instruction, "format_instruction": repeated}
    requirement = _ASKED["requirements"][item.kind].format(
        kinds=listed([f"{key.lower()}s" for key in expected.keys]),
        how=" step-by-step" if way == "cot" else "",
    )
    return {
        "framing": requirement,
        "framing_position": "end" if item.kind == "ranking" else "begin",
        "format_instruction": repeated + (_ASKED["between"][fmt.category] + wrap if wrap else ""),
    }


def as_read(item: FormatItem) -> FormatItem:
    """The item as the scripts read replies to it: the easy level has a key in small letters."""
    if tuple(item.entities) != LEVELS["scirex_easy"]:
        return item
    entities = {key.lower(): names for key, names in item.entities.items()}
    return dataclasses.replace(item, entities=entities)


def _ask_as_authors(
    item: FormatItem, laid_out: str, fmt: Format, expected: ExpectedAnswer, repeat: int
) -> tuple[str, str]:
    """The question, and the instruction behind it, of an item in one of the paper's formats."""
    words, way = _AUTHORS.get(fmt.category, {}), expected.prompting
    if fmt.name not in catalogue.PAPER_FORMATS:
        raise SelectionError(f"format={fmt.name}: not in the authors' scripts")
    if fmt.category == "list":
        python, own = fmt.name == "python", words[item.kind]
        question = own["question"].format(
            **item.context, documents=list(item.documents), binary="binary " if python else ""
        )
        sentence = own["python_cot" if python and way == "cot" else way]
        sentence = sentence.format(how=words["how"][fmt.name], wrap_list=_AUTHORS["wrap_list"])
    elif fmt.category == "mapping":
        own = words.get(str(len(expected.keys)), {}).get(fmt.name)
        if own is None:
            raise SelectionError(f"{item.id}: wording=authors needs one, two or four keys")
        how = own["how"] if way == "cot" else ""
        question = words["question"].format(kinds=own["kinds"], how=how, **item.context)
        sentence = own.get(way, own["zs"])
        if way == "cot":
            sentence += _AUTHORS["wrap_answer"] + ("\n" if fmt.name == "json" else "")
    else:
        question = f"{words[expected.kind][way]}\n{laid_out}\n"
        sentence = _AUTHORS["sentences"].get(fmt.name, fmt.instruct(expected))
        if fmt.category == "mcq":
            sentence = _AUTHORS["wrap_answer"] if way == "cot" else ""
    sentence = sentence if repeat == 1 else f"{sentence} " * repeat
    asks = question.rstrip("\n")
    return asks, question[len(asks) :] + sentence if sentence else ""


def expected_answer(item: FormatItem, fmt: Format, prompting: Prompting) -> ExpectedAnswer:
    """The answer that an item asks for in a format."""
    kinds: Mapping[str, Kind] = {
        "mcq": fmt.example.asked.kind if fmt.category == "mcq" else "letter",
        "ranking": "ranking", "keyphrases": "keyphrases", "extraction": "entities",
    }  # fmt: skip
    kind = kinds.get(item.kind, "text")
    return ExpectedAnswer(kind, item.choices, tuple(item.entities), len(item.documents), prompting)


def true_answer(item: FormatItem, kind: Kind) -> Value:
    """The right answer of an item, as a value of its kind."""
    values: Mapping[Kind, Value] = {
        "ranking": list(item.relevant), "keyphrases": list(item.keyphrases),
        "entities": {key: list(names) for key, names in item.entities.items()},
    }  # fmt: skip
    if kind == "option":
        return item.choices[LETTERS.index(item.answer)]
    return values.get(kind, item.answer)


def body(item: FormatItem) -> str:
    """The question itself, laid out as in the authors' files.

    Ours, which declare their aliases, ask for the shortest phrase where a phrase is wanted.
    """
    places: dict[str, Any] = {**item.context, "documents": list(item.documents)}
    places["choices"] = " | ".join(map("{}. {}".format, LETTERS, item.choices))
    if item.accepted is not None and item.kind in _LAID_OUT["phrased"]["kinds"]:
        places["question"] = _LAID_OUT["phrased"]["question"].format(**item.context)
    return str(_LAID_OUT["bodies"][item.kind].format(**places))


def demonstration_text(
    item: FormatItem, fmt: Format, prompting: Prompting, number: int, seed: int
) -> str:
    """Worked examples to stand before a question; never the question itself."""
    if not number:
        return ""
    kind = "bbh" if item.subset == "bbh" else item.kind
    fits = (d for d in demonstrations()[kind] if tuple(d.entities) == tuple(item.entities))
    pool = [d for d in fits if d.context != item.context]
    # One seeded draw for all items and formats, so that arms differ in nothing else.
    drawn = random.Random(f"demos/{seed}/{kind}").sample(pool, len(pool))[:number]
    if len(drawn) < number:
        raise SelectionError(
            f"demos={number}: for {item.id} there are only {len(drawn)} demonstrations"
        )
    one, every = (_LAID_OUT["demonstrations"][name] for name in ("one", "all"))
    examples = (
        one.format(number=i, body=body(d), reply=demonstrated_reply(d, fmt, prompting))
        for i, d in enumerate(drawn, start=1)
    )
    return str(every.format(examples="\n\n".join(examples)))


def demonstrated_reply(item: FormatItem, fmt: Format, prompting: Prompting) -> str:
    """The right answer to an item in a format, with a line of reasoning where one is asked."""
    expected = expected_answer(item, fmt, prompting)
    value = true_answer(item, expected.kind)
    written = fmt.write(value)
    if prompting == "zs":
        return written
    if fmt.category in catalogue.TAGGED_CATEGORIES:
        written = f"<ANSWER>{written}</ANSWER>"
    # The right answer in words, without any mark that a format could take for its own.
    text = f"{item.answer}, {true_answer(item, 'option')}" if item.kind == "mcq" else item.answer
    return f"{_LAID_OUT['reasoning'][item.kind].format(answer=text)}\n\n{written}"


class Reply(AskedReply):
    """One reply, with what was asked.

    `task` is the paper's, such as gsm8k; `choices`, `demos` and `repeat` stand where they are
    known; items that share a text share a `cluster`. `aliases` of a short answer and `optional`
    keyphrases are what questions may declare (see docs/reference/tasks/format_bias.md).
    """

    paper = PAPER

    task: Text
    prompting: Prompting
    format: Text
    target: str | list[Any] | dict[str, Any]
    """A list or a mapping may also come as a literal or as JSON in a string."""
    choices: list[str] = Field(default_factory=list)
    aliases: list[Text] | None = None
    optional: list[Text] | None = None
    demos: int = Field(default=PLAIN["demos"], ge=0)
    repeat: int = Field(default=PLAIN["repeat"], ge=1)

    @field_validator("task")
    @classmethod
    def _in_lower_case(cls, task: str) -> str:
        return clean_id(task.lower().replace(" ", "_"))

    @model_validator(mode="after")
    def _target_fits(self) -> Self:
        if self.truth is None:
            raise ValueError(
                f"the target {str(self.target)[:60]!r} of format {self.format} in {self.task} "
                f"is not {_WANTED.get(self.kind, (None, 'a text'))[1]}"
            )
        return self

    @property
    def kind(self) -> Kind:
        """The type of the answer that it should give."""
        fmt, kinds = get_format(self.format), KINDS.get(self.task)
        if fmt.category == "wrapping":
            return "letter" if kinds == "mcq" or self.choices else "text"
        if fmt.category == "list":
            return "ranking" if kinds == "ranking" else "keyphrases"
        return fmt.example.asked.kind

    @property
    def truth(self) -> Value | None:
        """The target as a value of its type; nothing where it is none."""
        if self.kind not in _WANTED:
            return self.target if isinstance(self.target, str) else None
        value: Any = self.target
        for read in (read_json, read_python) if isinstance(value, str) else ():
            with suppress(LiteralError):
                value = read(str(value))
                break
        with suppress(ValidationError):
            found: Value = _WANTED[self.kind][0].validate_python(value)
            return found
        return None

    def as_sample(self) -> Sample:
        truth = cast(Value, self.truth)
        named = self.item.startswith(f"{self.task}-")
        item = clean_id(self.item if named else f"{self.task}-{self.item}")
        cluster = self.cluster or item
        place = {**self.place, "item": item, "cluster": cluster, "subset": self.task}
        keys = tuple(truth) if isinstance(truth, dict) else ()
        n_marks = len(truth) if self.kind == "ranking" else 0
        expected = ExpectedAnswer(self.kind, tuple(self.choices), keys, n_marks, self.prompting)
        accepted = self.optional if self.aliases is None else self.aliases
        return make_sample(
            expected, self.prompt, truth, accepted, **place, format=self.format,
            category=get_format(self.format).category, demos=self.demos, repeat=self.repeat,
        )  # fmt: skip


# By kind of answer: what its target has to be, where that is no text.
_WANTED: Mapping[Kind, tuple[TypeAdapter[Any], str]] = {
    "ranking": (
        TypeAdapter(Annotated[list[Literal[0, 1]], Field(min_length=1)]), "a list of 0 and 1"
    ),
    "keyphrases": (TypeAdapter(list[str]), "a list of texts"),
    "entities": (
        TypeAdapter(Annotated[dict[str, list[str]], Field(min_length=1)]),
        "a mapping with a list of texts under each key",
    ),
}  # fmt: skip
