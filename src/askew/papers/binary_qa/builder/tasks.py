"""Build a Binary QA set: an eval whose samples are items and whose log is the audit trail.

The paper's set was never published. This rebuilds one from the same sources with the paper's
balance (Section 2.1) and its four reformulations (Section 2.2): one request a form, one example
each, every rewrite held against its form's rule and, where a second model plays `checker`,
answered over its passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig

from askew.papers.binary_qa.builder.balance import Drawn, draw
from askew.papers.binary_qa.builder.pins import FILES
from askew.papers.binary_qa.builder.rewriting import (
    binary_qa_rewriting,
    binary_qa_rewriting_scorer,
)
from askew.papers.binary_qa.builder.sources import LOADERS, candidates
from askew.papers.binary_qa.paper import PAPER, SUBSETS
from askew.papers.binary_qa.tasks import OPTIONS, PASSAGE_AND_QUESTION
from askew.parameters import choose
from askew.solvers.setup import reveal_truth
from askew.sources.pinned import fetch, sha256_of

NAME = "binary_qa_builder"
SOURCE_OF = {domain: source for source, (domain, _) in LOADERS.items()}


@task
def binary_qa_builder(
    domain: str = "reading", items: int = 200, spares: int = 0, seed: int = 0
) -> Task:
    """Rewrite the questions of one domain of Binary QA.

    Args:
        domain: reading, multi_hop, numerical, translation or ethics.
        items: how many items the domain is to have; an even number.
        spares: how many more of each kind and label, for rewrites that nobody accepts.
        seed: for the choice of items.
    """
    choose("domain", domain, SUBSETS)
    drawn = drawn_items(domain, items, spares, seed)
    if not drawn:
        raise ValueError(f"{domain}: the source has no question that fits")
    files = FILES[SOURCE_OF[domain]]
    return Task(
        name=f"{NAME}_{domain}",
        dataset=MemoryDataset([_sample(each) for each in drawn], name=f"{NAME}-{domain}"),
        setup=[reveal_truth()],
        solver=binary_qa_rewriting(CONVERT, dict(REWRITE), MEND, CHECK),
        scorer=binary_qa_rewriting_scorer(),
        config=GenerateConfig(temperature=0.0),
        continue_on_fail=True,
        metadata={
            "benchmark": "askew-builder",
            "paper": PAPER.task,
            "domain": domain,
            "sources": [
                {"revision": f.revision, "url": f.url, "sha256": sha256_of(fetch(f))} for f in files
            ],
        },
    )


def drawn_items(domain: str, items: int, spares: int, seed: int) -> Sequence[Drawn]:
    """The domain's balanced choice of questions; fetches its source where need be."""
    source = SOURCE_OF[domain]
    paths = tuple(fetch(file) for file in FILES[source])
    return _drawn(source, paths, domain, items, spares, seed)


@lru_cache(maxsize=8)
def _drawn(
    source: str, paths: tuple[Path, ...], domain: str, items: int, spares: int, seed: int
) -> tuple[Drawn, ...]:
    return tuple(draw(domain, candidates(source, paths), items, spares, seed))


def _sample(drawn: Drawn) -> Sample:
    candidate, check = drawn.candidate, drawn.check
    compared = {"value": check.value, "op": check.op, "n": check.n} if check else {}
    return Sample(
        id=candidate.id,
        input=candidate.question,
        target=drawn.answer,
        metadata={
            "task": NAME,
            "item": candidate.id,
            "subset": candidate.subset,
            "kind": drawn.kind,
            "answer": drawn.answer,
            "question": candidate.question,
            "passage": candidate.passage,
            **compared,
        },
    )


# --- What is asked ---------------------------------------------------------------------------

# The examples and the kinds of rewriting are the paper's (Section 2.2); the words around them are
# ours, since it prints no prompt.
_REWRITE = """\
Rewrite a yes/no question. {rule}

Example
Question: {before}
Rewritten: {after}

Question: {{question}}

Reply with the rewritten question only, as one sentence that ends with a question mark."""

REWRITE = {
    "synonym": _REWRITE.format(
        rule="Replace key words or phrases by close equivalents. Keep the meaning, the numbers and "
        "the names, so that the right answer stays the same. Add no negation and no hedge.",
        before="Is caffeine found in black tea?",
        after="Is caffeine present in black tea?",
    ),
    "hedged": _REWRITE.format(
        rule="Make it polite or tentative with words put around it. Keep the meaning, the numbers "
        "and the names, so that the right answer stays the same. Add no negation.",
        before="Is Paris the capital of France?",
        after="Would you say Paris is the capital of France?",
    ),
    "contradictory": _REWRITE.format(
        rule="Ask for the opposite, so that the right answer turns round: whenever the answer to "
        "the question is Yes, that to yours is No, and the other way round, in every case "
        'including ties. Use an opposite word or a negation, but not the words "is it false". '
        "Keep the names and what is being compared.",
        before="Does the sun rise in the east?",
        after="Does the sun not rise in the east?",
    ),
    "false_framing": _REWRITE.format(
        rule='Begin with "Is it false that" and turn the question into the statement that follows. '
        "Change nothing else; add no further negation.",
        before="Is the moon a star?",
        after="Is it false that the moon is a star?",
    ),
}

# The paper wrote these by hand; its two examples stand here (Section 2.1).
CONVERT = """\
Turn a question that asks for a number into a yes/no question about a given number.

Examples
Question: How many years did Dhanraj Pillay's career span?
Ask about: over 14
Rewritten: Did Dhanraj Pillay's career span over 14 years?

Question: How many TD runs were there in the game?
Ask about: exactly 2
Rewritten: Were there 2 TD runs in the game?

Question: {question}
Ask about: {wanted}

Keep everything else that the question asks about. Write the number in digits. Reply with the \
rewritten question only, as one sentence that ends with a question mark."""

MEND = """\
That does not do: the question {problem}. Reply with a corrected question only."""

CHECK = f"{PASSAGE_AND_QUESTION}\n\n{OPTIONS.format(options='Yes/No')}"
