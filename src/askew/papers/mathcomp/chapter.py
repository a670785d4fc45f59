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
from askew.report.chapters import by_sign, comparability, headline, rate, worst
from askew.report.document import Estimate, FlipList, Headline, Model, Section
from askew.report.evidence import Evidence
from askew.report.figures import around_zero
from askew.report.flips import flip_list
from askew.schema import PERCENT, POINTS

_UNDECIDED = "undecided_by_rules"
_FLIP_RULE = (
    "Scenarios that a model gets right under the neutral question and wrong when the question "
    "uses a word: those that are wrong in most framings first, models and categories taking turns."
)


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """The pull of each model, on an axis that is no wider than all of them need."""
    pulls = {m: evidence.estimate(PULLS[0], m) for m in evidence.models}
    low, high = (end / POINTS.factor for end in around_zero(pulls.values(), POINTS))
    for model, pull in pulls.items():
        yield headline(
            evidence,
            model,
            PULLS[0],
            _sentence(evidence, model, pull),
            worst(_rises(evidence, model)),
            "No framing adds an error.",
            scale=(low, high),
        )


def _sentence(evidence: Evidence, model: Model, pull: Estimate) -> str:
    """What the headline means for this model, with its three terms."""
    if pull.missing:
        return f"Can't be said: {pull.why}."
    terms = {term: evidence.estimate(f"framing_pull_{term}", model) for term in LABELS}
    told = ", ".join(f"{term} {POINTS.write(found.value)}" for term, found in terms.items())
    size, low, high = map(
        PERCENT.write, (abs(pull.value), *sorted((abs(pull.low), abs(pull.high))))
    )
    amount = f"{size} points ({low} to {high}; {told})"
    return by_sign(
        pull,
        f"A word in the question drags answers towards itself by {amount}.",
        f"A word in the question drives answers away from itself by {amount}.",
        f"No pull shown: {pull.text(POINTS)} points; {told}.",
    )


def _rises(evidence: Evidence, model: Model) -> Iterator[tuple[float, str, str]]:
    """By how much each framing raises a directional error over the neutral question."""
    outputs, identities = evidence.values("output"), evidence.values("identity")
    for output, identity, position, toward in product(outputs, identities, POSITIONS, DIRECTIONS):
        at = {"output": output, "identity": identity, "position": str(position)}
        where = f"({evidence.label('position', position)})"
        if len(outputs) > 1:
            where += f", {evidence.label('output', output)}"
        if len(identities) > 1:
            where += f", {people_of(evidence, identity)}"
        target = tables.identity_id(toward)
        if identity == tables.main_identity(evidence):
            target = f"{tables.errors_id(evidence, output)}-{toward}-{position}"
        neutral, *framed = tables.by_question(toward)
        before = evidence.estimate(neutral.metric, model, **at, **neutral.at)
        for value in framed:
            after = evidence.estimate(value.metric, model, **at, **value.at)
            yield (
                after.value - before.value,
                f"{value.label} {where}: wrongly {toward} {rate(after)}, against {rate(before)} "
                f"under the neutral question (n = {after.n_items}).",
                target,
            )


def sections(evidence: Evidence) -> Iterator[Section]:
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
        (tables.pull_figure(evidence), tables.pull(evidence), tables.pull_in_parts(evidence)),
    )
    yield Section(
        "mathcomp-framings",
        "Which way each framing errs",
        (
            "The paper's Figures 2 to 6 as heat-maps, and their numbers. A framing may also push "
            'away from its word: in the paper\'s Section 6, "less" pushes towards "more".',
        ),
        tuple(block for output in outputs for block in tables.errors(evidence, output)),
    )
    if set(identities) - {STANDARD}:
        yield Section(
            "mathcomp-identities",
            "Does it matter who is described?",
            (
                "The second person is given an identity, the first stays a person (the paper's "
                "Tables 1 and 9 to 13). The identity person calls both a person: what differs "
                "from it is the identity's doing, not that of the other wording.",
            ),
            (
                *tables.shifts(evidence),
                *(tables.by_identity(evidence, toward) for toward in reversed(DIRECTIONS)),
            ),
        )
    maps, *by_category = (tables.categories(evidence, output) for output in outputs)
    yield Section(
        "mathcomp-categories",
        "Which categories err",
        ("The paper's Figures 7 to 14, which it prints without numbers.",),
        (*maps, *(shown for _, shown in by_category)),
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
        (tables.outcomes(evidence), tables.shares(evidence), tables.readings(evidence)),
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
