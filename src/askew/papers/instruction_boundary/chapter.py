"""Instruction Boundary's chapter: what the coverage of a prompt does to rare labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from askew.papers.instruction_boundary import chapter_figures as figures
from askew.papers.instruction_boundary import chapter_tables as tables
from askew.papers.instruction_boundary.chapter_tables import (
    conditions,
    families,
    option_counts,
    others,
    vanilla,
    worst,
)
from askew.papers.instruction_boundary.paper import (
    DISTANCE,
    FAMILIES,
    PAPER,
    SETTINGS,
    VANILLA,
    Family,
)
from askew.report.chapters import comparability
from askew.report.document import Block, Estimate, Headline, Section, WorstFinding
from askew.report.evidence import Evidence
from askew.report.flips import flip_list
from askew.report.tables import Line, Slice, Value, models
from askew.schema import PERCENT, POINTS

_FLIP_RULE = (
    "Items that a model answers right under vanilla and wrong under another setting: those that "
    "are wrong under most settings first, models and data sets taking turns. Answers to choice "
    "questions are the numbers that the options have under vanilla."
)
# The settings in which a flip is shown first: where the prompt pulls one way, a wrong answer says
# most.
_FLIPS_FIRST = (
    *("conformity", "missing_choices", "few_shot", "miscellany"),
    *("vagueness", "prompt_polishing", "multi_turn"),
)


# --- Headlines ----------------------------------------------------------------------------------


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """RS under vanilla and what the worst setting costs; of choice where nothing was judged."""
    asked = families(evidence)
    family: Family = "judging" if "judging" in asked or not asked else asked[0]
    prefix, suffix = ("", "") if family == "judging" else (f"{family}_", f", {family}")
    for line, model in zip(models(evidence), evidence.models, strict=True):
        score = _across(evidence, "rs_vanilla", line, family)
        cost = _across(evidence, "boundary_cost", line, family)
        told = Headline(
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
        yield told
        yield replace(
            told,
            metric=f"{prefix}boundary_cost",
            label=f"Boundary cost{suffix}",
            estimate=cost,
            unit=DISTANCE,
            scale=(-1.0, 1.0),
            sentence=_cost_in_words(evidence, line, family, cost),
            finding=None,
            nothing_found="",
        )


def _across(evidence: Evidence, metric: str, line: Line, family: Family) -> Estimate:
    """A model's number over all settings of a family; there are no levels where nothing is."""
    at = {"family": family} if len(evidence.rows) else {}
    return Value(metric).estimate(evidence, line, at)


def _rates_in_words(evidence: Evidence, line: Line) -> str:
    """What the model gets right under vanilla, family by family."""
    sentences = []
    for family in families(evidence):
        declared = FAMILIES[family]
        at = vanilla(family).at
        rates = {r: Value(r).estimate(evidence, line, at) for r in declared.rates}
        if any(e.missing for e in rates.values()):
            why = next(e.why for e in rates.values() if e.missing)
            sentences.append(f"{declared.label}: can't be said ({why}).")
            continue
        told = {r: f"{PERCENT.write(e.value)}%" for r, e in rates.items()}
        sentences.append(_RATES[family].format(**told))
    return " ".join(sentences) or "Can't be said: nothing was asked."


_RATES: Mapping[Family, str] = {
    "judging": "Judging: {sr} right on True and False, {gr} on Unknown.",
    "choice": "Choice: {sr} right where one option is right, {gr_none} where none is, {gr_multi} "
    "where several are.",
}


def _cost_in_words(evidence: Evidence, line: Line, family: Family, cost: Estimate) -> str:
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
    named = f" The lowest RS is under {lowest[0].title}." if lowest and cost.low > 0 else ""
    also = "".join(
        f" {FAMILIES[other].label} questions: {theirs.text(POINTS)} points."
        for other in families(evidence)
        if other != family
        and not (theirs := _across(evidence, "boundary_cost", line, other)).missing
    )
    return f"{said}{named}{also}"


def _worst(evidence: Evidence, line: Line) -> WorstFinding | None:
    """The largest fall of RS from vanilla, among all settings of both families."""
    falls = []
    for family in families(evidence):
        before = Value("rs").estimate(evidence, line, vanilla(family).at)
        found = worst(evidence, line, family)
        if found:
            falls.append((before.value - found[1].value, family, before, *found))
    if not falls:
        return None
    _, family, before, asked, after = max(falls, key=lambda fall: fall[0])
    return WorstFinding(
        f"{FAMILIES[family].label}, {asked.title}: RS {_rate(after)}, against {_rate(before)} "
        f"under vanilla (n = {after.n_items}).",
        f"{tables.results_id(family)}-{asked.slug}",
    )


def _rate(estimate: Estimate) -> str:
    return f"{PERCENT.write(estimate.value)}% ({estimate.interval(PERCENT)})"


# --- Sections -----------------------------------------------------------------------------------


def sections(evidence: Evidence) -> Iterator[Section]:
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
        (figures.robustness(evidence), tables.overview(evidence)),
    )
    for family in asked:
        yield Section(
            f"instruction_boundary-settings-{family}",
            f"{FAMILIES[family].label} questions by setting",
            _FAMILY_WORDS[family],
            _present(
                figures.against_vanilla(evidence, family),
                figures.tense_and_sparse(evidence, family),
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
        _present(*(draw(evidence, f) for f in asked for draw in (figures.output, tables.output))),
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
        _present(*(draw(evidence, f) for f in asked for draw in (figures.fates, tables.changes))),
    )
    changed.sort(key=lambda a: (*_FLIPS_FIRST, a.at["setting"]).index(a.at["setting"]))
    names = {_key(a.at["setting"], a.at["variant"]): a.title for a in changed}
    observed = evidence.observations
    flips = flip_list(
        evidence,
        pd.Series(
            [
                _key(str(s), str(v))
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
    yield Section("instruction_boundary-items", "Items that flip", (_FLIP_RULE,), (flips,))


def _key(*condition: str) -> str:
    """A setting and its variant as flips are paired by them."""
    return "/".join(filter(None, condition))


def _extras(evidence: Evidence, asked: Sequence[Family]) -> Iterator[Section]:
    """What only some settings have: suggestions, and numbers of options."""
    suggested = [
        Slice(f"{FAMILIES[f].label}: {a.title}", a.at, f"{f}-{a.slug}")
        for f in asked
        for a in conditions(evidence, f)
        if a.at["setting"] == "conformity"
    ]
    if suggested:
        yield Section(
            "instruction_boundary-conformity",
            "Does a suggestion become the answer?",
            (
                "One sentence says what the answer is. Vanilla shows how often that answer is "
                "given anyway; below it is anti-conformity (the paper's Appendix G).",
            ),
            (figures.following(evidence, suggested), tables.following(evidence, suggested)),
        )
    if option_counts(evidence):
        yield Section(
            "instruction_boundary-number",
            "Do more wrong options distract?",
            ("The right option stands beside 1 to 9 wrong ones.",),
            (figures.by_options(evidence), tables.options(evidence)),
        )
