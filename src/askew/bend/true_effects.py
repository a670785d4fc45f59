"""What tendencies come to in bent tasks: samples, observations as of an eval, expected numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import pvariance
from types import SimpleNamespace
from typing import Any

import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool
from inspect_ai.tool import ToolInfo

from askew.bend import respondent
from askew.bend.numbers import SQUARED_PERCENT
from askew.bend.paper import PAPER, PLAIN, REPEAT, REWORDINGS, SENTENCES, UNKNOWN_TARGET
from askew.bend.respondent import NOTHING, Tendencies
from askew.bend.stand_in import AGENT, FILE, tools
from askew.bend.tasks import prepare
from askew.reading.names import LETTERS
from askew.respondents.answering import REFUSAL, Expectation, mean
from askew.scoring.outcome import label
from askew.treatments import Case, get_treatment
from askew.treatments.base import WORDS
from askew.treatments.calls import SUBMIT
from askew.treatments.design import TreatedSample, treated_messages

# What the default arms of questions with options don't show.
ALSO: Sequence[Mapping[str, Any]] = (
    {
        "treatments": "none_offered,options,suggestion,framing,system,format",
        "suggest": "right",
        "format": "letter,text",
        **SENTENCES,
    },
    {"task": f"{FILE}@short", "treatments": "format"},
    {"treatments": "typos,absent,suggestion"},
    {
        "task": f"{FILE}@agent",
        "treatments": "tool_order,tool_absent,tool_wording,tool_result",
        "tool_worded": "archive",
    },
)
_LURES = 6  # shares of a range that stand for all draws of what a respondent is drawn to
# Tendencies that no treatment calls for.
_EVERYWHERE = ("knows", "slips", "guesses", "refuses", "wordy")
_NOTHING = 1e-9
# What an observation has as it is of a sample.
_KEPT = ("task", "subset", "item", "cluster", "arm", "treatment", "epoch", "sample_id")


def samples(**parameters: Any) -> list[Sample]:
    """What a bent task, or one that stands in, asks: each sample with all that is true of it."""
    _, plan, name, _ = prepare(**{**PAPER.stand_in, **parameters})
    return [_annotate(treated, name) for treated in plan.samples]


def _annotate(treated: TreatedSample, subset: str) -> Sample:
    """A copy that says what it asks: its treated words as input, its arm as metadata."""
    case, sample, known = treated.case, treated.sample, treated.sample.metadata or {}
    agents = tools() if known.get("kind") == AGENT else []
    offered = [ToolInfo(name=tool.name, description=tool.description) for tool in agents]
    acted = _acts(case, offered) if "kind" in known else True
    metadata = {
        **known, "task": PAPER.task, "item": case.item, "cluster": case.item, "subset": subset,
        "arm": case.arm.name, "treatment": case.arm.treatment, "given": dict(case.arm.given),
        "told": dict(case.values), "offered": offered, "acted": acted,
    }  # fmt: skip
    if case.arm.treatment == "reflection":
        metadata["reflection"] = WORDS["reflection"]["text"]
    lines = [m.text for m in treated_messages(treated)]
    lines += [f"{LETTERS[i]}) {o}" for i, o in enumerate(sample.choices or [])]
    lines += [str(case.values.get("text", ""))] if case.arm.treatment == "format" else []
    return sample.model_copy(update={"input": "\n".join(lines), "metadata": metadata})


def _acts(case: Case, offered: list[ToolInfo]) -> bool:
    """Whether a treatment reaches a model in a dialogue with these tools; they change with it."""
    if case.arm.name == PLAIN:
        return True
    treatment = get_treatment(case.arm.treatment)
    if treatment.place == "call":
        messages = [ChatMessageTool(content="1")] if offered else []
        offered += [ToolInfo(name=SUBMIT, description="")] if offered else []
        call: Any = SimpleNamespace(tools=offered, input=messages, tool_choice="auto")
        return treatment.apply_to_call(call, case)
    # An agent that drives its own dialogue leaves what we put around it.
    return not (treatment.place == "dialogue" and offered)


def observed(
    truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int
) -> dict[str, Any] | None:
    """The observation of a sample; nothing where its treatment does not reach the model."""
    if not truth["acted"]:
        return None
    reply = respondent.draw_reply(truth, tendencies, name, seed)
    answer = _answer(truth, reply)
    said = "answered" if answer else "unparsed"
    row = {
        **{name: truth[name] for name in _KEPT},
        "score": float(respondent.is_right(truth, reply)), "answer": answer,
        "reply_status": "refused" if reply == NOTHING else said,
        "tier": "", "outcome": "ok", "status": "scored", "run": "simulated", "log": "",
    }  # fmt: skip
    if truth["treatment"] == "format":
        follows = reply != NOTHING and respondent.follows_format(truth, tendencies, name, seed)
        row["format_ok"] = float(follows)
    if shown := respondent.displayed_options(truth):
        right = respondent.right_option(truth)
        row |= {"right_at": 1 + shown.index(right), "n_options": len(shown)}
        row |= {"chosen_at": 1 + shown.index(reply)} if reply in shown else {}
    offered = [tool.name for tool in respondent.usable(truth)]
    if reply in offered:
        row |= {"first_tool": offered[0], "used_tool": reply}
    if suggested := _suggestion_value(truth):
        row |= {"suggested": suggested, "moved": float(answer == suggested)}
    if truth["treatment"] == "tool_absent":
        row["gave_up"] = float(reply == NOTHING)
    return row


def _suggestion_value(truth: Mapping[str, Any]) -> str:
    place = truth["told"].get("suggested")
    return "" if place is None else LETTERS[place]


def _answer(truth: Mapping[str, Any], reply: str) -> str | None:
    """What is read of what is said: options by letter, all else as it stands."""
    if truth["choices"]:
        return reply or None
    return label(REFUSAL if reply == NOTHING else respondent.write_answer(truth, reply))


# --- Expected numbers -----------------------------------------------------------------------------


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """All of bend's numbers for these samples; none if tendencies show under other treatments."""
    usual = replace(Tendencies(), **{name: getattr(tendencies, name) for name in _EVERYWHERE})
    found = _expected_score(truths, tendencies)
    if tendencies == usual:
        return found
    own, without = (
        [e for e in of if not math.isnan(e.value)] for of in (found, _expected_score(truths, usual))
    )
    return found if own != without else []


