"""KnowNo: does a model notice that no option is right?

Every item is asked with its right option (`with_gold`) and without it, under three hints; and with
it in both ways that let none-of-them be said, which tells who notices from who says so anyway. The
paper's prompts (Table 2, Appendix A.2) stand in `prompts.toml`.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Self

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from pydantic import Field, model_validator

from askew import assembly, parameters
from askew.files import given_path
from askew.logs.replies import AskedReply
from askew.papers.knowno.generator import generate
from askew.papers.knowno.items import KnowNoItem, clip_after, clip_before, load
from askew.papers.knowno.paper import (
    ABLATION,
    HINTS,
    PAPER,
    PROMPTS,
    SUBSET_OF,
    WITHOUT_GOLD,
    Kind,
    KnowNoMeta,
)
from askew.papers.knowno.scorer import knowno_scorer
from askew.reading.names import LETTERS
from askew.reading.none import NONE_OF_THEM, denies
from askew.scoring.grader import Parser
from askew.scoring.outcome import Shown
from askew.solvers.chain import framing_insertion
from askew.sources.levels import origins_of, select_questions
from askew.sources.loading import HARD, Text, shuffle_by_seed

_TEMPLATES = ("appendix", "generic")
# A place of a user's own prompt; in two brackets it stands for itself.
_PLACE = re.compile(r"\{(\{[a-z_]+\})\}|\{([a-z_]+)\}")
_LINES: Mapping[str, str] = PROMPTS["task"]
_BODIES: Mapping[str, str] = PROMPTS["body"]
_GENERIC: Mapping[str, str] = PROMPTS["generic"]
_DEFINED: Mapping[str, str] = PROMPTS["defined"]
# Far more shuffles than options have orders that matter.
_MOST_ORDERS = 1_000
# What parts the options themselves, or can't be seen, joins no words.
_MARK = re.compile(r"[!-+\-./:<-@\[-`{-~]{1,3}")


@task
@parameters.check_parameters
def knowno(
    data: str = parameters.DATA,
    subset: str | None = None,
    tier: str = "all",
    difficulty: int | str | None = None,
    hint: str | None = None,
    items: int | None = None,
    orders: int = 1,
    ablation: bool = False,
    none_place: str | None = None,
    template: str = "appendix",
    delimiter: str = "_",
    definitions: bool | None = None,
    context_words: int | str | Sequence[int] = 1_000,
    parser: Parser = "rules",
    seed: int = 0,
    settings: assembly.Settings = "default",
    metrics: Shown = "few",
    stop_when: float | None = None,
) -> Task:
    """Know-No: classification with and without the gold label (Xu et al.).

    Args:
        data: `bundled`, `generated` (stories and equations from `seed`), both with a comma,
            `paper`, or a JSONL or CSV file.
        subset: `mctest`, `bank77`, `equinfer`; default all.
        tier: `core`, `hard` or `all` of the bundled questions.
        difficulty: Levels of generated questions, 1 to 10: `3`, or `4-8` (default).
        hint: Hints to run; default all six.
        items: Number of items, spread over subsets; default all (200 generated).
        orders: Shuffles of the options (paper: 3).
        ablation: Add `with_gold_plus_none` if `hint` leaves it out (the paper's question 5).
        none_place: Position of none-of-them: `varies` by item, or `last` (default for `paper`).
        template: `appendix` (A.2), `generic` (Table 2) for all subsets, or a file with your prompt.
        delimiter: Joins the words of an intent; `-` is the paper's question 4.
        definitions: Define the intents in the prompt; default for hard utterances only.
        context_words: Words of LaTeX on each side of an equation; several values compare them.
        parser: `rules`, `rules_then_grader` or `grader`.
        seed: For generated questions, choice of items and shuffles.
        settings: `default` (temperature 0) or `paper` (top_p 0.9, 1,000 tokens).
        metrics: Metrics that Inspect shows: `few` or `all`.
        stop_when: Stop when the CI of the primary metric is narrower than this: 0.05 is 5 points.
    """
    shared = assembly.check_shared(**locals())
    hints = PAPER.factor("hint").select(hint)
    if parameters.check_bool("ablation", ablation) and ABLATION not in hints:
        hints = (*hints, ABLATION)
    if definitions is not None:
        parameters.check_bool("definitions", definitions)
    if none_place is not None:
        parameters.check_choice("none_place", none_place, ("varies", "last"))
    is_last = (none_place or ("last" if data == "paper" else "varies")) == "last"
    parameters.check_int("orders", orders, most=_MOST_ORDERS)
    # The shortest first; the paper tried ten, 100 to 1,500.
    given = dict.fromkeys(parameters.parse_list(context_words)) or [context_words]
    numbers = [int(str(n)) if re.fullmatch("[0-9]{1,6}", str(n)) else n for n in given]
    lengths = sorted({parameters.check_int("context_words", n, most=100_000) for n in numbers})
    # What a command line's YAML makes of a bare hyphen.
    if delimiter == [None]:  # type: ignore[comparison-overlap]
        delimiter = "-"
    if not isinstance(delimiter, str) or not _MARK.fullmatch(delimiter):
        raise parameters.SelectionError(
            f"delimiter={parameters.quote(delimiter)}: give a mark such as '_' or '-' that joins "
            "the words, or one to three of them"
        )
    loaded, chosen = select_questions(
        data, subset, tier, difficulty, items, seed, load=load, generate=generate
    )
    chosen = [_telling(item, definitions) for item in chosen]
    if definitions and not any(item.definitions for item in chosen):
        raise parameters.SelectionError(
            "definitions=True: none of the questions chosen comes with definitions; utterances do "
            "whose records have a field definition, and the bundled ones"
        )
    swept = len(lengths) > 1
    if swept and not any(item.kind == "equation" for item in chosen):
        raise parameters.SelectionError(
            f"context_words={parameters.quote(context_words)}: several lengths are for equations, "
            "and none is among the questions chosen; see subset, items and data"
        )
    own = _own_prompt(template, chosen)
    samples = [
        _sample(shown, name, order, own or template, seed, is_last, length if swept else None)
        for item in chosen
        for order in range(orders)
        # What has no context to cut is asked once.
        for length in (lengths if item.kind == "equation" else lengths[:1])
        for shown in [_rewritten(item, delimiter, length, seed, order)]
        for name in hints
        if item.gold is not None or name in WITHOUT_GOLD
    ]
    # Of all questions, whichever are chosen: selections of the same ones are one run.
    origin, _ = origins_of(data)
    whole = load(origin).items if origin and origin != "paper" else loaded.items
    meanings = {k: v for i in whole for k, v in _telling(i, definitions).definitions.items()}
    return assembly.assemble(
        PAPER, dataset=MemoryDataset(samples, name=f"knowno-{data}"), loaded=loaded,
        prompts=(
            *(_LINES, _GENERIC["task"], PROMPTS["none_hint"], _BODIES, _GENERIC["body"]),
            *([] if is_last else ["none-of-them anywhere"]),
            *([_DEFINED, sorted(meanings.items())] if meanings else []),
            *([own] if own else []),
        ),
        setup=[framing_insertion()], scorer=knowno_scorer(parser=parser),
        config=assembly.settings_config(settings, GenerateConfig(top_p=0.9, max_tokens=1_000)),
        **shared,
    )  # fmt: skip


def _own_prompt(template: str, items: Sequence[KnowNoItem]) -> str:
    """The user's own prompt, with a place for all that its questions need; else nothing."""
    if template in _TEMPLATES:
        return ""
    told = f"template={parameters.quote(template, 200)}"
    try:
        text = given_path(template).read_text("utf-8").strip()
    except (OSError, TypeError, ValueError) as error:
        why = f"not readable: {getattr(error, 'strerror', None) or error}"
        raise parameters.SelectionError(
            f"{told}: {why}. Give appendix, generic or a text file with your own prompt"
        ) from error
    given = {match[2] for match in _PLACE.finditer(text) if match[2]}
    filled = given | {"options"} if "option_lines" in given else given
    for item in items:
        places = _places(item, item.options, "...")
        needed = [name for name, value in places.items() if value and name != "option_lines"]
        missing = [name for name in needed if name not in filled]
        if wrong := missing or sorted(given - {*places}):
            named, valid = (", ".join(f"{{{n}}}" for n in names) for names in (wrong, places))
            raise parameters.SelectionError(
                f"{told}: {'missing ' if missing else 'no place is '}{named}. The places of "
                f"{item.id} are {valid}; write {{{{name}}}} for a name in brackets that is no place"
            )
    return text


def _places(item: KnowNoItem, options: Sequence[str], or_none: str) -> dict[str, str]:
    """What a question is made of, and stands in the places of a user's own prompt."""
    listed = [*map("{}: {}".format, LETTERS, options)]
    by_name = item.kind == "intent"
    # What the offered intents mean, and the rule for reading it.
    meanings = [
        _DEFINED["line"].format(intent=option, meaning=item.definitions[option])
        for option in options
        if option in item.definitions
    ]
    return {
        **item.context, "options": ", ".join(options) if by_name else "\n".join(listed),
        "option_lines": "\n".join(options if by_name else listed),
        "definitions": "\n".join([_DEFINED["rule"], *meanings] if meanings else []),
        "or_none": or_none,
    }  # fmt: skip


def _telling(item: KnowNoItem, definitions: bool | None) -> KnowNoItem:
    """The item with the definitions that its prompt shows."""
    defined = item.tier == HARD if definitions is None else definitions
    return item if defined else replace(item, definitions={})


def _rewritten(
    item: KnowNoItem, delimiter: str, context_words: int, seed: int, order: int
) -> KnowNoItem:
    """The item as every hint of one order shows it: shuffled, clipped, labels rewritten."""
    options = [o.replace("_", delimiter) if item.kind == "intent" else o for o in item.options]
    gold = None if item.gold is None else options[item.gold]
    options = shuffle_by_seed(options, "knowno", seed, item.id, order)
    context = dict(item.context)
    if item.kind == "equation":
        context["before"] = clip_before(context["before"], context_words)
        context["after"] = clip_after(context["after"], context_words)
    gold_at = None if gold is None else options.index(gold)
    made = {name.replace("_", delimiter): what for name, what in item.definitions.items()}
    return replace(item, context=context, options=tuple(options), gold=gold_at, definitions=made)


def _sample(
    item: KnowNoItem, hint: str, order: int, template: str, seed: int, is_last: bool,
    length: int | None,
) -> Sample:  # fmt: skip
    options = shown_options(item, hint, seed, order, is_last)
    task_line = _GENERIC["task"] if template == "generic" else _LINES[item.kind]
    allowed = PROMPTS["none_hint"] if HINTS[hint].names_none else ""
    framing = task_line.format(or_none=allowed) if template in _TEMPLATES else ""
    return asked_under(
        hint, _body(item, options, template, allowed), options, item.gold_text,
        **assembly.place_of(item), kind=item.kind, order=order,
        context_length=length if item.kind == "equation" else None,
        framing=framing, framing_position="begin",
    )  # fmt: skip


def asked_under(hint: str, question: str, options: Sequence[str], gold: str, **told: Any) -> Sample:
    """A question with what is right under its hint."""
    either = f"{NONE_OF_THEM}, or: {gold}" if gold else NONE_OF_THEM
    right = {"gold": gold, "none": NONE_OF_THEM, "none_or_gold": either}[HINTS[hint].right]
    made = assembly.sample_of(
        PAPER, KnowNoMeta, question, right, options, hint=hint, gold=gold, **told
    )
    if told.get("context_length") is not None:
        made.id = f"{made.id}-words"
    return made


def shown_options(
    item: KnowNoItem, hint: str, seed: int, order: int, is_last: bool = False
) -> list[str]:
    """The options a hint offers, in order; `is_last`: none-of-them follows all others."""
    without = [o for i, o in enumerate(item.options) if i != item.gold]
    treatment = HINTS[hint].options
    if treatment == "all":
        return list(item.options)
    if treatment == "gold_removed":
        return without
    if treatment == "none_added":
        place = random.Random(f"none/{seed}/{item.id}/{order}").randrange(len(without) + 1)
        place = len(without) if is_last else place
        return [*without[:place], NONE_OF_THEM, *without[place:]]
    replaced = random.Random(f"ablation/{seed}/{item.id}/{order}").choice(without)
    return [NONE_OF_THEM if o == replaced else o for o in item.options]


def _body(item: KnowNoItem, options: Sequence[str], template: str, or_none: str) -> str:
    """The question below the task line, or the whole of a user's own prompt."""
    places = _places(item, options, or_none)
    if template not in _TEMPLATES:
        return _PLACE.sub(lambda match: match[1] or places[match[2]], template)
    if template == "generic":
        listed = options if item.kind == "intent" else map("{}. {}".format, LETTERS, options)
        given = filter(None, (*item.context.values(), places["definitions"]))
        return _GENERIC["body"].format(input="\n".join(given), options="; ".join(listed))
    body = _BODIES["question" if places.get("story") == "" else item.kind]
    return (_DEFINED["body"] if item.definitions else body).format(**places)


class Reply(AskedReply):
    """One reply, with the options that were shown, in their order, and the right one.

    `gold` is named also where it was not shown. `kind` says how a reply names an option: by its
    letter or text (story, equation) or by its label alone (intent); the paper's subsets say it too.
    """

    paper = PAPER

    subset: str = ""
    kind: Kind | None = None
    hint: str
    order: int = Field(default=0, ge=0)
    context_length: int | None = Field(default=None, ge=1)
    options: Annotated[list[Text], Field(min_length=1)]
    gold: Text

    @property
    def named(self) -> Kind:
        """How an option is named in a reply."""
        by_subset = (kind for kind, subset in SUBSET_OF.items() if subset == self.subset)
        kind = self.kind or next(by_subset, None)
        if kind is None:
            raise ValueError(f"kind: give the question's kind, one of {', '.join(SUBSET_OF)}")
        return kind

    @model_validator(mode="after")
    def _options_are_those_of_the_hint(self) -> Self:
        _ = self.named
        hint, offered = HINTS[self.hint], self.gold in self.options
        says_none = any(o == NONE_OF_THEM or denies(o) for o in self.options)
        if offered is not (hint.options in ("all", "none_for_a_wrong_one")):
            wrong = "is not among" if not offered else "is among"
            raise ValueError(f"under {self.hint}, gold {self.gold!r:.60} {wrong} the options shown")
        if hint.options in ("none_added", "none_for_a_wrong_one") and not says_none:
            raise ValueError(f"under {self.hint}, one option must be {NONE_OF_THEM!r}")
        return self

    def as_sample(self) -> Sample:
        place = {**self.place, "subset": self.subset or SUBSET_OF[self.named]}
        return asked_under(
            question=self.prompt, options=self.options, gold=self.gold, kind=self.named,
            **place, **self.condition,
        )  # fmt: skip
