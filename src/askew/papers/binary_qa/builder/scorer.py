"""How many rewrites of an item keep their rules, and how many the second model agrees with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from askew.papers.binary_qa.builder.review import REWRITTEN


@scorer(metrics={"*": [mean()]})
def binary_qa_rewriting_scorer() -> Scorer:
    """Shares of an item's questions without a problem, and of those answered as expected."""

    async def score(state: TaskState, target: Target) -> Score:
        built: Mapping[str, Mapping[str, Any]] = state.metadata.get(REWRITTEN) or {}
        if not built:
            return Score.unscored(reason="scoring_failed", explanation="nothing was rewritten")
        wrong = [f"{form}: {p}" for form, made in built.items() for p in made["problems"]]
        differs = [
            f"{form}: the second model says {made['checker']}"
            for form, made in built.items()
            if made["checker"] and made["checker"] != made["expected"]
        ]
        kept = sum(not made["problems"] for made in built.values())
        return Score(
            value={
                "rules_kept": kept / len(built),
                "as_expected": 1 - len(differs) / len(built),
            },
            explanation="; ".join([*wrong, *differs]) or "nothing to remark",
        )

    return score
