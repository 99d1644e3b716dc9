"""Taking note of what leaves this machine outside of any run."""

from __future__ import annotations

from askance.cli.endings import say
from askance.cli.parts import App
from askance.cli.shell import Shell
from askance.engine.outbound import recorded
from askance.ports.outbound import Sent


def noting(shell: Shell, app: App, occasion: str) -> Sent:
    """Return what takes note of a command's own requests. A note that cannot be kept is told once."""
    troubles: set[str] = set()

    def warn(_code: object, message: str) -> None:
        if message not in troubles:
            troubles.add(message)
            say(shell.stderr, f"askance: {message}")

    return recorded(app.ledger, occasion, lambda _event: None, warn)
