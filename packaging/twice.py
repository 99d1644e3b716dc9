"""Build one commit twice, in surroundings that differ, and compare what came out byte by byte.

    python packaging/twice.py [wheel] [sdist] [folder] [deb] [appimage]

The sources are those of the sdist, so that this shows as well that it holds all that a build needs. Folder,
time zone, language, mask of new files and the order of hashes differ between the two.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = ("wheel", "sdist", "folder", "deb", "appimage")
# 2020-02-02: what hatchling takes where nothing is set.
DEFAULT_EPOCH = "1580601600"


@dataclass(frozen=True)
class Surroundings:
    """What differs between two machines that build the same commit."""

    folder: str
    umask: int
    environment: dict[str, str]


SURROUNDINGS = (
    Surroundings("a", 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}),
    Surroundings(
        "another folder/of sources",
        0o077,
        {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "77"},
    ),
)


def main(parts: list[str]) -> int:
    """Build the parts twice. Returns 1 where they differ."""
    if unknown := set(parts) - set(PARTS):
        sys.exit(f"{', '.join(sorted(unknown))} is none of {', '.join(PARTS)}.")
    with tempfile.TemporaryDirectory(prefix="askance-twice-") as top:
        sdist = build_sdist(ROOT, Path(top) / "sdist", os.environ)
        first, second = (
            build(sdist, Path(top) / place.folder, place, parts) for place in SURROUNDINGS
        )
    differing = sorted(name for name in {*first, *second} if first.get(name) != second.get(name))
    for name in differing:
        print(f"differs: {name}")
    whole = sorted(name for name in first if "/" not in name)
    for name in whole:
        print(f"{first[name]}  {name}")
    if not differing:
        print(f"{len(first)} files are the same in both builds.")
    return int(bool(differing))


def build_sdist(sources: Path, out: Path, environment: os._Environ[str] | dict[str, str]) -> Path:
    """Build the sdist of a tree into a folder. Returns its path."""
    _run(
        sources, environment, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(out), "."
    )
    return next(out.glob("*.tar.gz"))


def build(sdist: Path, place: Path, surroundings: Surroundings, parts: list[str]) -> dict[str, str]:
    """Unpack the sdist and build the parts from it. Returns the checksum of every file."""
    environment = {
        "SOURCE_DATE_EPOCH": DEFAULT_EPOCH,
        **os.environ,
        **surroundings.environment,
        "HOME": str(place),
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
    }
    before = os.umask(surroundings.umask)
    try:
        place.mkdir(parents=True)
        with tarfile.open(sdist) as archive:
            # By its attribute: in Python 3.11.2 `extractall` takes no filter, and none is needed.
            archive.extraction_filter = lambda member, _: member
            archive.extractall(place, _with_mask(archive))  # noqa: S202 - built above
        (sources,) = place.iterdir()
        out = sources / "dist"
        if {"wheel", "sdist"} & set(parts):
            _run(sources, environment, "-m", "build", "--no-isolation", "--wheel", "--sdist", ".")
        if {"folder", "deb", "appimage"} & set(parts):
            _run(sources, environment, "packaging/folder.py")
        for part in ("deb", "appimage"):
            if part in parts:
                _run(sources, environment, f"packaging/{part}.py")
    finally:
        os.umask(before)
    return {
        file.relative_to(out).as_posix(): _checksum(file)
        for file in sorted(out.rglob("*"))
        if file.is_file()
    }


def _with_mask(archive: tarfile.TarFile) -> list[tarfile.TarInfo]:
    # As `tar` does for a user who is not root, and with files that are new.
    mask = os.umask(0)
    os.umask(mask)
    members = archive.getmembers()
    for member in members:
        member.mode &= ~mask
        member.mtime = time.time()
    return members


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return digest + (" executable" if file.stat().st_mode & 0o100 else "")


def _run(sources: Path, environment: os._Environ[str] | dict[str, str], *arguments: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own scripts
        [sys.executable, *arguments],
        cwd=sources,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(arguments)} failed.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["wheel", "sdist"]))
