"""A task in arms: treated copies of its samples, steps around its own, marks for the scorer."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelName, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError, store

from askew.parameters import SelectionError
from askew.schema import TRUTH_KEY, clean_id
from askew.solvers.chain import reveal
from askew.treatments import Arm, Case, Treatment, get_treatment, treatments
from askew.treatments.calls import PLAIN, WATCHED, Watch
from askew.untrusted import digest

# Key in the metadata of a sample's output: its arm, and whether the treatment reached the model.
MARKS = "askew:bend"


@dataclass(frozen=True)
class TreatedSample:
    """One sample in one arm, with its case and the position of the original sample."""

    sample: Sample
    case: Case
    position: int


def shown_text(sample: Sample | EvalSample) -> tuple[Any, ...]:
    """The input, options and target of a sample."""
    texts = sample.input if isinstance(sample.input, str) else [m.text for m in sample.input]
    return texts, sample.choices, sample.target


@dataclass
class Plan:
    """Every item in every arm that applies to it, and the counts of those that do not."""

    arms: Sequence[Arm]
    samples: list[TreatedSample] = field(default_factory=list)
    # How many samples an arm does not apply to, by arm and reason.
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    n_items: int = 0
    base: str = ""  # digest of the original samples, whatever the arms

    def of(self, arm: str) -> int:
        """The number of samples of an arm."""
        return sum(treated.case.arm.name == arm for treated in self.samples)

    @property
    def unfit(self) -> dict[str, str]:
        """Arms that apply to no sample, with the reasons."""
        reasons: dict[str, list[str]] = {}
        for (arm, why), n in sorted(self.refused.items()):
            reasons.setdefault(arm, []).append(f"{why} ({n:,} of {self.n_items:,})")
        return {arm: "; ".join(of) for arm, of in reasons.items() if not self.of(arm)}

    @property
    def revision(self) -> str:
        """A digest: equal samples in equal arms have equal ones."""
        return revision_of(
            (b.case.item, b.case.arm.name, dict(b.case.values), *shown_text(b.sample))
            for b in self.samples
        )


def revision_of(contents: Iterable[tuple[Any, ...]]) -> str:
    """A digest of samples."""
    return digest(json.dumps([*contents], default=str), 8)


def arms_of(names: Sequence[str], given: Mapping[str, Any]) -> list[Arm]:
    """The arms of treatments with the given parameters; `plain` first."""
    taken = {name: get_treatment(name) for name in dict.fromkeys(names) if name != PLAIN.name}
    parameters = {p for treatment in taken.values() for p in treatment.parameters}
    if odd := [p for p in given if p not in parameters]:
        owner = next((t.name for t in treatments().values() if odd[0] in t.parameters), "")
        raise SelectionError(
            f"{odd[0]}={given[odd[0]]!r:.60} is a parameter of the treatment {owner}, which is not "
            f"chosen: treatments={','.join([*taken, owner])}. A parameter of that name of the "
            f"author's task goes into args: args='{odd[0]}=...'"
        )
    arms = [PLAIN]
    for treatment in taken.values():
        own = {p: given[p] for p in treatment.parameters if p in given}
        arms += treatment.arms({**treatment.parameters, **own})
    twice = [name for name, n in Counter(arm.name for arm in arms).items() if n > 1]
    if twice:
        raise SelectionError(f"two arms would have the name {twice[0]!r}")
    return arms


def plan_samples(samples: Sequence[Sample], arms: Sequence[Arm], seed: int) -> Plan:
    """Every sample in every arm that applies to it; the arms of a sample are neighbours."""
    plan = Plan(arms, n_items=len(samples))
    names: Counter[str] = Counter()
    for position, sample in enumerate(samples):
        item = clean_id(str(position + 1 if sample.id is None else sample.id))
        names[item] += 1
        if names[item] > 1:
            item = f"{item}-{names[item]}"
        for arm in arms:
            case = Case(item, arm, seed)
            if why := _treatment(case).why_not_applicable(sample, arm):
                plan.refused[arm.name, why] += 1
            else:
                plan.samples.append(_treated_sample(sample, case, position))
    # Rotations are planned for the largest number of options that there can be.
    plan.arms = [arm for arm in arms if not arm.given.get("optional") or plan.of(arm.name)]
    named = {arm.name for arm in plan.arms}
    plan.refused = Counter({k: n for k, n in plan.refused.items() if k[0] in named})
    return plan


def _treated_sample(sample: Sample, case: Case, position: int) -> TreatedSample:
    treatment = _treatment(case)
    case = replace(case, values=treatment.sample_values(sample, case))
    treated = treatment.apply_to_sample(sample, case)
    if options := treated.choices:
        shown = {"shown": [*range(len(options))], "options": options}
        case = replace(case, values={**shown, **case.values})
    named = {"id": f"{case.item}/{case.arm.name}"}
    return TreatedSample(treated.model_copy(update=named, deep=True), case, position)


def _treatment(case: Case) -> Treatment:
    """The treatment of a case; the base class, which changes nothing, for the plain arm."""
    return Treatment() if case.arm == PLAIN else get_treatment(case.arm.treatment)


def treated_messages(treated: TreatedSample) -> list[ChatMessage]:
    """The messages of a sample as the task's own setup gets them, for a preview."""
    text = treated.sample.input
    given = [ChatMessageUser(content=text)] if isinstance(text, str) else text
    messages = [m.model_copy(deep=True) for m in given]
    state = TaskState(ModelName("none/none"), str(treated.sample.id), 1, text, messages)
    _treatment(treated.case).apply_to_messages(state, treated.case)
    return list(state.messages)


