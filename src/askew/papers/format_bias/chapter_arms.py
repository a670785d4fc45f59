"""Format bias: what treatments do (the paper's Section 6 and Table 18), and single items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from askew.metrics import bias_f, mitigates
from askew.papers.format_bias.arms import Mitigation, has_treatment, mitigations
from askew.papers.format_bias.chapter_words import (
    SQUARED,
    Asked,
    Place,
    arms_of,
    categories,
    category_name,
    category_slug,
    estimate,
    format_name,
    formats_of,
    prompting_name,
    promptings_of,
    sentence_case,
    subset_name,
    subsets_of,
)
from askew.papers.format_bias.mitigation import Criterion
from askew.report.document import (
    Cell,
    Column,
    Estimate,
    FlipList,
    Group,
    Model,
    Row,
    Section,
    Table,
)
from askew.report.evidence import Evidence
from askew.report.flips import telling_flips
from askew.report.published import read_table
from askew.schema import MISSING, Unit
from askew.untrusted import one_line

_PRINTED = Unit("%", digits=2)
_CHANGE = Unit("squared points", signed=True)
_ARM_NAMES: Mapping[str, str] = {
    "zero_shot": "no treatment",
    "repeat_3": "instruction given 3 times",
    "demo_1": "1 demonstration",
    "demo_5": "5 demonstrations",
    "finetuned": "fine-tuned on formatted answers",
}
_METRICS: Mapping[str, tuple[str, str]] = {
    "est_true": ("est_true", "EstTrue"),
    "fi": ("fi", "FI"),
    "sys_e": ("sys", "SysE"),
}
_SOURCE = (
    "Published rows: Long et al., LLMs Are Biased Towards Output Formats!, Table 18 (ChatGPT, "
    "MMLU, zero-shot), as printed; {what} computed here."
)
_RULE = (
    "Questions that are answered right in the format that most are right in, and score nothing in "
    "another: those that fail in most formats first. {asked}"
)


def mitigation_section(evidence: Evidence) -> Iterator[Section]:
    """The paper's verdict on every treatment that was tried; nothing where none was."""
    rows = evidence.observations
    treated = [m for m in evidence.models if has_treatment(rows, m.label)]
    if not treated:
        return
    tables = [_verdicts(evidence, treated)]
    if "wrapping" in categories(evidence):
        tables.append(_by_format(evidence))
    yield Section(
        "format_bias-mitigation",
        "Do the treatments help?",
        (
            "A treatment mitigates format bias if BiasF falls and FI rises for every format; one "
            "at 100% may stay (Section 3.2). Both arms are compared on the items that were scored "
            "in every format in both.",
            "The paper's headline, 235.33 to 0.71, is the variance of SysE; by its own Eq. 8, on "
            "EstTrue, fine-tuning takes BiasF from 61.1 to 0.93.",
        ),
        tuple(tables),
    )


def _verdicts(evidence: Evidence, treated: list[Model]) -> Table:
    groups = []
    for model in treated:
        own = evidence.of(model)
        found = mitigations(own, model.label, (), evidence.interval)
        groups.append(Group([_verdict_row(m, model) for m in found], model.marked))
    groups.append(Group(list(_published_verdicts()), "ChatGPT in the paper"))
    return Table(
        id="format_bias-mitigation-verdicts",
        caption="Treatments against the plainest arm, with 95% intervals of the change",
        head="Treatment",
        columns=[
            Column("Formats", numeric=False),
            Column("BiasF before", "squared points"),
            Column("BiasF after", "squared points"),
            Column("Change"),
            Column("FI falls or stays for", numeric=False),
            Column("Mitigates", numeric=False),
            Column("Items"),
        ],
        groups=groups,
        source=_SOURCE.format(what="BiasF of EstTrue and the verdicts are"),
    )


def _verdict_row(found: Mitigation, model: Model) -> Row:
    verdict = found.verdict
    bias = next((c for c in verdict.criteria if c.metric == "bias_f"), None)
    before, after, change = _numbers(bias, verdict.n_items, verdict.reason)
    cells = [
        Cell(category_name(verdict.category)),
        Cell(estimate=before, unit=SQUARED),
        Cell(estimate=after, unit=SQUARED),
        Cell(estimate=change, unit=_CHANGE),
        Cell(_failing(verdict.criteria)),
        Cell(_said(verdict.effective, verdict.settled, verdict.reason)),
        Cell(f"{verdict.n_items:,}"),
    ]
    return Row(one_line(found.after), cells, model.kind)


def _numbers(
    bias: Criterion | None, n_items: int, reason: str
) -> tuple[Estimate, Estimate, Estimate]:
    if bias is None:
        absent = Estimate(math.nan, reason=reason)
        return absent, absent, absent
    change = Estimate(bias.change, bias.low, bias.high, n_items, reason=reason)
    before, after = (Estimate(v, n_items=n_items, reason=reason) for v in (bias.before, bias.after))
    return before, after, change


def _failing(criteria: tuple[Criterion, ...]) -> str:
    names = [format_name(c.format) for c in criteria if c.metric == "fi" and not c.holds]
    return ", ".join(names) or ("none" if criteria else MISSING)


def _said(effective: bool | None, settled: bool, reason: str) -> str:
    if effective is None:
        return f"can't be said: {one_line(reason)}"
    return ("yes" if settled else "yes, not beyond chance") if effective else "no"


