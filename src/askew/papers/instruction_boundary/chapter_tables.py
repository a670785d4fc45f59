"""Instruction Boundary in tables and figures, the models under test above the paper's."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from askew.papers.instruction_boundary.paper import (
    FAMILIES,
    PAPER,
    SETTINGS,
    VANILLA,
    Family,
    SettingVariant,
)
from askew.papers.instruction_boundary.printed import JUDGE_SETTINGS
from askew.report.chapters import block_words
from askew.report.charts import Point, Spec, Step, colour, line_plot
from askew.report.document import Block, Cell, Chart, Key, Table
from askew.report.estimates import Estimate
from askew.report.evidence import OVERALL, Evidence
from askew.report.figures import (
    MEASURED,
    PUBLISHED,
    dumbbell_figure,
    figure,
    interval_figure,
    part_points,
    share_figure,
)
from askew.report.tables import (
    ColumnOf,
    Items,
    Line,
    Slice,
    Value,
    Words,
    by_model,
    models,
    printed_models,
    table,
)
from askew.schema import MISSING, PERCENT, POINTS

_PRINTED, _PRINTED_POINTS = replace(PERCENT, digits=2), replace(POINTS, digits=2)
# A column of numbers that the paper printed too.
_beside_print = partial(Value, printed=_PRINTED)
_BLANK = Words("", lambda *_: Cell(MISSING))
_SAFE = re.compile(r"[a-z0-9_+-]{1,60}")
_ANSWER_SHADES = {
    **{"true": "right-1", "false": "right-3", "unknown": "wrong-1", "extra": "wrong-3"},
    **{"single": "right-1", "none": "wrong-1", "multiple": "wrong-2"},
}
_FATES = {
    "rr": ("the same answer", colour("right-1")),
    "wrong_to_right": ("wrong before, right now", colour("right-3")),
    "other": ("another wrong answer", colour("wrong-3")),
    "right_to_wrong": ("right before, wrong now", colour("wrong-1")),
}


def _words(name: str, family: Family | None = None) -> dict[str, Any]:
    """A block's id and words as `chapter.yaml` has them."""
    fill = {"family": family, "label": FAMILIES[family].label} if family else {}
    return block_words(__package__, f"{PAPER.task}-{name}", **fill)


def vanilla(family: str) -> Slice:
    return _asked(family, SettingVariant(VANILLA), VANILLA)


def _asked(family: str, condition: SettingVariant, slug: str = "") -> Slice:
    """A condition of a family: its words, its place in the table, its part of ids."""
    at = {"family": family, "setting": condition.setting, "variant": condition.variant}
    return Slice(condition.name, at, slug)


def families(evidence: Evidence) -> list[Family]:
    """The families that were asked, judging first."""
    seen = set(evidence.rows["family"])
    return [family for family in FAMILIES if family in seen]


def conditions(evidence: Evidence, family: str) -> list[Slice]:
    """What a family was asked under, in the settings' order, where that has all its forms.

    Choice questions of miscellany have one right option each, so they have accuracy only.
    """
    order = {setting: n for n, setting in enumerate(SETTINGS)}
    found = _seen(evidence, family, all_forms=True)
    found.sort(key=lambda c: order.get(c.setting, len(order)))
    return [_asked(family, c, _slug(c, n)) for n, c in enumerate(found)]


def others(evidence: Evidence, family: str) -> list[Slice]:
    """The same without vanilla."""
    return [part for part in conditions(evidence, family) if part.at["setting"] != VANILLA]


def option_counts(evidence: Evidence) -> list[Slice]:
    """Miscellany's conditions of choice questions, by number of wrong options."""
    counts = [c for c in _seen(evidence, "choice", all_forms=False) if c.variant.isdecimal()]
    return [_asked("choice", c) for c in sorted(counts, key=lambda c: int(c.variant))]


def _seen(evidence: Evidence, family: str, all_forms: bool) -> list[SettingVariant]:
    rows = evidence.rows
    found = _pairs(rows[(rows["subset"] == OVERALL) & (rows["setting"] != OVERALL)], family)
    partly = {setting for setting, s in SETTINGS.items() if family not in s.scored}
    return [c for c in found if (c.setting not in partly) == all_forms]


def _pairs(rows: pd.DataFrame, family: str) -> list[SettingVariant]:
    pairs = rows.loc[rows["family"] == family, ["setting", "variant"]].drop_duplicates()
    return [SettingVariant(str(s), str(v)) for s, v in pairs.itertuples(index=False)]