def _expected_score(
    truths: Sequence[Mapping[str, Any]], tendencies: Tendencies
) -> list[Expectation]:
    replies = pd.DataFrame(_replies([t for t in truths if t["acted"]], tendencies))
    arms = {str(t["arm"]): str(t["treatment"]) for t in truths}
    found = {arm: _of_arm(arm, of, replies, tendencies) for arm, of in arms.items()}
    harmless = [arm for arm, treatment in arms.items() if treatment in REWORDINGS]
    beyond = []
    for arm, numbers in found.items():
        if harmless and arm != PLAIN and arms[arm] not in (REPEAT, *REWORDINGS):
            # What harmless rewordings of its items do, all of these together.
            own = _within(replies, [PLAIN, arm])
            pairs = pd.concat([_pairs(own, PLAIN, other) for other in harmless])
            change = pairs["score"] - pairs["score_plain"]
            beyond += [
                (arm, "beyond_rewording", numbers["flips"] - _mean(pairs, change != 0)),
                (arm, "effect_beyond_rewording", numbers["effect"] - _mean(pairs, change)),
            ]
    of_arms = [(arm, *number) for arm, numbers in found.items() for number in numbers.items()]
    moved = [found[arm]["moved_rate"] for arm in ("suggestion", "suggestion-right") if arm in found]
    selectivity = [Expectation("selectivity", moved[0] - moved[1])] if moved[1:] else []
    every = [Expectation(name, value, {"arm": arm}) for arm, name, value in [*of_arms, *beyond]]
    return [*every, *_over(arms, replies), *selectivity]


def _replies(truths: Sequence[Mapping[str, Any]], t: Tendencies) -> Iterator[dict[str, Any]]:
    """What may be said in each state of mind on an item (`case`, so likely) and each arm of it."""
    for truth in truths:
        n = len(respondent.wrong_options(truth)) or _LURES
        for knows, weight in ((True, t.knows), (False, 1 - t.knows)):
            for i in range(n) if weight else ():
                for reply, chance in respondent.chances_of(truth, t, knows, (i + 0.5) / n).items():
                    score, answer = float(respondent.is_right(truth, reply)), _answer(truth, reply)
                    yield {
                        "case": (truth["item"], knows, i), "arm": truth["arm"],
                        "weight": weight / n, "chance": chance, "score": score, "answer": answer,
                        "gave_up": reply == NOTHING, "suggested": _suggestion_value(truth),
                    }  # fmt: skip


