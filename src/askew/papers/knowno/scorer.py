"""KnowNo: is the chosen option right under its hint, and which pattern is the reply?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from askew.papers.knowno.numbers import knowno
from askew.papers.knowno.paper import HINTS, KnowNoMeta
from askew.reading.choices import Choice, read_choice
from askew.reading.labels import leaks_delimiter, read_label
from askew.reading.letters import LETTERS
from askew.reading.none import NONE_OF_THEM, denies
from askew.reading.reply import folded
from askew.scoring.judge import JudgeQuestion, ask_judge
from askew.scoring.live_metrics import live
from askew.scoring.outcome import cut, filtered, no_output, reply_of, scored, undecided

_RIGHT_WITHOUT_GOLD = ("none", "none_and_gold", "none_and_other", "new_gold")


@dataclass(frozen=True)
class Reading:
    """A reply as an answer to its question: what was said, and its pattern."""

    choice: Choice
    pattern: str
    answer: str | None
    letter_kind: str


@metric(name="knowno_metrics", scores="unreduced")
def knowno_metrics() -> InspectMetric:
    """OmniAccuracy and its parts, overall and by subset."""
    return live(lambda rows: knowno(rows, by=(), interval=None), ("omni_accuracy",))


@scorer(metrics=[knowno_metrics()])
def knowno_scorer(judge: bool = False) -> Scorer:
    """Score one reply by the rules, and by a judge where they can't tell and one is wanted.

    Args:
        judge: ask the role `grader` whether a new answer means the removed one (`no_hint` only).
    """

    async def score(state: TaskState, target: Target) -> Score:
        unscored = no_output(state)
        if unscored is not None:
            return unscored
        meta = state.metadata_as(KnowNoMeta)
        options = [choice.value for choice in state.choices]
        reading = read(reply_of(state.output), options, meta)
        if cut(state.output) and not _stands_when_cut(reading.choice):
            reading = _without_answer(reading, "truncated", "cut before an answer was given")
        if filtered(state.output) and reading.choice.outcome != "ok":
            reading = _without_answer(reading, "filtered", "withheld by a content filter")
        decided_by = "rules"
        if judge and meta.hint == "no_hint" and reading.pattern == "new_wrong":
            verdict = await ask_judge(
                JUDGE_QUESTION.format(right=meta.gold, given=reading.answer),
                ("same", "different"),
                careful=_same_words(meta.gold, reading.answer or ""),
            )
            if verdict.choice is None:
                return undecided(state, verdict.why, pattern=reading.pattern)
            decided_by = "judge"
            if verdict.choice == "same":
                reading = replace(reading, pattern="new_gold")
        return _score(state, meta, options, reading, decided_by)

    return score


def read(reply: str, options: list[str], meta: KnowNoMeta) -> Reading:
    """Read a reply and name its pattern."""
    removed = "" if HINTS[meta.hint].right == "gold" else meta.gold
    shown = [o for o in options if o != NONE_OF_THEM] if meta.kind == "intent" else options
    reads = read_label if meta.kind == "intent" else read_choice
    choice = reads(reply, shown, removed)
    chosen = shown[choice.chosen] if choice.chosen is not None else None
    if chosen == NONE_OF_THEM or (removed and chosen is not None and denies(chosen)):
        choice = replace(choice, said_none=True, chosen=None, text="")
        chosen = None
    # Behind a letter, new words decide only where no offered option can be right.
    if chosen is not None and choice.text and removed and meta.kind != "intent":
        chosen, choice = None, replace(choice, chosen=None)
    answer = chosen or choice.text or (NONE_OF_THEM if choice.said_none else None)
    return Reading(choice, _pattern(choice), answer, _letter_kind(choice, len(options)))


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


def _stands_when_cut(choice: Choice) -> bool:
    """Whether a reply that ran out of room had answered or refused by then."""
    return choice.outcome == "refused" or (choice.outcome == "ok" and choice.settled)


def _same_words(right: str, given: str) -> str:
    return "same" if folded(right) in folded(given) else "different"


def _letter_kind(choice: Choice, n_options: int) -> str:
    """Whether a new answer came with the next letter, an offered one, or none (Q3)."""
    if not choice.letter or choice.letter not in LETTERS:
        return "none"
    return "offered" if LETTERS.index(choice.letter) < n_options else "next"


def _without_answer(reading: Reading, outcome: str, why: str) -> Reading:
    choice = Choice("truncated" if outcome == "truncated" else "filtered", why=why)
    return Reading(choice, "unparsed", None, "none")


def _score(
    state: TaskState, meta: KnowNoMeta, options: list[str], reading: Reading, decided_by: str
) -> Score:
    right = HINTS[meta.hint].right
    if right == "gold":
        correct = reading.choice.outcome == "ok" and reading.answer == meta.gold
    elif right == "none":
        correct = reading.pattern.startswith("none")
    else:
        correct = reading.pattern in _RIGHT_WITHOUT_GOLD
    leak = meta.kind == "intent" and leaks_delimiter(reading.choice, options)
    return scored(
        state,
        {
            "correct": float(correct),
            "said_none": float(reading.choice.said_none),
            "delimiter_leak": float(leak),
        },
        reading.answer,
        reading.choice.outcome,
        f"{reading.choice.why}; pattern {reading.pattern}",
        pattern=reading.pattern,
        letter_kind=reading.letter_kind,
        decided_by=decided_by,
    )


# Ours: the paper read these replies by hand.
JUDGE_QUESTION = """\
A question had one right answer, which was not among the options shown. Somebody gave an answer \
of their own. Decide whether it means the same as the right answer. Differences in wording, \
case or length do not matter; a different person, thing, number, place, reason or formula does.

Right answer: {right}
Given answer: {given}

Give the verdict "same" or "different"."""


def judge_case(shown: Mapping[str, str]) -> JudgeQuestion:
    """The question of a validation case."""
    question = JUDGE_QUESTION.format(right=shown["right"], given=shown["given"])
    return JudgeQuestion(question, ("same", "different"))
