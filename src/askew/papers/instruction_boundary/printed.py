"""The paper's printed results as rows of the metric table, by their own definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import pandas as pd

from askew.papers.instruction_boundary.numbers import robustness_score
from askew.papers.instruction_boundary.paper import FAMILIES, MISCELLANY, SETTINGS, VANILLA, Family
from askew.report.evidence import read_table

# Printed with two digits; under vagueness the choice columns have one.
_ROUNDING = 0.05
_SETTINGS: Mapping[str, str] = {"few_shot_learning": "few_shot"}
_COLUMNS: Mapping[Family, Mapping[str, str]] = {
    "judging": {"acc": "judging_acc", "sr": "sr1", "gr": "gr1"},
    "choice": {"acc": "choice_acc", "sr": "sr2", "gr_none": "gr2_none", "gr_multi": "gr3_multi"},
}
# Its choice rates are shares of 33, 33 and 34 items, of which the accuracy is a weighted mean.
_HUNDRED_ITEMS = ("gemini-2.0-flash", "choice")
# One digit short: the three shares of a model's answers sum to 100 with it.
_FALSE_SLIP = ("GPT-4o", "false", 0.06, 0.63)
JUDGE_SETTINGS = tuple(f"s{n}" for n in range(1, 8))
"""The settings of the paper's judge: their names did not survive."""


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number: metric, family, setting, variant, model, value, note and source."""
    told = pd.DataFrame([*_main_results(), *_output_rates()])
    by_options = read_table(__package__, "choice_number.csv").melt("model", var_name="variant")
    by_options = by_options.assign(metric="acc", family="choice", setting=MISCELLANY)
    by_options["source"] = "table of accuracy by choice numbers"
    # Shares of replies that the paper's judge read.
    judged = read_table(__package__, "judge_usage.csv").melt("model", JUDGE_SETTINGS, "setting")
    judged = judged.assign(metric="judge_rate", source="Table 7")
    table = pd.concat([told, by_options, judged], ignore_index=True)
    return table.assign(value=table["value"] / 100, note=table["note"].fillna(""))


def _main_results() -> Iterator[dict[str, Any]]:
    """Table 3 with the printed RS beside it. RS of choice is not printed: it is computed."""
    printed = read_table(__package__, "robustness_score.csv").set_index("model")
    scores: dict[tuple[Family, str], dict[str, float]] = {}
    for row in read_table(__package__, "table3.csv").to_dict("records"):
        model, raw = str(row["model"]), str(row["setting"])
        setting = _SETTINGS.get(raw, raw)
        for family, columns in _COLUMNS.items():
            seen = {metric: float(row[column]) for metric, column in columns.items()}
            rates = [value for metric, value in seen.items() if metric != "acc"]
            defined = {"acc": sum(rates) / len(rates), "rs": round(robustness_score(*rates), 2)}
            seen["rs"] = (
                float(str(printed.loc[model, raw])) if family == "judging" else defined["rs"]
            )
            notes = {
                metric: _note(family, setting, model, metric, seen[metric], by_parts)
                for metric, by_parts in defined.items()
                if abs(seen[metric] - by_parts) > _ROUNDING
            }
            if (model, family) != _HUNDRED_ITEMS:
                seen |= {metric: round(defined[metric], 2) for metric in notes}
            scores.setdefault((family, model), {})[setting] = seen["rs"]
            for variant in SETTINGS[setting].printed_variants(family):
                at = {"family": family, "setting": setting, "variant": variant, "model": model}
                for metric, value in seen.items():
                    number = {"metric": metric, "value": value, "note": notes.get(metric, "")}
                    yield {**at, **number, "source": "Table 3"}
    for (family, model), by_setting in scores.items():
        cost = by_setting[VANILLA] - min(v for s, v in by_setting.items() if s != VANILLA)
        at = {"family": family, "model": model, "source": "Table 3"}
        yield {**at, "metric": "rs_vanilla", "value": by_setting[VANILLA]}
        yield {**at, "metric": "boundary_cost", "value": cost}


def _note(
    family: Family, setting: str, model: str, metric: str, printed: float, by_parts: float
) -> str:
    where = f"{SETTINGS[setting].label}, {model}"
    parts = "its SR and GR" if family == "judging" else "its three rates"
    if (model, family) == _HUNDRED_ITEMS:
        return (
            f"{where}: as printed. The mean of {parts} is {by_parts:.2f}; the rates are shares of "
            "33, 33 and 34 items, of which the print is the accuracy."
        )
    mean = "harmonic mean" if metric == "rs" else "mean"
    return (
        f"{where}: printed {printed:.2f}, which is not the {mean} of {parts}; shown is what they "
        f"give, {by_parts:.2f}."
    )


def _output_rates() -> Iterator[dict[str, Any]]:
    """Shares of judging's labels; the heads of the three choice columns did not survive."""
    for row in read_table(__package__, "output_rate.csv").to_dict("records"):
        model = str(row["model"])
        for label in FAMILIES["judging"].forms:
            value, note = float(row[f"judging_{label}"]), ""
            if (model, label, value) == _FALSE_SLIP[:3]:
                note = (
                    f"{model}: printed {value:.2f}, with which its three shares sum to 99.4; shown "
                    "is what makes them sum to 100."
                )
                value = _FALSE_SLIP[3]
            yield {
                "metric": f"or_{label}", "family": "judging", "setting": VANILLA, "variant": "",
                "model": model, "value": value, "note": note, "source": "table of output rates",
            }  # fmt: skip