def _slug(condition: SettingVariant, number: int) -> str:
    """The condition as a part of ids: a log may hold any text."""
    name = "-".join(filter(None, (condition.setting, condition.variant)))
    return name if _SAFE.fullmatch(name) else f"condition-{number}"


def lowest(evidence: Evidence, line: Line, family: str) -> tuple[Slice, Estimate] | None:
    """The condition with the lowest RS, where it is lower than vanilla's."""
    score = Value("rs")
    asked = others(evidence, family)
    if line.kind == "published":
        printed = evidence.printed
        asked = [_asked(family, c) for c in _pairs(printed[printed["metric"] == "rs"], family)]
    before = score.estimate(evidence, line, vanilla(family).at).value
    scores = [(part, score.estimate(evidence, line, part.at)) for part in asked]
    lower = [pair for pair in scores if pair[1].value < before]
    return min(lower, key=lambda pair: pair[1].value, default=None)


def robustness(evidence: Evidence) -> Iterator[Block]:
    """RS under vanilla, the worst setting, and what it costs."""
    cost = Value("boundary_cost", printed=_PRINTED_POINTS)

    def named(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = lowest(evidence, line, at["family"])
        # Not all that was printed stands beside what was asked.
        if line.kind == "published" and cost.estimate(evidence, line, at).missing:
            return Cell(MISSING)
        if found is None:
            return Cell("none is lower")
        setting = found[0].at["setting"]
        return Cell(SETTINGS[setting].label if line.kind == "published" else found[0].title)

    def score(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = lowest(evidence, line, at["family"])
        if found is None or named(evidence, line, at) == Cell(MISSING):
            return Cell(MISSING)
        return _beside_print("rs", at=found[0].at).cell(evidence, line, at)

    parts = [Slice(FAMILIES[f].label, {"family": f}, f) for f in families(evidence)]
    yield interval_figure(
        evidence, panels=[(part, Value("rs_vanilla")) for part in parts], **_words("rs")
    )
    yield table(
        evidence,
        columns=[
            _beside_print("rs_vanilla", "RS under vanilla", "in percent"),
            Words("Worst setting", named, "lowest RS"),
            Words("RS there", score, "in percent", numeric=True),
            cost,
            Items("boundary_cost", "scored in all settings"),
        ],
        parts=[replace(part, title=f"{part.title} questions") for part in parts],
        **_words("overview"),
    )


def results_id(family: Family) -> str:
    """The table of a family's accuracy, rates and RS by setting."""
    return str(_words(family)["table_id"])


def by_setting(evidence: Evidence, family: Family) -> Iterator[Block]:
    """RS against vanilla, SR against GR, and both with accuracy in numbers (Table 3)."""
    changed, score = others(evidence, family), _beside_print("rs")
    if changed:
        yield dumbbell_figure(
            evidence,
            ends=((Value("rs", at=vanilla(family).at), "vanilla"), (score, "the setting")),
            panels=[
                # The paper's vanilla stands only beside settings that it prints.
                replace(a, lines=[*models(evidence), *printed_models(evidence, [score], a.at)])
                for a in changed
            ],
            also=[PUBLISHED],
            printed=False,
            **_words("rs-{family}", family),
        )
    yield _tense_and_sparse(evidence, family)
    rates = FAMILIES[family].rates.items()
    yield table(
        evidence,
        columns=[
            _beside_print("acc", meaning=""),
            *(_beside_print(name, rate.label, rate.meaning) for name, rate in rates),
            score,
            Items("acc"),
        ],
        parts=conditions(evidence, family),
        **_words(family),
    )


def _tense_and_sparse(evidence: Evidence, family: Family) -> Chart:
    """SR against GR: first all models under vanilla, then each model setting by setting."""
    (name, tense), *sparse = FAMILIES[family].rates.items()
    return dumbbell_figure(
        evidence,
        ends=((Value(name), tense.label), (Value(sparse[0][0]), sparse[0][1].label)),
        panels=[
            replace(
                part,
                title=f"{part.title}: SR and {rate.label}",
                slug=f"{part.slug}-{of}".replace("_", "-"),
                columns=[Value(name, marked=tense.label), Value(of, marked=rate.label)],
            )
            for part in _everybody_then_each(evidence, family, [Value("sr")])
            for of, rate in sparse
        ],
        said=(
            f"{tense.label}: {tense.meaning}",
            " or ".join(f"{rate.label}: {rate.meaning}" for _, rate in sparse),
        ),
        also=[PUBLISHED],
        printed=False,
        **_words("rates-{family}", family),
    )


def _everybody_then_each(
    evidence: Evidence, family: Family, values: Sequence[Value]
) -> list[Slice]:
    """All models under vanilla, the paper's among them; then each model setting by setting."""
    at = vanilla(family).at
    everybody = [*models(evidence), *printed_models(evidence, values, at)]
    return [
        Slice("Vanilla, all models", at, "vanilla", everybody),
        *by_model(evidence, conditions(evidence, family)),
    ]


def by_subset(evidence: Evidence) -> Iterator[Table]:
    """Vanilla's numbers in each data set, where a family has several."""
    rows = evidence.rows[evidence.rows["setting"] == VANILLA]
    shown = []
    for family in families(evidence):
        tense, sparse, *more = map(Value, FAMILIES[family].rates)
        several: ColumnOf = more[0] if more else _BLANK
        columns = [Value("acc"), tense, sparse, several, Value("rs"), Items("acc")]
        mine = rows[(rows["family"] == family) & (rows["subset"] != OVERALL)]
        subsets = list(map(str, mine["subset"].unique()))
        shown += [
            Slice(
                f"{FAMILIES[family].label}: {evidence.label('subset', subset)}",
                {**vanilla(family).at, "subset": subset},
                columns=columns,
            )
            for subset in subsets
            if len(subsets) > 1
        ]
    if shown:
        yield table(
            evidence,
            columns=[
                Value("acc", meaning=""),
                Value("sr", meaning="tense items"),
                Value("gr", meaning="Unknown, or none"),
                Value("gr_multi", meaning=""),
                Value("rs", meaning=""),
                Items("acc"),
            ],
            parts=shown,
            printed=False,
            **_words("subsets"),
        )


def answers(evidence: Evidence, family: Family) -> Iterator[Block]:
    """Shares of each label among the answers, and in the truth."""
    declared = FAMILIES[family]
    said = [_beside_print(f"or_{f}", meaning="", marked=f) for f in declared.answers]

    def drawn(part: Slice) -> list[Point]:
        points = part_points(evidence, replace(part, columns=said), printed=False)
        return [
            *_truth(evidence, family, part.lines),
            *(p for p in points if p.kind != "published" or not p.estimate.missing),
        ]

    yield share_figure(
        evidence,
        panels=_everybody_then_each(evidence, family, said),
        parts={f: (label, colour(_ANSWER_SHADES[f])) for f, label in declared.answers.items()},
        drawn=drawn,
        **_words("output-{family}-figure", family),
    )
    truth = [Value(f"truth_{f}") if f in declared.forms else _BLANK for f in declared.answers]
    yield table(
        evidence,
        columns=[*said, Value("or_distance"), Items("or_distance")],
        parts=[
            Slice(
                "In the truth, under vanilla",
                vanilla(family).at,
                columns=[*truth, _BLANK, Items("acc")],
            ),
            *(replace(a, slug="") for a in conditions(evidence, family)),
        ],
        **_words(f"output-{family}"),
    )


def _truth(evidence: Evidence, family: Family, lines: Sequence[Line]) -> list[Point]:
    """The truth's shares, of the first model that was asked under vanilla."""
    at = vanilla(family).at
    for line in lines:
        found = {
            form: Value(f"truth_{form}", at=at).estimate(evidence, line, {})
            for form in FAMILIES[family].forms
        }
        if not any(e.missing for e in found.values()):
            return [Point("in the truth", "measured", e, form) for form, e in found.items()]
    return []


def changes(evidence: Evidence, family: Family) -> Iterator[Block]:
    """What becomes of vanilla's answers: RR, and its two readings."""
    changed = others(evidence, family)
    if not changed:
        return
    panels = by_model(evidence, changed)
    yield share_figure(
        evidence,
        panels=panels,
        parts=_FATES,
        drawn=lambda part: [*_fates(evidence, part.lines)],
        **_words("fates-{family}", family),
    )
    yield table(
        evidence,
        columns=[
            *map(Value, ("rr", "acc_change", "right_to_wrong", "wrong_to_right")),
            Items("rr"),
        ],
        parts=[replace(part, slug="") for part in panels],
        printed=False,
        **_words("changes-{family}", family),
    )


def _fates(evidence: Evidence, lines: Sequence[Line]) -> Iterator[Point]:
    for line in lines:
        found = {m: Value(m).estimate(evidence, line, {}) for m in _FATES if m != "other"}
        rest = 1.0 - math.fsum(e.value for e in found.values())
        found["other"] = Estimate(
            rest if math.isnan(rest) else max(rest, 0.0),
            n_items=found["rr"].n_items,
            reason=found["rr"].why,
        )
        yield from (Point(line.head, line.kind, found[fate], fate) for fate in _FATES)


def following(evidence: Evidence) -> Iterator[Block]:
    """How often a suggestion is answered, against vanilla (Appendix G)."""
    suggested = [
        replace(a, title=f"{FAMILIES[f].label}: {a.title}", slug=f"{f}-{a.slug}")
        for f in families(evidence)
        for a in conditions(evidence, f)
        if a.at["setting"] == "conformity"
    ]
    if not suggested:
        return
    before, after, *more = map(
        Value, ("follow_rate_vanilla", "follow_rate", "follow_gain", "moved_rate")
    )
    yield dumbbell_figure(
        evidence,
        ends=((before, "under vanilla"), (after, "when suggested")),
        panels=suggested,
        printed=False,
        **_words("following-figure"),
    )
    yield table(
        evidence,
        columns=[before, after, *more, Items("follow_rate")],
        parts=[replace(part, slug="") for part in suggested],
        printed=False,
        **_words("following"),
    )


def by_options(evidence: Evidence) -> Iterator[Block]:
    """Accuracy by number of wrong options (Figure 3, left, and the table of choice numbers)."""
    columns = [
        _beside_print("acc", a.at["variant"], "wrong", at=a.at) for a in option_counts(evidence)
    ]
    if not columns:
        return
    printed = printed_models(evidence, columns[:1], {})

    def draw(part: Slice) -> Spec:
        steps = [
            Step(line.marked, line.kind, int(value.label), value.estimate(evidence, line, {}))
            for line in part.lines
            for value in columns
        ]
        return line_plot(steps, "wrong options", PERCENT, (0.0, 100.0))

    yield figure(
        evidence,
        panels=[
            Slice(line.marked, slug=f"model-{n}", lines=[line, *printed])
            for n, line in enumerate(models(evidence), start=1)
        ],
        draw=draw,
        legend=(
            MEASURED,
            Key("line", colour("published"), "the paper's five models, on its own questions"),
        ),
        **_words("options-figure"),
    )
    yield table(evidence, columns=[*columns, Items()], **_words("options"))


_NOT_PLAIN = ("judge_rate", "hedge_rate", "no_answer")


def readings(evidence: Evidence) -> Table:
    """Who read the replies, and how many hedge or give no answer."""
    asked = families(evidence)

    def lines(model: Line) -> Iterator[Line]:
        """All settings in one row, then those in which something was not plain."""
        for family in asked:
            head = FAMILIES[family].label
            yield replace(model, head=f"{head}, all settings", at={"family": family})
            counts = option_counts(evidence) if family == "choice" else []
            for part in [*conditions(evidence, family), *counts]:
                found = (Value(m).estimate(evidence, model, part.at) for m in _NOT_PLAIN)
                if any(estimate.value > 0 for estimate in found):
                    yield replace(model, head=f"{head}, {part.title}", at=part.at)

    def of_setting(metric: str, meaning: str = "", family: str = "") -> Words:
        """A column that is blank in rows of all settings, and of another family."""

        def write(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
            fits = "setting" in at and family in ("", at["family"])
            return Value(metric).cell(evidence, line, at) if fits else Cell(MISSING)

        return Words(evidence.paper.metric(metric).label, write, meaning, numeric=True)

    return table(
        evidence,
        columns=[
            Value("judge_rate", meaning=""),
            of_setting("hedge_rate", "of answers"),
            *(of_setting(f"{FAMILIES[f].hedged}_no_hedge", "hedges are wrong", f) for f in asked),
            of_setting("no_answer"),
            Items("judge_rate"),
        ],
        parts=[Slice(model.marked, lines=list(lines(model))) for model in models(evidence)],
        printed=False,
        **_words("readings"),
    )


def published_judge(evidence: Evidence) -> Table:
    """How often the paper's judge was asked."""
    columns = [_beside_print("judge_rate", s, "", at={"setting": s}) for s in JUDGE_SETTINGS]
    return table(evidence, columns=columns, lines=(), **_words("judge-published"))
