"""What a gate decided as JUnit XML, which CI systems read and show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from askew.decide.gate import Gate
from askew.decide.policy import Check
from askew.untrusted import one_line

# What XML 1.0 can't hold, however it is escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(gate: Gate) -> str:
    """One suite a task, one case a check; what can't be told is an error, not a failure."""
    root = ElementTree.Element("testsuites", {"name": "askew gate", **_counts(gate.checks)})
    for task in dict.fromkeys(c.task for c in gate.checks):
        checks = [c for c in gate.checks if c.task == task]
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": _safe(task or "policy"), **_counts(checks)}
        )
        for check in checks:
            _case(suite, check, gate.ceiling_of(check))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _counts(checks: Sequence[Check]) -> dict[str, str]:
    return {
        "tests": str(len(checks)),
        "failures": str(sum(c.status == "fail" for c in checks)),
        "errors": str(sum(c.status == "can't tell" for c in checks)),
    }


def _case(suite: ElementTree.Element, check: Check, high: str) -> None:
    about = ", ".join(filter(None, [check.metric, check.levels]))
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": _safe(".".join(filter(None, [check.task, check.model])) or "policy"),
            "name": _safe(f"{check.rule.title} [{about}]" if about else check.rule.title),
        },
    )
    if check.status != "pass":
        tag = "failure" if check.status == "fail" else "error"
        told = f"{check.shown} is {check.why}" if check.status == "fail" else check.why
        ElementTree.SubElement(case, tag, {"message": _safe(told), "type": _safe(check.status)})
    if high:
        ElementTree.SubElement(case, "system-out").text = _safe(high)


def _safe(text: str) -> str:
    return _NO_XML.sub("?", one_line(text, 300))
