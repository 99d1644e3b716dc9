"""The file of speeds: private, whole, and never in the way."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from askance.adapters.llm.model_queue import SpeedFile
from askance.domain.ports.model import MOST_RUNS, Speed

KNOWN = Speed(60.25, 8.5, 12.0, 0.3, (41.0, 44.5), again=((900, 80),))


async def test_what_was_kept_is_known_to_the_next_start(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "speeds.json"
    await SpeedFile(file).store("http://one", "wren", KNOWN)
    await SpeedFile(file).store("http://two", "wren", Speed(300.0, 25.0))
    assert await SpeedFile(file).known("http://one", "wren") == KNOWN
    assert await SpeedFile(file).known("http://two", "wren") == Speed(300.0, 25.0)
    assert await SpeedFile(file).known("http://one", "owl") == Speed()


async def test_the_newest_word_counts(tmp_path: Path) -> None:
    speeds = SpeedFile(tmp_path / "speeds.json")
    await speeds.store("s", "m", Speed(10.0))
    await speeds.store("s", "m", Speed(20.0))
    assert await speeds.known("s", "m") == Speed(20.0)


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing: run it on Linux")
async def test_it_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "speeds.json"
    await SpeedFile(file).store("s", "m", KNOWN)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"null",
        b"\xff\xfe",
        b'[["s", "m"]]',
        b'[["s", "m", {"prompt_tps": "fast"}]]',
        b"[" * 100_000,
    ],
)
async def test_a_damaged_file_knows_nothing_and_is_replaced(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "speeds.json"
    file.write_bytes(damage)
    speeds = SpeedFile(file)
    assert await speeds.known("s", "m") == Speed()
    await speeds.store("s", "m", KNOWN)
    assert await speeds.known("s", "m") == KNOWN


async def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("no folder", "utf-8")
    speeds = SpeedFile(in_the_way / "speeds.json")
    await speeds.store("s", "m", KNOWN)
    assert await speeds.known("s", "m") == Speed()


async def test_models_that_were_not_used_for_long_are_forgotten(tmp_path: Path) -> None:
    speeds = SpeedFile(tmp_path / "speeds.json")
    for n in range(52):
        await speeds.store("s", f"m{n}", Speed(float(n + 1)))
    assert await speeds.known("s", "m0") == Speed()
    assert await speeds.known("s", "m51") == Speed(52.0)


async def test_no_more_runs_are_kept_than_tell_something(tmp_path: Path) -> None:
    speeds = SpeedFile(tmp_path / "speeds.json")
    many = tuple(float(n) for n in range(1, 30))
    await speeds.store("s", "m", Speed(runs_s=many))
    assert (await speeds.known("s", "m")).runs_s == many[-MOST_RUNS:]
