"""What the compiled files of a folder are linked with, as binutils' `objdump` shows it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NEEDED = re.compile(r"^ +NEEDED +(\S+)$", re.MULTILINE)
_GLIBC = re.compile(r" GLIBC_(\d+)\.(\d+)")
_ELF = b"\x7fELF"


@dataclass(frozen=True)
class Linkage:
    """The libraries that a file is linked with, and the oldest glibc that has all it asks for."""

    libraries: frozenset[str]
    glibc: tuple[int, int]


def linkages(folder: Path) -> dict[Path, Linkage]:
    """Return the linkage of every program and library in a folder."""
    return {file: _linkage(file) for file in _compiled(folder)}


def _compiled(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            with file.open("rb") as stream:
                if stream.read(4) == _ELF:
                    yield file


def _linkage(file: Path) -> Linkage:
    tool = shutil.which("objdump") or sys.exit("objdump is missing: install binutils.")
    shown = subprocess.run(  # noqa: S603 - the developer's own tool
        [tool, "-p", str(file)], capture_output=True, text=True, check=True
    ).stdout
    needed = shown.partition("Version References:")[2]
    versions = [(int(major), int(minor)) for major, minor in _GLIBC.findall(needed)]
    return Linkage(frozenset(_NEEDED.findall(shown)), max(versions, default=(2, 0)))
