"""What goes into the images: the packages they import, in the versions of the lock file."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import grimp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from askance.adapters.containers.installation import (
    lay_out_files,
    packaged_project,
    packaged_sources,
)

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "deploy" / "reader" / "Dockerfile").read_text(encoding="utf-8")
GATEWAY, READER = "search-gateway", "reader"
STARTED = {
    GATEWAY: ("askance.search_gateway.__main__", "askance.search_gateway.health"),
    READER: ("askance.reader_service.__main__", "askance.extract.worker"),
}
every_image = pytest.mark.parametrize("image", STARTED)


def pins(file: Path) -> dict[str, str]:
    """Name to version, without the lines that hold elsewhere only."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = (line.removesuffix(" \\").partition("==") for line in lines)
    return {name: version for name, mark, version in rows if mark and ";" not in version}


REQUIREMENTS = pins(ROOT / "deploy" / "reader" / "requirements.txt")
WANTED = (ROOT / "requirements" / "reader.in").read_text(encoding="utf-8").split("\n")


@pytest.fixture(scope="module")
def imported() -> dict[str, set[str]]:
    """All that each image's processes import, Askance's own modules and others."""
    graph = grimp.build_graph("askance", include_external_packages=True, cache_dir=None)
    return {
        image: set(modules).union(*(graph.find_upstream_modules(module) for module in modules))
        for image, modules in STARTED.items()
    }


def test_the_versions_are_those_of_the_lock_file() -> None:
    locked = pins(ROOT / "requirements.lock")
    assert REQUIREMENTS
    assert {name: locked.get(name) for name in REQUIREMENTS} == REQUIREMENTS


def test_the_list_is_what_is_imported_with_all_that_it_needs(imported: dict[str, set[str]]) -> None:
    outside = {
        module
        for module in imported[GATEWAY] | imported[READER]
        if not module.startswith("askance") and module not in sys.stdlib_module_names
    }
    providers = packages_distributions()
    direct: set[str] = {canonicalize_name(providers[module][0]) for module in outside}
    assert direct <= {line for line in WANTED if line and not line.startswith("#")}
    assert with_needs(direct) == REQUIREMENTS.keys()


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


def stage_of(image: str) -> str:
    """The lines of one stage."""
    return DOCKERFILE.partition(f" AS {image}\n")[2].partition("\nFROM ")[0]


@every_image
def test_every_module_that_is_imported_is_copied_and_no_package_for_nothing(
    imported: dict[str, set[str]], image: str
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
def test_what_is_started_is_imported_from_what_is_copied_alone(image: str, tmp_path: Path) -> None:
    laid_out, root = tmp_path / "laid out", tmp_path / "root"
    laid_out.mkdir()
    lay_out_files(packaged_project(), packaged_sources(), laid_out)
    for line in re.findall(r"^COPY (?!--from)(.*)$", stage_of(image), re.MULTILINE):
        *sources, target = line.split()
        copy(laid_out, sources, root / target.lstrip("/"), into=target.endswith("/"))
    place = root / "srv" / "reader"
    program = "; ".join([
        f"import sys; sys.path.insert(0, {str(place)!r}); import askance",
        f"assert askance.__file__.startswith({str(place)!r})",
        *(f"import {module}" for module in STARTED[image]),
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


def test_every_source_that_is_copied_is_there() -> None:
    lines = re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
    for source in (s for line in lines for s in line.split()[:-1]):
        assert (ROOT / source).exists()


def test_nothing_is_compiled_or_taken_unpinned() -> None:
    assert "--only-binary :all:" in DOCKERFILE
    assert "--no-deps" in DOCKERFILE
    assert "--require-hashes" in DOCKERFILE
    assert "pip check" in DOCKERFILE
    assert ":latest" not in DOCKERFILE


def test_no_builder_but_the_newest_is_asked_for() -> None:
    # Debian's engine comes without BuildKit.
    assert not re.search(
        r"^\s*(RUN --mount|COPY --chmod|COPY --link|# syntax=)", DOCKERFILE, re.MULTILINE
    )
    assert "<<" not in DOCKERFILE


def test_the_images_do_not_run_as_root() -> None:
    assert re.search(r"^USER 10001:10001$", stage_of(READER), re.MULTILINE)
    assert re.search(
        r'^ENTRYPOINT .*"/srv/reader/gate.py", "start"', stage_of(READER), re.MULTILINE
    )
    assert re.search(r"^USER 10002:10002$", stage_of(GATEWAY), re.MULTILINE)
