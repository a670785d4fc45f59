"""The chain: each step alone, all in order, and nothing where a sample needs nothing."""

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import SolverSpec, generate, solver

from askew.papers import get_paper, task_papers
from askew.schema import TREATMENTS
from askew.solvers.chain import (
    assistant_text,
    format_instruction,
    framing_insertion,
    multi_turn_reflection,
    one_step,
    planned_dialogue,
    system_prompt,
)
from tests.cases import cases_of

STEPS = {
    "system_prompt": (system_prompt, {"system_prompt": "Be brief."}),
    "framing_insertion": (framing_insertion, {"framing": "Note this.", "framing_position": "end"}),
    "multi_turn_reflection": (multi_turn_reflection, {"reflection": "Are you sure?"}),
    "format_instruction": (format_instruction, {"format_instruction": "One word."}),
}
CHAIN = [system_prompt, framing_insertion, multi_turn_reflection, format_instruction]


@scorer(metrics=[accuracy()])
def always():
    async def score(state, target):
        return Score(value=1)

    return score


def echo():
    """A model that says how many messages it was shown; usage given, so nothing is fetched."""

    def reply(messages, tools, tool_choice, config):
        output = ModelOutput.from_content("mockllm/model", f"saw {len(messages)}")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def dialogue(run, steps, metadata):
    task = Task(
        dataset=[Sample(id="s", input="How many?", target="3", metadata=metadata)],
        solver=[*(step() for step in steps), generate()],
        scorer=always(),
    )
    log = run(task, model=echo())
    assert log.status == "success"
    return [(m.role, m.text) for m in log.samples[0].messages]


def test_the_condition_sets_the_position_of_the_framing(run):
    step, metadata = STEPS["framing_insertion"]
    assert dialogue(run, [step], metadata)[0] == ("user", "How many?\n\nNote this.")
    begin = {**metadata, "framing_position": "begin"}
    assert dialogue(run, [step], begin)[0] == ("user", "Note this.\n\nHow many?")


def test_the_whole_chain_in_order(run):
    everything = {k: v for _, metadata in STEPS.values() for k, v in metadata.items()}
    asked = dialogue(run, CHAIN, everything)
    assert asked == [
        ("system", "Be brief."),
        ("user", "How many?\n\nNote this."),
        ("assistant", "saw 2"),
        ("user", "Are you sure?\n\nOne word."),
        ("assistant", "saw 4"),
    ]
    planned = planned_dialogue(Sample(input="How many?", metadata=everything))
    assert [t for t in planned if t[0] != "assistant"] == [t for t in asked if t[0] != "assistant"]


# A few samples that between them have every treatment of their task.
FEW = cases_of(__file__, "FEW")


@pytest.mark.parametrize("task", task_papers())
def test_every_task_sends_what_it_shows_in_the_order_of_the_chain(task, run):
    made = get_paper(task).make(**FEW.get(task, {"items": 1}))
    log = run(made)
    shown = {str(s.id): planned_dialogue(s) for s in made.dataset}
    assert {str(s.id) for s in log.samples} == set(shown)
    for sample in log.samples:
        sent = [(m.role, m.text) for m in sample.messages]
        replies = [text for role, text in sent if role == "assistant"]
        planned = [t if t[0] != "assistant" else (t[0], replies[0]) for t in shown[sample.id]]
        assert sent == [*planned, ("assistant", replies[-1])]
        system, framing, reflection, instruction = (sample.metadata.get(t, "") for t in TREATMENTS)
        texts = [text for _, text in planned]
        assert texts[0] == system or not system
        assert framing in texts[bool(system)]
        assert texts[-1].startswith(reflection)
        assert texts[-1].endswith(instruction)


def test_nothing_runs_after_a_step_that_completes_the_sample(run):
    @solver
    def enough():
        async def solve(state, generate):
            state.completed = True
            return state

        return solve

    def together():
        return one_step(enough(), system_prompt())

    _, metadata = STEPS["system_prompt"]
    assert dialogue(run, [together], metadata) == [("user", "How many?")]


def test_steps_work_by_registry_name_on_a_foreign_task(run):
    task = Task(
        dataset=[Sample(input="How many?", metadata={"framing": "Note this."})], scorer=always()
    )
    log = run(task, model=echo(), solver=SolverSpec("askew/framing_insertion"))
    assert log.samples[0].messages[0].text == "Note this.\n\nHow many?"


def test_a_treatment_that_is_not_text_is_an_error_that_names_the_sample(run):
    task = Task(
        dataset=[Sample(id="odd", input="?", metadata={"framing": 3})],
        solver=[framing_insertion(), generate()],
        scorer=always(),
    )
    log = run(task, model=echo(), fail_on_error=False)
    assert "'framing' of sample odd" in log.samples[0].error.message


def test_half_a_character_of_a_reply_is_in_no_later_turn():
    """Inspect can't log a message that holds half of a surrogate pair."""
    halves = [ContentReasoning(reasoning="so \ud83d"), ContentText(text="None \ud83d")]
    turn = assistant_text(ChatMessageAssistant(content=halves))
    assert "\ud83d" not in turn.model_dump_json()
    assert "None" in turn.text
