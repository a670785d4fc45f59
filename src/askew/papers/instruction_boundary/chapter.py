"""Instruction Boundary's chapter: what the coverage of a prompt does to rare labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from askew.papers.instruction_boundary import chapter_tables as tables
from askew.papers.instruction_boundary.chapter_tables import families, lowest, others, vanilla
from askew.papers.instruction_boundary.paper import (
    DISTANCE,
    FAMILIES,
    PAPER,
    SETTINGS,
    VANILLA,
    Family,
)
from askew.report.chapters import comparability, headline, rate, section, verdict_of, worst
from askew.report.document import Block, FlipList, Headline, Section
from askew.report.estimates import Estimate, Model
from askew.report.evidence import Evidence
from askew.report.flips import flip_list
from askew.report.tables import Line, Slice, Value, models
from askew.report.verdicts import Verdict
from askew.schema import PERCENT, POINTS

# The settings in which a flip is shown first: where the prompt pulls one way, a wrong answer says
# most.
_FLIPS_FIRST = (
    *("conformity", "missing_choices", "few_shot", "miscellany"),
    *("vagueness", "prompt_polishing", "multi_turn"),
)


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """RS under vanilla and what the worst setting costs; of choice where nothing was judged."""
    asked = families(evidence)
    family: Family = "judging" if "judging" in asked or not asked else asked[0]
    prefix, suffix = ("", "") if family == "judging" else (f"{family}_", f", {family}")
    at = _at(evidence, family)
    for line, model in zip(models(evidence), evidence.models, strict=True):
        # The authors' reading is there to compare levels, and bends them.
        if _all(evidence.of(model), "reading", "published"):
            none = Estimate(math.nan, reason="read by the authors' rules")
            said = "No headline: replies are read by the authors' rules, to compare levels."
            yield headline(evidence, model, "rs_vanilla", said, estimate=none)
            continue
        plain, cost = (evidence.estimate(m, model, **at) for m in ("rs_vanilla", "boundary_cost"))
        of = verdict_of(evidence, model, cost, plain)
        told = [
            headline(
                evidence,
                model,
                "rs_vanilla",
                _rates_in_words(evidence, line),
                label=f"RS under vanilla{suffix}",
                estimate=plain,
            ),
            headline(
                evidence,
                model,
                "boundary_cost",
                _cost_in_words(evidence, model, line, family, of),
                worst(_falls(evidence, line, family), of),
                of=of,
                label=f"Boundary cost{suffix}",
                estimate=cost,
                unit=DISTANCE,
            ),
        ]
        yield from (replace(one, metric=prefix + one.metric) for one in told)


def _all(observations: pd.DataFrame, column: str, value: str) -> bool:
    """Whether all choice questions have a value; what is not said of them is another."""
    if column not in observations:
        return False
    choice = observations.loc[observations["family"] == "choice", column]
    return bool(len(choice)) and bool((choice == value).all())


_RATES: Mapping[Family, str] = {
    "judging": "Judging: {sr} right on True and False, {gr} on Unknown.",
    "choice": "Choice: {sr} right where one option is right, {gr_none} where none is, {gr_multi} "
    "where several are.",
}


def _rates_in_words(evidence: Evidence, line: Line) -> str:
    """What the model gets right under vanilla, family by family."""
    said = []
    for family in families(evidence):
        declared, at = FAMILIES[family], vanilla(family).at
        rates = {name: Value(name).estimate(evidence, line, at) for name in declared.rates}
        missing = [found.why for found in rates.values() if found.missing]
        told = {name: f"{PERCENT.write(found.value)}%" for name, found in rates.items()}
        unsaid = f"{declared.label}: can't be said ({missing[0]})." if missing else ""
        said.append(unsaid or _RATES[family].format(**told))
    return " ".join(said) or "Can't be said: nothing was asked."


def _cost_in_words(
    evidence: Evidence, model: Model, line: Line, family: Family, of: Verdict
) -> str:
    cost = evidence.estimate("boundary_cost", model, **_at(evidence, family))
    if cost.missing:
        return f"Can't be said: {cost.why}."
    size = f"{DISTANCE.write(abs(cost.value))} points"
    found = lowest(evidence, line, family)
    named = f" The lowest RS is under {found[0].title}." if found else ""
    said = f"The worst setting takes {size} off RS.{named}"
    if not of.shown:
        said = f"A cost of the worst setting: {of.said}."
    for other in (f for f in families(evidence) if f != family):
        at = {"family": other}
        theirs, plain = (evidence.estimate(m, model, **at) for m in ("boundary_cost", "rs_vanilla"))
        if not theirs.missing:
            told = verdict_of(evidence, model, theirs, plain).said
            said += f" {FAMILIES[other].label} questions: {theirs.text(POINTS)} points, {told}."
    return said


def _at(evidence: Evidence, family: Family) -> dict[str, str]:
    """Where a family's numbers stand; there are no levels where nothing was asked."""
    return {"family": family} if families(evidence) else {}


