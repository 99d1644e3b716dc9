"""What Qt's platform plugins need of the system is looked for before Qt aborts the process."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from askance.app.checks.parts import check_window
from askance.system.qt_environment import (
    MissingLibraries,
    missing_from,
    missing_libraries,
    platforms,
)

X11 = {"DISPLAY": ":1"}
WAYLAND = {"WAYLAND_DISPLAY": "wayland-0"}
on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="no plugins of X11 and Wayland: run it on Linux"
)
# What every program written in C or C++ needs.
_C = (
    *("libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so", "libresolv.so"),
    *("libstdc++.so", "libgcc_s.so", "ld-linux"),
)


class Loader:
    """A loader on a system that lacks some libraries, and a folder of plugins that need them all."""

    def __init__(self, folder: Path, *lacking: str) -> None:
        self.folder = folder
        self.lacking = lacking
        self.asked: list[str] = []
        for name in ("libqxcb.so", "libqwayland.so"):
            (folder / name).touch()

    def __call__(self, library: str) -> object:
        self.asked.append(Path(library).name)
        needed = self.lacking if "/" in library else [n for n in self.lacking if n == library]
        if "libqwayland" in library:
            needed = [name for name in needed if "xcb" not in name]
        for name in needed:
            raise OSError(f"{name}: cannot open shared object file: No such file or directory")
        return self

    def find(
        self, environment: Mapping[str, str], installer: str = "apt", system: str = "linux"
    ) -> MissingLibraries | None:
        return missing_libraries(
            environment,
            load=self,
            which=lambda name: f"/usr/bin/{name}" if name == installer else None,
            plugins=self.folder,
            system=system,
        )


@pytest.mark.parametrize(
    ("installer", "command"),
    [
        ("apt", "sudo apt install libxcb-cursor0 libxcb-keysyms1"),
        ("dnf", "sudo dnf install xcb-util-cursor xcb-util-keysyms"),
        ("pacman", "sudo pacman -S xcb-util-cursor xcb-util-keysyms"),
        ("other", ""),
    ],
)
def test_all_that_is_missing_is_named_with_one_line_that_installs_it(
    tmp_path: Path, installer: str, command: str
) -> None:
    loader = Loader(tmp_path, "libxcb-keysyms.so.1", "libxcb-cursor.so.0")
    found = loader.find(X11, installer)
    assert found == MissingLibraries(("libxcb-cursor.so.0", "libxcb-keysyms.so.1"), command)
    assert str(found).count("\n") == bool(command)


def test_where_nothing_is_missing_only_the_plugin_is_loaded(tmp_path: Path) -> None:
    loader = Loader(tmp_path)
    assert loader.find(X11) is None
    assert loader.asked == ["libqxcb.so"]


def test_a_library_of_another_version_of_qt_is_named_without_its_package(tmp_path: Path) -> None:
    assert Loader(tmp_path, "libnew.so.7").find(X11) == MissingLibraries(("libnew.so.7",))


def test_one_plugin_that_can_be_loaded_is_enough(tmp_path: Path) -> None:
    loader = Loader(tmp_path, "libxcb-cursor.so.0")
    assert loader.find(WAYLAND | X11) is None
    assert loader.find(X11) is not None
    assert loader.find(X11, system="darwin") is None
    assert loader.find({}) is None


def test_what_no_library_is_the_reason_for_is_left_to_qt(tmp_path: Path) -> None:
    def refuse(library: str) -> object:
        raise OSError(f"{library}: undefined symbol: qt_version_tag_6_99")

    (tmp_path / "libqxcb.so").touch()
    assert missing_libraries(X11, load=refuse, plugins=tmp_path, system="linux") is None
    assert missing_libraries(X11, load=refuse, plugins=tmp_path / "none", system="linux") is None
    assert missing_from(ImportError("no module named x"), X11) is None


@pytest.mark.parametrize(
    ("environment", "tried"),
    [
        (X11, ("xcb",)),
        (WAYLAND | X11, ("wayland", "xcb")),
        (X11 | {"QT_QPA_PLATFORM": "offscreen:configfile=a"}, ()),
        (X11 | {"QT_QPA_PLATFORM": "wayland-egl;xcb"}, ("wayland", "xcb")),
        (WAYLAND | {"QT_QPA_PLATFORM": "xcb"}, ("xcb",)),
        ({"DISPLAY": ""}, ()),
    ],
)
def test_the_plugins_are_those_that_qt_tries(
    environment: dict[str, str], tried: tuple[str, ...]
) -> None:
    assert platforms(environment) == tried


@on_linux
@pytest.mark.parametrize(
    ("environment", "plugin"), [(X11, "libqxcb.so"), (WAYLAND, "libqwayland.so")]
)
def test_all_that_the_plugins_need_of_the_system_has_its_packages(
    tmp_path: Path, environment: dict[str, str], plugin: str
) -> None:
    (tmp_path / plugin).touch()
    for library in external_libraries(plugin):

        def load(asked: str, library: str = library) -> object:
            if "/" in asked or asked == library:
                raise OSError(
                    f"{library}: cannot open shared object file: No such file or directory"
                )
            return asked

        found = missing_libraries(
            environment, load=load, which=lambda _: "here", plugins=tmp_path, system="linux"
        )
        assert found is not None
        assert found.command, library


async def test_doctor_has_a_row_for_it() -> None:
    missing = MissingLibraries(("libxcb-cursor.so.0",), "sudo apt install libxcb-cursor0")
    finding = await check_window(X11, lambda _: missing)
    assert not finding.ok
    assert "libxcb-cursor.so.0" in finding.message
    assert missing.command in finding.fix
    assert (await check_window(X11, lambda _: None)).ok
    assert (await check_window({}, lambda _: None)).ok


@pytest.fixture
def display() -> Iterator[str]:
    """An X display at which something listens that never answers."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0/tmp/.X11-unix/X9875")
        server.listen()
        yield ":9875"


