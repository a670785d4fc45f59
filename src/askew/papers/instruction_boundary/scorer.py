"""Instruction Boundary: which answer does a reply give, and is it exactly the correct one?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import pandas as pd
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from askew.papers.instruction_boundary import paper, questions
from askew.papers.instruction_boundary.paper import FAMILIES, PAPER, SETTINGS, BoundaryMeta
from askew.papers.instruction_boundary.reading import parse_as_published, parse_reply, to_canonical
from askew.parameters import check_parameters
from askew.scoring import grader, outcome
from askew.stats.tables import OVERALL

ParsingRules = Literal["askew", "published"]
_CONSOLE_METRICS = ("acc", *(r for f in FAMILIES.values() for r in f.rates), "rs", "follow_rate")


def select_headlines(table: pd.DataFrame) -> pd.DataFrame:
    """Select the main metrics over all subsets, named by family and condition."""
    all_settings = table["setting"] == OVERALL
    # A condition with one form only has no RS, so only its accuracy is shown. `scored` lists the
    # families that have RS.
    conditions = zip(table["family"], table["setting"], strict=True)
    single = pd.Series([s in SETTINGS and f not in SETTINGS[s].scored for f, s in conditions])
    rates = table["metric"].isin(_CONSOLE_METRICS) & (~single | (table["metric"] == "acc"))
    shown = table[(table["subset"] == OVERALL) & (all_settings | rates)]
    levels = zip(shown["family"], shown["setting"], shown["variant"], shown["metric"], strict=True)
    names = ["_".join(part for part in row if part not in ("", OVERALL)) for row in levels]
    return shown.assign(metric=[name.replace("+", "_") for name in names])


# RS, its terms SR and GR, and boundary_cost, by family and condition.
instruction_boundary_metrics = outcome.live_metric(PAPER, named=select_headlines, pooled_only=True)


@scorer(metrics=[instruction_boundary_metrics(), outcome.item_accuracy("correct")])
@check_parameters
def instruction_boundary_scorer(
    parser: grader.Parser = "rules", reading: ParsingRules = "askew"
) -> Scorer:
    """Score one reply: correct only if the set of chosen options equals the target.

    Args:
        parser: how replies are parsed: `rules`, `rules_then_grader` or `grader`.
        reading: "published" parses choice replies with the authors' rules; use it to compare
            values with the paper's.
    """

    @grader.mark_unscored
    async def score(state: TaskState, target: Target) -> Score:
        meta = state.metadata_as(BoundaryMeta)
        options = [choice.value for choice in state.choices]
        reply = outcome.reply_of(state.output)
        use_published_rules = reading == "published" and meta.family == "choice"
        if use_published_rules and meta.wording != "authors":
            why, at = "reading=published needs wording=authors", {"epoch": state.epoch}
            return Score.unscored(reason="scoring_failed", explanation=why, metadata=at)
        by_rules = (
            parse_as_published(reply, meta)
            if use_published_rules
            else outcome.complete_reading(state.output, parse_reply(reply, options, meta))
        )
        with grader.attach_if_no_verdict(read=by_rules.outcome):
            answer, metadata = await grader.score_reply(
                "rules" if use_published_rules else parser,
                by_rules,
                lambda: question_of(reply, options, meta),
                lambda verdict, why: from_grader(verdict, why, meta),
            )
        values = {
            "correct": float(answer.outcome == "ok" and answer.answer == meta.truth),
            "hedged": float(answer.hedged),
            "judged": float(answer.graded),
        }
        metadata |= {"reading": reading} if use_published_rules else {}
        why = f"{answer.why}; target: {target.text}"
        return outcome.make_score(state, values, answer.answer, answer.outcome, why, **metadata)

    return score


def from_grader(verdict: str, why: str, meta: BoundaryMeta) -> questions.ParsedAnswer:
    """Convert the grader's verdict to a parsed answer."""
    judging, labels = meta.family == "judging", meta.labels.split(",")
    # A judging question has one correct label: "several" is no answer; "none" and hedging mean
    # unknown.
    found = questions.ParsedAnswer("ok", verdict)
    if verdict == grader.NO_ANSWER or (judging and verdict == questions.SEVERAL):
        found = questions.ParsedAnswer("unparsed")
    elif verdict == HEDGE or (judging and verdict == questions.NONE):
        found = questions.ParsedAnswer("ok", "unknown" if judging else questions.NONE)
    elif meta.labels or not judging:  # authors' prompts label the options of judging questions too
        named = [str(labels.index(n) + 1) if n in labels else n for n in verdict.split(",")]
        found = to_canonical(questions.ParsedAnswer("ok", ",".join(named)), meta)
    return replace(found, hedged=verdict == HEDGE, graded=True, why=why)


_WORDS = questions.PROMPTS["grader"]
HEDGE = "hedge"
# With more options the answers offered are single numbers, which the grader joins by commas.
_MAX_OPTIONS_WITH_SETS = 5


def truth_question(reply: str, extra: bool) -> grader.Question:
    """Ask which label a judging reply chooses; `extra`: whether the two extra labels were shown."""
    meanings = dict(_WORDS["truth_meanings"])
    if extra:
        offered = {name: questions.TRUTH_LABELS[name] for name in questions.PROMPTS["extra"]}
        meanings |= {v: f'the reply chooses the option "{text}"' for v, text in offered.items()}
    return grader.closed_question(_WORDS["truth"], reply, meanings)


def choice_question(
    reply: str, options: Sequence[str], labels: Sequence[str] = ()
) -> grader.Question:
    """Ask which options a choice reply chooses; without labels they are numbered from 1."""
    numbers = labels or [str(i) for i in range(1, len(options) + 1)]
    largest = len(numbers) if len(numbers) <= _MAX_OPTIONS_WITH_SETS else 1
    sets = [",".join(c) for size in range(1, largest + 1) for c in combinations(numbers, size)]
    key, _, meaning = _WORDS["sets" if largest > 1 else "one_option"].partition(": ")
    listed = "\n".join(f"{n}. {o}" for n, o in zip(numbers, options, strict=True))
    answers = {key: meaning, **_WORDS["choice_meanings"]}
    return grader.closed_question(_WORDS["choice"], reply, answers, f"Options:\n{listed}", sets)


def question_of(reply: str, options: Sequence[str], meta: BoundaryMeta) -> grader.Question:
    """The grader's question about a reply to a sample."""
    if meta.labels or meta.family == "choice":
        return choice_question(reply, options, meta.labels.split(",") if meta.labels else ())
    return truth_question(reply, meta.setting == paper.MISCELLANY)


def grader_case(shown: Mapping[str, str]) -> grader.Question:
    """Build the grader question for one case of the grader check."""
    if shown["family"] == "judging":
        return truth_question(shown["reply"], shown["extra"] == "yes")
    return choice_question(shown["reply"], shown["shown"].split(" | "))
