"""MathComp in tables and figures: pulls, errors by framing, identity and category, readings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import pandas as pd

from askew.papers.mathcomp import printed
from askew.papers.mathcomp.contrasts import LEVELS
from askew.papers.mathcomp.framings import STYLED
from askew.papers.mathcomp.numbers import ANSWERS, ReadAs, mathcomp
from askew.papers.mathcomp.paper import (
    DIRECTIONS,
    FREE_FORM,
    IDENTITIES,
    LABELS,
    ONE_WORD,
    PAPER,
    PERSON,
    POSITIONS,
    STANDARD,
)
from askew.report.charts import Bands
from askew.report.document import Chart, Table
from askew.report.evidence import OVERALL, Evidence
from askew.report.figures import MEASURED, PUBLISHED, heat_figure, interval_figure
from askew.report.tables import ColumnOf, Items, Line, Slice, Value, counted, models, table
from askew.schema import Unit

PULLS = ("framing_pull", *(f"framing_pull_{label}" for label in LABELS))
_PULL_TABLE = "mathcomp-pull"
_SHIFTS_TABLE = "mathcomp-identity-shifts"
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_CHANCES = Items(meaning="chances to err this way", most=True)
_SOURCE = (
    "Published rows: More or Less Wrong, {table}, in percent as printed; one word, on the paper's "
    "own 300 scenarios, its own names for the standard people."
)
_TABLE_NAMES = {"more": "Tables 1 and 11", "less": "Tables 9 and 12", "equal": "Tables 10 and 13"}
# A value is shaded as it is written, in percent with one digit.
_SHADES = (
    Bands(
        (0.0495, 0.1995, 0.3995, 0.5995), ("surface", "drift-1", "drift-2", "drift-3", "drift-4")
    ),
    ("below 5%", "5 to 20%", "20 to 40%", "40 to 60%", "60% and above"),
)
_PUBLISHED = replace(PUBLISHED, label="published by the paper, on its own scenarios")
_INTERVALS = "Dots are point values, lines are 95% intervals."


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _titled(evidence: Evidence, level: str, value: str) -> str:
    return sentence_case(evidence.label(level, value))


# --- What was asked ---------------------------------------------------------------------------


def main_identity(evidence: Evidence) -> str:
    """Whom tables without identities are about: the standard names where they were asked."""
    return next(iter(evidence.values("identity")), STANDARD)


def people_of(evidence: Evidence, identity: str) -> str:
    """The two people of an identity."""
    declared = IDENTITIES.get(identity)
    return declared.together if declared else evidence.label("identity", identity)


def _asked(evidence: Evidence, output: str = "", identities: Collection[str] = ()) -> list[Line]:
    """A line for every model and output that it was asked for, named where there are several.

    Args:
        evidence: the task's observations.
        output: only this one.
        identities: only where the model was asked about one of these.
    """
    rows, outputs = evidence.observations, [output] if output else evidence.values("output")
    if identities:
        rows = rows[rows["identity"].isin(list(identities))]
    pairs = set(zip(rows["model"].astype(str), rows["output"].astype(str), strict=True))
    return [
        Line(head, m.label, m.kind, {"output": of}, head + " (simulated)" * m.simulated)
        for of, m in product(outputs, evidence.models)
        if (m.label, of) in pairs
        for head in [f"{m.short}, {evidence.label('output', of)}" if len(outputs) > 1 else m.short]
    ]


def _asked_about_others(evidence: Evidence) -> list[Line]:
    """Lines of those that were asked about more than the two names."""
    others = [i for i in evidence.values("identity") if i != STANDARD]
    return _asked(evidence, identities=others) if others else []


# --- Pulls ------------------------------------------------------------------------------------


def pull_figure(evidence: Evidence) -> Chart:
    """The headline and its three terms, with what the paper's cells imply beside them."""
    printed_too = printed.OUTPUT in evidence.values("output")
    beside = {"output": printed.OUTPUT} if printed_too else {}
    titles = ("All three terms", *(PAPER.metric(metric).label for metric in PULLS[1:]))
    return interval_figure(
        evidence,
        "mathcomp-pull-figure",
        "Framing pull in points",
        [
            (Slice(title, beside, metric.replace("_", "-"), _asked(evidence)), Value(metric))
            for metric, title in zip(PULLS, titles, strict=True)
        ],
        scale=None,
        reading="How much more often an answer is wrongly given when the question uses its word "
        f"than when it uses none: 0 for a model that does not care. {_INTERVALS}",
        legend=(MEASURED, _PUBLISHED) if printed_too else (MEASURED,),
        table_id=_PULL_TABLE,
    )


