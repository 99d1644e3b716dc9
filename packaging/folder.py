"""Build the desktop program as one folder, dist/askance, and say which glibc it needs.

    python packaging/folder.py [--glibc 2.34]

With `--glibc` it fails where a file needs a newer one: that of a release is built on an old system.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import finishing

HERE = Path(__file__).parent
ROOT = HERE.parent


def main() -> int:
    """Build the folder. Returns the exit status."""
    parser = argparse.ArgumentParser(description="Build dist/askance.")
    parser.add_argument("--glibc", type=_version, metavar="VERSION")
    floor = parser.parse_args().glibc
    log = ROOT / "build" / "pyinstaller.log"
    log.parent.mkdir(exist_ok=True)
    places = ("--distpath", str(ROOT / "dist"), "--workpath", str(ROOT / "build" / "pyinstaller"))
    with log.open("w", encoding="utf-8") as stream:
        done = subprocess.run(  # noqa: S603 - the developer's own tool
            [
                *(sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", *places),
                str(HERE / "askance.spec"),
            ],
            env={
                **os.environ,
                # The order of sets gets into what is compiled.
                "PYTHONHASHSEED": "1",
                # No cache of the user's.
                "PYINSTALLER_CONFIG_DIR": str(ROOT / "build" / "pyinstaller-cache"),
            },
            stdout=stream,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        sys.stderr.write(log.read_text(encoding="utf-8"))
        return done.returncode
    return finishing.check_glibc(ROOT / "dist" / "askance", floor)


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


if __name__ == "__main__":
    sys.exit(main())
