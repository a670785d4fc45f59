"""What a simulated model would answer, without an eval: samples in, observations out.

The samples are the task's own, the replies are the respondent's, and the task's own scorer
reads them; only Inspect's event loop, log and dialogue are left out, and a reply to a sample is
read once however often it comes. That is some hundred times faster, so a thousand runs can be
repeated. A grader is never asked.
"""

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import Scorer, Target
from inspect_ai.solver import TaskState

from askew.logs.tables import observation_table
from askew.papers import get_paper
from askew.respondents.answering import ALIKE
from askew.respondents.provider import Answerer, answerer_of, truth_of
from askew.schema import RESPONDENT_API, observation_row

# So many read replies are kept at once.
_KEPT = 30_000


@dataclass(frozen=True)
class Simulation:
    """One task's samples, ready to be answered by any respondent, any number of times."""

    task: str
    samples: Sequence[Sample]
    scorer: Scorer | None
    answerer: Answerer
    _read: dict[tuple[str, str], dict[str, Any] | None] = field(default_factory=dict, repr=False)

    def truths(self) -> list[dict[str, Any]]:
        """What is true of every sample, as respondents are told, in the first epoch."""
        return [truth_of(sample, {"epoch": 1}) for sample in self.samples]

    def tendencies(self, respondent: str, overrides: Mapping[str, Any] | None = None) -> Any:
        """A respondent's tendencies here, some set otherwise."""
        return dataclasses.replace(self.answerer.of(respondent), **(overrides or {}))

    def observations(
        self, respondent: str, seed: int = 0, overrides: Mapping[str, Any] | None = None, *,
        epochs: int = 1, alike: float = 0.0,
    ) -> pd.DataFrame:  # fmt: skip
        """The observation table of one run of a respondent; equal seeds give equal replies.

        Items of one cluster share as much of what decides whether they are known as `alike` says.
        """
        tendencies = self.tendencies(respondent, overrides)
        given = [{**truth, ALIKE: alike} for truth in self.truths()]
        name = f"{RESPONDENT_API}/{respondent}"

        async def rows() -> list[dict[str, Any]]:
            found = []
            for epoch, (sample, truth) in product(
                range(1, epochs + 1), zip(self.samples, given, strict=True)
            ):
                arguments = ({**truth, "epoch": epoch}, tendencies, respondent, seed)
                if self.answerer.observed:
                    row = self.answerer.observed(*arguments)
                else:
                    row = await self._score(sample, str(self.answerer.reply(*arguments)))
                if row:
                    found.append({**row, "model": name, "model_name": name, "epoch": epoch})
            return found

        return observation_table(asyncio.run(rows()))

    async def _score(self, sample: Sample, reply: str) -> dict[str, Any] | None:
        """The observation of a reply to a sample, read once; nothing where it is not scored."""
        key = (str(sample.id), reply)
        if key not in self._read:
            if len(self._read) >= _KEPT:
                self._read.clear()
            assert self.scorer is not None
            state = _state(sample, reply)
            score, self._read[key] = await self.scorer(state, state.target), None
            if score is not None and isinstance(score.value, Mapping):
                row = observation_row(state.metadata, score.value, score.answer, score.metadata)
                source = {"status": "scored", "run": "simulated", "sample_id": key[0], "log": ""}
                self._read[key] = {**row, "task": state.metadata["task"], **source}
        return self._read[key]


def simulation(task: str, /, **parameters: Any) -> Simulation:
    """A task's samples with what it takes to answer and score them."""
    paper = get_paper(task)
    given = {k: v for k, v in parameters.items() if k != "parser"}
    answerer = answerer_of(paper.task)
    if answerer is None:
        raise ValueError(f"no simulated model answers the task {paper.task}")
    if answerer.samples:
        return Simulation(paper.task, answerer.samples(**given), None, answerer)
    made = paper.make(**given)
    scorer = made.scorer[0] if isinstance(made.scorer, list) else made.scorer
    return Simulation(paper.task, list(made.dataset), scorer, answerer)


def _state(sample: Sample, reply: str = "") -> TaskState:
    text = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    model = ModelName(f"{RESPONDENT_API}/anyone")
    return TaskState(
        model=model, sample_id=sample.id if sample.id is not None else "", epoch=1,
        input=sample.input, messages=[ChatMessageUser(content=text)], target=Target(sample.target),
        choices=sample.choices, metadata=dict(sample.metadata or {}),
        output=ModelOutput.from_content(str(model), reply),
    )  # fmt: skip
