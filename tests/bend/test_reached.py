"""What did not reach the model is left out with its reason, and the plain arm still counts."""

import pytest
from inspect_ai.agent import agent, react
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import (
    Generate,
    TaskState,
    chain,
    generate,
    multiple_choice,
    solver,
    use_tools,
)

from askew.bend import bend
from askew.metrics import bend as metrics
from askew.report.study import Study
from tests.bend.recorded import add, asked, calls, of_choices, of_words, search, why_not
from tests.cases import cases_of

pytestmark = pytest.mark.whole


@solver
def calls_the_model_itself():
    """Asks with the author's own words, whatever the messages are."""

    async def solve(state: TaskState, generate: Generate):
        state.output = await get_model().generate([ChatMessageUser(content=state.input_text)])
        return state

    return solve


@solver
def own_options():
    """Shows the options as its author wrote them elsewhere."""

    async def solve(state: TaskState, generate: Generate):
        i = state.input_text.split()[-1].strip("?")
        shown = f"A) one{i} B) two{i} C) three{i} D) four{i}"
        state.user_prompt.text = f"{state.input_text} {shown} Say ANSWER: and a letter."
        state = await generate(state)
        state.output.completion = state.output.completion.removeprefix("ANSWER: ")
        return state

    return solve


@solver
def rewrites_the_prompt():
    async def solve(state: TaskState, generate: Generate):
        state.messages = [ChatMessageUser(content=state.input_text)]
        return state

    return solve


@solver
def drops_tools():
    async def solve(state: TaskState, generate: Generate):
        state.tools = []
        return await generate(state)

    return solve


@agent
def own_loop():
    async def execute(state):
        for _ in range(2):
            state.output = await get_model().generate(
                [ChatMessageUser(content="My own words, 0")], tools=[]
            )
        state.messages.append(state.output.message)
        return state

    return execute


MESSAGES = {"framing": "Rain.", "system": "Brief."}
# Who bypasses what; whether each treatment gets to the model, is in the table.
BYPASSED = {
    "calls the model itself": lambda: of_words(solver=calls_the_model_itself()),
    "an agent with its own loop": lambda: of_words(solver=own_loop()),
    "a setup that rewrites the prompt": lambda: of_words(setup=rewrites_the_prompt()),
    "options of its own": lambda: of_choices(solver=own_options(), scorer=match()),
    "no tools any more": lambda: of_words(
        solver=chain(use_tools([search(), add()]), drops_tools())
    ),
    "one tool": lambda: of_words(solver=chain(use_tools([search()]), generate())),
    "react, which never calls its generate": lambda: of_words(
        solver=react(tools=[search(), add()])
    ),
    "options in the author's own shuffle": lambda: of_choices(
        4, solver=multiple_choice(shuffle=True)
    ),
}
REACHES = cases_of(__file__, "REACHES")


def submits(said, messages):
    return calls("submit", answer="0") if "submit()" in said else "ANSWER: 0"


@pytest.mark.parametrize("what", BYPASSED)
def test_what_a_solver_bypasses_is_left_out_with_the_reason(what):
    reaches = REACHES[what]
    names = [arm.partition("-")[0] for arm in reaches]
    given = {name: MESSAGES[name] for name in names if name in MESSAGES}
    if "format" in names:
        given["format"] = "bolding"
    log, _ = asked(bend(BYPASSED[what](), names, **given), submits)
    assert log.status == "success", log.error
    dropped = why_not(log)
    for sample in log.samples:
        arm = sample.id.partition("/")[2]
        if arm == "plain" or reaches[arm]:
            assert sample.id not in dropped
        else:
            assert f"{arm.partition('-')[0]} did not reach the model: " in dropped[sample.id]


def test_what_is_left_out_is_counted_and_in_no_number(tmp_path):
    task = bend(of_words(3, solver=calls_the_model_itself()), "repeat,framing", framing="Rain.")
    asked(task, lambda said, messages: "0", log_dir=str(tmp_path))
    rows = Study.read(str(tmp_path), quiet=True)
    assert set(rows.rows["arm"]) == {"plain", "repeat"}
    assert len(rows.rows) == 6
    lost = rows.excluded
    assert list(lost[lost["what"] == "unscored"]["count"]) == [3]
    assert "framing did not reach the model" in " ".join(lost["why"])
    table = metrics(rows.rows)
    assert set(table[table["metric"] == "effect"]["arm"]) == {"repeat"}


@solver
def a_helper_writes_the_prompt():
    """Another model is shown the treated question; the evaluated one only what comes of it."""

    async def solve(state: TaskState, generate: Generate):
        helper = get_model("recorded/other")
        await helper.generate(state.messages)
        state.output = await get_model().generate([ChatMessageUser(content="rewritten, 0")])
        return state

    return solve


def test_what_only_another_model_saw_did_not_reach_the_one_that_is_evaluated():
    made = bend(of_words(solver=a_helper_writes_the_prompt()), "framing", framing="Rain.")
    log, _ = asked(made, lambda said, messages: "0")
    assert log.status == "success", log.error
    assert set(why_not(log)) == {"w0/framing", "w1/framing"}
