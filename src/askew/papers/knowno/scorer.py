"""KnowNo: is the chosen option right under its hint, and which pattern is the reply?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from askew.papers.knowno.paper import HINTS, LENGTH, PAPER, PATTERNS, PROMPTS, KnowNoMeta
from askew.parameters import check_parameters
from askew.reading.choices import leaks_delimiter, read_choice, read_label
from askew.reading.engine import Choice
from askew.reading.names import LETTERS
from askew.reading.none import NONE_OF_THEM, denies
from askew.reading.reply import fold
from askew.schema import Outcome
from askew.scoring import outcome
from askew.scoring.grader import (
    NO_ANSWER,
    Parser,
    Question,
    answers_of_options,
    ask_grader,
    by_grader,
    closed_question,
    of_replies,
    score_reply,
    telling,
)
from askew.stats.tables import OVERALL


@dataclass(frozen=True)
class ParsedAnswer:
    """A reply as an answer to its question: what was said, its pattern, and with which letter."""

    choice: Choice
    pattern: str = "unparsed"
    answer: str | None = None
    letter_kind: str = "none"
    """Whether a new answer came with the next letter, an offered one, or none (Q3)."""

    @property
    def outcome(self) -> Outcome:
        return self.choice.outcome

    @property
    def why(self) -> str:
        return self.choice.why


@metric(name="knowno_metrics", scores="unreduced")
def knowno_metrics(shown: outcome.Shown = "few", headline: str = "") -> InspectMetric:
    """OmniAccuracy and its parts, overall and by subset."""
    return outcome.live(PAPER, shown, headline, named=_pool_lengths)


def _pool_lengths(table: pd.DataFrame) -> pd.DataFrame:
    """The metrics over all lengths of context."""
    return table[table[LENGTH] == OVERALL] if LENGTH in table else table


@scorer(metrics=[knowno_metrics()])
@check_parameters
def knowno_scorer(parser: Parser = "rules") -> Scorer:
    """Score one reply: whether it is right under its hint, and which pattern it is.

    Args:
        parser: who reads replies. The grader, if it is asked, also says whether a new answer means
            the removed one (`no_hint` only).
    """

    @of_replies
    async def score(state: TaskState, target: Target) -> Score:
        meta = state.metadata_as(KnowNoMeta)
        options = [choice.value for choice in state.choices]
        reply = outcome.reply_of(state.output)
        by_rules = read(reply, options, meta)
        # A reply that ran out of room may have answered or refused by then.
        choice = outcome.complete_reading(state.output, by_rules.choice, "refused")
        by_rules = by_rules if choice is by_rules.choice else ParsedAnswer(choice)
        said, told = await score_reply(
            parser,
            by_rules,
            lambda: question_of(reply, options, meta),
            lambda verdict, why: from_grader(verdict, why, by_rules, reply, options, meta),
        )
        if parser != "rules" and meta.hint == "no_hint" and said.pattern == "new_wrong":
            told = by_grader(by_rules)
            with telling(pattern=said.pattern, **told):
                verdict = await ask_grader(same_question(meta.gold, said.answer or ""))
            if verdict == "same":
                said = replace(said, pattern="new_gold", answer=meta.gold)
        leak = meta.kind == "intent" and leaks_delimiter(by_rules.choice, options)
        return outcome.make_score(
            state,
            {
                "correct": float(_is_right(said, meta)),
                "said_none": float(said.choice.said_none),
                "delimiter_leak": float(leak),
            },
            said.answer,
            said.outcome,
            f"{said.why}; pattern {said.pattern}",
            pattern=said.pattern,
            letter_kind=said.letter_kind,
            **told,
        )

    return score


def read(reply: str, options: list[str], meta: KnowNoMeta) -> ParsedAnswer:
    """Read a reply and name its pattern."""
    removed = "" if HINTS[meta.hint].right == "gold" else meta.gold
    shown = [o for o in options if o != NONE_OF_THEM] if meta.kind == "intent" else options
    reads = read_label if meta.kind == "intent" else read_choice
    return _parse_answer(reads(reply, shown, removed), shown, meta, len(options))


def _parse_answer(
    choice: Choice, shown: list[str], meta: KnowNoMeta, n_options: int
) -> ParsedAnswer:
    """What a choice among the options shown says under a hint."""
    removed = "" if HINTS[meta.hint].right == "gold" else meta.gold
    chosen = shown[choice.chosen] if choice.chosen is not None else None
    if chosen == NONE_OF_THEM or (removed and chosen is not None and denies(chosen)):
        choice = replace(choice, said_none=True, chosen=None, text="")
        chosen = None
    # Behind a letter, new words decide only where no offered option can be right.
    if chosen is not None and choice.text and removed and meta.kind != "intent":
        chosen, choice = None, replace(choice, chosen=None)
    answer = chosen or choice.text or (NONE_OF_THEM if choice.said_none else None)
    letter_kind = "none"
    if choice.letter and choice.letter in LETTERS:
        letter_kind = "offered" if LETTERS.index(choice.letter) < n_options else "next"
    return ParsedAnswer(choice, _pattern(choice), answer, letter_kind)


def _pattern(choice: Choice) -> str:
    if choice.outcome == "refused":
        return "refused"
    if choice.outcome != "ok":
        return "unparsed"
    if choice.said_none:
        if choice.gave_removed:
            return "none_and_gold"
        return "none_and_other" if choice.text else "none"
    if choice.chosen is not None:
        return "offered"
    return "new_gold" if choice.gave_removed else "new_wrong"


def _is_right(said: ParsedAnswer, meta: KnowNoMeta) -> bool:
    right = HINTS[meta.hint].right
    if right == "gold":
        return said.choice.outcome == "ok" and said.answer == meta.gold
    return said.pattern.startswith("none") if right == "none" else PATTERNS[said.pattern].right


_WORDS = PROMPTS["grader"]
NONE, OTHER = _WORDS["answers"]


def question_of(reply: str, options: list[str], meta: KnowNoMeta) -> Question:
    """Ask which option a reply chooses, whether it says none, or gives an answer of its own."""
    answers = answers_of_options(options, _labels(options, meta)) | _WORDS["answers"]
    return closed_question(_WORDS["asked"], reply, answers)


def _labels(options: list[str], meta: KnowNoMeta) -> list[str]:
    """What a prompt calls its options; intents have no letters."""
    numbers = [str(number) for number, _ in enumerate(options, start=1)]
    return numbers if meta.kind == "intent" else [*LETTERS[: len(options)]]


def from_grader(
    verdict: str, why: str, by_rules: ParsedAnswer, reply: str, options: list[str], meta: KnowNoMeta
) -> ParsedAnswer:
    """What the grader's verdict makes of a reply; where rules said the same, with their details."""
    if verdict == NO_ANSWER:
        return ParsedAnswer(Choice("unparsed", why=why))
    letter, labels = by_rules.choice.letter, _labels(options, meta)
    choice = Choice("ok", letter=letter, why=why)
    if verdict in labels:
        choice = replace(choice, chosen=labels.index(verdict))
    elif verdict == NONE:
        choice = replace(choice, said_none=True)
    else:
        choice = replace(choice, text=" ".join(reply.split()))
    said = _parse_answer(choice, options, meta, len(options))
    kind, read_as = (of.pattern.partition("_")[0] for of in (said, by_rules))
    if kind == read_as != "offered":
        return replace(by_rules, choice=replace(by_rules.choice, why=why))
    return said


def same_question(right: str, given: str) -> Question:
    """Ask whether a new answer means the removed one."""
    careful = "same" if fold(right) in fold(given) else "different"
    asked = _WORDS["same"].format(right=right, given=given)
    return Question(asked, ("same", "different"), careful=careful)


def grader_case(shown: Mapping[str, str]) -> Question:
    """The question of a validation case."""
    return same_question(**shown)
