"""JUnit XML of a gate, word for word."""

from askew.decide.documents import junit_xml
from askew.decide.gate import Gate
from askew.decide.policy import Check, Rule, unmet
from askew.report.ceiling import AtCeiling, Ceilings
from askew.report.estimates import Estimate
from askew.untrusted import one_line

RULE = Rule(task="knowno", metric="omni_accuracy", min=0.5)
FOUND = AtCeiling("knowno", "x/good", "all", "", Estimate(0.99, 0.96, 1.0, 200), "Ask harder ones")


def test_every_check_is_a_case_of_its_task_s_suite():
    checks = (
        Check(RULE, "fail", "below 0.5", "knowno", "x/poor", metric="omni_accuracy",
              levels="subset=all", shown="40.0 % (30.0 to 45.0)"),
        unmet("models", "no <such> model"),
        Check(RULE, "pass", "", "knowno", "x/good", metric="omni_accuracy", subset="all",
              ceiling="at"),
        Check(RULE, "inconclusive", "not measured", "mathcomp"),
    )  # fmt: skip
    at = Ceilings((FOUND,), {("knowno", "x/good"): frozenset({("mctest", "")})})
    assert (
        junit_xml(Gate(checks, at))
        == """\
<testsuites name="askew gate" tests="4" failures="1" errors="2">
  <testsuite name="knowno" tests="2" failures="1" errors="0">
    <testcase classname="knowno.x/poor" name="omni_accuracy ≥ 50% [omni_accuracy, subset=all]">
      <failure message="40.0 % (30.0 to 45.0) is below 0.5" type="fail" />
    </testcase>
    <testcase classname="knowno.x/good" name="omni_accuracy ≥ 50% [omni_accuracy]">
      <system-out>at ceiling: cannot separate strong models. Ask harder ones</system-out>
    </testcase>
  </testsuite>
  <testsuite name="policy" tests="1" failures="0" errors="1">
    <testcase classname="policy" name="models">
      <error message="no &lt;such&gt; model" type="inconclusive" />
    </testcase>
  </testsuite>
  <testsuite name="mathcomp" tests="1" failures="0" errors="1">
    <testcase classname="mathcomp" name="omni_accuracy ≥ 50%">
      <error message="not measured" type="inconclusive" />
    </testcase>
  </testsuite>
</testsuites>
"""
    )


def test_junit_replaces_invalid_characters_and_cuts_long_messages():
    text = junit_xml(Gate((Check(RULE, "inconclusive", "a\ufffeb\ud800c" + "y" * 400, "k"),)))
    (line,) = (line for line in text.splitlines() if "message=" in line)
    said = line.partition('message="')[2].partition('"')[0]
    assert said == one_line("a?b?c" + "y" * 400, 300)
