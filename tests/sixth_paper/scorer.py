"""Right where the reply is the answer, whatever stands around it."""

from inspect_ai.scorer import metric, scorer

from askew.scoring.outcome import live, no_output, reply_of, scored

from .paper import PAPER, ShoutingMeta


@metric(name="shouting_metrics", scores="unreduced")
def shouting_metrics():
    return live(PAPER)


@scorer(metrics=[shouting_metrics()])
def shouting_scorer():
    async def score(state, target):
        if (unscored := no_output(state)) is not None:
            return unscored
        said = reply_of(state.output).strip(" .!").lower()
        right = said == state.metadata_as(ShoutingMeta).gold.lower()
        outcome = "ok" if said else "empty"
        return scored(state, {"correct": float(right)}, said or None, outcome, f"said {said!r}")

    return score
