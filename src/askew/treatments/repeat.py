"""Asked again: what differs between two equal questions is noise."""

from __future__ import annotations

from askew.treatments.shape import Treatment


class Repeat(Treatment):
    """Nothing changes; the noise floor of every other arm."""

    name = "repeat"
    source = "noise floor"
    meaning = "the same question once more, never answered from the cache"
    asked = True
    fresh = True
    unreached = "the solver made no call of the model"


TREATMENT = Repeat()
