"""Charts as PNG files, drawn by a child process: Qt is nothing for this one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from askance.config.private_files import replace_file
from askance.domain.errors import InputError
from askance.presentation.statistics import Chart
from askance.system.program import NO_WINDOW, child_command

MODULE = "askance.ui.design.charts"
_LIMIT_S = 60


def write_chart(chart: Chart, file: Path) -> None:
    """Have a child process draw a chart, and write the picture to a file.

    Raises:
        InputError: it cannot be drawn, or not be written.
    """
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        drawn = subprocess.run(  # noqa: S603 - it is our own
            child_command(MODULE),
            input=chart.model_dump_json().encode(),
            capture_output=True,
            env=environment,
            timeout=_LIMIT_S,
            creationflags=NO_WINDOW,
            check=False,
        )
        if drawn.returncode:
            error_lines = drawn.stderr.decode(errors="replace").strip().splitlines() or [
                "it said nothing"
            ]
            raise InputError(f"The chart cannot be drawn: {error_lines[-1].rstrip('.')}.")
        replace_file(file, drawn.stdout)
    except subprocess.TimeoutExpired as exc:
        raise InputError("The chart cannot be drawn: it takes too long.") from exc
    except OSError as exc:
        raise InputError(f"The chart cannot be written to {file}: {exc.strerror}.") from exc
