"""Which of the paper's printed results mean what was asked.

Where our prompts manipulate something else than the authors' did, the printed numbers stand beside
their wording only.
"""

from __future__ import annotations

import pandas as pd

from askew.files import toml_of

# Settings of choice in which our prompts change something else than the authors' do.
_OTHER_HERE = ("multi_turn", "few_shot", "prompt_polishing")
_NOTES = toml_of(__package__, "published/notes.toml")


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
