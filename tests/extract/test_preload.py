"""All that reading may ever load is loaded before the first page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.mark.exhaustive
def test_nothing_is_opened_once_the_first_page_may_come() -> None:
    # A process of its own: this one has loaded everything long ago.
    ended = subprocess.run(  # noqa: S603
        [sys.executable, str(TESTS / "servers" / "all_kinds.py")],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("", "", 0)
