"""The window of what `make dist` built: it comes up, it is toggled, it ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from Xlib import X
from Xlib.error import BadWindow

from askance.system import ipc
from packaged.program import Package
from servers.faults import address_of_nobody
from system.x_server import Typist, needs_x, serve_x
from waiting import PATIENCE_MS, PATIENCE_S

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="looks at processes as Linux has them: run it on Linux"
)
on_a_screen = needs_x


# Pixels; tooltips and icons are narrower.
NARROWEST = 400


@pytest.fixture
def at_desk(package: Package, tmp_path: Path) -> Package:
    """The package of somebody who has been welcomed; no service is there."""
    data = tmp_path / "askance" / "data"
    data.mkdir(parents=True)
    (data / "welcomed").touch()
    nobody = address_of_nobody()
    return package.among(ASKANCE_LLM__URL=nobody, ASKANCE_SEARCH__URL=nobody)


@pytest.fixture
def typist() -> Iterator[Typist]:
    """Somebody at a real screen."""
    with serve_x() as server:
        typist = Typist(server)
        yield typist
        typist.close()


@contextmanager
def running(qtbot: QtBot, package: Package, *arguments: str) -> Iterator[int]:
    """Run the window, and see it end well when it is told to."""
    process = package.open(*arguments)
    try:
        qtbot.waitUntil(lambda: answers(package), timeout=PATIENCE_MS)
        yield process.pid
    finally:
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    # Here Qt names what the package lacks. What the platform without a screen cannot do, and that there is no
    # session bus, is said of the machine.
    of_machine = re.compile("This plugin does not|dbus connection failed")
    lacks = [line for line in err.splitlines() if not of_machine.search(line)]
    assert [line for line in lacks if re.search(r"plugin|not found|cannot|fail", line)] == []


def answers(package: Package) -> bool:
    try:
        return ipc.ring(package.environment, ipc.SHOW, limit_s=PATIENCE_S)
    except ConnectionError:  # it ended while it was asked
        return False


def windows(typist: Typist) -> list[str]:
    """The classes of the windows that can be seen."""
    seen = list[str]()
    for window in typist.display.screen().root.query_tree().children:
        with suppress(BadWindow):
            is_seen = window.get_attributes().map_state == X.IsViewable
            if is_seen and window.get_geometry().width >= NARROWEST:
                _, kind = window.get_wm_class() or ("", "")
                seen.append(kind)
    return seen


def test_without_a_screen_it_says_so(package: Package) -> None:
    ended = package.run()
    assert ended.code == 1
    assert "no screen" in ended.err


def test_it_is_toggled_from_another_process(at_desk: Package, qtbot: QtBot) -> None:
    offscreen = at_desk.among(QT_QPA_PLATFORM="offscreen")
    with running(qtbot, offscreen, "--hidden"):
        for _ in range(3):
            ended = offscreen.run("toggle")
            assert (ended.code, ended.err) == (0, "")
        ended = offscreen.run()
        assert (ended.code, ended.err) == (0, "")
    assert not answers(offscreen)


def test_toggle_starts_it_where_it_is_not_running(at_desk: Package, qtbot: QtBot) -> None:
    offscreen = at_desk.among(QT_QPA_PLATFORM="offscreen")
    ended = offscreen.run("toggle")
    assert (ended.code, ended.err) == (0, "")
    pid = int(Path(ipc.lock(offscreen.environment)).read_text(encoding="utf-8").split()[0])
    assert Path(f"/proc/{pid}/exe").readlink() == offscreen.executable
    os.kill(pid, signal.SIGTERM)
    qtbot.waitUntil(lambda: not answers(offscreen), timeout=PATIENCE_MS)


@on_a_screen
def test_its_window_comes_and_goes_on_a_real_screen(
    at_desk: Package, typist: Typist, qtbot: QtBot
) -> None:
    desk = at_desk.among(DISPLAY=typist.display.get_display_name())
    with running(qtbot, desk):
        qtbot.waitUntil(lambda: windows(typist) == ["askance"], timeout=PATIENCE_MS)
        assert desk.run("toggle").code == 0
        qtbot.waitUntil(lambda: windows(typist) == [], timeout=PATIENCE_MS)
        assert desk.run("toggle").code == 0
        qtbot.waitUntil(lambda: windows(typist) == ["askance"], timeout=PATIENCE_MS)


@on_a_screen
def test_its_hotkey_is_heard(at_desk: Package, typist: Typist, qtbot: QtBot) -> None:
    desk = at_desk.among(
        DISPLAY=typist.display.get_display_name(), ASKANCE_WINDOW__HOTKEY="Ctrl+Alt+A"
    )
    with running(qtbot, desk):
        qtbot.waitUntil(lambda: windows(typist) == ["askance"], timeout=PATIENCE_MS)
        qtbot.waitUntil(
            lambda: typist.is_grabbed("a", X.ControlMask | X.Mod1Mask), timeout=PATIENCE_MS
        )
        typist.press("Control_L", "Alt_L", "a")
        qtbot.waitUntil(lambda: windows(typist) == [], timeout=PATIENCE_MS)


@on_a_screen
def test_its_first_page_is_shown_to_somebody_new(
    package: Package, typist: Typist, qtbot: QtBot
) -> None:
    nobody = address_of_nobody()
    new = package.among(
        DISPLAY=typist.display.get_display_name(),
        ASKANCE_LLM__URL=nobody,
        ASKANCE_SEARCH__URL=nobody,
        LANGUAGE="de",
        LC_ALL="de_DE.UTF-8",
    )
    process = new.open()
    qtbot.waitUntil(lambda: windows(typist) == ["askance"], timeout=PATIENCE_MS)
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


def test_its_plugins_are_its_own_whatever_the_environment_says(
    at_desk: Package, qtbot: QtBot
) -> None:
    """Qt finds them beside its libraries; a child of ours must not be told of them."""
    offscreen = at_desk.among(QT_QPA_PLATFORM="offscreen")
    with running(qtbot, offscreen) as pid:
        maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    loaded = {line.split()[-1] for line in maps.splitlines() if ".so" in line}
    assert str(offscreen.inside / "PySide6/Qt/plugins/platforms/libqoffscreen.so") in loaded
    foreign = {Path(file).name for file in loaded if not file.startswith(str(offscreen.inside))}
    # Of the system: the C and C++ libraries, and the drivers that belong to its kernel.
    libraries = r"c|m|dl|rt|pthread|util|resolv|stdc\+\+|gcc_s|nss_\w+|E?GL\w*|xcb"
    system = re.compile(rf"ld-linux|lib({libraries})[.-]")
    assert [name for name in foreign if not system.match(name)] == []
