"""Right where the reply is the answer, whatever stands around it."""

from inspect_ai.scorer import metric, scorer

from askew.scoring.outcome import live, make_score, no_output, reply_of

from .paper import PAPER


@metric(name="shouting_metrics", scores="unreduced")
def shouting_metrics():
    return live(PAPER)


@scorer(metrics=[shouting_metrics()])
def shouting_scorer():
    async def score(state, target):
        said = reply_of(state.output).strip(" .!").lower()
        hit, outcome = float(said == target.text.lower()), "ok" if said else "empty"
        return no_output(state) or make_score(state, {"correct": hit}, said or None, outcome, said)

    return score
