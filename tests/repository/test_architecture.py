"""docs/architecture.md and CONTRIBUTING.md show the packages and the files that are there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "askance"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MOST_FILES = 3
CHANGES = 5


def contracts() -> list[dict[str, Any]]:
    reported = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return reported["tool"]["importlinter"]["contracts"]


def packages(folder: Path) -> set[str]:
    """The packages in a folder; what has no Python of its own is none."""
    return {path.parent.name for path in folder.glob("*/__init__.py")}


def layers() -> list[list[str]]:
    contract = next(contract for contract in contracts() if contract["id"] == "layers")
    return [re.findall(r"\w+", layer) for layer in contract["layers"]]


def test_the_picture_of_the_layers_is_that_of_the_contract() -> None:
    _, _, rest = ARCHITECTURE.partition("## Layers")
    picture = rest.split("```")[1].strip().splitlines()
    drawn = [re.split(r"\s{2,}", line.strip())[0] for line in picture]
    assert [re.findall(r"\w+", line) for line in drawn] == layers()


def test_every_package_stands_in_a_layer() -> None:
    named = {name for layer in layers() for name in layer}
    modules = {path.stem for path in SOURCES.glob("*.py")} - {"__init__"}
    assert packages(SOURCES) | modules == named


@pytest.mark.parametrize("parent", ["adapters", "cli", "ui"])
def test_every_room_is_told_of(parent: str) -> None:
    reported = set(re.findall(rf"`{parent}/(\w+)[`/](?=[^|]*\|)", ARCHITECTURE))
    assert packages(SOURCES / parent) == reported


def test_what_a_newcomer_changes_is_in_few_files() -> None:
    _, _, rest = CONTRIBUTING.partition("| change | files |")
    rows = [row for row in rest.split("\n\n")[0].splitlines() if row.startswith("| a ")]
    assert len(rows) == CHANGES
    for row in rows:
        files = re.findall(r"`([\w/.]+)`", row.split("|")[2])
        assert 0 < len(files) <= MOST_FILES
        for file in files:
            places = [
                path for root in (SOURCES, ROOT) for path in root.glob(file.replace("NAME", "*"))
            ]
            assert places, file
