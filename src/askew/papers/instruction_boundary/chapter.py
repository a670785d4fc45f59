"""Instruction Boundary's chapter: what the coverage of a prompt does to rare labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from askew.papers.instruction_boundary import chapter_tables as tables
from askew.papers.instruction_boundary.chapter_tables import (
    AskedOf,
    conditions,
    families,
    number,
    option_counts,
    others,
    vanilla,
    worst,
)
from askew.papers.instruction_boundary.paper import (
    ANSWERS,
    DISTANCE,
    FAMILIES,
    PAPER,
    SETTINGS,
    VANILLA,
    Family,
    SettingVariant,
)
from askew.report.charts import Point, Spec, shares
from askew.report.document import (
    Block,
    Chapter,
    Chart,
    Estimate,
    Finding,
    Headline,
    Key,
    Model,
    Panel,
    Section,
)
from askew.report.evidence import Evidence
from askew.report.flips import flip_list
from askew.report.palette import colour
from askew.report.prose import comparability
from askew.report.series_charts import Step, line_plot
from askew.report.tables import (
    MEASURED,
    PUBLISHED,
    Line,
    Slice,
    Value,
    dumbbell_figure,
    interval_figure,
    models,
    points,
    printed_models,
)
from askew.schema import PERCENT, POINTS

_FLIP_RULE = (
    "Items that a model answers right under vanilla and wrong under another setting: those that "
    "are wrong under most settings first, models and data sets taking turns. Answers to choice "
    "questions are the numbers that the options have under vanilla."
)
# The settings in which a flip is shown first: where the prompt pulls one way, a wrong answer says
# most.
_FLIPS_FIRST = (
    "conformity",
    "missing_choices",
    "few_shot",
    "miscellany",
    "vagueness",
    "prompt_polishing",
    "multi_turn",
)


def chapter(evidence: Evidence) -> Chapter:
    """All that the report says about Instruction Boundary."""
    return Chapter(
        task=PAPER.task,
        title=PAPER.name,
        question=PAPER.question,
        reference=PAPER.reference,
        headlines=tuple(_headlines(evidence)),
        sections=tuple(_sections(evidence)),
    )


# --- Headlines ----------------------------------------------------------------------------------


def _headlines(evidence: Evidence) -> Iterator[Headline]:
    """RS under vanilla and what the worst setting costs; of choice where nothing was judged."""
    asked = families(evidence)
    family: Family = "judging" if "judging" in asked or not asked else asked[0]
    prefix, suffix = ("", "") if family == "judging" else (f"{family}_", f", {family}")
    for line, model in zip(models(evidence), evidence.models, strict=True):
        score = _across(evidence, "rs_vanilla", model, family)
        yield Headline(
            task=PAPER.task,
            title=PAPER.name,
            model=model,
            metric=f"{prefix}rs_vanilla",
            label=f"RS under vanilla{suffix}",
            estimate=score,
            unit=PERCENT,
            scale=(0.0, 1.0),
            sentence=_rates_in_words(evidence, line),
            finding=_worst(evidence, line),
            nothing_found="" if score.missing else "No setting lowers it.",
        )
        cost = _across(evidence, "boundary_cost", model, family)
        yield Headline(
            task=PAPER.task,
            title=PAPER.name,
            model=model,
            metric=f"{prefix}boundary_cost",
            label=f"Boundary cost{suffix}",
            estimate=cost,
            unit=DISTANCE,
            scale=(-1.0, 1.0),
            sentence=_cost_in_words(evidence, model, line, family, cost),
        )


def _across(evidence: Evidence, metric: str, model: Model, family: Family) -> Estimate:
    """A model's number over all settings of a family; there are no levels where nothing is."""
    at = {"family": family} if len(evidence.rows) else {}
    return evidence.number(metric, model.label, model.kind, at)


