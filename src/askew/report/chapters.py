"""A chapter for any paper: headlines and sections, its own where it declares them.

A paper's part `chapter` says what its numbers mean: `headlines(evidence)` and
`sections(evidence)`. A paper without one gets its declared headlines, and a table a metric.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from askew.files import yaml_of
from askew.logs.excluded import ASKED_OUT, STOPPED
from askew.report.document import Block, Chapter, Chart, Headline, Section, Table, WorstFinding
from askew.report.estimates import Estimate, Model
from askew.report.evidence import Evidence
from askew.report.flips import flip_list
from askew.report.tables import Items, Slice, Value, models, places, table
from askew.report.variance import variance_section
from askew.report.verdicts import Verdict, without_effect
from askew.report.verdicts import told as verdict
from askew.schema import ENOUGH_ITEMS, PERCENT
from askew.stats.intervals import ROUNDING
from askew.untrusted import one_line


def chapter(evidence: Evidence) -> Chapter:
    """All that the report says about the evidence's task."""
    paper = evidence.paper
    made = paper.part("chapter") if paper.has("chapter") else sys.modules[__name__]
    return Chapter(
        id=paper.task,
        short=paper.name,
        title=paper.name,
        question=paper.question,
        reference=paper.cited,
        headlines=tuple(_told(h, evidence) for h in made.headlines(evidence)),
        sections=tuple(
            replace(s, blocks=[_with_marks(b, evidence.apart) for b in s.blocks])
            for s in (*made.sections(evidence), variance_section(evidence))
        ),
    )


def _told(found: Headline, evidence: Evidence) -> Headline:
    """The headline of a model that was asked otherwise, or only so long, says how."""
    said = [found.sentence]
    if found.model.apart:
        how = found.model.apart.partition(" ")[2]
        said.append(f"Asked unlike the other models: {how}.")
    if evidence.losses is not None:
        lost = evidence.losses
        is_told = lost["what"].isin((STOPPED, ASKED_OUT))
        stopped = lost[is_told & (lost["model"] == found.model.label)]
        said += [f"{why[:1].upper()}{why[1:]}." for why in dict.fromkeys(stopped["why"])]
    return replace(found, sentence=" ".join(said)) if len(said) > 1 else found


def _with_marks(block: Block, apart: Mapping[str, str]) -> Block:
    """A table or figure that says what the marks at its models' names mean."""
    if isinstance(block, Table):
        names = " ".join(
            name for g in block.groups for name in (g.title, *(r.head for r in g.rows))
        )
        used = {mark: why for mark, why in apart.items() if mark in names}
        return replace(block, notes={**block.notes, **used})
    if isinstance(block, Chart):
        return replace(
            block, reading=" ".join([block.reading, *(f"{m} {why}." for m, why in apart.items())])
        )
    return block


def headline(
    evidence: Evidence,
    model: Model,
    metric: str,
    sentence: str,
    finding: WorstFinding | None = None,
    nothing_found: str = "",
    of: Verdict | None = None,
    **other: Any,
) -> Headline:
    """A model's number over everything that was asked, as its metric is declared.

    The number that the paper looks for a bend with gets its verdict here; `verdict_of` is the same.
    A finding needs a bend that is shown, and nothing found one that is ruled out.

    Args:
        evidence: the task's numbers.
        model: whose number.
        metric: its name.
        sentence: what it means for this model.
        finding: the worst thing found.
        nothing_found: what to say where there is none, and a number.
        of: the verdict, where it is not that on the whole.
        **other: fields of the headline that differ from the declaration.
    """
    declared = evidence.paper.metric(metric)
    told = Headline(
        task=evidence.task,
        title=evidence.paper.name,
        model=model,
        metric=metric,
        label=declared.label or metric.replace("_", " "),
        estimate=evidence.estimate(metric, model),
        unit=declared.unit,
        scale=declared.bounds,
        sentence=sentence,
        finding=finding,
        nothing_found=nothing_found,
    )
    told = replace(told, **other)
    bend = evidence.paper.bend
    if bend and bend.metric == metric:
        told = replace(
            told,
            verdict=of or verdict_of(evidence, model, told.estimate),
            without=without_effect(told.estimate, told.unit, declared),
        )
    return replace(told, nothing_found="") if told.estimate.missing else told


def verdict_of(
    evidence: Evidence,
    model: Model,
    found: Estimate,
    base: Estimate | None = None,
    together: int = 1,
) -> Verdict:
    """What may be said of a number that the paper looks for a bend with.

    Args:
        evidence: the task's numbers.
        model: whose number.
        found: the number, which may be of a part of what was asked.
        base: the rate that it is taken off; as declared where it is not given.
        together: of how many such numbers of the model the clearest will be picked.
    """
    bend = evidence.paper.bend
    if bend is None:
        raise ValueError(f"{evidence.task} declares no bend")
    if base is None and bend.base:
        base = evidence.estimate(bend.base, model, **bend.base_at)
    return verdict(found, evidence.paper.metric(bend.metric), base, together)


