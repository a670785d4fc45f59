"""Instruction Boundary's tables: the paper's main results with the models under test on top."""

from __future__ import annotations

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
from askew.report.document import Cell, Estimate, Table
from askew.report.evidence import OVERALL, Evidence
from askew.report.tables import Items, Line, Slice, Value, Words, models, table
from askew.schema import MISSING, Unit

OVERVIEW = "instruction_boundary-overview"
OPTIONS = "instruction_boundary-options"
FOLLOWING = "instruction_boundary-following"
_SOURCE = "Published rows: Ling et al., Instruction Boundary, {table}, in percent as printed."
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_SAFE = re.compile(r"[a-z0-9_+-]{1,60}")


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


def worst(evidence: Evidence, line: Line, family: str) -> tuple[Slice, Estimate] | None:
    """The condition with the lowest RS, where it is lower than vanilla's."""
    score = Value("rs")
    asked = others(evidence, family)
    if line.kind == "published":
        printed = evidence.printed
        pairs = _pairs(printed[printed["metric"] == "rs"], family)
        asked = [_asked(family, c) for c in pairs]
    before = score.estimate(evidence, line, vanilla(family).at).value
    scores = [(part, score.estimate(evidence, line, part.at)) for part in asked]
    lower = [pair for pair in scores if pair[1].value < before]
    return min(lower, key=lambda pair: pair[1].value, default=None)


# --- Tables -------------------------------------------------------------------------------------


def results_id(family: Family) -> str:
    """The table of a family's accuracy, rates and RS by setting."""
    return f"instruction_boundary-{family}"


def output_id(family: Family) -> str:
    """The table of a family's output rates by setting."""
    return f"instruction_boundary-output-{family}"


def changes_id(family: Family) -> str:
    """The table of a family's changes against vanilla."""
    return f"instruction_boundary-changes-{family}"


