"""Shouting, declared: does a question in capitals get another answer?"""

from askew.schema import Condition, Factor, Metric, Paper, SampleMeta

TONES = {
    "calm": Condition("calm", "the question as it is written"),
    "shouted": Condition("shouted", "the question in capitals"),
}
PAPER = Paper(
    task="shouting",
    home=__name__.rpartition(".")[0],
    title="Shouting: does a question in capitals get another answer?",
    reference="ours, for tests",
    subsets=("sums", "capitals"),
    factors=(Factor("tone", TONES),),
    headlines=("tone_spread",),
    measures={"correct": "1 where the answer is right"},
    metrics=(
        Metric("accuracy", "Accuracy", "share of right answers"),
        Metric("tone_spread", "Spread over tones", better="lower", interval="spread"),
    ),
)


class ShoutingMeta(SampleMeta):
    """What a sample carries: its tone, and the right answer."""

    tone: str
    gold: str
