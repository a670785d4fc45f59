"""The report as a file: what it says, that it loads nothing, and that it is whole or not there."""

import base64
import hashlib
import json
import re
from importlib import resources
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

from askew.analysis import summarize, write_report
from askew.report.evidence import LOST_HERE
from askew.report.render import plain
from askew.report.report import build_report
from askew.report.study import Study
from askew.schema import MISSING
from askew.stats.tables import Interval
from tests.report.ceilings import answered
from tests.report.logged import a_run, excluded
from tests.report.observed import HINTS, Page, observed, unfolded_report

SCHEMA = json.loads(
    resources.files("askew.report").joinpath("report.schema.json").read_text(encoding="utf-8")
)
TABLE3 = ["with_gold", "hint_as_option", "hint_in_instruction", "no_hint", "e_wo_gold",
          "omni_accuracy", "gap"]  # fmt: skip

LEVELS = {"Mean of subsets": "all", "MC-Test": "mctest", "BANK-77": "bank77"}


@pytest.fixture(scope="module")
def two_models():
    simulated = observed("respondent/agreeable", lambda hint, i: hint == "with_gold")
    return pd.concat([observed(), simulated], ignore_index=True)


@pytest.fixture(scope="module")
def html(two_models, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    return unfolded_report(Study(two_models), path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_the_page_loads_nothing_from_anywhere(page):
    for tag, attributes in page.elements:
        for name in ("src", "srcset", "action", "poster", "formaction", "background"):
            assert name not in attributes, (tag, attributes)
        link = attributes.get("href") or attributes.get("xlink:href") or "#"
        assert link.startswith("#"), (tag, link)
    assert not {"link", "iframe", "object", "embed", "base", "form"} & {t for t, _ in page.elements}


def test_every_link_leads_somewhere_and_every_id_is_one(page):
    ids = page.ids
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for a in page.all("a")}
    assert targets <= set(ids)
    referred = [a[n] for _, a in page.elements for n in ("aria-labelledby",) if n in a]
    assert set(referred) <= set(ids)


def test_the_policy_allows_only_the_scripts_of_the_page(page):
    metas = {a.get("http-equiv"): a.get("content") for a in page.all("meta")}
    policy = metas["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert "connect-src 'none'" in policy
    run = [code for attributes, code in page.scripts if "type" not in attributes]
    allowed = re.findall(r"'sha256-([^']+)'", policy)
    digests = [base64.b64encode(hashlib.sha256(c.encode()).digest()).decode() for c in run]
    assert digests == allowed
    assert "'unsafe-eval'" not in policy
    assert re.search(r"script-src [^;]*unsafe-inline", policy) is None


def test_the_numbers_of_the_page_are_those_of_the_summary(page, two_models):
    summary = summarize(two_models).set_index(["model", "subset", "metric"])["value"]
    rows = iter(zip(page.rows["knowno-table3"][1:], page.numbers["knowno-table3"][1:], strict=True))
    shown = {}
    level = ""
    for texts, numbers in rows:
        if len(texts) == 1:
            level = LEVELS[texts[0]]
        elif "published" not in texts[0]:
            shown[texts[0].split()[0], level] = numbers[1:8]
    assert len(shown) == 6
    for (model, level), numbers in shown.items():
        label = {"model-1": "acme/model-1", "agreeable": "respondent/agreeable"}[model]
        assert numbers == [pytest.approx(summary[label, level, m]) for m in TABLE3]


def test_simulated_models_are_marked_everywhere(page, html):
    for table, rows in page.rows.items():
        heads = [r[0] for r in rows if r and r[0].startswith("agreeable")]
        assert all(h == "agreeable simulated" for h in heads), table
    captions = re.findall(r"<figcaption>.*?</figcaption>", html, re.DOTALL)
    assert captions
    assert all("simulated: agreeable" in c for c in captions)
    for spec in json.loads(page.scripts[0][1]).values():
        names = {row["name"] for row in spec["data"]["values"]}
        assert "agreeable" not in names
        assert "agreeable (simulated)" in names
        assert "model-1" in names
    assert "model-1 simulated" not in page.text


def test_published_rows_are_marked_and_the_contradicting_cell_is_footnoted(page):
    rows = page.rows["knowno-table3"]
    start = next(i for i, r in enumerate(rows) if r == ["BANK-77"])
    gpt4 = next(r for r in rows[start:] if r[0].startswith("GPT-4"))
    assert gpt4[0] == "GPT-4 published"
    assert gpt4[5] == "3.20a"
    assert "printed 3, which contradicts" in page.text
    mctest = next(r for r in rows if r[0].startswith("Human"))
    assert mctest[1:7] == ["100.00", "96.00", "97.00", "93.00", "95.33", "97.67"]


def test_the_first_screen_explains_each_value_and_links_its_section(page):
    assert "Accuracy 100.0% with the correct option, 33.3% without it" in page.text
    assert "Inconclusive: n = 12, at least 20 needed." in page.text
    cells = [a["href"] for a in page.all("a") if "title" in a]
    assert cells == ["#knowno", "#knowno"]


def test_what_has_no_number_is_a_dash_with_its_reason(tmp_path):
    given = observed(hints=HINTS[:2])
    lost = excluded({"model": "acme/model-1", "what": "errored", "why": "no credit", "count": 9})
    for study, why in ((Study(given), "not run"), (Study(given, lost), LOST_HERE)):
        path = unfolded_report(study, tmp_path / "report.html")
        rows = Page(path.read_text(encoding="utf-8")).rows["knowno-table3"]
        first = next(r for r in rows if r[0] == "model-1")
        assert first[6] == f"{MISSING} not asked: hint_in_instruction, no_hint"
        assert first[3] == f"{MISSING} {why}"
    markdown = unfolded_report(Study(observed(hints=HINTS[:2])), tmp_path / "report.md").read_text()
    assert f"{MISSING} (not asked: hint_in_instruction, no_hint)" in markdown


def test_json_fits_the_schema_that_ships_with_the_package(two_models, tmp_path):
    path = write_report(Study(two_models), tmp_path / "report.json")
    report = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(report, SCHEMA)
    summary = summarize(two_models)
    told = {(m["model"], m["levels"]["subset"], m["metric"]): m for m in report["metrics"]}
    assert len(told) == len(summary)
    for row in summary.to_dict("records"):
        entry = told[row["model"], row["subset"], row["metric"]]
        assert entry["value"] == pytest.approx(row["value"])
        assert entry["n_items"] == row["n_items"]
    known = {m["model"]: m["simulated"] for m in report["models"]}
    assert known == {"acme/model-1": False, "respondent/agreeable": True}
    printed = [p for p in report["published"] if p["note"]]
    assert {(p["model"], round(p["value"], 9), p["unit"]) for p in printed} == {("GPT-4", 3.2, "%")}


@pytest.mark.whole
def test_the_schema_covers_the_data_of_logs_and_allows_nothing_else():
    logs = sorted((Path(__file__).parents[1] / "golden" / "logs" / "runs").glob("*.eval"))
    observations = Study.read(logs, quiet=True)
    told = plain(build_report(observations, interval=Interval(resamples=20)).document.data())
    told |= {"ceilings": plain(Study(answered(30, 30)).ceilings().records)}
    validator = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
    validator.validate(told)
    # Of format_bias alone, whose numbers stay whole ones.
    assert {m["levels"].get("repeat") for m in told["metrics"]} == {None, "1"}
    entries = {name: told[name] for name, of in SCHEMA["properties"].items() if "items" in of}
    assert all(entries.values()), [name for name, there in entries.items() if not there]
    small = told | {name: there[:1] for name, there in entries.items()}
    for name, [first] in ((name, small[name]) for name in entries):
        lacking = [{k: v for k, v in first.items() if k != key} for key in first]
        for wrong in (first | {"new": 1}, *lacking):
            assert not validator.is_valid(small | {name: [wrong]}), (name, wrong)


def test_a_model_of_which_nothing_was_scored_is_still_named(two_models, tmp_path):
    run = a_run(
        "acme/silent", logs=("a.eval",), planned=48, scored=0, revision="unknown",
        failure="48 errored: no credit",
    )  # fmt: skip
    lost = {"model": "acme/silent", "what": "errored", "why": "<b>no</b> credit", "count": 48}
    study = Study(two_models, excluded(lost), (run,))
    path = unfolded_report(study, tmp_path / "report.html")
    page = Page(path.read_text(encoding="utf-8"))
    assert ["silent", "48", "knowno", "a.eval", "<b>no</b> credit"] in page.rows["losses"]
    assert any(r[:2] == ["silent", "bundled, revision unknown"] for r in page.rows["runs"])
    assert "no sample was scored" in page.text


def test_equal_observations_give_equal_files(two_models, tmp_path):
    for kind in ("md", "json"):
        first = write_report(Study(two_models), tmp_path / f"a.{kind}").read_text(encoding="utf-8")
        again = write_report(Study(two_models), tmp_path / f"b.{kind}").read_text(encoding="utf-8")
        stamp = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
        assert re.sub(stamp, "", first) == re.sub(stamp, "", again)
