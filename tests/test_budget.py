"""The size of each room: what it may hold at most. Ceilings fall; one rises with a capability."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
# A sum that lies this far below its ceiling asks for a lower ceiling.
SLACK, SLACK_LINES = 0.03, 60

# By room: lines of `.py` files, blank ones and docstrings counted, and files.
ROOMS: dict[str, tuple[int, int]] = {
    "cli": (1169, 7),
    "decide": (2686, 9),
    "logs": (2381, 10),
    "papers": (88, 1),
    "bend": (2049, 10),
    "papers/binary_qa": (1326, 8),
    "papers/format_bias": (2575, 11),
    "papers/instruction_boundary": (3053, 13),
    "papers/knowno": (1847, 9),
    "papers/mathcomp": (2764, 13),
    "reading": (2168, 10),
    "report": (4545, 15),
    "respondents": (396, 3),
    "scoring": (957, 4),
    "solvers": (210, 2),
    "sources": (987, 5),
    "stats": (2339, 10),
    "top level": (1729, 12),
    "treatments": (1659, 9),
}
"""Folders of `src/askew` and papers; modules at its top level are `top level`."""
SUMS: dict[str, tuple[int, int]] = {
    "src/askew": (34928, 161),
    "src/askew_authoring": (3572, 20),
    "tests": (29999, 246),
}


def _count(*files: Path) -> tuple[int, int]:
    return sum(len(f.read_text(encoding="utf-8").splitlines()) for f in files), len(files)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def _room(file: Path) -> str:
    parts = file.relative_to(SRC / "askew").parts[:-1]
    if not parts or parts == ("papers",):
        return "papers" if parts else "top level"
    return "/".join(parts[:2]) if parts[0] == "papers" else parts[0]


def _measured() -> dict[str, tuple[int, int]]:
    files = _files(SRC / "askew")
    rooms = sorted({_room(f) for f in files})
    return {room: _count(*(f for f in files if _room(f) == room)) for room in rooms}


SUM_OF = {"src/askew": SRC / "askew", "src/askew_authoring": SRC / "askew_authoring",
          "tests": ROOT / "tests"}  # fmt: skip


@pytest.mark.parametrize("name", SUMS)
def test_sums_stay_within_their_ceilings(name):
    _within(name, _count(*_files(SUM_OF[name])), SUMS[name])


@pytest.mark.parametrize("room", sorted({*ROOMS, *_measured()}))
def test_rooms_stay_within_their_ceilings(room):
    assert room in ROOMS, f"src/askew has a new room, {room}: which capability does it hold?"
    _within(room, _measured().get(room, (0, 0)), ROOMS[room])


def _within(name: str, found: tuple[int, int], most: tuple[int, int]) -> None:
    for unit, size, ceiling in zip(("lines", "files"), found, most, strict=True):
        assert size <= ceiling, (
            f"{name} has {size:,} {unit}, {size - ceiling:,} more than its ceiling of {ceiling:,}. "
            "Take as much out of it, or name in the commit the new capability that needs them, and "
            "what it replaces."
        )


@pytest.mark.parametrize("name", SUMS)
def test_ceilings_of_sums_are_lowered_with_their_size(name):
    size, _ = _count(*_files(SUM_OF[name]))
    ceiling, _ = SUMS[name]
    spare = ceiling - size
    assert spare <= max(SLACK * ceiling, SLACK_LINES), (
        f"{name} has {size:,} lines, {spare:,} below its ceiling: lower it to {size:,}"
    )
