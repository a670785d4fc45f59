"""Replies that end badly, through the providers' real SDKs: each has its documented outcome."""

import asyncio

import pytest
from inspect_ai.model import ChatMessageUser, get_model
from tenacity import wait_fixed

from askew.papers.binary_qa.paper import BinaryMeta
from askew.papers.binary_qa.scorer import binary_qa_scorer
from askew.scoring.outcome import reply_of
from askew.solvers.chain import assistant_text
from tests.cases import cases_of
from tests.clients.wire import Said, wire
from tests.scoring.direct import score_of

pytestmark = pytest.mark.whole

CLIENTS = cases_of(__file__, "CLIENTS")
ENDINGS = {
    ending: (Said(**said), outcome)
    for ending, (said, outcome) in cases_of(__file__, "ENDINGS").items()
}
ASKED = BinaryMeta(
    task="binary_qa", item="i", cluster="i", subset="reading", kind="reading", form="original",
    truth="Yes", expected="Yes",
).as_metadata()  # fmt: skip


@pytest.mark.parametrize("client", CLIENTS)
def test_each_way_to_end_has_its_outcome_and_lets_another_turn_follow(client, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "not-a-key")
    name, base, args = CLIENTS[client]
    pytest.importorskip({"o": "openai", "a": "anthropic", "g": "google.genai"}[client[0]])

    async def both_turns(model, ending):
        first = ChatMessageUser(content=ending)
        output = await model.generate([first])
        turns = [first, assistant_text(output.message), ChatMessageUser(content="Are you sure?")]
        assert (await model.generate(turns)).completion == "No"
        return output

    async def all_of(model):
        return await asyncio.gather(*(both_turns(model, ending) for ending in ENDINGS))

    def reply(dialogue):
        return Said("No") if dialogue[1:] else ENDINGS[dialogue[0][1]][0]

    with wire(reply) as served:
        model = get_model(name, base_url=served.address + base, memoize=False, **args)
        model.api.retry_wait = lambda: wait_fixed(0.05)
        outputs = asyncio.run(all_of(model))
    # Providers refuse a message without words, and one that ends in reasoning.
    assert all(text.strip() for dialogue in served.asked for _, text in dialogue)
    assert len(served.asked) == 2 * len(ENDINGS)
    declined = "refused" if client.startswith("openai") else "filtered"
    for (ending, (_, outcome)), output in zip(ENDINGS.items(), outputs, strict=True):
        score = score_of(binary_qa_scorer(), output, ASKED)
        wanted = declined if outcome == "declined" else outcome
        assert score.metadata["outcome"] == wanted, (ending, score.explanation)
        assert score.value["correct"] == (outcome == "ok")
        assert wanted not in ("filtered", "empty") or not reply_of(output).strip()
        if ending in ("reasoning beside", "reasoning alone"):
            assert "reasoning" in {part.type for part in output.message.content}
