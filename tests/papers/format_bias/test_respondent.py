"""Respondents write every format, and what is planted in `sloppy` is found again."""

from dataclasses import replace

import pandas as pd
import pytest

from askew.papers.format_bias.paper import FormatBiasMeta
from askew.papers.format_bias.respondent import TENDENCIES, reply, score_when_wrong
from askew.papers.format_bias.scorer import expected_of, rightness
from askew.papers.format_bias.tasks import format_bias
from askew.reading.formats import FORMATS, read


def observe(name, **selection):
    """Observations of a respondent, without the machinery of a run."""
    rows = []
    for sample in format_bias(**selection).dataset:
        meta = FormatBiasMeta(**sample.metadata)
        choices = sample.choices or []
        truth = {**sample.metadata, "sample_id": sample.id, "epoch": 1}
        truth |= {"choices": choices, "target": sample.target}
        text = reply(truth, TENDENCIES[name], name, seed=0)
        reading = read(text, FORMATS[meta.format], expected_of(meta, choices))
        right = rightness(reading.value, sample.target, meta)
        rows.append(
            {
                **sample.metadata, "model": name, "epoch": 1, "format_ok": float(reading.format_ok),
                "score": right, "target": sample.target,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def sloppy():
    return observe("sloppy")


def test_the_oracle_is_right_in_every_format():
    rows = observe("oracle", items=30)
    assert rows["format_ok"].all()
    assert (rows["score"] == 1).all()


def test_wordy_prose_breaks_only_formats_that_allow_none():
    rows = observe("chatty", items=30)
    fi = rows.groupby(["format", "prompting"])["format_ok"].mean()
    for name in ("special_character", "brackets", "parentheses", "placeholder", "quoting"):
        assert fi[name, "zs"] == fi[name, "cot"] == 1
    # YAML is left out: prose that ends in a colon is a key of it.
    for name in ("char", "text", "python", "json"):
        assert (fi[name, "zs"], fi[name, "cot"]) == (0, 1)
    # Markdown in the reasoning is a second match.
    assert fi["bolding", "cot"] == fi["italicizing", "cot"] == 0


def test_a_wrong_ranking_scores_what_the_worst_one_does():
    rows = observe("random", subset="scidocsrr", format="python")
    wrong = replace(TENDENCIES["random"], guesses=False)
    for sample in format_bias(subset="scidocsrr", format="python", prompting="zs").dataset:
        truth = {**sample.metadata, "sample_id": sample.id, "epoch": 1, "choices": []}
        truth["target"] = sample.target
        meta = FormatBiasMeta(**sample.metadata)
        reading = read(reply(truth, wrong, "x", 0), FORMATS["python"], expected_of(meta, []))
        right = rightness(reading.value, sample.target, meta)
        assert right == pytest.approx(score_when_wrong(truth))
        assert 0 < right < 0.6
    assert rows["score"].mean() > 0.3
