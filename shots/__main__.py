"""`python -m shots [FOLDER]`: make all pictures of the window, at two pixels a point."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication

from askance.ui.design.theme import load_fonts
from shots.palette import reduced
from shots.scenes import take_all

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
_RATIO = 2
# The screen that there is not, in points: the window takes at most a share of it.
_SCREEN = (1440, 1240)
_INSIDE = "--inside"
# What a process needs of the environment; nothing else of this user's desktop counts.
_STORED = ("PATH", "HOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "TEMP", "TMPDIR")


def main(arguments: Sequence[str]) -> int:
    """Make the pictures in a process of their own, and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m shots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where to write them")
    parser.add_argument("--ratio", type=int, default=_RATIO, help="pixels a point")
    parser.add_argument(_INSIDE, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.inside:
        _take(options.folder)
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        screen = Path(folder) / "screen.json"
        width, height = (side * options.ratio for side in _SCREEN)
        form = {"name": "none", "x": 0, "y": 0, "width": width, "height": height}
        screen.write_text(json.dumps({"screens": [form]}), "utf-8")
        environment = {name: os.environ[name] for name in _STORED if name in os.environ} | {
            "LC_ALL": "C.UTF-8",
            "QT_QPA_PLATFORM": f"offscreen:configfile={screen}",
            "QT_SCALE_FACTOR": str(options.ratio),
        }
        command = [sys.executable, "-m", "shots", _INSIDE, str(options.folder.resolve())]
        return subprocess.call(command, env=environment, cwd=ROOT)  # noqa: S603 - this program


def _take(folder: Path) -> None:
    application = QApplication([])
    load_fonts()
    with tempfile.TemporaryDirectory() as home:
        for name, picture in take_all(application, Path(home)):
            file = folder / f"{name}.png"
            reduced(picture).save(str(file), quality=0)
            size = f"{picture.width()} by {picture.height()}, {file.stat().st_size // 1024} KiB"
            sys.stdout.write(f"{file.name}: {size}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
