"""MathComp in tables and figures: pulls, errors by framing, identity and category, readings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd

from askew.papers.mathcomp import printed
from askew.papers.mathcomp.contrasts import LEVELS
from askew.papers.mathcomp.framings import STYLED
from askew.papers.mathcomp.numbers import ANSWERS, ReadAs, mathcomp
from askew.papers.mathcomp.paper import (
    DIRECTIONS,
    IDENTITIES,
    LABELS,
    PAPER,
    PERSON,
    POSITIONS,
    STANDARD,
)
from askew.report.chapters import block_words
from askew.report.charts import Bands
from askew.report.document import Chart, Table
from askew.report.evidence import OVERALL, Evidence
from askew.report.figures import MEASURED, PUBLISHED, heat_figure, interval_figure
from askew.report.tables import ColumnOf, Items, Line, Slice, Value, counted, models, table
from askew.schema import Unit

PULLS = ("framing_pull", *(f"framing_pull_{label}" for label in LABELS))
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_CHANCES = Items(meaning="chances to err this way", most=True)
_TABLE_NAMES = {"more": "Tables 1 and 11", "less": "Tables 9 and 12", "equal": "Tables 10 and 13"}
# A value is shaded as it is written, in percent with one digit.
_SHADES = (
    Bands(
        (0.0495, 0.1995, 0.3995, 0.5995), ("surface", "drift-1", "drift-2", "drift-3", "drift-4")
    ),
    ("below 5%", "5 to 20%", "20 to 40%", "40 to 60%", "60% and above"),
)
_PUBLISHED = replace(PUBLISHED, label="published by the paper, on its own scenarios")


def _block(name: str, **filled: str) -> dict[str, Any]:
    """A block as `chapter.yaml` has it: its id, its words, and the columns it always has."""
    told = block_words(PAPER.home, name, **filled)
    if "columns" in told:
        told["columns"] = [_column(**column) for column in told["columns"]]
    return told


def _column(**told: Any) -> ColumnOf:
    if "metric" in told:
        return Value(**told)
    return counted(**told) if "label" in told else Items(**told)


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _titled(evidence: Evidence, level: str, value: str) -> str:
    return sentence_case(evidence.label(level, value))


def main_identity(evidence: Evidence) -> str:
    """Whom tables without identities are about: the standard names where they were asked."""
    return next(iter(evidence.values("identity")), STANDARD)


def people_of(evidence: Evidence, identity: str) -> str:
    """The two people of an identity."""
    declared, rows = IDENTITIES.get(identity), evidence.observations
    if identity == STANDARD and {"person_a", "person_b"} <= set(rows):
        told = rows.loc[rows["identity"] == identity, ["person_a", "person_b"]].drop_duplicates()
        named = [f"{a} and {b}" for a, b in sorted(told.itertuples(index=False, name=None))]
        if named:
            return ", or ".join(named)
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


def pulls(evidence: Evidence) -> Iterator[Chart | Table]:
    """The headline with its three terms, pooled and by output, then identity by identity."""
    outputs = evidence.values("output")
    beside = {"output": printed.OUTPUT} if printed.OUTPUT in outputs else {}
    titles = ("All three terms", *(PAPER.metric(metric).label for metric in PULLS[1:]))
    yield interval_figure(
        evidence,
        panels=[
            (Slice(title, beside, metric.replace("_", "-"), _asked(evidence)), Value(metric))
            for metric, title in zip(PULLS, titles, strict=True)
        ],
        legend=(MEASURED, _PUBLISHED) if beside else (MEASURED,),
        **_block("mathcomp-pull-figure"),
    )
    seen = set(evidence.observations["model"])
    whole = Slice("All outputs together", lines=[m for m in models(evidence) if m.model in seen])
    by_output = [
        Slice(
            _titled(evidence, "output", output),
            {"output": output},
            evidence.slug("output", output),
            _asked(evidence, output),
        )
        for output in outputs
    ]
    yield table(
        evidence,
        columns=[
            *(Value(metric, printed=_PRINTED_POINTS) for metric in PULLS),
            Value("accuracy", meaning="percent, all framings"),
            Items("framing_pull", "scored in every framing"),
        ],
        parts=[whole, *by_output] if len(outputs) > 1 else by_output,
        **_block("mathcomp-pull"),
    )
    yield table(
        evidence,
        parts=[
            Slice(
                _titled(evidence, "identity", identity),
                {"identity": identity},
                lines=_asked(evidence, identities=[identity]),
            )
            for identity in evidence.values("identity")
        ],
        **_block("mathcomp-pull-parts"),
    )


def relief(evidence: Evidence) -> Table:
    """What reasoning takes off the pull, on the same items."""
    return table(evidence, **_block("mathcomp-relief"))


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


def errors(evidence: Evidence, output: str) -> Iterator[Chart | Table]:
    """DirErr in every framing, by direction and place of the framing (Figures 2 to 6)."""
    identity = main_identity(evidence)
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
    at = {"slug": evidence.slug("output", output), "output": evidence.label("output", output)}
    maps = _block("mathcomp-heat-{slug}", people=people_of(evidence, identity), **at)
    numbers = _block("mathcomp-framings-{slug}", **at)
    yield heat_figure(evidence, panels=parts, shades=_SHADES, **maps)
    yield table(evidence, columns=parts[0].columns, parts=parts, **numbers)


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
    return table(
        evidence,
        columns=[*columns, _CHANCES],
        parts=[
            Slice(w.marked, w.at, lines=[Line(f, w.model, w.kind, at) for f, at in framings])
            for w in whose
        ],
        **_block("mathcomp-identity-{toward}", toward=toward, tables=_TABLE_NAMES[toward]),
    )


def shifts(evidence: Evidence) -> Iterator[Chart | Table]:
    """How much more often each answer is wrongly given for an identity than for a person.

    Nothing where no other identity was asked beside a person.
    """
    asked_of, whose = evidence.values("identity"), _asked_about_others(evidence)
    others = [identity for identity in asked_of if identity not in (STANDARD, PERSON)]
    compared = {identity: _titled(evidence, "identity", identity) for identity in others}
    if not compared or PERSON not in asked_of:
        return
    titles = {toward: PAPER.metric(f"identity_shift_{toward}").label for toward in DIRECTIONS}
    lines = [
        Line(f"{title}: {who.marked}", who.model, who.kind, {**who.at, "identity": identity})
        for who, (identity, title) in product(whose, compared.items())
    ]
    yield interval_figure(
        evidence,
        panels=[
            (Slice(title, slug=toward, lines=lines), Value(f"identity_shift_{toward}"))
            for toward, title in titles.items()
        ],
        legend=(MEASURED,),
        **_block("mathcomp-identity-figure"),
    )
    parts = []
    for toward, title in titles.items():
        gap, shift = f"identity_gap_{toward}", f"identity_shift_{toward}"
        columns: Sequence[ColumnOf] = [
            Value(gap, meaning="the largest shift, in size"),
            *(Value(shift, head, "", {"identity": i}) for i, head in compared.items()),
            Items(gap, "asked about everyone"),
        ]
        parts.append(Slice(title, lines=whose, columns=columns))
    yield table(
        evidence, columns=parts[0].columns, parts=parts, **_block("mathcomp-identity-shifts")
    )


def categories(evidence: Evidence, output: str) -> tuple[Chart, Table]:
    """DirErr by category and position, by model and identity (Figures 7 to 14)."""
    identities = evidence.values("identity")
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
    at = {"slug": evidence.slug("output", output), "output": evidence.label("output", output)}
    maps = _block("mathcomp-category-heat", **at)
    return heat_figure(evidence, panels=parts, shades=_SHADES, **maps), table(
        evidence,
        columns=[*errs, Value("accuracy", meaning="all framings"), Items("accuracy")],
        parts=[replace(part, slug="", columns=()) for part in parts],
        **_block("mathcomp-categories-{slug}", **at),
    )


# What a row counts as the answer, and whether replies without one leave the denominators.
_READINGS: Mapping[str, tuple[ReadAs, bool]] = {
    "as understood": ("answer", False),
    "strict: the option word": ("strict", False),
    "lenient: own reasoning too": ("lenient", False),
    "as understood, unread left out": ("answer", True),
}


def readings(evidence: Evidence) -> Iterator[Table]:
    """How replies were read and by whom, then the main numbers in each reading of them."""
    lines, found = _asked(evidence), evidence.observations
    if "decided_by" not in found:
        found = found.assign(decided_by="rules")
    yield table(replace(evidence, observations=found), lines=lines, **_block("mathcomp-outcomes"))
    yield table(evidence, lines=lines, **_block("mathcomp-shares"))
    shown = {
        words: how for words, how in _READINGS.items() if ANSWERS[how[0]] in evidence.observations
    }
    rows = [
        _in_reading(evidence, output, *how).assign(reading=words)
        for output, (words, how) in product(evidence.values("output"), shown.items())
    ]
    yield table(
        replace(evidence, rows=pd.concat(rows, ignore_index=True)),
        parts=[
            Slice(
                who.marked,
                who.at,
                lines=[Line(words, who.model, who.kind, {"reading": words}) for words in shown],
            )
            for who in lines
        ],
        **_block("mathcomp-readings"),
    )


def _in_reading(
    evidence: Evidence, output: str, reading: ReadAs, parsed_only: bool
) -> pd.DataFrame:
    own = evidence.observations[evidence.observations["output"] == output]
    found = mathcomp(
        own, interval=evidence.interval, parsed_only=parsed_only, reading=reading, cuts=((),)
    )
    return found[(found[[*LEVELS]] == OVERALL).all(axis=1)].assign(output=output)
