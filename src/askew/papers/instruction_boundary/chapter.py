"""Instruction Boundary's chapter: what the coverage of a prompt does to rare labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from askew.papers.instruction_boundary import chapter_tables as tables
from askew.papers.instruction_boundary.chapter_tables import (
    conditions,
    families,
    lowest,
    others,
    vanilla,
)
from askew.papers.instruction_boundary.paper import (
    DISTANCE,
    FAMILIES,
    PAPER,
    SETTINGS,
    VANILLA,
    Family,
)
from askew.report.chapters import by_sign, comparability, headline, rate, worst
from askew.report.document import Estimate, FlipList, Headline, Section
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
    # There are no levels where nothing was asked.
    at = {"family": family} if asked else {}
    for line, model in zip(models(evidence), evidence.models, strict=True):
        cost = evidence.estimate("boundary_cost", model, **at)
        told = [
            headline(
                evidence,
                model,
                "rs_vanilla",
                _rates_in_words(evidence, line),
                worst(_falls(evidence, line)),
                "No setting lowers it.",
                label=f"RS under vanilla{suffix}",
                estimate=evidence.estimate("rs_vanilla", model, **at),
            ),
            headline(
                evidence,
                model,
                "boundary_cost",
                _cost_in_words(evidence, line, family, cost),
                label=f"Boundary cost{suffix}",
                estimate=cost,
                unit=DISTANCE,
            ),
        ]
        yield from (replace(one, metric=prefix + one.metric) for one in told)


_RATES: Mapping[Family, str] = {
    "judging": "Judging: {sr} right on True and False, {gr} on Unknown.",
    "choice": "Choice: {sr} right where one option is right, {gr_none} where none is, {gr_multi} "
    "where several are.",
}


def _rates_in_words(evidence: Evidence, line: Line) -> str:
    """What the model gets right under vanilla, family by family."""
    sentences = []
    for family in families(evidence):
        declared, at = FAMILIES[family], vanilla(family).at
        rates = {name: Value(name).estimate(evidence, line, at) for name in declared.rates}
        missing = [found.why for found in rates.values() if found.missing]
        told = {name: f"{PERCENT.write(found.value)}%" for name, found in rates.items()}
        sentences.append(
            f"{declared.label}: can't be said ({missing[0]})."
            if missing
            else _RATES[family].format(**told)
        )
    return " ".join(sentences) or "Can't be said: nothing was asked."


def _cost_in_words(evidence: Evidence, line: Line, family: Family, cost: Estimate) -> str:
    if cost.missing:
        return f"Can't be said: {cost.why}."
    size = f"{DISTANCE.write(abs(cost.value))} points"
    found = lowest(evidence, line, family)
    named = f" The lowest RS is under {found[0].title}." if found else ""
    said = by_sign(
        cost,
        f"The worst setting takes {size} off RS.{named}",
        f"Every setting lifts RS, by {size} at least.",
        "No cost of the worst setting shown.",
    )
    for other in (f for f in families(evidence) if f != family):
        theirs = Value("boundary_cost").estimate(evidence, line, {"family": other})
        if not theirs.missing:
            said += f" {FAMILIES[other].label} questions: {theirs.text(POINTS)} points."
    return said


def _falls(evidence: Evidence, line: Line) -> Iterator[tuple[float, str, str]]:
    """The largest fall of RS from vanilla in each family."""
    for family in families(evidence):
        before = Value("rs").estimate(evidence, line, vanilla(family).at)
        found = lowest(evidence, line, family)
        if found:
            asked, after = found
            yield (
                before.value - after.value,
                f"{FAMILIES[family].label}, {asked.title}: RS {rate(after)}, against "
                f"{rate(before)} under vanilla (n = {after.n_items}).",
                f"{tables.results_id(family)}-{asked.slug}",
            )


# --- Sections -----------------------------------------------------------------------------------

_FAMILY_WORDS: Mapping[Family, str] = {
    "judging": "Facts and a conclusion that is true, false, or unknown. Half of the items are "
    "Unknown.",
    "choice": "Options of which one, none or several are right, a third of the items each. RS is "
    "the harmonic mean of all three rates, and 0 where one of them is.",
}


def sections(evidence: Evidence) -> Iterator[Section]:
    """What there is to show: some settings, or several data sets, may not have been asked."""
    return (section for section in _sections(evidence) if section.blocks)


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
            # What the published rows may be compared with.
            "The questions are the paper's, but for FLD, which it drew from as well, and our own "
            "wording of the prompts it does not print: levels compare with care."
            if tuple(evidence.data) == ("paper",)
            else comparability(evidence.data, "(which settings cost, and which labels suffer)"),
        ),
        tables.robustness(evidence),
    )
    for family in asked:
        yield Section(
            f"instruction_boundary-settings-{family}",
            f"{FAMILIES[family].label} questions by setting",
            (_FAMILY_WORDS[family],),
            tuple(tables.by_setting(evidence, family)),
        )
    yield Section(
        "instruction_boundary-data", "Data set by data set", (), tuple(tables.by_subset(evidence))
    )
    yield Section(
        "instruction_boundary-answers",
        "Which labels are answered",
        (
            "A model may be right often and still hardly ever give a label that is often true. "
            "The output rate is the share of each label among the answers; replies without an "
            "answer don't count.",
        ),
        tuple(block for family in asked for block in tables.answers(evidence, family)),
    )
    changed = [part for family in asked for part in others(evidence, family)]
    if len(changed) < sum(len(conditions(evidence, family)) for family in asked):
        yield Section(
            "instruction_boundary-changes",
            "What changes against vanilla",
            ("The same items, asked under vanilla and under another setting.",),
            tuple(block for family in asked for block in tables.changes(evidence, family)),
        )
        flips = (_flips(evidence, changed),) if changed else ()
        yield Section("instruction_boundary-items", "Items that flip", (_FLIP_RULE,), flips)
    yield Section(
        "instruction_boundary-conformity",
        "Does a suggestion become the answer?",
        (
            "One sentence says what the answer is. Vanilla shows how often that answer is given "
            "anyway; below it is anti-conformity (the paper's Appendix G).",
        ),
        tuple(tables.following(evidence)),
    )
    yield Section(
        "instruction_boundary-number",
        "Do more wrong options distract?",
        ("The right option stands beside 1 to 9 wrong ones.",),
        tuple(tables.by_options(evidence)),
    )
    yield Section(
        "instruction_boundary-reading",
        "Who read the replies",
        (
            "Rules read a reply first; what they can't decide goes to the judge, where one is "
            "bound. A hedge, such as unclear, counts as Unknown or none.",
        ),
        (tables.readings(evidence), tables.published_judge(evidence)),
    )


def _flips(evidence: Evidence, changed: list[Slice]) -> FlipList:
    """Flips from vanilla to other settings, each with its variant."""
    order = {setting: n for n, setting in enumerate(_FLIPS_FIRST)}
    changed.sort(key=lambda part: order.get(part.at["setting"], len(order)))
    names = {f"{part.at['setting']}/{part.at['variant']}": part.title for part in changed}
    observed, before = evidence.observations, f"{VANILLA}/"
    asked = observed["setting"].astype(str) + "/" + observed["variant"].fillna("").astype(str)
    words = {**PAPER.subset_names, **names, before: SETTINGS[VANILLA].label}
    return flip_list(evidence, asked, before, list(names), words, "truth", _FLIP_RULE)
