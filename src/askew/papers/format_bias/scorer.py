"""Format bias: does a reply follow its format, and how right is the answer it holds?"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from askew.files import toml_of
from askew.papers.format_bias import credit as measures
from askew.papers.format_bias.credit import Credit
from askew.papers.format_bias.paper import CLOSED, PAPER, READING, FormatBiasMeta
from askew.parameters import check_parameters, choose
from askew.reading import formats
from askew.reading.literals import read_python, read_yaml
from askew.reading.names import LETTERS
from askew.reading.reply import after_reasoning, refuses
from askew.schema import Outcome
from askew.scoring import grader, outcome
from askew.stats.tables import OVERALL

Extraction = Literal["published", "strict"]
# What is shown while a task runs, and in which order.
_SHOWN = ("bias_f", "est_true", "fi", "sys_e")


def headlines(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers as `bias_f_<category>`, `fi_<format>`, for display; with the arm if not plainest."""
    shown = table[table["metric"].isin(_SHOWN)]
    shown = shown.sort_values("metric", key=lambda m: m.map(_SHOWN.index), kind="stable")
    of = shown["format"].where(shown["format"] != OVERALL, shown["category"])
    arm = "_demos" + shown["demos"].astype(str) + "_repeat" + shown["repeat"].astype(str)
    plainest = (shown["demos"] == shown["demos"].min()) & (shown["repeat"] == shown["repeat"].min())
    name = shown["metric"] + "_" + of + arm.mask(plainest, "")
    return pd.DataFrame({"metric": name, "subset": OVERALL, "value": shown["value"]})


# BiasF by category of formats; FI, SysE and EstTrue by format.
format_bias_metrics = outcome.live_metric(PAPER, named=headlines, pooled_only=True)


@dataclass(frozen=True)
class ParsedReply:
    """What a reply holds, or why it holds nothing."""

    outcome: Outcome
    value: Any = None
    why: str = ""

    @property
    def answer(self) -> str | None:
        """The value as a short text; an empty one is shown as such."""
        if isinstance(self.value, str):
            return self.value.strip() or "(empty)"
        if isinstance(self.value, dict):
            return json.dumps(self.value, ensure_ascii=False)
        return None if self.value is None else ", ".join(map(str, self.value))


@scorer(metrics=[format_bias_metrics(), outcome.item_accuracy("score")])
@check_parameters
def format_bias_scorer(
    extraction: Extraction = "published", casefold: bool = False, credit: Credit = "declared",
    parser: grader.Parser = "rules",
) -> Scorer:  # fmt: skip
    """Score one reply: `format_ok` (FI), and `score`, the rightness of what it holds.

    Args:
        extraction: "published" scores whatever the format's extractor finds, as the authors'
            scripts do; "strict" scores only replies that follow the format (Eq. 3), and lets no
            departure pass.
        casefold: whether case does not count between keyphrases.
        credit: "declared" counts aliases, numbers in words and optional phrases where a question
            declares them; "exact" is the paper's measure everywhere; "contained" takes a short
            answer for right wherever it stands in the reply, so that verbosity costs nothing.
        parser: who reads choices; all else rules read always.
    """
    choose("extraction", extraction, ("published", "strict"))
    choose("credit", credit, READING["credit"])

    @grader.mark_unscored
    async def score(state: TaskState, target: Target) -> Score:
        meta = state.metadata_as(FormatBiasMeta)
        reply = after_reasoning(outcome.reply_of(state.output))
        choices = [choice.value for choice in state.choices]
        keys = tuple(meta.keys.split(",")) if meta.keys else ()
        expected = formats.ExpectedAnswer(
            meta.kind, tuple(choices), keys, meta.n_elements, meta.prompting
        )
        reading = formats.read(reply, formats.get_format(meta.format), expected)
        strict = extraction == "strict"
        followed = reading.format_ok and not (strict and reading.tolerated)
        # Of a reply that misses its format nothing counts where "strict" reads.
        asks = meta.kind in CLOSED and choices and (followed or not strict)
        content, more = await grader.score_reply(
            parser if asks else "rules",
            ParsedReply(_outcome(state, reply, reading), reading.value, reading.why),
            lambda: question_of(reply, choices),
            lambda verdict, why: from_grader(verdict, why, choices, meta),
        )
        right = rightness(content.value, target.text, meta, casefold, credit)
        details: dict[str, Any] = {"tolerated": reading.tolerated} if reading.tolerated else {}
        if meta.kind == "ranking":
            marks = published_marks(reply, meta)
            details["format_ok_as_published"] = float(marks is not None)
            details["map_as_published"] = measures.average_precision(marks or [])
        values = {"format_ok": float(followed), "score": 0.0 if strict and not followed else right}
        return outcome.make_score(
            state, values, content.answer, content.outcome, content.why, **details, **more
        )

    return score


