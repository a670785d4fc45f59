"""Instruction Boundary's tables: the paper's main results with the models under test on top."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from askew.papers.instruction_boundary.paper import (
    FAMILIES,
    SETTINGS,
    VANILLA,
    Family,
    QuestionFamily,
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


@dataclass(frozen=True)
class AskedOf:
    """What a family's questions were asked under: its place in the table, its words, its id."""

    family: Family
    condition: SettingVariant
    slug: str = ""

    @property
    def family_words(self) -> QuestionFamily:
        return FAMILIES[self.family]

    @property
    def at(self) -> Mapping[str, str]:
        """Values of levels."""
        asked = self.condition
        return {"family": self.family, "setting": asked.setting, "variant": asked.variant}

    @property
    def name(self) -> str:
        return self.condition.name

    @property
    def plain(self) -> bool:
        """Whether it is vanilla."""
        return self.condition.setting == VANILLA


def vanilla(family: Family) -> AskedOf:
    return AskedOf(family, SettingVariant(VANILLA), VANILLA)


def families(evidence: Evidence) -> list[Family]:
    """The families that were asked, judging first."""
    seen = set(evidence.rows["family"])
    return [family for family in FAMILIES if family in seen]


def conditions(evidence: Evidence, family: Family) -> list[AskedOf]:
    """What a family was asked under, in the settings' order, where that has all its forms.

    Choice questions of miscellany have one right option each, so they have accuracy only.
    """
    found = [c for c in _seen(evidence, family) if _of_all_forms(family, c)]
    order = {setting: n for n, setting in enumerate(SETTINGS)}
    found.sort(key=lambda c: order.get(c.setting, len(order)))
    return [AskedOf(family, c, _slug(c, n)) for n, c in enumerate(found)]


def others(evidence: Evidence, family: Family) -> list[AskedOf]:
    """The same without vanilla."""
    return [asked for asked in conditions(evidence, family) if not asked.plain]


def option_counts(evidence: Evidence) -> list[AskedOf]:
    """Miscellany's conditions of choice questions, by number of wrong options."""
    found = [c for c in _seen(evidence, "choice") if not _of_all_forms("choice", c)]
    counts = sorted((c for c in found if c.variant.isdecimal()), key=lambda c: int(c.variant))
    return [AskedOf("choice", c) for c in counts]


def _of_all_forms(family: Family, condition: SettingVariant) -> bool:
    setting = SETTINGS.get(condition.setting)
    return setting is None or family in setting.scored


def _seen(evidence: Evidence, family: Family) -> list[SettingVariant]:
    rows = evidence.rows
    pooled = (rows["subset"] == OVERALL) & (rows["setting"] != OVERALL)
    pairs = rows.loc[pooled & (rows["family"] == family), ["setting", "variant"]].drop_duplicates()
    return [SettingVariant(str(s), str(v)) for s, v in pairs.itertuples(index=False)]


def _slug(condition: SettingVariant, number: int) -> str:
    """The condition as a part of ids: a log may hold any text."""
    name = "-".join(filter(None, (condition.setting, condition.variant)))
    return name if _SAFE.fullmatch(name) else f"condition-{number}"


def worst(evidence: Evidence, line: Line, family: Family) -> tuple[AskedOf, Estimate] | None:
    """The condition with the lowest RS, where it is lower than vanilla's."""
    asked = _printed(evidence, family) if line.kind == "published" else conditions(evidence, family)
    before = number(evidence, "rs", line, vanilla(family))
    found = [
        (other, score)
        for other in asked
        if not other.plain and (score := number(evidence, "rs", line, other)).value < before.value
    ]
    return min(found, key=lambda pair: pair[1].value, default=None)


def _printed(evidence: Evidence, family: Family) -> list[AskedOf]:
    """The conditions that the paper prints, in its order."""
    rows = evidence.printed
    scores = rows[(rows["metric"] == "rs") & (rows["family"] == family)]
    pairs = scores[["setting", "variant"]].drop_duplicates().itertuples(index=False)
    return [AskedOf(family, SettingVariant(str(s), str(v))) for s, v in pairs]


def number(evidence: Evidence, metric: str, line: Line, asked: AskedOf) -> Estimate:
    """A model's number under one condition."""
    return evidence.number(metric, line.model, line.kind, asked.at)


def parts(asked: Sequence[AskedOf]) -> list[Slice]:
    """A slice a condition."""
    return [Slice(a.name, a.at, a.slug) for a in asked]


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
        found = worst(evidence, line, _family(at))
        if found is None:
            return Cell("none is lower")
        setting = found[0].condition
        return Cell(SETTINGS[setting.setting].label if line.kind == "published" else setting.name)

    def score(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = worst(evidence, line, _family(at))
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


def _family(at: Mapping[str, str]) -> Family:
    return next(family for family in FAMILIES if family == at["family"])


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
        parts(conditions(evidence, family)),
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

    def first_sparse(at: Mapping[str, str]) -> str:
        return list(FAMILIES[_family(at)].rates)[1]

    return table(
        evidence,
        "instruction_boundary-subsets",
        "Accuracy under vanilla by data set in percent, with 95% intervals",
        [
            Value("acc", meaning=""),
            Value("sr", meaning="tense items"),
            _sometimes("GR", first_sparse, "Unknown, or none"),
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
        [Slice(a.name, a.at) for a in conditions(evidence, family)],
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
            Slice(m.marked, lines=[Line(a.name, m.label, m.kind, a.at) for a in asked])
            for m in evidence.models
        ],
        printed=False,
        head="Setting",
        source="The paper's formula for RR did not survive, and its text calls it the change of "
        "accuracy: both are shown.",
    )


def following(evidence: Evidence, suggested: Sequence[AskedOf]) -> Table:
    """How often a suggestion is answered, against vanilla (Appendix G)."""
    metrics = ("follow_rate_vanilla", "follow_rate", "follow_gain", "moved_rate")
    return table(
        evidence,
        FOLLOWING,
        "Answers equal to the suggestion, with 95% intervals",
        [*map(Value, metrics), Items("follow_rate")],
        [Slice(f"{FAMILIES[a.family].label}: {a.name}", a.at) for a in suggested],
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
                Value("acc", a.condition.variant, "wrong", at=a.at, printed=_PRINTED)
                for a in option_counts(evidence)
            ),
            Items(),
        ],
        source=_SOURCE.format(table="table of accuracy by choice numbers"),
    )


def readings(evidence: Evidence) -> Table:
    """Who read the replies, and how many hedge or give no answer."""
    asked = {
        f: conditions(evidence, f) + (option_counts(evidence) if f == "choice" else [])
        for f in families(evidence)
    }

    def lines(model: Line) -> list[Line]:
        """All settings in one row, then those in which something was not plain."""
        shown = []
        for family, of_family in asked.items():
            head = FAMILIES[family].label
            shown.append(replace(model, head=f"{head}, all settings", at={"family": family}))
            shown += [
                replace(model, head=f"{head}, {a.name}", at=a.at)
                for a in of_family
                if any(number(evidence, m, model, a).value > 0 for m in metrics)
            ]
        return shown

    metrics = ("judge_rate", "hedge_rate", "no_answer")
    return table(
        evidence,
        "instruction_boundary-readings",
        "How replies were read, in percent, with 95% intervals",
        [
            Value("judge_rate", meaning=""),
            _sometimes("Hedges", lambda at: "hedge_rate" if "setting" in at else "", "of answers"),
            _sometimes("No answer", lambda at: "no_answer" if "setting" in at else ""),
            Items("judge_rate"),
        ],
        [Slice(model.marked, lines=lines(model)) for model in models(evidence)],
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
