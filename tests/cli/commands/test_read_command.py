"""`askance read`."""

from __future__ import annotations

import asyncio
import json

from askance.cli.commands.asking import read
from askance.domain.errors import ServiceDown
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import CONCURRENT_PAGES, Page, PageReason, PageStatus
from askance.extract.page import extract_page
from cli.fake_shell import FakeReader, FakeShell, run

GOOD = "https://good.example/"
BAD = "https://bad.example/"
OK = Page(GOOD, PageStatus.OK, title="Go\x1b[2Jod", markdown="Some\x1b[2J *text*.", words=2)
EMPTY = Page(
    BAD, PageStatus.EMPTY, PageReason.CONSENT_WALL, Message("It shows only a consent wall.")
)


def test_pages_come_in_the_order_asked_and_one_good_one_is_a_success(fake_shell: FakeShell) -> None:
    fake_shell.app.reader = FakeReader({GOOD: OK, BAD: EMPTY})
    assert read(fake_shell.shell, [BAD, GOOD], {}) == 0
    assert fake_shell.printed == (
        f"{BAD}: empty. It shows only a consent wall.\n\n"
        f"# Go[2Jod\n<{GOOD}>, 2 words\n\nSome[2J *text*.\n\n"
    )


def test_no_good_page_is_a_failure(fake_shell: FakeShell) -> None:
    fake_shell.app.reader = FakeReader({BAD: EMPTY})
    assert read(fake_shell.shell, [BAD, "https://unknown.example/"], {}) == 1


def test_how_a_page_was_read_is_said_before_its_text(fake_shell: FakeShell) -> None:
    body = '<div id="root"></div><noscript>' + "<p>The ferry leaves Kelhaven at nine.</p>" * 9
    page = f"<html><head><title>Ferry</title></head><body>{body}</noscript></body></html>"
    found = extract_page(page.encode(), GOOD, "text/html")
    read_page = Page(
        GOOD,
        found.status,
        found.reason,
        found.detail,
        title=found.title,
        markdown=found.markdown,
        words=found.words,
    )
    fake_shell.app.reader = FakeReader({GOOD: read_page})
    assert read(fake_shell.shell, [GOOD], {}) == 0
    lines = fake_shell.printed.splitlines()
    assert lines[0] == "# Ferry"
    assert lines[2].startswith("The page keeps its text for browsers without scripts")
    assert lines[4] == "The ferry leaves Kelhaven at nine."


def test_json_is_a_line_a_page(fake_shell: FakeShell) -> None:
    fake_shell.app.reader = FakeReader({GOOD: OK, BAD: EMPTY})
    assert read(fake_shell.shell, [GOOD, BAD], {}, as_json=True) == 0
    good, bad = [json.loads(line) for line in fake_shell.printed.splitlines()]
    assert (good["url"], good["status"], good["reason"]) == (GOOD, "ok", "")
    assert (good["title"], good["words"], good["markdown"]) == (OK.title, 2, OK.markdown)
    assert (bad["status"], bad["reason"], bad["markdown"]) == ("empty", "consent_wall", "")


def test_no_more_pages_are_read_at_once_than_the_settings_say(fake_shell: FakeShell) -> None:
    class Crowded:
        now = most = 0

        def __init__(self) -> None:
            self.full = asyncio.Event()

        async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
            self.now += 1
            self.most = max(self.most, self.now)
            if self.now == CONCURRENT_PAGES:
                self.full.set()
            await self.full.wait()
            self.now -= 1
            return Page(url, PageStatus.OK)

    fake_shell.app.reader = Crowded()
    urls = [f"https://{i}.example/" for i in range(9)]
    assert read(fake_shell.shell, urls, {}) == 0
    assert fake_shell.app.reader.most == CONCURRENT_PAGES


def test_a_reader_that_is_gone_is_a_service_error(fake_shell: FakeShell) -> None:
    gone = ServiceDown("The page reader", "http://x", "The page reader is gone.", fix="Start it.")
    fake_shell.app.reader = FakeReader({GOOD: gone, BAD: gone})
    assert run(fake_shell, "read", GOOD, BAD) == 1
    assert fake_shell.errors == "askance: The page reader is gone. Start it.\n"
