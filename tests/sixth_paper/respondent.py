"""How simulated models answer: some do not hear what is shouted."""

from dataclasses import dataclass

from askew.respondents.answering import REFUSAL, Expectation, population_variance, seeded

RESPONDENTS = {"deaf": "right, but misses every second shouted question"}


@dataclass(frozen=True)
class Tendencies:
    knows: float = 1.0
    misses_shouts: float = 0.0
    refuses: float = 0.0


TENDENCIES = {
    "oracle": Tendencies(),
    "typical": Tendencies(knows=0.8, misses_shouts=0.1),
    "mute": Tendencies(refuses=1.0),
    "deaf": Tendencies(misses_shouts=0.5),
}


def reply(truth, tendencies, name, seed):
    rng = seeded(seed, name, truth["sample_id"], truth["epoch"])
    if rng.random() < tendencies.refuses:
        return REFUSAL
    misses = tendencies.misses_shouts if truth["tone"] == "shouted" else 0.0
    return truth["gold"] if rng.random() < tendencies.knows * (1 - misses) else "what"


def expected(truths, tendencies):
    knows = (1 - tendencies.refuses) * tendencies.knows
    rates = {"calm": knows, "shouted": knows * (1 - tendencies.misses_shouts)}
    asked = {t["tone"] for t in truths}
    spread = Expectation("tone_spread", population_variance([*rates.values()]) ** 0.5)
    return [Expectation("accuracy", rates[t], {"tone": t}) for t in sorted(asked)] + [spread]
