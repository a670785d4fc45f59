"""Write what each paper declares into its page: `python docs/declared.py` (or `--check`).

A page holds the tables between two marks; whatever stands there is replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path

from askew.papers import papers
from askew.schema import INTERVAL_KINDS, Metric, Paper

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- declared -->", "<!-- /declared -->"


def block(paper: Paper) -> str:
    """The tables of a paper's conditions and metrics, between their marks."""
    return "\n".join([BEGIN, "", *_conditions(paper), "", *_metrics(paper), "", END])


def _conditions(paper: Paper) -> list[str]:
    lines = [
        "| factor | value | shown as | what it does | asked by default |",
        "|---|---|---|---|---|",
    ]
    for factor in paper.factors:
        for name, condition in factor.conditions.items():
            asked = "of the data" if factor.free else "yes" if condition.asked else "no"
            words = (factor.name, f"`{name}`", condition.label, condition.meaning, asked)
            lines.append(_row(words))
    return lines


def _metrics(paper: Paper) -> list[str]:
    lines = [
        "| metric | shown as | what it says | unit | bounds | better | matters from | interval "
        "| null |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    kinds = dict.fromkeys(m.interval for m in paper.metrics)
    legend = "; ".join(f"*{kind}*: {INTERVAL_KINDS[kind]}" for kind in kinds)
    told = f"Intervals: {legend}. Nulls: what trades places where there is no effect."
    return [*lines, *(_row(_words(m)) for m in paper.metrics), "", told]


def _words(metric: Metric) -> tuple[str, ...]:
    unit = metric.unit
    low, high = (f"{bound * unit.factor:g}" for bound in metric.bounds)
    margin = "" if metric.better == "neither" else f"{metric.margin * unit.factor:g}"
    null = metric.null.trading if metric.null else "-"
    return (f"`{metric.name}`", metric.label, metric.meaning, unit.name or "-", f"{low} to {high}",
            metric.better, margin or "-", metric.interval, null)  # fmt: skip


def _row(words: tuple[str, ...]) -> str:
    return "| " + " | ".join(word.replace("|", "\\|") for word in words) + " |"


def page(paper: Paper) -> Path:
    return HERE / f"{paper.task}.md"


def with_block(text: str, paper: Paper) -> str:
    """A page's text with the declared tables in their place: at its end where it has none yet."""
    if BEGIN not in text:
        text = f"{text.rstrip()}\n\n## Conditions and metrics, as declared\n\n{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    return before + block(paper) + rest.partition(END)[2]


def main() -> int:
    stale = []
    for paper in papers():
        file = page(paper)
        text = file.read_text(encoding="utf-8")
        wanted = with_block(text, paper)
        if wanted != text:
            stale.append(file.name)
            if "--check" not in sys.argv:
                file.write_text(wanted, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"not what is declared: {', '.join(stale)}; run python docs/declared.py")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
