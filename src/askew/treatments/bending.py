"""An author's task, asked in arms: samples mapped, steps around its own, calls watched.

What the author wrote stays: solver, tools, scorers, metrics, sandbox, limits and epochs. What a
treatment did stands in the sample's store, where the scorer looks: an arm whose treatment did not
reach the model is not counted.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.hooks import BeforeModelGenerate, Hooks, hooks
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelName
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import Store, store

from askew.parameters import SelectionError
from askew.schema import TRUTH_KEY, clean_id
from askew.solvers.chain import reveal
from askew.treatments import Arm, Ask, treatment_named, treatments

PLAIN = Arm("plain", "plain")
# In a sample's store: how it was asked, that its treatment reached the model, and whether the
# author's solver is at work (a scorer's own calls of models are not the sample's).
ASKED_KEY, ACTED_KEY, ASKING_KEY = "askew:bend", "askew:acted", "askew:asking"


@dataclass(frozen=True)
class Bent:
    """One sample in one arm: what is asked, and what the run must know of it."""

    sample: Sample
    ask: Ask
    position: int

    def stored(self) -> dict[str, Any]:
        """What travels in the sample's store, as plain values."""
        return {
            "item": self.ask.item,
            "arm": self.ask.arm.name,
            "treatment": self.ask.arm.treatment,
            "given": dict(self.ask.arm.given),
            "seed": self.ask.seed,
            "told": dict(self.ask.told),
        }


def _shown(sample: Sample) -> tuple[Any, ...]:
    asked = sample.input if isinstance(sample.input, str) else [m.text for m in sample.input]
    return asked, sample.choices, sample.target


def ask_of(stored: Mapping[str, Any]) -> Ask:
    """How a sample was asked, from its store."""
    arm = Arm(str(stored["arm"]), str(stored["treatment"]), stored["given"])
    return Ask(str(stored["item"]), arm, int(stored["seed"]), stored["told"])


@dataclass
class Plan:
    """Every item in every arm that fits it, and what was refused."""

    arms: Sequence[Arm]
    samples: list[Bent] = field(default_factory=list)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Samples that an arm does not fit, by arm and reason."""
    n_items: int = 0

    def of(self, arm: str) -> int:
        """How many samples an arm has."""
        return sum(bent.ask.arm.name == arm for bent in self.samples)

    @property
    def revision(self) -> str:
        """Short name of what is asked: equal questions in equal arms have equal names."""
        asked = [
            (b.ask.item, b.ask.arm.name, dict(b.ask.told), *_shown(b.sample)) for b in self.samples
        ]
        text = json.dumps(asked, default=str)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def arms_of(names: Sequence[str], given: Mapping[str, Any]) -> list[Arm]:
    """The arms of some treatments; `plain` comes first.

    Args:
        names: of treatments, each once.
        given: parameters of treatments, by name.
    """
    taken = {name: treatment_named(name) for name in dict.fromkeys(names) if name != PLAIN.name}
    takes = {p for treatment in taken.values() for p in treatment.takes}
    if odd := [p for p in given if p not in takes]:
        owner = next((t.name for t in treatments().values() if odd[0] in t.takes), "")
        raise SelectionError(
            f"{odd[0]}={given[odd[0]]!r:.60} is a parameter of {owner}, which is not among the "
            f"treatments: treatments={','.join([*taken, owner])}"
        )
    arms = [PLAIN]
    for treatment in taken.values():
        own = {p: given[p] for p in treatment.takes if p in given}
        arms += treatment.arms({**treatment.takes, **own})
    twice = [name for name, n in Counter(arm.name for arm in arms).items() if n > 1]
    if twice:
        raise SelectionError(f"two arms would have the name {twice[0]!r}")
    return arms


def planned(samples: Sequence[Sample], arms: Sequence[Arm], seed: int) -> Plan:
    """Every sample in every arm that fits it, all arms of a sample together."""
    plan = Plan(arms, n_items=len(samples))
    names: Counter[str] = Counter()
    for position, sample in enumerate(samples):
        item = clean_id(str(position + 1 if sample.id is None else sample.id))
        names[item] += 1
        if names[item] > 1:
            item = f"{item}-{names[item]}"
        for arm in arms:
            bent, why = _asked(sample, Ask(item, arm, seed), position)
            if bent is None:
                plan.refused[arm.name, why] += 1
            else:
                plan.samples.append(bent)
    return plan


def _asked(sample: Sample, ask: Ask, position: int) -> tuple[Bent | None, str]:
    named = {"id": f"{ask.item}/{ask.arm.name}"}
    told: dict[str, Any] = {}
    treated = sample
    if ask.arm != PLAIN:
        treatment = treatment_named(ask.arm.treatment)
        if why := treatment.fits(sample, ask.arm):
            return None, why
        told = treatment.told(sample, ask)
        ask = Ask(ask.item, ask.arm, ask.seed, told)
        treated = treatment.apply_to_sample(sample, ask)
    if treated.choices:
        told = {"shown": list(range(len(treated.choices))), "options": treated.choices, **told}
    copy = treated.model_copy(update=named, deep=True)
    return Bent(copy, Ask(ask.item, ask.arm, ask.seed, told), position), ""


def treated_messages(bent: Bent) -> list[ChatMessage]:
    """The messages of a sample as the author's setup gets them, for people to read."""
    asked = bent.sample.input
    given = [ChatMessageUser(content=asked)] if isinstance(asked, str) else asked
    messages = [m.model_copy(deep=True) for m in given]
    state = TaskState(
        model=ModelName("none/none"), sample_id=str(bent.sample.id), epoch=1, input=asked,
        messages=messages,
    )  # fmt: skip
    if bent.ask.arm != PLAIN:
        treatment_named(bent.ask.arm.treatment).apply_to_messages(state, bent.ask)
    return list(state.messages)


