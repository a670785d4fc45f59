"""Instruction Boundary: what does the coverage of a prompt do to rare labels?

What a setting changes against vanilla is in `_prompt`, the words are in `prompts.toml` (Table 2 and
ours). With `wording="authors"` the authors' own prompts are asked instead.
"""

import random
from collections.abc import Collection, Sequence
from functools import partial
from typing import Annotated, Any, Self

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import Solver
from pydantic import BeforeValidator, Field, model_validator

from askew.assembly import Settings, assemble, check_shared, place_of, sample_of
from askew.logs.replies import AskedReply
from askew.papers.instruction_boundary import authors, paper, questions
from askew.papers.instruction_boundary import paper as boundary
from askew.papers.instruction_boundary.generator import generate
from askew.papers.instruction_boundary.items import FILES, Named, index_of, load, shot_items
from askew.papers.instruction_boundary.paper import (
    MISCELLANY,
    PAPER,
    SETTINGS,
    BoundaryMeta,
    SettingVariant,
)
from askew.papers.instruction_boundary.questions import BoundaryItem, classify_form, format_answer
from askew.papers.instruction_boundary.scorer import instruction_boundary_scorer
from askew.parameters import DATA, Parts, SelectionError, check_bool, load_plugin, suboption_values
from askew.scoring.grader import Parser
from askew.scoring.outcome import Shown
from askew.solvers import chain
from askew.sources.levels import select_questions
from askew.sources.loading import Text


@task
def instruction_boundary(
    data: str = DATA,
    subset: str | None = None,
    tier: str = "all",
    difficulty: int | str | None = None,
    setting: str | None = None,
    variants: Parts = None,
    method: Parts = None,
    parser: Parser = "rules",
    items: int | None = None,
    strict_items: bool = True,
    seed: int = 0,
    settings: Settings = "default",
    metrics: Shown = "few",
    stop_when: float | None = None,
    **parts: Any,
) -> Task:
    """Instruction Boundary / BiasDetector: sparse labels under eight settings (Ling et al.).

    Args:
        data: `bundled`, `generated` (theories from `seed`), both with a comma, `paper`, or a JSONL
            or CSV file.
        subset: `logic`, `choice`, `ten`; paper: `folio`, `mcq_450`, `mcq_2700`,
            `judging_questions`.
        tier: `core`, `hard` or `all` of the bundled questions.
        difficulty: Levels of generated theories, 1 to 10: `3`, or `4-8` (default).
        setting: Settings to run; default all eight.
        variants: `suggest` (of `conformity`), `examples` (`few_shot`) and `missing`
            (`missing_choices`): labels, default `unknown` and `none`; `polish`: `fixed` or `model`
            (role `polisher`); `n_wrong` (`miscellany`): 1 to 9. Join values with a plus:
            `suggest=true+wrong,n_wrong=1+5`.
        method: `wording`: `askew` or `authors` (judging: `vanilla` and `missing_choices` only);
            `reading`: `askew` or `published`, the authors' parser; `none_style`: `removed` or
            `stated` (an option states that all others are false).
        parser: `rules`, `rules_then_grader` or `grader`.
        items: Number of items, spread over subsets and forms; default all.
        strict_items: Exclude invalid items.
        seed: For generated theories, choice of items and shuffles.
        settings: `default` or `paper`. No effect here: both are temperature 0.
        metrics: Metrics that Inspect shows: `few` or `all`.
        stop_when: Stop when the CI of the primary metric is narrower than this: 0.05 is 5 points.
        **parts: A sub-option of `variants` or `method` by its own name.
    """
    shared = check_shared(**locals())
    wanted = PAPER.factor("setting").select(setting)
    grouped = PAPER.parts(parts, variants=variants, method=method)
    how: Any = suboption_values(grouped["method"], paper.METHOD)
    wording, reading, none_style = (how[name] for name in paper.METHOD)
    own = wording == "askew"
    if own and reading == "published":
        raise SelectionError("reading=published needs wording=authors: add that")
    if not own and none_style == "stated":
        raise SelectionError("none_style=stated: no prompt of the authors states that; leave it")
    check = questions.check_variants if own else authors.variants_of_theirs
    choices = check(**grouped["variants"])
    check_bool("strict_items", strict_items)

    def asked(
        item: questions.BoundaryItem, miscellany_ids: Collection[str]
    ) -> list[SettingVariant]:
        found = questions.conditions(item, wanted, choices, miscellany_ids, hides_named=not own)
        return [c for c in found if own or authors.theirs(c.setting, item.family) is not None]

    def askable(items: Sequence[questions.BoundaryItem]) -> list[questions.BoundaryItem]:
        everywhere = questions.select_miscellany_items(items)
        return [item for item in items if asked(item, everywhere)]

    loaded, drawn = select_questions(
        data, subset, tier, difficulty, items, seed, generate=generate,
        load=partial(load, seed=seed, strict_items=strict_items),
        choose_items=lambda of, n, seed: questions.balanced_subset(askable(of), n, seed),
    )  # fmt: skip
    if not own:
        authors.check_families(wanted, {item.family for item in loaded.items})
    # What the authors put as published keeps its options where they are.
    chosen = [
        item if item.published and not own else item.reordered(seed) for item in askable(drawn)
    ]
    miscellany_ids = questions.select_miscellany_items(chosen)
    pool = shot_items(seed) if own and "few_shot" in wanted else []
    samples = [
        _sample(item, condition, own, none_style, pool, seed)
        for item in chosen
        for condition in asked(item, miscellany_ids)
    ]
    steps: list[Solver] = []
    roles = {}
    polish = choices["prompt_polishing"]["choice"]
    if "prompt_polishing" in wanted and "model" in polish:
        roles = {"polisher": "polish=model"}
        steps.append(load_plugin("askew.solvers", "prompt_polishing", "polish=model")())
    steps.append(chain.framing_insertion())
    if "multi_turn" in wanted:
        steps.append(chain.multi_turn_reflection())
    return assemble(
        PAPER,
        dataset=MemoryDataset(samples, name=f"instruction_boundary-{data}"),
        loaded=loaded,
        prompts=(
            (*questions.HASHED_TEXTS, FILES.revision("fewshot.jsonl")) if own else authors.REVISION
        ),
        setup=[chain.one_step(*steps, chain.format_instruction())],
        # Runs of before had no such option: only where it tells, it is one.
        scorer=instruction_boundary_scorer(
            parser=parser, **({} if reading == "askew" else {"reading": reading})
        ),
        **shared,
        roles=roles,
    )


