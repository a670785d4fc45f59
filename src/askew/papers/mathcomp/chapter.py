"""MathComp's chapter: how far a word in the question drags answers towards itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from askew.papers.mathcomp import chapter_tables as tables
from askew.papers.mathcomp.chapter_readings import outcomes, readings, shares
from askew.papers.mathcomp.chapter_tables import PULLS, people_of, sentence_case
from askew.papers.mathcomp.framings import STYLED
from askew.papers.mathcomp.paper import (
    DIRECTIONS,
    FREE_FORM,
    LABELS,
    NEUTRAL,
    NO_TERM,
    ONE_WORD,
    PAPER,
    PERSON,
    POSITIONS,
    STANDARD,
)
from askew.papers.mathcomp.printed import OUTPUT
from askew.report.charts import Spec
from askew.report.document import (
    Chapter,
    Chart,
    Estimate,
    FlipList,
    Headline,
    Key,
    Model,
    Panel,
    Section,
    WorstFinding,
)
from askew.report.evidence import Evidence
from askew.report.flips import flip_list
from askew.report.palette import colour
from askew.report.prose import comparability
from askew.report.series_charts import Bands, heat_map
from askew.report.tables import MEASURED, PUBLISHED, Line, Slice, Value, interval_figure, points
from askew.schema import PERCENT, POINTS

# A value is shaded as it is written, in percent with one digit.
_BANDS = Bands(
    (0.0495, 0.1995, 0.3995, 0.5995), ("surface", "drift-1", "drift-2", "drift-3", "drift-4")
)
_BAND_WORDS = ("below 5%", "5 to 20%", "20 to 40%", "40 to 60%", "60% and above")
_LEGEND = tuple(
    Key("bar", colour(shade), said) for shade, said in zip(_BANDS.shades, _BAND_WORDS, strict=True)
)
_PUBLISHED = replace(PUBLISHED, label="published by the paper, on its own scenarios")
# Ends of an axis of differences: the first that holds every interval.
_AXES = (20.0, 40.0, 60.0, 80.0, 100.0)
_UNDECIDED = "undecided_by_rules"
_FLIP_RULE = (
    "Scenarios that a model gets right under the neutral question and wrong when the question "
    "uses a word: those that are wrong in most framings first, models and categories taking turns."
)


def chapter(evidence: Evidence) -> Chapter:
    """All that the report says about MathComp."""
    return Chapter(
        task=PAPER.task,
        title=PAPER.name,
        question=PAPER.question,
        reference=PAPER.reference,
        headlines=tuple(_headline(evidence, m) for m in evidence.models),
        sections=tuple(_sections(evidence)),
    )


def _headline(evidence: Evidence, model: Model) -> Headline:
    pooled = [evidence.number(PULLS[0], m.label, m.kind, {}) for m in evidence.models]
    end = _axis(pooled) / POINTS.factor
    pull = evidence.number(PULLS[0], model.label, model.kind, {})
    return Headline(
        task=PAPER.task,
        title=PAPER.name,
        model=model,
        metric=PULLS[0],
        label=PAPER.metric(PULLS[0]).label,
        estimate=pull,
        unit=POINTS,
        # The same for all models, and no wider than their pulls need.
        scale=(-end, end),
        sentence=_sentence(evidence, model, pull),
        finding=_worst(evidence, model),
        nothing_found="" if pull.missing else "No framing adds an error.",
    )


def _sentence(evidence: Evidence, model: Model, pull: Estimate) -> str:
    """What the headline means for this model, with its three terms."""
    if pull.missing:
        return f"Can't be said: {pull.why}."
    terms = [
        evidence.number(f"framing_pull_{term}", model.label, model.kind, {}) for term in LABELS
    ]
    told = ", ".join(f"{t} {POINTS.write(e.value)}" for t, e in zip(LABELS, terms, strict=True))
    size, low, high = map(
        PERCENT.write, (abs(pull.value), *sorted((abs(pull.low), abs(pull.high))))
    )
    amount = f"{size} points ({low} to {high}; {told})"
    if pull.low > 0:
        return f"A word in the question drags answers towards itself by {amount}."
    if pull.high < 0:
        return f"A word in the question drives answers away from itself by {amount}."
    return f"No pull shown: {pull.text(POINTS)} points; {told}."


def _worst(evidence: Evidence, model: Model) -> WorstFinding | None:
    """The largest rise of a directional error over the neutral question, of all framings."""
    worst = max(_rises(evidence, model), key=lambda rise: rise[0], default=None)
    if worst is None or worst[0] <= 0:
        return None
    _, toward, at, framed, neutral = worst
    where = [f"{STYLED[at['style'], at['term']]} ({evidence.label('position', at['position'])})"]
    if len(evidence.values("output")) > 1:
        where.append(evidence.label("output", at["output"]))
    if len(evidence.values("identity")) > 1:
        where.append(people_of(evidence, at["identity"]))
    target = tables.identity_id(toward)
    if at["identity"] == tables.main_identity(evidence):
        target = f"{tables.errors_id(evidence, at['output'])}-{toward}-{at['position']}"
    return WorstFinding(
        f"{sentence_case(', '.join(where))}: wrongly {toward} {_rate(framed)}, against "
        f"{_rate(neutral)} under the neutral question (n = {framed.n_items}).",
        target,
    )


def _rate(found: Estimate) -> str:
    return f"{PERCENT.write(found.value)}% ({found.interval(PERCENT)})"


def _rises(
    evidence: Evidence, model: Model
) -> Iterator[tuple[float, str, Mapping[str, str], Estimate, Estimate]]:
    """By how much a framing raises a wrong answer over the neutral question, which, and where."""
    factors = [evidence.values(level) for level in ("output", "identity")]
    for output, identity, position, toward in product(*factors, POSITIONS, DIRECTIONS):
        at = {"output": output, "identity": identity, "position": position}
        found = {
            (style, term): evidence.number(
                f"dir_err_{toward}", model.label, model.kind, {**at, "style": style, "term": term}
            )
            for style, term in STYLED
        }
        neutral = found.pop((NEUTRAL, NO_TERM))
        for (style, term), framed in found.items():
            if not (framed.missing or neutral.missing):
                rise = framed.value - neutral.value
                yield rise, toward, {**at, "style": style, "term": term}, framed, neutral


def _sections(evidence: Evidence) -> Iterator[Section]:
    outputs, identities = evidence.values("output"), evidence.values("identity")
    generated = tuple(evidence.data) == ("bundled",)
    seed = " Their seed stands with the runs, in the data's revision." if generated else ""
    shape = "(which word pulls, and how far)"
    yield Section(
        "mathcomp-main",
        "How far a word drags answers",
        (
            "Every scenario is asked in 14 framings: a neutral question with no term, and "
            "questions that use more, less or equal, before or behind its two sentences. The "
            "framing pull is the mean over the three words of DirErr towards the word where the "
            "question uses it, minus DirErr towards it under the neutral question. DirErr is the "
            "share of wrong answers of one kind among all scenarios where that answer is wrong.",
            comparability(evidence.data, shape, "scenarios") + seed,
        ),
        (_pull_figure(evidence), tables.pull(evidence), tables.pull_in_parts(evidence)),
    )
    yield Section(
        "mathcomp-framings",
        "Which way each framing errs",
        (
            "The paper's Figures 2 to 6 as heat-maps, and their numbers. A framing may also push "
            'away from its word: in the paper\'s Section 6, "less" pushes towards "more".',
        ),
        tuple(
            block
            for output in outputs
            for block in (_errors_figure(evidence, output), tables.errors(evidence, output))
        ),
    )
    if set(identities) - {STANDARD}:
        compared = PERSON in identities and tables.compared_identities(evidence)
        shown = (_shifts_figure(evidence), tables.shifts(evidence)) if compared else ()
        yield Section(
            "mathcomp-identities",
            "Does it matter who is described?",
            (
                "The second person is given an identity, the first stays a person (the paper's "
                "Tables 1 and 9 to 13). The identity person calls both a person: what differs "
                "from it is the identity's doing, not that of the other wording.",
            ),
            (*shown, *(tables.by_identity(evidence, y) for y in reversed(DIRECTIONS))),
        )
    yield Section(
        "mathcomp-categories",
        "Which categories err",
        ("The paper's Figures 7 to 14, which it prints without numbers.",),
        (
            _categories_figure(evidence, outputs[0]),
            *(tables.by_category(evidence, output) for output in outputs),
        ),
    )
    if {ONE_WORD, FREE_FORM} <= set(outputs):
        yield Section(
            "mathcomp-relief",
            "Does reasoning help?",
            ("The paper's Section 7 finds that free-form reasoning takes off most of the pull.",),
            (tables.relief(evidence),),
        )
    yield Section(
        "mathcomp-readings",
        "Answered in the frame's words",
        (
            "Asked whether B spends less, a model may rightly conclude that A spends less than B "
            "(the paper's Section 7). As understood, such a conclusion counts for what it says "
            "about B. The strict reading takes the option word whoever it is said of; the lenient "
            "one also lets a bare option be explained by the reply's own reasoning.",
            *_undecided(evidence),
        ),
        (outcomes(evidence), shares(evidence), readings(evidence)),
    )
    flips = _flips(evidence)
    if flips is not None:
        yield Section("mathcomp-items", "Items that flip", (flips.rule,), (flips,))


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


def _flips(evidence: Evidence) -> FlipList | None:
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
        return None
    people = people_of(evidence, identity)
    return flip_list(
        replace(evidence, observations=rows),
        conditions,
        neutral,
        framed,
        names | {c: evidence.label("subset", c) for c in evidence.values("subset")},
        "gold",
        f"{_FLIP_RULE} From {evidence.label('output', output)} prompts about {people}.",
    )


# --- Figures ----------------------------------------------------------------------------------


def _axis(estimates: Sequence[Estimate]) -> float:
    """Where an axis of points ends on both sides, the same for all that stands on it."""
    ends = [abs(v * POINTS.factor) for e in estimates for v in (e.value, e.low, e.high) if v == v]
    return next((axis for axis in _AXES if axis >= max(ends, default=0.0)), _AXES[-1])


def _differences(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    reading: str,
    table_id: str,
    panels: Sequence[tuple[Slice, Value]],
    legend: Sequence[Key],
) -> Chart:
    """Differences with their intervals on one axis around zero."""
    drawn = [p.estimate for s, v in panels for p in points(evidence, v, s.at, s.lines)]
    end = _axis(drawn)
    return interval_figure(
        evidence,
        chart_id,
        caption,
        panels,
        scale=(-end, end),
        reading=reading,
        table_id=table_id,
        legend=legend,
    )


def _pull_figure(evidence: Evidence) -> Chart:
    """The headline and its three terms, with what the paper's cells imply beside them."""
    beside = {"output": OUTPUT} if OUTPUT in evidence.values("output") else {}
    lines = tables.asked(evidence)
    titles = ("All three terms", *(PAPER.metric(metric).label for metric in PULLS[1:]))
    return _differences(
        evidence,
        "mathcomp-pull-figure",
        "Framing pull in points",
        "How much more often an answer is wrongly given when the question uses its word than "
        "when it uses none: 0 for a model that does not care. Dots are point values, lines "
        "are 95% intervals.",
        tables.PULL_TABLE,
        [
            (Slice(title, beside, metric.replace("_", "-"), lines), Value(metric))
            for metric, title in zip(PULLS, titles, strict=True)
        ],
        (MEASURED, _PUBLISHED) if beside else (MEASURED,),
    )


