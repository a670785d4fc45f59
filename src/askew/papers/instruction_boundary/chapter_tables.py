"""Instruction Boundary in tables and figures, the models under test above the paper's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from askew.papers.instruction_boundary.paper import (
    FAMILIES,
    SETTINGS,
    VANILLA,
    Family,
    SettingVariant,
)
from askew.papers.instruction_boundary.printed import JUDGE_SETTINGS
from askew.report.charts import Point, Spec, Step, line_plot
from askew.report.document import Block, Cell, Chart, Estimate, Key, Table
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
from askew.report.palette import colour
from askew.report.tables import (
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
from askew.schema import MISSING, PERCENT, Unit

_OVERVIEW = "instruction_boundary-overview"
_SOURCE = "Published rows: Ling et al., Instruction Boundary, {table}, in percent as printed."
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_SAFE = re.compile(r"[a-z0-9_+-]{1,60}")
_BANDS = "Bands are 95% intervals."
_ANSWER_COLOURS = {
    "true": colour("right-1"),
    "false": colour("right-3"),
    "unknown": colour("wrong-1"),
    "extra": colour("wrong-3"),
    "single": colour("right-1"),
    "none": colour("wrong-1"),
    "multiple": colour("wrong-2"),
}
_FATES = {
    "rr": ("the same answer", colour("right-1")),
    "wrong_to_right": ("wrong before, right now", colour("right-3")),
    "other": ("another wrong answer", colour("wrong-3")),
    "right_to_wrong": ("right before, wrong now", colour("wrong-1")),
}


# --- What was asked -----------------------------------------------------------------------------


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
    found = [c for c in _seen(evidence, family) if _of_all_forms(family, c)]
    order = {setting: n for n, setting in enumerate(SETTINGS)}
    found.sort(key=lambda c: order.get(c.setting, len(order)))
    return [_asked(family, c, _slug(c, n)) for n, c in enumerate(found)]


def others(evidence: Evidence, family: str) -> list[Slice]:
    """The same without vanilla."""
    return [part for part in conditions(evidence, family) if part.at["setting"] != VANILLA]


def option_counts(evidence: Evidence) -> list[Slice]:
    """Miscellany's conditions of choice questions, by number of wrong options."""
    found = [c for c in _seen(evidence, "choice") if not _of_all_forms("choice", c)]
    counts = sorted((c for c in found if c.variant.isdecimal()), key=lambda c: int(c.variant))
    return [_asked("choice", c) for c in counts]


def _of_all_forms(family: str, condition: SettingVariant) -> bool:
    setting = SETTINGS.get(condition.setting)
    return setting is None or family in setting.scored


def _seen(evidence: Evidence, family: str) -> list[SettingVariant]:
    rows = evidence.rows
    return _pairs(rows[(rows["subset"] == OVERALL) & (rows["setting"] != OVERALL)], family)


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


# --- Robustness ---------------------------------------------------------------------------------