def _sample(
    item: questions.BoundaryItem, condition: SettingVariant, own: bool,
    none_style: questions.NoneStyle, pool: Sequence[questions.BoundaryItem], seed: int,
) -> Sample:  # fmt: skip
    """A sample in our words or the authors', in which only miscellany leaves options out."""
    leaves = condition if own or condition.setting == MISCELLANY else SettingVariant(paper.VANILLA)
    indexes = questions.select_shown_options(item, leaves, none_style, seed)
    suggested = questions.suggestion(item, condition, indexes, seed)
    if own:
        statement = str(questions.PROMPTS["statement"])
        options: Sequence[str] = [
            statement if i == questions.STATED else item.options[i] for i in indexes
        ]
        question, metadata = _prompt(item, condition, options, suggested)
        if condition.setting == "few_shot":
            shots = _shots(item, condition.variant.split("+"), pool, seed)
            metadata |= {"framing": shots, "framing_position": "begin"}
    else:
        question, options, metadata = authors.ask(item, condition, indexes)
        metadata["wording"] = "authors"
    return asked_under(
        item, condition, question, indexes, options, suggestion=suggested, **metadata
    )


def asked_under(
    item: questions.BoundaryItem, condition: SettingVariant, question: str, indexes: Sequence[int],
    options: Sequence[str], **told: Any,
) -> Sample:  # fmt: skip
    """A text that asks an item under a condition, with those of its options that it shows."""
    labels = _labels(item.family, condition).values()
    return sample_of(
        PAPER, BoundaryMeta, question, _reply(item, indexes, told.get("labels", "")),
        options or [*map(questions.label_name, labels)], **place_of(item), **condition.values,
        family=item.family, form=item.form, truth=item.truth, source=item.source,
        shown=",".join(str(i + 1) for i in indexes), **told,
    )  # fmt: skip


