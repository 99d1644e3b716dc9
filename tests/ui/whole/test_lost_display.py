"""A window whose display goes away, as at a log-out, ends and lets the next one start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from askance.system.ipc import SHOW, ShownElsewhere, ring
from system.x_server import XVFB, serve_x
from ui.whole.neighbours import Neighbours
from waiting import PATIENCE_S, until


@pytest.mark.skipif(XVFB is None, reason="Xvfb is not installed: install the package xvfb")
async def test_a_program_whose_display_is_gone_ends(around: Neighbours, home: Path) -> None:
    with serve_x() as server:
        variables = around.environment(home, DISPLAY=server.name, QT_QPA_PLATFORM="xcb")
        environment = {**os.environ, **variables}
        process = subprocess.Popen([sys.executable, "-m", "askance"], env=environment)  # noqa: ASYNC220
        try:
            await until(lambda: _is_up(environment), every_s=0.1)
            server.stop()
            assert process.wait(PATIENCE_S) == 1
        finally:
            process.kill()
            process.wait()
    assert not _is_up(environment)


def _is_up(environment: dict[str, str]) -> bool:
    try:
        return ring(environment, SHOW, limit_s=PATIENCE_S)
    except (OSError, ShownElsewhere):
        return False
