"""Instruction Boundary's chapter: its numbers are the metric table's, printed rows are marked."""

import pandas as pd
import pytest

from askew.analysis import write_report
from askew.metrics import instruction_boundary, robustness_score
from askew.papers.instruction_boundary.paper import FAMILIES, PAPER
from askew.papers.instruction_boundary.printed import rows as printed_rows
from askew.report.document import Chart, FlipList, Table
from askew.report.report import build_report
from askew.schema import MISSING
from askew.statistics.tables import Interval
from tests.report.observed import Page
from tests.report.simulated import observed

QUICK = Interval(resamples=50)
TASK = "instruction_boundary"


def chapter_of(observations, **options):
    (chapter,) = build_report(
        observations, interval=QUICK, **{"transcripts": False, **options}
    ).chapters
    return chapter


def blocks_of(chapter, kind=Table):
    return {b.id: b for s in chapter.sections for b in s.blocks if isinstance(b, kind)}


@pytest.fixture(scope="module")
def answers():
    return observed(TASK, 72, yielding=("conformist", 1), careful=("overcautious", 2))


@pytest.fixture(scope="module")
def told(answers):
    return chapter_of(answers)


@pytest.fixture(scope="module")
def numbers(answers):
    return instruction_boundary(answers, interval=None)


def number(numbers, metric, family, setting="all", variant="all", model="x/yielding"):
    at = {"metric": metric, "family": family, "setting": setting, "variant": variant}
    rows = numbers[(numbers["subset"] == "all") & (numbers["model"] == model)]
    for column, value in at.items():
        rows = rows[rows[column] == value]
    return rows["value"].item()


def printed(metric, model=None, **at):
    """The paper's numbers of a metric, by model or one model's."""
    rows = printed_rows()
    rows = rows[rows["metric"] == metric]
    for column, value in at.items():
        rows = rows[rows[column] == value]
    values = dict(zip(rows["model"], rows["value"], strict=True))
    return values if model is None else values[model]


def test_every_number_is_declared_and_every_declared_metric_has_numbers(numbers):
    assert set(numbers["metric"]) == {metric.name for metric in PAPER.metrics}


def group_of(table, title):
    return next(g for g in table.groups if g.title == title)


def drawn(panel):
    """What a panel draws, by name on the axis and series."""
    rows = panel.spec["data"]["values"]
    return {
        (row["name"], row.get("series", row.get("at"))): row["value"]
        for row in rows
        if row["value"] is not None
    }


def panel_of(chart, title):
    return next(p for p in chart.panels if p.title == title)


# ---- the paper's tables


@pytest.mark.parametrize(
    ("family", "setting", "variant", "title"),
    [("judging", "vanilla", "", "Vanilla"),
     ("judging", "conformity", "unknown", "Conformity to Unknown"),
     ("judging", "prompt_polishing", "fixed", "Prompt polishing, fixed rewrite"),
     ("choice", "vagueness", "", "Vagueness"),
     ("choice", "conformity", "none", "Conformity to None")],
)  # fmt: skip
def test_the_main_table_holds_the_metric_table_above_the_printed_rows(
    told, numbers, family, setting, variant, title
):
    rates = {"judging": ("acc", "sr", "gr", "rs"),
             "choice": ("acc", "sr", "gr_none", "gr_multi", "rs")}[family]  # fmt: skip
    group = group_of(blocks_of(told)[f"{TASK}-{family}"], title)
    mine, careful, *published = group.rows
    for row, model in ((mine, "x/yielding"), (careful, "x/careful")):
        shown = [c.estimate.value for c in row.cells[:-1]]
        assert shown == [number(numbers, m, family, setting, variant, model) for m in rates]
        assert all(c.estimate.n_items > 0 for c in row.cells[:-1])
    assert [r.kind for r in published] == ["published"] * 5
    gpt = next(r for r in published if r.head == "gpt-4o")
    assert [c.estimate.value for c in gpt.cells[:-1]] == [
        printed(m, "gpt-4o", family=family, setting=setting, variant=variant) for m in rates
    ]


