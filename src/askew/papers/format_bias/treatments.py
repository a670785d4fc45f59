"""Does a treatment mitigate format bias? By Section 3.2 BiasF falls and FI rises or stays full."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from askew.files import yaml_of
from askew.papers.format_bias.numbers import analyse_rows, prepare
from askew.papers.format_bias.paper import PAPER, PLAIN, demonstrations_label, repetitions_label
from askew.report.blocks import Table, make_table
from askew.stats import intervals
from askew.stats.tables import DEFAULT_INTERVAL, OVERALL, Analysis, Interval
from askew.untrusted import one_line

# Whoever asks for these asks what moves them.
METRICS = ("bias_f", "fi")
HOW_TO_ASK = "-T demos=0,5 or -T repeat=1,3"
_ARM = tuple(PLAIN)


@dataclass(frozen=True)
class Criterion:
    """One thing that has to change, and how it did, with the interval of its change."""

    metric: str  # "bias_f" (squared points) or "fi" (a fraction)
    format: str  # the format for "fi", "all" for "bias_f"
    before: float
    after: float
    low: float
    high: float

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def holds(self) -> bool | None:
        """Whether it goes the right way; None where a value is not defined."""
        if self.metric == "fi":
            return fi_holds(self.before, self.after)
        return None if math.isnan(self.change) else intervals.exceeds(self.before, self.after)

    @property
    def settled(self) -> bool:
        """Whether the whole interval lies on the right side."""
        if self.metric == "bias_f":
            return bool(self.holds) and self.high < 0
        stays = not intervals.exceeds(self.after, self.before)
        return self.low > 0 or (bool(self.holds) and stays)


@dataclass(frozen=True)
class Verdict:
    """Whether a treatment mitigates the bias of one category of formats."""

    category: str
    criteria: tuple[Criterion, ...] = ()  # BiasF first, then FI of each format
    n_items: int = 0  # answered in every format in both arms
    n_dropped: int = 0
    reason: str = ""  # why there is no verdict, where there is none

    @property
    def effective(self) -> bool | None:
        """Whether both criteria hold; None where they can't be told."""
        met = [c.holds for c in self.criteria]
        return None if None in met or not met else all(met)

    @property
    def settled(self) -> bool:
        """Whether they hold with their whole intervals."""
        return self.effective is not None and all(c.settled for c in self.criteria)

    @property
    def said(self) -> str:
        if self.effective is None:
            return f"no verdict ({self.reason})"
        if self.effective:
            sure = "" if self.settled else ", though not beyond chance"
            return f"mitigated{sure}: BiasF falls and FI rises for every format"
        bias, *fi = self.criteria
        flat = ", ".join(c.format for c in fi if not c.holds)
        why = ["BiasF does not fall"] * (not bias.holds)
        return f"not mitigated: {'; '.join(why + [f'FI does not rise for {flat}'] * bool(flat))}"

    def __str__(self) -> str:
        return f"{self.category}: {self.said}"


def mitigates(
    bias_before: float, bias_after: float, fi_before: Mapping[str, float],
    fi_after: Mapping[str, float],
) -> bool:  # fmt: skip
    """Apply the paper's two criteria: BiasF falls, and FI rises for every format.

    Args:
        bias_before: BiasF without the mitigation.
        bias_after: BiasF with it.
        fi_before: FI by format, in percent or as fractions.
        fi_after: FI by format with the mitigation, in the same unit.

    Returns:
        Whether both hold.

    Example:
        >>> mitigates(25.0, 4.0, {"bold": 0.8}, {"bold": 0.9})
        True
    """
    if set(fi_before) != set(fi_after):
        differing = sorted(set(fi_before) ^ set(fi_after))
        raise ValueError(f"FI is known in only one arm for {', '.join(differing)}")
    full = 100.0 if max([*fi_before.values(), *fi_after.values()]) > 1 else 1.0
    return intervals.exceeds(bias_before, bias_after) and all(
        fi_holds(fi_before[name], fi_after[name], full) for name in fi_before
    )


def fi_holds(before: float, after: float, full: float = 1.0) -> bool:
    """Whether FI rises, or stays where every reply follows the format."""
    stays = all(math.isclose(fi, full, abs_tol=intervals.ROUNDING) for fi in (before, after))
    return intervals.exceeds(after, before) or stays


def mitigation_verdict(
    before: pd.DataFrame, after: pd.DataFrame, interval: Interval = DEFAULT_INTERVAL, *,
    zero_filled: bool = False,
) -> list[Verdict]:  # fmt: skip
    """Compute the paper's verdict on a mitigation, for each category of formats in both arms.

    Both arms are compared on the items that were scored in every format in both, and resampled
    together.

    Args:
        before: Observations of one model in one arm.
        after: Observations of the same model in the other arm.
        interval: How to compute intervals.
        zero_filled: EstTrue is 0, as in the paper, if no reply follows a format.

    Returns:
        One verdict per category.
    """
    for rows, what in ((before, "before"), (after, "after")):
        for column in ("model", *_ARM):
            if column in rows and rows[column].nunique() > 1:
                values = ", ".join(map(str, rows[column].unique()))
                raise ValueError(f"{what}: one {column} is compared at a time; there are {values}")
    arms = [prepare(before), prepare(after)]
    of = ((c, [arm[arm["category"] == c] for arm in arms]) for c in arms[0]["category"].unique())
    return [_verdict(str(c), own, interval, zero_filled) for c, own in of if len(own[1])]


