"""Two statements about the options beside them (Instruction Boundary, miscellany)."""

from __future__ import annotations

from inspect_ai.dataset import Sample

from askew.reading.letters import LETTERS
from askew.treatments.choices import why_no_choices, why_others
from askew.treatments.options_changed import OptionsChanged
from askew.treatments.shape import Arm, Ask


class Options(OptionsChanged):
    """Two more options: that all above are right, and that all above are wrong."""

    name = "options"
    source = "Instruction Boundary, miscellany"
    meaning = "two more options: that all above are right, and that all above are wrong"

    def fits(self, sample: Sample, arm: Arm) -> str:
        if len(sample.choices or []) + 2 > len(LETTERS):
            return f"it has more than {len(LETTERS) - 2} options"
        return why_no_choices(sample) or why_others(sample.choices or [])

    def apply_to_sample(self, sample: Sample, ask: Ask) -> Sample:
        more = [*(sample.choices or []), self.words["right"], self.words["wrong"]]
        return sample.model_copy(update={"choices": more}, deep=True)


TREATMENT = Options()
