"""How simulated models answer: some do not hear what is shouted."""

from askew.respondents.answering import Expectation, Misses

RESPONDENTS = {"deaf": "right, but misses every second shouted question"}
TENDENCIES = {"oracle": Misses(), "typical": Misses(knows=0.8, misses={"shouted": 0.1}),
              "mute": Misses(refuses=1.0), "deaf": Misses(misses={"shouted": 0.5})}  # fmt: skip


def expected(truths, tendencies):
    rates = {truth["tone"]: tendencies.right(truth) for truth in truths}
    spread = Expectation("tone_spread", (max(rates.values()) - min(rates.values())) / 2)
    return [Expectation("accuracy", rates[tone], {"tone": tone}) for tone in rates] + [spread]
