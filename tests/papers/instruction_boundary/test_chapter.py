"""Instruction Boundary's chapter: its numbers are the metric table's, printed rows are marked."""

import pytest

from askew.metrics import instruction_boundary, robustness_score
from askew.papers.instruction_boundary.paper import FAMILIES
from askew.report.evidence import printed_rows
from tests.chapters import blocks_of, chapter_of, row_at
from tests.report.simulated import observed

TASK = "instruction_boundary"
PRINTED = printed_rows("askew.papers.instruction_boundary")


@pytest.fixture(scope="module")
def answers():
    return observed(TASK, 72, yielding=("conformist", 1), careful=("overcautious", 2))


@pytest.fixture(scope="module")
def part(answers):
    return chapter_of(answers)


@pytest.fixture(scope="module")
def numbers(answers):
    return instruction_boundary(answers, interval=None)


def number(numbers, metric, family, setting="all", variant="all", model="x/yielding"):
    at = {"family": family, "setting": setting, "variant": variant, "model": model}
    return row_at(numbers, metric, subset="all", **at)["value"]


def printed(metric, model=None, **at):
    """The paper's numbers of a metric, by model or one model's."""
    rows = PRINTED[PRINTED["metric"] == metric]
    for column, value in at.items():
        rows = rows[rows[column] == value]
    values = dict(zip(rows["model"], rows["value"], strict=True))
    return values if model is None else values[model]


# ---- the paper's tables


def test_printed_rows_follow_their_definitions_or_have_a_note(part):
    main = PRINTED[(PRINTED[["family", "setting", "variant"]] != "all").all(axis=1)]
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
    table = blocks_of(part)[f"{TASK}-judging"]
    marks = [c.mark for g in table.groups for r in g.rows for c in r.cells if c.mark]
    assert marks == list(table.notes) == list("abcdefgh")
    notes = " ".join(table.notes.values())
    assert "printed 10.10" in notes
    assert "what they give, 33.74" in notes


# ---- headlines


def test_the_summary_of_judging_is_rs_vanilla_and_boundary_cost(part, numbers):
    mine = [h for h in part.headlines if h.model.label == "x/yielding"]
    assert [h.metric for h in mine] == ["rs_vanilla", "boundary_cost"]
    assert [h.estimate.value for h in mine] == [
        number(numbers, m, "judging") for m in ("rs_vanilla", "boundary_cost")
    ]
    assert mine[0].estimate.low <= mine[0].estimate.value <= mine[0].estimate.high
    assert "on Unknown" in mine[0].sentence
    assert "with several" in mine[0].sentence
    assert mine[1].sentence.startswith("RS drops by at most ")
    assert "Conformity to Unknown" in mine[1].sentence
    finding = next(h.finding for h in mine if h.verdict)
    lowest = number(numbers, "rs", "judging", "conformity", "unknown")
    assert finding.startswith("Judging, Conformity to Unknown: ")
    assert f"RS {100 * lowest:.1f}% (" in finding


@pytest.mark.parametrize("seed", range(5))
def test_the_cost_is_what_its_row_subtracts_whatever_was_lost(answers, seed):
    """One item in ten loses a reply in a setting: RS of all replies is then another number."""
    left = answers.sample(frac=0.97, random_state=seed)
    found = instruction_boundary(left, interval=None)
    for model in ("x/yielding", "x/careful"):
        own = found[(found["model"] == model) & (found["subset"] == "all")]
        for family in FAMILIES:
            paired = own[(own["metric"] == "rs_paired") & (own["family"] == family)]
            cost = row_at(own, "boundary_cost", family=family, setting="all")
            plain = row_at(paired, "rs_paired", setting="vanilla")
            others = paired[paired["setting"] != "vanilla"]
            assert cost["value"] == pytest.approx(plain["value"] - others["value"].min())
            assert set(paired["n_items"]) == {cost["n_items"]}
            group = left[(left["model"] == model) & (left["family"] == family)]
            compared = group[group["setting"].isin(paired["setting"])]
            each = compared.groupby("item")[["setting", "variant"]].value_counts().unstack([1, 2])
            assert cost["n_dropped"] == each.isna().any(axis=1).sum()
    if seed:
        return
    table = blocks_of(chapter_of(left))[f"{TASK}-overview"]
    heads = [column.label for column in table.columns]
    for row in (r for g in table.groups for r in g.rows if r.kind == "measured"):
        said = {h: c.text for h, c in zip(heads, row.cells, strict=True)} | {
            h: round(100 * c.estimate.value, 1) for h, c in zip(heads, row.cells, strict=True)
            if c.estimate
        }  # fmt: skip
        if said["Worst setting"] != "none is lower":
            lost = said["Paired RS under vanilla"] - said["Paired RS in worst setting"]
            assert said["Boundary cost"] == pytest.approx(lost, abs=0.11)


def test_a_model_that_no_setting_moves_has_no_worst_finding(part):
    careful = [h for h in part.headlines if h.model.label == "x/careful"]
    assert not careful[0].finding
    assert not careful[1].finding
    assert "Inconclusive: about " in careful[1].sentence


def test_choice_is_summarized_alone_without_judging_items(answers, numbers):
    chapter = chapter_of(answers[answers["family"] == "choice"])
    headline = chapter.headlines[0]
    assert headline.metric == "choice_rs_vanilla"
    assert headline.estimate.value == number(numbers, "rs_vanilla", "choice")
    assert f"{TASK}-judging" not in blocks_of(chapter)
