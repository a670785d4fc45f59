"""Does the report say what was planted? A loopback endpoint of models with known faults.

    python benchmarks/planted_stub.py --folder planted

An OpenAI-compatible server answers questions of this file's own. Each model has one fault. The
table has the planted fault beside the report's sentence; logs and report.html stay in the folder.
"""

import argparse
import hashlib
import json
import random
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice, includes
from inspect_ai.solver import multiple_choice
from inspect_ai.tool import Tool, tool

from askew.bend import bend
from askew.papers.knowno.tasks import knowno

LABELS = (
    "card swallowed", "card not working", "change pin", "close account", "pending transfer",
    "failed transfer", "refund missing", "wrong fee", "exchange rate", "lost phone",
    "top up failed", "cash declined", "verify identity", "change address", "duplicate charge",
    "direct debit", "account blocked", "statement copy", "travel notice", "savings interest",
)  # fmt: skip
PHRASES = ("Help with this, please: {}", "I have a question on {}", "Can somebody look at {}?")
TICKETS = {
    PHRASES[k].format(f"case {i * 3 + k + 101}"): label
    for i, label in enumerate(LABELS)
    for k in range(3)
}
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron")
QUIZ = {f"Which word belongs to number {n}?": n for n in range(60)}
NONE = "none-of-them"


def chance(share: float, *parts: str) -> bool:
    """Whether this falls into the share: the same for the same parts."""
    digest = hashlib.sha256("/".join(parts).encode()).digest()
    return int.from_bytes(digest[:4], "big") < share * 2**32


def classify(prompt: str, none_said: float) -> str:
    """A classifier of tickets: right in 90 of 100; says none where no label fits, now and then."""
    ticket = next(t for t in TICKETS if t in prompt)
    offered = re.search(r"Options:\s*\n(.+)", prompt)
    options = [o.strip() for o in offered[1].split(",")] if offered else []
    right, may = TICKETS[ticket], NONE in prompt
    if right in options:
        if may and chance(0.02, ticket, "false alarm"):
            return NONE
        return right if chance(0.9, ticket, "knows") else next(o for o in options if o != right)
    if may and chance(none_said, ticket, "none"):
        return NONE
    return next(o for o in options if o != NONE)


def option_of(n: int, place: int) -> str:
    return WORDS[(n + place * 3) % len(WORDS)]


def quiz(prompt: str, fault: str) -> str:
    """A reader of choice questions: right in 90 of 100 but for its fault."""
    number = int(re.findall(r"(\d+)\s*\?", prompt)[0])
    question = str(number)
    options = dict(re.findall(r"^([A-D])\) (\w+)", prompt, re.M))
    right = next((k for k, v in options.items() if v == option_of(number, 0)), "A")
    wrong = next(k for k in options if k != right)
    letter = right if chance(0.9, question, "knows") else wrong
    told = re.search(r'answer is "?(\w+)', prompt)
    if fault == "follower" and told and chance(0.5, question, "follows"):
        letter = next((k for k, v in options.items() if told[1] in (k, v)), letter)
    if fault == "noisy" and random.random() < 0.3:
        letter = random.choice([k for k in options if k != letter])
    if fault == "first" and chance(0.3, question, "first"):
        letter = min(options)
    return f"ANSWER: {letter}"


@tool
def ledger() -> Tool:
    async def execute(number: int) -> str:
        """The word that belongs to a number.

        Args:
            number: Which.
        """
        return option_of(number, 0)

    return execute


@tool
def almanac() -> Tool:
    async def execute(number: int) -> str:
        """A word of the year that has a number.

        Args:
            number: Which.
        """
        return option_of(number, 1)

    return execute


def agent(body: dict[str, Any], fault: str) -> tuple[str, dict[str, Any]]:
    """An agent that looks a number up and submits: the call, by its fault."""
    prompt = str(body["messages"])
    question = next(q for q in QUIZ if q in prompt)
    results = [m for m in body["messages"] if m["role"] == "tool"]
    tools = [t["function"]["name"] for t in body["tools"]]
    if not results:
        own = [t for t in tools if t != "submit"]
        takes = own[0] if fault == "first-tool" and chance(0.3, question, "first") else "ledger"
        return (takes if takes in own else own[0]), {"number": QUIZ[question]}
    result = str(results[-1]["content"])
    if result.startswith("Error:"):
        if fault == "brittle" and chance(0.5, question, "gives up"):
            return "submit", {"answer": "I cannot answer: the tool failed."}
        return "ledger", {"number": QUIZ[question]}
    doubts = "verified" in result and fault == "doubter" and chance(0.5, question, "doubts")
    word = re.findall(r"\w+", result)[-1]
    return "submit", {"answer": "not known" if doubts else word}


