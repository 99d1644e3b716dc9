"""Nothing that Askance keeps can be read by another user of the machine, whatever is made first."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from askance.adapters.containers.compose_project import lay_out
from askance.adapters.storage.history import SqliteHistory
from askance.adapters.storage.ledger import SqliteLedger
from askance.adapters.storage.page_cache import PageCache
from askance.adapters.storage.traces import TraceStore
from askance.config.diagnostics import logged, write_report
from askance.config.editing import set_value
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered, RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.web_pages import Page, PageStatus
from askance.ui.overlay.conversation.field import Draft
from askance.ui.overlay.stored import DraftFile
from sampled import sampled

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no modes of files: run it on Linux or macOS"
)


def a_trace(folders: Folders) -> None:
    with TraceStore(folders.traces, 9, pytest.fail).begin("Who?") as trace:
        trace.add(Answered("It is so.", (), (), Outcome.WEB, 1, Usage(), (), 1), 0.5)


def a_conversation(folders: Folders) -> None:
    with closing(SqliteHistory(folders.history, pytest.fail)) as history:
        history.begin_exchange(None, "search", "Who?")


def a_ledger(folders: Folders) -> None:
    with closing(SqliteLedger(folders.ledger, 9, pytest.fail)) as ledger:
        ledger.add(RequestSent(Sending.PAGE, "example.org", Message("this program"), "x"), "ask")


def a_page(folders: Folders) -> None:
    url = "https://example.org/"
    with closing(PageCache(folders.page_cache, 9, pytest.fail)) as cache:
        cache.store(Page(url, PageStatus.OK, final_url=url, markdown="words", words=1))


def a_draft(folders: Folders) -> None:
    DraftFile(folders.drafts).write({None: Draft("Who?", 4, ())})


def a_setting(folders: Folders) -> None:
    set_value("search.proxy", "http://me:secret@127.0.0.2:8080", folders.settings_file)


def services(folders: Folders) -> None:
    lay_out(Settings(), folders, {})


def a_log(folders: Folders) -> None:
    with logged(folders, "ask"):
        pass


def a_crash_report(folders: Folders) -> None:
    assert write_report(folders, ValueError("Who?"))


MAKERS = (
    *(a_trace, a_conversation, a_ledger, a_page, a_draft, a_setting, services),
    *(a_log, a_crash_report),
)


@pytest.fixture(params=[0o000, 0o022], ids=oct)
def folders(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Folders]:
    before = os.umask(request.param)
    yield find_folders({"ASKANCE_HOME": str(tmp_path / "home")})
    os.umask(before)


def open_to_others(top: Path, but: Path) -> list[str]:
    """Return what others could get at. What is in the folder `but`, which is closed, they cannot."""
    return [
        f"{path.relative_to(top)}: {stat.S_IMODE(path.stat().st_mode):o}"
        for path in [top, *top.rglob("*")]
        if but not in path.parents and path.stat().st_mode & 0o077
    ]


@pytest.mark.parametrize("first", sampled(MAKERS, every=3))
def test_nothing_is_open_to_others_whatever_is_made_first(
    folders: Folders, first: Callable[[Folders], None]
) -> None:
    home = folders.data.parent
    first(folders)
    assert open_to_others(home, folders.services) == []
    for make in MAKERS:
        make(folders)
    assert open_to_others(home, folders.services) == []
    assert stat.S_IMODE((folders.services / ".env").stat().st_mode) == 0o600


@pytest.mark.parametrize("make", MAKERS)
def test_a_home_that_an_older_program_left_open_is_closed(
    folders: Folders, make: Callable[[Folders], None]
) -> None:
    make(folders)
    for path in folders.data.parent.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    for on_stored in (a_conversation, a_page, a_setting, services, a_trace):
        on_stored(folders)
    tops = (folders.config, folders.data, folders.cache, folders.traces, folders.services)
    assert {stat.S_IMODE(top.stat().st_mode) for top in tops} == {0o700}


@pytest.mark.parametrize("name", ["history.sqlite3", "history.sqlite3-wal", "history.sqlite3-shm"])
def test_a_database_out_of_a_backup_is_closed_with_its_log(folders: Folders, name: str) -> None:
    with closing(SqliteHistory(folders.history, pytest.fail)) as history:
        history.begin_exchange(None, "search", "Who?")
        (folders.data / name).chmod(0o644)
        a_conversation(folders)
        assert stat.S_IMODE((folders.data / name).stat().st_mode) == 0o600


def test_the_log_of_an_open_database_is_never_open_to_others(folders: Folders) -> None:
    a_conversation(folders)
    folders.history.chmod(0o644)
    with closing(SqliteHistory(folders.history, pytest.fail)) as history:
        history.begin_exchange(None, "search", "Who?")
        assert (folders.data / "history.sqlite3-wal").exists()
        assert open_to_others(folders.data, folders.services) == []