@dataclass(frozen=True)
class Questions:
    """The case of every sample of a run. A log contains its revision only."""

    name: str
    base: str  # the author's task
    cases: Mapping[str, Case]  # by the sample's id
    # Samples of an earlier run that stand for plain ones, by id and epoch.
    logged: Mapping[str, Mapping[int, EvalSample]] = field(default_factory=dict)

    def of(self, state: TaskState) -> Case:
        """The case of a sample."""
        case = self.cases.get(str(state.sample_id))
        if case is None:
            raise ValueError(f"sample {state.sample_id} is not one of askew/bend")
        return case

    def marks(self, case: Case, **more: Any) -> dict[str, Any]:
        """What the scorer needs of a sample."""
        values = {k: case.values[k] for k in ("suggested",) if k in case.values}
        if (shown := case.values.get("shown")) and shown != sorted(shown):
            values["shown"] = shown
        arm = {"arm": case.arm.name, "treatment": case.arm.treatment}
        return {"item": case.item, **arm, "base": self.base, "told": values, **more}


@solver
def bend_setup(questions: Questions) -> Solver:
    """Treat a sample's messages, before the author's own setup sees them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _open(state, questions)
        return state

    return solve


def _open(state: TaskState, questions: Questions) -> None:
    case = questions.of(state)
    if logged := questions.logged.get(str(state.sample_id), {}).get(state.epoch):
        # A log does not tell the tokens of several replies from those of others.
        replies = sum(message.role == "assistant" for message in logged.messages)
        usage = logged.output.usage if replies == 1 else None
        noted = {"output_tokens": usage.output_tokens} if usage else {}
        marks = questions.marks(case, acted=True, noted=noted)
        state.messages, state.completed = list(logged.messages), True
        state.output = _marked(logged.output, marks)
        if ended := logged.limit:  # left out for it, as it would be now
            raise LimitExceededError(cast(Any, ended.type), value=ended.limit, limit=ended.limit)
        return
    reveal(state)
    if (revealed := store().get(TRUTH_KEY)) is not None:
        values = {k: v for k, v in case.values.items() if k != "options"}
        more = {"given": dict(case.arm.given), "seed": case.seed, "told": values, "task": "bend"}
        store().set(TRUTH_KEY, {**revealed, **questions.marks(case), **more})
    _treatment(case).apply_to_messages(state, case)


@solver
def apply_treatments(
    inner: Solver, questions: Questions, opened: bool = False, **written: Sequence[Solver]
) -> Solver:
    """The task's own solver with a `generate` that treats the dialogue; calls are treated too.

    If `bend_setup` ran before, it is `opened`; what is `written` is for the log alone.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        case = replace(questions.of(state), memory={})  # each sample and epoch has its own memory
        if not opened:
            _open(state, questions)
            if state.completed:
                return state
        watch, treatment = Watch(case, str(state.model)), _treatment(case)

        async def treated(state: TaskState, *positional: Any, **how: Any) -> TaskState:
            if positional:
                how = {"tool_calls": positional[0], **how}
            return await treatment.apply_to_dialogue(state, case, generate, **how)

        shared, token = store(), WATCHED.set(watch)
        try:
            state = await inner(state, generate if case.arm == PLAIN else treated)
        except BaseException:
            # A sample that a limit ends is scored as Inspect holds it, which may not be this state.
            # A limit on tokens ends a sample before its last call is counted.
            watch.tokens = None
            shared.set(MARKS, questions.marks(case, acted=watch.acted, noted=watch.noted))
            raise
        finally:
            WATCHED.reset(token)
            watch.close(state.messages)
            treatment.withdraw(state, case)
        # Inspect writes what a store holds three times; the transcript has the output as it was.
        measures = treatment.measures(state.messages, case)
        marks = questions.marks(case, acted=watch.acted, noted=watch.noted, measures=measures)
        state.output = _marked(state.output, marks)
        return state

    return solve


def _marked(output: ModelOutput, marks: Mapping[str, Any]) -> ModelOutput:
    return output.model_copy(update={"metadata": {**(output.metadata or {}), MARKS: marks}})


def marks_of(state: TaskState) -> Mapping[str, Any] | None:
    """A sample's arm and values, and in `acted` whether the treatment reached the model; None if
    bend's steps did not run."""
    marks = (state.output.metadata or {}).get(MARKS, state.store.get(MARKS))
    return marks if isinstance(marks, Mapping) else None
