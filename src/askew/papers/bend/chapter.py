"""bend's chapter: what each treatment does to the author's score, against its noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from askew.papers.bend.paper import PAPER, PLAIN, REPEAT
from askew.report.chapters import block_words, by_sign, headline, rate, section, worst
from askew.report.document import Block, Headline, Model, Section
from askew.report.evidence import Evidence
from askew.report.figures import interval_figure
from askew.report.flips import flip_list
from askew.report.tables import ColumnOf, Items, Line, Slice, Value, models, table
from askew.schema import PERCENT, POINTS, Unit

_words = partial(block_words, PAPER.home)
_LOSS = Unit("points", 100.0)
_RIGHT = 0.5


def headlines(evidence: Evidence) -> Iterator[Headline]:
    for model in evidence.models:
        said, finding = _sentence(evidence, model), worst(_losses(evidence, model))
        nothing = "No treatment is shown to lower the score."
        yield headline(evidence, model, "worst_effect", said, finding, nothing)


def _sentence(evidence: Evidence, model: Model) -> str:
    plain, loss, noise = (
        evidence.estimate("score", model, arm=PLAIN),
        evidence.estimate("worst_effect", model),
        evidence.estimate("noise", model),
    )
    if loss.missing:
        return f"Can't be said: {loss.why}."
    told = by_sign(
        loss,
        f"a treatment lowers it by {_LOSS.write(loss.value)} points ({loss.interval(_LOSS)})",
        "every treatment raises it",
        f"no treatment is shown to lower it (the largest loss: {loss.interval(POINTS)} points)",
    )
    asked_again = (
        f"; asked the same again, {PERCENT.write(noise.value)}% of the scores differ"
        if not noise.missing
        else ""
    )
    return f"The plain score is {rate(plain)}: {told}{asked_again}."


def _losses(evidence: Evidence, model: Model) -> Iterator[tuple[float, str, str]]:
    """By how much each arm lowers the score, where it is shown to."""
    for arm in _arms(evidence):
        effect = evidence.estimate("effect", model, arm=arm)
        if effect.high < 0:
            yield (
                -effect.value,
                f"{arm}: {POINTS.write(effect.value)} points ({effect.interval(POINTS)}, "
                f"n = {effect.n_items}).",
                "bend-effects-table",
            )


def _arms(evidence: Evidence, *treatments: str) -> list[str]:
    """The arms that were asked beside the plain question, those of some treatments."""
    rows = evidence.observations
    if treatments:
        rows = rows[rows["treatment"].isin(treatments)]
    asked = set(map(str, rows["arm"]))
    return [a for a in evidence.values("arm") if a in asked and a != PLAIN]


def sections(evidence: Evidence) -> Iterator[Section]:
    yield section(evidence, "bend-effects", _effects(evidence))
    told: Sequence[tuple[str, tuple[str, ...], Sequence[ColumnOf], Sequence[ColumnOf]]] = (
        ("bend-absent", ("absent", "none_offered"), (), (Value("omni_accuracy"),)),
        ("bend-suggestion", ("suggestion",), (Value("moved_rate"),), ()),
        ("bend-formats", ("format",), (Value("fi"), Value("est_true")), (Value("bias_f"),)),
        (
            "bend-tools",
            ("tool_order", "tool_absent", "tool_wording", "tool_result"),
            (Value("gave_up"),),
            (),
        ),
    )
    for name, treatments, each, over in told:
        if arms := _arms(evidence, *treatments):
            yield section(evidence, name, _of_treatment(evidence, name, arms, each, over))
    if lowered := [a for a in _arms(evidence) if a != REPEAT]:
        observed = evidence.observations
        right = observed.assign(correct=(observed["score"] >= _RIGHT).astype(float))
        rule = (
            "Items that score at least half plain and less under a treatment; those that fall "
            "under most treatments first."
        )
        flips = flip_list(
            replace(evidence, observations=right), right["arm"], PLAIN, lowered, {}, "", rule
        )
        yield section(evidence, "bend-items", [flips])


def _effects(evidence: Evidence) -> Iterator[Block]:
    """The effect of every arm, as a figure and as a table."""
    arms = _arms(evidence)
    yield interval_figure(
        evidence,
        panels=[(Slice(arm, {"arm": arm}), Value("effect")) for arm in arms],
        **_words("bend-effects-figure"),
    )
    yield table(
        evidence,
        columns=[
            Value("score"), Value("effect"), Value("hurt"), Value("helped"), Value("flips"),
            Value("beyond_noise"), Value("kept"), Items("effect", "plain and in the arm"),
        ],
        parts=_by_model(evidence, [PLAIN, *arms]),
        printed=False,
        head="arm",
        **_words("bend-effects-table"),
    )  # fmt: skip
    yield table(
        evidence,
        columns=[Value("worst_effect"), Value("noise"), Items("worst_effect", "in every arm")],
        printed=False,
        **_words("bend-worst-table"),
    )


def _of_treatment(
    evidence: Evidence,
    name: str,
    arms: Sequence[str],
    each: Sequence[ColumnOf],
    over: Sequence[ColumnOf],
) -> Iterator[Block]:
    yield table(
        evidence,
        columns=[Value("score"), *each, Value("effect"), Items("effect")],
        parts=_by_model(evidence, arms),
        printed=False,
        head="arm",
        **_words(f"{name}-table"),
    )
    if over:
        yield table(evidence, columns=list(over), printed=False, **_words(f"{name}-over"))


def _by_model(evidence: Evidence, arms: Sequence[str]) -> list[Slice]:
    """A group a model, its arms as rows."""
    return [
        Slice(
            line.head,
            lines=[Line(evidence.label("arm", a), line.model, line.kind, {"arm": a}) for a in arms],
        )
        for line in models(evidence)
    ]
