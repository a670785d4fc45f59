"""Nothing is lost: what askew asks, reads, computes, decides and offers is what it was.

`freeze.py` wrote down each part before the modules moved; here each is computed by the code at
hand. The frozen logs were written by the code of that time and must be read as they were.
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import Any

import pytest

from askew.statistics.tables import NULL_COLUMNS
from tests.frozen import freeze
from tests.repeated import THOROUGH

# Differences that are meant: by part, patterns of keys ("samples/*/target") with the reason.
_ABLATION = "the ablation has an accuracy of its own beside its change: every condition counts"
_ZEROS = "calibration also checks what no respondent does, and the ablation"
_DOCUMENT = "comparisons, gates, plans and certificates are written as any document is, html too"
_TREATMENTS = "what a paper says of its treatments is told where somebody asks for it"
_COMPARED = (
    "compare corrects by resamples, says no difference by two tests, counts the items for 80 % "
    "power, takes noise off, and compares what was asked alike"
)
_EXAMPLES = "the examples are of metrics as papers declare them"
_GROUPS = "a table's groups stand in its first column"
_POINTS = "pulls, shifts, relief and gaps are differences: written in points"
_GATE = "the gate decides on simultaneous intervals, and takes no simulated models unasked"
_READINGS = "calibration also checks strict and lenient readings, and who reads"
_PARTS = "settings with parts are two parameters, variants and logic; each part may be given alone"
_READING = "rarely used parameters are parts of one, reading; each may be given alone"
_GROUPED = "which framings and which scenarios are asked are parts of two parameters"
_VARIANTS = "variants are declared one by one, so each is named with its meaning"
_MOST = "FI can vary by at most 2,500 squared points"
_SCORES = "calibration also checks MBS, its core, and replies without an answer"
_IMPORTED = "registered once its module is imported, as another test may have done"
_FLIPS = "no half-cute names: items that flip"
_OTHERS = "every declared metric is shown: other numbers, and rates without hedges"
_MARKS = "marks of corrected cells are numbered as they appear"
_BRACKETS = "no empty brackets where there is no interval"
_UNIT = "a printed number stands in JSON in the unit that it names"
_REPLIES = "replies to all tasks are taken, and shown by a template"
_SEEDS = (
    "plans average over seeds and say power; certificates try nulls and say what they can't see"
)
_INTERVALS = "bounds of parts carried through, resamples rescaled by stratum: values did not move"
_NULLS = "numbers that noise moves stand beside what a model without the effect shows"
_HEADLINE = "BiasF's headline has its noise taken off and says what noise alone shows"
_SPLIT = "where the variance comes from"
_MEANS = "means over models, as the paper prints them, follow in rows of their own"
_RANKED = "what the authors' script makes of a ranking is recorded"
_CONSOLE = "what Inspect shows can be chosen, and the headline has its interval"
_MISSPELT = "a misspelt parameter is refused with the nearest name, by a task that takes any"
_NOTEBOOK = "narrow tables and figures for notebooks"
_HELP = "help says what may be given"
_BENT = "there is a sixth task, which bends those of others"
_LETTER = (
    "a version has the letter of its interface; both revisions in it stand in the metadata too"
)
_CARD = "a page a model, for whoever decides on it"
_EXCHANGE = "runs in the form of Every Eval Ever, and back"
_CITED = "a paper is named with its number"
_HARD = "hard questions take turns with core ones, some of which are mended"
# Of a task's run: a choice of numbers, the ends of an interval.
_STOPS = "a run stops once its headline is known well enough"
_TIERS = "bundled questions stand in tiers"
_CEILINGS = "where questions are too easy to tell models apart is said, in data too"
_DISCERNS = "none may be said with the right option on offer too, and stands anywhere"
_SHOWN: Mapping[str, str] = {
    f"*/task/{key}": _CONSOLE
    for key in ("parameters/metrics", "metrics/*_low", "metrics/*_high", "scorers/*/metrics/*")
} | {
    "*/task/steps/*tool_calls": "calls of tools end a turn: a model that insists has no end",
    "*/task/parameters/stop_when": _STOPS,
    "*/task/version": _LETTER,
    "*/task/parameters/tier": _TIERS,
    "*/metadata/tier": _TIERS,
}
# Of rows of numbers: their values are as they were.
_BESIDE: Mapping[str, str] = {
    **{f"*/{name}": _INTERVALS for name in ("low", "high", "reason")},
    **{f"*/{name}": _NULLS for name in NULL_COLUMNS},
}
# Lines of the report as text: what is new, and what another column or label changes.
_PRINTED = "the print stands beside what means the same, with what bends it"
_LENGTHS = "several lengths of context are a condition"
_SINGLE = "a single right option may go missing too"
_PERSONS = "a judge of MathComp is asked of person A and B, as Table 8 prints it"
_BUILDS = "two papers have sets built: build takes the task as a command"
_REWRITE = "a fixed rewrite may be the authors' too"
_BUILT = "equation items are built from sources"
_FETCHED = "what only users can fetch is imported as its publisher gives it"
_EXPLORED = "a folder has Inspect's viewer beside the report, and replies lead there"
_PEOPLE = "the lowest and the highest of the people stand beside their mean"
_REPORT: Mapping[str, str] = {
    **{
        f"*{title}*": _CITED
        for title in (
            "Performance is Overclaimed (Know-No)",
            "Quantifying Biases in LLM Reasoning",
            "A Benchmark for Directional Bias in LLM Comparative Reasoning",
            "Output Formats!",
        )
    },
    "Published rows: Xu et al., Know-No, Table 3*": _PEOPLE,
    "| Human, *": _PEOPLE,
    "The paper set people beside models*": _PEOPLE,
    **{
        f"| {name}*[*](published)[*] |*": _PRINTED
        for name in ("gpt-", "llama-3.1-8b-instruct", "claude-3.7-sonnet", "gemini-2.0-flash")
    },
    "| *Prompt polishing, shipped rewrite*": _REWRITE,
    "+*": _OTHERS,
    "*Telling flips": _FLIPS,
    "| Setting | Read by the judge*": _OTHERS,
    "| :-- | --: |*": _OTHERS,
    "| [*][*]?*(simulated)[*][*] |*": _OTHERS,
    "| Judging, *": _OTHERS,
    "| Choice, *": _OTHERS,
    "| Model | No answer*": _OTHERS,
    "| Model | F1*": "spreads carry their metric's label",
    "| ?*[*](simulated)[*] | 0.00 (0.00 to 0.39)*": _OTHERS,
    "?*Replies without an answer*": _OTHERS,
    "An answer should stay*": "the forms are named as they are declared",
    "Every scenario is asked in 14*": "the framings are named as they are declared",
    "| ?*Towards *": "shifts carry their metric's label",
    "| sloppy, 0 demonstrations*": _MOST,
    "| Llama-3.1-8B-it*": _MARKS,
    "| ChatGPT*": _MARKS,
    **{
        f"| {name} [*](published)[*] |*": _MEANS
        for name in ("Gemma", "Mistral", "Llama", "Average")
    },
    "Published rows: Long et al*Table 18*": "Gemma-2B was treated too",
    "?[[]*": _MARKS,
    "Worst finding: *RS 0.0% (), against *": _BRACKETS,
    "": "empty lines between blocks",
    "Estimated true scores lie typically *": _HEADLINE,
    "[*][*]Format bias, BiasF,*": _HEADLINE,
    "| ?*[*](simulated)[*] | 0.00 | 0.?? | 6 |": _OTHERS,
    "F1 [01].??; *": "the interval of MBS is sound from fewer questions a domain on",
}
_CERTIFICATE: Mapping[str, str] = {
    f"files/c.json/{key}": _SEEDS
    for key in (
        *("version", "repetitions*", "seen*", "smallest_gap", "unseen*", "never_judged*"),
        *(f"numbers/*/{new}" for new in ("alarms", "tested", "excess", "without_noise")),
        # Intervals changed: planted and measured values did not.
        *(f"numbers/*/{end}" for end in ("low", "high", "held", "given", "coverage", "verdict")),
    )
}
_SCREEN = "the first screen is a grid with verdicts; headlines say what the verdict does"
# What the cards of headlines said, one a model, before there was a grid.
_CARDS: Mapping[str, str] = dict.fromkeys(
    (
        "*models on *: * scored replies*", "At a glance", "respondent/*", "elsewhere/*", "KnowNo",
        "OmniAccuracy", "66.7", "100.0", "%", "n = ?", "0", "50", "100", "-100",
        "Right *% of the *",
        "Worst finding", "*, against *", "Instruction Boundary", "RS under vanilla", "Judging: *",
        "No setting lowers it.", "Boundary cost", "not asked: multi_turn, *", "Format bias",
        "Can't be said: not asked: *", "BiasF, wrapping formats", "squared points",
    ),
    _SCREEN,
)  # fmt: skip
_IN_CARDS: Mapping[str, str] = dict.fromkeys(
    (
        "*models on *: * scored replies*", "## At a glance", "### respondent/*",
        "[*][*]*: * (n = *)[*][*]", "Right *% of the *", "Judging: *", "Worst finding: *",
        "No cost of *", "No pull shown*", "No framing adds an error.", "Can't be said: *",
    ),
    _SCREEN,
)  # fmt: skip
_ECHOES = "MathComp counts replies that only repeat the frame's own sentence"
_SIGNS = "formulas are shown in signs"
_SPREAD = "other processes and clusters do the work, and ask a whole audit"
INTENDED: Mapping[str, Mapping[str, str]] = {
    "prompts/knowno.json": {
        "*with_gold_plus_none": _ABLATION,
        "*/order/*": _HARD,
        "*/samples/*": _HARD,
        "*/task/*": _HARD,
        **_SHOWN,
        **dict.fromkeys(("*/with_gold_plus_none/*", "*/with_gold_hinted/*"), _DISCERNS),
    },
    "prompts/binary_qa.json": {
        "*/order/*": _HARD,
        "*/samples/*": _HARD,
        "*/task/*": _HARD,
        **_SHOWN,
    },
    "decisions/plan-wrong.json": {"stderr": _MISSPELT},
    "decisions/template-csv-knowno.json": {"stdout": "a row of every shape"},
    "prompts/instruction_boundary.json": {
        "*/order/*": _HARD,
        "*/samples/*": _HARD,
        "*/run/*": _HARD,
        "*/task/*": _HARD,
        **_SHOWN,
        "*/task/parameters/*": _PARTS,
        "missing choices/*": _SINGLE,
    },
    "prompts/format_bias.json": {
        "*/order/*": _HARD,
        "*/samples/*": _HARD,
        "*/task/*": _HARD,
        **_SHOWN,
        "*/task/parameters/*": _READING,
        "*/metadata/format_ok_as_published": _RANKED,
        "strict/task/config/temperature": "the paper left the temperature to the provider",
    },
    "prompts/mathcomp.json": {
        "*/order/*": _HARD,
        "*/samples/*": _HARD,
        "*/run/*": _HARD,
        "*/task/*": _HARD,
        **_SHOWN,
        "*/task/parameters/*": _GROUPED,
        "*frame_echo*": _ECHOES,
        "*/task/viewer/task_samples_view/columns/1[012]*": _ECHOES,
        "*/judge_question": _PERSONS,
        "*/run/roles/0/sent/0/text": _PERSONS,
        "*/task/metadata/prompt_revision": _PERSONS,
        "*/task/version": _PERSONS,
    },
    "decisions/show-wrong.json": {"stderr": _BENT},
    "columns.json": {
        "tier": _TIERS,
        "hint": _DISCERNS,
        **dict.fromkeys(("arm", "moved", "gave_up", "score", "format_ok"), _BENT),
        "variant": _VARIANTS,
        "context_length": _LENGTHS,
        "term": "a neutral question has no term: said so",
        "frame_echo": _ECHOES,
    },
    "decisions/data-list.json": {"stdout": "sources, licences and what to import are listed too"},
    "logs/observations.json": {"*/tier": _TIERS},
    "runs/observations.json": {"*/tier": _TIERS},
    "decisions/export.json": {"files/observations.csv": _TIERS},
    "logs/summarize.csv": {
        "*metric=with_gold_plus_none*": _ABLATION,
        "*metric=discernment*": _DISCERNS,
        "*metric=false_none*": _DISCERNS,
        "rows' order": _ABLATION,
        "task=format_bias * model=all *": _MEANS,
        **_BESIDE,
    },
    "logs/points.csv": {
        "task=format_bias * model=all *": _MEANS,
        "*metric=with_gold_plus_none*": _ABLATION,
        "*metric=discernment*": _DISCERNS,
        "*metric=false_none*": _DISCERNS,
        "rows' order": _ABLATION,
        **{f"*/{name}": _NULLS for name in NULL_COLUMNS},
    },
    "runs/summarize.csv": {
        "task=format_bias * model=all *": _MEANS,
        "rows' order": _MEANS,
        **_BESIDE,
    },
    "runs/report.md": {**_REPORT, **_IN_CARDS},
    "logs/report.html": {
        **_CARDS,
        "*very item *": _DISCERNS,
        r"*[\]*": _SIGNS,
        ": only in *": _SIGNS,
        **{text: _REPORT[text] for text in ("+*", "", "Estimated true scores lie typically *")},
        **{text: why for text, why in _REPORT.items() if why in (_PEOPLE, _CITED)},
        "Telling flips": _FLIPS,
        "246.9": _HEADLINE,
        **dict.fromkeys(
            ("none is lower", "0.00", "1.05", "Vagueness", "Missing choices", "a"), _PRINTED
        ),
        "Vanilla, gemini-2.0-flash: as printed.*": _PRINTED,
        # FI's variance and the paper's mean stand where nothing stood.
        **dict.fromkeys(("–", "Average", "Average (published)"), _MEANS),  # noqa: RUF001
    },
    "runs/report.json": {
        **_BESIDE,
        "published/*": _PRINTED,
        "headlines/*": _SCREEN,
        "schema_version": _SCREEN,
        "ceilings": _CEILINGS,
        # They stand last.
        **dict.fromkeys(
            ("metrics/653[7-9]", "metrics/65[4-9]?", "metrics/6[6-9]??", "metrics/7???"), _MEANS
        ),
    },
    "decisions/calibrate-knowno.json": {
        "files/*": _HARD,
        "stdout*": _HARD,
        "stdout": _ZEROS,
        "files/c.json/numbers/1[2-9]": _ZEROS,
        **_CERTIFICATE,
    },
    **{
        f"decisions/calibrate-{task}.json": {"stdout": _GROUPS, **_CERTIFICATE}
        for task in freeze.TASKS[1:]
    },
    "decisions/calibrate-format_bias.json": {
        "files/*": _HARD,
        "stdout*": _HARD,
        "stdout": _GROUPS,
        "files/c.json/numbers/*/high": _MOST,
        **_CERTIFICATE,
    },
    "decisions/calibrate-binary_qa.json": {
        "stdout": _GROUPS,
        "files/c.json/numbers/*": _SCORES,
        **_CERTIFICATE,
    },
    "decisions/calibrate-mathcomp.json": {
        "files/*": _HARD,
        "stdout*": _HARD,
        "stdout": _POINTS,
        "files/c.json/numbers/9": _READINGS,
        "files/c.json/numbers/1[0-3]": _READINGS,
        "files/c.json/numbers/1[4-9]": _SEEDS,
        "files/c.json/numbers/2?": _SEEDS,
        **_CERTIFICATE,
    },
    "decisions/calibrate-instruction_boundary.json": {
        "files/*": _HARD,
        "stdout*": _HARD,
        "stdout": _GROUPS,
        "files/c.json/numbers/29": _SEEDS,
        **_CERTIFICATE,
    },
    **{f"decisions/gate{of}.json": {"*": _GATE} for of in ("", "-logs", "-quiet")},
    **{
        f"decisions/plan-{name}.json": {"stdout": _SEEDS}
        for name in (*freeze.TASKS, "several", "roles")
    },
    "decisions/calibrate-files.json": {"files/c.md": _DOCUMENT},
    "decisions/compare.json": {
        "stdout": _TREATMENTS,
        "files/compare.json/mitigations/*": _TREATMENTS,
        "files/compare.json/notes/*": _TREATMENTS,
        "files/compare.json/comparisons/*": _COMPARED,
        **dict.fromkeys(("files/compare.json/version", "files/compare.json/ceilings"), _CEILINGS),
    },
    "decisions/compare-some.json": {"files/compare.md": _DOCUMENT, "stdout": _COMPARED},
    "decisions/report.json": {"files/report.csv": _NULLS},
    "decisions/compare-csv.json": {"files/compare.csv": _COMPARED},
    "decisions/gate-init.json": {"stdout": _EXAMPLES},
    "decisions/help.json": {"stdout": "the help says how any task is run"},
    "decisions/show-knowno.json": {"stdout": _HARD},
    "decisions/show-instruction_boundary.json": {"stdout": _HARD},
    "decisions/show-mathcomp.json": {"stdout": _HARD},
    "decisions/show-format_bias.json": {"stdout": _HARD},
    "decisions/show-binary_qa.json": {"stdout": _HARD},
    "decisions/verify-format_bias.json": {"stdout": _HARD},
    "public.json": {
        "names/askew.analysis/rates": "rates by any columns, of files too",
        "names/askew.analysis/summarize_exported": "numbers of exported files, a task at a time",
        "registered/scorer askew/format_bias_scorer/2": "aliases and optional phrases are credited",
        "commands/commands/data/commands/verify/*": "guessers are tried on the bundled sets",
        "registered/hooks askew/finished": "a run's end says where questions were too easy",
        "commands/commands/bend": _BENT,
        "names/askew.metrics/bend": _BENT,
        "names/askew*/bend": _BENT,
        "registered/* askew/ben[dt]*": _BENT,
        **{
            f"registered/task askew/{stand_in}": _BENT
            for stand_in in ("agent", "choices", "mixed", "short")
        },
        "registered/* askew/_*by_kind": _BENT,
        "registered/task askew/knowno/*": _STOPS,
        "registered/task askew/binary_qa/*": _STOPS,
        "names/askew.metrics/variance_split": _SPLIT,
        **dict.fromkeys(
            (
                *(f"commands/commands/report/parameters/{p}" for p in ("policy_file", "baseline")),
                "commands/commands/report/parameters/extent",
            ),
            "gate and comparison stand in the report, which is short, brief or full",
        ),
        "names/askew.analysis/write_bundle": _EXPLORED,
        "names/askew.analysis/write_cards": _CARD,
        "commands/commands/report/parameters/card": _CARD,
        "names/askew.analysis/*_exchange": _EXCHANGE,
        "commands/commands/export/parameters/form": _EXCHANGE,
        "commands/commands/export/parameters/organization": _EXCHANGE,
        "commands/commands/demo": "the demo runs from the installed package",
        "commands/commands/report/parameters/bundle": _EXPLORED,
        "commands/commands/report/parameters/overwrite": _EXPLORED,
        "names/askew.metrics/format_bias/*": _MEANS,
        "registered/task askew/instruction_boundary/*": _PARTS,
        "registered/task askew/format_bias/*": _READING,
        "registered/task askew/mathcomp/*": _GROUPED,
        "commands/help": "the example names no paper",
        **{
            f"names/askew/{n}": _NOTEBOOK for n in ("compare", "flips", "gate", "headlines", "plot")
        },
        "registered/task askew/knowno/1[23]": _CONSOLE,
        "registered/task askew/binary_qa/[67]": _CONSOLE,
        "commands/commands/data/commands/*/parameters/task/type": _HELP,
        "commands/commands/data/commands/show/parameters/number/type": _HELP,
        "commands/commands/gate/parameters/policy_file/help": _HELP,
        "registered/* askew/binary_qa_rewriting*": _IMPORTED,
        "registered/* askew/knowno_negatives*": _IMPORTED,
        "registered/scorer askew/instruction_boundary_scorer/*": "replies may be read as published",
        "commands/commands/data/commands/list/help": _FETCHED,
        "commands/commands/data/commands/import": _FETCHED,
        "commands/commands/data/commands/build/commands/knowno": _BUILT,
        **dict.fromkeys(
            (
                "commands/commands/*/parameters/families",
                "commands/commands/report/parameters/models_example",
                "names/askew*/write_report/*",
                "names/askew.analysis/export_charts/*",
                "names/askew.analysis/read_families",
            ),
            "models are shown by family and size where a table says so",
        ),
        "registered/scorer askew/judge_check_scorer": _IMPORTED,
        "registered/task askew/binary_qa_builder": _IMPORTED,
        "commands/commands/*/parameters/output*": _DOCUMENT,
        "commands/commands/plan/*": _SEEDS,
        "commands/commands/calibrate/*": _SEEDS,
        "commands/commands/compare/parameters/treatments": _TREATMENTS,
        "commands/commands/compare/parameters/across": _COMPARED,
        "commands/commands/score-replies/*": _REPLIES,
        "commands/commands/data/commands/template/*": _REPLIES,
        "commands/commands/data/commands/build/*": _BUILDS,
        "registered/* askew/mathcomp_*writing*": _IMPORTED,
        "registered/task askew/mathcomp_builder": _IMPORTED,
        "commands/commands/audit": _SPREAD,
        "commands/commands/*/parameters/workers": _SPREAD,
        "commands/commands/*/parameters/cluster": _SPREAD,
        "names/askew*/read_observations/*": _SPREAD,
        "names/askew*/summarize/*": _SPREAD,
    },
}

SHOWN = 5
TOLERANCE = 1e-8
ABSENT = "(nothing)"
# Columns of a table of metrics that are numbers; the others say which number a row is.
_NUMBERS = {"value", "low", "high", "n_items", "n_dropped", "reason", *NULL_COLUMNS}
# Bounds, and numbers without noise, as texts write them: how they are made is tested elsewhere.
_BOUNDS = re.compile(
    r"(?:; )?noise taken off [^|]*?; p = [\d.]+|"
    r" \([−+\d.]+ to [−+\d.]+\)|(?<![\d.])[−+]?\d[\d.]* to [−+]?\d[\d.]*(?:, )?"  # noqa: RUF001
)


@pytest.fixture(autouse=True)
def _place():
    """A folder of its own with the frozen logs."""
    with freeze.prepared():
        yield


# Parts that are computed in an eyeblink; the others run evals, or make intervals and reports.
QUICK = (
    "columns.json", "formulas.json", "public.json",
    *(f"decisions/{name}-*.json" for name in ("data", "show", "template", "verify")),
    "decisions/help.json", "decisions/finetune.json", "decisions/export.json",
)  # fmt: skip

# What takes long and whose like is compared: held where more than one change's worth is asked for.
LONG = (
    "runs/report.md",
    *(f"decisions/plan-{name}.json" for name in ("instruction_boundary", "roles", "format_bias")),
)


def marked(part):
    is_quick = any(fnmatchcase(part, pattern) for pattern in QUICK)
    return pytest.param(part, marks=() if is_quick else pytest.mark.whole)


@pytest.mark.parametrize(
    "part", [marked(part) for part in freeze.PARTS if THOROUGH > 1 or part not in LONG]
)
def test_nothing_is_lost(part):
    lost = list(unmeant(part, differences(freeze.frozen(part), freeze.computed(part), part)))
    assert not lost, told(part, lost)


def test_every_frozen_part_is_compared():
    """No part is dropped from the list, and every kind of log is there to be read."""
    there = {str(p.relative_to(freeze.DATA)) for p in freeze.DATA.rglob("*.gz")}
    assert there == {f"{part}.gz" for part in freeze.PARTS}
    assert {p.stem for p in (freeze.DATA / "logs").glob("*.eval")} == {
        *freeze.OLD_LOGS, freeze.REPLAYED
    }  # fmt: skip
    assert len(list((freeze.DATA / "runs").glob("*.eval"))) == 3 * len(freeze.TASKS)


def test_every_intended_difference_names_a_part_that_is_frozen():
    assert {*INTENDED, *LONG} <= set(freeze.PARTS)


def test_a_difference_is_found_and_named():
    before = {"a": [1.0, {"b": "x"}], "c": None}
    after = {"a": [1.0 + 1e-12, {"b": "y"}, 3]}
    assert list(differences(before, after)) == [
        ("a/1/b", "x", "y"), ("a/2", ABSENT, 3), ("c", None, ABSENT)
    ]  # fmt: skip
    assert list(differences({"a": 1.0}, {"a": 1.0001})) == [("a", 1.0, 1.0001)]
    assert list(differences("m,value\nx,1\ny,2\n", "m,value\ny,2.5\nx,1\n", "t.csv")) == [
        ("rows' order", "m=x m=y", "m=y m=x"), ("m=y/value", "2", "2.5")
    ]  # fmt: skip
    assert list(differences("one\ntwo\n", "one\nthree\n")) == [("two", "two", "three")]


def differences(before: Any, after: Any, part: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two values of a part differ: key, before, after."""
    if isinstance(before, str) and isinstance(after, str):
        if part.endswith(".csv"):
            yield from _of_values(_by_key(before), _by_key(after), "")
        elif before != after:
            yield from _of_lines(before.splitlines(), after.splitlines())
    else:
        yield from _of_values(before, after, "")


