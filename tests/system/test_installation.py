"""How the program was installed is found out from what is around it."""

from __future__ import annotations

import importlib
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from askance.system.installation import (
    EXTRAS,
    InstallKind,
    ProgramInstallation,
    find_installation,
    requirement,
)

ROOT = Path(__file__).parents[2]


def found(tmp_path: Path, environment: dict[str, str] | None = None) -> ProgramInstallation:
    return find_installation(
        environment or {},
        flatpak_info=tmp_path / "flatpak-info",
        prefix=str(tmp_path / "venv"),
        package=tmp_path / "src" / "askance",
    )


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The executable of a package, in a folder of its own."""
    executable = tmp_path / "askance" / "askance"
    executable.parent.mkdir()
    executable.touch()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(executable))
    return executable


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("flatpak-info", InstallKind.FLATPAK),
        ("venv/uv-receipt.toml", InstallKind.UV_TOOL),
        ("venv/pipx_metadata.json", InstallKind.PIPX_RUN),
        ("pyproject.toml", InstallKind.CHECKOUT),
        ("src/askance/_image", InstallKind.IMAGE),
    ],
)
def test_it_is_told_by_a_file(tmp_path: Path, file: str, kind: InstallKind) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).touch()
    assert found(tmp_path).kind is kind


def test_an_image_is_told_by_its_variable(tmp_path: Path) -> None:
    variables = {"APPIMAGE": "/data/me/Askance.AppImage", "APPDIR": "/tmp/.mount_x"}  # noqa: S108
    assert found(tmp_path, variables).kind is not InstallKind.APPIMAGE  # a terminal has set them
    variables["APPDIR"] = str(Path(sys.executable).parent)
    image = found(tmp_path, variables)
    assert image.kind is InstallKind.APPIMAGE
    assert "/data/me/Askance.AppImage" in image.update_to("9.1.0")


def test_a_folder_and_what_an_installer_made_of_it(tmp_path: Path, frozen: Path) -> None:
    assert found(tmp_path) == ProgramInstallation(InstallKind.FOLDER, str(frozen.parent))
    (frozen.parent / "unins000.exe").touch()
    assert found(tmp_path) == ProgramInstallation(InstallKind.WINDOWS_INSTALLER, str(frozen.parent))


def test_an_app_of_macos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frozen: Path) -> None:
    app = tmp_path / "Askance.app"
    monkeypatch.setattr(sys, "executable", str(app / "Contents" / "MacOS" / frozen.name))
    assert found(tmp_path) == ProgramInstallation(InstallKind.MAC_APP, str(app))


@pytest.mark.skipif(
    shutil.which("dpkg-query") is None, reason="this is no Debian: run it where dpkg is"
)
def test_a_file_of_a_debian_package_is_told_by_dpkg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frozen: Path
) -> None:
    listed = subprocess.run(
        ["/usr/bin/dpkg-query", "--listfiles", "dpkg"], capture_output=True, text=True, check=True
    )
    owned = next(line for line in listed.stdout.splitlines() if line.startswith("/usr/bin/"))
    monkeypatch.setattr(sys, "executable", owned)
    assert found(tmp_path).kind is InstallKind.DEB
    monkeypatch.setattr(sys, "executable", "/opt/nobodys/askance")
    assert found(tmp_path).kind in {InstallKind.SYSTEM, InstallKind.FOLDER}


@pytest.mark.parametrize(
    "folder", ["archive-v0/Tb2D5V", "builds-v0/.tmpxBCw6K", "environments-v2/script-8c3a72"]
)
def test_what_lies_in_the_cache_of_uv_is_not_changed_in_place(tmp_path: Path, folder: str) -> None:
    cached = find_installation(
        {},
        flatpak_info=tmp_path / "none",
        prefix=str(tmp_path / "uv" / folder),
        package=tmp_path / "askance",
    )
    assert cached.kind is InstallKind.UVX
    assert "pip" not in cached.update_to("9.1.0")


def test_packages_in_a_folder_of_a_project_are_no_checkout_of_ours(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    elsewhere = find_installation(
        {}, flatpak_info=tmp_path / "none", package=tmp_path / "vendor" / "askance"
    )
    assert elsewhere.kind is not InstallKind.CHECKOUT


def test_extras_that_are_installed_are_named_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    for module in EXTRAS.values():
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert requirement() == "askance"
    for module in ("mcp", "tokenizers"):
        (tmp_path / module).mkdir()
    importlib.invalidate_caches()
    assert requirement() == "askance[embeddings,mcp]"
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for extra, module in EXTRAS.items():
        packages = " ".join(declared["optional-dependencies"][extra]).replace("-", "_")
        assert module in packages


@pytest.mark.parametrize("kind", InstallKind)
def test_each_kind_says_how_it_is_updated(kind: InstallKind) -> None:
    installation = ProgramInstallation(kind, "/the place/of it")
    update = installation.update_to("9.1.0")
    assert installation.name
    assert "{" not in update
    # Nothing is installed by itself: what is said names a command, a page or who does it.
    assert any(word in update for word in ("`", "https://", "package manager", "updates it"))
    # A place with a blank in it is one word of a command.
    assert "place/of" not in shlex.split(str(update.values.get("command", "")))
