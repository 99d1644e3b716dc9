"""`askance ledger` over real files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from askance.adapters.storage.ledger import SqliteLedger
from askance.cli.commands.storage import folded, grouped
from askance.domain.events import LedgerEntry, RequestSent, Sending
from askance.domain.messages import Message
from cli.fake_shell import FakeShell, run

SEARXNG = "SearXNG at http://127.0.0.1:25017"
UNNAMED = RequestSent(Sending.QUERY, "its engines", Message.verbatim(SEARXNG), "skarn lamp")
NAMED = RequestSent(Sending.QUERY, "owl, wren", Message.verbatim(SEARXNG), "skarn lamp")
PAGE = RequestSent(Sending.PAGE, "a.example", Message("this program"), "https://a.example/lamp")
MODEL = RequestSent(Sending.MODEL, "box.lan:11434", Message("this program"), "wren:8b")
ANSWER = ("Everything that Askance sent out of this machine in the last 7 days.",)


def write(fake_shell: FakeShell, *sendings: tuple[RequestSent, str, datetime]) -> None:
    """Write entries as a run would, each at a moment."""
    for sent, occasion, at in sendings:
        ledger = SqliteLedger(
            fake_shell.shell.folders.ledger, 9999, pytest.fail, clock=lambda at=at: at
        )
        ledger.add(sent, occasion)
        ledger.close()


def moments() -> Iterator[datetime]:
    """One second after the other, all of today."""
    start = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return (start + timedelta(milliseconds=1000 * i) for i in count())


def entry(sent: RequestSent, occasion: str = "When?", second: int = 0) -> LedgerEntry:
    at = datetime(2026, 3, 1, 12, 0, second, tzinfo=UTC)
    return LedgerEntry(at, occasion, sent.sending, sent.to, sent.through, sent.content)


def test_an_empty_ledger_says_so_and_makes_no_file(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "ledger") == 0
    assert run(fake_shell, "ledger", "--days", "1") == 0
    assert run(fake_shell, "ledger", "--json") == 0
    of_seven, of_one = fake_shell.printed.splitlines()
    assert " 7 days" in of_seven
    assert " day," in of_one
    assert not fake_shell.shell.folders.ledger.exists()


def test_entries_are_grouped_by_what_they_were_for(fake_shell: FakeShell) -> None:
    at = moments()
    first = next(at)
    write(
        fake_shell,
        (UNNAMED, "When was\nthe lamp lit?", first),
        (MODEL, "askance chat", next(at)),
        (NAMED, "When was\nthe lamp lit?", next(at)),
        (PAGE, "When was\nthe lamp lit?", next(at)),
    )
    assert run(fake_shell, "ledger") == 0
    today = f"{first:%Y-%m-%d}"
    assert fake_shell.printed.splitlines() == [
        *ANSWER,
        f"Kept for you alone in {fake_shell.shell.folders.ledger}.",
        "",
        f"{today}  When was the lamp lit?",
        f"  00:00:00  query  to owl, wren through {SEARXNG}: skarn lamp",
        "  00:00:03  page   to a.example through this program: https://a.example/lamp",
        "",
        f"{today}  askance chat",
        "  00:00:01  model  to box.lan:11434 through this program: wren:8b",
    ]
    assert fake_shell.errors == ""


def test_only_the_days_that_were_asked_for_are_shown(fake_shell: FakeShell) -> None:
    now = datetime.now(UTC)
    write(
        fake_shell, (PAGE, "old", now - timedelta(days=9)), (PAGE, "new", now - timedelta(hours=1))
    )
    assert run(fake_shell, "ledger") == 0
    assert "new" in fake_shell.printed
    assert "old" not in fake_shell.printed
    for days in ("10", "99999999999"):
        assert run(fake_shell, "ledger", "--days", days) == 0
    assert fake_shell.printed.count("  old\n") == 2


def test_json_shows_every_entry_as_it_was_written(fake_shell: FakeShell) -> None:
    at = datetime.now(UTC).replace(microsecond=5000)
    write(fake_shell, (UNNAMED, "q", at), (NAMED, "q", at))
    assert run(fake_shell, "ledger", "--json") == 0
    last, first = map(json.loads, fake_shell.printed.splitlines())
    assert first == {
        "at": at.isoformat(),
        "occasion": "q",
        "sending": "query",
        "to": "its engines",
        "through": SEARXNG,
        "content": "skarn lamp",
    }
    assert last == first | {"to": "owl, wren"}


def test_what_pages_and_people_wrote_does_not_steer_the_terminal(fake_shell: FakeShell) -> None:
    evil = RequestSent(
        Sending.PAGE, "a\x1b[2J.example", Message("\x07"), "https://a.example/\x1b]0;x\x07\n9"
    )
    write(fake_shell, (evil, "q\x1b[31m\r\nforged", datetime.now(UTC)))
    assert run(fake_shell, "ledger") == 0
    assert not set("\x1b\x07\r") & set(fake_shell.printed)
    assert "q[31m forged" in fake_shell.printed
    assert len(fake_shell.printed.splitlines()) == 5


@pytest.mark.parametrize(("columns", "widest"), [("40", 40), ("3", 30)])
def test_a_narrow_terminal_gets_lines_that_fit(
    fake_shell: FakeShell, columns: str, widest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(fake_shell, (NAMED, "When was the lamp first lit in the harbour?", datetime.now(UTC)))
    fake_shell.out.terminal = True
    monkeypatch.setenv("COLUMNS", columns)
    assert run(fake_shell, "ledger") == 0
    shown = fake_shell.printed.split("\n\n")[1].splitlines()
    assert len(shown) > 4
    assert max(map(len, shown)) <= widest
    assert shown[1].startswith(" " * 12)
    folded_back = " ".join(" ".join(shown).split())
    assert "skarn lamp" in folded_back
    assert "in the harbour?" in folded_back


def test_a_terminal_of_unknown_width_gets_whole_lines(
    fake_shell: FakeShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    write(fake_shell, (NAMED, "q", datetime.now(UTC)))
    fake_shell.out.terminal = True
    assert run(fake_shell, "ledger") == 0
    assert f"query  to owl, wren through {SEARXNG}: skarn lamp\n" in fake_shell.printed


def test_clearing_forgets_all_and_says_how_much(fake_shell: FakeShell) -> None:
    now = datetime.now(UTC)
    write(fake_shell, (PAGE, "q", now - timedelta(days=80)), (MODEL, "q", now))
    assert run(fake_shell, "ledger", "--clear") == 0
    assert run(fake_shell, "ledger", "--clear") == 0
    assert fake_shell.printed == "2 requests forgotten.\n0 requests forgotten.\n"
    assert run(fake_shell, "ledger", "--days", "100") == 0
    assert " 100 days" in fake_shell.printed.splitlines()[-1]


@pytest.mark.parametrize("beside", [("--days", "7"), ("--json",)])
def test_clearing_is_not_said_of_a_few_days(fake_shell: FakeShell, beside: tuple[str, ...]) -> None:
    write(fake_shell, (PAGE, "q", datetime.now(UTC)))
    assert run(fake_shell, "ledger", "--clear", *beside) == 2
    assert run(fake_shell, "ledger", "--clear") == 0
    assert fake_shell.printed == "1 request forgotten.\n"


def test_a_damaged_ledger_is_told(fake_shell: FakeShell) -> None:
    file = fake_shell.shell.folders.ledger
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    assert run(fake_shell, "ledger") == 0
    assert fake_shell.errors.startswith("The ledger was damaged (")
    assert " 7 days" in fake_shell.printed


def test_a_ledger_that_cannot_be_opened_is_wrong_usage(fake_shell: FakeShell) -> None:
    fake_shell.shell.folders.ledger.mkdir(parents=True)
    assert run(fake_shell, "ledger") == 2
    assert fake_shell.errors.startswith("askance: The ledger, ")


def test_a_query_and_the_engines_that_were_asked_are_one() -> None:
    assert folded([entry(UNNAMED), entry(PAGE), entry(NAMED, second=2)]) == [
        entry(NAMED),
        entry(PAGE),
    ]


@pytest.mark.parametrize(
    "other",
    [
        entry(NAMED, "What?"),
        entry(
            RequestSent(Sending.QUERY, "owl", Message("the search of this program"), "skarn lamp")
        ),
        entry(RequestSent(Sending.QUERY, "owl", Message.verbatim(SEARXNG), "another")),
        entry(RequestSent(Sending.PAGE, "owl", Message.verbatim(SEARXNG), "skarn lamp")),
    ],
)
def test_requests_that_differ_stay_apart(other: LedgerEntry) -> None:
    assert folded([entry(UNNAMED), other]) == [entry(UNNAMED), other]


def test_engines_are_named_for_the_latest_query_of_those_words() -> None:
    unanswered, asked, named = (
        entry(UNNAMED),
        entry(UNNAMED, second=5),
        entry(NAMED, second=6),
    )
    assert folded([unanswered, asked, named]) == [unanswered, entry(NAMED, second=5)]
    assert folded([named, unanswered]) == [named, unanswered]


def test_groups_stand_newest_first_and_each_from_its_start() -> None:
    one, two, three = entry(PAGE, "a", 1), entry(PAGE, "b", 2), entry(MODEL, "a", 3)
    day = f"{one.at.astimezone():%Y-%m-%d}"
    assert list(grouped([one, two, three]).items()) == [
        ((day, "a"), [one, three]),
        ((day, "b"), [two]),
    ]
