"""MathComp's chapter: how far a word in the question drags answers towards itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from askew.papers.mathcomp import chapter_tables as tables
from askew.papers.mathcomp.chapter_tables import PULLS, people_of
from askew.papers.mathcomp.framings import STYLED
from askew.papers.mathcomp.paper import (
    DIRECTIONS,
    FREE_FORM,
    LABELS,
    NEUTRAL,
    ONE_WORD,
    POSITIONS,
    STANDARD,
)
from askew.report.chapters import comparability, headline, rate, section, verdict_of, worst
from askew.report.document import Headline, Section
from askew.report.estimates import Estimate, Model
from askew.report.evidence import Evidence
from askew.report.figures import around_zero
from askew.report.flips import flip_list
from askew.report.verdicts import Verdict
from askew.schema import PERCENT, POINTS

_UNDECIDED = "undecided_by_rules"


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """The pull of each model, on an axis that is no wider than all of them need."""
    pulls = {m: evidence.estimate(PULLS[0], m) for m in evidence.models}
    low, high = (end / POINTS.factor for end in around_zero(pulls.values(), POINTS))
    for model, pull in pulls.items():
        of = verdict_of(evidence, model, pull)
        yield headline(
            evidence,
            model,
            PULLS[0],
            _sentence(evidence, model, pull, of),
            worst(_rises(evidence, model), of),
            scale=(low, high),
        )


def _sentence(evidence: Evidence, model: Model, pull: Estimate, of: Verdict) -> str:
    """What the headline means for this model, with its three terms."""
    if pull.missing:
        return f"Can't be said: {pull.why}."
    terms = {term: evidence.estimate(f"framing_pull_{term}", model) for term in LABELS}
    told = ", ".join(f"{term} {POINTS.write(found.value)}" for term, found in terms.items())
    size, low, high = map(
        PERCENT.write, (abs(pull.value), *sorted((abs(pull.low), abs(pull.high))))
    )
    if not of.shown:
        return f"A pull of the question's words: {of.said} ({pull.text(POINTS)} points; {told})."
    drawn = "drags answers towards" if pull.value > 0 else "drives answers away from"
    return f"A word in the question {drawn} itself by {size} points ({low} to {high}; {told})."


def _rises(evidence: Evidence, model: Model) -> Iterator[tuple[Estimate, float, str, str]]:
    """By how much each framing raises a directional error over the neutral question."""
    outputs, identities = evidence.values("output"), evidence.values("identity")
    for output, identity, position, toward in product(outputs, identities, POSITIONS, DIRECTIONS):
        at = {"output": output, "identity": identity, "position": str(position)}
        where = f"({evidence.label('position', position)})"
        if len(outputs) > 1:
            where += f", {evidence.label('output', output)}"
        if len(identities) > 1:
            where += f", {people_of(evidence, identity)}"
        target = f"mathcomp-identity-{toward}"
        if identity == tables.main_identity(evidence):
            target = f"mathcomp-framings-{evidence.slug('output', output)}-{toward}-{position}"
        neutral, *framed = tables.by_question(toward)
        before = evidence.estimate(neutral.metric, model, **at, **neutral.at)
        for value in framed:
            after = evidence.estimate(value.metric, model, **at, **value.at)
            yield (
                after,
                after.value - before.value,
                f"{value.label} {where}: wrongly {toward} {rate(after)}, against {rate(before)} "
                f"under the neutral question (n = {after.n_items}).",
                target,
            )


def sections(evidence: Evidence) -> Iterator[Section]:
    outputs, asked_of = evidence.values("output"), set(evidence.values("identity"))
    generated = tuple(evidence.data) == ("bundled",)
    yield section(
        evidence,
        "mathcomp-main",
        tables.pulls(evidence),
        comparability=comparability(evidence.data, "(which word pulls, and how far)", "scenarios"),
        seed=" Their seed stands with the runs, in the data's revision." if generated else "",
    )
    errors = (block for output in outputs for block in tables.errors(evidence, output))
    yield section(evidence, "mathcomp-framings", errors)
    if asked_of - {STANDARD}:
        by_identity = (tables.by_identity(evidence, toward) for toward in reversed(DIRECTIONS))
        yield section(evidence, "mathcomp-identities", (*tables.shifts(evidence), *by_identity))
    maps, *by_category = (tables.categories(evidence, output) for output in outputs)
    yield section(evidence, "mathcomp-categories", (*maps, *(shown for _, shown in by_category)))
    if {ONE_WORD, FREE_FORM} <= set(outputs):
        yield section(evidence, "mathcomp-relief", (tables.relief(evidence),))
    readings = section(evidence, "mathcomp-readings", tables.readings(evidence))
    yield replace(readings, paragraphs=(*readings.paragraphs, *_undecided(evidence)))
    yield from _flips(evidence)


def _undecided(evidence: Evidence) -> Iterator[str]:
    """How many free-form replies stand in no number because nobody decided them."""
    if evidence.losses is None:
        return
    mine = evidence.losses[evidence.losses["what"] == "unscored"]
    open_ones = mine[mine["why"].str.contains(_UNDECIDED, regex=False)]
    counts = open_ones.groupby("model", sort=False)["count"].sum()
    told = [f"{counts[m.label]} of {m.short}" for m in evidence.models if m.label in counts.index]
    if told:
        yield (
            f"Left out of every number: {', '.join(told)}, free-form replies that the rules could "
            "not decide while no judge was bound."
        )


def _flips(evidence: Evidence) -> Iterator[Section]:
    """Flips of the first output and identity that were asked, which pair by framing alone."""
    output, identity = evidence.values("output")[0], tables.main_identity(evidence)
    rows = evidence.observations
    rows = rows[(rows["output"] == output) & (rows["identity"] == identity)]
    conditions = rows["style"] + "/" + rows["term"] + "/" + rows["position"]
    places = [(s, t, p) for p in reversed([*POSITIONS]) for s, t in reversed([*STYLED])]
    names = {
        f"{s}/{t}/{p}": f"{STYLED[s, t]}, {evidence.label('position', p)}" for s, t, p in places
    }
    framed = [n for n in names if not n.startswith(f"{NEUTRAL}/")]
    neutral = next((n for n in names if n not in framed and (conditions == n).any()), "")
    if not neutral:
        return
    asked = f"{evidence.label('output', output)} prompts about {people_of(evidence, identity)}"
    told = section(evidence, "mathcomp-items", (), asked=asked)
    names |= {c: evidence.label("subset", c) for c in evidence.values("subset")}
    own, rule = replace(evidence, observations=rows), told.paragraphs[0]
    found = flip_list(own, conditions, neutral, framed, names, "gold", rule)
    yield replace(told, blocks=(found,))