def _rates_in_words(evidence: Evidence, line: Line) -> str:
    """What the model gets right under vanilla, family by family."""
    sentences = []
    for family in families(evidence):
        declared = FAMILIES[family]
        rates = {r: number(evidence, r, line, vanilla(family)) for r in declared.rates}
        if any(e.missing for e in rates.values()):
            why = next(e.why for e in rates.values() if e.missing)
            sentences.append(f"{declared.label}: can't be said ({why}).")
            continue
        told = {r: f"{PERCENT.write(e.value)}%" for r, e in rates.items()}
        if family == "judging":
            sentences.append(
                f"Judging: {told['sr']} right on True and False, {told['gr']} on Unknown."
            )
        else:
            sentences.append(
                f"Choice: {told['sr']} right where one option is right, {told['gr_none']} where "
                f"none is, {told['gr_multi']} where several are."
            )
    return " ".join(sentences) or "Can't be said: nothing was asked."


def _cost_in_words(
    evidence: Evidence, model: Model, line: Line, family: Family, cost: Estimate
) -> str:
    if cost.missing:
        return f"Can't be said: {cost.why}."
    size = f"{DISTANCE.write(abs(cost.value))} points"
    if cost.low > 0:
        said = f"The worst setting takes {size} off RS."
    elif cost.high < 0:
        said = f"Every setting lifts RS, by {size} at least."
    else:
        said = "No cost of the worst setting shown."
    lowest = worst(evidence, line, family)
    named = f" The lowest RS is under {lowest[0].name}." if lowest and cost.low > 0 else ""
    costs = {
        f: _across(evidence, "boundary_cost", model, f) for f in families(evidence) if f != family
    }
    also = "".join(
        f" {FAMILIES[f].label} questions: {e.text(POINTS)} points."
        for f, e in costs.items()
        if not e.missing
    )
    return f"{said}{named}{also}"


def _worst(evidence: Evidence, line: Line) -> Finding | None:
    """The largest fall of RS from vanilla, among all settings of both families."""
    falls = []
    for family in families(evidence):
        before = number(evidence, "rs", line, vanilla(family))
        found = worst(evidence, line, family)
        if found:
            falls.append((before.value - found[1].value, before, *found))
    if not falls:
        return None
    _, before, asked, after = max(falls, key=lambda fall: fall[0])
    return Finding(
        f"{FAMILIES[asked.family].label}, {asked.name}: RS {_rate(after)}, against {_rate(before)} "
        f"under vanilla (n = {after.n_items}).",
        f"{tables.results_id(asked.family)}-{asked.slug}",
    )


def _rate(estimate: Estimate) -> str:
    return f"{PERCENT.write(estimate.value)}% ({estimate.interval(PERCENT)})"


# --- Sections -----------------------------------------------------------------------------------


def _sections(evidence: Evidence) -> Iterator[Section]:
    asked = families(evidence)
    yield Section(
        "instruction_boundary-main",
        "Do rare labels survive?",
        (
            "Labels that are rare in ordinary data are sparse (Unknown, none, several right "
            "options), the others tense. SR is accuracy on tense items, GR on sparse ones, and "
            "the robustness score RS is their harmonic mean: low where a model is good at one "
            "kind only.",
            _comparability(evidence.data),
        ),
        (_robustness(evidence), tables.overview(evidence)),
    )
    for family in asked:
        yield Section(
            f"instruction_boundary-settings-{family}",
            f"{FAMILIES[family].label} questions by setting",
            _FAMILY_WORDS[family],
            _present(
                _against_vanilla(evidence, family),
                _tense_and_sparse(evidence, family),
                tables.results(evidence, family),
            ),
        )
    subsets = tables.by_subset(evidence)
    if subsets is not None:
        yield Section("instruction_boundary-data", "Data set by data set", (), (subsets,))
    yield Section(
        "instruction_boundary-answers",
        "Which labels are answered",
        (
            "A model may be right often and still hardly ever give a label that is often true. "
            "The output rate is the share of each label among the answers; replies without an "
            "answer don't count.",
        ),
        _present(*(draw(evidence, f) for f in asked for draw in (_output, tables.output))),
    )
    yield from _flips(evidence, asked)
    yield from _extras(evidence, asked)
    yield Section(
        "instruction_boundary-reading",
        "Who read the replies",
        (
            "Rules read a reply first; what they can't decide goes to the judge, where one is "
            "bound. A hedge, such as unclear, counts as Unknown or none.",
        ),
        (tables.readings(evidence), tables.published_judge(evidence)),
    )


_FAMILY_WORDS: Mapping[Family, tuple[str, ...]] = {
    "judging": (
        "Facts and a conclusion that is true, false, or unknown. Half of the items are Unknown.",
    ),
    "choice": (
        "Options of which one, none or several are right, a third of the items each. RS is the "
        "harmonic mean of all three rates, and 0 where one of them is.",
    ),
}


