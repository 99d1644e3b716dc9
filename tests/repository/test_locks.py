"""What is installed to work on the project is known to the byte: every version, every hash."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tools.environment import HASHED

from waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
ALL, DEMO = "requirements.lock", "requirements/demo.lock"
MODEL, READER = "requirements/model.lock", "deploy/reader/requirements.txt"
SERVER, SEARXNG = "deploy/server/requirements.txt", "requirements/searxng.lock"
GO, AUDIT = "requirements/go.lock", "requirements/audit.lock"
DESKTOP, FLATPAK = "requirements/desktop.lock", "requirements/flatpak.lock"
SBOM = "requirements/sbom.lock"
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
_PIN = re.compile(r"([a-z0-9-]+)==[\w.!+]+")

every_lock = pytest.mark.parametrize(
    "name", [ALL, DEMO, MODEL, READER, SERVER, SEARXNG, GO, AUDIT, FLATPAK, SBOM]
)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def entries(name: str) -> dict[str, set[str]]:
    """Each pin with its condition, and its hashes."""
    joined = text_of(name).replace("\\\n", " ")
    rows = [line.split("--hash", 1) for line in joined.splitlines() if line.strip()]
    return {row[0].strip(): set(_HASH.findall("--hash" + "".join(row[1:]))) for row in rows}


def names(name: str) -> set[str]:
    return {canonicalize_name(pin.partition("==")[0]) for pin in entries(name)}


@every_lock
def test_every_line_of_a_lock_is_a_version_with_hashes_and_nothing_else(name: str) -> None:
    found = entries(name)
    assert found
    for pin, hashes in found.items():
        assert _PIN.match(pin), pin
        assert hashes, pin
    # No index, no address, no option: where packages come from is the developer's own affair.
    assert not re.search(r"^\s*--(?!hash)|://|^-", text_of(name), re.MULTILINE)


@pytest.mark.parametrize("name", [DEMO, READER, SERVER, DESKTOP, FLATPAK])
def test_the_smaller_locks_are_parts_of_the_whole(name: str) -> None:
    whole = {pin.partition(" ;")[0]: hashes for pin, hashes in entries(ALL).items()}
    part = {pin.partition(" ;")[0]: hashes for pin, hashes in entries(name).items()}
    assert part.items() <= whole.items()


def test_whatever_the_project_asks_for_is_in_the_lock() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))
    extras: dict[str, list[str]] = project["project"]["optional-dependencies"]
    base: list[str] = project["project"]["dependencies"]
    build: list[str] = project["build-system"]["requires"]

    def asked(*lists: list[str]) -> set[str]:
        return {canonicalize_name(Requirement(line).name) for lines in lists for line in lines}

    assert asked(base, build, *extras.values()) <= names(ALL)
    assert asked(base, build, extras["demo"], extras["build"]) <= names(DEMO)


@pytest.mark.parametrize(
    ("name", "extras"),
    [
        (ALL, None),
        (DEMO, ["demo", "build"]),
        (DESKTOP, ["mcp", "dist", "build"]),
        (FLATPAK, ["mcp"]),
    ],
)
def test_a_lock_holds_all_that_its_packages_need(name: str, extras: list[str] | None) -> None:
    """pip is told to look for nothing else."""
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    optional: dict[str, list[str]] = project["optional-dependencies"]
    chosen = optional if extras is None else extras
    asked = [*project["dependencies"], *(line for extra in chosen for line in optional[extra])]
    assert needed_by(Requirement(line) for line in asked) <= names(name)


def needed_by(asked: Iterable[Requirement]) -> set[str]:
    """All that these ask for, and what that asks for, on this system and as far as installed."""
    waiting, seen = list(asked), set[tuple[str, frozenset[str]]]()
    while waiting:
        wanted = waiting.pop()
        name, extras = (
            canonicalize_name(wanted.name),
            frozenset(map(canonicalize_name, wanted.extras)),
        )
        applies = wanted.marker is None or wanted.marker.evaluate()
        if not applies or (name, extras) in seen:
            continue
        seen.add((name, extras))
        with suppress(PackageNotFoundError):
            for line in distribution(name).requires or ():
                inner = Requirement(line)
                if inner.marker and any(inner.marker.evaluate({"extra": e}) for e in ("", *extras)):
                    inner.marker = None
                waiting.append(inner)
    return {name for name, _ in seen}


def test_make_installs_with_hashes_and_nothing_besides() -> None:
    makefile = text_of("Makefile")
    itself = re.findall(r"^ITSELF := (.*)$", makefile, re.MULTILINE)[0]
    lines = makefile.replace("$(ITSELF)", itself).splitlines()
    lines = [line for line in lines if line.startswith("\t")]
    assert len([line for line in lines if "$(INSTALL)" in line]) >= 4
    assert {"--only-binary", ":all:", "--require-hashes", "--no-deps"} == set(HASHED)
    by_pip = [line for line in lines if "$(PIP)" in line]
    assert len(by_pip) >= 3
    for line in by_pip:
        # pip 23 warns of the extra that one package asks of another wherever it looks at both.
        assert "--no-deps" in line
    assert "--no-isolation" in makefile
    assert not any("pip install" in line for line in lines)


def test_pip_takes_no_package_that_was_changed(tmp_path: Path) -> None:
    """The point of it all, tried with a package that is made here."""
    wheel = tmp_path / "changed-1.0-py3-none-any.whl"
    wheel.write_bytes(b"not what was locked")
    lock = tmp_path / "lock"
    lock.write_text(f"changed==1.0 --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - this very Python
        [sys.executable, "-m", "pip", "install", "--isolated", "--no-index", "--find-links",
         str(tmp_path), "--no-deps", "--only-binary", ":all:", "--require-hashes",
         "--target", str(tmp_path / "target"), "-r", str(lock)],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr
