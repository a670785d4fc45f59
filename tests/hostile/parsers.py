"""Every parser of replies by name, each as a function of the text alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial

from askew.papers.binary_qa.builder.rewriting import rewritten_question
from askew.papers.instruction_boundary.option_sets import read_option_set
from askew.papers.instruction_boundary.reading import read_truth
from askew.papers.mathcomp.loose_json import objects_in
from askew.papers.mathcomp.reading import read_comparison
from askew.reading import reply as basics
from askew.reading.choices import read_choice
from askew.reading.formats import FORMATS, ExpectedAnswer, read
from askew.reading.labels import read_label
from askew.reading.literals import LiteralError, read_json, read_python, read_yaml, unfenced
from askew.reading.none import denials, hedges
from askew.reading.yesno import read_yes_no

Parser = Callable[[str], object]

OPTIONS = ("Mara", "A kite", r"\frac{a}{b}", "none-of-them")
LABELS = ("return_by_post", "late_fee", "late_fee_waived?", "extend_loan")


def _or_refused(reads: Parser, text: str) -> object:
    """A literal reader may refuse a text, with its own error only."""
    with contextlib.suppress(LiteralError):
        return reads(text)
    return None


def _in_format(name: str, prompting: str, text: str) -> object:
    fmt = FORMATS[name]
    example = fmt.example.asked
    asked = ExpectedAnswer(
        example.kind, example.choices, example.keys, example.n_elements, prompting
    )
    return read(text, fmt, asked)


PARSERS: Mapping[str, Parser] = {
    "choice": lambda t: read_choice(t, OPTIONS, "Oskar"),
    "label": lambda t: read_label(t, LABELS, "renew_card"),
    "option_set": lambda t: read_option_set(t, OPTIONS),
    "truth": read_truth,
    "yes_no": read_yes_no,
    "rewritten": rewritten_question,
    "comparison": lambda t: read_comparison(t, "Ana", "Bo"),
    "loose_json": objects_in,
    "python": partial(_or_refused, read_python),
    "json": partial(_or_refused, read_json),
    "yaml": partial(_or_refused, read_yaml),
    "unfenced": unfenced,
    "visible": basics.visible,
    "plain": basics.plain,
    "refuses": basics.refuses,
    "folded": basics.folded,
    "unwrapped": lambda t: basics.unwrapped(t, {"answer"}),
    "hedges": hedges,
    "denials": lambda t: list(denials(t)),
    **{
        f"{name} {prompting}": partial(_in_format, name, prompting)
        for name in FORMATS
        for prompting in ("zs", "cot")
    },
}
