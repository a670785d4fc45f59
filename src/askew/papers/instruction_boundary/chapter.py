"""Instruction Boundary's chapter: what the coverage of a prompt does to rare labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askew.papers.instruction_boundary import chapter_answer_figures as answer_figures
from askew.papers.instruction_boundary import chapter_answers as answers
from askew.papers.instruction_boundary import chapter_figures as figures
from askew.papers.instruction_boundary import chapter_tables as tables
from askew.papers.instruction_boundary.chapter_words import (
    FAMILY_NAMES,
    RATES,
    SUBSET_NAMES,
    Asked,
    across,
    conditions_of,
    estimate,
    families_of,
    keys_of,
    option_counts,
    worst_of,
)
from askew.papers.instruction_boundary.number_rows import VANILLA
from askew.papers.instruction_boundary.paper import PAPER
from askew.report.document import Block, Chapter, Estimate, Finding, Headline, Model, Section
from askew.report.evidence import Evidence
from askew.report.flips import telling_flips
from askew.schema import PERCENT, POINTS, Unit

_TITLE = "Instruction Boundary"
_DISTANCE = Unit("points", 100.0)
_FLIP_RULE = (
    "Items that a model answers right under vanilla and wrong under another setting: those that "
    "are wrong under most settings first, models and data sets taking turns. Answers to choice "
    "questions are the numbers that the options have under vanilla."
)
# The order in which a flip looks for its telling side: where the prompt pulls one way, a wrong
# answer tells most.
_TELLING = (
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
        task="instruction_boundary",
        title=_TITLE,
        question="What does the coverage of a prompt do to rare labels?",
        reference=PAPER.reference,
        headlines=tuple(_headlines(evidence)),
        sections=tuple(_sections(evidence)),
    )


def _headlines(evidence: Evidence) -> Iterator[Headline]:
    """RS under vanilla and what the worst setting costs; of choice where nothing was judged."""
    families = families_of(evidence)
    family = "judging" if "judging" in families or not families else families[0]
    prefix, suffix = ("", "") if family == "judging" else (f"{family}_", f", {family}")
    for model in evidence.models:
        score = across(evidence, "rs_vanilla", model, family)
        yield Headline(
            task="instruction_boundary",
            title=_TITLE,
            model=model,
            metric=f"{prefix}rs_vanilla",
            label=f"RS under vanilla{suffix}",
            estimate=score,
            unit=PERCENT,
            scale=(0.0, 1.0),
            sentence=_rates_in_words(evidence, model),
            finding=_worst(evidence, model),
            nothing_found="" if score.missing else "No setting lowers it.",
        )
        cost = across(evidence, "boundary_cost", model, family)
        yield Headline(
            task="instruction_boundary",
            title=_TITLE,
            model=model,
            metric=f"{prefix}boundary_cost",
            label=f"Boundary cost{suffix}",
            estimate=cost,
            unit=_DISTANCE,
            scale=(-1.0, 1.0),
            sentence=_cost_in_words(evidence, model, family, cost),
        )


def _rates_in_words(evidence: Evidence, model: Model) -> str:
    """What the model gets right under vanilla, family by family."""
    sentences = []
    for family in families_of(evidence):
        vanilla = Asked(family, VANILLA)
        rates = {r: estimate(evidence, r, model, vanilla) for r in RATES[family]}
        if any(e.missing for e in rates.values()):
            why = next(e.why for e in rates.values() if e.missing)
            sentences.append(f"{FAMILY_NAMES[family]}: can't be said ({why}).")
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


def _cost_in_words(evidence: Evidence, model: Model, family: str, cost: Estimate) -> str:
    if cost.missing:
        return f"Can't be said: {cost.why}."
    size = f"{_DISTANCE.write(abs(cost.value))} points"
    if cost.low > 0:
        said = f"The worst setting takes {size} off RS."
    elif cost.high < 0:
        said = f"Every setting lifts RS, by {size} at least."
    else:
        said = "No cost of the worst setting shown."
    worst = worst_of(evidence, model, family)
    named = f" The lowest RS is under {worst[0].name}." if worst and cost.low > 0 else ""
    others = [f for f in families_of(evidence) if f != family]
    costs = {f: across(evidence, "boundary_cost", model, f) for f in others}
    also = "".join(
        f" {FAMILY_NAMES[f]} questions: {e.text(POINTS)} points."
        for f, e in costs.items()
        if not e.missing
    )
    return f"{said}{named}{also}"


def _worst(evidence: Evidence, model: Model) -> Finding | None:
    """The largest fall of RS from vanilla, among all settings of both families."""
    falls = []
    for family in families_of(evidence):
        before = estimate(evidence, "rs", model, Asked(family, VANILLA))
        found = worst_of(evidence, model, family)
        if found:
            falls.append((before.value - found[1].value, before, *found))
    if not falls:
        return None
    _, before, asked, after = max(falls, key=lambda fall: fall[0])
    return Finding(
        f"{FAMILY_NAMES[asked.family]}, {asked.name}: RS {_rate(after)}, against {_rate(before)} "
        f"under vanilla (n = {after.n_items}).",
        tables.place(evidence, asked),
    )


def _rate(estimate: Estimate) -> str:
    return f"{PERCENT.write(estimate.value)}% ({estimate.interval(PERCENT)})"


def _sections(evidence: Evidence) -> Iterator[Section]:
    families = families_of(evidence)
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
        _present(figures.robustness(evidence), tables.overview(evidence)),
    )
    for family in families:
        yield Section(
            f"instruction_boundary-settings-{family}",
            f"{FAMILY_NAMES[family]} questions by setting",
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
        _present(
            *(
                draw(evidence, f)
                for f in families
                for draw in (answer_figures.output, answers.output)
            )
        ),
    )
    yield from _flips(evidence, families)
    yield from _extras(evidence)
    yield Section(
        "instruction_boundary-reading",
        "Who read the replies",
        (
            "Rules read a reply first; what they can't decide goes to the judge, where one is "
            "bound. A hedge, such as unclear, counts as Unknown or none.",
        ),
        (answers.readings(evidence), answers.published_judge()),
    )


_FAMILY_WORDS = {
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
    whose = "askew's own" if tuple(data) == ("bundled",) else "not the paper's"
    return (
        f"The questions are {whose}: compare the published rows in shape (which settings cost, "
        "and which labels suffer), not in level."
    )


def _flips(evidence: Evidence, families: Sequence[str]) -> Iterator[Section]:
    """What changes against vanilla, as bars, numbers and transcripts."""
    asked = [a for f in families for a in conditions_of(evidence, f)]
    others = sorted((a for a in asked if a.setting != VANILLA), key=_telling)
    if not others or len(others) == len(asked):
        return
    yield Section(
        "instruction_boundary-changes",
        "What changes against vanilla",
        ("The same items, asked under vanilla and under another setting.",),
        _present(
            *(
                draw(evidence, f)
                for f in families
                for draw in (answer_figures.fates, answers.changes)
            )
        ),
    )
    names = {**SUBSET_NAMES, **{a.key: a.name for a in others}}
    flips = telling_flips(
        evidence,
        keys_of(evidence.observations),
        VANILLA,
        list(dict.fromkeys(a.key for a in others)),
        {**names, VANILLA: "Vanilla"},
        "truth",
        _FLIP_RULE,
    )
    yield Section("instruction_boundary-items", "Telling flips", (_FLIP_RULE,), (flips,))


def _telling(asked: Asked) -> int:
    return _TELLING.index(asked.setting) if asked.setting in _TELLING else len(_TELLING)


def _extras(evidence: Evidence) -> Iterator[Section]:
    """What only some settings have: suggestions, and numbers of options."""
    suggested = [
        a
        for family in families_of(evidence)
        for a in conditions_of(evidence, family)
        if a.setting == "conformity"
    ]
    if suggested:
        yield Section(
            "instruction_boundary-conformity",
            "Does a suggestion become the answer?",
            (
                "One sentence says what the answer is. Vanilla shows how often that answer is "
                "given anyway; below it is anti-conformity (the paper's Appendix G).",
            ),
            (answer_figures.following(evidence, suggested), answers.following(evidence, suggested)),
        )
    if option_counts(evidence):
        yield Section(
            "instruction_boundary-number",
            "Do more wrong options distract?",
            ("The right option stands beside 1 to 9 wrong ones.",),
            (answer_figures.by_options(evidence), answers.options(evidence)),
        )
