"""The options in another order: how much of the score is position?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.dataset import Sample

from askew.parameters import whole_number
from askew.reading.letters import LETTERS
from askew.treatments.choices import right_options, why_no_choices, why_others
from askew.treatments.options_changed import OptionsChanged
from askew.treatments.shape import Arm, Ask

_MOST = 100


class Order(OptionsChanged):
    """Options shuffled, never as they were; each order is an arm."""

    name = "order"
    source = "position"
    meaning = "the options in another order"
    right = "its letter moves with it"
    takes: Mapping[str, Any] = {"orders": 1}
    asked = True

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        n = whole_number("orders", given["orders"], most=_MOST)
        return [Arm(self.name if n == 1 else f"{self.name}-{i + 1}", self.name) for i in range(n)]

    def fits(self, sample: Sample, arm: Arm) -> str:
        return why_no_choices(sample) or why_others(sample.choices or [])

    def told(self, sample: Sample, ask: Ask) -> dict[str, Any]:
        unchanged = list(range(len(sample.choices or [])))
        shown, rng = unchanged[:], ask.rng()
        while shown == unchanged:
            rng.shuffle(shown)
        return {"shown": shown}

    def apply_to_sample(self, sample: Sample, ask: Ask) -> Sample:
        shown, options = ask.told["shown"], sample.choices or []
        letters = [LETTERS[shown.index(place)] for place in right_options(sample)]
        target = letters if not isinstance(sample.target, str) else letters[0]
        changed = {"choices": [options[i] for i in shown], "target": target}
        return sample.model_copy(update=changed, deep=True)


TREATMENT = Order()