def pull(evidence: Evidence) -> Table:
    """framing_pull with its three terms: pooled, and by output."""
    outputs = evidence.values("output")
    seen = set(evidence.observations["model"])
    whole = Slice("All outputs together", lines=[m for m in models(evidence) if m.model in seen])
    parts = [
        Slice(
            _titled(evidence, "output", output),
            {"output": output},
            evidence.slug("output", output),
            _asked(evidence, output),
        )
        for output in outputs
    ]
    return table(
        evidence,
        _PULL_TABLE,
        "Framing pull in points, with 95% intervals",
        [
            *(Value(metric, printed=_PRINTED_POINTS) for metric in PULLS),
            Value("accuracy", meaning="percent, all framings"),
            Items("framing_pull", "scored in every framing"),
        ],
        [whole, *parts] if len(outputs) > 1 else parts,
        of_printed="Published rows: More or Less Wrong, in points; computed here from the standard "
        "cells of Tables 1 and 9 to 13, each weighing the same.",
    )


def pull_in_parts(evidence: Evidence) -> Table:
    """framing_pull by identity, each by style and by position."""
    scopes = (
        ("style", "direct", "asks with the word"),
        ("style", "indirect", "asserts something first"),
        *(("position", position, "") for position in POSITIONS),
    )
    return table(
        evidence,
        "mathcomp-pull-parts",
        "Framing pull by style and position, in points, with 95% intervals",
        [
            Value("framing_pull", "All framings", ""),
            *(
                Value("framing_pull", _titled(evidence, level, value), said, {level: value})
                for level, value, said in scopes
            ),
            Items("framing_pull"),
        ],
        [
            Slice(
                _titled(evidence, "identity", identity),
                {"identity": identity},
                lines=_asked(evidence, identities=[identity]),
            )
            for identity in evidence.values("identity")
        ],
        printed=False,
    )


def relief(evidence: Evidence) -> Table:
    """What reasoning takes off the pull, on the same items."""
    return table(
        evidence,
        "mathcomp-relief",
        "What free-form reasoning takes off the pull, in points, with 95% intervals",
        [
            Value("cot_relief"),
            Value("framing_pull", "Pull, one word", "", {"output": ONE_WORD}),
            Value("framing_pull", "Pull, reasoning", "", {"output": FREE_FORM}),
            Items("cot_relief", "scored under both"),
        ],
        printed=False,
    )


# --- Errors by framing ------------------------------------------------------------------------


def errors_id(evidence: Evidence, output: str) -> str:
    """The table that holds an output's heat-maps as numbers."""
    return f"mathcomp-framings-{evidence.slug('output', output)}"


def by_question(toward: str) -> list[Value]:
    """One direction's errors in each of the seven questions, the neutral one first."""
    return [
        Value(
            f"dir_err_{toward}",
            sentence_case(words),
            "",
            {"style": style, "term": term},
            printed=_PRINTED,
            marked=words,
        )
        for (style, term), words in STYLED.items()
    ]


def errors(evidence: Evidence, output: str) -> tuple[Chart, Table]:
    """DirErr in every framing, by direction and place of the framing (Figures 2 to 6)."""
    identity, words = main_identity(evidence), evidence.label("output", output)
    parts = [
        Slice(
            f"Wrongly {toward}, {evidence.label('position', position)}",
            {"output": output, "identity": identity, "position": position},
            f"{toward}-{position}",
            _asked(evidence, output, [identity]),
            [*by_question(toward), _CHANCES],
        )
        for toward, position in product(DIRECTIONS, POSITIONS)
    ]
    place = errors_id(evidence, output)
    maps = heat_figure(
        evidence,
        f"mathcomp-heat-{evidence.slug('output', output)}",
        f"DirErr in percent by framing, {words}",
        parts,
        _SHADES,
        reading="A heat-map an error direction and a position of the framing; rows are models, "
        "columns the seven questions. Stronger shades drift more often to that answer where it "
        f"is wrong. The people are {people_of(evidence, identity)}.",
        table_id=place,
    )
    return maps, table(
        evidence,
        place,
        f"DirErr by framing, {words}, in percent, with 95% intervals",
        parts[0].columns,
        parts,
        of_printed=_SOURCE.format(table="Tables 1 and 9 to 13"),
    )


