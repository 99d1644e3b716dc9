"""Guards for every test: nothing but loopback is spoken to, and no warning goes unseen."""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

# Without a screen, unless the tests are given one, and in English wherever they run.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["LC_ALL"] = "C.UTF-8"

_real_connect = socket.socket.connect
_real_connect_ex = socket.socket.connect_ex


def _judge(address: Any) -> None:
    if not isinstance(address, tuple):
        return  # a Unix socket
    host = str(address[0])
    if host != "localhost" and not ipaddress.ip_address(host.split("%")[0]).is_loopback:
        raise AssertionError(f"a test tried to reach {host}")


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that leaves this machine."""

    def connect(self: socket.socket, address: Any) -> None:
        _judge(address)
        _real_connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        _judge(address)
        return _real_connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The developer's own settings and proxies do not reach the tests."""
    for name in list(os.environ):
        if name.startswith("ASKANCE_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def no_unexpected_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail on a warning in the log that the test did not take with `caplog.clear()`."""
    yield
    loud = [r for r in caplog.get_records("call") if r.levelno >= logging.WARNING]
    assert not loud, [r.getMessage() for r in loud]
