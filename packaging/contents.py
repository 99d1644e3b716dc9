"""What goes into the package, and what stays outside and why."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution, packages_distributions
from itertools import chain
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from packaging.requirements import Requirement
from PyInstaller.depend.bindepend import get_imports
from PyInstaller.depend.dylib import include_library
from PyInstaller.utils.hooks import collect_data_files

from askance.adapters.containers.compose_project import NOT_IN_IMAGES

# A row of PyInstaller's tables: the name inside the package, the file, the kind.
Row = tuple[str, str, str]

# PyInstaller's preparations that nothing here needs: Qt's plugins are found beside its libraries,
# and the variable that says where would reach the browser, too, if that is made with Qt; no
# process is started by `multiprocessing`.
IDLE_PREPARATIONS = frozenset({"pyi_rth_pyside6", "pyi_rth_multiprocessing"})

# Modules of ours that no part of the desktop program imports: the services run in containers of
# their own.
_ELSEWHERE = (
    "askance.services.reader",
    "askance.services.search_gateway",
    "askance.services.gateway_health",
)
# Nobody can add to the package later: other programs may ask this one, too, and a model that is
# downloaded in the window is run by llama.cpp.
_EXTRAS = ("mcp", "embedded")
# Imported by name only: line editing in `askance chat`, llama.cpp, which only a child process loads, the typefaces of
# formulas, and the package whose model of languages is read.
_BY_NAME = ("readline", "xllamacpp", "ziamath.fonts", "ziafont.fonts", "py3langid")
# Other packages' own files, which they look for beside their code: settings, stop words, domains.
_WITH_DATA = (
    "trafilatura",
    "justext",
    "tld",
    "anyascii",
    "py3langid",
    "ziamath",
    "ziafont",
    "latex2mathml",
)
# Sources for translators; what was compiled of them is in.
_NOT_DATA = {".py", ".pyc", ".pyi", ".ts"}

# Plugins of Qt that a program of widgets can come to need, by kind. Printers, databases, screens
# without a desktop, Qt Quick and drawing by OpenGL are not among them, nor is TLS: Qt's network is
# a local socket here, all else goes through httpx. GNOME's theme would load GTK, which takes the
# system's GLib and finds ours; the portal tells light from dark as well.
_PLUGINS = {
    "platforms": ("qxcb", "qwayland", "qoffscreen"),
    "platformthemes": ("qxdgdesktopportal",),
    "platforminputcontexts": ("compose", "ibus"),
    "iconengines": ("qsvgicon",),
    "imageformats": ("qsvg",),
    "wayland-shell-integration": ("xdg-shell",),
    "wayland-decoration-client": ("",),
}
# The interpreter itself, and what a package opens by ctypes.
_LOADED_BY_NAME = ("libpython*", "pypdfium2_raw/libpdfium*")
_TRANSLATIONS = ("qtbase_de.qm", "qtbase_en.qm")
_LEFT_OUT = re.compile(
    "|".join(
        (
            # For crawling a site in one language; pages are read one by one here.
            "^babel/locale-data/",
            # Packages' own tests.
            "^tld/tests/",
            # GPL, and next to every shell: taken from the system where it is there.
            r"^lib(readline|tinfo|ncursesw?)\.so",
            # On every desktop. Its graphics drivers need those of the system, which may be newer.
            r"^lib(stdc\+\+|gcc_s)\.so",
        )
    )
)


def modules(root: Path) -> list[str]:
    """Return all modules of the program: many are imported by name, or late."""
    source = root / "src"
    found = [
        ".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        for file in sorted((source / "askance").rglob("*.py"))
    ]
    return [name for name in found if not name.startswith(_ELSEWHERE)] + list(_BY_NAME)


def excluded_modules(root: Path) -> list[str]:
    """Return what must not get in, such as all that only developers have installed."""
    needed = needed_distributions(root).keys()
    foreign = [
        module
        for module, owners in packages_distributions().items()
        if needed.isdisjoint(_normal(owner) for owner in owners)
    ]
    # PyInstaller takes all of lxml; nobody imports this part of it, which is 5 MB.
    return ["tkinter", "lxml.objectify", *_ELSEWHERE, *sorted(set(foreign) - {"askance"})]


def needed_distributions(root: Path) -> dict[str, Distribution]:
    """Return the packages that the program depends on, by name, with those behind them."""
    needed = dict[str, Distribution]()
    project = _project(root)["project"]
    extras = [project["optional-dependencies"][extra] for extra in _EXTRAS]
    waiting = [
        wanted
        for wanted in map(Requirement, (*project["dependencies"], *chain(*extras)))
        if not wanted.marker or wanted.marker.evaluate({"extra": ""})
    ]
    seen = set[tuple[str, str]]()
    while waiting:
        wanted = waiting.pop()
        # Without an extra, and with each that is asked for: `pyjwt[crypto]` needs another package.
        for extra in ("", *sorted(wanted.extras)):
            name = _normal(wanted.name)
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            needed[name] = distribution(name)
            waiting += (
                behind
                for behind in map(Requirement, needed[name].requires or ())
                if not behind.marker or behind.marker.evaluate({"extra": extra})
            )
    return needed


def data_files(root: Path) -> list[tuple[str, str]]:
    """Return the files beside the code, each with the folder it goes to."""
    source = root / "src"
    carried = _project(root)["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    rows = [(root / name, Path(place)) for name, place in carried.items()]
    rows += [
        (file, file.relative_to(source))
        for file in sorted((source / "askance").rglob("*"))
        if file.is_file() and file.suffix not in _NOT_DATA
    ]
    # The images are built from the sources, wherever the program runs.
    rows += [
        (file, file.relative_to(source))
        for file in sorted((source / "askance").rglob("*.py"))
        if file.relative_to(source / "askance").parts[0] not in NOT_IN_IMAGES
    ]
    ours = [(str(f), str(to if f.is_dir() else to.parent)) for f, to in rows]
    return ours + [row for package in _WITH_DATA for row in collect_data_files(package)]


def kept(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a table that go into the package."""
    if sys.platform != "linux":
        # Not tried: PyInstaller's own choice of Qt's plugins and libraries.
        return sorted(row for row in rows if not _LEFT_OUT.search(PurePath(row[0]).as_posix()))
    left = [row for row in rows if _is_kept(row[0])]
    libraries = {
        PurePosixPath(name).name: file
        for name, file, kind in left
        if kind == "BINARY" and not _is_plugin(name)
    }
    roots = [file for name, file, kind in left if _is_root(name, kind)]
    loaded = _loaded(roots, libraries)
    # PyInstaller's links would lead from the top to the libraries: those find one another without.
    return sorted(
        row
        for row in left
        if row[2] not in {"BINARY", "SYMLINK"}
        or _is_root(row[0], row[2])
        or (row[2] == "BINARY" and PurePosixPath(row[0]).name in loaded)
    )


