"""MathComp: do the words more, less and equal steer a comparison that is plain arithmetic?

Every scenario is asked in 14 framings: seven questions, each before or after the sentences.
"""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from itertools import product
from typing import Any, Literal, Self

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from pydantic import model_validator

from askew.assembly import Settings, assemble, check_shared, place_of, sample_of
from askew.logs.replies import AskedReply
from askew.papers.mathcomp.framings import FRAMINGS, Framing, Phrase, Scenario, Words
from askew.papers.mathcomp.generator import generate
from askew.papers.mathcomp.items import SEED, framings, load
from askew.papers.mathcomp.paper import (
    ONE_WORD,
    OUTPUTS,
    PAPER,
    STANDARD,
    WORDING,
    Label,
    MathCompMeta,
)
from askew.papers.mathcomp.scorer import mathcomp_scorer
from askew.parameters import DATA, Parts, SelectionError, check_int
from askew.scoring.grader import Parser
from askew.scoring.outcome import Shown
from askew.solvers.chain import format_instruction, framing_insertion, one_step
from askew.sources.levels import origins_of, select_questions
from askew.sources.loading import spread

Wanted = str | list[str] | None


@task
def mathcomp(
    data: str = DATA,
    subset: Wanted = None,
    tier: Wanted = "all",
    difficulty: int | str | None = None,
    framing: Parts = None,
    output: Wanted = None,
    identity: Wanted = None,
    items: int | None = None,
    scenarios: Parts = None,
    seed: int = SEED,
    parser: Parser = "rules",
    max_tokens: int | None = None,
    settings: Settings = "default",
    metrics: Shown = "few",
    stop_when: float | None = None,
    **parts: Any,
) -> Task:
    """More or Less Wrong: directional bias in comparisons of two amounts.

    Args:
        data: `bundled`, `generated` (from `seed`), both with a comma, `paper`, or a JSONL or CSV
            file.
        subset: Categories, such as `dining,travel`; default all ten.
        tier: `core`, `hard` or `all` of the bundled questions.
        difficulty: Levels of generated questions, 1 to 10: `3`, or `4-8` (default).
        framing: `style`, `term`, `position`, `wording`, `names`, `judge_people`; default all 14
            framings.
        output: `one_word` (default), `json`, `cot`, `cot_json`, `all`.
        identity: `standard` (default), one or several others, `all`.
        items: Number of scenarios, spread over categories; default all.
        scenarios: `strict_items`: leave invalid items of the paper unscored (`true`).
        seed: For generated scenarios and the choice of items.
        parser: `rules`, `rules_then_grader` or `grader`.
        max_tokens: Limit for `one_word` replies. The authors' limit, 7 tokens, cuts sentences.
        settings: `default` or `paper`. No effect here: both are temperature 0.
        metrics: Metrics that Inspect shows: `few` or `all`.
        stop_when: Stop when the CI of the primary metric is narrower than this: 0.05 is 5 points.
        **parts: A sub-option of `framing` or `scenarios` by its own name.
    """
    shared = check_shared(**locals())
    grouped = PAPER.parts(parts, framing=framing, scenarios=scenarios)
    outputs = PAPER.factor("output").select(output)
    identities = PAPER.factor("identity").select(identity)
    of_words = {p: v for p, v in grouped["framing"].items() if p in (*WORDING, "names")}
    chosen = framings(**{p: v for p, v in grouped["framing"].items() if p not in of_words})
    words = Words.of(identities, **of_words)
    if max_tokens is not None and check_int("max_tokens", max_tokens) and outputs != (ONE_WORD,):
        raise SelectionError(
            f"max_tokens={max_tokens} is for output={ONE_WORD} and would cut "
            f"{', '.join(o for o in outputs if o != ONE_WORD)}: run them separately"
        )
    given = grouped["scenarios"]
    if isinstance(strict := given.get("strict_items"), str):
        given["strict_items"] = {"true": True, "false": False}.get(strict.casefold(), strict)
    if given and not origins_of(data)[0]:
        what = "not for data=generated, of which no question is invalid; leave it out"
        raise SelectionError(f"{', '.join(given)}: {what}")
    loaded, chosen_items = select_questions(
        data, subset, tier, difficulty, items, seed, load=partial(load, **given),
        generate=generate, choose_items=_choose,
    )  # fmt: skip
    samples = [
        _sample(item, framed, form, who, words, parser != "rules" or OUTPUTS[form].judged)
        for item in chosen_items
        for form, who, framed in product(outputs, identities, chosen)
    ]
    return assemble(
        PAPER, dataset=MemoryDataset(samples, name=f"mathcomp-{data}"), loaded=loaded,
        prompts=words.texts, setup=[one_step(framing_insertion(), format_instruction())],
        scorer=mathcomp_scorer(parser=parser),
        config=GenerateConfig(temperature=0.0, max_tokens=max_tokens), **shared,
    )  # fmt: skip


def _choose(scenarios: Sequence[Scenario], n: int | None, seed: int) -> list[Scenario]:
    """Of a choice of scenarios, all are to count."""
    return spread([s for s in scenarios if n is None or not s.wrong], n, seed)


def _sample(
    scenario: Scenario, framing: Framing, output: str, identity: str, words: Words, graded: bool
) -> Sample:
    sentences, phrase = (scenario.sentence1, scenario.sentence2), words.phrase(scenario)
    wording = words.told(sentences, framing, phrase, identity)
    return sample_of(
        PAPER, MathCompMeta, wording.context, scenario.label, **place_of(scenario),
        **asdict(framing), output=output, identity=identity, gold=scenario.label,
        quantity=scenario.quantity, number_format="verbal" if scenario.verbal else "arabic",
        person_a=wording.first, person_b=wording.second,
        judge_question=words.judged(phrase, wording) if graded else "",
        wording="authors" if words.wording == "authors" else "", wrong=scenario.wrong,
        framing=wording.question, framing_position=framing.position,
        format_instruction=words.instruction(output),
    )  # fmt: skip


# Whom a prompt names last, and how, does not hang on what the two people did.
_SENTENCES, _PHRASE = ("{A}.", "{B}."), Phrase("time", "spend", "spends")


class Reply(AskedReply):
    """One reply, with its framing and what is right; people are named as its prompt ends."""

    paper = PAPER

    style: str
    term: str
    position: str
    output: str = ONE_WORD
    identity: str = STANDARD
    gold: Label
    quantity: str = ""
    number_format: Literal["arabic", "verbal"] = "arabic"
    person_a: str = ""
    person_b: str = ""
    judge_question: str = ""

    @property
    def framed(self) -> Framing:
        return Framing(self.style, self.term, self.position)

    @model_validator(mode="after")
    def _is_a_framing(self) -> Self:
        if self.framed not in FRAMINGS:
            framings(self.style, self.term, self.position)
        if bool(self.person_a) is not bool(self.person_b):
            raise ValueError("person_a and person_b come together or not at all")
        return self

    def as_sample(self) -> Sample:
        named = Words().told(_SENTENCES, self.framed, _PHRASE, self.identity)
        return sample_of(
            PAPER, MathCompMeta, self.prompt, self.gold, **self.place, **self.condition,
            gold=self.gold, quantity=self.quantity, number_format=self.number_format,
            person_a=self.person_a or named.first, person_b=self.person_b or named.second,
            judge_question=self.judge_question,
        )  # fmt: skip