def _present(*blocks: Block | None) -> tuple[Block, ...]:
    return tuple(block for block in blocks if block is not None)


def _comparability(data: Sequence[str]) -> str:
    """What the published rows may be compared with."""
    if tuple(data) == ("paper",):
        return (
            "The questions are the paper's, but for FLD, which it drew from as well, and our own "
            "wording of the prompts it does not print: levels compare with care."
        )
    return comparability(data, "(which settings cost, and which labels suffer)")


def _flips(evidence: Evidence, asked: Sequence[Family]) -> Iterator[Section]:
    """What changes against vanilla, as bars, numbers and transcripts."""
    changed = [a for f in asked for a in others(evidence, f)]
    if not changed or len(changed) == sum(len(conditions(evidence, f)) for f in asked):
        return
    yield Section(
        "instruction_boundary-changes",
        "What changes against vanilla",
        ("The same items, asked under vanilla and under another setting.",),
        _present(*(draw(evidence, f) for f in asked for draw in (_fates, tables.changes))),
    )
    changed.sort(key=lambda a: (*_FLIPS_FIRST, a.condition.setting).index(a.condition.setting))
    names = {_key(a.condition): a.name for a in changed}
    observed = evidence.observations
    flips = flip_list(
        evidence,
        pd.Series(
            [
                _key(SettingVariant(str(s), str(v)))
                for s, v in zip(observed["setting"], observed["variant"].fillna(""), strict=True)
            ],
            index=observed.index,
        ),
        VANILLA,
        list(names),
        {**PAPER.subset_names, **names, VANILLA: SETTINGS[VANILLA].label},
        "truth",
        _FLIP_RULE,
    )
    yield Section("instruction_boundary-items", "Telling flips", (_FLIP_RULE,), (flips,))


def _key(condition: SettingVariant) -> str:
    """A condition as flips are paired by it."""
    return "/".join(filter(None, (condition.setting, condition.variant)))


def _extras(evidence: Evidence, asked: Sequence[Family]) -> Iterator[Section]:
    """What only some settings have: suggestions, and numbers of options."""
    suggested = [
        a for f in asked for a in conditions(evidence, f) if a.condition.setting == "conformity"
    ]
    if suggested:
        yield Section(
            "instruction_boundary-conformity",
            "Does a suggestion become the answer?",
            (
                "One sentence says what the answer is. Vanilla shows how often that answer is "
                "given anyway; below it is anti-conformity (the paper's Appendix G).",
            ),
            (_following(evidence, suggested), tables.following(evidence, suggested)),
        )
    if option_counts(evidence):
        yield Section(
            "instruction_boundary-number",
            "Do more wrong options distract?",
            ("The right option stands beside 1 to 9 wrong ones.",),
            (_by_options(evidence), tables.options(evidence)),
        )


# --- Figures ------------------------------------------------------------------------------------

_SCALE = (0.0, 100.0)
_ENDS = (colour("with"), colour("without"))
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


def _robustness(evidence: Evidence) -> Chart:
    """The headline, with the paper's models beside it."""
    return interval_figure(
        evidence,
        "instruction_boundary-rs",
        "RS under vanilla",
        [
            (Slice(FAMILIES[f].label, {"family": f}, f), Value("rs_vanilla"))
            for f in families(evidence)
        ],
        table_id=tables.OVERVIEW,
    )


def _against_vanilla(evidence: Evidence, family: Family) -> Chart | None:
    """RS under vanilla and under each setting."""
    if not others(evidence, family):
        return None
    score = Value("rs")
    return dumbbell_figure(
        evidence,
        f"instruction_boundary-rs-{family}",
        f"{FAMILIES[family].label}: RS under each setting against vanilla",
        ((Value("rs", at=vanilla(family).at), "vanilla"), (score, "the setting")),
        [
            # The paper's vanilla stands only beside settings that it prints.
            replace(part, lines=[*models(evidence), *printed_models(evidence, [score], part.at)])
            for part in tables.parts(others(evidence, family))
        ],
        reading=f"The longer the line, the more the wording of the prompt matters. {_BANDS}",
        legend=(Key("dot", _ENDS[0], "vanilla"), Key("ring", _ENDS[1], "the setting"), PUBLISHED),
        colours=_ENDS,
        table_id=tables.results_id(family),
        printed=False,
    )


