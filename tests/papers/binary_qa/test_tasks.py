"""Binary QA's repeats: calls of their own, whatever is cached."""

from typing import ClassVar

import pytest
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi

from askew.papers.binary_qa.paper import FORMS
from askew.papers.binary_qa.tasks import binary_qa
from askew.solvers.chain import planned_dialogue


@modelapi(name="counting")
class Counting(ModelAPI):
    """Says Yes, and counts how often it is asked what."""

    asked: ClassVar[dict[str, int]] = {}

    async def generate(self, input, tools, tool_choice, config):
        text = input[-1].text
        Counting.asked[text] = Counting.asked.get(text, 0) + 1
        made = ModelOutput.from_content("counting/model", "Yes")
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made


@pytest.fixture
def counting(monkeypatch, tmp_path):
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "inspect-cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    Counting.asked = {}
    return lambda: get_model("counting/model", config=GenerateConfig(cache=True), memoize=False)


def test_repeats_are_calls_of_their_own_even_with_inspect_s_cache_on(run, counting):
    task_parameters = {"subset": "reading", "items": 2}
    log = run(binary_qa(**task_parameters), model=counting())
    assert log.status == "success"
    (first, *_) = binary_qa(**task_parameters).dataset
    assert first.metadata["form"] == "original"
    ((_, original),) = planned_dialogue(first)
    assert Counting.asked[original] == 3
    assert sum(Counting.asked.values()) == 2 * len(FORMS)

    # The cache works all the same: a second run is answered from it, form by form.
    again = run(binary_qa(**task_parameters), model=counting())
    assert again.status == "success"
    assert sum(Counting.asked.values()) == 2 * len(FORMS)