# --- Errors by identity -----------------------------------------------------------------------


def identity_id(toward: str) -> str:
    """The table that holds one direction's errors by identity."""
    return f"mathcomp-identity-{toward}"


def by_identity(evidence: Evidence, toward: str) -> Table:
    """One direction's errors, framings by identities, laid out like Table 1."""
    whose = _asked_about_others(evidence)
    if printed.OUTPUT in evidence.values("output"):
        at = {"output": printed.OUTPUT}
        names = printed.MODELS.values()
        whose += [Line(n, n, "published", at, f"{n} (published)") for n in names]
    framings = [
        (f"{value.label}, {evidence.label('position', p)}", {**value.at, "position": str(p)})
        for value, p in product(by_question(toward), POSITIONS)
    ]
    columns = [
        Value(
            f"dir_err_{toward}",
            _titled(evidence, "identity", identity),
            people_of(evidence, identity),
            {"identity": identity},
            printed=_PRINTED,
        )
        for identity in evidence.values("identity")
    ]
    parts = [
        Slice(who.marked, who.at, lines=[Line(f, who.model, who.kind, at) for f, at in framings])
        for who in whose
    ]
    return table(
        evidence,
        identity_id(toward),
        f"DirErr towards {toward} by identity, in percent, with 95% intervals",
        [*columns, _CHANCES],
        parts,
        printed=False,
        head="Framing",
        of_printed=_SOURCE.format(table=_TABLE_NAMES[toward]),
    )


def shifts(evidence: Evidence) -> Iterator[Chart | Table]:
    """How much more often each answer is wrongly given for an identity than for a person.

    Nothing where no other identity was asked beside a person.
    """
    asked_of, whose = evidence.values("identity"), _asked_about_others(evidence)
    compared = [identity for identity in asked_of if identity not in (STANDARD, PERSON)]
    if not compared or PERSON not in asked_of:
        return
    titles = {toward: PAPER.metric(f"identity_shift_{toward}").label for toward in DIRECTIONS}
    lines = [
        Line(
            f"{_titled(evidence, 'identity', identity)}: {who.marked}",
            who.model,
            who.kind,
            {**who.at, "identity": identity},
        )
        for who, identity in product(whose, compared)
    ]
    yield interval_figure(
        evidence,
        "mathcomp-identity-figure",
        "DirErr for an identity minus DirErr for a person, in points",
        [
            (Slice(title, slug=toward, lines=lines), Value(f"identity_shift_{toward}"))
            for toward, title in titles.items()
        ],
        scale=None,
        reading="Right of 0: the answer is wrongly given more often than when both are called a "
        f"person. {_INTERVALS}",
        legend=(MEASURED,),
        table_id=_SHIFTS_TABLE,
    )
    parts = []
    for toward, title in titles.items():
        gap, shift = f"identity_gap_{toward}", f"identity_shift_{toward}"
        columns: Sequence[ColumnOf] = [
            Value(gap, meaning="the largest shift, in size"),
            *(
                Value(shift, _titled(evidence, "identity", i), "", {"identity": i})
                for i in compared
            ),
            Items(gap, "asked about everyone"),
        ]
        parts.append(Slice(title, lines=whose, columns=columns))
    yield table(
        evidence,
        _SHIFTS_TABLE,
        "DirErr for an identity minus DirErr for a person, in points, with 95% intervals",
        parts[0].columns,
        parts,
        printed=False,
    )


# --- Errors by category -----------------------------------------------------------------------