def _verdict(
    category: str, arms: list[pd.DataFrame], interval: Interval, zero_filled: bool
) -> Verdict:
    if only_one := set(arms[0]["format"]) ^ set(arms[1]["format"]):
        reason = f"asked in one arm only: {', '.join(sorted(map(str, only_one)))}"
        return Verdict(category, reason=reason)
    # Items that were scored in every format in both arms, the arm in `demos`.
    each = [arm.assign(demos=place, repeat=1) for place, arm in enumerate(arms)]
    rows = pd.concat(each, ignore_index=True)
    mark = rows["format"].astype(str) + "/" + rows["demos"].astype(str)
    group = [rows[c] for c in ("subset", "item", "prompting")]
    seen = mark.groupby(group, sort=False).transform("nunique")
    whole = seen == rows["format"].nunique() * len(arms)
    items = rows["subset"].astype(str) + "/" + rows["item"].astype(str)
    n_items = int(items[whole].nunique())
    n_dropped = int(items.nunique()) - n_items
    if not n_items:
        reason = "no item was scored in every format in both arms"
        return Verdict(category, n_dropped=n_dropped, reason=reason)
    analysis = analyse_rows(rows[whole], zero_filled=zero_filled, pooled_only=True)
    numbers = analysis.observed.values()
    reasons = dict.fromkeys(q.reason for q in numbers if np.isnan(q.values[0]))
    criteria = tuple(_criteria(analysis, interval))
    return Verdict(category, criteria, n_items, n_dropped, "; ".join(filter(None, reasons)))


def _criteria(analysis: Analysis, interval: Interval) -> Iterator[Criterion]:
    """BiasF, and FI by format, in both arms."""
    resampled = analysis.statistic(analysis.table.resampled(interval.resamples, interval.seed))
    places = {(str(key[0]), str(key[3]), key[5]): key for key in resampled}
    formats = sorted({name for _, name, _ in places} - {OVERALL})
    n_clusters = len(analysis.table.features)
    for metric, name in [("bias_f", OVERALL), *(("fi", name) for name in formats)]:
        of_arm = [places[metric, name, arm] for arm in range(2)]
        was, now = (analysis.observed[key].value for key in of_arm)
        before, after = (resampled[key].values for key in of_arm)
        change, drawn, most = now - was, after - before, 1.0
        if metric == "bias_f":
            drawn, most = intervals.subtract_noise(change, drawn), math.inf
        low, high = intervals.expanded_interval(
            change, drawn, n_clusters, n_clusters - 1, (-most, most), interval.level
        )
        yield Criterion(metric, name, was, now, low, high)


def compare_arms(
    rows: pd.DataFrame, baseline: str, others: Sequence[str], interval: Interval
) -> Table | None:
    """The verdicts on the arms of each model, then on other models in the baseline's place."""
    found = list(mitigations(rows, baseline, others, interval))
    if not found:
        return None
    records = [
        {"before": before, "after": after, "formats": v.category, "effective": v.effective,
         "settled": v.settled, "n_items": v.n_items, "verdict": str(v)}
        for before, after, v in found
    ]  # fmt: skip
    # A model in the baseline's place comes behind the treatments within each model.
    places = sorted(found, key=lambda judged: judged[1] in others)
    rows_shown = (
        {"before": before, "after": after, "v": v, "between": after in others,
         "bias": next((c for c in v.criteria[:1] if not math.isnan(c.change)), None)}
        for before, after, v in places
    )  # fmt: skip
    words = yaml_of(__package__, "chapter.yaml")["words"]["mitigation"]
    made = make_table(words, rows_shown, "mitigation", task=PAPER.task, one_line=one_line)
    return replace(made, records=records)


def mitigations(
    rows: pd.DataFrame, baseline: str, models: Sequence[str], interval: Interval
) -> Iterator[tuple[str, str, Verdict]]:
    """Each treatment in words, from what to what, with the verdict on it for each category.

    Treatments are demonstrations and repeats within a model, and models: one is a treatment of
    the baseline in the sense of the paper's fine-tuning, the same arm asked of both.
    """
    # Every arm of every model, the plainest first.
    of: dict[str, dict[str, pd.DataFrame]] = {model: {} for model in (baseline, *models)}
    if len(rows):
        for (model, *arm), part in prepare(rows).groupby(["model", *_ARM], sort=True):
            demos, repeat = (int(str(n)) for n in arm)
            shown = demonstrations_label(demos) if demos else "no demonstration"
            of.setdefault(str(model), {})[f"{shown}, {repetitions_label(repeat)}"] = part
    pairs = [
        (f"{model}, {plain}", arm, of[model][plain], of[model][arm])
        for model in (baseline, *models)
        for plain in [*of[model]][:1]
        for arm in [*of[model]][1:]
    ]
    pairs += [
        (f"{baseline}, {arm}", model, before, of[model][arm])
        for model in models
        for arm, before in of[baseline].items()
        if arm in of[model]
    ]
    for before, after, plain_rows, treated_rows in pairs:
        for verdict in mitigation_verdict(plain_rows, treated_rows, interval):
            yield before, after, verdict


def has_treatment(rows: pd.DataFrame, label: str) -> bool:
    """Whether a model was asked with and without a treatment."""
    own = prepare(rows[rows["model"] == label])
    return len(own[list(_ARM)].drop_duplicates()) > 1