def _shifts_figure(evidence: Evidence) -> Chart:
    """How far each identity moves each answer, with intervals."""
    lines = [
        Line(
            f"{sentence_case(evidence.label('identity', identity))}: {who.marked}",
            who.model,
            who.kind,
            {**who.at, "identity": identity},
        )
        for who, identity in product(
            tables.asked_about_others(evidence), tables.compared_identities(evidence)
        )
    ]
    return _differences(
        evidence,
        "mathcomp-identity-figure",
        "DirErr for an identity minus DirErr for a person, in points",
        "Right of 0: the answer is wrongly given more often than when both are called a "
        "person. Dots are point values, lines are 95% intervals.",
        tables.SHIFTS_TABLE,
        [
            (
                Slice(PAPER.metric(f"identity_shift_{y}").label, slug=y, lines=lines),
                Value(f"identity_shift_{y}"),
            )
            for y in DIRECTIONS
        ],
        (MEASURED,),
    )


def _heat_maps(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    reading: str,
    table_id: str,
    panels: Sequence[tuple[Slice, Mapping[str, Value]]],
) -> Chart:
    """A heat-map a panel: the lines of a slice by columns of numbers."""

    def draw(part: Slice, columns: Mapping[str, Value]) -> Spec:
        found = [
            points(evidence, value, part.at, part.lines, series=words)
            for words, value in columns.items()
        ]
        drawn = [point for row in zip(*found, strict=True) for point in row]
        return heat_map(drawn, list(columns), PERCENT, _BANDS)

    return Chart(
        id=chart_id,
        caption=caption,
        reading=reading,
        legend=_LEGEND,
        panels=tuple(Panel(p.slug, p.title, partial(draw, p, c), wide=True) for p, c in panels),
        simulated=evidence.simulated,
        table_id=table_id,
    )


