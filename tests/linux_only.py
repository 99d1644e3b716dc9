"""Leave out, elsewhere, the files of tests that need packages which Linux alone has: X11's and D-Bus's.

They could not even be imported there, and pytest would run no test at all.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGES = frozenset({"Xlib", "jeepney"})
"""The packages of pyproject.toml whose marker is Linux."""
_TESTS = Path(__file__).parent
_ROOTS = (_TESTS, _TESTS.parent, _TESTS.parent / "src")


def files(platform: str = sys.platform) -> list[str]:
    """Return the files of tests that are left out on a platform, for pytest's `collect_ignore`."""
    if platform == "linux":
        return []
    return [str(file) for file in sorted(_TESTS.rglob("test_*.py")) if needs_linux(file)]


def needs_linux(file: Path) -> bool:
    """Return whether a file, or what it imports at once, imports one of these packages."""
    waiting, known = [file], {file}
    while waiting:
        needs, imported = _read(waiting.pop())
        if needs:
            return True
        waiting += imported - known
        known |= imported
    return False


@cache
def _read(file: Path) -> tuple[bool, frozenset[Path]]:
    needs, imported = False, set[Path]()
    for module in _imported(ast.parse(file.read_text("utf-8")).body):
        needs |= module.partition(".")[0] in PACKAGES
        imported.update(_files_of(module))
    return needs, frozenset(imported)


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    """Yield what is imported when a module is: not within functions."""
    for node in body:
        match node:
            case ast.ImportFrom(module=str(module), level=0):
                yield module
                yield from (f"{module}.{name.name}" for name in node.names)
            case ast.Import():
                yield from (name.name for name in node.names)
            case ast.Try():
                yield from _imported(node.body)
            case _:
                pass


def _files_of(module: str) -> Iterator[Path]:
    place = module.replace(".", "/")
    for root in _ROOTS:
        for file in (root / f"{place}.py", root / place / "__init__.py"):
            if file.is_file():
                yield file
