"""List every locked package with its licence, and fail on one that is not allowed.

    python -m tools.licences [--quiet]

What users install may not be under the GPL or the AGPL; tools that only developers install may be, since
nothing of them is shipped. SearXNG is not in the list: it is in an environment of its own, and is started
as another program.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements/model.lock")
_TOOLS = frozenset({"dev", "bench", "dist", "build", "fuzz"})
"""The extras that only developers install."""
_ALLOWED = frozenset(
    (
        *("MIT", "MIT-0", "MIT-CMU", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC", "Zlib", "CC0-1.0"),
        *("Apache-2.0", "PSF-2.0", "CNRI-Python", "MPL-2.0"),
        # Linked with as libraries that can be replaced.
        *("LGPL-2.0-or-later", "LGPL-2.1-or-later", "LGPL-3.0-only"),
    )
)  # fmt: skip
_ALLOWED_IN_TOOLS = _ALLOWED | {"GPL-2.0-or-later"}
# What older metadata says in words of its own, by SPDX's names.
_SPDX = {
    "mit": "MIT",
    "mit license": "MIT",
    "the mit license (mit)": "MIT",
    "mit or apache-2.0": "MIT OR Apache-2.0",
    "mit, bsd": "MIT AND BSD-3-Clause",
    "mpl-2.0 and mit": "MPL-2.0 AND MIT",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd 2-clause license": "BSD-2-Clause",
    "the bsd 2-clause license": "BSD-2-Clause",
    "bsd-3-clause, apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mpl-2.0": "MPL-2.0",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
    "gnu lesser general public license v2 or later (lgplv2+)": "LGPL-2.0-or-later",
    "lgpl-3.0-only or gpl-2.0-only or gpl-3.0-only": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
    "gnu general public license v2 (gplv2)": "GPL-2.0-or-later",
}
# Without metadata that says it, or not installed on every system; read in the package's own files.
_READ = {
    "atheris": "Apache-2.0",
    "colorama": "BSD-3-Clause",
    "coloredlogs": "MIT",
    "httpx2-jsfetch": "BSD-3-Clause",
    "humanfriendly": "MIT",
    "macholib": "MIT",
    "mpmath": "BSD-3-Clause",
    "pefile": "MIT",
    "pywin32": "PSF-2.0",
    "pywin32-ctypes": "BSD-3-Clause",
    "sympy": "BSD-3-Clause",
}
_PIN = re.compile(r"^([a-z0-9][a-z0-9.-]{0,99})==(\S{1,99})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PackageLicence:
    """A locked package: its licence as SPDX writes it, empty where that is not known."""

    name: str
    version: str
    licence: str
    is_tool: bool

    @property
    def is_allowed(self) -> bool:
        """Whether one of the licences that can be chosen is allowed where the package is used."""
        return is_allowed(self.licence, _ALLOWED_IN_TOOLS if self.is_tool else _ALLOWED)


def main(arguments: Sequence[str]) -> int:
    """Print the list, or only what is wrong with it. Returns the exit status."""
    rows = licences()
    wrong = [row for row in rows if not row.is_allowed]
    if "--quiet" not in arguments:
        for row in rows:
            use = "tool" if row.is_tool else "shipped"
            sys.stdout.write(f"{row.name:28} {row.version:14} {use:8} {row.licence or '?'}\n")
    for row in wrong:
        what = (
            f"is under {row.licence}, which is not allowed" if row.licence else "names no licence"
        )
        sys.stderr.write(f"{row.name} {row.version} {what}: see tools/licences.py\n")
    return 1 if wrong else 0


def licences(root: Path = ROOT) -> list[PackageLicence]:
    """Return all packages of the locks, by name."""
    pins = {
        canonicalize_name(name): version
        for lock in LOCKS
        for name, version in _PIN.findall((root / lock).read_text(encoding="utf-8"))
    }
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = _shipped(project["project"])
    model = {
        canonicalize_name(name) for name, _ in _PIN.findall((root / LOCKS[1]).read_text("utf-8"))
    }
    return [
        PackageLicence(name, version, licence_of(name), name not in shipped | model)
        for name, version in sorted(pins.items())
    ]


def licence_of(name: str) -> str:
    """Return the licence that a package names, as SPDX writes it; empty where it names none that is known."""
    if name in _READ:
        return _READ[name]
    try:
        return licence_in(distribution(name))
    except PackageNotFoundError:
        return ""


def licence_in(package: Distribution) -> str:
    """Return the licence that the metadata of a package names."""
    metadata = package.metadata
    # `metadata[name]` warns of a field that is not there.
    if expressions := metadata.get_all("License-Expression"):
        return expressions[0]
    lines = "".join(metadata.get_all("License") or ()).splitlines()[:1]
    classifiers = [
        text.rpartition(" :: ")[2]
        for text in metadata.get_all("Classifier") or ()
        if text.startswith("License :: OSI Approved :: ")
    ]
    stated = [_SPDX[line.strip().lower()] for line in lines if line.strip().lower() in _SPDX]
    if stated:
        return stated[0]
    named = [_SPDX.get(text.lower(), "") for text in classifiers]
    return " AND ".join(sorted(set(named))) if named and all(named) else ""


def is_allowed(expression: str, allowed: Iterable[str]) -> bool:
    """Whether one of the alternatives consists of allowed licences alone."""
    alternatives = [part.strip("() ").split(" AND ") for part in expression.split(" OR ")]
    return any(set(names) <= set(allowed) for names in alternatives)


def _shipped(project: Mapping[str, Any]) -> set[str]:
    """Return the names of what users install, with any extra that is not for developers alone."""
    extras: dict[str, list[str]] = project["optional-dependencies"]
    lines = [*project["dependencies"], *(x for e in extras if e not in _TOOLS for x in extras[e])]
    waiting, found = [Requirement(line) for line in lines], set[tuple[str, frozenset[str]]]()
    while waiting:
        wanted = waiting.pop()
        key = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if key in found:
            continue
        found.add(key)
        try:
            needed = [Requirement(line) for line in distribution(key[0]).requires or ()]
        except PackageNotFoundError:
            continue
        waiting += [inner for inner in needed if _applies(inner, wanted.extras)]
    return {name for name, _ in found}


def _applies(requirement: Requirement, extras: Iterable[str]) -> bool:
    """Whether a package needs another one on some system: a marker of systems does not count."""
    marker = str(requirement.marker or "")
    if "extra ==" not in marker:
        return True
    return any(f'extra == "{extra}"' in marker for extra in extras)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
