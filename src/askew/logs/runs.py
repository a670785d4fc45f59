"""Which logs are the same run, and what to call each run's model.

Logs with equal settings are one run and are pooled; a model that was run under several settings
becomes several models, each with the settings that tell it apart in its label.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from askew.logs.settings import RunSettings, Settings
from askew.schema import Scalar
from askew.untrusted import one_line

# Settings that are derived or hard to read: shown only where the others don't tell runs apart.
_LAST_RESORT = ("endpoint", "revision", "prompts", "version")
_LAYERS = ("data", "solver", "args", "config", "task", "role", "limit")
_LONGEST_VALUE = 40
_LONGEST_NAME = 120
_LONG_WORD = re.compile(r"[A-Za-z0-9]{20,}")


def run_id(settings: RunSettings) -> str:
    """A short name for everything that makes this run differ from others."""
    identity = [settings.task, settings.model_name]
    parts = [settings.model, settings.within_task, settings.origin]
    text = json.dumps([*identity, *parts], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def model_labels(runs: Iterable[RunSettings]) -> dict[str, str]:
    """A label for each run id: unique within a task, equal across tasks for equal settings."""
    by_model: dict[str, list[RunSettings]] = defaultdict(list)
    for run in {run_id(r): r for r in runs}.values():
        by_model[run.model_name].append(run)
    labels: dict[str, str] = {}
    for runs_of_model in by_model.values():
        labels |= _labels(runs_of_model)
    return _unique(labels, [r for of_model in by_model.values() for r in of_model])


def _labels(runs: Sequence[RunSettings]) -> dict[str, str]:
    """Labels of one model's runs: settings of the model first, then those of the task."""
    of_model = _telling([r.model for r in runs])
    labels = {}
    for i, run in enumerate(runs):
        peers = [j for j, other in enumerate(runs) if other.task == run.task]
        of_task = _telling([{**runs[j].origin, **runs[j].within_task} for j in peers])
        shown = {**of_model[i], **of_task[peers.index(i)]}
        labels[run_id(run)] = _label(run.model_name, shown)
    return labels


def _telling(settings: Sequence[Settings]) -> list[dict[str, Scalar]]:
    """Of each, the settings in which they differ; the last resorts only where they must."""
    names = sorted({name for s in settings for name in s}, key=_layer)
    differing = [n for n in names if len({_comparable(s.get(n)) for s in settings}) > 1]
    first = [n for n in differing if n not in _LAST_RESORT]
    told = [{n: s[n] for n in first if n in s} for s in settings]
    for name in _LAST_RESORT:
        if name not in differing:
            continue
        groups: dict[str, list[int]] = defaultdict(list)
        for i, shown in enumerate(told):
            groups[json.dumps(shown, sort_keys=True)].append(i)
        for group in groups.values():
            if len({_comparable(settings[i].get(name)) for i in group}) > 1:
                for i in group:
                    told[i] |= {name: settings[i][name]} if name in settings[i] else {}
    return told


def _layer(name: str) -> tuple[int, str]:
    """Labels name settings in one order, whichever log was read first."""
    layer = name.partition(".")[0]
    return (_LAYERS.index(layer) if layer in _LAYERS else len(_LAYERS)), name


def _comparable(value: Scalar | None) -> str:
    """A value so that 1, 1.0 and True are told apart as JSON tells them."""
    return json.dumps(value)


def _label(model_name: str, shown: Mapping[str, Scalar]) -> str:
    name = one_line(model_name, _LONGEST_NAME) or "model"
    short = {key: _short_name(key) for key in shown}
    # Two layers may have a setting of one name (`seed`): then the layer is part of it.
    clashing = {s for s in short.values() if list(short.values()).count(s) > 1}
    told = ", ".join(
        f"{key if short[key] in clashing else short[key]}={_shown(value)}"
        for key, value in shown.items()
    )
    return f"{name} ({told})" if told else name


def _short_name(key: str) -> str:
    """The name without its layer; what belongs to a role or solver keeps the role's name."""
    layer, _, rest = key.partition(".")
    return one_line(key if layer == "solver" or not rest else rest)


def _shown(value: Scalar) -> str:
    if not isinstance(value, str):
        return f"{value:g}" if isinstance(value, float) else str(value)
    text = one_line(value, _LONGEST_VALUE)
    if any(_is_keylike(word) for word in _LONG_WORD.findall(text)):
        return "..."
    return text


def _is_keylike(word: str) -> bool:
    """Long runs of letters and digits are what keys look like, whatever their setting is called."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def _unique(labels: Mapping[str, str], runs: Sequence[RunSettings]) -> dict[str, str]:
    """Labels that what they leave out made equal get the run's name."""
    tasks: dict[str, list[str]] = defaultdict(list)
    models: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        tasks[labels[run_id(run)]].append(run.task)
        models[labels[run_id(run)]].add(run.model_name)
    taken = {label for label, of in tasks.items() if len(of) > len(set(of))}
    taken |= {label for label, names in models.items() if len(names) > 1}
    return {
        run: f"{label} [run {run}]" if label in taken else label for run, label in labels.items()
    }
