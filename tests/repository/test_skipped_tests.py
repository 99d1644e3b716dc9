"""No test is skipped in silence: each says what is missing and how to have it, and all are listed."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
# What is missing, and what to do about it.
NOTABLE = re.compile(r"[^:]{5,}: \S.{5,}")
SKIPPED = """
import pytest

pytestmark = pytest.mark.skipif(True, reason="no moon: come back at night")

def test_one():
    assert False

def test_two():
    assert False
"""
RUN = """
import pytest

@pytest.mark.parametrize("n", [1, 2, 3])
def test_it(n):
    if n == 2:
        pytest.skip("two is one too many: take another")
"""


def reasons_in(file: Path) -> Iterator[tuple[int, ast.expr | None]]:
    text = file.read_text("utf-8")
    # Parsing all tests takes seconds, and most skip nothing.
    for node in ast.walk(ast.parse(text)) if "skip" in text else ():
        match node:
            case ast.Call(func=ast.Attribute(attr="skipif" | "skip" | "importorskip")):
                named = [word.value for word in node.keywords if word.arg == "reason"]
                is_call = isinstance(node.func, ast.Attribute) and node.func.attr != "skipif"
                yield node.lineno, (named or (node.args[:1] if is_call else []) or [None])[0]
            case _:
                pass


def test_every_skip_tells_what_is_missing_and_how_to_have_it() -> None:
    silent: list[str] = []
    found = 0
    for file in sorted(TESTS.rglob("*.py")):
        for line, reason in reasons_in(file):
            found += 1
            match reason:
                case ast.Constant(value=str(text)) if NOTABLE.fullmatch(text):
                    pass
                case ast.BoolOp(values=[ast.Name(), ast.Constant()]):
                    pass  # made by a function of tests/deploy, out of what Docker said
                case _:
                    silent.append(f"{file.relative_to(TESTS)}:{line}")
    assert silent == [], silent
    assert found > 40


def test_the_reasons_are_listed_once_each_and_the_closing_line_stays_last(tmp_path: Path) -> None:
    (tmp_path / "test_skipped.py").write_text(SKIPPED, encoding="utf-8")
    (tmp_path / "test_run.py").write_text(RUN, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "skipped", "-p", "no:cacheprovider", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = ran.stdout.splitlines()
    assert "   2  no moon: come back at night (test_skipped.py)" in lines
    assert "   1  two is one too many: take another (test_run.py)" in lines
    assert re.search(r"2 passed, 3 skipped", lines[-1]), ran.stdout + ran.stderr
