"""Logs that are broken in one way each, and the commands that must survive them."""

import io
import json
import struct
import zipfile

from tests.logs.made_logs import a_sample

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")


def samples(item="good", **more):
    return [a_sample(item, hint, **more) for hint in HINTS]


def named(what):
    """A file's name as Inspect gives it: others it opens when it lists them."""
    return f"2026-03-01T12-00-00+00-00_{what.replace(' ', '-')}_a.eval"


POLICY = """\
version: 1
rules:
  - {name: any, metric: omni_accuracy, subset: mctest, min: 0.0, min_items: 1}
"""
COMMANDS = {
    "report": ["-o", "out.md"],
    "compare": ["--baseline", "lab/one", "-o", "out.json"],
    "gate": ["--policy", "policy.yaml"],
    "export": ["-o", "out.csv"],
}


def parts_of(path):
    with zipfile.ZipFile(path) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def packed(parts, how=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as whole:
        for name, content in parts.items():
            whole.writestr(name, content)
    return file.getvalue()


def with_header(path, change):
    """The log with its header changed."""
    parts = parts_of(path)
    header = json.loads(parts["header.json"])
    change(header)
    path.write_bytes(packed({**parts, "header.json": json.dumps(header).encode()}))
    return path


def flipped(path, part):
    """The log with one bit of a part's content turned."""
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as whole:
        found = whole.getinfo(part)
    content[found.header_offset + 30 + len(part) + found.compress_size // 2] ^= 1
    return bytes(content)


def understated(parts, part):
    """A log of which a part unpacks to far more than its directory says."""
    content = bytearray(packed(parts))
    at = content.rfind(part.encode()) - 46
    struct.pack_into("<I", content, at + 24, 99)
    return bytes(content)


def bad_logs(good):
    """Logs that can't be taken for what they say, by name, and what is said of them."""
    whole, parts = good.read_bytes(), parts_of(good)
    header = json.loads(parts["header.json"])

    def changed(**fields):
        return packed({**parts, "header.json": json.dumps({**header, **fields}).encode()})

    spec = header["eval"]
    return {
        "cut": (whole[: len(whole) // 2], "not a zip"),
        "cut at the end": (whole[:-9], "not a zip"),
        "empty": (b"", "not a zip"),
        "text": (b"not a zip", "not a zip"),
        "version": (changed(version="two"), "version"),
        "status": (changed(status="asleep"), "status"),
        "no spec": (changed(eval=None), "eval"),
        "created": (changed(eval={**spec, "created": "yesterday"}), "created"),
        "a billion epochs": (
            changed(eval={**spec, "config": {"epochs": 10**9}}), "set out to ask 4,000,000,000"
        ),
        "bit of the header": (flipped(good, "header.json"), "CRC-32 for file 'header.json'"),
        "bit of the summaries": (flipped(good, "summaries.json"), "CRC-32 for file 'summaries"),
        "deep": (packed({**parts, "summaries.json": b"[" * 99_999 + b"]" * 99_999}), "recursion"),
        "no list": (packed({**parts, "summaries.json": b"{}"}), "list of summaries"),
        "bomb": (
            packed({**parts, "summaries.json": b" " * 70_000_000}),
            "summaries.json would unpack from",
        ),
        "bomb in the journal": (
            packed({**parts, "_journal/summaries/9.json": b" " * 70_000_000}),
            "_journal/summaries/9.json would unpack from",
        ),
        "bomb that lies": (
            understated({**parts, "header.json": b" " * 70_000_000}, "header.json"), "CRC-32"
        ),
        "way out": (packed({**parts, "samples/../../../x.json": b"{}"}), "leads out of the log"),
        "from the root": (packed({**parts, "/etc/x.json": b"{}"}), "leads out of the log"),
        "another packing": (packed(parts, zipfile.ZIP_LZMA), "Unsupported compression"),
        "nothing": (packed({}), "start.json"),
    }  # fmt: skip
