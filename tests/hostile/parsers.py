"""Every parser of replies by name, each as a function of the text alone."""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

from askew.papers.instruction_boundary import reading as boundary
from askew.papers.instruction_boundary.paper import BoundaryMeta
from askew.papers.mathcomp.loose_json import objects_in
from askew.papers.mathcomp.reading import read_comparison
from askew.reading import reply as basics
from askew.reading.choices import read_choice, read_label
from askew.reading.formats import FORMATS, read
from askew.reading.literals import LiteralError, read_json, read_python, read_yaml, strip_fence
from askew.reading.none import denials, hedges
from askew.reading.yesno import read_yes_no
from askew_authoring.binary_qa.build import rewritten_question
from askew_authoring.mathcomp.build import pairs_of, row_of

Parser = Callable[[str], object]

OPTIONS = ("Mara", "A kite", r"\frac{a}{b}", "none-of-them")
LABELS = ("return_by_post", "late_fee", "late_fee_waived?", "extend_loan")
OF_PAIRS = {"label": "more", "category": "y"}


def _or_refused(reads: Parser, text: str) -> object:
    """A literal reader may refuse a text, with its own error only."""
    with contextlib.suppress(LiteralError):
        return reads(text)
    return None


def _in_format(name: str, prompting: str, text: str) -> object:
    asked = replace(FORMATS[name].example.asked, prompting=prompting)
    return read(text, FORMATS[name], asked)


def _labelled(labels: str, text: str) -> object:
    """By our rules and the authors', under options that are called so."""
    asked = {"task": "t", "item": "i", "cluster": "i", "subset": "s", "family": "choice"}
    setting = "multi_turn" if labels[0].isdigit() else "miscellany"
    told = {"form": "single", "setting": setting, "truth": "2", "shown": "1,2,3,4"}
    meta = BoundaryMeta.model_validate({**asked, **told, "wording": "authors", "labels": labels})
    return boundary.parse_reply(text, OPTIONS, meta), boundary.parse_as_published(text, meta)


PARSERS: Mapping[str, Parser] = {
    "choice": lambda t: read_choice(t, OPTIONS, "Oskar"),
    "label": lambda t: read_label(t, LABELS, "renew_card"),
    "option_set": lambda t: boundary.read_option_set(t, OPTIONS),
    "truth": boundary.read_truth,
    **{f"labelled {of}": partial(_labelled, of) for of in ("0,1,2,3", "B,C,D,E", "1,2,3,4")},
    "yes_no": read_yes_no,
    "rewritten": rewritten_question,
    "pairs": lambda t: [row_of("x", pair, OF_PAIRS, set()) for pair in pairs_of(t)],
    "comparison": lambda t: read_comparison(t, "Ana", "Bo"),
    "loose_json": objects_in,
    "python": partial(_or_refused, read_python),
    "json": partial(_or_refused, read_json),
    "yaml": partial(_or_refused, read_yaml),
    "unfenced": strip_fence,
    "visible": basics.visible,
    "plain": basics.plain,
    "refuses": basics.refuses,
    "folded": basics.fold,
    "unwrapped": lambda t: basics.unwrap_answer(t, {"answer"}),
    "hedges": hedges,
    "denials": lambda t: list(denials(t)),
    **{" ".join(of): partial(_in_format, *of) for of in product(FORMATS, ("zs", "cot"))},
}