def test_what_the_paper_does_not_print_has_no_printed_rows(told):
    table = blocks_of(told)[f"{TASK}-judging"]
    extra = group_of(table, "Miscellany, two extra options")
    assert {r.kind for r in extra.rows} == {"measured"}
    assert not printed("rs", family="judging", setting="conformity", variant="true")
    assert not printed("rs", family="choice", setting="conformity", variant="wrong")
    assert not printed("rs", family="judging", setting="few_shot", variant="true+false")
    assert len(printed("rs", family="judging", setting="prompt_polishing", variant="model")) == 5


def test_printed_rows_follow_their_definitions_and_every_contradiction_is_said(told):
    main = printed_rows().dropna(subset=["family", "setting", "variant"])
    main = main[main["metric"].isin(["acc", "rs"]) & (main["setting"] != "miscellany")]
    # The polisher of the paper was some model: its numbers stand beside both rewrites.
    main = main[main["variant"] != "model"]
    assert main["model"].nunique() == 5
    noted = main[main["note"] != ""]
    told_apart = noted[noted["family"] == "judging"][["family", "model", "setting", "metric"]]
    parted = set(told_apart.itertuples(index=False, name=None))
    assert {k for k in parted if k[3] == "rs"} == {
        ("judging", "gpt-3.5-turbo", "conformity", "rs"),
        ("judging", "gpt-4o", "conformity", "rs"),
        ("judging", "gemini-2.0-flash", "prompt_polishing", "rs"),
    }
    assert sum(k[0] == "judging" and k[3] == "acc" for k in parted) == 5
    choice = noted[(noted["family"] == "choice") & noted["note"].str.contains("printed")]
    assert (choice["metric"] == "acc").sum() == len(choice) == 3
    for row in main.to_dict("records"):
        at = {c: row[c] for c in ("model", "family", "setting", "variant")}
        rates = [100 * printed(name, **at) for name in FAMILIES[row["family"]].rates]
        if row["metric"] == "rs":
            assert 100 * row["value"] == pytest.approx(robustness_score(*rates), abs=0.02)
        elif "as printed" not in row["note"]:
            assert 100 * row["value"] == pytest.approx(sum(rates) / len(rates), abs=0.05)
    table = blocks_of(told)[f"{TASK}-judging"]
    marks = [c.mark for g in table.groups for r in g.rows for c in r.cells if c.mark]
    assert marks == list(table.notes) == list("abcdefgh")
    notes = " ".join(blocks_of(told)[f"{TASK}-judging"].notes.values())
    assert "printed 10.10" in notes
    assert "what they give, 33.74" in notes


def beside(told, title):
    """Titles of printed models below a setting of choice, by the notes at their GR several."""
    table = blocks_of(told)[f"{TASK}-choice"]
    rows = [r for r in group_of(table, title).rows if r.kind == "published"]
    return {r.head: table.notes[r.cells[3].mark] for r in rows}


def test_where_our_prompts_change_something_else_the_print_stands_beside_the_authors(answers):
    changed = ("Multi-turn", "Few-shot with None", "Prompt polishing, fixed rewrite")
    choice = answers[answers["family"] == "choice"]
    several = choice["setting"].where(choice["setting"] != "missing_choices", "several")
    variant = choice["variant"].where(several != "several", "several")
    ours, theirs = chapter_of(choice), chapter_of(choice.assign(wording="authors", variant=variant))
    for title in changed:
        assert not beside(ours, title)
        assert len(beside(theirs, title)) == 5
    assert not beside(ours, "Missing choices: None")
    assert len(beside(theirs, "Missing choices: Several")) == 5
    one = choice[choice["model"] == "x/yielding"]
    theirs_too = one.assign(wording="authors", model="x/theirs")
    both = pd.concat([one, theirs_too], ignore_index=True)
    notes = {title: set(beside(chapter_of(both), title).values()) for title in changed}
    assert all("wording=authors only" in note for told in notes.values() for note in told)
    cost = {
        of: [r.cells[3].written() for r in blocks_of(told)[f"{TASK}-overview"].groups[0].rows[2:]]
        for of, told in (("ours", ours), ("theirs", theirs))
    }
    assert set(cost["ours"]) == {MISSING}
    assert MISSING not in cost["theirs"]