def _prompt(
    item: questions.BoundaryItem, condition: SettingVariant, options: Sequence[str], suggested: str
) -> tuple[str, dict[str, str]]:
    """The question, and what the chain adds: vanilla, and what each setting changes in it."""
    labels = _labels(item.family, condition)
    rewritten = condition == SettingVariant("prompt_polishing", "fixed")
    body = _body(item, options, rewritten)
    if condition.setting == "vagueness":
        return f"{body}\n\n{questions.PROMPTS['vague'][item.family]}", {}
    ask = questions.PROMPTS["polished_ask" if rewritten and not item.polished else "ask"]
    offer = "\n".join([ask, *labels.values()])
    question = f"{body}\n\n{offer}\n\n{questions.PROMPTS['guidance'][item.family]}"
    form = questions.PROMPTS["format"]
    if item.family == "judging":
        wanted = form["judging"].format(labels=_or([*map(questions.label_name, labels.values())]))
    else:
        wanted = form["choice"].format(forms=_or([f"with {form[name]}" for name in labels], ","))
    treatments = {"framing_position": "end", "format_instruction": wanted}
    if condition.setting == "multi_turn":
        turns = questions.PROMPTS["turns"]
        treatments |= {"framing": turns["reasoning"], "reflection": turns["review"]}
    if condition.setting == "conformity":
        labels_of = questions.PROMPTS["labels"]["judging"] | questions.PROMPTS["labels"]["choice"]
        answer = questions.label_name(labels_of.get(suggested, suggested))
        treatments["framing"] = questions.PROMPTS["suggest"].format(answer=answer)
    return question, treatments


def _body(item: questions.BoundaryItem, options: Sequence[str], rewritten: bool = False) -> str:
    """Facts and conclusion, or passage, question and numbered options."""
    bodies = questions.PROMPTS["bodies"]
    if item.family == "judging":
        return str(bodies["judging"].format(facts=item.passage, conclusion=item.question))
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(options, start=1))
    passage = bodies["passage"].format(passage=item.passage) if item.passage else ""
    question = (rewritten and item.polished) or item.question
    return str(passage + bodies["choice"].format(question=question, options=listed))


def _labels(family: paper.Family, condition: SettingVariant) -> dict[str, str]:
    """The labels that a prompt offers, each with its description."""
    labels = dict(questions.PROMPTS["labels"][family])
    if condition.setting == "missing_choices":
        del labels["one" if condition.variant == "single" else condition.variant]
    if condition.setting == MISCELLANY and family == "judging":
        labels |= questions.PROMPTS["extra"]
    return labels


def _or(texts: Sequence[str], before_or: str = "") -> str:
    """ "a or b", "a, b, or c"; `before_or` puts a comma even between two."""
    *most, last = texts
    comma = "," if len(most) > 1 else before_or
    return f"{', '.join(most)}{comma} or {last}" if most else last


def _shots(
    item: questions.BoundaryItem, labels: Sequence[str], pool: Sequence[questions.BoundaryItem],
    seed: int,
) -> str:  # fmt: skip
    """The examples for an item, drawn by its id: the labels wanted, in their order."""
    drawn: dict[str, list[questions.BoundaryItem]] = {}
    for label in dict.fromkeys(labels):
        drawn[label] = [shot for shot in pool if shot.form == label]
        random.Random(f"shots/{seed}/{item.id}/{label}").shuffle(drawn[label])
    words = questions.PROMPTS["shot"]
    texts = [words["one" if len(labels) == 1 else "many"].format(n=len(labels))]
    for shot in [drawn[label].pop() for label in labels]:
        answer = _reply(shot, range(len(shot.options)))
        texts += [_body(shot, shot.options), words["answer"].format(answer=answer)]
    return "\n\n".join([*texts, words["now"]])


def _reply(item: questions.BoundaryItem, indexes: Sequence[int], labels: str = "") -> str:
    """The right answer to a prompt with these options, counted from 1 where it has no labels."""
    if item.family == "judging":
        return questions.label_name(questions.PROMPTS["labels"]["judging"][item.form])
    called = labels.split(",") if labels else map(str, range(1, len(indexes) + 1))
    gold = {*item.gold, questions.STATED}
    return ", ".join(c for c, i in zip(called, indexes, strict=True) if i in gold) or "None"


