"""Prompts and replies from a log's file: those that Inspect gives, and no more memory than said."""

import json
import os
import struct
import tracemalloc
import zlib
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import fsspec
import pytest
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalSample, resolve_sample_attachments
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelOutput,
)
from inspect_ai.scorer import Score

from askew.report.replies import read_replies
from askew.report.samples import LARGEST_FIELD, completion_of, place_of, said_in, samples_of
from tests.logs.made_logs import a_log, a_sample, written

RULE = ChatMessageSystem(content="Be brief.")
ASKED = ChatMessageUser(content="What is left?")
SAID = ChatMessageAssistant(content="Nothing.")
THOUGHT = [ContentReasoning(reasoning="Hm."), ContentText(text="No"), ContentText(text="thing")]
SEEN = [ContentImage(image="attachment://long"), ContentText(text="What is this?")]
SCORED = {"first": Score(value=1, explanation="read"), "then": Score(value=0, explanation="again")}
SAMPLES = {
    "one turn": {"messages": [ASKED, SAID]},
    "several turns": {"messages": [RULE, ASKED, SAID, ASKED, SAID]},
    "scored twice": {"messages": [ASKED, SAID], "scores": SCORED},
    "scored without a word": {"messages": [ASKED, SAID], "scores": {"a": Score(value=1)}},
    "several targets": {"messages": [ASKED, SAID], "target": ["some", "none"]},
    "no reply yet": {"messages": [ASKED]},
    "events": {"messages": [ASKED, SAID], "events": [InfoEvent(data="attachment://")]},
    "content in parts": {"messages": [ASKED, ChatMessageAssistant(content=THOUGHT)]},
    "a picture": {"messages": [ChatMessageUser(content=SEEN), SAID]},
    "kept apart": {
        "messages": [ChatMessageUser(content="attachment://long"), SAID],
        "attachments": {"long": "What is left of it all?"},
        "events": [InfoEvent(data="seen")],
    },
    "no such attachment": {"messages": [ASKED, ChatMessageAssistant(content="attachment://x")]},
    "no output": {"messages": [ASKED], "output": ModelOutput()},
}  # fmt: skip
FIELDS = ("messages", "output", "scores", "target", "choices")


def sample(said):
    given = {"output": ModelOutput.from_content("m", "Nothing."), "target": "none", **said}
    return EvalSample(id="a", epoch=1, input="", **given)


@pytest.fixture
def kept(tmp_path):
    """Samples, or texts in their place, in a file."""

    def write(how=ZIP_DEFLATED, **parts):
        log = tmp_path / "x.eval"
        with ZipFile(log, "w", how) as archive:
            for name, part in parts.items():
                text = part if isinstance(part, str) else part.model_dump_json(exclude_none=True)
                archive.writestr(f"samples/{name}_epoch_1.json", text)
        return log

    return write


def plain(reply, **more):
    """A sample with its fields in Inspect's order."""
    said = {
        "id": "a", "epoch": 1, "input": "", "target": "x",
        "messages": [{"role": "user", "content": "asked"}],
        "output": {"completion": reply}, "scores": {"s": {"value": 1}}, **more,
    }  # fmt: skip
    return json.dumps(said, ensure_ascii=False)


def replies(log, *names):
    return dict(read_replies(str(log), [(name, 1) for name in names or ("a",)]))


