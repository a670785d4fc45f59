"""Logs of any size: a few real samples of simulated models, repeated under new ids.

The files have the shape of Inspect's own: a header, summaries, and every sample in full. They
are written as archives directly, because running a hundred thousand samples would take an hour.
"""

import json
import zipfile
from collections.abc import Sequence
from itertools import count, islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import eval
from inspect_ai.log import EvalLog, read_eval_log

from askew.papers import get_paper

_BASE_ITEMS = 12
# Samples of a log; what is larger is several.
_MOST = 50_000
_SPEAKERS = ("typical", "agreeable", "random")
_INNER = {"events", "attachments", "store"}


class LogMaker:
    """Makes logs of one task; what it repeats is asked once."""

    def __init__(self, task: str) -> None:
        self.task = task
        self._bases: dict[str, EvalLog] = {}

    def write(
        self,
        folder: Path,
        model: str,
        samples: int,
        number: int = 0,
        *,
        full: bool = True,
        part: int = 0,
    ) -> Path:
        """One log of about that many samples, whole items only.

        Args:
            folder: where to write it.
            model: the name that the log gives the model.
            samples: how many samples it holds at most.
            number: which of the simulated models said what is in it; sets the log's name too.
            full: whether it holds every sample in full; without, it is packed as Inspect packs.
            part: which part of a run it is: another one asked other items.
        """
        base = self._base(_SPEAKERS[number % len(_SPEAKERS)])
        parts = list(islice(_repeated(base, part * samples), samples))
        path = folder / f"2026-03-01T00-00-00+00-00_{self.task.replace('_', '-')}_{number:04d}.eval"
        header = json.loads(base.model_dump_json(exclude={"samples", "location"}))
        header["eval"]["model"] = model
        header["eval"]["run_id"] = header["eval"]["eval_id"] = f"made-{self.task}-{number}"
        header["eval"]["dataset"]["samples"] = len(parts)
        header["eval"]["dataset"]["sample_ids"] = [s["id"] for s, _ in parts]
        header["results"]["total_samples"] = header["results"]["completed_samples"] = len(parts)
        folder.mkdir(parents=True, exist_ok=True)
        packing = zipfile.ZIP_STORED if full else zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(path, "w", packing) as archive:
            for summary, text in parts if full else ():
                name = f"samples/{summary['id']}_epoch_{summary['epoch']}.json"
                archive.writestr(name, text)
            archive.writestr("summaries.json", json.dumps([s for s, _ in parts]))
            archive.writestr("header.json", json.dumps(header))
        return path

    def _base(self, speaker: str) -> EvalLog:
        if speaker not in self._bases:
            with TemporaryDirectory() as folder:
                (done,) = eval(
                    get_paper(self.task).make(items=_BASE_ITEMS),
                    model=f"respondent/{speaker}",
                    display="none",
                    log_level="error",
                    log_dir=folder,
                )
                # Read here: an eval's log opens its file when its samples are asked for.
                log = read_eval_log(done.location)
            if log.status != "success":
                raise RuntimeError(f"{self.task} on {speaker}: {log.status}")
            self._bases[speaker] = log
        return self._bases[speaker]


def _repeated(base: EvalLog, first: int = 0) -> Any:
    """Summary and full text of each sample, then of each under a second name, and so on.

    The names of copies are numbered from `first`.
    """
    originals = []
    for sample in base.samples or []:
        summary = json.loads(sample.summary().model_dump_json())
        full = json.loads(sample.model_dump_json(exclude=_INNER))
        text = json.dumps(full | {"events": [], "attachments": {}, "store": {}})
        originals.append((summary, text))
    for copy in count(first):
        for summary, text in originals:
            renamed = _renamed(summary, copy)
            # Only what names the sample differs: writing a text anew each time would take long.
            old, new = (json.dumps(s["id"]) for s in (summary, renamed))
            yield renamed, text.replace(f'"id": {old}', f'"id": {new}', 1)


def _renamed(sample: dict[str, Any], copy: int) -> dict[str, Any]:
    """The sample as another item's: its names stand in its metadata, or in its score's."""
    scores = {
        name: {**score, "metadata": _of_copy(score["metadata"] or {}, copy)}
        for name, score in sample["scores"].items()
    }
    metadata = _of_copy(sample["metadata"], copy)
    told = next(m for m in (sample["metadata"], *_metadata_of(sample)) if "item" in m)
    return {
        **sample,
        "id": sample["id"].replace(told["item"], f"{told['item']}.{copy}", 1),
        "uuid": f"{sample.get('uuid')}.{copy}",
        "metadata": metadata,
        "scores": scores,
    }


def _metadata_of(sample: dict[str, Any]) -> list[dict[str, Any]]:
    return [score["metadata"] or {} for score in sample["scores"].values()]


def _of_copy(metadata: dict[str, Any], copy: int) -> dict[str, Any]:
    named = {name: f"{metadata[name]}.{copy}" for name in ("item", "cluster") if name in metadata}
    return {**metadata, **named}


def folder_of(
    folder: Path, tasks: Sequence[str], models: int, samples: int, name: str = "lab/model"
) -> int:
    """A log for every task and model, or several that share its samples; the samples in all."""
    parts = -(-samples // _MOST)
    for task in tasks:
        maker = LogMaker(task)
        for number, part in product(range(models), range(parts)):
            # Another number for every log, and one simulated model for all of a model's.
            name_of = number + len(_SPEAKERS) * models * part
            maker.write(folder, f"{name}-{number}", samples // parts, name_of, part=part)
    return len(tasks) * models * parts * (samples // parts)
