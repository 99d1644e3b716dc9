"""Every input that once broke something, and every seed, on each run of the tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.targets import TARGETS

from fuzz import __main__ as fuzzing
from fuzz import engine
from sampled import each_row

SEEDS = [(file.parent.name, file) for file in sorted(engine.CORPUS.glob("*/*"))]


@each_row(("name", "file"), SEEDS)
def test_what_was_fuzzed_before_breaks_nothing(name: str, file: Path) -> None:
    TARGETS[name](file.read_bytes())


def test_every_target_has_seeds_and_every_seed_a_target() -> None:
    assert {name for name, _ in SEEDS} == set(TARGETS)


def fails_at_a_bracket(data: bytes) -> None:
    assert b"[[" not in data, "two brackets"


def test_the_search_without_guidance_finds_a_fault_and_says_by_which_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(TARGETS, "citations", fails_at_a_bracket)
    assert engine.unguided("citations", 20) == engine.FOUND
    assert "two brackets" in capsys.readouterr().out


def test_the_search_without_guidance_ends_in_time_where_all_is_well(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert engine.unguided("snippet", 0.01) == 0
    assert "100 inputs" in capsys.readouterr().out


@pytest.mark.exhaustive
def test_a_target_that_does_not_exist_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "nonsense"],
        cwd=engine.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "there is no target nonsense" in done.stderr


def test_a_target_that_breaks_makes_the_whole_run_fail(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A search that ends with anything but 0 has found something."""
    monkeypatch.setattr(fuzzing, "FINDINGS", tmp_path)
    monkeypatch.setattr(fuzzing, "ROOT", tmp_path)  # there is no module to run there
    assert fuzzing.main(["lines", "--seconds", "1"]) == 1
    assert "Broken: lines" in capsys.readouterr().out
