"""An author's task, asked in arms: samples mapped, and steps around its own.

What the author wrote stays: solver, tools, scorers, metrics, sandbox, limits and epochs. What a
treatment did is marked on the sample's output, where the scorer looks: an arm whose treatment did
not reach the model is not counted.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelName
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from askew.parameters import SelectionError
from askew.schema import TRUTH_KEY, clean_id
from askew.solvers.chain import reveal
from askew.treatments import Arm, Ask, Treatment, get_treatment, treatments
from askew.treatments.calls import PLAIN, Watch, observe_calls

# In the metadata of a sample's output: how it was asked, and whether that reached the model.
MARKS = "askew:bend"


@dataclass(frozen=True)
class TreatedSample:
    """One sample in one arm: what is asked, and what the run must know of it."""

    sample: Sample
    ask: Ask
    position: int


def shown_text(sample: Sample) -> tuple[Any, ...]:
    """What is asked in a sample."""
    asked = sample.input if isinstance(sample.input, str) else [m.text for m in sample.input]
    return asked, sample.choices, sample.target


@dataclass
class Plan:
    """Every item in every arm that fits it, and what was refused."""

    arms: Sequence[Arm]
    samples: list[TreatedSample] = field(default_factory=list)
    # Samples that an arm does not fit, by arm and reason.
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    n_items: int = 0
    base: str = ""  # short name of the author's questions, however many are asked in which arms

    def of(self, arm: str) -> int:
        """How many samples an arm has."""
        return sum(bent.ask.arm.name == arm for bent in self.samples)

    @property
    def revision(self) -> str:
        """Short name of what is asked: equal questions in equal arms have equal names."""
        return revision_of(
            (b.ask.item, b.ask.arm.name, dict(b.ask.told), *shown_text(b.sample))
            for b in self.samples
        )


def revision_of(asked: Iterable[tuple[Any, ...]]) -> str:
    """Short name of what is asked."""
    text = json.dumps(list(asked), default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def arms_of(names: Sequence[str], given: Mapping[str, Any]) -> list[Arm]:
    """The arms of some treatments, with what was given of their parameters; `plain` first."""
    taken = {name: get_treatment(name) for name in dict.fromkeys(names) if name != PLAIN.name}
    takes = {p for treatment in taken.values() for p in treatment.takes}
    if odd := [p for p in given if p not in takes]:
        owner = next((t.name for t in treatments().values() if odd[0] in t.takes), "")
        raise SelectionError(
            f"{odd[0]}={given[odd[0]]!r:.60} is a parameter of the treatment {owner}, which is not "
            f"asked: treatments={','.join([*taken, owner])}. A parameter of that name of the "
            f"author's task goes into args: args='{odd[0]}=...'"
        )
    arms = [PLAIN]
    for treatment in taken.values():
        own = {p: given[p] for p in treatment.takes if p in given}
        arms += treatment.arms({**treatment.takes, **own})
    twice = [name for name, n in Counter(arm.name for arm in arms).items() if n > 1]
    if twice:
        raise SelectionError(f"two arms would have the name {twice[0]!r}")
    return arms


def plan_samples(samples: Sequence[Sample], arms: Sequence[Arm], seed: int) -> Plan:
    """Every sample in every arm that fits it, all arms of a sample together."""
    plan = Plan(arms, n_items=len(samples))
    names: Counter[str] = Counter()
    for position, sample in enumerate(samples):
        item = clean_id(str(position + 1 if sample.id is None else sample.id))
        names[item] += 1
        if names[item] > 1:
            item = f"{item}-{names[item]}"
        for arm in arms:
            bent, why = _sample_text(sample, Ask(item, arm, seed), position)
            if bent is None:
                plan.refused[arm.name, why] += 1
            else:
                plan.samples.append(bent)
    return plan


def _sample_text(sample: Sample, ask: Ask, position: int) -> tuple[TreatedSample | None, str]:
    treatment = _treatment(ask)
    if why := treatment.fits(sample, ask.arm):
        return None, why
    ask = replace(ask, told=treatment.told(sample, ask))
    treated = treatment.apply_to_sample(sample, ask)
    if options := treated.choices:
        ask = replace(ask, told={"shown": [*range(len(options))], "options": options, **ask.told})
    named = {"id": f"{ask.item}/{ask.arm.name}"}
    return TreatedSample(treated.model_copy(update=named, deep=True), ask, position), ""


def _treatment(ask: Ask) -> Treatment:
    """What treats a sample: of the plain question nothing."""
    return Treatment() if ask.arm == PLAIN else get_treatment(ask.arm.treatment)


def treated_messages(bent: TreatedSample) -> list[ChatMessage]:
    """The messages of a sample as the author's setup gets them, for people to read."""
    asked = bent.sample.input
    given = [ChatMessageUser(content=asked)] if isinstance(asked, str) else asked
    messages = [m.model_copy(deep=True) for m in given]
    state = TaskState(
        model=ModelName("none/none"), sample_id=str(bent.sample.id), epoch=1, input=asked,
        messages=messages,
    )  # fmt: skip
    _treatment(bent.ask).apply_to_messages(state, bent.ask)
    return list(state.messages)