def _falls(
    evidence: Evidence, line: Line, family: Family
) -> Iterator[tuple[Estimate, float, str, str]]:
    """The largest fall of RS from vanilla in a family."""
    before = Value("rs").estimate(evidence, line, vanilla(family).at)
    if found := lowest(evidence, line, family):
        asked, after = found
        yield (
            after,
            before.value - after.value,
            f"{FAMILIES[family].label}, {asked.title}: RS {rate(after)}, against "
            f"{rate(before)} under vanilla (n = {after.n_items}).",
            f"{tables.results_id(family)}-{asked.slug}",
        )


def sections(evidence: Evidence) -> Iterator[Section]:
    """What there is to show: some settings, or several data sets, may not have been asked."""
    compared = comparability(evidence.data, "(which settings cost, and which labels suffer)")
    if tuple(evidence.data) == ("paper",):
        compared = _comparable(evidence.observations)
    for name, blocks in _shown(evidence):
        if shown := tuple(blocks):
            yield section(evidence, f"{PAPER.task}-{name}", shown, comparability=compared)


def _comparable(observed: pd.DataFrame) -> str:
    """What the published rows may be compared with where the questions are the paper's."""
    questions = "The questions are the paper's, but for FLD, which it drew from as well"
    if not _all(observed, "wording", "authors"):
        some = " of some models" if "wording" in observed else ""
        return (
            f"{questions}; the prompts{some} are askew's own: compare their numbers with the "
            "published rows in shape, not in level. wording=authors asks in the authors' words."
        )
    if not _all(observed, "reading", "published"):
        return (
            f"{questions}, and the prompts are the authors': levels of choice compare with the "
            "published rows once replies are read as theirs were (reading=published)."
        )
    return (
        f"{questions}, and the prompts and the reading of choice are the authors': its levels "
        "compare with the published rows."
    )


def _shown(evidence: Evidence) -> Iterator[tuple[str, Iterable[Block]]]:
    """What there may be to show, by the name of its section."""
    asked = families(evidence)
    yield "main", tables.robustness(evidence)
    for family in asked:
        yield f"settings-{family}", tables.by_setting(evidence, family)
    yield "data", tables.by_subset(evidence)
    yield "answers", (block for f in asked for block in tables.answers(evidence, f))
    changed = [part for family in asked for part in others(evidence, family)]
    # Only where vanilla was asked too.
    if len(changed) < sum(len(tables.conditions(evidence, family)) for family in asked):
        yield "changes", (block for f in asked for block in tables.changes(evidence, f))
        yield "items", _flips(evidence, changed)
    yield "conformity", tables.following(evidence)
    yield "number", tables.by_options(evidence)
    yield "reading", (tables.readings(evidence), tables.published_judge(evidence))


def _flips(evidence: Evidence, changed: Sequence[Slice]) -> Iterator[FlipList]:
    """Flips from vanilla to other settings, each with its variant."""
    if not changed:
        return
    order = {setting: n for n, setting in enumerate(_FLIPS_FIRST)}
    first = sorted(changed, key=lambda part: order.get(part.at["setting"], len(order)))
    names = {f"{part.at['setting']}/{part.at['variant']}": part.title for part in first}
    observed, before = evidence.observations, f"{VANILLA}/"
    asked = observed["setting"].astype(str) + "/" + observed["variant"].fillna("").astype(str)
    words = {**PAPER.subset_names, **names, before: SETTINGS[VANILLA].label}
    (rule,) = section(evidence, f"{PAPER.task}-items", ()).paragraphs
    yield flip_list(evidence, asked, before, list(names), words, "truth", rule)
