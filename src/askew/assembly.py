"""What all tasks set the same way: version, headline, viewer columns, metadata, settings."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from inspect_ai import Task
from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import ChatMessage, GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, generate
from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesView, ViewerConfig

from askew import __version__
from askew.papers import get_paper
from askew.parameters import SelectionError, check_choice, check_fraction, check_int
from askew.schema import GRADER, Paper, SampleMeta, sample_id
from askew.scoring.grader import PARSERS, Parser
from askew.scoring.outcome import SHOWN, Shown, with_metrics
from askew.scoring.stopping import SampleCluster, stopping
from askew.solvers.chain import format_instruction
from askew.sources.loading import ItemSet
from askew.untrusted import digest

Settings = Literal["default", "paper"]
SETTINGS: tuple[Settings, ...] = ("default", "paper")


def check_shared(
    *, items: object, seed: object, metrics: object, stop_when: object,
    settings: object = "default", parser: object = "rules", **_: object,
) -> dict[str, Any]:  # fmt: skip
    """Those of a task's arguments that `assemble` takes, checked as all are that every task has."""
    if items is not None:
        check_int("items", items)
    check_int("seed", seed, least=0)  # only integers: "1" and 1 could draw different items
    check_choice("settings", settings, SETTINGS)
    check_choice("metrics", metrics, SHOWN)
    check_choice("parser", parser, PARSERS)
    if stop_when is not None:
        check_fraction("stop_when", stop_when)
    return {"metrics": metrics, "stop_when": stop_when, "parser": parser}


def settings_config(
    settings: Settings, paper: GenerateConfig, *, sampled: bool = False
) -> GenerateConfig:
    """Temperature 0, and under "paper" whatever else the paper set.

    The default sets no token limit: it would cut models short that reason before they answer. A
    paper that is `sampled` left the temperature to the provider.
    """
    default = GenerateConfig(temperature=0.0)
    if check_choice("settings", settings, SETTINGS) == "default":
        return default
    return paper if sampled else default.merge(paper)


def assemble(
    paper: Paper, *, dataset: Dataset, loaded: ItemSet[Any], scorer: Scorer,
    prompts: Sequence[object] = (), setup: Sequence[Solver] | None = None,
    solver: Solver | list[Solver] | None = None,
    config: GenerateConfig | None = None,
    metrics: Shown = "few", stop_when: float | None = None, parser: Parser = "rules",
    roles: Mapping[str, str] | None = None,
) -> Task:  # fmt: skip
    """A task of a paper, over samples in the order in which to ask them.

    Its version changes with the `loaded` items' revision and any text of `prompts`. A replaced
    solver meets the steps of `setup` too (default: a format's instruction behind the question); the
    default is one question, one reply, at temperature 0. `metrics` are those that Inspect shows;
    `stop_when` is how narrow the headline's interval is to be for the run to stop, default never. A
    `parser` that asks the role `grader` needs it, as `roles` says of others what needs them.
    """
    if not len(dataset):
        raise SelectionError(f"{paper.task}: no items are left: check subset, items and data")
    texts = json.dumps(prompts, sort_keys=True, default=str)
    prompt_revision = digest(texts, 8)
    name = f"{paper.task}_scorer"
    check_choice("metrics", metrics, SHOWN)
    shows = getattr(paper.part("scorer"), f"{paper.task}_metrics")
    if metrics != "few" or paper.headlines != get_paper(paper.task).headlines:
        scorer = with_metrics(scorer, shows(metrics, paper.headlines[0]))
    setup = [format_instruction()] if setup is None else setup
    needed = ({} if parser == "rules" else {GRADER: f"parser={parser}"}) | dict(roles or {})
    # What each sample is of: its item, and the cluster that is asked whole or not at all.
    asks = {
        str(s.id): SampleCluster(*((of.get("subset"), of.get(x)) for x in ("item", "cluster")))
        for s in dataset
        for of in [s.metadata or {}]
    }
    # A plug-in's metric may take no arguments: only a run that may stop needs its headline alone.
    metric = shows() if stop_when is None else shows("few", paper.headlines[0])
    samples, stops = stopping(
        list(dataset), needed, stop_when, paper, metric, asks, loaded.revision
    )
    return Task(
        dataset=MemoryDataset(samples, name=dataset.name), setup=[*setup], scorer=scorer,
        solver=solver or generate(tool_calls="none"),
        config=config or settings_config("default", GenerateConfig()),
        version=f"{paper.version}-{loaded.revision}-{prompt_revision}",
        headline_metric=HeadlineMetric(scorer=name),
        viewer=viewer_of(paper, name, paper.measures), continue_on_fail=True,
        early_stopping=stops,
        metadata={
            "benchmark": "askew",
            "askew": __version__,
            "paper": paper.task,
            "primary_metric": paper.headlines[0],
            "data": loaded.origin,
            "data_revision": loaded.revision,
            "data_items": dict(Counter(item.subset for item in loaded.items)),
            "prompt_revision": prompt_revision,
        },
    )  # fmt: skip


def place_of(item: Any) -> dict[str, Any]:
    """Where an item's samples stand, as their metadata has it."""
    return {
        "item": item.id,
        "cluster": item.cluster or item.id,
        "subset": item.subset,
        "tier": item.tier,
        "difficulty": getattr(item, "difficulty", 0),
    }


def sample_of(
    paper: Paper, kind: type[SampleMeta], input: str | list[ChatMessage], target: str,
    choices: Sequence[str] = (), /, **metadata: Any,
) -> Sample:  # fmt: skip
    """What is asked with its right answer, under the id that its condition gives it.

    A factor that a sample has no value of is no part of its condition.
    """
    meta = kind(task=paper.task, **metadata)
    values = {factor.name: getattr(meta, factor.name) for factor in paper.factors}
    condition = {name: value for name, value in values.items() if value not in ("", None)}
    return Sample(
        id=sample_id(meta.item, condition), input=input, choices=[*choices] or None, target=target,
        metadata=meta.as_metadata(),
    )  # fmt: skip


def viewer_of(paper: Paper, scorer: str, measures: Iterable[str]) -> ViewerConfig:
    """Rows whose condition can be read: it is part of the id, which comes first."""
    shown = [TaskSamplesColumn(id=c) for c in ("sampleId", "epoch", "answer", "target")]
    shown += [TaskSamplesColumn.score(scorer, measure) for measure in measures]
    shown += [TaskSamplesColumn(id="error"), TaskSamplesColumn(id="input", visible=False)]
    view = TaskSamplesView(name=paper.task, columns=shown, multiline=False)
    return ViewerConfig(trust_content=False, task_samples_view=view)
