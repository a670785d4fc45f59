"""The paper's printed results as rows of the metric table, by their own definitions.

What bends them stands beside them as a note, and where our prompts manipulate something else than
the authors' did, the printed numbers stand beside their wording only.
"""

from __future__ import annotations

from functools import lru_cache, partial

import pandas as pd

from askew.files import toml_of
from askew.papers.instruction_boundary.authors import theirs
from askew.papers.instruction_boundary.numbers import robustness_score
from askew.papers.instruction_boundary.paper import FAMILIES, MISCELLANY, SETTINGS, VANILLA, Family
from askew.report.evidence import apply_errata, read_table

# Settings of choice in which our prompts change something else than the authors' do.
_OTHER_HERE = ("multi_turn", "few_shot", "prompt_polishing")
_NOTES = toml_of(__package__, "published/notes.toml")


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number: metric, family, setting, variant, model, value, note and source."""
    told = apply_errata(pd.concat([*map(_main_results, FAMILIES), _output_rates()]), __package__)
    by_options = read_table(__package__, "choice_number.csv").melt("model", var_name="variant")
    by_options = by_options.assign(metric="acc", family="choice", setting=MISCELLANY)
    by_options = by_options.assign(
        source="table of accuracy by choice numbers", note=_NOTES["by_options"]
    )
    # Shares of replies that the paper's judge read, in settings whose names did not survive.
    judged = read_table(__package__, "judge_usage.csv").melt("model", var_name="setting")
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
    notes = (printed["note"] + " " + _NOTES["their_words"]).str.strip()
    return printed.assign(note=printed["note"].mask(other, notes))


def _variants(family: Family, setting: str) -> tuple[str, ...]:
    """The variants that the paper's results are of; of judging its polisher was some model."""
    own = SETTINGS[setting].variants.get(family, ("",))
    told = theirs(setting, family)
    every = own if SETTINGS[setting].parameter == "polish" else own[:1]
    return every if told is None else (told,)


def _main_results(family: Family) -> pd.DataFrame:
    """Table 3. RS of judging is printed, that of choice is computed."""
    wide = read_table(__package__, f"table3_{family}.csv")
    if family == "choice":
        rates = wide[list(FAMILIES[family].rates)].itertuples(index=False)
        wide["rs"] = [round(robustness_score(*values), 2) for values in rates]
    long = wide.melt(["model", "setting"], var_name="metric")
    long["note"] = long["metric"].map(_NOTES).fillna("") if family == "choice" else ""
    long["variant"] = long["setting"].map(partial(_variants, family))
    return long.explode("variant").assign(family=family, source="Table 3")


def _costs(rows: pd.DataFrame) -> pd.DataFrame:
    """RS under vanilla, and how far the worst setting lies below it, by family and model."""
    at = ["model", "family"]
    scores = rows[rows["metric"] == "rs"].pivot_table(
        index=at, columns="setting", values="value", sort=False
    )
    vanilla, worst = scores[VANILLA], scores.drop(columns=VANILLA).min(axis=1)
    made = pd.DataFrame({"rs_vanilla": vanilla, "boundary_cost": vanilla - worst})
    long = made.reset_index().melt(at, var_name="metric").assign(source="Table 3")
    return long.assign(note=long["family"].map({"choice": _NOTES["rs"]}))


def _output_rates() -> pd.DataFrame:
    """Shares of judging's labels; the heads of the three choice columns did not survive."""
    wide = read_table(__package__, "output_rate.csv")
    shown = {f"judging_{label}": f"or_{label}" for label in FAMILIES["judging"].forms}
    long = wide.rename(columns=shown).melt("model", list(shown.values()), "metric")
    at = {"family": "judging", "setting": VANILLA, "variant": ""}
    return long.assign(source="table of output rates", **at)
