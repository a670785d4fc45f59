"""Servers of one's own, as docs/models.md says to ask them; they know chat completions alone."""

import re
from pathlib import Path

import pytest
from inspect_ai.model import get_model
from tenacity import wait_fixed

from askew.analysis import read_observations
from askew.papers.knowno.tasks import knowno
from tests.clients.wire import Said, wire

pytestmark = pytest.mark.whole
pytest.importorskip("openai")
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
RECIPES = re.findall(
    r"`((?:[A-Z_]+=\S+ )+)inspect eval askew/knowno --model ((\S+?)/\S+?)(?: [^`]*)?`", PAGE
)


def served_alone():
    """A server as llama.cpp's: what goes to the Responses endpoint it does not know."""
    return wire(lambda before: Said("none of them"), refuse=lambda body: "input" in body)


def asked(name):
    model = get_model(name, memoize=False)
    model.api.retry_wait = lambda: wait_fixed(0.05)
    return model


def test_the_page_has_a_recipe_for_each_kind_of_server():
    assert {kind for _, _, kind in RECIPES} == {"openai-api", "vllm", "ollama"}
    assert len(RECIPES) == 5


@pytest.mark.parametrize(("given", "name"), [(g, n) for g, n, _ in RECIPES])
def test_a_recipe_asks_its_server(given, name, run, tmp_path, monkeypatch):
    with served_alone() as served:
        for text in given.split():
            variable, _, value = text.partition("=")
            if variable.endswith("_BASE_URL"):
                assert value.endswith("/v1")
                value = served.address + "/v1"
            monkeypatch.setenv(variable, value)
        log = run(knowno(items=3, hint="with_gold"), model=asked(name))
    assert log.status == "success"
    assert len(read_observations(log.location)) == 3
    assert {body["model"] for body in served.bodies} == {name.split("/", name.count("/"))[-1]} or (
        name == "vllm/org/model"
    )