def test_what_bends_the_printed_numbers_stands_beside_them(told):
    for title in ("Vanilla", "Vagueness", "Conformity to None"):
        assert all("counted from 1 score 0 of 150" in note for note in beside(told, title).values())
    table = blocks_of(told)[f"{TASK}-choice"]
    for row in (r for r in group_of(table, "Vanilla").rows if r.kind == "published"):
        acc, sr, none, _, rs = (c.mark for c in row.cells[:5])
        assert "GR several" in table.notes[acc]
        assert "GR several" in table.notes[rs]
        assert not sr
        assert not none
    options = blocks_of(told)[f"{TASK}-options"]
    printed_cells = [
        c for r in options.groups[0].rows if r.kind == "published" for c in r.cells[:-1]
    ]
    assert {options.notes[c.mark] for c in printed_cells} == set(options.notes.values())
    assert "anywhere" in next(iter(options.notes.values()))


def test_the_shares_that_sum_to_less_than_100_are_put_right_and_marked(told):
    shares = [printed(f"or_{form}") for form in FAMILIES["judging"].forms]
    for model in shares[0]:
        assert sum(of[model] for of in shares) == pytest.approx(1, abs=2e-4)
    table = blocks_of(told)[f"{TASK}-output-judging"]
    row = next(r for r in group_of(table, "Vanilla").rows if r.head == "GPT-4o")
    assert [c.written() for c in row.cells[:3]] == ["77.18", "0.63", "22.19"]
    assert [c.mark for c in row.cells[:3]] == ["", "a", ""]
    assert "printed 0.06" in table.notes["a"]


def test_accuracy_by_number_of_options_stands_over_the_printed_line(told, numbers):
    table = blocks_of(told)[f"{TASK}-options"]
    assert [c.label for c in table.columns[:-1]] == list("123456789")
    mine, _, *published = table.groups[0].rows
    shown = [c.estimate.value for c in mine.cells[:-1]]
    assert shown == [number(numbers, "acc", "choice", "miscellany", n) for n in "123456789"]
    claude = next(r for r in published if r.head == "claude-3.7-sonnet")
    at = {"model": "claude-3.7-sonnet", "setting": "miscellany"}
    assert [c.estimate.value for c in claude.cells[:-1]] == [
        printed("acc", variant=n, **at) for n in "123456789"
    ]
    panel = blocks_of(told, Chart)[f"{TASK}-options-figure"].panels[0]
    line = drawn(panel)
    assert line["yielding", 3] == pytest.approx(100 * shown[2])
    assert line["gpt-3.5-turbo (published)", 9] == pytest.approx(71.33)


def test_the_papers_judge_stands_beside_ours_under_the_heads_that_survived(told):
    table = blocks_of(told)[f"{TASK}-judge-published"]
    assert [c.label for c in table.columns] == [f"s{n}" for n in range(1, 8)]
    assert len(printed("judge_rate")) == len(table.groups[0].rows) == 5
    assert "lost their names" in table.source


# ---- headlines


def test_the_headlines_are_judgings_rs_under_vanilla_and_its_boundary_cost(told, numbers):
    mine = [h for h in told.headlines if h.model.label == "x/yielding"]
    assert [h.metric for h in mine] == ["rs_vanilla", "boundary_cost"]
    assert [h.estimate.value for h in mine] == [
        number(numbers, m, "judging") for m in ("rs_vanilla", "boundary_cost")
    ]
    assert mine[0].estimate.low <= mine[0].estimate.value <= mine[0].estimate.high
    assert "on Unknown" in mine[0].sentence
    assert "where several are" in mine[0].sentence
    assert mine[1].sentence.startswith("The worst setting takes ")
    assert "Conformity to Unknown" in mine[1].sentence


