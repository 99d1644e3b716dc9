"""What a rule names is there: a rule about a folder that has moved would hold for nothing."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from repository.places import ROOT, SOURCES, python_files

RULES = sorted(Path(__file__).parent.glob("test_*.py"))
_FILE = re.compile(r"[a-z_]+(?:/[a-z_0-9]+){1,5}\.py")
_HOMES = (ROOT, SOURCES, SOURCES / "ui", ROOT / "tests")
_MODULE = re.compile(r"askance(?:\.\w+)*")


def modules_of(contract: object) -> Iterator[str]:
    """Every module of ours that a contract names, wherever it does."""
    match contract:
        case str(text):
            for part in text.split(" -> "):
                if _MODULE.fullmatch(part.strip()):
                    yield part.strip()
        case list() | tuple():
            for part in contract:
                yield from modules_of(part)
        case _:
            pass


def is_there(module: str) -> bool:
    path = ROOT / "src" / Path(*module.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def contracts() -> list[dict[str, object]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return project["tool"]["importlinter"]["contracts"]


@pytest.mark.parametrize("contract", contracts(), ids=lambda contract: str(contract["id"]))
def test_every_module_of_a_contract_is_there(contract: dict[str, object]) -> None:
    named = {module for value in contract.values() for module in modules_of(value)}
    assert named
    assert sorted(module for module in named if not is_there(module)) == []


@pytest.mark.parametrize("contract", contracts(), ids=lambda contract: str(contract["id"]))
def test_every_layer_of_a_contract_is_there(contract: dict[str, object]) -> None:
    layers, containers = contract.get("layers", ()), contract.get("containers", ())
    assert isinstance(layers, list | tuple)
    assert isinstance(containers, list | tuple)
    names = {name for layer in layers for name in re.findall(r"\w+", str(layer))}
    missing = {f"{above}.{name}" for above in containers for name in names}
    assert sorted(module for module in missing if not is_there(module)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda path: path.stem)
def test_every_file_that_a_rule_names_is_there(rule: Path) -> None:
    texts = [
        node.value
        for node in ast.walk(ast.parse(rule.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    named = [text for text in texts if _FILE.fullmatch(text)]
    assert [name for name in named if not any((home / name).is_file() for home in _HOMES)] == []


def test_a_folder_without_python_fails_the_rule_that_names_it() -> None:
    with pytest.raises(AssertionError, match="nothing is there"):
        python_files(SOURCES / "no_such_folder")


def test_a_module_that_has_gone_is_found_missing() -> None:
    assert not is_there("askance.app.no_such_module")
    assert is_there("askance.app.container")
    assert list(modules_of(["askance.app -> askance.engine.run", "httpx"])) == [
        "askance.app",
        "askance.engine.run",
    ]
