"""Hard negatives for equations: an eval whose samples are equations and whose log is the record.

As in the paper (Section 3.2): a model that sees 100 words on each side and the left side of the
equation writes it; what equals the right one is dropped, and so is what a second model calls
flawed. An equation for which three don't remain is given up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model, model_roles
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.files import toml_of
from askew.papers.knowno.paper import PAPER
from askew.reading.reply import refuses, visible
from askew.reading.yesno import read_yes_no
from askew.respondents.answering import REFUSAL, seeded
from askew.solvers.chain import reveal_truth
from askew_authoring.building import CHECKER, Tendencies, tell
from askew_authoring.knowno.equations import bare, left_side
from askew_authoring.knowno.latex import FEWEST_WORDS, Found

NAME = "knowno_builder"
WRITTEN = "written"
NEGATIVES = 3
# How often one equation is asked for; the paper does not say.
ATTEMPTS = 8
# One reply is as good as any other only where they may differ.
_DRAWN, _EXACT = GenerateConfig(temperature=1.0), GenerateConfig(temperature=0.0)
_TOLD = toml_of(__package__, "prompts.toml")
WRITE, CHECK = str(_TOLD["write"]), str(_TOLD["check"])


def builder_task(found: Sequence[Found]) -> Task:
    """An eval that writes the negatives of these equations."""
    return Task(
        name=NAME,
        dataset=MemoryDataset([_sample(each) for each in found], name=NAME),
        setup=[reveal_truth()],
        solver=knowno_negatives(WRITE, CHECK),
        scorer=knowno_negatives_scorer(),
        config=_DRAWN,
        continue_on_fail=True,
        metadata={"benchmark": "askew-builder", "paper": PAPER.task},
    )


def _sample(found: Found) -> Sample:
    before, after = found.context(FEWEST_WORDS)
    shown = {"before": before, "after": after, "gold": found.gold}
    return Sample(
        id=found.id,
        input=WRITE.format(before=before, after=after, left=left_side(found.gold)),
        target=found.gold,
        metadata={"task": NAME, "item": found.id, **shown},
    )


@solver
def knowno_negatives(write: str, check: str, attempts: int = ATTEMPTS) -> Solver:
    """Fill the sample's metadata `written` with negatives, and with what was dropped and why."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = state.metadata
        gold, shown = str(item["gold"]), {n: str(item[n]) for n in ("before", "after")}
        asked = write.format(left=left_side(gold), **shown)
        kept: list[str] = []
        dropped: Counter[str] = Counter()
        for attempt in range(1, attempts + 1):
            if len(kept) == NEGATIVES:
                break
            tell({"asks": "write", "attempt": attempt})
            # The attempt keeps Inspect's cache from answering one asking with another's reply.
            message = ChatMessageUser(content=asked, metadata={"attempt": attempt})
            state.output = await get_model().generate([message], config=_DRAWN)
            made = written_equation(state.output.completion, left_side(gold))
            why = _fault(made, gold, kept) or await _flaw(made, check, shown, attempt)
            if why:
                dropped[why] += 1
            else:
                kept.append(made)
        state.metadata[WRITTEN] = {"negatives": kept, "dropped": dict(dropped)}
        return state

    return solve


def _fault(made: str, gold: str, kept: Sequence[str]) -> str:
    """Why an equation is no negative, as far as a program sees."""
    if not made:
        return "no equation"
    if bare(made) == bare(gold):
        return "the right one"
    return "already there" if bare(made) in map(bare, kept) else ""


async def _flaw(made: str, check: str, shown: Mapping[str, str], attempt: int) -> str:
    """Whether the second model, if there is one, sees that the equation is flawed."""
    if CHECKER not in model_roles():
        return ""
    tell({"asks": "check", "attempt": attempt})
    message = ChatMessageUser(content=check.format(equation=made, **shown))
    output = await get_model(role=CHECKER, required=True).generate([message], config=_EXACT)
    answer = read_yes_no(output.completion).answer
    return {"Yes": "flawed", "No": ""}.get(answer or "", "not judged")


_FENCE = re.compile(r"```[a-z]*\n?")  # inspect-evals-lint: ignore[IECQ006] -- a formula, no code
_MATH = re.compile(r"\$\$?|\\[\[\]]|\\(?:begin|end)\{(?:equation|displaymath|align)\*?\}")
# What no words without an equation have.
_SIGN = re.compile(r"[\\+*/^_0-9]")
_LONGEST = 2_000


def written_equation(reply: str, left: str) -> str:
    """The one equation that a reply holds, with its left side; empty where it holds none.

    Where it is wrapped in words, the first line with an equals sign counts.
    """
    text = _MATH.sub("\n", _FENCE.sub("\n", visible(reply)[:_LONGEST]))
    lines = [line.strip(" \t`.,;") for line in text.split("\n")]
    lines = [line for line in lines if line]
    if not lines or (refuses(text) and not any("=" in line for line in lines)):
        return ""
    made = next((line for line in lines if "=" in line), lines[0] if len(lines) == 1 else "")
    if "\\\\" in made or not ("=" in made or _SIGN.search(made)):
        return ""
    return made if "=" in made else f"{left} = {made}"


@scorer(metrics={"*": [mean()]})
def knowno_negatives_scorer() -> Scorer:
    """Whether an equation got its negatives, and how many were dropped on the way."""

    async def score(state: TaskState, target: Target) -> Score:
        made: Mapping[str, Any] = state.metadata.get(WRITTEN) or {}
        if not made:
            return Score.unscored(reason="scoring_failed", explanation="nothing was written")
        told = ", ".join(f"{n} {why}" for why, n in made["dropped"].items())
        return Score(
            value={
                "complete": float(len(made["negatives"]) == NEGATIVES),
                "dropped": float(sum(made["dropped"].values())),
            },
            explanation=f"dropped: {told or 'none'}",
        )

    return score


TENDENCIES: Mapping[str, Tendencies] = {
    name: Tendencies(**told) for name, told in _TOLD["tendencies"].items()
}


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one request of the builder."""
    rng = seeded(seed, name, truth["sample_id"], truth["asks"], truth["attempt"])
    if rng.random() < tendencies.refuses:
        return REFUSAL
    if truth["asks"] == "check":
        return "Yes" if rng.random() < tendencies.misjudges else "No"
    # A crude negative: the right equation and a term that it does not have.
    crude = f"{truth['gold']} + c_{{{truth['attempt']}}}"
    made = str(truth["gold"]) if rng.random() < tendencies.botches else crude
    return f"The equation is:\n\n$$\n{made}\n$$\n\nIt fits." if tendencies.chatty else made