@solver
def bend_setup(plan: Mapping[str, Mapping[str, Any]] | None = None) -> Solver:
    """Say in the sample's store how it is asked, and treat its messages.

    Args:
        plan: what is to be known of each sample, by id; it does not travel in the log.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked = (plan or {}).get(str(state.sample_id))
        if asked is None:
            raise ValueError(f"sample {state.sample_id} is not one of askew/bend")
        reveal(state)
        shared = store()
        shared.set(ASKED_KEY, dict(asked))
        if (revealed := shared.get(TRUTH_KEY)) is not None:
            shared.set(TRUTH_KEY, {**revealed, **asked, "task": "bend"})
        ask = ask_of(asked)
        if ask.arm != PLAIN:
            treatment_named(ask.arm.treatment).apply_to_messages(state, ask)
        return state

    return solve


@solver
def bent(inner: Solver) -> Solver:
    """The author's solver, handed a `generate` that treats the dialogue.

    Args:
        inner: what the author wrote.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        shared = store()
        asked = shared.get(ASKED_KEY)
        ask = ask_of(asked) if isinstance(asked, Mapping) else None

        async def treated(state: TaskState, *positional: Any, **how: Any) -> TaskState:
            if positional:
                how = {"tool_calls": positional[0], **how}
            if ask is None or ask.arm == PLAIN:
                return await generate(state, **how)
            if ask.arm.treatment == "repeat":
                how["cache"] = False
            treatment = treatment_named(ask.arm.treatment)
            return await treatment.apply_to_dialogue(state, ask, generate, **how)

        shared.set(ASKING_KEY, True)
        try:
            state = await inner(state, treated)
        finally:
            shared.set(ASKING_KEY, False)
            if ask is not None and ask.arm != PLAIN:
                treatment_named(ask.arm.treatment).withdraw(state, ask)
        return state

    return solve


_IN_USE = False


def watch_calls() -> None:
    """From now on, calls of bent samples are treated and watched; others pass untouched."""
    global _IN_USE
    _IN_USE = True


@hooks(name="askew_bend", description="Treats the calls of bent samples, and sees what reached.")
class BendCalls(Hooks):
    """Acts in calls of samples of `askew/bend` while their author's solver is at work."""

    def enabled(self) -> bool:
        return _IN_USE

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        shared: Store = store()
        asked = shared.get(ASKED_KEY)
        if not isinstance(asked, Mapping) or not shared.get(ASKING_KEY):
            return
        ask = ask_of(asked)
        if ask.arm == PLAIN:
            shared.set(ACTED_KEY, True)
            return
        treatment = treatment_named(ask.arm.treatment)
        if treatment.place == "wire":
            acted = treatment.apply_to_call(data, ask)
        else:
            acted = treatment.reached(data.input, ask)
        # It is part of the cache's key and never sent: no arm answers from another's cache.
        data.config.max_tool_output = _OWN_KEY + _number_of(ask.arm.name)
        if acted:
            shared.set(ACTED_KEY, True)


# Inspect's own default for the longest tool output, which a model's calls don't read.
_OWN_KEY = 16 * 1024


def _number_of(arm: str) -> int:
    return int.from_bytes(hashlib.sha256(arm.encode()).digest()[:6], "big")


def stored_plan(plan: Plan) -> dict[str, dict[str, Any]]:
    """What every sample's store will hold, by id."""
    return {str(b.sample.id): b.stored() for b in plan.samples}


def author_steps(task: Task) -> Iterator[Solver]:
    """The setup that the author wrote, step by step."""
    setup = task.setup
    if isinstance(setup, Sequence):
        yield from setup
    elif setup is not None:
        yield setup
