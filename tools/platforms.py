"""Look whether each locked package has a wheel for every system that it is tested on. It asks the package index.

    python -m tools.platforms

Locks are installed with wheels alone, so one that is missing somewhere would show there, and only there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

# As uv names them. Linux by its oldest glibc: what Qt's wheels ask for.
PLATFORMS = {
    "x86_64-manylinux_2_34": ("3.11", "3.12", "3.13", "3.14"),
    "aarch64-manylinux_2_39": ("3.11", "3.12", "3.13", "3.14"),
    "x86_64-pc-windows-msvc": ("3.11", "3.12", "3.13", "3.14"),
    "aarch64-apple-darwin": ("3.11", "3.12", "3.13", "3.14"),
    # The last onnxruntime for it has no wheel for 3.14.
    "x86_64-apple-darwin": ("3.11", "3.12", "3.13"),
}
LOCKS = ("requirements.lock", "requirements/model.lock")
_MACOS = "15.0"


def main() -> int:
    """Look, and name what is missing. Returns the exit status."""
    with tempfile.TemporaryDirectory() as empty:
        return _look(empty)


def _look(empty: str) -> int:
    status = 0
    for platform, versions in PLATFORMS.items():
        for version in versions:
            done = subprocess.run(  # noqa: S603 - written below
                command(platform, version, empty),
                env={
                    **os.environ,
                    "MACOSX_DEPLOYMENT_TARGET": _MACOS,
                    "UV_PYTHON_DOWNLOADS": "never",
                },
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                sys.stderr.write(f"{platform}, Python {version}:\n{done.stderr}\n")
                status = 1
    return status


def command(platform: str, version: str, empty: str) -> list[str]:
    """Return the command that would install the locks there, and installs nothing."""
    system = ("--python-platform", platform, "--python-version", version)
    hashed = ("--only-binary", ":all:", "--no-deps", "--require-hashes")
    # Nothing that is installed here counts.
    nowhere = ("--dry-run", "--quiet", "--target", empty)
    locks = [word for lock in LOCKS for word in ("--requirement", lock)]
    return [sys.executable, "-m", "uv", "pip", "install", *nowhere, *hashed, *system, *locks]


if __name__ == "__main__":
    sys.exit(main())
