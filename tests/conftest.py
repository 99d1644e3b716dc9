"""Guards for every test: nothing but loopback is spoken to, and no warning goes unseen."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import logging
import os
import socket
import sys
from collections.abc import Generator, Iterator
from typing import Any
from unittest.mock import AsyncMock

import pytest

import linux_only
import surroundings
from bare_machine import pytest_ignore_collect as pytest_ignore_collect
from in_order import pytest_collection_modifyitems as pytest_collection_modifyitems
from in_order import pytest_xdist_auto_num_workers as pytest_xdist_auto_num_workers
from sampled import pytest_configure as pytest_configure
from skipped import pytest_terminal_summary as pytest_terminal_summary
from waiting import PatientBot, skip_waits

_HOME = surroundings.take_up()
collect_ignore = linux_only.files()

# QEvent.Type.DeferredDelete, without an import of Qt where no test has a window.
_DEFERRED_DELETE = 52

_real_connect = socket.socket.connect
_real_connect_ex = socket.socket.connect_ex


def _judge(address: Any) -> None:
    if not isinstance(address, tuple):
        return  # a Unix socket
    host = str(address[0])
    if host != "localhost" and not ipaddress.ip_address(host.split("%")[0]).is_loopback:
        raise AssertionError(f"a test tried to reach {host}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without a hunt for garbage: there is next to none, among all that stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_sessionfinish() -> None:
    """Empty the clipboard and delete all windows: what Qt without a screen holds of Python's at exit, such
    as the roles that a window's parts have for screen readers, ends in a crash."""
    if not (widgets := sys.modules.get("PySide6.QtWidgets")):
        return
    application = widgets.QApplication.instance()
    if isinstance(application, widgets.QApplication):
        application.clipboard().clear()
        for window in application.topLevelWidgets():
            window.deleteLater()
        application.sendPostedEvents(None, _DEFERRED_DELETE)


def pytest_unconfigure() -> None:
    surroundings.leave(_HOME)


@pytest.fixture
def snippets_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no page be read soon, so that the snippets of the results are judged first."""
    monkeypatch.setattr(
        "askance.engine.page_reads.PageReads.is_soon", AsyncMock(return_value=False)
    )


@pytest.fixture
async def waits_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the limits of a run be reached as soon as nothing happens in it any more."""
    skip_waits(asyncio.get_running_loop(), monkeypatch)


@pytest.fixture
def qtbot(qapp: object, request: pytest.FixtureRequest) -> PatientBot:
    """The person of `pytest-qt`, with the patience that a busy machine needs."""
    return PatientBot(request)


@pytest.fixture(autouse=True, scope="session")
def what_is_loaded_is_no_garbage() -> None:
    """Take what was imported and collected out of Python's hunt for garbage: it is looked through
    again and again, and never goes."""
    gc.collect()
    gc.freeze()


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
        if name.startswith("ASKANCE_") or name == "OLLAMA_HOST" or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def no_pause_before_a_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody sleeps: a page that is asked for again is asked for at once."""
    monkeypatch.setattr("askance.adapters.reader.inprocess.RETRY_AFTER_S", 0.0)


@pytest.fixture(autouse=True)
def certificates_of_each_test() -> None:
    """A test may name an authority of its own, and a process reads them once."""
    from askance.adapters.network.guarded_http import page_tls_context  # noqa: PLC0415 - after `_HOME`

    page_tls_context.cache_clear()


@pytest.fixture(autouse=True)
def no_unexpected_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail on a warning in the log that the test did not take with `caplog.clear()`."""
    yield
    loud = [r for r in caplog.get_records("call") if r.levelno >= logging.WARNING]
    assert not loud, [r.getMessage() for r in loud]
