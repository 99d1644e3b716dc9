"""Make the AppImage of the folder that `make dist` built: dist/Askance-VERSION-ARCHITECTURE.AppImage.

    python packaging/appimage.py

It is the runtime, a small static program, with an image of the folder behind it that is mounted at each start:
nothing is unpacked. ASKANCE_APPIMAGE_RUNTIME names the runtime; otherwise the one of runtime.toml is downloaded.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "src"))

from askance import __version__  # noqa: E402

FOLDER = ROOT / "dist" / "askance"
RUNTIMES = HERE / "appimage" / "runtime.toml"
ENTRY = "io.github.askance.Askance"
ICON_PIXELS = 256
# Larger blocks make it smaller and its start slower: 128 KiB saves 2 MiB, and takes a tenth longer to the window.
BLOCK_BYTES = 64 * 1024
LEVEL = 19
# What each start reads nearly all of: unpacking it takes a sixth of the start. The program holds compressed modules.
UNCOMPRESSED = (
    *("askance", "libQt6Core.so.*", "libQt6Gui.so.*", "libpython3.*", "libcrypto.so.*"),
    "_pydantic_core*.so",
)
# A tenth more than it is, so that nothing large comes in unseen.
LIMIT_BYTES = 176_000_000


def main() -> int:
    """Make the AppImage. Returns the exit status."""
    if not (FOLDER / "askance").is_file():
        sys.exit("dist/askance is not there: `make dist` builds it.")
    machine = platform.machine()
    image = ROOT / "dist" / f"Askance-{__version__}-{machine}.AppImage"
    with tempfile.TemporaryDirectory(prefix="askance-appimage-") as top:
        tree, squashed = Path(top) / "AppDir", Path(top) / "image"
        fill(tree)
        squash(tree, squashed)
        image.write_bytes(runtime(machine) + squashed.read_bytes())
    image.chmod(0o755)
    if image.stat().st_size > LIMIT_BYTES:
        sys.exit(f"{image.name} is larger than {LIMIT_BYTES // 10**6} MB.")
    print(image.relative_to(ROOT), f"{image.stat().st_size / 2**20:.1f} MiB")
    return 0


def fill(tree: Path) -> None:
    """Put the files into place, as the runtime and programs that integrate AppImages look for them."""
    shutil.copytree(FOLDER, tree / "usr/lib/askance")
    desktop, share = ROOT / "deploy" / "desktop", tree / "usr/share"
    for name, folder in (
        (f"{ENTRY}.desktop", share / "applications"),
        (f"{ENTRY}.metainfo.xml", share / "metainfo"),
        (f"{ENTRY}.desktop", tree),
    ):
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(desktop / name, folder / name)
    shutil.copytree(desktop / "icons", share / "icons")
    drawing = desktop / f"icons/hicolor/scalable/apps/{ENTRY}.svg"
    shutil.copyfile(drawing, tree / f"{ENTRY}.svg")
    draw(drawing, tree / ".DirIcon")
    # No script: the program finds its files by the place of its executable.
    (tree / "AppRun").symlink_to("usr/lib/askance/askance")
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            is_run = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if is_run else 0o644)


def draw(drawing: Path, picture: Path) -> None:
    """Draw the icon as PNG, which file managers show."""
    from PySide6.QtCore import Qt  # noqa: PLC0415 - nothing else here needs Qt
    from PySide6.QtGui import QImage, QPainter  # noqa: PLC0415
    from PySide6.QtSvg import QSvgRenderer  # noqa: PLC0415

    image = QImage(ICON_PIXELS, ICON_PIXELS, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(drawing)).render(painter)
    painter.end()
    if not image.save(str(picture), "PNG"):  # pyright: ignore[reportArgumentType, reportCallIssue]
        sys.exit("The icon could not be drawn.")


def squash(tree: Path, image: Path) -> None:
    """Write the image that is mounted."""
    tool = shutil.which("mksquashfs") or sys.exit("mksquashfs is missing: install squashfs-tools.")
    plain = " || ".join(f"name({name})" for name in UNCOMPRESSED)
    options = (
        *("-comp", "zstd", "-Xcompression-level", str(LEVEL), "-b", str(BLOCK_BYTES)),
        *("-root-owned", "-noappend", "-no-xattrs", "-no-exports", "-quiet", "-no-progress"),
        *("-action", f"uncompressed@type(f) && ({plain})"),
    )
    subprocess.run(  # noqa: S603 - the developer's own tool
        [tool, str(tree), str(image), *options],
        # mksquashfs takes the time of all files from it, and of the image.
        env={"SOURCE_DATE_EPOCH": "1580601600", **os.environ},
        check=True,
    )


def runtime(machine: str) -> bytes:
    """Return the runtime: the one that is named, or the pinned one.

    Ends the build where a pinned one is not what it was.
    """
    if named := os.environ.get("ASKANCE_APPIMAGE_RUNTIME"):
        return Path(named).read_bytes()
    pinned = tomllib.loads(RUNTIMES.read_text("utf-8"))[machine]
    with urllib.request.urlopen(pinned["url"], timeout=60) as reply:  # noqa: S310 - https, pinned
        body = reply.read()
    if hashlib.sha256(body).hexdigest() != pinned["sha256"]:
        sys.exit(f"{pinned['url']} is not the file that packaging/appimage/runtime.toml names.")
    return body


if __name__ == "__main__":
    sys.exit(main())