def section(
    evidence: Evidence, words: str, blocks: Iterable[Block], *, id: str = "", **filled: str
) -> Section:
    """A section in the paper's own words, as its `chapter.yaml` has them.

    Where that says what to compare `otherwise`, `comparability` is among the words that are filled.

    Args:
        evidence: the task's numbers.
        words: under which name the words stand.
        blocks: what shows it.
        id: the section's; that name where there is none.
        **filled: what stands in for the words' braces.
    """
    told = yaml_of(evidence.paper.home, "chapter.yaml")[words]
    if "otherwise" in told:
        filled["comparability"] = comparability(evidence.data, otherwise=told["otherwise"])
    said = tuple(paragraph.format(**filled) for paragraph in told["said"])
    return Section(id or words, told["title"].format(**filled), said, tuple(blocks))


def flip_section(
    evidence: Evidence, words: str, factor: str, before: str, afters: Sequence[str], right: str
) -> Section:
    """A section on flips between conditions of one factor, whose words are the rule.

    Args:
        evidence: the task's numbers.
        words: under which name the words stand.
        factor: the factor.
        before: the condition in which the item must be right.
        afters: the conditions to compare it with; the first one that is wrong is shown.
        right: the column that holds the right answer.
    """
    (rule,) = yaml_of(evidence.paper.home, "chapter.yaml")[words]["said"]
    labels = {name: evidence.label(factor, name) for name in (before, *afters)}
    names = {**evidence.paper.subset_names, **labels}
    found = flip_list(evidence, evidence.observations[factor], before, afters, names, right, rule)
    return section(evidence, words, [found])


def block_words(home: str, block: str, **filled: str) -> dict[str, Any]:
    """The id and the words of a table, or of a figure, which names the table of its numbers.

    Args:
        home: the paper's package, whose `chapter.yaml` has them.
        block: under which name: the id.
        **filled: what stands in for the braces of both.
    """
    words = yaml_of(home, "chapter.yaml")["blocks"][block]
    told = {
        key: said.format(**filled) if isinstance(said, str) else said for key, said in words.items()
    }
    own_id = "chart_id" if "table_id" in told else "table_id"
    return {**told, own_id: block.format(**filled)}


def worst(found: Iterable[tuple[Estimate, float, str, str]], of: Verdict) -> WorstFinding | None:
    """The largest of what was found; nothing where no bend is shown, or on too few items.

    Args:
        found: each with its number, its size, a sentence and the id of what shows it.
        of: the verdict on the whole that these are parts of.
    """
    some = [
        (size, said, target)
        for number, size, said, target in found
        if of.shown and size > ROUNDING and number.n_items >= ENOUGH_ITEMS
    ]
    return WorstFinding(*max(some, key=lambda one: one[0])[1:]) if some else None


def rate(found: Estimate) -> str:
    """A share in a sentence: in percent, with its interval."""
    interval = found.interval(PERCENT)
    return f"{PERCENT.write(found.value)}%{f' ({interval})' if interval else ''}"


def by_sign(found: Estimate, above: str, below: str, neither: str) -> str:
    """What is said of a difference: whether its interval lies above 0, below it, or holds it."""
    return above if found.low > 0 else below if found.high < 0 else neither


def comparability(
    data: Sequence[str], shape: str = "", what: str = "questions", otherwise: str = ""
) -> str:
    """What the published rows may be compared with.

    Args:
        data: where the questions came from.
        shape: what can be compared where the questions are others, in brackets.
        what: what the paper calls its questions.
        otherwise: all that is said of others, where it is more than their shape.
    """
    if tuple(data) == ("paper",):
        return f"The {what} are the paper's own: levels compare with the published rows."
    own = data and {*data} <= {"bundled", "generated"}
    whose = "askew's own" if own else "not the paper's"
    in_shape = f"compare the published rows in shape {shape}, not in level"
    return f"The {what} are {whose}: {otherwise or in_shape}."


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """The headlines that the paper declares."""
    known = set(evidence.rows["metric"])
    for model in evidence.models:
        for name in (m for m in evidence.paper.headlines if m in known):
            declared = evidence.paper.metric(name)
            meaning = declared.meaning.capitalize() or declared.label
            yield headline(evidence, model, name, f"{meaning}, over all subsets.")


def sections(evidence: Evidence) -> Iterator[Section]:
    """Every number that was measured, one table a metric."""
    yield Section(
        f"{evidence.task}-numbers",
        "All numbers",
        ("One table a metric: as measured at every level, and over all of them.",),
        tuple(_tables(evidence)),
    )


def _tables(evidence: Evidence) -> Iterator[Table]:
    for number, metric in enumerate(dict.fromkeys(map(str, evidence.rows["metric"]))):
        declared = evidence.paper.metric(metric)
        yield table(
            evidence,
            f"{evidence.task}-metric-{number}",
            one_line(declared.label or metric.replace("_", " ")),
            [Value(metric, declared.unit.name or "value"), Items(metric)],
            [
                Slice(model.marked, lines=list(places(evidence, [metric], model, evidence.levels)))
                for model in models(evidence)
            ],
            printed=False,
            head=", ".join(evidence.levels) or "level",
        )
