"""What holds for every paper: what it declares is asked, counted, shown and judged by all."""

import json
import re
import runpy
import tomllib
from functools import cache
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from askew.analysis import summarize
from askew.decide.compare import compare
from askew.decide.gate import gate
from askew.decide.policy import Policy, Rule
from askew.decide.simulation import Simulation, simulation
from askew.papers import get_paper, names, papers
from askew.report.evidence import printed_rows
from askew.report.render import write_document
from askew.report.report import build_report
from askew.report.study import Study, levels_of
from askew.respondents.provider import respondents
from askew.schema import INTERVAL_KINDS, UNDECLARED
from askew.stats.tables import Interval
from tests.cases import cases_of
from tests.repeated import THOROUGH

ROOT = Path(__file__).resolve().parents[1]
DECLARED = runpy.run_path(str(ROOT / "docs" / "declared.py"))
QUICK = Interval(resamples=20)
TASKS = names()
# Of several wordings of an arm, or of calls of tools and their tokens: tests/bend tries these.
ELSEWHERE = cases_of(__file__, "ELSEWHERE")


def metrics_of(task: str):
    """The metrics that simulated observations have."""
    return [m for m in get_paper(task).metrics if m.name not in ELSEWHERE.get(task, ())]


# Where a task with many conditions takes seconds, it waits for the whole suite.
LONG = ("mathcomp", "format_bias")
SHORT_FIRST = [pytest.param(t, marks=pytest.mark.whole) if t in LONG else t for t in TASKS]


@cache
def everything(task: str) -> Simulation:
    """A few items of a task, asked under every condition that a user can select."""
    paper = get_paper(task)
    given = {"data": "bundled"} if paper.has_levels else {}
    return simulation(task, **{"items": 12, **given, **paper.everything})


@cache
def observed(task: str, respondent: str = "typical"):
    """Every condition beside defaults of the others; all crossings where more is asked for."""
    paper = get_paper(task)
    rows = everything(task).observations(respondent)
    if "difficulty" in paper.parameters:
        made = simulation(task, data="generated", difficulty="1-4", items=12)
        rows = pd.concat([rows, made.observations(respondent)], ignore_index=True)
    if task == "knowno":
        own = simulation(task, data=str(ROOT / "tests/papers/knowno/unlabelled.csv"))
        rows = pd.concat([rows, own.observations(respondent)], ignore_index=True)
    factors = factors_of(paper)
    if THOROUGH > 1 or not factors:
        return rows
    kept = [narrowed(rows, factor, factors).index for factor in factors]
    return rows[rows.index.isin(np.concatenate(kept))].reset_index(drop=True)


@cache
def study(task: str) -> Study:
    """What knows its numbers once they are asked for."""
    return Study(observed(task))


def numbers(task: str):
    return study(task).summary(QUICK)