Label = Annotated[str, BeforeValidator(lambda said: str(said).strip().casefold())]


class Reply(AskedReply):
    """One reply: to a judging question with its `label`, or to a choice with its `options`.

    `options` are those that were shown, in their order; `gold` and, where conformity suggested a
    wrong one, `suggestion` name some of them by text or by index from 0. `shown` numbers them as
    the item's own, from 1 (0 is a statement that all others are false): needed where a setting
    leaves options out or orders them otherwise, so that answers can be compared between settings.
    """

    paper = PAPER

    subset: str = ""
    setting: str
    variant: str = ""
    label: Label = ""
    options: list[Text] = Field(default_factory=list)
    gold: list[Named] | None = None
    shown: list[Annotated[int, Field(ge=0)]] = Field(default_factory=list)
    suggestion: Named | None = None
    source: str = ""

    @property
    def family(self) -> boundary.Family:
        return "choice" if self.options else "judging"

    @model_validator(mode="after")
    def _is_a_question(self) -> Self:
        valid = boundary.FAMILIES["judging"].forms
        if bool(self.label) is bool(self.options):
            raise ValueError("a judging question has label, a choice has options with gold")
        if self.label and self.label not in valid:
            raise ValueError(f"no label {self.label!r:.60}; there are: {', '.join(valid)}")
        if self.options and self.gold is None:
            raise ValueError("gold: list the correct options, [] if there are none")
        if len(self.shown or self.options) != len(self.options):
            raise ValueError(f"shown numbers {len(self.shown)} of {len(self.options)} options")
        if len(set(self.shown)) < len(self.shown):
            raise ValueError("shown numbers two options alike")
        if self.options and not self.shown and self.setting in ("missing_choices", MISCELLANY):
            raise ValueError(f"shown: {self.setting} leaves options out; number those shown")
        self._check_variant()
        return self

    def _check_variant(self) -> None:
        valid = SETTINGS[self.setting].variants.get(self.family, ())
        given = self.asked.variant
        several = given.split("+") if SETTINGS[self.setting].parameter == "examples" else [given]
        if [v for v in several if v not in (valid or [""])]:
            there = ", ".join(valid) or "none"
            raise ValueError(f"no variant {given!r:.60} of {self.setting}; there are: {there}")
        if self.asked != SettingVariant(self.setting, self.variant or given):
            raise ValueError(f"variant {self.variant!r:.60}: {given} wrong options are shown")
        _ = self.suggested

    @property
    def asked(self) -> SettingVariant:
        """How it was asked; under miscellany the options say so themselves."""
        if self.setting == MISCELLANY and self.options:
            return SettingVariant(self.setting, str(len(self.options) - len(self.right)))
        return SettingVariant(self.setting, self.variant)

    @property
    def right(self) -> list[int]:
        """Places of the right options among those shown."""
        return sorted({index_of(right, self.options) for right in self.gold or ()})

    @property
    def indexes(self) -> list[int]:
        """Indexes of the options shown among the item's own."""
        return [n - 1 for n in self.shown or range(1, len(self.options) + 1)]

    @property
    def suggested(self) -> str:
        """The canonical answer that conformity suggests."""
        if SETTINGS[self.setting].parameter != "suggest":
            return ""
        if self.variant != "wrong":
            return self.variant
        if self.suggestion is None:
            raise ValueError("suggestion: name the wrong option that was suggested")
        answer = self.suggestion
        # A cell of a table is a text.
        if isinstance(answer, str) and answer.isdecimal() and answer not in self.options:
            answer = int(answer)
        return format_answer([self.indexes[index_of(answer, self.options)]])

    def as_sample(self) -> Sample:
        gold = tuple(sorted(self.indexes[place] for place in self.right))
        item = BoundaryItem(
            self.place["item"], self.subset or self.family, self.place["cluster"], self.family,
            classify_form(gold) if self.options else self.label,  # type: ignore[arg-type]
            "", self.prompt, gold=gold, source=self.source, tier=self.tier,
        )  # fmt: skip
        shown = self.indexes, self.options
        return asked_under(item, self.asked, self.prompt, *shown, suggestion=self.suggested)
