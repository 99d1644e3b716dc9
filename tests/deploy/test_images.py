"""What goes into the images: the packages they import, in the versions of the lock file."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import grimp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from askance.adapters.containers.compose_project import (
    lay_out_files,
    packaged_project,
    packaged_sources,
)

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Image:
    """A stage of the Dockerfile in `folder`. `left_out` are modules that are imported in other places only."""

    folder: str
    stage: str
    user: int
    started: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"srv/{self.folder}"


GATEWAY = Image(
    "reader", "search-gateway", 10002,
    ("askance.services.search_gateway", "askance.services.gateway_health"),
)  # fmt: skip
READER = Image("reader", "reader", 10001, ("askance.services.reader", "askance.extract.worker"))
SERVER = Image(
    "server", "server", 10003,
    ("askance.__main__", "askance.server.daemon", "askance.server.openai_api", "askance.server.tools", "askance.app.container", "askance.extract.worker"),
    left_out=("askance.ui", "askance.system.session_bus"),
)  # fmt: skip
IMAGES = (GATEWAY, READER, SERVER)
READ_AS_DATA = {"askance.text.languages.language_model": "py3langid"}
"""Packages of which a module reads a file and imports nothing."""
every_image = pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.stage)
every_folder = pytest.mark.parametrize("folder", ["reader", "server"])


def dockerfile(folder: str) -> str:
    return (ROOT / "deploy" / folder / "Dockerfile").read_text(encoding="utf-8")


def pins(file: Path) -> set[tuple[str, str]]:
    """Name and version of each line, whatever it holds for."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = (line.removesuffix(" \\").partition(" ;")[0].partition("==") for line in lines)
    return {(name, version) for name, mark, version in rows if mark}


def requirements(folder: str) -> set[tuple[str, str]]:
    return pins(ROOT / "deploy" / folder / "requirements.txt")


def wanted(folder: str) -> set[str]:
    lines = (ROOT / "requirements" / f"{folder}.in").read_text(encoding="utf-8").split("\n")
    return {line for line in lines if line and not line.startswith("#")}


@pytest.fixture(scope="module")
def imported() -> dict[Image, set[str]]:
    """All that each image's processes import, Askance's own modules and others."""
    found: dict[Image, set[str]] = {}
    for image in IMAGES:
        graph = grimp.build_graph("askance", include_external_packages=True, cache_dir=None)
        for module in [m for m in graph.modules if m.startswith(image.left_out or "-")]:
            graph.remove_module(module)
        upstream = (graph.find_upstream_modules(module) for module in image.started)
        found[image] = set(image.started).union(*upstream)
    return found


@every_folder
def test_the_versions_are_those_of_the_lock_file(folder: str) -> None:
    locked, pinned = pins(ROOT / "requirements.lock"), requirements(folder)
    assert pinned
    assert pinned <= locked


@pytest.mark.exhaustive
@every_folder
def test_the_list_is_what_is_imported_with_all_that_it_needs(
    folder: str, imported: dict[Image, set[str]]
) -> None:
    outside = {
        module
        for image in IMAGES
        if image.folder == folder
        for module in imported[image]
        if not module.startswith("askance") and module not in sys.stdlib_module_names
    }
    outside |= {
        package
        for image in IMAGES
        if image.folder == folder
        for module, package in READ_AS_DATA.items()
        if module in imported[image]
    }
    providers = packages_distributions()
    direct: set[str] = {canonicalize_name(providers[module][0]) for module in outside}
    assert direct <= wanted(folder)
    assert with_needs(direct) == {name for name, _ in requirements(folder)}


def test_the_server_has_neither_a_window_nor_what_asks_engines_by_itself() -> None:
    assert {name for name, _ in requirements("server")}.isdisjoint({"pyside6-essentials", "ddgs"})


