"""`askance` without a command: the window."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askance.cli.shell import Shell


def open_window(shell: Shell | None, *, hidden: bool) -> int:
    """Run the desktop program and return its exit status."""
    # By name: the command line and the window do not know each other, they only share a process.
    try:
        run = import_module("askance.ui.shell.app").run
    except ImportError as exc:
        if ".so" not in str(exc):
            raise
        # Qt comes with all but what belongs to the graphics drivers; the loader names what lacks.
        sys.stderr.write(f"askance: The window needs what this system lacks: {exc}.\n")
        return 1
    return run(shell.environment if shell is not None else dict(os.environ), hidden=hidden)
