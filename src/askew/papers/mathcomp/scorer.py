"""MathComp: which option a reply gives, in which of three readings, and who decided."""

from collections.abc import Mapping

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from askew.papers.mathcomp.framings import judge_prompt, phrase_for
from askew.papers.mathcomp.paper import OPTIONS, PAPER, MathCompMeta
from askew.papers.mathcomp.reading import ComparisonAnswer, read_comparison
from askew.parameters import check_parameters
from askew.reading.reply import visible
from askew.schema import INVALID_ITEM, NOT_READ
from askew.scoring import outcome
from askew.scoring.grader import NoVerdictError, Parser, Question, mark_unscored, score_reply
from askew.stats.tables import OVERALL

_LONGEST_GRADED = 40_000


# framing_pull with its three terms; DirErr, accuracy and unread replies over all framings.
mathcomp_metrics = outcome.live_metric(
    PAPER, named=lambda table: table[table["identity"] == OVERALL], **PAPER.pooled
)


@scorer(metrics=[mathcomp_metrics(), outcome.item_accuracy("correct")])
@check_parameters
def mathcomp_scorer(parser: Parser = "rules") -> Scorer:
    """Score one reply: which option it gives, in three readings.

    Args:
        parser: who reads replies. The grader is asked in the words of the paper's Table 8, where a
            sample holds them, and its verdict is all three readings at once.
    """

    @mark_unscored
    async def score(state: TaskState, target: Target) -> Score:
        meta = state.metadata_as(MathCompMeta)
        if meta.wrong:
            return outcome.make_unscored(state, f"{meta.item}: {meta.wrong}", reason=INVALID_ITEM)
        # The input is the two sentences alone; solvers put the framing around them.
        prompt = "\n\n".join(m.text for m in state.messages if m.role == "user")
        people, prompt = (meta.person_a, meta.person_b), prompt or state.input_text
        found = read_comparison(outcome.reply_of(state.output), *people, prompt)
        by_rules = outcome.complete_reading(state.output, found)
        # Table 8 has no verdict for a reply that says itself that it gives none of the options.
        gives_none = by_rules.yes_no or by_rules.hedged
        reply = visible(state.output.completion)
        reading, more = await score_reply(
            parser,
            by_rules,
            lambda: question_of(reply, meta.judge_question),
            lambda verdict, why: ComparisonAnswer("ok", verdict, verdict, verdict, why=why),
            is_open=by_rules.outcome in NOT_READ and not gives_none,
        )
        return outcome.make_score(
            state,
            {
                "correct": float(reading.answer == meta.gold),
                "correct_strict": float(reading.strict == meta.gold),
                "correct_lenient": float(reading.lenient == meta.gold),
                "frames_words": float(reading.strict != reading.lenient),
                "answered": float(reading.answer is not None),
                "yes_no": float(reading.yes_no),
                "frame_echo": float(reading.echo),
            },
            reading.answer, reading.outcome, f"{reading.why}; right: {meta.gold}",
            strict_answer=reading.strict or "", lenient_answer=reading.lenient or "", **more,
        )  # fmt: skip

    return score


def question_of(reply: str, table_8: str) -> Question:
    """Ask which option a reply gives; of a longer one its end is shown: there it concludes."""
    if not table_8:
        raise NoVerdictError("the sample has no question")
    return Question(reply[-_LONGEST_GRADED:], OPTIONS, table_8, simulated_verdict="equal")


def grader_case(shown: Mapping[str, str]) -> Question:
    """The question of a validation case."""
    return question_of(shown["reply"], judge_prompt(phrase_for(shown["task"], shown["quantity"])))
