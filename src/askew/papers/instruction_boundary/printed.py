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
from askew.report.evidence import apply_errata, read_table

_SETTINGS: Mapping[str, str] = {"few_shot_learning": "few_shot"}
_COLUMNS: Mapping[Family, Mapping[str, str]] = {
    "judging": {"acc": "judging_acc", "sr": "sr1", "gr": "gr1"},
    "choice": {"acc": "choice_acc", "sr": "sr2", "gr_none": "gr2_none", "gr_multi": "gr3_multi"},
}
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
    told = apply_errata(pd.DataFrame([*_main_results(), *_output_rates()]), __package__)
    by_options = read_table(__package__, "choice_number.csv").melt("model", var_name="variant")
    by_options = by_options.assign(metric="acc", family="choice", setting=MISCELLANY)
    by_options = by_options.assign(source="table of accuracy by choice numbers", note=_ANYWHERE)
    # Shares of replies that the paper's judge read.
    judged = read_table(__package__, "judge_usage.csv").melt("model", JUDGE_SETTINGS, "setting")
    judged = judged.assign(metric="judge_rate", source="Table 7")
    table = pd.concat([told, _costs(told), by_options, judged], ignore_index=True)
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
    for row in read_table(__package__, "table3.csv").to_dict("records"):
        raw = str(row["setting"])
        setting = _SETTINGS.get(raw, raw)
        for family, columns in _COLUMNS.items():
            seen = {metric: float(row[column]) for metric, column in columns.items()}
            rates = [value for metric, value in seen.items() if metric != "acc"]
            judging = family == "judging"
            computed = round(robustness_score(*rates), 2)
            seen["rs"] = float(str(printed.loc[row["model"], raw])) if judging else computed
            for variant in _variants(family, setting):
                for metric, value in seen.items():
                    yield {
                        "family": family, "setting": setting, "variant": variant,
                        "model": row["model"], "metric": metric, "value": value,
                        "note": "" if judging else _BENT.get(metric, ""), "source": "Table 3",
                    }  # fmt: skip


def _costs(rows: pd.DataFrame) -> pd.DataFrame:
    """RS under vanilla, and how far the worst setting lies below it, by family and model."""
    at = ["model", "family"]
    scores = rows[rows["metric"] == "rs"].pivot_table(
        index=at, columns="setting", values="value", sort=False
    )
    vanilla, worst = scores[VANILLA], scores.drop(columns=VANILLA).min(axis=1)
    made = pd.DataFrame({"rs_vanilla": vanilla, "boundary_cost": vanilla - worst})
    long = made.reset_index().melt(at, var_name="metric").assign(source="Table 3")
    return long.assign(note=long["family"].map({"choice": _INHERITED}))


def _output_rates() -> Iterator[dict[str, Any]]:
    """Shares of judging's labels; the heads of the three choice columns did not survive."""
    for row in read_table(__package__, "output_rate.csv").to_dict("records"):
        for label in FAMILIES["judging"].forms:
            yield {
                "metric": f"or_{label}", "family": "judging", "setting": VANILLA, "variant": "",
                "model": row["model"], "value": row[f"judging_{label}"],
                "source": "table of output rates",
            }  # fmt: skip