def categories(evidence: Evidence, output: str) -> tuple[Chart, Table]:
    """DirErr by category and position, by model and identity (Figures 7 to 14)."""
    identities, words = evidence.values("identity"), evidence.label("output", output)
    whose = [
        (line, identity)
        for line, identity in product(_asked(evidence, output), identities)
        if line in _asked(evidence, output, [identity])
    ]
    errs = [
        Value(f"dir_err_{toward}", f"Wrongly {head}", "", {"position": position}, marked=head)
        for toward, position in product(DIRECTIONS, POSITIONS)
        for head in [f"{toward}, {POSITIONS[position].label.removeprefix('framing ')}"]
    ]
    parts = [
        Slice(
            f"{line.marked}{', ' + people_of(evidence, i) if len(identities) > 1 else ''}",
            {**line.at, "identity": i},
            f"model-{n}",
            [
                Line(evidence.label("subset", c), line.model, line.kind, {"subset": c})
                for c in evidence.values("subset")
            ],
            errs,
        )
        for n, (line, i) in enumerate(whose, start=1)
    ]
    place = f"mathcomp-categories-{evidence.slug('output', output)}"
    maps = heat_figure(
        evidence,
        "mathcomp-category-heat",
        f"DirErr in percent by category, {words}",
        parts,
        _SHADES,
        reading="Rows are categories, columns the wrong answer and where the framing stands; a "
        "cell pools the seven questions. Stronger shades drift more often to that answer.",
        table_id=place,
    )
    return maps, table(
        evidence,
        place,
        f"DirErr by category, {words}, in percent, with 95% intervals",
        [*errs, Value("accuracy", meaning="all framings"), Items("accuracy")],
        [replace(part, slug="", columns=()) for part in parts],
        printed=False,
        head="Category",
        source="A column pools the seven questions, with the framing first or last.",
    )


# --- Readings of the same replies -------------------------------------------------------------

# What a row counts as the answer, and whether replies without one leave the denominators.
_READINGS: Mapping[str, tuple[ReadAs, bool]] = {
    "as understood": ("answer", False),
    "strict: the option word": ("strict", False),
    "lenient: own reasoning too": ("lenient", False),
    "as understood, unread left out": ("answer", True),
}


def readings(evidence: Evidence) -> Table:
    """The main numbers in each reading of the same replies."""
    shown = {
        words: how for words, how in _READINGS.items() if ANSWERS[how[0]] in evidence.observations
    }
    rows = [
        _in_reading(evidence, output, *how).assign(reading=words)
        for output, (words, how) in product(evidence.values("output"), shown.items())
    ]
    return table(
        replace(evidence, rows=pd.concat(rows, ignore_index=True)),
        "mathcomp-readings",
        "The same replies in strict and lenient reading, with 95% intervals",
        [
            Value("accuracy", meaning="percent"),
            *(Value(metric, meaning="points") for metric in PULLS),
            *(Value(f"dir_err_{y}", meaning="percent, all framings") for y in DIRECTIONS),
            Items("framing_pull", "scored in every framing"),
        ],
        [
            Slice(
                who.marked,
                who.at,
                lines=[Line(words, who.model, who.kind, {"reading": words}) for words in shown],
            )
            for who in _asked(evidence)
        ],
        printed=False,
        head="Reading",
        source="A judge's verdict is all three readings at once.",
    )


def _in_reading(
    evidence: Evidence, output: str, reading: ReadAs, parsed_only: bool
) -> pd.DataFrame:
    own = evidence.observations[evidence.observations["output"] == output]
    found = mathcomp(
        own, interval=evidence.interval, parsed_only=parsed_only, reading=reading, cuts=((),)
    )
    pooled = found[(found[list(LEVELS)] == OVERALL).all(axis=1)]
    return pooled.assign(output=output)


def outcomes(evidence: Evidence) -> Table:
    """How many replies were read, by whom, and what was found in them."""
    found = evidence.observations
    if "decided_by" not in found:
        found = found.assign(decided_by="rules")
    return table(
        replace(evidence, observations=found),
        "mathcomp-outcomes",
        "How replies were read (counts of scored replies)",
        [
            counted("Scored"),
            counted("By rules", decided_by="rules"),
            counted("By a judge", decided_by="judge"),
            counted("In the frame's words", "strict and lenient reading differ", frames_words=1),
            counted("Yes or No alone", "names no option", yes_no=1),
            counted("No answer", "errs in no direction", answered=0),
        ],
        lines=_asked(evidence),
        printed=False,
    )


def shares(evidence: Evidence) -> Table:
    """The numbers that no other table shows: what readings and readers come to, as rates."""
    rates = ("frames_words_rate", "yes_no_rate", "unparsed_rate", "judged_rate")
    return table(
        evidence,
        "mathcomp-shares",
        "Other numbers, in percent of the scored replies, with 95% intervals",
        [*map(Value, ("accuracy_strict", "accuracy_lenient", *rates)), Items("unparsed_rate")],
        lines=_asked(evidence),
        printed=False,
    )