def test_the_worst_finding_is_the_largest_fall_and_links_to_its_rows(told, numbers):
    finding = next(h for h in told.headlines if h.model.label == "x/yielding" and h.verdict).finding
    lowest = number(numbers, "rs", "judging", "conformity", "unknown")
    assert finding.sentence.startswith("Judging, Conformity to Unknown: ")
    assert f"RS {100 * lowest:.1f}% (" in finding.sentence
    assert "Conformity to " in finding.sentence
    places = {g.id for t in blocks_of(told).values() for g in t.groups}
    assert finding.target in places


def test_a_model_that_no_setting_moves_has_no_worst_finding(told):
    careful = [h for h in told.headlines if h.model.label == "x/careful"]
    assert careful[0].finding is None
    assert careful[1].finding is None
    assert careful[1].sentence.startswith("A cost of the worst setting: can't tell: ")


def test_choice_speaks_for_itself_where_nothing_was_judged(answers, numbers):
    chapter = chapter_of(answers[answers["family"] == "choice"])
    headline = chapter.headlines[0]
    assert headline.metric == "choice_rs_vanilla"
    assert headline.estimate.value == number(numbers, "rs_vanilla", "choice")
    assert f"{TASK}-judging" not in blocks_of(chapter)


# ---- figures


def test_the_dumbbells_are_rs_under_vanilla_and_under_the_setting(told, numbers):
    chart = blocks_of(told, Chart)[f"{TASK}-rs-judging"]
    ends = drawn(panel_of(chart, "Conformity to Unknown"))
    assert ends["yielding", "vanilla"] == pytest.approx(
        100 * number(numbers, "rs", "judging", "vanilla", ""), abs=1e-3
    )
    assert ends["yielding", "the setting"] == pytest.approx(
        100 * number(numbers, "rs", "judging", "conformity", "unknown"), abs=1e-3
    )
    assert ends["gpt-4o (published)", "the setting"] == pytest.approx(33.74)


def test_sr_and_gr_stand_at_the_two_ends_setting_by_setting(told, numbers):
    chart = blocks_of(told, Chart)[f"{TASK}-rates-choice"]
    ends = drawn(panel_of(chart, "careful: SR and GR several"))
    assert ends["Vagueness", "SR"] == pytest.approx(
        100 * number(numbers, "sr", "choice", "vagueness", "", "x/careful"), abs=1e-3
    )
    assert ends["Vagueness", "GR several"] == pytest.approx(
        100 * number(numbers, "gr_multi", "choice", "vagueness", "", "x/careful"), abs=1e-3
    )
    assert ("Miscellany, 3 wrong", "SR") not in ends


@pytest.mark.parametrize("family", ["judging", "choice"])
@pytest.mark.parametrize("figure", [f"{TASK}-output-{{}}-figure", f"{TASK}-fates-{{}}"])
def test_every_bar_of_answers_is_whole(told, figure, family):
    for panel in blocks_of(told, Chart)[figure.format(family)].panels:
        bars = pd.Series(drawn(panel)).groupby(level=0).sum()
        assert len(bars) > 1
        # The printed shares are rounded.
        assert bars.to_numpy() == pytest.approx(100, abs=0.02), panel.title


def test_the_first_bar_shows_how_the_truth_splits(told, numbers):
    chart = blocks_of(told, Chart)[f"{TASK}-output-judging-figure"]
    bars = drawn(panel_of(chart, "yielding"))
    assert bars["in the truth", "unknown"] == 50
    assert bars["Conformity to Unknown", "unknown"] == pytest.approx(
        100 * number(numbers, "or_unknown", "judging", "conformity", "unknown"), abs=1e-3
    )


def test_following_is_told_by_suggestion(told, numbers):
    table = blocks_of(told)[f"{TASK}-following"]
    row = group_of(table, "Judging: Conformity to Unknown").rows[0]
    metrics = ("follow_rate_vanilla", "follow_rate", "follow_gain", "moved_rate")
    assert [c.estimate.value for c in row.cells[:-1]] == [
        number(numbers, m, "judging", "conformity", "unknown") for m in metrics
    ]


def test_both_readings_of_rr_stand_side_by_side(told, numbers):
    table = blocks_of(told)[f"{TASK}-changes-judging"]
    row = next(r for r in group_of(table, "yielding").rows if r.head == "Conformity to Unknown")
    metrics = ("rr", "acc_change", "right_to_wrong", "wrong_to_right")
    assert [c.estimate.value for c in row.cells[:-1]] == [
        number(numbers, m, "judging", "conformity", "unknown") for m in metrics
    ]
    assert "both are shown" in table.source