def peak(work):
    """The most memory that work takes at once, in megabytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", SAMPLES)
def test_texts_of_a_file_are_those_that_inspect_reads(kept, name):
    theirs = resolve_sample_attachments(sample(SAMPLES[name]), "core")
    ((_, ours),) = samples_of(str(kept(a=sample(SAMPLES[name]))), [("a", 1)], FIELDS)
    assert said_in(ours) == [(message.role, message.text) for message in theirs.messages]
    assert completion_of(ours) == theirs.output.completion
    assert ours["target"] == theirs.target


def test_a_reply_is_what_a_page_shows(kept):
    said = sample(SAMPLES["several turns"] | {"scores": SCORED, "target": ["some", "none"]})
    (reply,) = replies(kept(a=said)).values()
    assert reply.prompt == "[system]\nBe brief.\n\n[user]\nWhat is left?\n\n" + (
        "[assistant]\nNothing.\n\n[user]\nWhat is left?"
    )
    assert (reply.reply, reply.why, reply.expected) == ("Nothing.", "again", "some, none")
    assert not reply.unread


def test_a_log_in_json_gives_the_same(tmp_path):
    said = a_sample("good").model_copy(update=SAMPLES["one turn"])
    asked = [(said.id, 1), ("gone", 1)]
    packed, text = (
        written(a_log([a_sample("other"), said]), tmp_path, f"x.{kind}")
        for kind in ("eval", "json")
    )
    assert dict(read_replies(str(text), asked)) == dict(read_replies(str(packed), asked))
    ((asking, reply),) = read_replies(str(text), asked)
    assert (asking, reply.prompt) == ((said.id, 1), "What is left?")


def test_a_log_in_a_store_gives_the_same_within_the_same_budgets(kept):
    store = fsspec.filesystem("memory")
    good = kept(a=plain("good"))
    store.pipe("/replies/a.eval", good.read_bytes())
    store.pipe("/replies/b.eval", kept(a=plain("A" * 100_000_000)).read_bytes())
    assert replies("memory://replies/a.eval")["a", 1].reply == "good"
    assert peak(lambda: replies("memory://replies/b.eval")) < 2
    assert "too few bytes" in replies("memory://replies/b.eval")["a", 1].unread


def test_how_much_is_cut_of_a_prompt_is_said_of_all_of_it(kept):
    (reply,) = replies(
        kept(a=plain("x", messages=[{"role": "user", "content": "A" * 100_000}]))
    ).values()
    assert reply.prompt.endswith("(96,000 more characters)")
    assert reply.compared.endswith("(80,000 more characters)")


@pytest.mark.parametrize(
    "odd",
    [{"messages": [{"role": "user"}]}, {"messages": [{"role": 3, "content": "x"}]},
     {"messages": [{"role": "user", "content": [{"type": "text", "text": 4}]}]},
     {"output": {"completion": ["x"]}}, {"scores": {"s": {"explanation": 3}}}, {"target": [3]},
     {"scores": [1]}, {"output": "x"}],
)  # fmt: skip
def test_a_sample_of_another_shape_is_said_and_the_others_are_shown(kept, odd):
    found = replies(kept(odd=plain("x", **odd), a=plain("good")), "odd", "a")
    assert "could not be read" in found["odd", 1].unread
    assert not found["odd", 1].prompt
    assert found["a", 1].reply == "good"


def test_a_damaged_part_is_said_and_the_others_are_shown(kept):
    log = kept(bad=plain("one" * 9), a=plain("good"))
    content = bytearray(log.read_bytes())
    content[80] ^= 1
    log.write_bytes(bytes(content))
    found = replies(log, "bad", "a")
    assert found["bad", 1].unread
    assert found["a", 1].reply == "good"


def lying(log, part, told):
    """The log with a part that tells less than it unpacks to, with a checksum to match."""
    with ZipFile(log) as whole:
        truth = whole.read(part)
    content = bytearray(log.read_bytes())
    at = content.rfind(part.encode()) - 46
    struct.pack_into("<I", content, at + 16, zlib.crc32(truth[:told]))
    struct.pack_into("<I", content, at + 24, told)
    log.write_bytes(bytes(content))
    return log


@pytest.mark.parametrize("how", [ZIP_DEFLATED, 93])
def test_a_part_that_lies_about_its_size_takes_no_memory(kept, how):
    log = kept(how, a=plain("good") + " " * 100_000_000)
    log = lying(log, "samples/a_epoch_1.json", len(plain("good")))
    assert peak(lambda: replies(log)) < 20
    assert replies(log)["a", 1].reply == "good"


def test_parts_that_unpack_from_too_few_bytes_are_not_opened(kept):
    log = kept(**{f"a{n}": plain("A" * 10_000_000) for n in range(4)})
    assert peak(lambda: replies(log, "a0", "a1")) < 1
    assert "would unpack from too few bytes" in replies(log, "a0")["a0", 1].unread


def test_of_many_long_replies_one_is_held_at_a_time(kept):
    long = "abcdefgh " * 500_000
    log = kept(ZIP_STORED, **{f"a{n}": plain(f"{n} {long}") for n in range(6)})
    names = [f"a{n}" for n in range(6)]
    assert peak(lambda: replies(log, *names)) < 25
    found = replies(log, *names)
    assert all(reply.reply.endswith("(4,496,002 more characters)") for reply in found.values())


def test_what_no_model_can_have_said_is_not_read_to_the_end(kept):
    log = kept(ZIP_STORED, long=plain("abcd" * 5_000_000), a=plain("good"))
    found = replies(log, "long", "a")
    assert f"longer than {LARGEST_FIELD:,} characters" in found["long", 1].unread
    assert found["a", 1].reply == "good"


@pytest.mark.parametrize("part", ["message", "text"])
def test_an_attachment_that_is_referred_to_without_end_takes_no_memory(kept, part):
    refers = {"role": "user", "content": "attachment://a"}
    many = [refers] * 10_000
    if part == "text":
        many = [{**refers, "content": [{"type": "text", "text": "attachment://a"}] * 10_000}]
    log = kept(a=plain("x", messages=many, attachments={"a": "b" * 1_000_000}))
    assert peak(lambda: replies(log)) < 20
    assert "longer than" in replies(log)["a", 1].unread


def test_values_without_end_are_not_made_into_objects(kept):
    log = kept(ZIP_STORED, a=plain("x", messages=[]).replace("[]", f"[{'[],' * 1_200_000}[]]"))
    assert peak(lambda: replies(log)) < 40
    assert "more than 1,000,000 values" in replies(log)["a", 1].unread


def test_a_log_that_is_gone_says_so_without_where_it_was(tmp_path):
    (reply,) = replies(str(tmp_path / "gone.eval")).values()
    assert "FileNotFoundError" in reply.unread
    assert str(tmp_path) not in reply.unread


# --- Names that are no text -------------------------------------------------------------------


@pytest.fixture
def odd_names(tmp_path):
    """A folder in which files of any bytes can be made."""
    try:
        (tmp_path / os.fsdecode(b"\xff")).write_bytes(b"")
    except OSError:
        pytest.skip("this file system takes no name that is no text")
    return tmp_path


def test_a_name_that_is_no_text_leads_to_its_file(odd_names):
    real = odd_names / os.fsdecode(b"caf\xe9") / os.fsdecode(b"\xe9.eval")
    real.parent.mkdir()
    real.write_bytes(b"x")
    assert place_of(str(odd_names / "caf?" / "?.eval")) == str(real)
    assert place_of(str(odd_names / "what?.eval")) == str(odd_names / "what?.eval")
    assert place_of("s3://bucket/caf?.eval") == "s3://bucket/caf?.eval"


@pytest.mark.parametrize("other", [b"caf?.eval", b"caf\xe8.eval"])
def test_a_name_that_two_files_are_shown_by_leads_to_neither(odd_names, other):
    for name in (b"caf\xe9.eval", other):
        (odd_names / os.fsdecode(name)).write_bytes(b"x")
    with pytest.raises(ValueError, match="several files"):
        place_of(str(odd_names / "caf?.eval"))
    assert "several files" in replies(str(odd_names / "caf?.eval"))["a", 1].unread
