"""MathComp's tables: pulls, errors by framing, identity and category, and readings of replies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from itertools import product

from askew.papers.mathcomp import printed
from askew.papers.mathcomp.framings import STYLED
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
from askew.report.document import Table
from askew.report.evidence import Evidence
from askew.report.tables import Items, Line, Slice, Value, models, table
from askew.schema import Unit

PULLS = ("framing_pull", *(f"framing_pull_{label}" for label in LABELS))
PULL_TABLE = "mathcomp-pull"
SHIFTS_TABLE = "mathcomp-identity-shifts"
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_SOURCE = (
    "Published rows: More or Less Wrong, {table}, in percent as printed; one word, on the paper's "
    "own 300 scenarios, its own names for the standard people."
)
_PULL_SOURCE = (
    "Published rows: More or Less Wrong, in points; computed here from the standard cells of "
    "Tables 1 and 9 to 13, each weighing the same."
)
_TABLE_NAMES = {"more": "Tables 1 and 11", "less": "Tables 9 and 12", "equal": "Tables 10 and 13"}


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- What was asked ---------------------------------------------------------------------------


def main_identity(evidence: Evidence) -> str:
    """Whom tables without identities are about: the standard names where they were asked."""
    return next(iter(evidence.values("identity")), STANDARD)


def people_of(evidence: Evidence, identity: str) -> str:
    """The two people of an identity."""
    declared = IDENTITIES.get(identity)
    return declared.together if declared else evidence.label("identity", identity)


def asked(
    evidence: Evidence,
    outputs: Iterable[str] = (),
    identities: Collection[str] = (),
    *,
    named: bool = True,
) -> list[Line]:
    """A line for every model and output that it was asked for.

    Args:
        evidence: the task's observations.
        outputs: only these.
        identities: only where the model was asked about one of these.
        named: whether a line says its output where several were asked.
    """
    rows, all_outputs = evidence.observations, evidence.values("output")
    if identities:
        rows = rows[rows["identity"].isin(list(identities))]
    pairs = set(zip(rows["model"].astype(str), rows["output"].astype(str), strict=True))
    lines = []
    for output, model in product(outputs or all_outputs, evidence.models):
        if (model.label, output) in pairs:
            told = named and len(all_outputs) > 1
            head = f"{model.short}, {evidence.label('output', output)}" if told else model.short
            marked = f"{head}{' (simulated)' if model.simulated else ''}"
            lines.append(Line(head, model.label, model.kind, {"output": output}, marked))
    return lines


def asked_about_others(evidence: Evidence) -> list[Line]:
    """Lines of those that were asked about more than the two names."""
    others = [i for i in evidence.values("identity") if i != STANDARD]
    return asked(evidence, identities=others) if others else []


def compared_identities(evidence: Evidence) -> list[str]:
    """The identities that are compared with a person."""
    return [i for i in evidence.values("identity") if i not in (STANDARD, PERSON)]


def errors_at(evidence: Evidence, output: str, toward: str) -> list[Slice]:
    """One direction's errors about the main people, by where the framing stands."""
    identity = main_identity(evidence)
    return [
        Slice(
            f"Wrongly {toward}, {evidence.label('position', position)}",
            {"output": output, "identity": identity, "position": position},
            f"{toward}-{position}",
            asked(evidence, [output], [identity], named=False),
        )
        for position in POSITIONS
    ]


def by_question(toward: str) -> dict[str, Value]:
    """One direction's errors in each of the seven questions."""
    return {
        words: Value(
            f"dir_err_{toward}", sentence_case(words), "", {"style": s, "term": t}, printed=_PRINTED
        )
        for (s, t), words in STYLED.items()
    }


def categories_at(evidence: Evidence, output: str) -> list[Slice]:
    """The categories of one output, for each model and identity that it was asked about."""
    identities = evidence.values("identity")
    told = [
        (line, identity)
        for line, identity in product(asked(evidence, [output], named=False), identities)
        if line in asked(evidence, [output], [identity], named=False)
    ]
    return [
        Slice(
            f"{line.marked}{', ' + people_of(evidence, i) if len(identities) > 1 else ''}",
            {**line.at, "identity": i},
            f"model-{n}",
            [
                Line(evidence.label("subset", c), line.model, line.kind, {"subset": c})
                for c in evidence.values("subset")
            ],
        )
        for n, (line, i) in enumerate(told, start=1)
    ]


def by_direction_and_position() -> dict[str, Value]:
    """Each direction's errors over all questions of a position: "less, first"."""
    return {
        words: Value(f"dir_err_{toward}", f"Wrongly {words}", "", {"position": position})
        for toward, position in product(DIRECTIONS, POSITIONS)
        for words in [f"{toward}, {POSITIONS[position].label.removeprefix('framing ')}"]
    }


def _sourced(shown: Table, source: str) -> Table:
    """The table, with where its printed rows come from if it has any."""
    printed_rows = any(row.kind == "published" for group in shown.groups for row in group.rows)
    return replace(shown, source=source) if printed_rows else shown


def _each_direction(make: Callable[[str], Table]) -> Table:
    """Tables of one direction each, as the groups of one table."""
    tables = [make(toward) for toward in DIRECTIONS]
    return replace(
        tables[0],
        groups=[group for one in tables for group in one.groups],
        notes={mark: note for one in tables for mark, note in one.notes.items()},
    )


