"""The papers' printed results, shipped as reference rows; never mixed with measured ones."""

from __future__ import annotations

from importlib import resources

import pandas as pd


def read_table(package: str, name: str) -> pd.DataFrame:
    """A reference table of a paper's package by its file name, as printed."""
    source = resources.files(package).joinpath("published", name)
    with source.open("r", encoding="utf-8") as lines:
        return pd.read_csv(lines)