def _of_values(before: Any, after: Any, key: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            yield from _of_values(before.get(name, ABSENT), after.get(name, ABSENT), _at(key, name))
    elif isinstance(before, list) and isinstance(after, list):
        for i in range(max(len(before), len(after))):
            one = before[i] if i < len(before) else ABSENT
            other = after[i] if i < len(after) else ABSENT
            yield from _of_values(one, other, _at(key, i))
    elif not _same(before, after):
        yield key, before, after


def _at(key: str, name: object) -> str:
    return f"{key}/{name}" if key else str(name)


def _same(before: Any, after: Any) -> bool:
    """Whether two values are equal; numbers may differ in digits that mean nothing."""
    if before == after and isinstance(before, bool) == isinstance(after, bool):
        return True
    try:
        numbers = float(before), float(after)
    except (TypeError, ValueError):
        return False
    return math.isclose(*numbers, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _of_lines(before: list[str], after: list[str]) -> Iterator[tuple[str, Any, Any]]:
    """Lines that are gone or changed, keyed by what they said; what is only new begins with +."""
    before, after = ([_BOUNDS.sub("", line) for line in lines] for lines in (before, after))
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            gone, new = before[i:j], after[k:m]
            for n in range(max(len(gone), len(new))):
                one = gone[n] if n < len(gone) else ABSENT
                other = new[n] if n < len(new) else ABSENT
                key = f"+ {other}" if one == ABSENT else one
                yield key.strip()[:80], one, other


def _by_key(text: str) -> dict[str, Any]:
    """A table of metrics by what its numbers are of."""
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        place = " ".join(f"{k}={v}" for k, v in row.items() if v and k not in _NUMBERS)
        rows[place] = {k: v for k, v in row.items() if k in _NUMBERS}
    return {"rows' order": " ".join(rows), **rows}


def unmeant(
    part: str, found: Iterator[tuple[str, Any, Any]]
) -> Iterator[tuple[str, Any, Any]]:  # fmt: skip
    """Differences that no entry of `INTENDED` gives a reason for."""
    patterns = INTENDED.get(part, {})
    return (f for f in found if not any(fnmatchcase(f[0], p) for p in patterns))


def told(part: str, lost: list[tuple[str, Any, Any]]) -> str:
    """The first differences of a part, in words."""
    lines = [f"{part}: {len(lost)} differences"]
    for key, before, after in lost[:SHOWN]:
        old, new = _around(str(before), str(after))
        lines += [f"  {key}", f"    before: {old}", f"    after:  {new}"]
    return "\n".join(lines)


def _around(before: str, after: str, width: int = 160) -> tuple[str, str]:
    """Two texts from shortly before where they differ."""
    pairs = enumerate(zip(before, after, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(before), len(after)))
    start = max(0, at - width // 4)
    return tuple(repr(t[start : start + width]) for t in (before, after))  # type: ignore[return-value]