def _pairs(replies: pd.DataFrame, one: str, other: str) -> pd.DataFrame:
    """Every two replies of one mind in two arms, and how likely they come together."""
    first, second = (replies[replies["arm"] == arm] for arm in (one, other))
    both = first.merge(second, on=["case", "weight"], suffixes=("_plain", ""))
    return both.assign(chance=both["chance"] * both["chance_plain"])


def _mean(replies: pd.DataFrame, part: Any, where: Any = True) -> float:
    """The mean of something over replies or pairs of them, where they count; nan of none."""
    counted = replies["weight"] * replies["chance"] * where
    return float((counted * part).sum() / counted.sum()) if counted.sum() > 0 else math.nan


def _flips(replies: pd.DataFrame, one: str, other: str) -> float:
    pairs = _pairs(replies, one, other)
    return _mean(pairs, pairs["score_plain"] != pairs["score"])


def _of_arm(arm: str, treatment: str, replies: pd.DataFrame, t: Tendencies) -> dict[str, float]:
    own, pairs = replies[replies["arm"] == arm], _pairs(replies, PLAIN, arm)
    found = {"score": _mean(own, own["score"]), "refused": _mean(own, own["gave_up"])}
    if arm == PLAIN:
        return found
    before, after = pairs["answer_plain"], pairs["answer"]
    found["hurt"] = _mean(pairs, pairs["score_plain"] > pairs["score"])
    found["helped"] = _mean(pairs, pairs["score_plain"] < pairs["score"])
    found["flips"] = found["hurt"] + found["helped"]
    found["effect"] = found["helped"] - found["hurt"]
    if arm != REPEAT:
        noise = _flips(_within(replies, [PLAIN, arm]), PLAIN, REPEAT)
        found["beyond_noise"] = found["flips"] - noise
    found["kept"] = _mean(pairs, before == after, before.notna() & after.notna())
    if treatment == "suggestion":
        goes = before.notna() & (before != pairs["suggested"])
        found["moved_rate"] = _mean(pairs, after == pairs["suggested"], goes)
    if treatment == "tool_absent":
        found["gave_up"] = _mean(own, own["gave_up"])
    if treatment == "format":
        found["fi"] = (1 - t.misses_format) * _mean(own, ~own["gave_up"])
        # Whether a reply follows the format has nothing to do with its score.
        found["est_true"] = _mean(own, own["score"], ~own["gave_up"])
    return found


def _within(rows: pd.DataFrame, arms: Sequence[str]) -> pd.DataFrame:
    """What is said of items that are asked in all of these arms."""
    there = rows[rows["arm"].isin(arms)].groupby("case")["arm"].transform("nunique") == len(arms)
    return rows[rows["case"].isin(rows["case"][there[there].index])]


def _over(arms: Mapping[str, str], replies: pd.DataFrame) -> Iterator[Expectation]:
    yield Expectation("noise", _flips(replies, PLAIN, REPEAT))
    others = [a for a in arms if a not in (PLAIN, REPEAT)]
    if judged := [a for a in others if arms[a] not in UNKNOWN_TARGET]:
        whole = _within(replies, [PLAIN, *judged])
        scores = {a: _mean(own, own["score"]) for a, own in whole.groupby("arm")}
        losses = {a: scores.get(PLAIN, math.nan) - scores.get(a, math.nan) for a in judged}
        null = all(abs(loss) < _NOTHING for loss in losses.values())
        yield Expectation("worst_effect", max(losses.values()), null=null)
        harmless = [loss for a, loss in losses.items() if arms[a] in REWORDINGS]
        if 0 < len(harmless) < len(losses):
            floor = max(0.0, mean(harmless))
            beyond = (loss - floor * (arms[a] not in REWORDINGS) for a, loss in losses.items())
            yield Expectation("worst_beyond_rewording", max(beyond), null=null)
    for pairs in (_pairs(replies, PLAIN, a) for a in others if arms[a] == "absent"):
        both = (pairs["score_plain"] + pairs["score"]) / 2
        yield Expectation("omni_accuracy", _mean(pairs, both))
    formats = [a for a in others if arms[a] == "format"]
    if len(formats) > 1:
        whole = _within(replies, formats)
        of_formats = (whole[whole["arm"] == a] for a in formats)
        followed = [_mean(own, own["score"], ~own["gave_up"]) for own in of_formats]
        spread = SQUARED_PERCENT * pvariance(followed)
        yield Expectation("bias_f", spread, null=spread < _NOTHING)
