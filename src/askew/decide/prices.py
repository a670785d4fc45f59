"""What tokens cost: Inspect's own prices, or a table in the form that Inspect reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inspect_ai.model import ModelCost, ModelUsage, compute_model_cost, get_model_info
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from askew.decide.yaml_files import read_yaml_file
from askew.untrusted import one_line


class PriceError(ValueError):
    """A table of prices that can't be used: every problem in it."""


class _Price(BaseModel):
    """Dollars a million tokens; the keys of Inspect's `--model-cost-config`."""

    model_config = ConfigDict(extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    input_cache_write: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    input_cache_read: float = Field(default=0.0, ge=0, allow_inf_nan=False)


def read_prices(path: str | Path) -> dict[str, ModelCost]:
    """Prices by model from a YAML file, the same that `inspect eval --model-cost-config` takes.

    Args:
        path: the file: each model with `input` and `output` in dollars a million tokens.
    """
    try:
        table = TypeAdapter(dict[str, _Price]).validate_python(read_yaml_file(path))
    except ValidationError as error:
        problems = [
            f"  {one_line(', '.join(map(str, e['loc'])) or 'file')}: {e['msg']}"
            for e in error.errors()
        ]
        raise PriceError(
            f"{path}: {len(problems)} problem(s) (a model's name, then input and output in "
            "dollars a million tokens)\n" + "\n".join(problems)
        ) from None
    return {model: ModelCost(**price.model_dump()) for model, price in table.items()}


def price_of(model: str, table: Mapping[str, ModelCost]) -> tuple[ModelCost | None, str]:
    """A model's price and where it is from; the user's table comes first."""
    if model in table:
        return table[model], "your table"
    info = get_model_info(model)
    if info is not None and info.cost is not None:
        return info.cost, "Inspect's data"
    return None, "no price known"


def reasons(model: str) -> bool:
    """Whether the model thinks before it answers, as far as Inspect's data says."""
    info = get_model_info(model)
    return bool(info is not None and info.reasoning)


def cost_of(price: ModelCost, tokens_in: int, tokens_out: int) -> float:
    """Dollars for so many tokens, without any cache."""
    usage = ModelUsage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out
    )
    return compute_model_cost(price, usage)