# --- Pulls ------------------------------------------------------------------------------------


def pull(evidence: Evidence) -> Table:
    """framing_pull with its three terms: pooled, and by output."""
    outputs = evidence.values("output")
    seen = set(evidence.observations["model"])
    whole = Slice("All outputs together", lines=[m for m in models(evidence) if m.model in seen])
    parts = [
        Slice(
            sentence_case(evidence.label("output", output)),
            {"output": output},
            evidence.slug("output", output),
            asked(evidence, [output], named=False),
        )
        for output in outputs
    ]
    return _sourced(
        table(
            evidence,
            PULL_TABLE,
            "Framing pull in points, with 95% intervals",
            [
                *(Value(metric, printed=_PRINTED_POINTS) for metric in PULLS),
                Value("accuracy", meaning="percent, all framings"),
                Items("framing_pull", "scored in every framing"),
            ],
            [whole, *parts] if len(outputs) > 1 else parts,
        ),
        _PULL_SOURCE,
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
                Value("framing_pull", sentence_case(evidence.label(level, v)), said, {level: v})
                for level, v, said in scopes
            ),
            Items("framing_pull"),
        ],
        [
            Slice(
                sentence_case(evidence.label("identity", identity)),
                {"identity": identity},
                lines=asked(evidence, identities=[identity]),
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


# --- Errors -----------------------------------------------------------------------------------


def errors_id(evidence: Evidence, output: str) -> str:
    """The table that holds an output's heat-maps as numbers."""
    return f"mathcomp-framings-{evidence.slug('output', output)}"


def errors(evidence: Evidence, output: str) -> Table:
    """DirErr in every framing: the numbers of one output's heat-maps."""

    def towards(toward: str) -> Table:
        return table(
            evidence,
            errors_id(evidence, output),
            f"DirErr by framing, {evidence.label('output', output)}, in percent, with 95% "
            "intervals",
            [*by_question(toward).values(), Items(meaning="chances to err this way", most=True)],
            errors_at(evidence, output, toward),
        )

    return _sourced(_each_direction(towards), _SOURCE.format(table="Tables 1 and 9 to 13"))


def identity_id(toward: str) -> str:
    """The table that holds one direction's errors by identity."""
    return f"mathcomp-identity-{toward}"


def by_identity(evidence: Evidence, toward: str) -> Table:
    """One direction's errors, framings by identities, laid out like Table 1."""
    places = [
        (
            f"{sentence_case(words)}, {evidence.label('position', position)}",
            {"style": style, "term": term, "position": position},
        )
        for ((style, term), words), position in product(STYLED.items(), POSITIONS)
    ]
    parts = [
        Slice(who.marked, who.at, lines=[Line(w, who.model, who.kind, at) for w, at in places])
        for who in asked_about_others(evidence)
    ]
    if printed.OUTPUT in evidence.values("output"):
        parts += [
            Slice(
                f"{name} (published)",
                {"output": printed.OUTPUT},
                lines=[Line(words, name, "published", at) for words, at in places],
            )
            for name in printed.MODELS.values()
        ]
    return _sourced(
        table(
            evidence,
            identity_id(toward),
            f"DirErr towards {toward} by identity, in percent, with 95% intervals",
            [
                *(
                    Value(
                        f"dir_err_{toward}",
                        sentence_case(evidence.label("identity", i)),
                        people_of(evidence, i),
                        {"identity": i},
                        printed=_PRINTED,
                    )
                    for i in evidence.values("identity")
                ),
                Items(meaning="chances to err this way", most=True),
            ],
            parts,
            printed=False,
            head="Framing",
        ),
        _SOURCE.format(table=_TABLE_NAMES[toward]),
    )


def shifts(evidence: Evidence) -> Table:
    """How much more often each answer is wrongly given for an identity than for a person."""

    def towards(toward: str) -> Table:
        return table(
            evidence,
            SHIFTS_TABLE,
            "DirErr for an identity minus DirErr for a person, in points, with 95% intervals",
            [
                Value(f"identity_gap_{toward}", meaning="the largest shift, in size"),
                *(
                    Value(
                        f"identity_shift_{toward}",
                        sentence_case(evidence.label("identity", i)),
                        "",
                        {"identity": i},
                    )
                    for i in compared_identities(evidence)
                ),
                Items(f"identity_gap_{toward}", "asked about everyone"),
            ],
            [
                Slice(
                    PAPER.metric(f"identity_shift_{toward}").label,
                    lines=asked_about_others(evidence),
                )
            ],
            printed=False,
        )

    return _each_direction(towards)


def categories_id(evidence: Evidence, output: str) -> str:
    """The table that holds an output's errors by category."""
    return f"mathcomp-categories-{evidence.slug('output', output)}"


def by_category(evidence: Evidence, output: str) -> Table:
    """DirErr by category and identity, over all framings of a position."""
    return table(
        evidence,
        categories_id(evidence, output),
        f"DirErr by category, {evidence.label('output', output)}, in percent, with 95% intervals",
        [
            *by_direction_and_position().values(),
            Value("accuracy", meaning="all framings"),
            Items("accuracy"),
        ],
        [replace(part, slug="") for part in categories_at(evidence, output)],
        printed=False,
        head="Category",
        source="A column pools the seven questions, with the framing first or last.",
    )
