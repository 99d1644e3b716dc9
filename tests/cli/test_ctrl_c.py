"""Ctrl-C in a real process: once, twice in a row as some terminals send it, and again after a while."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="sends signals: run it on Linux or macOS"
)
# Once it was cancelled it cleans up until a line comes.
PROGRAM = """
import asyncio, sys
from askance.cli import exits
from askance.cli.exits import Output

async def work():
    print("begun", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print("cleaning", flush=True)
        told = asyncio.Event()
        asyncio.get_running_loop().add_reader(0, told.set)
        await told.wait()
        print("clean", flush=True)

def action():
    {call}
    return exits.Exit.INTERRUPTED

exits.SAME_CTRL_C_S = {same_s}
exits.handle_ctrl_c()
sys.exit(exits.guarded(action, stdout=Output(sys.stdout), stderr=sys.stderr))
"""
WHOLE = "exits.run_async(work())"
ONE_RUN = "exits.run_async(exits.stoppable(work()))"
IN_A_ROW_S, AFTER_A_WHILE_S = 1000.0, 0.0


def begun(call: str, same_s: float) -> subprocess.Popen[str]:
    """Start the program, and press Ctrl-C as soon as it works."""
    pipe = subprocess.PIPE
    child = subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, "-c", PROGRAM.format(call=call, same_s=same_s)],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=dict(os.environ),
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "cleaning\n"
    return child


def ended(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Let it finish its cleaning, if it still does, and return its code and what it wrote."""
    out, err = child.communicate("\n", timeout=PATIENCE_S)
    return child.returncode, out, err


def test_once_cancels_and_lets_it_clean_up() -> None:
    assert ended(begun(WHOLE, AFTER_A_WHILE_S)) == (130, "clean\n", "Stopped.\n")


@pytest.mark.parametrize(("call", "told"), [(WHOLE, "Stopped.\n"), (ONE_RUN, "")])
def test_more_of_them_in_a_row_are_one(call: str, told: str) -> None:
    child = begun(call, IN_A_ROW_S)
    for _ in range(3):
        child.send_signal(signal.SIGINT)
    assert ended(child) == (130, "clean\n", told)


def test_a_later_one_ends_it_at_once() -> None:
    child = begun(WHOLE, AFTER_A_WHILE_S)
    child.send_signal(signal.SIGINT)
    code = child.wait(timeout=PATIENCE_S)  # no line tells it to finish
    assert (code, *child.communicate()) == (130, "", "Stopped.\n")