def _tense_and_sparse(evidence: Evidence, family: Family) -> Chart:
    """SR against GR: first all models under vanilla, then each model setting by setting."""
    declared = FAMILIES[family]
    (name, tense), *sparse = declared.rates.items()
    legend = (
        Key("dot", _ENDS[0], f"{tense.label}: {tense.meaning}"),
        Key("ring", _ENDS[1], " or ".join(f"{rate.label}: {rate.meaning}" for _, rate in sparse)),
        PUBLISHED,
    )
    at = vanilla(family).at
    everybody = [*models(evidence), *printed_models(evidence, [Value("sr")], at)]
    figures = [
        dumbbell_figure(
            evidence,
            f"instruction_boundary-rates-{family}",
            f"{declared.label}: tense items (SR) against sparse ones (GR)",
            ((Value(name), tense.label), (Value(of), rate.label)),
            [
                Slice(
                    f"Vanilla, all models: SR and {rate.label}",
                    at,
                    f"vanilla-{of}".replace("_", "-"),
                    everybody,
                ),
                *(
                    Slice(
                        f"{m.marked}: SR and {rate.label}",
                        {},
                        f"model-{n}-{of}".replace("_", "-"),
                        [Line(a.name, m.label, m.kind, a.at) for a in conditions(evidence, family)],
                    )
                    for n, m in enumerate(evidence.models, start=1)
                ),
            ],
            reading=f"The longer the line, the more the model favours one kind of label. {_BANDS}",
            legend=legend,
            colours=_ENDS,
            table_id=tables.results_id(family),
            printed=False,
        )
        for of, rate in sparse
    ]
    panels = [
        panel for of_all in zip(*(f.panels for f in figures), strict=True) for panel in of_all
    ]
    return replace(figures[0], panels=tuple(panels))


def _bars_by_model(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    reading: str,
    words: Mapping[str, tuple[str, str]],
    drawn: Mapping[str, tuple[str, partial[list[Point]]]],
    table_id: str,
) -> Chart:
    """Bars of shares: a panel for each of the point lists, in the words and colours given."""
    colours = {part: shade for part, (_, shade) in words.items()}
    named = {part: label for part, (label, _) in words.items()}

    def draw(made: partial[list[Point]]) -> Spec:
        return shares(made(), colours, PERCENT, named)

    return Chart(
        id=chart_id,
        caption=caption,
        reading=reading,
        legend=tuple(Key("bar", shade, label) for label, shade in words.values()),
        panels=tuple(Panel(name, t, partial(draw, made)) for name, (t, made) in drawn.items()),
        simulated=evidence.simulated,
        table_id=table_id,
    )


def _output(evidence: Evidence, family: Family) -> Chart:
    """Which labels are answered, against the truth."""
    forms = FAMILIES[family].answers
    return _bars_by_model(
        evidence,
        f"instruction_boundary-output-{family}-figure",
        f"{FAMILIES[family].label}: which labels are answered",
        "A bar splits the answers by label; the first one shows how the truth splits. Orange "
        "parts are sparse labels.",
        {form: (ANSWERS[form], _ANSWER_COLOURS[form]) for form in forms},
        {
            "vanilla": ("Vanilla, all models", partial(_output_of_all, evidence, family)),
            **{
                f"model-{n}": (m.marked, partial(_output_of_one, evidence, family, line))
                for n, (m, line) in enumerate(
                    zip(evidence.models, models(evidence), strict=True), start=1
                )
            },
        },
        tables.output_id(family),
    )


def _output_of_all(evidence: Evidence, family: Family) -> list[Point]:
    at = vanilla(family).at
    values = [Value(f"or_{form}") for form in FAMILIES[family].answers]
    lines = models(evidence)
    published = printed_models(evidence, values, at)
    return [
        *_truth(evidence, family, lines),
        *_said(evidence, family, [replace(line, at=at) for line in lines]),
        *(
            p
            for p in _said(evidence, family, [replace(line, at=at) for line in published])
            if not p.estimate.missing
        ),
    ]


