"""PyInstaller on packaging/askance.spec, for Windows and macOS: into dist."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build() -> None:
    """Build what the recipe says for this system.

    Raises:
        subprocess.CalledProcessError: it could not be built; PyInstaller has said why.
    """
    places = ("--distpath", str(ROOT / "dist"), "--workpath", str(ROOT / "build" / "pyinstaller"))
    recipe = str(ROOT / "packaging" / "askance.spec")
    subprocess.run(  # noqa: S603 - the developer's own tool
        [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", *places, recipe],
        # The order of sets gets into what is compiled.
        env={**os.environ, "PYTHONHASHSEED": "1"},
        check=True,
    )