def _is_kept(name: str) -> bool:
    place = PurePosixPath(name)
    if _is_plugin(name):
        return place.name.removeprefix("lib").startswith(_PLUGINS.get(place.parent.name, ()))
    if place.parent.name == "translations":
        return place.name in _TRANSLATIONS
    return not _LEFT_OUT.search(name)


def _is_plugin(name: str) -> bool:
    return name.startswith("PySide6/Qt/plugins/")


def _is_root(name: str, kind: str) -> bool:
    """Whether a file is loaded by its name, and not because another one is linked with it."""
    return (
        kind == "EXTENSION"
        or _is_plugin(name)
        or any(PurePosixPath(name).match(pattern) for pattern in _LOADED_BY_NAME)
    )


def _loaded(roots: list[str], libraries: dict[str, str]) -> set[str]:
    """Return the names of the libraries that these files are linked with, through any number.

    Ends the build where one is not on this machine: it would be missing on others, too.
    """
    waiting, loaded, missing = list(roots), set[str](), set[str]()
    while waiting:
        for name, file in get_imports(waiting.pop()):
            if file is None and include_library(name):
                missing.add(name)
            elif name in libraries and name not in loaded:
                loaded.add(name)
                waiting.append(libraries[name])
    if missing:
        sys.exit(f"Not on this machine, and needed in the package: {', '.join(sorted(missing))}")
    return loaded


def version(root: Path) -> str:
    """Return the program's version, without importing it."""
    text = (root / "src/askance/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"\n]{1,50})"', text, re.MULTILINE)
    assert found is not None
    return found[1]


def rows_of(folder: Path) -> list[Row]:
    """Return the files of a folder as a table; in the package they lie in one of the same name."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return [(str(file.relative_to(folder.parent)), str(file), "DATA") for file in files]


def _project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