def with_needs(names: set[str]) -> set[str]:
    """Packages, and all that they need on Linux."""
    pending: list[tuple[str, str]] = [(name, "") for name in names]
    seen: set[tuple[str, str]] = set()
    while pending:
        name, extra = pair = pending.pop()
        if pair in seen:
            continue
        seen.add(pair)
        for need in map(Requirement, requires(name) or []):
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                found = canonicalize_name(need.name)
                pending += [(found, wanted) for wanted in ("", *need.extras)]
    return {name for name, _ in seen}


def stage_of(image: Image) -> str:
    """The lines of one stage."""
    return dockerfile(image.folder).partition(f" AS {image.stage}\n")[2].partition("\nFROM ")[0]


@every_image
def test_every_module_that_is_imported_is_copied_and_no_package_for_nothing(
    imported: dict[Image, set[str]], image: Image
) -> None:
    copied = [
        source
        for line in re.findall(r"^COPY (src/.*)$", stage_of(image), re.MULTILINE)
        for source in line.split()[:-1]
    ]
    files = {path_of(module) for module in imported[image] if module.startswith("askance")}
    uncovered = {f for f in files if not any(f == c or f.startswith(f"{c}/") for c in copied)}
    assert uncovered == set()
    unused = {c for c in copied if not any(f == c or f.startswith(f"{c}/") for f in files)}
    # A package's own file is there for its modules, whatever stands in it.
    assert {c for c in unused if not c.endswith("__init__.py")} == set()


@every_image
def test_what_is_started_is_imported_from_what_is_copied_alone(
    image: Image, tmp_path: Path
) -> None:
    laid_out, root = tmp_path / "laid out", tmp_path / "root"
    laid_out.mkdir()
    lay_out_files(packaged_project(), packaged_sources(), laid_out)
    for line in re.findall(r"^COPY (?!--from)(.*)$", stage_of(image), re.MULTILINE):
        *sources, target = line.split()
        copy(laid_out, sources, root / target.lstrip("/"), into=target.endswith("/"))
    place = root / image.place
    program = "; ".join([
        f"import sys; sys.path.insert(0, {str(place)!r}); import askance",
        f"assert askance.__file__.startswith({str(place)!r})",
        *(f"import {module}" for module in image.started),
        "assert 'PySide6' not in sys.modules",
    ])  # fmt: skip
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr.decode()


def copy(context: Path, sources: list[str], target: Path, *, into: bool) -> None:
    """Copy as a builder does: of a folder what is in it, of a file the file alone."""
    for source in (context / name for name in sources):
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            file = target / source.name if into else target
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, file)


def path_of(module: str) -> str:
    path = Path("src", *module.split("."))
    found = (
        path.with_suffix(".py")
        if (ROOT / path.with_suffix(".py")).is_file()
        else path / "__init__.py"
    )
    assert (ROOT / found).is_file()
    return found.as_posix()


@every_folder
def test_every_source_that_is_copied_is_there(folder: str) -> None:
    lines = re.findall(r"^COPY (?!--from)(.*)$", dockerfile(folder), re.MULTILINE)
    assert lines
    for source in (s for line in lines for s in line.split()[:-1]):
        assert (ROOT / source).exists()


@every_folder
def test_nothing_is_compiled_or_taken_unpinned(folder: str) -> None:
    text = dockerfile(folder)
    assert "--only-binary :all:" in text
    assert "--no-deps" in text
    assert "--require-hashes" in text
    assert "pip check" in text
    assert "pip uninstall" in text
    assert ":latest" not in text


@every_folder
def test_no_builder_but_the_newest_is_asked_for(folder: str) -> None:
    # Debian's engine comes without BuildKit.
    text = dockerfile(folder)
    newer = r"^\s*(RUN --mount|COPY --chmod|COPY --link|# syntax=)"
    assert not re.search(newer, text, re.MULTILINE)
    assert "<<" not in text


@every_image
def test_an_image_does_not_run_as_root(image: Image) -> None:
    assert re.search(rf"^USER {image.user}:{image.user}$", stage_of(image), re.MULTILINE)


def test_the_reader_starts_behind_its_gate() -> None:
    starts = r'^ENTRYPOINT .*"/srv/reader/gate.py", "start"'
    assert re.search(starts, stage_of(READER), re.MULTILINE)
