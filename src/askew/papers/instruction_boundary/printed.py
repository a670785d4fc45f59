"""The paper's printed results as rows of the metric table, by their own definitions.

What bends them stands beside them as a note, and where our prompts manipulate something else than
the authors' did, the printed numbers stand beside their wording only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import pandas as pd

from askew.papers.instruction_boundary.authors import theirs
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
# Settings of choice in which our prompts change something else than the authors' do.
_OTHER_HERE = ("multi_turn", "few_shot", "prompt_polishing")
_COUNTED = (
    "An artefact of counting: the authors' key counts options from 0, these questions' options "
    'carry no numbers, and the prompt\'s example is "1, 3". Right answers counted from 1 score 0 '
    "of 150 there, counted from 0 150 of 150."
)
_INHERITED = "Made with GR several, an artefact of counting: right answers counted from 1 score 0."
_ANYWHERE = (
    'Inflated: the right letter anywhere in a reply, put in capitals, counts as right; "A" is in '
    "nearly every sentence."
)
_BENT = {"gr_multi": _COUNTED, **dict.fromkeys(("acc", "rs"), _INHERITED)}
_THEIR_WORDS = "Compare with wording=authors only: askew's own prompt changes something else."
JUDGE_SETTINGS = tuple(f"s{n}" for n in range(1, 8))
"""The settings of the paper's judge: their names did not survive."""


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number: metric, family, setting, variant, model, value, note and source."""
    told = pd.DataFrame([*_main_results(), *_output_rates()])
    by_options = read_table(__package__, "choice_number.csv").melt("model", var_name="variant")
    by_options = by_options.assign(metric="acc", family="choice", setting=MISCELLANY)
    by_options = by_options.assign(source="table of accuracy by choice numbers", note=_ANYWHERE)
    # Shares of replies that the paper's judge read.
    judged = read_table(__package__, "judge_usage.csv").melt("model", JUDGE_SETTINGS, "setting")
    judged = judged.assign(metric="judge_rate", source="Table 7")
    table = pd.concat([told, by_options, judged], ignore_index=True)
    return table.assign(value=table["value"] / 100, note=table["note"].fillna(""))


def beside(printed: pd.DataFrame, observations: pd.DataFrame) -> pd.DataFrame:
    """The printed numbers that mean what was asked.

    Where only askew's prompts were, choice has none in settings that change something else, and
    no cost of the worst of them; beside both wordings these are marked.
    """
    asked = observations["wording"] if "wording" in observations else pd.Series(dtype=object)
    other = printed["setting"].isin(_OTHER_HERE) | (printed["metric"] == "boundary_cost")
    other &= printed["family"] == "choice"
    if not (asked == "authors").any():
        return printed[~other]
    if not asked.isna().any():
        return printed
    notes = (printed["note"] + " " + _THEIR_WORDS).str.strip()
    return printed.assign(note=printed["note"].mask(other, notes))


def _variants(family: Family, setting: str) -> tuple[str, ...]:
    """The variants that the paper's results are of; of judging its polisher was some model."""
    own = SETTINGS[setting].variants.get(family, ("",))
    told = theirs(setting, family)
    every = own if SETTINGS[setting].parameter == "polish" else own[:1]
    return every if told is None else (told,)


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
            if family == "choice":
                notes |= {m: f"{notes.get(m, '')} {why}".strip() for m, why in _BENT.items()}
            scores.setdefault((family, model), {})[setting] = seen["rs"]
            for variant in _variants(family, setting):
                at = {"family": family, "setting": setting, "variant": variant, "model": model}
                for metric, value in seen.items():
                    number = {"metric": metric, "value": value, "note": notes.get(metric, "")}
                    yield {**at, **number, "source": "Table 3"}
    for (family, model), by_setting in scores.items():
        cost = by_setting[VANILLA] - min(v for s, v in by_setting.items() if s != VANILLA)
        at = {"family": family, "model": model, "source": "Table 3"}
        at["note"] = _INHERITED if family == "choice" else ""
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