@cache
def pages(task: str, folder: Path) -> tuple[str, dict]:
    document = build_report(study(task), interval=QUICK).document
    written = write_document(document, folder / f"{task}.md")
    as_json = write_document(document, folder / f"{task}.json")
    return written.read_text(encoding="utf-8"), json.loads(as_json.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    return lambda task: pages(task, folder)


def selectable(paper):
    """Factors whose values a user can choose, with each of their conditions."""
    parameters = signature(paper.make).parameters
    for factor in paper.factors:
        if factor.name in parameters and not factor.free:
            for name, condition in factor.conditions.items():
                yield factor, name, condition


def factors_of(paper):
    return list({factor.name: factor for factor, _, _ in selectable(paper)}.values())


def flat(text: str) -> str:
    """A text as words: without the marks of Markdown, in small letters."""
    return re.sub(r"[\s\\`*|]+", " ", text).lower()


# --- Conditions -------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_a_selected_condition_runs(task):
    paper = get_paper(task)
    for factor, name, _ in selectable(paper):
        made = paper.make(items=12, **{factor.name: name})
        assert {str(s.metadata[factor.name]) for s in made.dataset} == {name}, (factor.name, name)


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_the_conditions_declared_as_default_run_by_default(task):
    paper = get_paper(task)
    made = paper.make(items=12)
    for factor in factors_of(paper):
        asked = {str(s.metadata[factor.name]) for s in made.dataset}
        assert asked == set(factor.default), factor.name


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_respondent_answers_every_condition(task):
    made = everything(task)
    truths = made.truths()
    for name in respondents():
        tendencies = made.answerer.of(name)
        replies = [made.answerer.reply(truth, tendencies, name, 0) for truth in truths]
        assert all(isinstance(reply, str) for reply in replies), name


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_condition_counts_in_some_number(task):
    """Without its observations some number is another, or is not there."""
    paper = get_paper(task)
    factors = factors_of(paper)
    # Most count in a number over everything: all numbers of each part take much longer.
    ways = [paper.pooled, {}]
    for factor in factors:
        rows = narrowed(observed(task), factor, factors)
        values = rows[factor.name].astype(str)
        whole = {}
        for name in factor.conditions:
            assert (values == name).any(), (factor.name, name)
            without = rows[values != name]
            for n, given in enumerate(ways if len(without) else ()):
                if n not in whole:
                    whole[n] = paper.table(rows, interval=None, **given)
                if not whole[n].equals(paper.table(without, interval=None, **given)):
                    break
            else:
                assert without.empty, (factor.name, name)


def narrowed(rows, factor, factors):
    """Rows with all conditions of a factor and, where that leaves them, defaults of the others."""
    for other in factors:
        fewer = rows[rows[other.name].astype(str).isin(map(str, other.default))]
        if other is not factor and set(fewer[factor.name]) == set(rows[factor.name]):
            rows = fewer
    return rows


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_condition_is_shown_in_the_report_and_in_the_docs(task, report):
    paper = get_paper(task)
    shown, _ = report(task)
    docs = DECLARED["page"](paper).read_text(encoding="utf-8")
    for factor, name, condition in selectable(paper):
        said = {flat(condition.label), flat(name), flat(name.replace("_", " "))}
        assert any(words.strip() in flat(shown) for words in said), (factor.name, name)
        assert f"`{name}`" in docs, (factor.name, name)


# --- Metrics ----------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_number_is_declared_with_words_and_bounds(task):
    paper = get_paper(task)
    table = numbers(task)
    for name in table["metric"].unique():
        declared = paper.metric(name)
        assert declared is not UNDECLARED, name
        assert declared.label, name
        assert declared.interval in INTERVAL_KINDS
        values = table.loc[table["metric"] == name, ["value", "low", "high"]].to_numpy(float)
        low, high = declared.bounds
        known = values[values == values]
        assert ((known >= low - 1e-9) & (known <= high + 1e-9)).all(), (name, declared.bounds)
        below, above = values[:, 1] > values[:, 0] + 1e-9, values[:, 2] < values[:, 0] - 1e-9
        assert not (below | above).any(), name


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_declared_metric_is_measured(task):
    paper = get_paper(task)
    measured = set(numbers(task)["metric"])
    for metric in metrics_of(task):
        assert any(metric.fits(name) for name in measured), metric.name
    for headline in paper.headlines:
        # Inspect shows a level of a metric under a name that begins with the metric's.
        assert any(headline.startswith(name) for name in measured), headline


@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_number_has_an_interval_or_a_reason(task):
    table = numbers(task)
    paper = get_paper(task)
    for row in table.to_dict("records"):
        if row["low"] != row["low"]:
            none = paper.metric(row["metric"]).interval == "none"
            assert row["reason"] or none, (row["metric"], row["value"])


def parts_of(rows, factors):
    """What may be left of a run: half of it, one item, one row, or one condition alone."""
    yield rows.sample(frac=0.5, random_state=0)
    yield rows[rows["item"] == rows["item"].iloc[0]]
    yield rows.iloc[:1]
    for name in (f.name for f in factors if f.name in rows):
        yield rows[rows[name] == rows[name].iloc[0]]


@pytest.mark.whole
@pytest.mark.parametrize("task", TASKS)
def test_no_value_is_missing_without_a_reason(task):
    for rows in parts_of(observed(task), get_paper(task).factors):
        found = summarize(rows, None)
        unsaid = found[found["value"].isna() & (found["reason"] == "")]
        assert not len(unsaid), unsaid[["metric", "subset"]]


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_metric_is_in_the_report(task, report):
    page, data = report(task)
    assert {m["metric"] for m in data["metrics"]} == set(numbers(task)["metric"])
    for metric in metrics_of(task):
        assert flat(metric.label).strip() in flat(page), metric.name


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_metric_is_compared(task):
    both = Study(pd.concat([observed(task), observed(task, "random")], ignore_index=True))
    how = {"descriptive": True, "interval": QUICK, "by": levels(task)}
    compared = set(compare(both, "respondent/typical", **how).table["metric"])
    for metric in metrics_of(task):
        assert any(metric.fits(name) for name in compared), metric.name


def levels(task: str) -> tuple[str, ...]:
    """Levels of the metric table that are never pooled: an arm, a family, an output."""
    return tuple(levels_of(numbers(task).dropna(axis="columns", how="all")))


@pytest.mark.whole
@pytest.mark.parametrize("task", SHORT_FIRST)
def test_every_metric_can_be_gated(task):
    """A rule takes in numbers of each metric, and holds them against its limit."""
    metrics = metrics_of(task)
    made = numbers(task).sort_values("value", na_position="last", kind="stable")
    rules = []
    limits = {m.name: {(0, 100): 50.0, (1, 10): 5.0}.get(m.bounds, 0.5) for m in metrics}
    for metric in metrics:
        row = made[made["metric"].map(metric.fits)].iloc[0]
        at = {level: str(row[level]) for level in levels(task) if level != "subset"}
        of = {"task": task, "metric": row["metric"], "subset": row["subset"]}
        rules.append(Rule(**of, levels=at, min=limits[metric.name]))
    done = gate(Study(observed(task)), Policy(version=1, max_left_out=1, rules=rules), QUICK)
    for metric in metrics:
        checks = [c for c in done.checks if metric.fits(c.metric)]
        assert checks, metric.name
        for check in checks:
            if check.status != "inconclusive":
                kept = check.value >= limits[metric.name]
                assert check.status == ("pass" if kept else "fail"), metric.name


@pytest.mark.whole
@pytest.mark.parametrize("task", TASKS)
def test_every_metric_is_calibrated_or_gives_the_reason(task):
    paper = get_paper(task)
    made = everything(task)
    checked = {e.metric for e in made.answerer.expected(made.truths(), made.answerer.of("typical"))}
    for metric in paper.metrics:
        assert any(metric.fits(name) for name in checked) or metric.no_true_value, metric.name


# --- Files and words --------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_every_printed_number_is_of_a_declared_metric(task):
    paper, printed = get_paper(task), {*printed_rows(get_paper(task).home)["metric"]}
    # Table 18 of format bias has one that no metric is.
    assert {m for m in printed if paper.metric(m) is UNDECLARED} <= {"sys_e_variance"}


@pytest.mark.parametrize("task", TASKS)
def test_a_papers_page_contains_what_it_declares(task):
    text = DECLARED["page"](get_paper(task)).read_text(encoding="utf-8")
    assert DECLARED["with_block"](text, get_paper(task)) == text, "run: python docs/declared.py"


def test_the_page_of_observations_contains_every_declared_column():
    text = (ROOT / "docs/reference/observations.md").read_text(encoding="utf-8")
    assert DECLARED["every_column"]() in text, "run: python docs/declared.py"


# A paper without questions of its own has more doors than a task: from Python, a command, and
# treatments that anybody may add to.
@pytest.mark.parametrize("task", [p.task for p in papers() if p.has("chapter")])
def test_a_report_calls_every_function_that_a_chapter_offers(task):
    """A function that a report finds by name is lost without an error if the name changes."""
    chapter = Path(get_paper(task).part("chapter").__file__)
    report = (ROOT / "src" / "askew" / "report").glob("*.py")
    # What the console shows of a run, the task asks for.
    callers = [*report, chapter, chapter.with_name("tasks.py")]
    told = "".join(f.read_text("utf-8") for f in callers)
    told += chapter.with_suffix(".yaml").read_text("utf-8")
    offered = re.findall(r"^def ([a-z]\w*)", chapter.read_text("utf-8"), re.M)
    assert [name for name in offered if len(re.findall(rf"\b{name}\b", told)) < 2] == []


ROOMS_OF = {"bend": ("bend/", "cli/bend.py", "logs/imports.py", "treatments/")}
# Where it is a word of everyday English: what is looked for is the task's name.
NAMED_AS = {"bend": r"askew[/.:]bend|task[\w ]*bend|['\"]bend['\"]"}


def test_nothing_shared_names_a_paper():
    source = ROOT / "src" / "askew"
    named = re.compile("|".join(NAMED_AS.get(p.task, p.task) for p in papers()))
    rooms = tuple(str(source / room) for of in ROOMS_OF.values() for room in of)
    strangers = [
        f"{path.relative_to(source)}:{number}"
        for path in sorted(source.rglob("*"))
        if path.suffix in (".py", ".jinja", ".js", ".css", ".toml", ".json")
        and path.relative_to(source).parts[0] != "papers"
        and not str(path).startswith(rooms)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if named.search(line)
    ]
    assert strangers == []


def test_every_paper_is_registered_with_inspect():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    registered = project["entry-points"]["inspect_ai"]
    for paper in papers():
        assert registered[paper.task] == f"{paper.home}.tasks"
