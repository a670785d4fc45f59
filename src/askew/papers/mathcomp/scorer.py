"""MathComp: which option a reply gives, in which of three readings, and who decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import pandas as pd
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from askew.papers.mathcomp.framings import judge_prompt, phrase_for
from askew.papers.mathcomp.paper import OPTIONS, OUTPUTS, PAPER, MathCompMeta
from askew.papers.mathcomp.reading import ComparisonAnswer, read_comparison
from askew.reading.reply import visible
from askew.scoring import outcome
from askew.scoring.judge import JudgeQuestion, ask_judge
from askew.stats.tables import OVERALL

Read = Literal["rules", "rules_then_judge", "judge"]
READS: tuple[Read, ...] = get_args(Read)
# What rules can't decide; a refusal or an empty reply they can.
_OPEN = ("unparsed", "ambiguous")
# A judge gets the end of a longer reply: that is where it concludes.
_LONGEST_JUDGED = 40_000


@metric(name="mathcomp_metrics", scores="unreduced")
def mathcomp_metrics(shown: outcome.Shown = "few", headline: str = "") -> InspectMetric:
    """framing_pull with its three terms; DirErr, accuracy and unread replies over all framings."""
    return outcome.live(PAPER, shown, headline, named=mathcomp_headlines, cuts=((),))


def mathcomp_headlines(table: pd.DataFrame) -> pd.DataFrame:
    """MathComp's pooled numbers; the heat-maps are analysis' work."""
    return table[table["identity"] == OVERALL]


@scorer(metrics=[mathcomp_metrics()])
def mathcomp_scorer(read: Read = "rules") -> Scorer:
    """Score one reply by `askew.papers.mathcomp.reading`, and free-form ones by a judge if wanted.

    Args:
        read: who reads replies to `output=cot`. "rules" leaves unscored what rules can't decide,
            "rules_then_judge" asks the role `grader` for these, "judge" asks it for all of them.
            Replies to the other outputs are read by rules always.
    """

    async def score(state: TaskState, target: Target) -> Score:
        unscored = outcome.no_output(state)
        if unscored is not None:
            return unscored
        meta = state.metadata_as(MathCompMeta)
        if meta.wrong:
            return outcome.set_aside(state, f"{meta.item}: {meta.wrong}")
        reading = _read(state, meta)
        # Where there is a whole reply that a judge could read an answer from.
        readable = reading.answer is not None or reading.outcome in _OPEN
        if not (OUTPUTS[meta.output].judged and readable):
            return _score(state, meta, reading, "rules")
        # What rules found no answer in may hold one: not where it says that it has none.
        is_open = reading.outcome in _OPEN and not reading.yes_no and not reading.hedged
        if read == "judge" or (read == "rules_then_judge" and is_open):
            return await _judged(state, meta, reading)
        return _left_open(state, reading) if is_open else _score(state, meta, reading, "rules")

    return score


def _read(state: TaskState, meta: MathCompMeta) -> ComparisonAnswer:
    said = outcome.reply_of(state.output)
    # The input is the two sentences alone; solvers put the framing around them.
    asked = "\n\n".join(m.text for m in state.messages if m.role == "user") or state.input_text
    reading = read_comparison(said, meta.person_a, meta.person_b, asked)
    return outcome.completed(state.output, reading)


async def _judged(state: TaskState, meta: MathCompMeta, reading: ComparisonAnswer) -> Score:
    """The answer that the judge reads, in the words of the paper's Table 8."""
    if not meta.judge_question:
        return outcome.undecided(
            state, "the sample holds no question for the judge", decided_by="nobody"
        )
    verdict = await ask_judge(
        visible(state.output.completion)[-_LONGEST_JUDGED:],
        OPTIONS,
        careful=reading.answer or "equal",
        system=meta.judge_question,
    )
    if verdict.choice is None:
        return outcome.undecided(
            state, verdict.why, decided_by="nobody", rules_answer=reading.answer or ""
        )
    why = f"the judge read {verdict.choice!r}; by rules: {reading.why}"
    decided = ComparisonAnswer("ok", verdict.choice, verdict.choice, verdict.choice, why=why)
    return _score(state, meta, decided, "judge", rules_answer=reading.answer or "")


def _left_open(state: TaskState, reading: ComparisonAnswer) -> Score:
    return Score.unscored(
        reason="undecided_by_rules",
        explanation=(
            f"a free-form reply that the rules can't decide ({reading.why}) and no judge is asked "
            "for; read='rules_then_judge' with --model-role grader=<model> decides it"
        ),
        metadata={"epoch": state.epoch, "outcome": "undecided", "decided_by": "nobody"},
    )


def _score(
    state: TaskState, meta: MathCompMeta, reading: ComparisonAnswer, decided_by: str, **details: str
) -> Score:
    return outcome.scored(
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
        reading.answer,
        reading.outcome,
        f"{reading.why}; right: {meta.gold}",
        strict_answer=reading.strict or "",
        lenient_answer=reading.lenient or "",
        decided_by=decided_by,
        **details,
    )


def judge_case(shown: Mapping[str, str]) -> JudgeQuestion:
    """The question of a validation case."""
    system = judge_prompt(phrase_for(shown["task"], shown["quantity"]))
    return JudgeQuestion(shown["reply"], OPTIONS, system)
