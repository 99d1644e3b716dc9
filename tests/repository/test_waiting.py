"""No test gives what must come a few seconds: that is too few on a machine with something else to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
# Its seconds are those of a clock that it turns itself.
SIMULATED = TESTS / "bench" / "test_simulated_clock.py"
# Up to here a limit is one that must run out: the test waits for its end.
RUNS_OUT_S = 1.0
IN_MILLISECONDS = {"waitUntil", "waitSignal", "waitSignals", "waitExposed", "waitActive"}
_MAY_WAIT = re.compile(r"timeout|\.(?:wait|join)\(\s*[\d.]")
IN_SECONDS = {"timeout", "wait", "join", "communicate", "run", "get", "HTTPConnection"}


def short_waits(text: str) -> Iterator[tuple[int, float]]:
    """Yield the line and the seconds of each wait that has a number of its own."""
    # Parsing all tests takes seconds.
    if not _MAY_WAIT.search(text):
        return
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name = node.func.attr
        if isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "mark":
            continue  # the limit of a whole test, with all that it starts
        limits = [word.value for word in node.keywords if word.arg == "timeout"]
        if name in {"timeout", "wait", "join"}:
            limits += node.args[:1]
        for limit in limits:
            match limit:
                case ast.Constant(value=int() | float() as number) if name in IN_MILLISECONDS:
                    yield node.lineno, number / 1000
                case ast.Constant(value=int() | float() as number) if name in IN_SECONDS:
                    yield node.lineno, float(number)
                case _:
                    pass


@pytest.mark.parametrize(
    "text",
    ["asyncio.timeout(5)", "qtbot.waitUntil(done, timeout=3_000)", "child.wait(10)",
     "subprocess.run(command, timeout=30)", "thread.join(timeout=2)"],
)  # fmt: skip
def test_a_wait_with_a_number_of_its_own_is_found(text: str) -> None:
    assert list(short_waits(text))


def test_whoever_looks_again_and_again_does_so_within_the_one_patience() -> None:
    """ruff's ASYNC110 finds the loops that only sleep and look; only the bounded one may have them."""
    waived = [
        f"{file.relative_to(TESTS)}"
        for file in sorted(TESTS.rglob("*.py"))
        if file not in {Path(__file__), TESTS / "waiting.py"}
        and "ASYNC110" in file.read_text("utf-8")
    ]
    assert not waived, "take `until` of tests/waiting.py: " + ", ".join(waived)


def test_every_wait_for_what_must_come_has_the_one_patience() -> None:
    short = [
        f"{file.relative_to(TESTS)}:{line}: {seconds} s"
        for file in sorted(TESTS.rglob("*.py"))
        if file not in {Path(__file__), SIMULATED}
        for line, seconds in short_waits(file.read_text("utf-8"))
        if seconds > RUNS_OUT_S
    ]
    assert not short, "take tests/waiting.py:\n" + "\n".join(short)
