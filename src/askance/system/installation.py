"""How this program was installed, and what updates it."""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from askance.domain.messages import Message
from askance.domain.updates import RELEASES_PAGE
from askance.system.desktop_entry import APP_ID
from askance.system.program import FLATPAK_INFO, app_image, is_packaged

_NAME = "askance"
_DPKG_S = 5.0
# Prefixes: a version of the layout follows, as in `archive-v0`.
_UV_CACHES = ("archive-v", "builds-v", "environments-v")
# What Inno Setup leaves beside a program that it has installed.
_UNINSTALLER = "unins000.exe"
IMAGE_MARK = "_image"
"""The file in the folder of our modules by which they find that they are in the server's container image."""
EXTRAS = {
    "embedded": "xllamacpp",
    "embeddings": "tokenizers",
    "mcp": "mcp",
    "qdrant": "qdrant_client",
}
"""What users install beside the program, with a module that is there only then. Tools that know the requirement
itself keep them; others have to be named them again."""
_DEBIAN_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


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
    UV_PIP = "uv-pip"
    PIPX = "pipx"
    PIPX_RUN = "pipx-run"
    PIP = "pip"
    OTHER = "other"
    """Another installer of Python packages, by its own word."""
    CHECKOUT = "checkout"
    IMAGE = "image"
    """The server's container image."""


@dataclass(frozen=True, slots=True)
class ProgramInstallation:
    """How and where the program was installed; `place` is its file, folder, environment or installer."""

    kind: InstallKind
    place: str

    @property
    def name(self) -> str:
        """What this kind of installation is called."""
        return _NAMES[self.kind]

    def update_to(self, version: str) -> Message:
        """Say how this installation gets a version: the exact command, wherever one does it."""
        if (file := self._release_file(version)) is not None:
            return self._download(file, f"{RELEASES_PAGE}/tag/v{version}")
        match self.kind:
            case InstallKind.SYSTEM:
                return Message("The package manager of this system updates it.")
            case InstallKind.OTHER:
                return Message(
                    "{installer} has installed it, and updates it.", installer=self.place
                )
            case InstallKind.IMAGE:
                return Message(
                    "Update Askance on the machine of the container; there `{command}` builds the image anew.",
                    command="askance up && docker compose --profile server up --detach --build --wait",
                )
            case InstallKind.FOLDER:
                return Message(
                    "`{command}` in the sources builds a new folder, for the place of {file}.",
                    command="git pull && make dist",
                    file=self.place,
                )
            case _:
                return Message("`{command}` updates it.", command=self._update_command())

    def _release_file(self, version: str) -> str | None:
        """Return the file of a release that takes the place of this installation; None if none does."""
        machine = platform.machine()
        match self.kind:
            case InstallKind.DEB:
                return f"askance_{version}_{_DEBIAN_MACHINES.get(machine, machine)}.deb"
            case InstallKind.APPIMAGE:
                return f"Askance-{version}-{machine}.AppImage"
            case InstallKind.WINDOWS_INSTALLER:
                return f"askance-{version}-windows-x86_64-setup.exe"
            case InstallKind.MAC_APP:
                return f"askance-{version}-macos-{machine}.dmg"
            case InstallKind.FOLDER if sys.platform == "win32":
                return f"askance-{version}-windows-x86_64.zip"
            # Sources without a history were unpacked from a release, and are replaced by one.
            case InstallKind.CHECKOUT if not (Path(self.place) / ".git").exists():
                return f"askance-{version}.tar.gz"
            case _:
                return None

    def _download(self, name: str, page: str) -> Message:
        match self.kind:
            case InstallKind.DEB | InstallKind.APPIMAGE:
                command = ("sudo", "apt", "install", f"./{name}")
                if self.kind is InstallKind.APPIMAGE:
                    # Not `cp`: the file of a running program cannot be written.
                    command = ("install", "-m", "755", name, self.place)
                return Message(
                    "Download {name} from {page}; `{command}` puts it in the place of this version.",
                    name=name,
                    page=page,
                    command=_joined(*command),
                )
            case InstallKind.WINDOWS_INSTALLER:
                return Message(
                    "Download {name} from {page} and run it: it takes the place of this version.",
                    name=name,
                    page=page,
                )
            case InstallKind.MAC_APP:
                return Message(
                    "Download {name} from {page} and drag Askance to the place of {file}.",
                    name=name,
                    page=page,
                    file=self.place,
                )
            case _:
                return Message(
                    "Download {name} from {page} and unpack it in the place of {file}.",
                    name=name,
                    page=page,
                    file=self.place,
                )

    def _update_command(self) -> str:
        tool = Path(self.place).name
        match self.kind:
            case InstallKind.UV_TOOL:
                return _joined("uv", "tool", "upgrade", tool)
            case InstallKind.UVX:
                return _joined("uvx", "--refresh", "--from", requirement(), _NAME, "--version")
            case InstallKind.UV_PIP:
                command = ("uv", "pip", "install", "--python", self.place, *_override())
                return _joined(*command, "--upgrade", requirement())
            case InstallKind.PIPX:
                return _joined(*_pipx(self.place, "upgrade"), tool)
            case InstallKind.PIPX_RUN:
                named = ("--spec", requirement(), _NAME, "--version")
                return _joined("pipx", "run", "--no-cache", *named)
            case InstallKind.FLATPAK:
                return _joined("flatpak", "update", APP_ID)
            case InstallKind.CHECKOUT:
                return _joined("git", "-C", self.place, "pull")
            case _:
                command = (self.place, "-m", "pip", "install", *_override())
                return _joined(*command, "--upgrade", requirement())


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
    if (package / IMAGE_MARK).is_file():
        return ProgramInstallation(InstallKind.IMAGE, str(package))
    # Before its environment: a tool that links to the sources has nothing to fetch.
    if _is_checkout(package):
        return ProgramInstallation(InstallKind.CHECKOUT, str(package.parents[1]))
    if (found := _in_environment(Path(prefix))) is not None:
        return found
    if owner := _system_owner(package):
        return ProgramInstallation(owner, str(package))
    match _installer():
        case "uv":
            return ProgramInstallation(InstallKind.UV_PIP, sys.executable)
        case "pip" | "":
            return ProgramInstallation(InstallKind.PIP, sys.executable)
        case installer:
            return ProgramInstallation(InstallKind.OTHER, installer)


