"""A bare machine: no screen, compositor, message bus, search engine, or collection beside the repository.

With ASKANCE_TEST_BARE=1 what this machine has of them is hidden, and those tests run that look for
it: `make test-bare`, beside `make test-all`, which runs all tests with what there is.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_VARIABLE = "ASKANCE_TEST_BARE"
IS_BARE = bool(os.environ.get(_VARIABLE))
PROGRAMS = (
    "Xvfb", "openbox", "i3", "picom", "sway", "swaymsg", "dbus-daemon", "fcitx5", "docker", "podman", "desktop-file-validate",
    "appstreamcli",
)  # fmt: skip
VARIABLES = (
    "ASKANCE_TEST_DOCKER", "ASKANCE_TEST_OLLAMA_URL", "ASKANCE_TEST_QDRANT_URL", "ASKANCE_TEST_SEARXNG_PYTHON",
)  # fmt: skip
"""They name servers that tests ask where they are set."""
SHARED = "ASKANCE_TEST_SHARED"
"""Names the folder of collections: bench/beside.py."""
_TESTS = Path(__file__).parent
_ROOT = _TESTS.parent


def hide(folder: Path) -> None:
    """Take the programs off the path of this process and those that it starts, and all servers and collections.

    A folder of programs that has one of them is replaced by one within `folder` that links to its others.
    """
    if os.environ[_VARIABLE] != "1":  # a process of a run in several: its parent has hidden them
        return
    hidden = {name for name in PROGRAMS if shutil.which(name)}
    hidden |= {name for name in VARIABLES if os.environ.pop(name, "")} | {SHARED}
    places: list[str] = []
    for number, place in enumerate(map(Path, os.environ.get("PATH", "").split(os.pathsep))):
        if any((place / name).exists() for name in hidden):
            others = folder / str(number)
            others.mkdir(parents=True)
            for program in place.iterdir():
                if program.name not in hidden:
                    (others / program.name).symlink_to(program)
            place = others
        places.append(str(place))
    os.environ |= {
        "PATH": os.pathsep.join(places),
        SHARED: str(folder / "nothing"),
        _VARIABLE: " ".join(sorted(hidden)),
    }


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the files of tests that look for nothing of what is hidden."""
    is_tests = IS_BARE and collection_path.suffix == ".py"
    is_left_out = is_tests and not looks_for_something(collection_path)
    return True if is_left_out else None


@cache
def looks_for_something(file: Path) -> bool:
    """Return whether a file of tests, or a module of the repository that it imports, does."""
    conftests = (folder / "conftest.py" for folder in file.parents if folder.is_relative_to(_TESTS))
    words = set(re.findall(r"\w+", file.read_text("utf-8")))
    waiting = [file, *(c for c in conftests if c.is_file() and _gives_any(c, words))]
    # This module names everything, and every test has it.
    known = {Path(__file__), *waiting}
    while waiting:
        looks, imported = _read(waiting.pop())
        if looks:
            return True
        waiting += imported - known
        known |= imported
    return False


def _gives_any(conftest: Path, words: set[str]) -> bool:
    """Return whether a file with these words uses a fixture of a conftest."""
    for node in ast.walk(ast.parse(conftest.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            made = " ".join(map(ast.unparse, node.decorator_list))
            if "fixture" in made and (node.name in words or "autouse" in made):
                return True
    return False


@cache
def _read(file: Path) -> tuple[bool, frozenset[Path]]:
    """Return whether a module looks for something that is hidden, and the modules that it imports."""
    hidden = os.environ[_VARIABLE].split()
    looks, imported = False, set[Path]()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="which"), args=[ast.Constant(value=str(name)), *_]
            ):
                looks |= name in hidden
            case ast.Constant(value=str(name)) if name.startswith("ASKANCE_TEST_"):
                looks |= name in hidden
            case ast.ImportFrom(module=str(module), level=0):
                imported.update(_files_of(module))
                for name in node.names:
                    imported.update(_files_of(f"{module}.{name.name}"))
            case ast.Import():
                for name in node.names:
                    imported.update(_files_of(name.name))
            case _:
                pass
    return looks, frozenset(imported)


def _files_of(module: str) -> Iterator[Path]:
    """Yield the file of a module of the tests, benches or pictures; none of another one."""
    for root in (_TESTS, _ROOT):
        file = root / f"{module.replace('.', '/')}.py"
        if file.is_file():
            yield file
