"""bend's chapter: what each treatment does to the author's score, against its noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from askew.papers.bend.paper import PAPER, PLAIN, REPEAT, UNKNOWABLE
from askew.report.chapters import block_words, headline, rate, section, verdict_of, worst
from askew.report.document import Block, Headline, Section
from askew.report.estimates import Estimate, Model
from askew.report.evidence import Evidence
from askew.report.figures import MEASURED, interval_figure
from askew.report.flips import flip_list
from askew.report.tables import ColumnOf, Items, Line, Slice, Value, models, table
from askew.report.verdicts import Verdict
from askew.schema import PERCENT, POINTS, Unit

_words = partial(block_words, PAPER.home)
_LOSS = Unit("points", 100.0)
_RIGHT = 0.5


def headlines(evidence: Evidence) -> Iterator[Headline]:
    for model in evidence.models:
        of = verdict_of(evidence, model, evidence.estimate("worst_effect", model))
        said, finding = _sentence(evidence, model, of), worst(_losses(evidence, model), of)
        yield headline(evidence, model, "worst_effect", said, finding)


def _sentence(evidence: Evidence, model: Model, of: Verdict) -> str:
    plain, loss, noise = (
        evidence.estimate("score", model, arm=PLAIN),
        evidence.estimate("worst_effect", model),
        evidence.estimate("noise", model),
    )
    if loss.missing:
        return f"Can't be said: {loss.why}."
    amount = f"{_LOSS.write(loss.value)} points ({loss.interval(_LOSS)})"
    told = f"a treatment lowers it by {amount}"
    if not of.shown:
        told = f"a treatment that lowers it: {of.said} (the largest loss: {amount})"
    asked_again = (
        f"; asked the same again, {PERCENT.write(noise.value)}% of the scores differ"
        if not noise.missing
        else ""
    )
    return f"The plain score is {rate(plain)}: {told}{asked_again}."


def _losses(evidence: Evidence, model: Model) -> Iterator[tuple[Estimate, float, str, str]]:
    """By how much each arm lowers the score, where it is shown to and right answers are known."""
    unknown = _arms(evidence, *UNKNOWABLE)
    for arm in (a for a in _arms(evidence) if a not in unknown):
        effect = evidence.estimate("effect", model, arm=arm)
        if effect.high < 0:
            yield (
                effect,
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
        ("bend-tools", ("tool_order", "tool_wording", "tool_result"), (), ()),
        ("bend-missing-tools", UNKNOWABLE, (Value("gave_up"),), ()),
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
        panels=[(part, Value("effect")) for part in _by_model(evidence, arms)],
        scale=None,
        legend=(MEASURED,),
        **_words("bend-effects-figure"),
    )
    noisy = (evidence.estimate("beyond_noise", m, arm=a) for m in evidence.models for a in arms)
    beyond = [Value("beyond_noise")] if any(not found.missing for found in noisy) else []
    yield table(
        evidence,
        columns=[
            Value("score"), Value("effect"), Value("hurt"), Value("helped"), *beyond,
            Value("kept"), Items("effect", "plain and in the arm"),
        ],
        parts=_by_model(evidence, arms),
        printed=False,
        head="arm",
        **_words("bend-effects-table"),
    )  # fmt: skip
    yield table(
        evidence,
        columns=[
            Value("score", "Plain score", "of all that was asked plain", at={"arm": PLAIN}),
            Value("noise"),
            Value("worst_effect"),
            Items("worst_effect", "in every arm"),
        ],
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
        own = _asked(evidence, *arms)
        yield table(evidence, columns=[*over], lines=own, printed=False, **_words(f"{name}-over"))


def _asked(evidence: Evidence, *arms: str) -> list[Line]:
    """The models that were asked in one of these arms."""
    rows = evidence.observations
    known = set(rows.loc[rows["arm"].isin(arms), "model"])
    return [line for line in models(evidence) if line.model in known]


def _by_model(evidence: Evidence, arms: Sequence[str]) -> list[Slice]:
    """A group a model, whose rows are those of the arms that it was asked in."""
    asked = {arm: {line.model for line in _asked(evidence, arm)} for arm in arms}
    return [
        Slice(
            line.marked or line.head,
            slug=f"model-{n}",
            lines=[
                Line(evidence.label("arm", arm), line.model, line.kind, {"arm": arm})
                for arm in arms
                if line.model in asked[arm]
            ],
        )
        for n, line in enumerate(_asked(evidence, *arms), start=1)
    ]
