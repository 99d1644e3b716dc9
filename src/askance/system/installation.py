"""How this program was installed: what updates it, and what removes it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path

from askance.domain.messages import Message
from askance.domain.updates import RELEASES_PAGE
from askance.system.desktop_entry import APP_ID
from askance.system.program import FLATPAK_INFO, app_image, is_packaged

_NAME = "askance"
_DPKG_S = 5.0
# What Inno Setup leaves beside a program that it has installed.
_UNINSTALLER = "unins000.exe"


class InstallKind(StrEnum):
    """What has put the program where it is."""

    DEB = "deb"
    SYSTEM = "system"
    """A package of the system that dpkg knows nothing of."""
    FLATPAK = "flatpak"
    APPIMAGE = "appimage"
    FOLDER = "folder"
    WINDOWS_INSTALLER = "windows-installer"
    MAC_APP = "mac-app"
    UV_TOOL = "uv-tool"
    UVX = "uvx"
    PIPX = "pipx"
    PIP = "pip"
    CHECKOUT = "checkout"


@dataclass(frozen=True, slots=True)
class ProgramInstallation:
    """How and where the program was installed; `place` is its file, folder or environment."""

    kind: InstallKind
    place: str

    @property
    def name(self) -> str:
        """What this kind of installation is called."""
        return _NAMES[self.kind]

    @property
    def update(self) -> Message:
        """How this installation gets a new version."""
        return _updates(self.place)[self.kind]


def find_installation(
    environment: Mapping[str, str],
    *,
    flatpak_info: Path = Path(FLATPAK_INFO),
    prefix: str = sys.prefix,
    package: Path = Path(__file__).parents[1],
) -> ProgramInstallation:
    """Return how this program was installed, as far as its surroundings tell.

    `prefix` is the environment of the interpreter, `package` the folder of our modules.
    """
    if flatpak_info.exists():
        return ProgramInstallation(InstallKind.FLATPAK, APP_ID)
    if image := app_image(environment):
        return ProgramInstallation(InstallKind.APPIMAGE, image)
    if is_packaged():
        return _packaged(Path(sys.executable))
    if (Path(prefix) / "uv-receipt.toml").is_file():
        return ProgramInstallation(InstallKind.UV_TOOL, prefix)
    if (Path(prefix) / "pipx_metadata.json").is_file():
        return ProgramInstallation(InstallKind.PIPX, prefix)
    if (package.parent.parent / "pyproject.toml").is_file() or _is_editable():
        return ProgramInstallation(InstallKind.CHECKOUT, str(package.parent.parent))
    if "archive-v0" in Path(prefix).parts:
        return ProgramInstallation(InstallKind.UVX, prefix)
    if owner := _system_owner(package):
        return ProgramInstallation(owner, str(package))
    return ProgramInstallation(InstallKind.PIP, sys.executable)


def _packaged(executable: Path) -> ProgramInstallation:
    folder = executable.parent
    if (folder / _UNINSTALLER).is_file():
        return ProgramInstallation(InstallKind.WINDOWS_INSTALLER, str(folder))
    if folder.parts[-2:] == ("Contents", "MacOS"):
        return ProgramInstallation(InstallKind.MAC_APP, str(folder.parents[1]))
    if owner := _system_owner(executable):
        return ProgramInstallation(owner, str(folder))
    return ProgramInstallation(InstallKind.FOLDER, str(folder))


def _system_owner(file: Path) -> InstallKind | None:
    """Return which kind of package of the system a file belongs to; None where it is nobody's."""
    if sys.platform != "linux" or file.parts[1:2] not in {("usr",), ("opt",)}:
        return None
    dpkg = shutil.which("dpkg-query")
    if dpkg is not None:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            found = subprocess.run(  # noqa: S603 - the system's own
                [dpkg, "--search", os.fspath(file)],
                capture_output=True,
                timeout=_DPKG_S,
                check=False,
            )
            if found.returncode == 0:
                return InstallKind.DEB
    # `pip install` as root puts files below /usr/local, and says so in its own records.
    return InstallKind.SYSTEM if not _installer() and "local" not in file.parts else None


def _installer() -> str:
    """Return what installed the distribution by its own word, such as `pip`; empty where none says."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        return (metadata.distribution(_NAME).read_text("INSTALLER") or "").strip()
    return ""


def _is_editable() -> bool:
    """Whether the distribution is only a link to the sources (PEP 610)."""
    with contextlib.suppress(metadata.PackageNotFoundError, ValueError, KeyError, TypeError):
        record = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "{}")
        return bool(record["dir_info"]["editable"])
    return False


_NAMES = {
    InstallKind.DEB: "a package of Debian or Ubuntu",
    InstallKind.SYSTEM: "a package of this system",
    InstallKind.FLATPAK: "Flatpak",
    InstallKind.APPIMAGE: "AppImage",
    InstallKind.FOLDER: "a folder",
    InstallKind.WINDOWS_INSTALLER: "the installer for Windows",
    InstallKind.MAC_APP: "an app of macOS",
    InstallKind.UV_TOOL: "uv tool",
    InstallKind.UVX: "uvx",
    InstallKind.PIPX: "pipx",
    InstallKind.PIP: "pip",
    InstallKind.CHECKOUT: "a checkout of the sources",
}


def _updates(place: str) -> Mapping[InstallKind, Message]:
    page = RELEASES_PAGE
    return {
        InstallKind.DEB: Message(
            "Download the new .deb from {page} and open it: it takes the place of this one.",
            page=page,
        ),
        InstallKind.SYSTEM: Message("The package manager of this system updates it."),
        InstallKind.FLATPAK: Message("`{command}` updates it.", command=f"flatpak update {APP_ID}"),
        InstallKind.APPIMAGE: Message(
            "Download the new AppImage from {page} and put it in the place of {file}.",
            page=page,
            file=place,
        ),
        InstallKind.FOLDER: Message(
            "Download the new folder from {page} and put it in the place of {file}.",
            page=page,
            file=place,
        ),
        InstallKind.WINDOWS_INSTALLER: Message(
            "Download the new installer from {page} and run it: it takes the place of this version.",
            page=page,
        ),
        InstallKind.MAC_APP: Message(
            "Download the new disk image from {page} and drag Askance to the place of {file}.",
            page=page,
            file=place,
        ),
        InstallKind.UV_TOOL: Message("`{command}` updates it.", command="uv tool upgrade askance"),
        InstallKind.UVX: Message("`{command}` updates it.", command="uvx --refresh askance"),
        InstallKind.PIPX: Message("`{command}` updates it.", command="pipx upgrade askance"),
        InstallKind.PIP: Message(
            "`{command}` updates it.", command=f"{place} -m pip install --upgrade askance"
        ),
        InstallKind.CHECKOUT: Message("`git pull` in {folder} updates it.", folder=place),
    }