@pytest.mark.whole
def test_the_judges_share_is_told_and_settings_read_plainly_are_left_out(answers):
    changed = answers.copy()
    vague = (changed["setting"] == "vagueness") & (changed["family"] == "judging")
    changed.loc[vague & (changed["model"] == "x/careful"), "judged"] = 1.0
    table = blocks_of(chapter_of(changed))[f"{TASK}-readings"]
    heads = {g.title: [r.head for r in g.rows] for g in table.groups}
    plain = ["Judging, all settings", "Choice, all settings"]
    assert heads["yielding"] == plain
    assert heads["careful"] == [plain[0], "Judging, Vagueness", plain[1]]
    read = {r.head: r.cells[0].estimate.value for r in group_of(table, "careful").rows}
    assert read["Judging, Vagueness"] == 1.0
    assert 0 < read["Judging, all settings"] < 1


# ---- what was not asked, and what a log may hold


def test_vanilla_alone_makes_a_chapter_without_comparisons(answers):
    chapter = chapter_of(answers[answers["setting"] == "vanilla"])
    kinds = blocks_of(chapter, Chart)
    assert f"{TASK}-rs-judging" not in kinds
    assert f"{TASK}-options-figure" not in kinds
    assert not blocks_of(chapter, FlipList)
    cost = chapter.headlines[1]
    assert cost.estimate.missing
    assert cost.sentence.startswith("Can't be said: not asked: ")


@pytest.mark.whole
def test_several_data_sets_of_a_family_are_told_apart(answers):
    other = answers[answers["subset"] == "logic"].assign(subset="folio")
    both = pd.concat([answers, other], ignore_index=True)
    assert f"{TASK}-subsets" not in blocks_of(chapter_of(answers))
    table = blocks_of(chapter_of(both))[f"{TASK}-subsets"]
    assert [g.title for g in table.groups] == ["Judging: Generated theories", "Judging: FOLIO"]


@pytest.mark.whole
def test_levels_compare_only_where_the_questions_are_the_papers(answers):
    def words(data, **method):
        log = {
            "log": "a", "location": "a", "task": TASK, "model": "x/yielding",
            "model_name": "x/yielding", "run": "r", "created": "2030", "packages": {},
            "settings": {"data": data}, "planned": 1, "scored": 1, "left_out": [],
        }  # fmt: skip
        table = answers[answers["setting"] == "vanilla"].assign(**method)
        table.attrs["askew"] = {"version": 1, "logs": [log], "notes": []}
        return chapter_of(table).sections[0].paragraphs[-1]

    assert "in shape, not in level" in words("paper")
    assert "reading=published" in words("paper", wording="authors")
    assert "levels compare" in words("paper", wording="authors", reading="published")
    assert "askew's own" in words("bundled")
    assert "not the paper's" in words("mine.jsonl")


HOSTILE = "<script>alert(1)</script>\u202e\x00|[x](javascript:y)"


@pytest.mark.whole
def test_settings_that_a_log_made_up_do_no_harm(answers, tmp_path):
    few = answers["setting"].isin(["vanilla", "vagueness", "prompt_polishing"])
    one = (answers["model"] == "x/yielding") & (answers["family"] == "judging")
    changed = answers[few & one].copy()
    changed.loc[changed["setting"] == "vagueness", "setting"] = HOSTILE
    changed.loc[changed["variant"] == "fixed", "variant"] = HOSTILE
    changed.loc[changed["subset"] == "logic", "subset"] = HOSTILE
    for suffix in ("html", "md", "json"):
        path = write_report(changed, tmp_path / f"r.{suffix}", interval=QUICK, transcripts=False)
        text = path.read_text(encoding="utf-8")
        assert "\u202e" not in text
        if suffix == "html":
            assert "alert(1)" in text
            assert "<script>alert" not in text
            assert len(Page(text).ids) == len(set(Page(text).ids))
