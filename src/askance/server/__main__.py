"""`python -m askance.server`: the daemon in the background, started by `askance mcp`."""

# ruff: noqa: PLC0415 - the socket is there before what is heavy is imported

from __future__ import annotations

import gc
import os
import sys


def main() -> int:
    """Serve until nobody has asked for long; return the exit status: 0 where another one serves already."""
    # What is imported stays: looking for garbage meanwhile is a tenth of the start. `serving` collects once it is up.
    gc.disable()
    from askance.config.private_files import NotOurs
    from askance.server.daemon_connection import acquire_lock

    try:
        lock = acquire_lock(os.environ)
    except (NotOurs, OSError) as exc:
        sys.stderr.write(f"askance: The server cannot listen for programs: {exc}.\n")
        return 1
    if lock is None:
        # Two bridges may start a daemon at once: the second daemon ends with status 0, and both bridges use the first.
        return 0
    try:
        from askance.server.serving import serve_in_background

        return serve_in_background(lock, os.environ)
    finally:
        lock.give_up()


if __name__ == "__main__":
    sys.exit(main())
