"""Try a package of Windows or macOS on the machine it is for: install, start, ask, update, remove.

    python tools/try_package.py FOLDER

What lies in FOLDER is what a release offers: a `-setup.exe`, a `.zip` or a `.dmg`. Only the standard library is used, so
that a machine needs nothing but a Python for this script; the package is started without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

_LIMIT_S = 300
_STEP_S = 0.5
SILENT = ("/VERYSILENT", "/SUPPRESSMSGBOXES", "/NORESTART", "/CURRENTUSER")


class Broken(Exception):
    """What the package did not do."""


@dataclass(frozen=True)
class Machine:
    """Where the package is tried: how programs are run, and the environment they get."""

    environment: Mapping[str, str]
    run: Callable[[list[str], Mapping[str, str]], str]


def main(arguments: list[str]) -> int:
    """Try a package. Returns the exit status."""
    if len(arguments) != 1:
        sys.stderr.write(__doc__ or "")
        return 2
    packages = sorted(Path(arguments[0]).resolve().iterdir())
    machine = Machine(clean(os.environ), run)
    status = 0 if packages else 1
    for package in packages:
        try:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                try_one(package, Path(folder), machine)
        except Broken as exc:
            sys.stderr.write(f"{package.name}: {exc}\n")
            status = 1
        else:
            sys.stdout.write(f"{package.name} works.\n")
    return status


def try_one(package: Path, folder: Path, machine: Machine) -> None:
    """Try one package as its kind is used.

    Raises:
        Broken: it does not work, or it is not known how to try it.
    """
    if package.name.endswith("-setup.exe"):
        try_installer(package, machine)
    elif package.suffix == ".zip":
        try_archive(package, folder, machine)
    elif package.suffix == ".dmg":
        try_image(package, folder, machine)
    else:
        raise Broken("it is not known how to try this")


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which no Python is found but that of the package."""
    kept = {name: value for name, value in environment.items() if not name.startswith("PYTHON")}
    if sys.platform == "win32":
        path = [str(Path(environment["SYSTEMROOT"], "System32")), environment["SYSTEMROOT"]]
    else:
        path = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    return {**kept, "PATH": os.pathsep.join(path), "ASKANCE_WINDOW__HOTKEY": ""}


def run(command: list[str], environment: Mapping[str, str]) -> str:
    """Run a program to its end, and return what it printed.

    Raises:
        Broken: it failed, or did not end.
    """
    try:
        done = subprocess.run(  # noqa: S603 - of the package, or the system's
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise Broken(f"{command[0]}: {exc}") from exc
    if done.returncode != 0:
        raise Broken(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def use(program: Path, version: str, machine: Machine) -> None:
    """Ask a program for its version, and the sample web a question.

    Raises:
        Broken: it is of another version, or gives no answer with a source.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        environment = {**machine.environment, "ASKANCE_HOME": home}
        said = machine.run([str(program), "--version"], environment)
        if version not in said.split():
            raise Broken(f"its version is {said.strip()!r}, and its name says {version}")
        answer = machine.run([str(program), "demo"], environment)
        if "[1]" not in answer:
            raise Broken(f"the demo's answer has no source:\n{answer}")


def try_installer(package: Path, machine: Machine) -> None:
    """Install, use, install over what is there, and remove.

    Raises:
        Broken: something of that did not work, or left files behind.
    """
    version = version_in(package.name)
    folder = Path(machine.environment["LOCALAPPDATA"], "Programs", "Askance")
    machine.run([str(package), *SILENT], machine.environment)
    use(folder / "askance.exe", version, machine)
    if times_in_path(folder, machine) != 1:
        raise Broken(f"{folder} is not in the user's PATH")
    # What an older version has left: a module that is gone, and metadata of another version.
    stale = folder / "_internal" / "askance" / "module_of_an_older_version.py"
    stale.parent.mkdir(parents=True, exist_ok=True)
    stale.write_text("", encoding="utf-8")
    machine.run([str(package), *SILENT], machine.environment)
    if stale.exists():
        raise Broken(f"an update has left {stale.name}")
    use(folder / "askance.exe", version, machine)
    if times_in_path(folder, machine) != 1:
        raise Broken(f"an update has changed how often {folder} is in the user's PATH")
    machine.run([str(folder / "unins000.exe"), *SILENT[:3]], machine.environment)
    # The uninstaller goes on in a copy of itself.
    if not gone(folder):
        raise Broken(f"{folder} is still there after it was removed")
    if times_in_path(folder, machine) != 0:
        raise Broken(f"{folder} is still in the user's PATH after it was removed")


def times_in_path(folder: Path, machine: Machine) -> int:
    """Return how often a folder is in the user's PATH in the registry, which new programs get.

    Raises:
        Broken: the registry cannot be read.
    """
    command = "[Environment]::GetEnvironmentVariable('Path', 'User')"
    shell = "System32/WindowsPowerShell/v1.0/powershell.exe"
    path = machine.run(
        [str(Path(machine.environment["SYSTEMROOT"], shell)), "-NoProfile", "-Command", command],
        machine.environment,
    )
    return [part.strip().lower() for part in path.split(";")].count(str(folder).lower())


def try_archive(package: Path, folder: Path, machine: Machine) -> None:
    """Unpack, and use it.

    Raises:
        Broken: it does not work.
    """
    with zipfile.ZipFile(package) as packed:
        packed.extractall(folder)
    use(folder / "Askance" / "askance.exe", version_in(package.name), machine)


def try_image(package: Path, folder: Path, machine: Machine) -> None:
    """Copy the app out of a disk image, as people do, and use it.

    Raises:
        Broken: it does not work.
    """
    mounted, app = folder / "image", folder / "Askance.app"
    mounted.mkdir()
    attach = [
        "hdiutil",
        "attach",
        "-nobrowse",
        "-readonly",
        "-mountpoint",
        str(mounted),
        str(package),
    ]
    machine.run(attach, machine.environment)
    try:
        machine.run(["ditto", str(mounted / "Askance.app"), str(app)], machine.environment)
    finally:
        machine.run(["hdiutil", "detach", str(mounted)], machine.environment)
    machine.run(["codesign", "--verify", "--deep", "--strict", str(app)], machine.environment)
    use(app / "Contents" / "MacOS" / "askance", version_in(package.name), machine)


def version_in(name: str) -> str:
    """Return the version that stands in a file's name."""
    return name.split("-")[1]


def gone(folder: Path, limit_s: float = _LIMIT_S) -> bool:
    """Whether a folder goes away within a time."""
    ends = time.monotonic() + limit_s
    while folder.exists() and time.monotonic() < ends:
        time.sleep(_STEP_S)
    return not folder.exists()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