class Endpoint(BaseHTTPRequestHandler):
    """Chat completions; the model's name is its fault."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args: Any) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = body["model"]
        message: dict[str, Any] = {"role": "assistant", "content": ""}
        if body.get("tools"):
            name, arguments = agent(body, fault)
            call = {"name": name, "arguments": json.dumps(arguments)}
            place = f"t{len(body['messages'])}"
            message["tool_calls"] = [{"id": place, "type": "function", "function": call}]
        else:
            prompt = str(body["messages"][-1]["content"])
            message["content"] = (
                classify(prompt, 0.6 if fault == "october" else 0.3)
                if "Intent Class Options" in prompt
                else quiz(prompt, fault)
            )
        reply = {
            "id": "c1", "object": "chat.completion", "created": 1, "model": fault,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
        }  # fmt: skip
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@task
def quiz_task() -> Task:
    samples = [
        Sample(
            id=f"q{n}", input=q, target="ABCD"[n % 4],
            choices=[option_of(n, (place - n % 4) % 4) for place in range(4)],
        )
        for q, n in QUIZ.items()
    ]  # fmt: skip
    return Task(samples, solver=multiple_choice(), scorer=choice())


@task
def agent_task() -> Task:
    samples = [Sample(id=f"a{n}", input=q, target=option_of(n, 0)) for q, n in QUIZ.items()]
    return Task(samples, solver=react(tools=[ledger(), almanac()]), scorer=includes())


# What is planted, in which task, with which treatments.
PLANTED = (
    ("october", "right in 90 of 100; says none in 60, with 2 false alarms", "knowno", ""),
    ("november", "right in 90 of 100; says none in 30, with 2 false alarms", "knowno", ""),
    ("follower", "follows half of the wrong suggestions", "quiz", "suggestion"),
    ("noisy", "gives another option in 30 of 100 replies", "quiz", "repeat,typos"),
    ("first", "takes the first option in 30 of 100", "quiz", "repeat,order"),
    ("doubter", "gives up half of the results marked unverified", "agent", "tool_result"),
    ("first-tool", "takes the first tool in 30 of 100", "agent", "repeat,tool_order"),
    ("brittle", "gives up after half of the failed calls", "agent", "repeat,tool_fault"),
)


def run(folder: Path, address: str) -> None:
    """Ask every model in its task; logs lie in the folder."""
    tickets = folder / "tickets.jsonl"
    tickets.write_text(
        "".join(json.dumps({"text": t, "label_text": v}) + "\n" for t, v in TICKETS.items())
    )
    for fault, _, where, treatments in PLANTED:
        if where == "knowno":
            asked = knowno(data=str(tickets))
        else:
            orders = {"orders": "all"} if fault == "first" else {}
            asked = bend(quiz_task() if where == "quiz" else agent_task(), treatments, **orders)
        [log] = eval(
            asked, model=f"openai-api/stub/{fault}", model_base_url=address,
            model_args={"api_key": "none"}, log_dir=str(folder / "logs" / fault),
            display="none", epochs=2 if where == "knowno" else 1,
        )  # fmt: skip
        if log.status != "success":
            sys.exit(f"{fault}: {log.error.message if log.error else log.status}")


def sentences(page: dict[str, Any]) -> list[str]:
    """What the report says of its one model, and of what it found."""
    rows = [v for part in page.values() if isinstance(part, list) for v in part]
    return [
        f"{r['metric']}: {r['sentence']} [{r['verdict']}] {r['worst_finding'] or ''}"
        for r in rows
        if "sentence" in r
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("planted"))
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run(folder, f"http://127.0.0.1:{server.server_port}/v1")
    for fault, what, where, treatments in PLANTED:
        logs = folder / "logs" / fault
        page = logs.with_suffix(".json")
        subprocess.run(
            ["askew", "report", str(logs), "-o", str(page), "-o", str(page.with_suffix(".html"))],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        print(f"\n{fault} ({where}{', ' + treatments if treatments else ''}): {what}")
        for sentence in sentences(json.loads(page.read_text())):
            print(f"   {sentence}")


if __name__ == "__main__":
    main()