def _output_of_one(evidence: Evidence, family: Family, line: Line) -> list[Point]:
    asked = conditions(evidence, family)
    return [
        *_truth(evidence, family, [line]),
        *_said(evidence, family, [replace(line, marked=a.name, at=a.at) for a in asked]),
    ]


def _said(evidence: Evidence, family: Family, lines: Sequence[Line]) -> Iterator[Point]:
    for line in lines:
        for form in FAMILIES[family].answers:
            yield from points(evidence, Value(f"or_{form}"), {}, [line], series=form, printed=False)


def _truth(evidence: Evidence, family: Family, lines: Sequence[Line]) -> Iterator[Point]:
    """The truth's shares, of the first model that was asked under vanilla."""
    for line in lines:
        found = {
            form: number(evidence, f"truth_{form}", line, vanilla(family))
            for form in FAMILIES[family].forms
        }
        if not any(e.missing for e in found.values()):
            for form, share in found.items():
                yield Point("in the truth", "measured", share, form)
            return


def _fates(evidence: Evidence, family: Family) -> Chart | None:
    """What becomes of vanilla's answers under each setting."""
    if not others(evidence, family):
        return None
    return _bars_by_model(
        evidence,
        f"instruction_boundary-fates-{family}",
        f"{FAMILIES[family].label}: what becomes of vanilla's answers",
        "A bar splits the items that were also asked under vanilla; its first part is RR.",
        _FATES,
        {
            f"model-{n}": (m.marked, partial(_fates_of, evidence, family, line))
            for n, (m, line) in enumerate(
                zip(evidence.models, models(evidence), strict=True), start=1
            )
        },
        tables.changes_id(family),
    )


def _fates_of(evidence: Evidence, family: Family, line: Line) -> list[Point]:
    drawn: list[Point] = []
    for asked in others(evidence, family):
        found = {m: number(evidence, m, line, asked) for m in _FATES if m != "other"}
        rest = 1.0 - math.fsum(e.value for e in found.values())
        found["other"] = Estimate(
            max(rest, 0.0) if rest == rest else rest,
            n_items=found["rr"].n_items,
            reason=found["rr"].why,
        )
        drawn += [Point(asked.name, line.kind, found[fate], fate) for fate in _FATES]
    return drawn


def _following(evidence: Evidence, suggested: Sequence[AskedOf]) -> Chart:
    """How often a suggestion is answered, with and without it."""
    return dumbbell_figure(
        evidence,
        "instruction_boundary-following-figure",
        "Answers equal to the suggestion",
        (
            (Value("follow_rate_vanilla"), "under vanilla"),
            (Value("follow_rate"), "when suggested"),
        ),
        [
            Slice(f"{FAMILIES[a.family].label}: {a.name}", a.at, f"{a.family}-{a.slug}")
            for a in suggested
        ],
        reading="How often an answer is given on its own, and when the prompt says that it is the "
        f"answer. {_BANDS}",
        legend=(Key("dot", _ENDS[0], "under vanilla"), Key("ring", _ENDS[1], "when suggested")),
        colours=_ENDS,
        table_id=tables.FOLLOWING,
        printed=False,
    )


def _by_options(evidence: Evidence) -> Chart:
    """Accuracy by number of wrong options (Figure 3, left)."""
    counts = option_counts(evidence)

    def draw(line: Line) -> Spec:
        value = Value("acc")
        lines = [line, *printed_models(evidence, [Value("acc", at=counts[0].at)], {})]
        steps = [
            Step(
                drawn.marked,
                drawn.kind,
                int(a.condition.variant),
                value.estimate(evidence, drawn, a.at),
            )
            for drawn in lines
            for a in counts
        ]
        return line_plot(steps, "wrong options", PERCENT, _SCALE)

    return Chart(
        id="instruction_boundary-options-figure",
        caption="Accuracy by number of wrong options",
        reading="A falling line means that more wrong options distract. The band is the 95% "
        "interval.",
        legend=(
            MEASURED,
            Key("line", colour("published"), "the paper's five models, on its own questions"),
        ),
        panels=tuple(
            Panel(f"model-{n}", line.marked, partial(draw, line))
            for n, line in enumerate(models(evidence), start=1)
        ),
        simulated=evidence.simulated,
        table_id=tables.OPTIONS,
    )
