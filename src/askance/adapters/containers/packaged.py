"""The files of the compose project as they ship: in the wheel, or in the repository."""

from __future__ import annotations

import os
import shutil
from importlib.resources import files
from pathlib import Path

from askance.adapters.containers.compose import COMPOSE_FILE

SEARXNG_SETTINGS = "deploy/searxng/settings.yml"
# What the images take of this program; the rest of it has no business in there.
IMAGE_SOURCES = (
    *("__init__.py", "domain", "config", "extract", "ports"),
    *("local_service", "reader_service", "search_gateway"),
    *("adapters/__init__.py", "adapters/reader"),
    *("adapters/system/__init__.py", "adapters/system/program.py"),
    *(f"adapters/network/{name}.py" for name in ("__init__", "http", "transport", "wire")),
)
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")


def packaged_project() -> Path:
    """Return the folder that holds docker-compose.yml and deploy/."""
    shipped = Path(str(files("askance"))) / "_deploy"
    return shipped if shipped.is_dir() else Path(__file__).parents[4]


def packaged_sources() -> Path:
    """Return the folder of the package `askance`."""
    return Path(str(files("askance")))


def lay_out_files(project: Path, sources: Path, folder: Path) -> None:
    """Make the files of the project in `folder` those that ship, whatever was there of them.

    An image takes over the modes of its files, and another user than this one reads them
    there: so they may be read by all, in a folder that nobody else gets into.
    """
    for name in ("deploy", "src"):
        shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(project / "deploy", folder / "deploy", ignore=_LEFT_OUT)
    for name in IMAGE_SOURCES:
        source, target = sources / name, folder / "src" / "askance" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=_LEFT_OUT)
        elif source.exists():
            shutil.copyfile(source, target)
    shutil.copyfile(project / COMPOSE_FILE, folder / COMPOSE_FILE)
    (folder / COMPOSE_FILE).chmod(0o644)
    for top in (folder / "deploy", folder / "src"):
        for place, _, names in os.walk(top):
            Path(place).chmod(0o755)
            for name in names:
                (Path(place) / name).chmod(0o644)