def question_of(reply: str, choices: Sequence[str]) -> grader.Question:
    """Ask which option a reply chooses, in whatever format."""
    asked = toml_of(PAPER.home, "prompts.toml")["grader"]["asked"]
    return grader.closed_question(asked, reply, grader.answers_of_options(choices, LETTERS))


def from_grader(
    verdict: str, why: str, choices: Sequence[str], meta: FormatBiasMeta
) -> ParsedReply:
    """What the grader's verdict makes of a reply: a letter, or the option in words."""
    if verdict not in LETTERS:
        return ParsedReply("unparsed", why=why)
    return ParsedReply(
        "ok", verdict if meta.kind == "letter" else choices[LETTERS.index(verdict)], why
    )


def grader_case(shown: Mapping[str, str]) -> grader.Question:
    """The question of a validation case."""
    return question_of(shown["reply"], shown["shown"].split(" | "))


def rightness(
    value: Any, target: str, meta: FormatBiasMeta, casefold: bool = False,
    credit: Credit = "declared",
) -> float:  # fmt: skip
    """How right an extracted answer is, from 0 to 1; 0 where there is none."""
    if value is None:
        return 0.0
    if meta.kind in ("letter", "option"):
        return float(value.casefold() == target.casefold())
    declared = json.loads(meta.accepted) if meta.accepted and credit != "exact" else None
    if meta.kind == "text":
        accepted = [target, *(declared or [])]
        if credit == "contained":
            return measures.contained_credit(value, accepted)
        if declared is None:
            return measures.token_f1(value, target)
        return measures.token_credit(value, accepted)
    truth = json.loads(target)
    if meta.kind == "ranking":
        return measures.ranking_score(value, truth, seed=meta.item)
    if meta.kind == "entities":
        return measures.mapping_f1(value, truth)
    if declared is not None:
        return measures.phrase_credit(value, truth, declared)
    return measures.set_f1(value, truth, casefold)


def published_marks(reply: str, meta: FormatBiasMeta) -> list[int] | None:
    """The marks of a ranking as the authors' script takes them; None where it takes none.

    It takes a list of any length of nothing but 0 and 1, as the format writes it: nothing stands
    before, between or behind. A chain of thought need not close the tag. Its score is the average
    precision of these marks themselves: the truth is never asked, so a list of nothing but ones
    gets 1. For comparison with the print only.
    """
    text = reply
    if meta.format == "python" and "```python" in text:
        text = text.replace("```python", "").replace("```", "")
    if meta.prompting == "cot":
        opened = text.split(formats.OPENING_TAG)[1:2]
        text = opened[0].split(formats.CLOSING_TAG)[0].strip() if opened else ""
    texts = text.split("\n" if meta.format == "newline" else formats.SEPARATOR)
    with suppress(ValueError, TypeError):
        written = {"python": read_python, "bullet": read_yaml}.get(meta.format)
        marks = written(text) if written else texts
        if isinstance(marks, list):
            found = [mark if meta.format == "python" else int(mark) for mark in marks]
            return [*map(int, found)] if all(mark in (0, 1) for mark in found) else None
    return None


def _outcome(state: TaskState, reply: str, reading: formats.FormatReading) -> Outcome:
    ends: dict[Outcome, bool] = {
        "ok": reading.value is not None, "filtered": outcome.is_filtered(state.output),
        "truncated": outcome.is_truncated(state.output), "empty": not reply.strip(),
        "refused": refuses(reply),
    }  # fmt: skip
    return next((name for name, is_so in ends.items() if is_so), "unparsed")
