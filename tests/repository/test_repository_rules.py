"""Rules that no tool checks: the picture is the table, no file grows too long, no warning is idle."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from askance.domain.events import WarningCode
from askance.domain.phases import ENDS, MOVES, Phase
from sampled import each_row

ROOT = Path(__file__).parents[2]
LONGEST_FILE = 700
# Figures stand in `docs/bench`.
MOST_WORDS = 350
TEXT_SUFFIXES = {".py", ".pyi", ".md", ".toml", ".json", ".txt", ".html", ".yml", ".yaml"}
FOLDERS = ("src", "tests", "bench", "fuzz", "prompts", "docs", "typings")
# Written so that the rule does not find itself.
HOMES = re.compile(
    r"(?<![\w.:/-])/(?:home|Users|root|work|workspaces|mnt/[a-z])/[\w.-]|\b[A-Z]:[\\/]+Users\b"
)


def files(*folders: str, suffixes: set[str]) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and "__pycache__" not in path.parts:
                yield path


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def as_mermaid() -> str:
    """Draw the table as a Mermaid state diagram, for the documentation."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.PLANNING.name}"]
    lines += [
        f"    {start.name} --> {to.name}"
        for start, targets in MOVES.items()
        for to in Phase
        if to in targets
    ]
    lines += [f"    {end.name} --> [*]" for end in Phase if end in ENDS]
    return "\n".join(lines)


def test_the_picture_of_the_phases_is_drawn_from_the_table() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, begin, rest = text.partition("<!-- phases:begin -->\n")
    drawn, end, _ = rest.partition("\n<!-- phases:end -->")
    assert begin
    assert end
    assert drawn == f"```mermaid\n{as_mermaid()}\n```"


def test_no_file_of_code_is_longer_than_can_be_read_at_once() -> None:
    lengths = {
        named(path): lines_of(path) for path in files("src", "tests", "bench", suffixes={".py"})
    }
    assert len(lengths) > 200
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}


def test_no_decision_is_longer_than_can_be_read_at_once() -> None:
    decisions = list((ROOT / "docs" / "decisions").glob("*.md"))
    assert decisions
    words = {file.name: len(file.read_text("utf-8").split()) for file in decisions}
    assert {name: n for name, n in words.items() if n > MOST_WORDS} == {}


def test_no_file_mentions_a_place_on_somebodys_machine() -> None:
    single = [ROOT / name for name in ("README.md", "CHANGELOG.md", "Makefile", "pyproject.toml")]
    texts = {
        named(path): path.read_text(encoding="utf-8")
        for path in [*single, *files(*FOLDERS, suffixes=TEXT_SUFFIXES)]
    }
    found = {name: HOMES.findall(text) for name, text in texts.items() if HOMES.search(text)}
    assert found == {}


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("see /{}/ann/notes.md", True),
        ('"/{}/ann"', True),
        ("(/{}/ann)", True),
        ("https://example.org/{}/ann", False),
        ("docs/{}/ann", False),
        ("/{}", False),
    ],
)
@pytest.mark.parametrize("home", ["home", "Users", "root"])
def test_a_place_on_somebodys_machine_is_told_from_an_address(
    text: str, home: str, is_found: bool
) -> None:
    assert bool(HOMES.search(text.format(home))) is is_found


@each_row("code", sorted(WarningCode))
def test_every_warning_is_given_somewhere(code: WarningCode) -> None:
    given = re.compile(rf"\bwarn\(\s*WarningCode\.{code.name}\b")
    sources = files("src/askance/engine", suffixes={".py"})
    assert any(given.search(path.read_text(encoding="utf-8")) for path in sources)


def test_the_wheel_carries_every_file_of_the_containers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    carried = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    folders = [ROOT / "deploy" / name for name in ("reader", "searxng", "server")]
    wanted = {named(path) for folder in folders for path in folder.iterdir() if path.is_file()}
    wanted.add("docker-compose.yml")
    assert {name: f"askance/_deploy/{name}" for name in wanted} == {
        name: place for name, place in carried.items() if place.startswith("askance/_deploy/")
    }


def test_no_placeholder_of_a_query_has_a_number() -> None:
    """Python 3.12.0 to 3.12.3, which Ubuntu 24.04 has, takes `?1` for a name and warns at each call."""
    verb = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|VALUES)\b")
    numbered = re.compile(rf"{verb.pattern}[^\0]*\?\d")
    found = {
        named(path): node.value
        for path in files("src", suffixes={".py"})
        # Parsing all of them takes seconds.
        if verb.search(text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and numbered.search(node.value)
    }
    assert found == {}
