"""The scripts of .ci, with a system around them that only writes down what it is asked."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

CI = Path(__file__).parents[2] / ".ci"
TOOLS = ("bash", "cat", "dirname", "env", "grep", "id", "tar")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="no GNU tools, which CI has: run this under Linux"
)


class System:
    """A path with a few tools of this machine, and programs that write down how they are called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.programs = root / "bin"
        self.programs.mkdir()
        self._log = root / "log"
        self._log.touch()
        for name in TOOLS:
            tool = shutil.which(name)
            assert tool is not None
            (self.programs / name).symlink_to(tool)
        (self.programs / "python3").symlink_to(sys.executable)
        # Who may install is not the matter here.
        self.add("id", "echo 0")

    def add(self, name: str, body: str) -> None:
        program = self.programs / name
        program.unlink(missing_ok=True)
        log = f'echo "{name} $*" >>{self._log}' if name != "id" else ""
        program.write_text(f"#!/bin/sh\n{log}\n{body}\n", "utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def run(self, script: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603
            ["/bin/bash", str(script), *arguments],
            env={"PATH": str(self.programs), "HOME": str(self.root)},
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self, name: str) -> list[list[str]]:
        lines = self._log.read_text("utf-8").splitlines()
        return [line.split()[1:] for line in lines if line.split()[0] == name]


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def test_debian_installs_what_is_missing_by_the_name_it_knows(system: System) -> None:
    system.add(
        "dpkg-query", 'case "$*" in *openbox*) echo "install ok installed" ;; *) exit 1 ;; esac'
    )
    system.add("apt-cache", 'case "$2" in *t64) exit 100 ;; esac')
    system.add("apt-get", "")
    assert system.run(CI / "packages", ["tests"]).returncode == 0
    updated, installed = system.calls("apt-get")
    assert updated[0] == "update"
    assert {"install", "libglib2.0-0", "libgtk-3-0", "xvfb"} <= set(installed)
    assert not {"openbox", "libglib2.0-0t64", "python3-venv"} & set(installed)


def test_debian_installs_the_rest_where_it_lacks_a_package_and_says_which(system: System) -> None:
    system.add("dpkg-query", "exit 1")
    system.add("apt-cache", 'case "$2" in labwc | libkscreen-bin) exit 100 ;; esac')
    system.add("apt-get", "")
    done = system.run(CI / "packages", ["desktops"])
    assert done.returncode == 0
    assert done.stderr.splitlines() == ["This system has no package of this name: labwc"]
    installed = system.calls("apt-get")[-1]
    assert {"sway", "libkf5screen-bin", "qtwayland5"} <= set(installed)
    assert "labwc" not in installed


def test_where_all_is_there_nothing_is_asked_of_the_network(system: System) -> None:
    system.add("dpkg-query", 'echo "install ok installed"')
    system.add("apt-get", "exit 1")
    assert system.run(CI / "packages", ["tests", "building"]).returncode == 0
    assert system.calls("apt-get") == []


def test_fedora_has_names_of_its_own(system: System) -> None:
    system.add("rpm", "exit 1")
    system.add("dnf", "")
    assert system.run(CI / "packages", ["tests", "building"]).returncode == 0
    (installed,) = system.calls("dnf")
    assert {"xcb-util-cursor", "xorg-x11-server-Xvfb", "binutils"} <= set(installed)
    assert not any(name.startswith("libxcb-") for name in installed)


def test_a_user_without_rights_is_told_what_is_missing(system: System) -> None:
    system.add("id", "echo 1000")
    system.add("dpkg-query", "exit 1")
    system.add("apt-get", "exit 1")
    done = system.run(CI / "packages", ["building"])
    assert done.returncode == 0
    assert "binutils" in done.stderr
    assert system.calls("apt-get") == []


def test_a_failed_installation_ends_it(system: System) -> None:
    system.add("dpkg-query", "exit 1")
    system.add("apt-cache", "")
    system.add("apt-get", "exit 100")
    assert system.run(CI / "packages", ["building"]).returncode != 0


def test_other_systems_need_nothing(system: System) -> None:
    assert system.run(CI / "packages", ["tests"]).returncode == 0
    assert system.run(CI / "packages", ["no-such-set"]).returncode == 2


@pytest.mark.parametrize("status", [0, 3])
def test_a_container_gets_the_checkout_and_its_status_counts(system: System, status: int) -> None:
    checkout = system.root / "checkout"
    for name in ("src/a.py", ".venv/lib", "dist/old", ".ci/packages"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).touch()
    shutil.copy(CI / "in-container", checkout / ".ci" / "in-container")
    copied = system.root / "copied.tar"
    system.add(
        "docker",
        f"case $1 in create) echo some-id ;; cp) cat >{copied} ;; start) exit {status} ;; esac",
    )
    done = system.run(
        checkout / ".ci" / "in-container", ["debian:12", "tests desktops", "make", "test"]
    )
    assert done.returncode == status
    with tarfile.open(copied) as tar:
        names = set(tar.getnames())
    assert {"askance/src/a.py", "askance/.ci/packages"} <= names
    assert not any(".venv" in name or "dist" in name for name in names)
    created, *_, removed = system.calls("docker")
    assert created[-4:] == ["tests", "desktops", "make", "test"]
    assert removed == ["rm", "--force", "some-id"]