def overview(evidence: Evidence) -> Table:
    """RS under vanilla, the worst setting, and what it costs."""

    def named(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = worst(evidence, line, at["family"])
        if found is None:
            return Cell("none is lower")
        setting = found[0].at["setting"]
        return Cell(SETTINGS[setting].label if line.kind == "published" else found[0].title)

    def score(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = worst(evidence, line, at["family"])
        value = Value("rs", printed=_PRINTED, at=found[0].at if found else {})
        return value.cell(evidence, line, at) if found else Cell(MISSING)

    return table(
        evidence,
        OVERVIEW,
        "Robustness under vanilla and in the worst setting, with 95% intervals",
        [
            Value("rs_vanilla", "RS under vanilla", "in percent", printed=_PRINTED),
            Words("Worst setting", named, "lowest RS"),
            Words("RS there", score, "in percent", numeric=True),
            Value("boundary_cost", printed=_PRINTED_POINTS),
            Items("boundary_cost", "scored in all settings"),
        ],
        [Slice(f"{FAMILIES[f].label} questions", {"family": f}, f) for f in families(evidence)],
        source=_SOURCE.format(table="Table 3 and the table of RS")
        + " Their worst setting and its cost are computed here from the 6 settings printed beside "
        "vanilla, and so is RS of choice, which is not printed.",
    )


def results(evidence: Evidence, family: Family) -> Table:
    """Accuracy, SR, GR and RS by setting (Table 3)."""
    rates = FAMILIES[family].rates
    told = {
        "judging": " RS is from the paper's own table of it.",
        "choice": " The paper prints no RS for choice: it is computed here.",
    }
    return table(
        evidence,
        results_id(family),
        f"{FAMILIES[family].label}: accuracy by setting in percent, with 95% intervals",
        [
            Value("acc", meaning="", printed=_PRINTED),
            *(Value(name, r.label, r.meaning, printed=_PRINTED) for name, r in rates.items()),
            Value("rs", printed=_PRINTED),
            Items("acc"),
        ],
        conditions(evidence, family),
        source=_SOURCE.format(table="Table 3") + told[family],
    )


def by_subset(evidence: Evidence) -> Table | None:
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
        return None

    first_sparse: Mapping[str, str] = {f: list(family.rates)[1] for f, family in FAMILIES.items()}
    return table(
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


def output(evidence: Evidence, family: Family) -> Table:
    """Shares of each label among the answers, and in the truth."""
    asked = FAMILIES[family]
    source = ""
    if family == "judging":
        source = _SOURCE.format(table="table of output rates") + (
            " The text at hand does not say under which setting they were taken; they stand "
            "beside vanilla. The heads of its three columns on choice did not survive."
        )
    answers = table(
        evidence,
        output_id(family),
        f"{asked.label}: shares of answers in percent, with 95% intervals",
        [
            *(Value(f"or_{form}", meaning="", printed=_PRINTED) for form in asked.answers),
            Value("or_distance"),
            Items("or_distance"),
        ],
        [Slice(a.title, a.at) for a in conditions(evidence, family)],
        source=source,
    )
    none = Words("", lambda *_: Cell(MISSING))
    truth = table(
        evidence,
        output_id(family),
        "",
        [*(Value(f"truth_{f}") if f in asked.forms else none for f in asked.answers), none,
         Items("acc")],
        [Slice("In the truth, under vanilla", vanilla(family).at)],
        printed=False,
    )  # fmt: skip
    return replace(answers, groups=[*truth.groups, *answers.groups])


def changes(evidence: Evidence, family: Family) -> Table | None:
    """What becomes of vanilla's answers: RR, and its two readings."""
    asked = others(evidence, family)
    if not asked:
        return None
    return table(
        evidence,
        changes_id(family),
        f"{FAMILIES[family].label}: against vanilla, on the same items, with 95% intervals",
        [*map(Value, ("rr", "acc_change", "right_to_wrong", "wrong_to_right")), Items("rr")],
        [
            Slice(line.marked, lines=[replace(line, head=a.title, at=a.at) for a in asked])
            for line in models(evidence)
        ],
        printed=False,
        head="Setting",
        source="The paper's formula for RR did not survive, and its text calls it the change of "
        "accuracy: both are shown.",
    )


def following(evidence: Evidence, suggested: Sequence[Slice]) -> Table:
    """How often a suggestion is answered, against vanilla (Appendix G)."""
    metrics = ("follow_rate_vanilla", "follow_rate", "follow_gain", "moved_rate")
    return table(
        evidence,
        FOLLOWING,
        "Answers equal to the suggestion, with 95% intervals",
        [*map(Value, metrics), Items("follow_rate")],
        [Slice(a.title, a.at) for a in suggested],
        printed=False,
    )


def options(evidence: Evidence) -> Table:
    """Accuracy by number of wrong options (the paper's table of choice numbers)."""
    return table(
        evidence,
        OPTIONS,
        "Accuracy by number of wrong options in percent, with 95% intervals",
        [
            *(
                Value("acc", a.at["variant"], "wrong", at=a.at, printed=_PRINTED)
                for a in option_counts(evidence)
            ),
            Items(),
        ],
        source=_SOURCE.format(table="table of accuracy by choice numbers"),
    )


def readings(evidence: Evidence) -> Table:
    """Who read the replies, and how many hedge or give no answer."""
    families_asked = families(evidence)
    unhedged = {f"{FAMILIES[f].hedged}_no_hedge": f for f in families_asked}

    def lines(model: Line) -> Iterator[Line]:
        """All settings in one row, then those in which something was not plain."""
        for family in families_asked:
            head = FAMILIES[family].label
            yield replace(model, head=f"{head}, all settings", at={"family": family})
            asked = conditions(evidence, family)
            for part in [*asked, *(option_counts(evidence) if family == "choice" else [])]:
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


_NOT_PLAIN = ("judge_rate", "hedge_rate", "no_answer")


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
