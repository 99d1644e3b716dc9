"""Lay out what flatpak-builder builds, which has no network meanwhile, and check it: dist/flatpak.

    python packaging/flatpak.py

The packages of requirements/flatpak.lock are sources with an address and a hash; pip says where they are. The
program itself is the wheel that `make wheel` built.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from askance import __version__  # noqa: E402

ID = "io.github.askance.Askance"
LOCK = ROOT / "requirements" / "flatpak.lock"
OUT = ROOT / "dist" / "flatpak"
# Of the runtime that the manifest names.
PYTHON = "3.13"
# Flatpak's name of each processor, and that of wheels.
PROCESSORS = {"x86_64": "x86_64", "aarch64": "aarch64"}
# From the runtime's glibc down to the oldest that wheels name.
GLIBC = [f"manylinux_2_{minor}" for minor in range(39, 4, -1)] + ["manylinux2014"]
INSTALL = "pip3 install --no-index --no-deps --no-compile --prefix=${FLATPAK_DEST} *.whl"


def main() -> int:
    """Lay out the sources and check the manifest. Returns the exit status."""
    wheel = ROOT / "dist" / f"askance-{__version__}-py3-none-any.whl"
    if not wheel.is_file():
        sys.exit("The wheel is not there: `make wheel` builds it.")
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    desktop = ROOT / "deploy" / "desktop"
    for file in (
        wheel,
        ROOT / "packaging" / "flatpak" / f"{ID}.yml",
        *(desktop / f"{ID}.{kind}" for kind in ("desktop", "metainfo.xml")),
        *desktop.glob("icons/hicolor/*/apps/*.svg"),
    ):
        shutil.copyfile(file, OUT / file.name)
    module = {
        "name": "python-modules",
        "buildsystem": "simple",
        "build-commands": [INSTALL],
        "sources": [*sources(), {"type": "file", "path": wheel.name}],
    }
    (OUT / "python-modules.json").write_text(json.dumps(module, indent=1), "utf-8")
    return check()


def sources() -> list[dict[str, Any]]:
    """Return the wheels of all packages, those that are for one processor with its name."""
    by_processor = {flatpak: _wheels(wheel) for flatpak, wheel in PROCESSORS.items()}
    everywhere = set[tuple[str, str]].intersection(*by_processor.values())
    found: list[dict[str, Any]] = [
        {"type": "file", "url": url, "sha256": digest} for url, digest in everywhere
    ]
    found += [
        {"type": "file", "url": url, "sha256": digest, "only-arches": [processor]}
        for processor, wheels in by_processor.items()
        for url, digest in wheels - everywhere
    ]
    return sorted(found, key=lambda source: source["url"].rpartition("/")[2])


def check() -> int:
    """Let flatpak-builder read the manifest, as far as it does without its runtime."""
    if (tool := shutil.which("flatpak-builder")) is None:
        print("flatpak-builder is not installed: the manifest was laid out, and not read by it.")
        return 0
    done = subprocess.run(  # noqa: S603 - the developer's own tool
        [tool, "--show-manifest", str(OUT / f"{ID}.yml")], stdout=subprocess.PIPE, check=False
    )
    if done.returncode == 0:
        shown = json.loads(done.stdout)
        print(f"{ID}: {sum(len(m['sources']) for m in shown['modules'])} sources")
    return done.returncode


def _wheels(processor: str) -> set[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="askance-flatpak-") as top:
        report = Path(top) / "report.json"
        platforms = [f"--platform={glibc}_{processor}" for glibc in GLIBC]
        subprocess.run(  # noqa: S603 - pip itself
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"),
                *(
                    "--ignore-installed",
                    "--ignore-requires-python",
                    "--no-deps",
                    "--require-hashes",
                    "--only-binary=:all:",
                ),
                *(*platforms, "--implementation=cp", f"--python-version={PYTHON}"),
                *(f"--target={top}/none", f"--report={report}", f"--requirement={LOCK}"),
            ],
            check=True,
        )
        installed = json.loads(report.read_text("utf-8"))["install"]
    return {
        (item["download_info"]["url"], item["download_info"]["archive_info"]["hashes"]["sha256"])
        for item in installed
    }


if __name__ == "__main__":
    sys.exit(main())
