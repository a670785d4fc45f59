"""Score KnowNo replies: correctness for the given hint, and the reply pattern."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from askew.papers.knowno.paper import HINTS, LENGTH, PAPER, PATTERNS, PROMPTS, KnowNoMeta
from askew.parameters import check_parameters
from askew.reading.choices import leaks_delimiter, read_choice, read_label
from askew.reading.engine import Choice
from askew.reading.names import LETTERS
from askew.reading.none import NONE_OF_THEM, denies
from askew.reading.reply import fold
from askew.scoring import grader, outcome
from askew.stats.tables import OVERALL


@dataclass(frozen=True)
class ParsedAnswer(Choice):
    """The choice of a reply, with its pattern, the answer and the kind of its letter."""

    pattern: str = "unparsed"
    answer: str | None = None
    letter_kind: str = "none"  # "offered", "next" (any beyond the offered ones), or "none"


# OmniAccuracy and its parts, overall and by subset.
knowno_metrics = outcome.live_metric(
    PAPER, named=lambda table: table[table[LENGTH] == OVERALL] if LENGTH in table else table
)


@scorer(metrics=[knowno_metrics(), outcome.item_accuracy("correct")])
@check_parameters
def knowno_scorer(parser: grader.Parser = "rules") -> Scorer:
    """Score one reply: whether it is correct for its hint, and which pattern it has.

    Args:
        parser: how replies are parsed: `rules`, `rules_then_grader` or `grader`. The grader also
            decides whether a new answer means the removed one (`no_hint` only).
    """

    @grader.mark_unscored
    async def score(state: TaskState, target: Target) -> Score:
        meta = state.metadata_as(KnowNoMeta)
        options = [choice.value for choice in state.choices]
        reply = outcome.reply_of(state.output)
        # A truncated reply counts if it has already answered or refused.
        parsed = parse_reply(reply, options, meta)
        by_rules = outcome.complete_reading(state.output, parsed, "refused")
        answer, metadata = await grader.score_reply(
            parser,
            by_rules,
            lambda: question_of(reply, options, meta),
            lambda verdict, why: from_grader(verdict, why, by_rules, reply, options, meta),
        )
        free = meta.hint == "no_hint" and meta.gold  # an answer that was removed may be given
        if parser != "rules" and free and answer.pattern == "new_wrong":
            metadata = grader.grader_metadata(by_rules)
            with grader.attach_if_no_verdict(pattern=answer.pattern, **metadata):
                verdict = await grader.ask_grader(ask_if_same(meta.gold, answer.answer or ""))
            if verdict == "same":
                answer = replace(answer, pattern="new_gold", answer=meta.gold)
        leak = meta.kind == "intent" and leaks_delimiter(by_rules, options)
        right = {
            "gold": answer.outcome == "ok" and answer.answer == meta.gold,
            "none": answer.pattern.startswith("none"),
            "none_or_gold": PATTERNS[answer.pattern].right,
        }[HINTS[meta.hint].right]
        return outcome.make_score(
            state,
            {
                "correct": float(right),
                "said_none": float(answer.said_none),
                "delimiter_leak": float(leak),
            },
            answer.answer, answer.outcome, f"{answer.why}; pattern {answer.pattern}",
            pattern=answer.pattern, letter_kind=answer.letter_kind, **metadata,
        )  # fmt: skip

    return score


def parse_reply(reply: str, options: list[str], meta: KnowNoMeta) -> ParsedAnswer:
    """Parse a reply and name its pattern."""
    shown = [o for o in options if o != NONE_OF_THEM] if meta.kind == "intent" else options
    parse = read_label if meta.kind == "intent" else read_choice
    choice = parse(reply, shown, _removed_answer(meta))
    return _interpret_choice(choice, shown, meta, len(options))


def _removed_answer(meta: KnowNoMeta) -> str:
    """The correct answer if the hint removes it from the options, else nothing."""
    return "" if HINTS[meta.hint].right == "gold" else meta.gold


def _interpret_choice(
    choice: Choice, shown: list[str], meta: KnowNoMeta, n_options: int
) -> ParsedAnswer:
    """Interpret a choice among the options shown for the hint of the sample."""
    removed = _removed_answer(meta)
    chosen = shown[choice.chosen] if choice.chosen is not None else None
    if chosen == NONE_OF_THEM or (removed and chosen is not None and denies(chosen)):
        choice = replace(choice, said_none=True, chosen=None, text="")
        chosen = None
    # New text after a letter counts only if the hint removed the correct option.
    if chosen is not None and choice.text and removed and meta.kind != "intent":
        chosen, choice = None, replace(choice, chosen=None)
    answer = chosen or choice.text or (NONE_OF_THEM if choice.said_none else None)
    letter_kind = "none"
    if choice.letter and choice.letter in LETTERS:
        letter_kind = "offered" if LETTERS.index(choice.letter) < n_options else "next"
    return ParsedAnswer(
        **vars(choice), pattern=_pattern(choice), answer=answer, letter_kind=letter_kind
    )


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


_WORDS = PROMPTS["grader"]
NONE, _ = _WORDS["answers"]  # the two verdicts that are no option: "none", and a new answer


def question_of(reply: str, options: list[str], meta: KnowNoMeta) -> grader.Question:
    """Ask whether the reply chooses an option, answers "none" or gives a new answer."""
    answers = grader.answers_of_options(options, _labels(options, meta)) | _WORDS["answers"]
    return grader.closed_question(_WORDS["asked"], reply, answers)


def _labels(options: list[str], meta: KnowNoMeta) -> list[str]:
    """Return the labels of the options for the grader: letters, or numbers for intents."""
    numbers = [str(number) for number, _ in enumerate(options, start=1)]
    return numbers if meta.kind == "intent" else [*LETTERS[: len(options)]]


def from_grader(
    verdict: str, why: str, by_rules: ParsedAnswer, reply: str, options: list[str], meta: KnowNoMeta
) -> ParsedAnswer:
    """Convert the verdict to a parsed answer; keep the rules' details if kinds agree."""
    if verdict == grader.NO_ANSWER:
        return ParsedAnswer("unparsed", why=why)
    labels, choice = _labels(options, meta), Choice("ok", letter=by_rules.letter, why=why)
    if verdict in labels:
        choice = replace(choice, chosen=labels.index(verdict))
    elif verdict == NONE:
        choice = replace(choice, said_none=True)
    else:
        choice = replace(choice, text=" ".join(reply.split()))
    answer = _interpret_choice(choice, options, meta, len(options))
    grader_kind, rules_kind = (a.pattern.partition("_")[0] for a in (answer, by_rules))
    if grader_kind == rules_kind and grader_kind != "offered":
        return replace(by_rules, why=why)
    return answer


def ask_if_same(right: str, given: str) -> grader.Question:
    """Ask whether a new answer (`given`) means the removed one (`right`)."""
    expected = "same" if fold(right) in fold(given) else "different"
    prompt = _WORDS["same"].format(right=right, given=given)
    return grader.Question(prompt, ("same", "different"), simulated_verdict=expected)


def grader_case(shown: Mapping[str, str]) -> grader.Question:
    """Build the grader question for one case of the grader check."""
    return ask_if_same(**shown)
