"""The checks of the bundled sets find nothing, and guessers get no more of them than chance."""

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers import get_paper
from askew_authoring.commands import LINTED, lint_of

# What a check notes although nothing is wrong: some papers name nothing of a kind.
GAPS = {"format_bias": {"empty truth"}}
# Core totals are up to 45 % apart: the largest number tells something about them.
TELLING = {"mathcomp": {"core: more or less, by numbers"}}
SETS = {
    "binary_qa": {"reading core", "ethics hard"},
    "format_bias": {"mmlu core", "bbh hard", "scidocsrr hard"},
    "instruction_boundary": {"choice core", "choice hard", "ten hard"},
    "knowno": {"mctest core", "mctest hard", "equinfer core", "equinfer hard"},
    "mathcomp": {"core: equal or not", "hard: more or less"},
}


@pytest.mark.parametrize("task", LINTED)
def test_nothing_is_found_in_the_bundled_questions(task):
    found = lint_of(get_paper(task)).verify("bundled")
    assert [f for f in found if f.kind not in GAPS.get(task, ())] == []


def test_the_command_says_so():
    said = CliRunner().invoke(main, ["data", "lint", "binary_qa", "--data", "bundled"])
    assert said.output == "binary_qa (bundled): nothing found\n"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("task", "data"), [*((task, "bundled") for task in LINTED), ("knowno", "generated")]
)
def test_guessers_stay_within_chance(task, data):
    found = lint_of(get_paper(task)).statistics(data)
    assert data == "generated" or set(found) >= SETS[task]
    assert [
        (name, each.line())
        for name, baselines in found.items()
        for each in baselines
        if not each.within_chance and name not in TELLING.get(task, ())
    ] == []
