"""`askance` without a command: the window."""

from __future__ import annotations

import os
from importlib import import_module

from askance.cli.shell import Shell


def open_window(shell: Shell | None, *, hidden: bool) -> int:
    """Run the desktop program and return its exit status."""
    # By name: the command line and the window do not know each other, they only share a process.
    run = import_module("askance.ui.app").run
    return run(shell.environment if shell is not None else dict(os.environ), hidden=hidden)
