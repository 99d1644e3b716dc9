"""What is done to the folder once PyInstaller has filled it: it gets lighter, and its licences.

Then its modes and times are set, and the glibc that it needs is looked at.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import Distribution
from pathlib import Path

from linkage import linkages

_LICENCE_NAMES = ("licen", "copying", "notice", "authors")
_DEBIAN_TEXTS = Path("/usr/share/common-licenses")
_DEBIAN_DOCS = Path("/usr/share/doc")
# These wheels carry no text: Qt's terms are the LGPL, which rests on the GPL.
_WITHOUT_TEXT = """\
{name} {version} is under this licence: {licence}
Its source code: {source}
"""


def strip_python(folder: Path) -> None:
    """Take the symbols for debuggers out of Python's own libraries, where a compiler left them.

    Those of wheels are left as they are: they come without, and some do not bear it.
    """
    if sys.platform != "linux" or (tool := shutil.which("strip")) is None:
        return
    inside = folder / "_internal"
    for library in (*inside.glob("libpython*"), *inside.glob("python3*/lib-dynload/*.so")):
        subprocess.run(  # noqa: S603 - the developer's own tool
            [tool, "--strip-unneeded", str(library)], check=True
        )


def set_modes_and_times(folder: Path) -> None:
    """Leave nothing of the builder's mask of new files, nor of the hour, in the folder.

    One file is run; libraries are only mapped.
    """
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "1580601600"))
    for path in (folder, *folder.rglob("*")):
        is_run = path.is_dir() or path == folder / folder.name
        path.chmod(0o755 if is_run else 0o644)
        os.utime(path, (epoch, epoch))


def check_glibc(folder: Path, floor: tuple[int, int] | None) -> int:
    """Print the glibc that the folder needs. Returns 1 where it is newer than `floor`, with the files."""
    found = linkages(folder)
    newest = max(linkage.glibc for linkage in found.values())
    print("glibc {}.{}".format(*newest))
    if floor is None or newest <= floor:
        return 0
    for file, linkage in found.items():
        if linkage.glibc > floor:
            print("{} needs glibc {}.{}".format(file.relative_to(folder), *linkage.glibc))
    return 1


def write_licences(
    folder: Path, packages: Mapping[str, Distribution], libraries: Iterable[Path]
) -> None:
    """Put the licences of all that is in the folder into it, by package."""
    for name, package in packages.items():
        _write_licence(folder / name, package)
    python = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    _copy([python] if python.is_file() else [], folder / "python")
    _copy(
        [text for text in (_DEBIAN_TEXTS / "LGPL-3", _DEBIAN_TEXTS / "GPL-3") if text.exists()],
        folder,
    )
    for owner in sorted({owner for library in libraries if (owner := _owner(library))}):
        _copy([_DEBIAN_DOCS / owner / "copyright"], folder / "libraries" / owner)


def write_parts(
    file: Path, packages: Mapping[str, Distribution], libraries: Iterable[Path]
) -> None:
    """Write what is in the folder, with its versions, as JSON: packaging/sbom.py reads it."""
    parts = [{"kind": "generic", "name": "python", "version": platform.python_version()}]
    for name, package in sorted(packages.items()):
        licence = "".join(package.metadata.get_all("License-Expression") or ())
        part = {"kind": "pypi", "name": name, "version": package.version, "licence": licence}
        parts.append(part)
    for owner in sorted({owner for library in libraries if (owner := _owner(library))}):
        version = _query("--show", "--showformat", "${Version}", owner).stdout
        system = platform.freedesktop_os_release()["ID"]
        parts.append({"kind": "deb", "namespace": system, "name": owner, "version": version})
    file.write_text(json.dumps(parts, indent=1), encoding="utf-8")


def _write_licence(place: Path, package: Distribution) -> None:
    texts = [
        Path(str(file.locate()))
        for file in package.files or ()
        if ".dist-info" in file.parts[0] and file.name.lower().startswith(_LICENCE_NAMES)
    ]
    if texts:
        _copy(texts, place)
        return
    text = package.metadata
    links = [link for link in text.get_all("Project-URL") or () if "://" in link]
    place.mkdir(parents=True)
    (place / "LICENCE.txt").write_text(
        _WITHOUT_TEXT.format(
            name=text["Name"],
            version=package.version,
            licence=text["License-Expression"] or text["License"],
            source="; ".join(links) or text["Home-page"],
        ),
        encoding="utf-8",
    )


def _copy(texts: list[Path], place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for text in texts:
        shutil.copyfile(text, place / text.name)


def _owner(library: Path) -> str:
    """Return the Debian package that a library of the system came with; nothing elsewhere."""
    if shutil.which("dpkg-query") is None or library.is_relative_to(sys.prefix):
        return ""
    for path in (library, library.resolve()):
        for place in (path, Path("/usr") / path.relative_to("/")):
            found = _query("--search", str(place))
            if found.returncode == 0:
                owner = found.stdout.split(":")[0]
                return owner if (_DEBIAN_DOCS / owner / "copyright").exists() else ""
    return ""


@cache
def _query(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the developer's own tool
        [shutil.which("dpkg-query") or "dpkg-query", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