@lru_cache(maxsize=1)
def _printed() -> dict[str, dict[str, dict[str, float]]]:
    """Table 18: arm, metric, format."""
    table: dict[str, dict[str, dict[str, float]]] = {}
    for row in read_table(__package__, "table18_mitigation_chatgpt_mmlu.csv").to_dict("records"):
        metrics = table.setdefault(str(row["arm"]), {})
        metrics.setdefault(str(row["metric"]), {})[str(row["format"])] = float(row["value"])
    return table


def _published_verdicts() -> Iterator[Row]:
    arms = dict(_printed())
    plain = arms.pop("zero_shot")
    before = bias_f(list(plain["est_true"].values()))
    for name, arm in arms.items():
        after = bias_f(list(arm["est_true"].values()))
        falling = [
            f
            for f, fi in arm["fi"].items()
            if fi <= plain["fi"][f] and not fi == 100 == plain["fi"][f]
        ]
        holds = mitigates(before, after, plain["fi"], arm["fi"])
        cells = [
            Cell(category_name("wrapping")),
            Cell(estimate=Estimate(before), unit=SQUARED),
            Cell(estimate=Estimate(after), unit=SQUARED),
            Cell(estimate=Estimate(after - before), unit=_CHANGE),
            Cell(", ".join(format_name(f) for f in falling) or "none"),
            Cell("yes" if holds else "no"),
            Cell(MISSING),
        ]
        yield Row(_ARM_NAMES[name], cells, "published")


def _by_format(evidence: Evidence) -> Table:
    """Table 18: every arm's EstTrue, FI and SysE by format, with what varies over formats."""
    names = formats_of(evidence, "wrapping")
    groups = []
    for metric, (printed_as, shown) in _METRICS.items():
        rows = [_arm_row(evidence, asked, metric, names) for asked in arms_of(evidence, "wrapping")]
        for arm, metrics in _printed().items():
            values = metrics[printed_as]
            cells = [
                Cell(estimate=Estimate(values[n]), unit=_PRINTED) if n in values else Cell(MISSING)
                for n in names
            ]
            spread = Estimate(bias_f(list(values.values())))
            label = f"ChatGPT, {_ARM_NAMES[arm]}"
            rows.append(Row(label, [*cells, Cell(estimate=spread, unit=SQUARED)], "published"))
        groups.append(Group(rows, shown))
    return Table(
        id="format_bias-mitigation-formats",
        caption="Every arm by format, means over tasks and prompting, in percent",
        head="Arm",
        columns=[
            *(Column(sentence_case(format_name(n))) for n in names),
            Column("Variance", "over formats, squared points"),
        ],
        groups=groups,
        source=_SOURCE.format(what="their variances are"),
    )


def _arm_row(evidence: Evidence, asked: Asked, metric: str, names: list[str]) -> Row:
    found = [estimate(evidence, metric, asked, Place("wrapping", format=n)) for n in names]
    variance = {"est_true": "bias_f", "fi": "fi_variance"}.get(metric, "")
    if variance:
        spread = estimate(evidence, variance, asked, Place("wrapping"))
    else:
        values = [100 * e.value for e in found]
        spread = Estimate(bias_f(values) if not any(map(math.isnan, values)) else math.nan)
    return Row(
        asked.name,
        [*(Cell(estimate=e) for e in found), Cell(estimate=spread, unit=SQUARED)],
        asked.kind,
    )


def flips_section(evidence: Evidence) -> Iterator[Section]:
    """Items that one format gets right and another loses, a list a category."""
    lists = [
        found for c in categories(evidence) if (found := _flips(evidence, c)) and found.n_found
    ]
    if lists:
        yield Section(
            "format_bias-items",
            "Telling flips",
            (
                "The same question, right in one format and lost in another. Where a reply was "
                "right but could not be read in the format, the format cost the score; where the "
                "answer itself changed, the format moved it.",
            ),
            tuple(lists),
        )


def _flips(evidence: Evidence, category: str) -> FlipList | None:
    """Flips of the plainest arm and the first prompting, which pair by format alone."""
    way = promptings_of(evidence, category)[0]
    arm = min((int(float(a.demos)), int(float(a.repeat))) for a in arms_of(evidence, category))
    rows = evidence.observations
    asked = (rows["category"] == category) & (rows["prompting"] == way)
    rows = rows[asked & (rows["demos"] == arm[0]) & (rows["repeat"] == arm[1])]
    # A part of the score tells neither way.
    rows = rows[rows["score"].isin([0.0, 1.0])]
    names = formats_of(evidence, category)
    right = rows.groupby("format")["score"].sum()
    if len(right) < 2:
        return None
    best = max((n for n in names if n in right), key=lambda n: float(right[n]))
    words = {n: format_name(n) for n in names}
    where = sentence_case(category_name(category))
    return telling_flips(
        replace(
            evidence,
            task=f"format_bias-{category_slug(evidence, category)}",
            observations=rows.assign(correct=rows["score"]),
        ),
        rows["format"],
        best,
        [n for n in names if n != best],
        words | {s: subset_name(s) for s in subsets_of(evidence, category)},
        "target",
        _RULE.format(asked=f"{where}, {prompting_name(way)}; best here is {words[best]}."),
    )
