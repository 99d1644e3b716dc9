"""What Askance makes is for its owner's eyes alone, under any umask and whatever was made first."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from askance.config.private_files import (
    FOR_ALL_TO_READ,
    NotOurs,
    claim_folder,
    create_file,
    make_folder,
    make_path,
    put_in_place,
    replace_file,
)

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no modes of files: run it on Linux or macOS"
)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def a_folder_of_another_user(tmp_path: Path) -> Path:
    if os.geteuid():
        return Path("/usr")
    made = tmp_path / "theirs"
    made.mkdir()
    os.chown(made, 65534, 65534)
    return made


@pytest.mark.usefixtures("umask")
def test_every_folder_on_the_way_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    make_folder(tmp_path / "share" / "askance" / "traces")
    made = [tmp_path / "share", tmp_path / "share/askance", tmp_path / "share/askance/traces"]
    assert list(map(mode_of, made)) == [0o700] * 3


@pytest.mark.usefixtures("umask")
def test_what_another_makes_in_the_same_moment_is_there_and_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir

    def beaten_to_it(folder: str, mode: int) -> None:
        mkdir(folder, mode)
        raise FileExistsError(folder)

    monkeypatch.setattr(os, "mkdir", beaten_to_it)
    make_folder(tmp_path / "home" / "data" / "traces")
    assert (tmp_path / "home" / "data" / "traces").is_dir()


def test_a_folder_that_was_too_open_is_closed_and_what_is_above_it_stays(tmp_path: Path) -> None:
    share, ours = tmp_path / "share", tmp_path / "share" / "askance"
    ours.mkdir(parents=True)
    share.chmod(0o755)
    ours.chmod(0o2775)
    make_folder(ours)
    assert (mode_of(share), mode_of(ours) & 0o777) == (0o755, 0o700)


def test_a_folder_behind_a_link_of_the_user_is_used_and_closed(tmp_path: Path) -> None:
    elsewhere, link = tmp_path / "disk", tmp_path / "askance"
    elsewhere.mkdir()
    elsewhere.chmod(0o755)
    link.symlink_to(elsewhere)
    make_folder(link)
    assert link.is_symlink()
    assert mode_of(elsewhere) == 0o700


def test_a_folder_of_another_user_is_left_as_it_is(tmp_path: Path) -> None:
    theirs = a_folder_of_another_user(tmp_path)
    before = mode_of(theirs)
    make_folder(theirs)
    assert mode_of(theirs) == before


def test_a_folder_of_all_like_tmp_is_left_as_it_is_also_for_root(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    make_folder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777
    with pytest.raises(NotOurs, match="to all"):
        claim_folder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777


def test_a_path_that_others_share_is_not_closed_to_them(tmp_path: Path) -> None:
    shared = tmp_path / "applications"
    shared.mkdir()
    shared.chmod(0o755)
    make_path(shared)
    assert mode_of(shared) == 0o755


@pytest.mark.parametrize("make", [make_folder, make_path, claim_folder])
def test_a_file_where_a_folder_should_be_is_an_error(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    (tmp_path / "file").touch()
    for name in ("file", "file/below"):
        with pytest.raises(OSError, match="file"):
            make(tmp_path / name)


@pytest.mark.usefixtures("umask")
def test_a_folder_is_claimed_where_others_may_write(tmp_path: Path) -> None:
    ours = tmp_path / "askance"
    claim_folder(ours)
    assert mode_of(ours) == 0o700
    ours.chmod(0o777)
    claim_folder(ours, make=False)
    assert mode_of(ours) == 0o700


def test_a_folder_of_another_user_is_not_claimed(tmp_path: Path) -> None:
    with pytest.raises(NotOurs, match="another user"):
        claim_folder(a_folder_of_another_user(tmp_path))


def test_a_link_is_not_claimed_even_to_a_folder_of_ours(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "askance").symlink_to(tmp_path / "mine")
    with pytest.raises(NotOurs, match="link"):
        claim_folder(tmp_path / "askance")


def test_a_folder_that_is_only_looked_for_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        claim_folder(tmp_path / "askance", make=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("umask")
def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    os.close(create_file(tmp_path / "new"))
    assert mode_of(tmp_path / "new") == 0o600


@pytest.mark.parametrize("leads_to", ["victim", "nowhere"])
def test_a_link_that_lies_in_wait_is_not_written_through(tmp_path: Path, leads_to: str) -> None:
    (tmp_path / "victim").write_text("theirs", encoding="utf-8")
    (tmp_path / "new").symlink_to(tmp_path / leads_to)
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "new")
    replace_file(tmp_path / "new", b"ours")
    assert (tmp_path / "victim").read_text(encoding="utf-8") == "theirs"
    assert not (tmp_path / "nowhere").exists()
    assert (tmp_path / "new").read_bytes() == b"ours"
    assert not (tmp_path / "new").is_symlink()


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, FOR_ALL_TO_READ])
def test_a_file_is_replaced_whole_with_its_mode(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "file"
    file.touch(mode=0o666)
    replace_file(file, b"new", mode=mode)
    assert (file.read_bytes(), mode_of(file)) == (b"new", mode)
    assert list(tmp_path.iterdir()) == [file]


def test_what_was_written_beside_a_file_takes_its_place(tmp_path: Path) -> None:
    file, fresh = tmp_path / "file", tmp_path / "fresh"
    file.write_bytes(b"old")
    fresh.write_bytes(b"new")
    put_in_place(fresh, file)
    assert file.read_bytes() == b"new"
    assert not fresh.exists()


def test_nothing_takes_a_place_that_the_disk_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    file = tmp_path / "file"
    replace_file(file, b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        replace_file(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "in the way").mkdir()
    (tmp_path / "in the way" / "something").touch()
    with pytest.raises(OSError, match="in the way"):
        replace_file(tmp_path / "in the way", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["in the way"]