@on_linux
@pytest.mark.parametrize("library", ["libxcb-keysyms.so.1", "libEGL.so.1"])
def test_the_window_ends_with_a_sentence_where_a_library_is_missing(
    tmp_path: Path, display: str, library: str
) -> None:
    (tmp_path / library).touch()  # found before the real one, and no library
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "ASKANCE_HOME": str(tmp_path / "askance"),
        "DISPLAY": display,
        "LD_LIBRARY_PATH": str(tmp_path),
    }
    ended = subprocess.run(
        [sys.executable, "-m", "askance"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert library in ended.stderr
    assert "qt.qpa" not in ended.stderr


def external_libraries(plugin: str) -> set[str]:
    """The libraries that a plugin needs, itself or by way of Qt's, and that do not come with PySide6."""
    import PySide6  # noqa: PLC0415

    qt = Path(PySide6.__path__[0], "Qt")
    files, found = [qt / "plugins" / "platforms" / plugin], set[str]()
    while files:
        for name in needed_by(files.pop()):
            if name in found or name.startswith(_C):
                continue
            found.add(name)
            if (qt / "lib" / name).exists():
                files.append(qt / "lib" / name)
    return {name for name in found if not (qt / "lib" / name).exists()}


def needed_by(file: Path) -> list[str]:
    """The `DT_NEEDED` entries of a 64-bit ELF file."""
    data = file.read_bytes()
    order = "<" if data[5] == 1 else ">"
    (table,) = struct.unpack_from(order + "Q", data, 0x28)
    size, count = struct.unpack_from(order + "HH", data, 0x3A)
    sections = [
        struct.unpack_from(order + "IIQQQQIIQQ", data, table + n * size) for n in range(count)
    ]
    (dynamic,) = (section for section in sections if section[1] == 6)  # SHT_DYNAMIC
    names = sections[dynamic[6]][4]
    entries = [
        struct.unpack_from(order + "qQ", data, dynamic[4] + at) for at in range(0, dynamic[5], 16)
    ]
    places = [names + value for tag, value in entries if tag == 1]  # DT_NEEDED
    return [data[at : data.index(b"\0", at)].decode() for at in places]
