"""The program at work behind a proxy that counts: nobody is asked for updates before that is allowed, and then once."""

from __future__ import annotations

import socketserver
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.app.checks.installation_check import WEEK_S, UpdateChecker
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.ui.overlay.conversation.exchange import State
from askance.ui.settings.installation_page import UpdatesControl
from askance.ui.settings.row_controls import SwitchControl
from askance.ui.shell.desktop import Desktop
from cli.commands.examination import look, made_healthy
from cli.fake_shell import FakeShell
from servers.faults import address_of_nobody

GITHUB = "api.github.com:443"


class CountingProxy(socketserver.ThreadingTCPServer):
    """An HTTP proxy that notes whom it was to connect to, and connects to nobody."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refusal)
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def updates(self) -> int:
        """How often somebody was to be asked for updates."""
        return self.asked.count(GITHUB)


class _Refusal(socketserver.StreamRequestHandler):
    server: CountingProxy  # type: ignore[assignment]

    def handle(self) -> None:
        self.server.asked.append(self.rfile.readline().decode().split(" ")[1])
        self.wfile.write(b"HTTP/1.1 502 Nobody\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


@pytest.fixture
def proxy() -> Iterator[CountingProxy]:
    with CountingProxy() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class World:
    """A home behind the proxy, and a clock that can be put forward."""

    def __init__(self, home: Path, proxy: CountingProxy, bot: QtBot) -> None:
        self.home, self.bot, self.ahead_s = home, bot, 0.0
        self.environment = {
            "ASKANCE_HOME": str(home),
            "HOME": str(home / "me"),
            "ASKANCE_LLM__URL": address_of_nobody(),
            "ASKANCE_SEARCH__URL": address_of_nobody(),
            "ASKANCE_SEARCH__PROXY": proxy.address,
            "ASKANCE_WINDOW__HOTKEY": "",
        }

    @property
    def folders(self) -> Folders:
        return find_folders(self.environment)

    def checker(self, settings: Settings, folders: Folders) -> UpdateChecker:
        return UpdateChecker(
            settings, folders, lambda _: True, clock=lambda: time.time() + self.ahead_s
        )

    @contextmanager
    def running(self) -> Iterator[Desktop]:
        """Start the window, and end it once nothing is under way any more."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        made = Desktop(application, self.environment, self.folders, open_updates=self.checker)
        try:
            yield made
            self.bot.waitUntil(lambda: not made._upkeep._calls._under_way)
        finally:
            made.quit()
            for window in (made.overlay, *made.windows):
                window.deleteLater()

    def doctor(self) -> None:
        fake_shell = made_healthy(FakeShell(self.home))
        fake_shell.environment |= self.environment
        look(fake_shell)


def test_nobody_is_asked_before_it_is_allowed_and_then_once_a_week(
    tmp_path: Path, proxy: CountingProxy, qtbot: QtBot
) -> None:
    world = World(tmp_path, proxy, qtbot)
    with world.running() as desktop:
        desktop.windows.welcome()
        desktop.obey("show")
        settings = desktop.windows.show_settings("About")
        assert settings.pages
        updates = settings.control("updates", UpdatesControl)
        qtbot.waitUntil(lambda: bool(updates.state.text()))
        desktop.session.submit("/search Who built it?")
        qtbot.waitUntil(lambda: desktop.session.views[0].state is State.FAILED)
    world.doctor()
    assert proxy.updates == 0
    assert not world.folders.updates.exists()

    with world.running() as desktop:
        desktop.windows.show_settings("About")
        assert desktop.windows.settings is not None
        control = desktop.windows.settings.field("updates.weekly").control
        assert isinstance(control, SwitchControl)
        assert not control.switch.isChecked()
        control.switch.click()
        qtbot.waitUntil(lambda: proxy.updates == 1)
    for _ in range(2):
        with world.running() as desktop:
            desktop.obey("show")
            desktop.obey("toggle")
            desktop.obey("show")
    world.doctor()
    assert proxy.updates == 1

    world.ahead_s = WEEK_S
    with world.running():
        qtbot.waitUntil(lambda: proxy.updates == 2)
    with world.running():
        pass
    assert proxy.updates == 2
