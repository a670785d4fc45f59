"""`wording=authors`: prompts as the authors' scripts send them, and a run of its own."""

import pytest

from askew.decide.simulation import simulation
from askew.papers.format_bias.items import items_of, parse_record
from askew.papers.format_bias.tasks import as_read, format_bias, render_item
from askew.parameters import SelectionError
from askew.reading.formats import FORMATS
from askew.solvers.chain import planned_dialogue
from tests.cases import cases, cases_of

RECORDS = cases_of(__file__, "RECORDS")


def rendered(kind, name, way, level=0, repeat=1):
    item = as_read(items_of([parse_record(RECORDS[kind])])[level])
    return render_item(item, FORMATS[name], way, 0, repeat, 0, own=False)


@cases("kind", "name", "way", "level", "prompt")
def test_prompts_are_those_of_the_authors_scripts(kind, name, way, level, prompt):
    system, asked = planned_dialogue(rendered(kind, name, way, level))
    assert system == ("system", "You are helpful assistant!")
    assert asked == ("user", prompt)


def test_repeats_of_an_instruction_follow_one_another_on_one_line():
    ((_, asked),) = planned_dialogue(rendered("choice", "brackets", "zs", repeat=3))[1:]
    assert asked.endswith("\n" + "Wrap your final answer using double square brackets. " * 3)


def test_every_prompt_has_the_wording_in_its_metadata_and_a_revision_of_its_own():
    made = simulation("format_bias", items=21, wording="authors")
    observed = made.observations("oracle")
    assert set(observed["score"]) == {1.0}
    assert set(observed["format_ok"]) == {1.0}
    assert {s.metadata["wording"] for s in made.samples} == {"authors"}
    versions = {format_bias(items=1, **how).version for how in ({}, {"wording": "authors"})}
    assert len(versions) == 2


def test_demonstrations_are_an_error():
    with pytest.raises(SelectionError, match="remove demos"):
        format_bias(items=1, demos=1, wording="authors")
