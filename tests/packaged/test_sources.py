"""Wheel and sdist: two builds of one commit are the same, and nothing is missing in them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import EntryPoint
from pathlib import Path
from zipfile import ZipFile

import pytest

from python_program import needs_ascii_path

ROOT = Path(__file__).parents[2]
TWICE = ROOT / "packaging" / "twice.py"


def build(*arguments: str) -> None:
    subprocess.run(  # noqa: S603 - the project itself
        [sys.executable, "-m", "build", "--no-isolation", *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    build("--sdist", "--wheel", "--outdir", str(folder), ".")
    return folder


@pytest.mark.exhaustive
@needs_ascii_path
def test_two_builds_differ_in_nothing() -> None:
    done = subprocess.run(  # noqa: S603 - the project itself
        [sys.executable, str(TWICE), "wheel", "sdist"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 files are the same in both builds." in done.stdout


def test_the_sdist_holds_every_file_of_the_repository(built: Path) -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no clone of the repository: clone it with git")
    listed = subprocess.run(  # noqa: S603 - the developer's own tool
        [git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    wanted = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert wanted - held == set()


def test_the_commands_of_the_wheel_are_there(built: Path) -> None:
    with ZipFile(next(built.glob("*.whl"))) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        text = wheel.read(name).decode()
    commands = dict(re.findall(r"^([\w-]+) = (\S+)$", text, re.MULTILINE))
    assert "askance" in commands
    for command, target in commands.items():
        assert callable(EntryPoint(command, target, "console_scripts").load())