def requirement() -> str:
    """Return the program with the extras that are installed, as installers of Python packages take it."""
    extras = ",".join(extra for extra, module in EXTRAS.items() if find_spec(module))
    return f"{_NAME}[{extras}]" if extras else _NAME


def _in_environment(prefix: Path) -> ProgramInstallation | None:
    """Return which tool made an environment of its own for the program; None where none did."""
    if (prefix / "uv-receipt.toml").is_file():
        return ProgramInstallation(InstallKind.UV_TOOL, str(prefix))
    if (prefix / "pipx_metadata.json").is_file():
        # `pipx run` has a folder for each requirement, by its digest.
        kind = InstallKind.PIPX if prefix.parent.name == "venvs" else InstallKind.PIPX_RUN
        return ProgramInstallation(kind, str(prefix))
    # Of `uvx`, `uv run --with` and scripts: an environment in uv's cache is not to be changed.
    if any(part.startswith(_UV_CACHES) for part in prefix.parts):
        return ProgramInstallation(InstallKind.UVX, str(prefix))
    return None


def _is_checkout(package: Path) -> bool:
    # The name is asked for, since a folder of packages may lie in somebody's project, too.
    return package.parent.name == "src" and (package.parents[1] / "pyproject.toml").is_file()


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
    # Packages put programs nowhere else, so dpkg need not be asked of a home folder.
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


def _override() -> tuple[str, ...]:
    """Return what lets pip change the system's own Python, where its packages are the system's (PEP 668)."""
    is_environment = sys.prefix != sys.base_prefix
    mark = Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED"
    return () if is_environment or not mark.is_file() else ("--break-system-packages",)


def _pipx(environment: str, command: str) -> tuple[str, ...]:
    """Return the command of pipx, for everybody where the environment is everybody's."""
    # Where `pipx install --global` puts its environments.
    is_global = Path(environment).is_relative_to("/opt/pipx")
    return ("sudo", "pipx", command, "--global") if is_global else ("pipx", command)


def _joined(*words: str) -> str:
    """Return a command for the shell of this system."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


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
    InstallKind.UV_PIP: "uv pip",
    InstallKind.PIPX: "pipx",
    InstallKind.PIPX_RUN: "pipx run",
    InstallKind.PIP: "pip",
    InstallKind.OTHER: "an installer of Python packages",
    InstallKind.CHECKOUT: "the sources",
    InstallKind.IMAGE: "a container image",
}
