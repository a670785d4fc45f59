"""A gate's outcome, as a document and as the XML that CI systems read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import pandas as pd

from askew.decide.documents import head, numbers, words
from askew.decide.gate import Check, Gate
from askew.report.document import (
    Cell,
    Document,
    Group,
    Part,
    Row,
    Section,
    Table,
    simulated_note,
)
from askew.untrusted import one_line

_TITLE = "Every rule on every number it takes in"
# What XML 1.0 can't hold, however it is escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gate_document(gate: Gate) -> Document:
    """All checks, what fails first."""
    order = {"fail": 0, "can't tell": 1, "pass": 2}
    checks = sorted(gate.checks, key=lambda check: order[check.status])
    table = Table(
        id="gate",
        caption="",
        head="outcome",
        columns=[
            *words("rule", "task", "model", "metric"),
            *numbers("number"),
            *words("asked"),
            *numbers("items"),
            *words("why"),
        ],
        groups=[Group([_check(check) for check in checks])],
    )
    records = [_check_record(check) for check in gate.checks]
    simulated = dict.fromkeys(one_line(c.model) for c in gate.checks if c.simulated)
    return Document(
        title="Does it pass?",
        lede="",
        parts=[Part("checks", _TITLE, [Section("", "", (), [table])])],
        rows=pd.DataFrame(records),
        data=lambda: {
            **head("gate"),
            "verdict": gate.verdict,
            "exit_code": gate.exit_code,
            "checks": records,
        },
        outcome=gate.verdict,
        simulated=simulated_note(list(simulated)),
    )


def _check(check: Check) -> Row:
    rule = check.rule
    texts = [
        rule.title,
        check.task,
        f"{one_line(check.model)}{' (simulated)' if check.simulated else ''}",
        " ".join(filter(None, [check.metric, check.levels and f"({check.levels})"])),
        check.shown,
        rule.limits if rule.min is not None or rule.max is not None else "",
        f"{check.n_items:,}" if check.n_items else "",
        check.why,
    ]
    return Row(check.status.upper(), [Cell(text) for text in texts])


def _check_record(check: Check) -> dict[str, Any]:
    rule = check.rule
    return {
        "status": check.status,
        "rule": rule.title,
        **{k: v for k, v in vars(check).items() if k not in ("rule", "status")},
        "bound": rule.bound,
        "min": rule.min,
        "max": rule.max,
        "min_items": rule.min_items,
    }


def junit_xml(gate: Gate) -> str:
    """The outcome as JUnit XML, which CI systems read and show.

    One suite a task, one case a check; what can't be told is an error, not a failure.
    """
    root = ElementTree.Element("testsuites", {"name": "askew gate", **_counts(gate.checks)})
    for task in dict.fromkeys(c.task for c in gate.checks):
        checks = [c for c in gate.checks if c.task == task]
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": _safe(task or "policy"), **_counts(checks)}
        )
        for check in checks:
            _case(suite, check)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _counts(checks: Sequence[Check]) -> dict[str, str]:
    return {
        "tests": str(len(checks)),
        "failures": str(sum(c.status == "fail" for c in checks)),
        "errors": str(sum(c.status == "can't tell" for c in checks)),
    }


def _case(suite: ElementTree.Element, check: Check) -> None:
    about = ", ".join(filter(None, [check.metric, check.levels]))
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": _safe(".".join(filter(None, [check.task, check.model])) or "policy"),
            "name": _safe(f"{check.rule.title} [{about}]" if about else check.rule.title),
        },
    )
    if check.status == "pass":
        return
    tag = "failure" if check.status == "fail" else "error"
    told = f"{check.shown} is {check.why}" if check.status == "fail" else check.why
    ElementTree.SubElement(case, tag, {"message": _safe(told), "type": _safe(check.status)})


def _safe(text: str) -> str:
    return _NO_XML.sub("?", one_line(text, 300))
