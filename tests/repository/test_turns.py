"""What only whole runs take waits for its turn in CI: each row and each test has one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import sampled

ROWS, TURNS = 20, range(8)


class Item:
    """A test as pytest hands it on."""

    path = Path("test_it.py")

    def __init__(self, name: str, *, is_exhaustive: bool = True) -> None:
        self.name, self._is_exhaustive = name, is_exhaustive

    def get_closest_marker(self, _name: str) -> bool:
        return self._is_exhaustive


def test_each_row_and_each_test_has_its_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = [Item(f"test_rows[{n}]") for n in range(ROWS)]
    alone = [Item(name) for name in ("test_a", "test_b[x]", "test_b[y]")]
    always = Item("test_rows[first]", is_exhaustive=False)
    monkeypatch.setitem(sampled._run, "is_turn", True)
    items: list[Any] = [*table, *alone, always]
    seen = Counter[str]()
    for turn in TURNS:
        monkeypatch.setattr(sampled, "TURN", str(turn))
        left_out = sampled.of_other_turns(items)
        seen.update(item.name for item in items if item not in left_out)
    assert {seen[row.name] for row in table} == {1}
    assert {seen[test.name] for test in alone} == {1}
    assert seen[always.name] == len(TURNS)


def test_a_table_in_one_test_has_each_row_in_some_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sampled._run, "is_turn", True)
    monkeypatch.setitem(sampled._run, "is_whole", False)
    seen = Counter[int]()
    for turn in TURNS:
        monkeypatch.setattr(sampled, "TURN", str(turn))
        seen.update(sampled.some_rows(range(ROWS), every=5))
    assert set(seen) == set(range(ROWS))
    assert seen[0] == seen[5] == len(TURNS)
