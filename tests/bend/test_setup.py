"""Bend's setup treats a sample's messages before the author's own setup sees them."""

import asyncio

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelName
from inspect_ai.solver import TaskState

from askew.treatments.design import Questions, arms_of, bend_setup, plan_samples


@pytest.mark.parametrize(("arm", "said"), [("plain", "Why?"), ("framing", "Be brief.\n\nWhy?")])
def test_the_setup_treats_the_messages_of_its_arm_alone(arm, said):
    plan = plan_samples([Sample("Why?", id="q")], arms_of(["framing"], {"framing": "Be brief."}), 0)
    messages = [ChatMessageUser(content="Why?")]
    state = TaskState(ModelName("none/none"), f"q/{arm}", 1, "Why?", messages)
    cases = {treated.sample.id: treated.case for treated in plan.samples}
    asyncio.run(bend_setup(Questions("", "mine", cases))(state, None))
    assert [m.text for m in state.messages] == [said]
