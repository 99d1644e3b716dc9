"""Build the portable folder and the installer for Windows, into dist.

    python packaging/windows/installer.py

It needs Windows and Inno Setup 6; under CI it installs that by Chocolatey where it is missing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "src")]

import bundling  # noqa: E402 - beside the recipe
import icons  # noqa: E402

from askance import __version__  # noqa: E402

_SCRIPT = ROOT / "packaging" / "windows" / "askance.iss"
# Zip has no older day; the same sources give the same archive.
_DAY = (1980, 1, 1, 0, 0, 0)


def main() -> int:
    """Build both. Returns the exit status."""
    if sys.platform != "win32":
        sys.stderr.write("The installer for Windows is built under Windows.\n")
        return 1
    bundling.build()
    folder, output = ROOT / "dist" / "askance", ROOT / "dist"
    write_archive(folder, output / f"askance-{__version__}-windows-x86_64.zip")
    icon = ROOT / "build" / "askance.ico"
    icons.write_icon(ROOT, icon)
    if not (compiler := find_compiler(os.environ)) and os.environ.get("CI"):
        subprocess.run(["choco", "install", "innosetup", "--yes", "--no-progress"], check=True)  # noqa: S607 - CI's own
        compiler = find_compiler(os.environ)
    if not compiler:
        sys.stderr.write("Inno Setup 6 is missing: its compiler, ISCC.exe, builds the installer.\n")
        return 1
    command = [compiler, *definitions(folder, output, icon), str(_SCRIPT)]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - found above


def write_archive(folder: Path, archive: Path) -> None:
    """Pack a folder, the same bytes for the same files."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                name = f"Askance/{file.relative_to(folder).as_posix()}"
                packed.writestr(
                    zipfile.ZipInfo(name, _DAY), file.read_bytes(), zipfile.ZIP_DEFLATED
                )


def find_compiler(environment: Mapping[str, str]) -> str:
    """Return the path of Inno Setup's compiler; empty where it is not installed."""
    if found := shutil.which("iscc", path=environment.get("PATH")):
        return found
    for name in ("ProgramFiles(x86)", "ProgramFiles", "LOCALAPPDATA"):
        for below in ("Inno Setup 6", "Programs/Inno Setup 6"):
            file = Path(environment.get(name, ""), below, "ISCC.exe")
            if name in environment and file.is_file():
                return str(file)
    return ""


def definitions(folder: Path, output: Path, icon: Path, version: str = __version__) -> list[str]:
    """Return what the script is told: the version, and where things are."""
    # Windows wants numbers alone: 1.2.0rc1 is 1.2.0.
    numbers = re.match(r"\d{1,5}(?:\.\d{1,5}){0,3}", version)
    assert numbers is not None
    values = {
        "Version": version,
        "NumericVersion": numbers[0],
        "Folder": folder,
        "Output": output,
        "Icon": icon,
    }
    return [f"/D{name}={value}" for name, value in values.items()]


if __name__ == "__main__":
    sys.exit(main())