@dataclass(frozen=True)
class Questions:
    """How every sample of a bent task is asked. A log names it by its revision alone."""

    name: str
    base: str  # the author's task
    asks: Mapping[str, Ask]  # by the sample's id

    def of(self, state: TaskState) -> Ask:
        """How a sample is asked."""
        ask = self.asks.get(str(state.sample_id))
        if ask is None:
            raise ValueError(f"sample {state.sample_id} is not one of askew/bend")
        return ask

    def marks(self, ask: Ask, watch: Watch) -> dict[str, Any]:
        """What the scorer must know of a sample, after the author's solver."""
        return {**self._asked(ask), "acted": watch.failed or watch.reached}

    def revealed(self, ask: Ask) -> dict[str, Any]:
        """What a respondent may know of a sample."""
        told = {k: v for k, v in ask.told.items() if k != "options"}
        arm = {"given": dict(ask.arm.given), "seed": ask.seed}
        return {**self._asked(ask), **arm, "told": told, "task": "bend"}

    def _asked(self, ask: Ask) -> dict[str, Any]:
        told = {k: ask.told[k] for k in ("suggested",) if k in ask.told}
        if (shown := ask.told.get("shown")) and shown != sorted(shown):
            told["shown"] = shown
        arm = ask.arm
        return {
            "item": ask.item, "arm": arm.name, "treatment": arm.treatment, "base": self.base,
            "told": told,
        }  # fmt: skip


def questions(plan: Plan, base: str) -> Questions:
    """How the samples of a plan are asked."""
    return Questions(plan.revision, base, {str(b.sample.id): b.ask for b in plan.samples})


@solver
def bend_setup(questions: Questions) -> Solver:
    """Treat a sample's messages, before the author's own setup sees them.

    Args:
        questions: how each sample is asked.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _open(state, questions)
        return state

    return solve


def _open(state: TaskState, questions: Questions) -> None:
    ask = questions.of(state)
    reveal(state)
    if (revealed := store().get(TRUTH_KEY)) is not None:
        store().set(TRUTH_KEY, {**revealed, **questions.revealed(ask)})
    _treatment(ask).apply_to_messages(state, ask)


@solver
def apply_treatments(inner: Solver, questions: Questions, opened: bool = False) -> Solver:
    """The author's solver, handed a `generate` that treats the dialogue, its calls watched.

    Args:
        inner: what the author wrote.
        questions: how each sample is asked.
        opened: whether `bend_setup` ran before: a step costs every sample a comparison of states.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # What a treatment remembers is this sample's in this epoch.
        ask = replace(questions.of(state), memory={})
        if not opened:
            _open(state, questions)
        watch, treatment = Watch(ask, str(state.model)), _treatment(ask)

        async def treated(state: TaskState, *positional: Any, **how: Any) -> TaskState:
            if positional:
                how = {"tool_calls": positional[0], **how}
            return await treatment.apply_to_dialogue(state, ask, generate, **how)

        shared = store()
        try:
            with observe_calls(watch):
                state = await inner(state, generate if ask.arm == PLAIN else treated)
        except BaseException:
            # A sample that a limit ends is scored as Inspect holds it, which may not be this state.
            shared.set(MARKS, questions.marks(ask, watch))
            raise
        finally:
            watch.close(state.messages)
            treatment.withdraw(state, ask)
        # Inspect writes what a store holds three times; the transcript has the output as it was.
        marks = {**(state.output.metadata or {}), MARKS: questions.marks(ask, watch)}
        state.output = state.output.model_copy(update={"metadata": marks})
        return state

    return solve


def marks_of(state: TaskState) -> Mapping[str, Any] | None:
    """How a sample was asked, and in `acted` whether that reached the model; None where bend's
    steps did not run."""
    marks = (state.output.metadata or {}).get(MARKS, state.store.get(MARKS))
    return marks if isinstance(marks, Mapping) else None