def _errors_figure(evidence: Evidence, output: str) -> Chart:
    """A heat-map a direction and position: models by framings (Figures 2 to 6)."""
    people = people_of(evidence, tables.main_identity(evidence))
    return _heat_maps(
        evidence,
        f"mathcomp-heat-{evidence.slug('output', output)}",
        f"DirErr in percent by framing, {evidence.label('output', output)}",
        "A heat-map an error direction and a position of the framing; rows are models, "
        "columns the seven questions. Stronger shades drift more often to that answer where it "
        f"is wrong. The people are {people}.",
        tables.errors_id(evidence, output),
        [
            (part, tables.by_question(toward))
            for toward in DIRECTIONS
            for part in tables.errors_at(evidence, output, toward)
        ],
    )


def _categories_figure(evidence: Evidence, output: str) -> Chart:
    """A heat-map a model and identity: categories by directions (Figures 7 to 14)."""
    columns = tables.by_direction_and_position()
    return _heat_maps(
        evidence,
        "mathcomp-category-heat",
        f"DirErr in percent by category, {evidence.label('output', output)}",
        "Rows are categories, columns the wrong answer and where the framing stands; a cell "
        "pools the seven questions. Stronger shades drift more often to that answer.",
        tables.categories_id(evidence, output),
        [(part, columns) for part in tables.categories_at(evidence, output)],
    )
