"""Make the Debian package of the folder that `make dist` built: dist/askance_VERSION_ARCHITECTURE.deb.

    python packaging/deb.py

The folder goes to /usr/lib/askance. Nothing is run at its installation: what Debian's triggers do for menus
and icons is all that there is to do.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from linkage import linkages

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "src"))

from askance import __version__  # noqa: E402
from askance.system.desktop_entry import activatable, dbus_service  # noqa: E402

FOLDER = ROOT / "dist" / "askance"
ENTRY = "io.github.askance.Askance"
# What the folder takes from the system, with the package that has it. The C library stands for its parts.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libgcc_s.so.1": "libgcc-s1",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libxcb.so.1": "libxcb1",
}
C_LIBRARY = (
    "ld-linux",
    "libc.so",
    "libdl.so",
    "libm.so",
    "libpthread.so",
    "libresolv.so",
    "librt.so",
)
# Used where it is there: line editing in `askance chat`.
SUGGESTED = {"libreadline.so.8": "libreadline8t64 | libreadline8"}


def main() -> int:
    """Make the package. Returns the exit status."""
    if not (FOLDER / "askance").is_file():
        sys.exit("dist/askance is not there: `make dist` builds it.")
    architecture = _output("dpkg", "--print-architecture").strip()
    package = ROOT / "dist" / f"askance_{debian_version(__version__)}_{architecture}.deb"
    with tempfile.TemporaryDirectory(prefix="askance-deb-") as top:
        tree = Path(top) / "tree"
        fill(tree)
        write_control(tree, architecture)
        set_modes(tree)
        # The number of threads gets into what xz writes.
        environment = {**os.environ, "DPKG_DEB_THREADS_MAX": "1", "SOURCE_DATE_EPOCH": str(epoch())}
        done = Path(top) / package.name
        command = ("dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(done))
        _output(*command, env=environment)
        # Half of one is never there.
        shutil.move(done, package)
    print(package.relative_to(ROOT), f"{package.stat().st_size / 2**20:.1f} MiB")
    return 0


def debian_version(version: str) -> str:
    """Return a version in Debian's spelling, in which a pre-release is older than the release."""
    for mark in ("a", "b", "rc", ".dev"):
        version = version.replace(mark, f"~{mark.strip('.')}", 1)
    return version


def epoch() -> int:
    """Return the moment that stands for the time of the build."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", "1580601600"))


def fill(tree: Path) -> None:
    """Put the files of the package into place."""
    shutil.copytree(FOLDER, tree / "usr/lib/askance")
    link = tree / "usr/bin/askance"
    link.parent.mkdir(parents=True)
    link.symlink_to("../lib/askance/askance")
    desktop, share = ROOT / "deploy" / "desktop", tree / "usr/share"
    entry = activatable((desktop / f"{ENTRY}.desktop").read_text("utf-8"))
    for folder, name, text in (
        ("applications", f"{ENTRY}.desktop", entry),
        ("dbus-1/services", f"{ENTRY}.service", dbus_service(["/usr/bin/askance"])),
    ):
        (share / folder).mkdir(parents=True)
        (share / folder / name).write_text(text, "utf-8")
    _copy(desktop / f"{ENTRY}.metainfo.xml", share / "metainfo")
    shutil.copytree(desktop / "icons", share / "icons")
    documents = share / "doc/askance"
    _compress((HERE / "debian/askance.1").read_text("utf-8"), share / "man/man1/askance.1.gz")
    _compress((ROOT / "CHANGELOG.md").read_text("utf-8"), documents / "CHANGELOG.md.gz")
    _compress(_changelog(), documents / "changelog.gz")
    (documents / "copyright").write_text(_copyright(), "utf-8")
    _copy(HERE / "debian/lintian-overrides", share / "lintian/overrides")
    (share / "lintian/overrides/lintian-overrides").rename(share / "lintian/overrides/askance")


def write_control(tree: Path, architecture: str) -> None:
    """Write what dpkg reads before it unpacks: the fields, and the checksums of the files."""
    depends, suggests = dependencies(tree / "usr/lib/askance")
    files = sorted(file for file in tree.rglob("*") if file.is_file() and not file.is_symlink())
    size = sum(file.stat().st_size // 1024 + 1 for file in files)
    text = (HERE / "debian/control").read_text("utf-8")
    for name, value in {
        "VERSION": debian_version(__version__),
        "ARCHITECTURE": architecture,
        "SIZE": str(size),
        "DEPENDS": ", ".join(depends),
        "SUGGESTS": ", ".join(suggests),
    }.items():
        text = text.replace(f"@{name}@", value)
    control = tree / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(text, "utf-8")
    # That is what dpkg has in place of a signature: it shows what a disk has changed.
    sums = (f"{_md5(file)}  {file.relative_to(tree).as_posix()}\n" for file in files)
    (control / "md5sums").write_text("".join(sums), "utf-8")


def dependencies(folder: Path) -> tuple[list[str], list[str]]:
    """Return the packages that the folder needs, and those that it can use.

    Ends the build where it needs a library of which nobody has said whose it is.
    """
    found = linkages(folder)
    own = {file.name for file in found}
    foreign = {name for linkage in found.values() for name in linkage.libraries} - own
    foreign = {name for name in foreign if not name.startswith(C_LIBRARY)}
    if unknown := foreign - PACKAGES.keys() - SUGGESTED.keys():
        sys.exit(f"Of no package that packaging/deb.py knows: {', '.join(sorted(unknown))}")
    glibc = "libc6 (>= {}.{})".format(*max(linkage.glibc for linkage in found.values()))
    return (
        [glibc, *sorted(PACKAGES[name] for name in foreign & PACKAGES.keys())],
        sorted(SUGGESTED[name] for name in foreign & SUGGESTED.keys()),
    )


def set_modes(tree: Path) -> None:
    """Leave nothing of the builder's mask of new files in the package."""
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            is_run = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if is_run else 0o644)


def _copyright() -> str:
    lines = (ROOT / "LICENSE").read_text("utf-8").strip().splitlines()
    licence = "\n".join(f" {line}" if line.strip() else " ." for line in lines)
    return (HERE / "debian/copyright").read_text("utf-8").replace("@LICENCE@", licence)


def _changelog() -> str:
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(epoch()))
    return (
        f"askance ({debian_version(__version__)}) unstable; urgency=medium\n\n"
        "  * CHANGELOG.md.gz beside this file says what is new.\n\n"
        f" -- The Askance authors <askance@users.noreply.github.com>  {date}\n"
    )


def _compress(text: str, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def _copy(file: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, folder / file.name)


def _md5(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _output(tool: str, *arguments: str, env: dict[str, str] | None = None) -> str:
    path = shutil.which(tool) or sys.exit(f"{tool} is missing: install dpkg.")
    done = subprocess.run(  # noqa: S603 - the developer's own tool
        [path, *arguments], env=env, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
