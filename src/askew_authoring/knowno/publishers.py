"""KnowNo's set that only users can fetch: EquInfer as its repository has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askew.files import toml_of
from askew.schema import clean_id
from askew.sources.loading import digest
from askew_authoring.publishers import Publisher, Raw, UnsoundError

_KEPT = ("context_before", "context_after", "options_list", "gold_option", "gold_option_index")


def _equation(raw: Raw, file: str) -> dict[str, Any]:
    kept = {name: raw[name] for name in _KEPT if raw.get(name) is not None}
    options = kept["options_list"]
    if isinstance(options, list) and options.count(kept["gold_option"]) > 1:
        raise UnsoundError("the right equation is offered twice")
    name = raw.get("id") or digest(str(kept["context_before"]) + str(kept["gold_option"]))
    return {"id": f"equinfer-{clean_id(str(name))}", **kept}


_TOLD = toml_of(__package__, "publishers.toml")
PUBLISHERS: Mapping[str, Publisher] = {
    "equinfer": Publisher(
        "equinfer", **_TOLD["equinfer"], record=_equation,
        tally=lambda record: f"with {len(record['options_list'])} equations",
    )
}  # fmt: skip
