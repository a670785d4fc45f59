"""Shouting, a small paper in a package of its own, to see that askew takes it as it is."""

from askew.schema import POINTS, Condition, Factor, Metric, Null, Paper, PrimaryEffect

TONES = {"calm": Condition("calm", "as it is"), "shouted": Condition("shouted", "in capitals")}
SPREAD = {"unit": POINTS, "interval": "spread", "null": Null("tone")}
PAPER = Paper(
    task="shouting",
    home=__package__,
    title="Shouting: does a question in capitals get another answer?",
    reference="ours, for tests",
    subsets=("sums", "capitals"),
    factors=(Factor("tone", TONES),),
    headlines=("tone_spread",),
    measures={"correct": "1 where the answer is right"},
    metrics=(
        Metric("accuracy", "Accuracy", "share of right answers"),
        Metric("tone_spread", "Spread over tones", better="lower", **SPREAD),
    ),
    bend=PrimaryEffect("tone_spread", "capitals", "accuracy", {"tone": "calm"}),
)
