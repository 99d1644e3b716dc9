"""A session's message bus of our own, on which nobody is but who comes by himself."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

DBUS_DAEMON = shutil.which("dbus-daemon")
needs_bus = pytest.mark.skipif(
    DBUS_DAEMON is None, reason="dbus-daemon is not installed: install the package dbus-daemon"
)
# A bus that starts nobody: a session's own would start the portal of this desktop when it is asked.
_BUS = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir={folder}</listen>
  <auth>EXTERNAL</auth>{services}
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


@dataclass
class BusServer:
    """A running bus: where it is, and its process."""

    address: str
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """End it, as a crash does."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serve_bus(services: Path | None = None) -> Iterator[BusServer]:
    """Run a session bus on which nobody is but who comes by himself, or is named in a folder."""
    assert DBUS_DAEMON is not None
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "bus.conf"
        known = f"<servicedir>{services}</servicedir>" if services else ""
        config.write_text(_BUS.format(folder=folder, services=known), "utf-8")
        process = subprocess.Popen(  # noqa: S603 - the developer's own bus
            [DBUS_DAEMON, f"--config-file={config}", "--nofork", "--print-address"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout is not None
        with process.stdout as reported:
            server = BusServer(reported.readline().decode().strip(), process)
        try:
            yield server
        finally:
            server.stop()
