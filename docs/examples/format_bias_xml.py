"""A sixteenth format from outside the package: the answer in an XML element.

inspect eval docs/examples/format_bias_xml.py --model respondent/sloppy
"""

from inspect_ai import Task, task

from askew.papers.format_bias.tasks import format_bias
from askew.reading.formats import Pair, register_format

XML = register_format(
    Pair(
        name="xml",
        meaning="between <final> and </final>",
        instruction="Wrap your final answer in the XML element <final>.",
        opening="<final>",
        closing="</final>",
    )
)


@task
def format_bias_with_xml(data: str = "bundled", items: int | None = None) -> Task:
    """The paper's wrapping formats and ours, on the same questions."""
    return format_bias(data=data, category="wrapping", format="all", items=items)
