"""What `make deb` and `make appimage` made, and what they are made by."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
MIB = 1024 * 1024
ENTRY = "io.github.askance.Askance"


def made(pattern: str) -> Path:
    found = sorted((ROOT / "dist").glob(pattern))
    if not found:
        pytest.skip("a package in dist: `make release-linux` makes all of them")
    return found[0]


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(
            "a packager's tool: apt install lintian squashfs-tools desktop-file-utils appstream"
        )
    return found


def output(*command: str, env: Mapping[str, str] | None = None) -> str:
    return subprocess.run(  # noqa: S603 - the developer's own tools
        command, capture_output=True, text=True, check=True, env=env
    ).stdout


def test_the_deb_holds_its_folder_its_command_and_what_desktops_look_for(tmp_path: Path) -> None:
    deb = made("*.deb")
    assert deb.stat().st_size <= 115 * MIB
    archive = tmp_path / "data.tar"
    with archive.open("wb") as stream:
        subprocess.run(  # noqa: S603 - the developer's own tool
            [tool("dpkg-deb"), "--fsys-tarfile", str(deb)], stdout=stream, check=True
        )
    with tarfile.open(archive) as files:
        members = {member.name.removeprefix("./"): member for member in files}
    assert members["usr/bin/askance"].linkname == "../lib/askance/askance"
    for name in (
        "usr/lib/askance/askance",
        f"usr/share/applications/{ENTRY}.desktop",
        f"usr/share/dbus-1/services/{ENTRY}.service",
        f"usr/share/metainfo/{ENTRY}.metainfo.xml",
        f"usr/share/icons/hicolor/scalable/apps/{ENTRY}.svg",
        "usr/share/man/man1/askance.1.gz",
        "usr/share/doc/askance/copyright",
        "usr/lib/askance/licences/LGPL-3",
    ):
        assert name in members
    assert {(member.uid, member.gid) for member in members.values()} == {(0, 0)}
    modes = {member.mode for member in members.values() if not member.issym()}
    assert modes <= {0o755, 0o644}
    allowed = {"bin", "lib", "share"}
    assert {name.split("/")[1] for name in members if name.count("/") > 1} <= allowed


def test_the_deb_depends_on_what_it_is_linked_with_and_runs_nothing(tmp_path: Path) -> None:
    deb, dpkg = made("*.deb"), tool("dpkg-deb")
    depends = output(dpkg, "--field", str(deb), "Depends")
    assert "libc6 (>= 2." in depends
    assert {"libegl1", "libgl1", "libstdc++6", "libxcb1"} <= set(depends.strip().split(", "))
    output(dpkg, "--control", str(deb), str(tmp_path / "control"))
    assert {file.name for file in (tmp_path / "control").iterdir()} == {"control", "md5sums"}


def test_the_appimage_is_mounted_and_has_what_desktops_look_for() -> None:
    image = made("*.AppImage")
    assert image.stat().st_size <= 168 * MIB
    with image.open("rb") as stream:
        head = stream.read(64)
    # Type 2 of the AppImage specification: behind the ELF header lies an image that is mounted.
    assert head[8:11] == b"AI\x02"
    sections, (size, count) = (
        struct.unpack_from("<Q", head, 40)[0],
        struct.unpack_from("<HH", head, 58),
    )
    names = output(
        *(tool("unsquashfs"), "-offset", str(sections + size * count)),
        *("-lls", str(image), ".DirIcon", f"{ENTRY}.desktop", f"{ENTRY}.svg", "AppRun"),
        *("usr/share/metainfo", "usr/lib/askance/askance"),
    )
    assert "AppRun -> usr/lib/askance/askance" in names
    for name in (".DirIcon", f"{ENTRY}.desktop", f"{ENTRY}.svg", f"{ENTRY}.metainfo.xml"):
        assert f"/{name}\n" in names


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.2.0", "1.2.0"), ("1.2.0rc1", "1.2.0~rc1"), ("1.2.0.dev3", "1.2.0~dev3")],
)
def test_a_prerelease_is_older_than_its_release(version: str, expected: str) -> None:
    code = f"import deb; print(deb.debian_version({version!r}))"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGING)}
    assert output(sys.executable, "-c", code, env=environment).strip() == expected
    if version != "1.2.0":
        dpkg = tool("dpkg")
        output(dpkg, "--compare-versions", expected, "lt", "1.2.0")


def test_a_file_that_needs_a_newer_glibc_is_named(tmp_path: Path) -> None:
    tool("objdump")
    shutil.copy(tool("sh"), tmp_path / "program")
    code = (
        "import sys, finishing; from pathlib import Path; folder = Path(sys.argv[1]); "
        "sys.exit(10 * finishing.check_glibc(folder, (2, 0)) + finishing.check_glibc(folder, (9, 0)))"
    )
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(PACKAGING)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 10, done.stderr
    assert "program needs glibc 2." in done.stdout