def robustness(evidence: Evidence) -> tuple[Chart, Table]:
    """RS under vanilla, the worst setting, and what it costs."""

    def named(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = lowest(evidence, line, at["family"])
        if found is None:
            return Cell("none is lower")
        setting = found[0].at["setting"]
        return Cell(SETTINGS[setting].label if line.kind == "published" else found[0].title)

    def score(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = lowest(evidence, line, at["family"])
        value = Value("rs", printed=_PRINTED, at=found[0].at if found else {})
        return value.cell(evidence, line, at) if found else Cell(MISSING)

    parts = [Slice(FAMILIES[f].label, {"family": f}, f) for f in families(evidence)]
    score_figure = interval_figure(
        evidence,
        "instruction_boundary-rs",
        "RS under vanilla",
        [(part, Value("rs_vanilla")) for part in parts],
        table_id=_OVERVIEW,
    )
    return score_figure, table(
        evidence,
        _OVERVIEW,
        "Robustness under vanilla and in the worst setting, with 95% intervals",
        [
            Value("rs_vanilla", "RS under vanilla", "in percent", printed=_PRINTED),
            Words("Worst setting", named, "lowest RS"),
            Words("RS there", score, "in percent", numeric=True),
            Value("boundary_cost", printed=_PRINTED_POINTS),
            Items("boundary_cost", "scored in all settings"),
        ],
        [replace(part, title=f"{part.title} questions") for part in parts],
        source=_SOURCE.format(table="Table 3 and the table of RS")
        + " Their worst setting and its cost are computed here from the 6 settings printed beside "
        "vanilla, and so is RS of choice, which is not printed.",
    )


def results_id(family: Family) -> str:
    """The table of a family's accuracy, rates and RS by setting."""
    return f"instruction_boundary-{family}"


def by_setting(evidence: Evidence, family: Family) -> Iterator[Block]:
    """RS against vanilla, SR against GR, and both with accuracy in numbers (Table 3)."""
    declared, changed = FAMILIES[family], others(evidence, family)
    place, score = results_id(family), Value("rs", printed=_PRINTED)
    if changed:
        yield dumbbell_figure(
            evidence,
            f"instruction_boundary-rs-{family}",
            f"{declared.label}: RS under each setting against vanilla",
            ((Value("rs", at=vanilla(family).at), "vanilla"), (score, "the setting")),
            [
                # The paper's vanilla stands only beside settings that it prints.
                replace(a, lines=[*models(evidence), *printed_models(evidence, [score], a.at)])
                for a in changed
            ],
            reading=f"The longer the line, the more the wording of the prompt matters. {_BANDS}",
            also=[PUBLISHED],
            table_id=place,
            printed=False,
        )
    yield _tense_and_sparse(evidence, family)
    told = {
        "judging": " RS is from the paper's own table of it.",
        "choice": " The paper prints no RS for choice: it is computed here.",
    }
    yield table(
        evidence,
        place,
        f"{declared.label}: accuracy by setting in percent, with 95% intervals",
        [
            Value("acc", meaning="", printed=_PRINTED),
            *(
                Value(name, rate.label, rate.meaning, printed=_PRINTED)
                for name, rate in declared.rates.items()
            ),
            score,
            Items("acc"),
        ],
        conditions(evidence, family),
        source=_SOURCE.format(table="Table 3") + told[family],
    )


def _tense_and_sparse(evidence: Evidence, family: Family) -> Chart:
    """SR against GR: first all models under vanilla, then each model setting by setting."""
    declared, at = FAMILIES[family], vanilla(family).at
    (name, tense), *sparse = declared.rates.items()
    everybody = [*models(evidence), *printed_models(evidence, [Value("sr")], at)]
    parts = [
        Slice("Vanilla, all models", at, "vanilla", everybody),
        *by_model(evidence, conditions(evidence, family)),
    ]
    return dumbbell_figure(
        evidence,
        f"instruction_boundary-rates-{family}",
        f"{declared.label}: tense items (SR) against sparse ones (GR)",
        ((Value(name), tense.label), (Value(sparse[0][0]), sparse[0][1].label)),
        [
            replace(
                part,
                title=f"{part.title}: SR and {rate.label}",
                slug=f"{part.slug}-{of}".replace("_", "-"),
                columns=[Value(name, marked=tense.label), Value(of, marked=rate.label)],
            )
            for part in parts
            for of, rate in sparse
        ],
        reading=f"The longer the line, the more the model favours one kind of label. {_BANDS}",
        said=(
            f"{tense.label}: {tense.meaning}",
            " or ".join(f"{rate.label}: {rate.meaning}" for _, rate in sparse),
        ),
        also=[PUBLISHED],
        table_id=results_id(family),
        printed=False,
    )


def by_subset(evidence: Evidence) -> Iterator[Table]:
    """Vanilla's numbers in each data set, where a family has several."""
    rows = evidence.rows[evidence.rows["setting"] == VANILLA]
    shown = []
    for family in families(evidence):
        mine = rows[(rows["family"] == family) & (rows["subset"] != OVERALL)]
        subsets = list(map(str, mine["subset"].unique()))
        if len(subsets) > 1:
            shown += [
                Slice(
                    f"{FAMILIES[family].label}: {evidence.label('subset', subset)}",
                    {**vanilla(family).at, "subset": subset},
                )
                for subset in subsets
            ]
    if not shown:
        return
    first_sparse: Mapping[str, str] = {f: list(family.rates)[1] for f, family in FAMILIES.items()}
    yield table(
        evidence,
        "instruction_boundary-subsets",
        "Accuracy under vanilla by data set in percent, with 95% intervals",
        [
            Value("acc", meaning=""),
            Value("sr", meaning="tense items"),
            _sometimes("GR", lambda at: first_sparse[at["family"]], "Unknown, or none"),
            _sometimes("GR several", lambda at: "gr_multi" if at["family"] == "choice" else ""),
            Value("rs", meaning=""),
            Items("acc"),
        ],
        shown,
        printed=False,
    )


def _sometimes(label: str, metric: Callable[[Mapping[str, str]], str], meaning: str = "") -> Words:
    """A column whose metric hangs on the row's place; a dash where a place has none."""

    def write(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        named = metric(at)
        return Value(named).cell(evidence, line, at) if named else Cell(MISSING)

    return Words(label, write, meaning, numeric=True)


# --- Answers ------------------------------------------------------------------------------------


def answers(evidence: Evidence, family: Family) -> tuple[Chart, Table]:
    """Shares of each label among the answers, and in the truth."""
    declared, before, asked = FAMILIES[family], vanilla(family), conditions(evidence, family)
    said = [Value(f"or_{f}", meaning="", printed=_PRINTED, marked=f) for f in declared.answers]
    everybody = [*models(evidence), *printed_models(evidence, said, before.at)]

    def drawn(part: Slice) -> list[Point]:
        points = part_points(evidence, replace(part, columns=said), printed=False)
        return [
            *_truth(evidence, family, part.lines),
            *(p for p in points if p.kind != "published" or not p.estimate.missing),
        ]

    place, source = f"instruction_boundary-output-{family}", ""
    bars = share_figure(
        evidence,
        f"{place}-figure",
        f"{declared.label}: which labels are answered",
        [Slice("Vanilla, all models", before.at, "vanilla", everybody), *by_model(evidence, asked)],
        {form: (label, _ANSWER_COLOURS[form]) for form, label in declared.answers.items()},
        reading="A bar splits the answers by label; the first one shows how the truth splits. "
        "Orange parts are sparse labels.",
        drawn=drawn,
        table_id=place,
    )
    if family == "judging":
        source = _SOURCE.format(table="table of output rates") + (
            " The text at hand does not say under which setting they were taken; they stand "
            "beside vanilla. The heads of its three columns on choice did not survive."
        )
    none = Words("", lambda *_: Cell(MISSING))
    truth = [Value(f"truth_{f}") if f in declared.forms else none for f in declared.answers]
    return bars, table(
        evidence,
        place,
        f"{declared.label}: shares of answers in percent, with 95% intervals",
        [*said, Value("or_distance"), Items("or_distance")],
        [
            replace(
                before,
                title="In the truth, under vanilla",
                slug="",
                columns=[*truth, none, Items("acc")],
            ),
            *(replace(a, slug="") for a in asked),
        ],
        source=source,
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


# --- Changes ------------------------------------------------------------------------------------


def changes(evidence: Evidence, family: Family) -> Iterator[Block]:
    """What becomes of vanilla's answers: RR, and its two readings."""
    changed = others(evidence, family)
    if not changed:
        return
    place, label = f"instruction_boundary-changes-{family}", FAMILIES[family].label
    panels = by_model(evidence, changed)
    yield share_figure(
        evidence,
        f"instruction_boundary-fates-{family}",
        f"{label}: what becomes of vanilla's answers",
        panels,
        _FATES,
        reading="A bar splits the items that were also asked under vanilla; its first part is RR.",
        drawn=lambda part: [*_fates(evidence, part.lines)],
        table_id=place,
    )
    yield table(
        evidence,
        place,
        f"{label}: against vanilla, on the same items, with 95% intervals",
        [*map(Value, ("rr", "acc_change", "right_to_wrong", "wrong_to_right")), Items("rr")],
        [replace(part, slug="") for part in panels],
        printed=False,
        head="Setting",
        source="The paper's formula for RR did not survive, and its text calls it the change of "
        "accuracy: both are shown.",
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
    yield dumbbell_figure(
        evidence,
        "instruction_boundary-following-figure",
        "Answers equal to the suggestion",
        (
            (Value("follow_rate_vanilla"), "under vanilla"),
            (Value("follow_rate"), "when suggested"),
        ),
        suggested,
        reading="How often an answer is given on its own, and when the prompt says that it is the "
        f"answer. {_BANDS}",
        table_id="instruction_boundary-following",
        printed=False,
    )
    metrics = ("follow_rate_vanilla", "follow_rate", "follow_gain", "moved_rate")
    yield table(
        evidence,
        "instruction_boundary-following",
        "Answers equal to the suggestion, with 95% intervals",
        [*map(Value, metrics), Items("follow_rate")],
        [replace(part, slug="") for part in suggested],
        printed=False,
    )


def by_options(evidence: Evidence) -> Iterator[Block]:
    """Accuracy by number of wrong options (Figure 3, left, and the table of choice numbers)."""
    columns = [
        Value("acc", a.at["variant"], "wrong", at=a.at, printed=_PRINTED)
        for a in option_counts(evidence)
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
        "instruction_boundary-options-figure",
        "Accuracy by number of wrong options",
        [
            Slice(line.marked, slug=f"model-{n}", lines=[line, *printed])
            for n, line in enumerate(models(evidence), start=1)
        ],
        draw,
        reading="A falling line means that more wrong options distract. The band is the 95% "
        "interval.",
        legend=(
            MEASURED,
            Key("line", colour("published"), "the paper's five models, on its own questions"),
        ),
        table_id="instruction_boundary-options",
    )
    yield table(
        evidence,
        "instruction_boundary-options",
        "Accuracy by number of wrong options in percent, with 95% intervals",
        [*columns, Items()],
        source=_SOURCE.format(table="table of accuracy by choice numbers"),
    )


# --- Who read the replies -----------------------------------------------------------------------

_NOT_PLAIN = ("judge_rate", "hedge_rate", "no_answer")


def readings(evidence: Evidence) -> Table:
    """Who read the replies, and how many hedge or give no answer."""
    asked = families(evidence)
    unhedged = {f"{FAMILIES[f].hedged}_no_hedge": f for f in asked}

    def lines(model: Line) -> Iterator[Line]:
        """All settings in one row, then those in which something was not plain."""
        for family in asked:
            head = FAMILIES[family].label
            yield replace(model, head=f"{head}, all settings", at={"family": family})
            for part in [
                *conditions(evidence, family),
                *(option_counts(evidence) if family == "choice" else []),
            ]:
                found = (Value(m).estimate(evidence, model, part.at) for m in _NOT_PLAIN)
                if any(estimate.value > 0 for estimate in found):
                    yield replace(model, head=f"{head}, {part.title}", at=part.at)

    def of_setting(metric: str, family: str = "") -> Callable[[Mapping[str, str]], str]:
        return lambda at: metric if "setting" in at and family in ("", at["family"]) else ""

    return table(
        evidence,
        "instruction_boundary-readings",
        "How replies were read, in percent, with 95% intervals",
        [
            Value("judge_rate", meaning=""),
            _sometimes("Hedges", of_setting("hedge_rate"), "of answers"),
            *(
                _sometimes(evidence.paper.metric(m).label, of_setting(m, f), "hedges are wrong")
                for m, f in unhedged.items()
            ),
            _sometimes("No answer", of_setting("no_answer")),
            Items("judge_rate"),
        ],
        [Slice(model.marked, lines=list(lines(model))) for model in models(evidence)],
        printed=False,
        head="Setting",
        source="Settings in which rules read every reply, and none hedged or lacked an answer, "
        "are left out.",
    )


def published_judge(evidence: Evidence) -> Table:
    """How often the paper's judge was asked."""
    return table(
        evidence,
        "instruction_boundary-judge-published",
        "The paper: replies read by its judge, in percent",
        [Value("judge_rate", s, "", at={"setting": s}, printed=_PRINTED) for s in JUDGE_SETTINGS],
        lines=(),
        source=_SOURCE.format(table="Table 7")
        + " Its seven settings lost their names in the text at hand.",
    )
