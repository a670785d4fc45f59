"""MathComp observations built by hand, and how to look into the chapter made of them."""

from itertools import product

import numpy as np
import pandas as pd

from askew.papers.mathcomp.framings import FRAMINGS
from askew.report.blocks import Table
from askew.report.report import build_report
from askew.report.study import Study
from askew.stats.tables import Interval

QUICK = Interval(resamples=100)
LABELS = ("less", "equal", "more")
POSITIONS = {"begin": "framing first", "end": "framing last"}
CATEGORIES = ("dining", "health_fitness")


def asked(
    answer=lambda row, draw: row["term"] if draw < 0.3 and row["term"] != "none" else row["gold"],
    model="acme/model-1",
    outputs=("one_word",),
    identities=("standard",),
    items=12,
    framings=FRAMINGS,
    **columns,
):
    """MathComp observations of one model; `answer` gets the condition and a draw from 0 to 1."""
    rng = np.random.default_rng(7)
    rows = []
    for i, output, identity, f in product(range(items), outputs, identities, framings):
        row = {
            "model": model, "model_name": model, "task": "mathcomp",
            "subset": CATEGORIES[i % 2], "item": f"i{i}", "unit": f"i{i}", "epoch": 1,
            "style": f.style, "term": f.term, "position": f.position, "output": output,
            "identity": identity, "gold": LABELS[i % 3], "decided_by": "rules",
            "outcome": "ok", "status": "scored", "run": f"run of {model}", "log": "",
            "frames_words": 0.0, "yes_no": 0.0, "frame_echo": 0.0,
            "sample_id": f"i{i}/{f.style}/{f.term}/{f.position}/{output}/{identity}",
        }  # fmt: skip
        said = answer(row, rng.random())
        right = float(said == row["gold"])
        rows.append(
            row
            | {
                "answer": said, "strict_answer": said, "lenient_answer": said, "correct": right,
                "correct_strict": right, "correct_lenient": right,
                "answered": float(said is not None),
            }
            | columns
        )  # fmt: skip
    return pd.DataFrame(rows)


def chapter_of(observations):
    report = build_report(Study(observations), interval=QUICK, transcripts=False)
    (chapter,) = report.chapters
    return chapter


def blocks_of(chapter, kind=Table):
    return {b.id: b for s in chapter.sections for b in s.blocks if isinstance(b, kind)}


def number(table, metric, **levels):
    at = dict.fromkeys(("subset", "output", "identity", "style", "term", "position"), "all")
    rows = table[table["metric"] == metric]
    for level, value in (at | levels).items():
        rows = rows[rows[level] == value]
    (row,) = rows.to_dict("records")
    return row
