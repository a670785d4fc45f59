"""Logs that are broken in one way each, and the commands that must survive them."""

import io
import json
import struct
import zipfile

from tests.cases import cases_of
from tests.logs.made_logs import a_sample

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")


def samples(item="good", **more):
    return [a_sample(item, hint, **more) for hint in HINTS]


def named(what):
    """A file's name as Inspect gives it: others it opens when it lists them."""
    return f"2026-03-01T12-00-00+00-00_{what.replace(' ', '-')}_a.eval"


POLICY = cases_of(__file__, "POLICY")
COMMANDS = cases_of(__file__, "COMMANDS")


def parts_of(path):
    with zipfile.ZipFile(path) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def packed(parts, how=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as whole:
        for name, content in parts.items():
            whole.writestr(name, content)
    return file.getvalue()


def flipped(path, part):
    """The log with one bit of a part's content turned."""
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as whole:
        found = whole.getinfo(part)
    content[found.header_offset + 30 + len(part) + found.compress_size // 2] ^= 1
    return bytes(content)


def overstated(parts, part):
    """A log of which a part unpacks, by its directory, to more than is read."""
    content = bytearray(packed(parts))
    at = content.rfind(part.encode()) - 46
    struct.pack_into("<I", content, at + 24, 2**32 - 2)
    return bytes(content)


def bad_logs(good):
    """Logs that can't be taken for what they say, by name, and what is said of them."""
    whole, parts = good.read_bytes(), parts_of(good)
    bare = json.dumps({**json.loads(parts["header.json"]), "eval": None}).encode()
    return {
        "cut": (whole[: len(whole) // 2], "not a zip"),
        "empty": (b"", "not an Inspect log"),
        "no spec": (packed({**parts, "header.json": bare}), "eval"),
        "bit of the summaries": (flipped(good, "summaries.json"), "CRC-32 for file 'summaries"),
        "deep": (packed({**parts, "summaries.json": b"[" * 99_999 + b"]" * 99_999}), "recursion"),
        "too much": (overstated(parts, "summaries.json"), "it unpacks to 4,294,9"),
    }  # fmt: skip
