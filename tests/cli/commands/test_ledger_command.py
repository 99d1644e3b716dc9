"""`askance ledger` over real files."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from askance.adapters.storage.ledger import SqliteLedger
from askance.adapters.storage.page_cache import PageCache
from askance.cli.commands import storage
from askance.cli.commands.storage import folded, grouped, written
from askance.config.diagnostics import LogEntry
from askance.config.settings import field_names
from askance.domain.events import LedgerEntry, RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.web_pages import Page, PageStatus
from cli.fake_shell import FakeShell, run
from waiting import PATIENCE_S

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


FILES = {
    "ledger": ("ledger", " 7 days"),
    "cache": ("page_cache", "0 pages kept, 0.0 of 200 MiB.\n"),
}


@pytest.mark.parametrize(("command", "name", "shown"), [(k, *v) for k, v in FILES.items()])
def test_a_damaged_file_is_told(fake_shell: FakeShell, command: str, name: str, shown: str) -> None:
    file: Path = getattr(fake_shell.shell.folders, name)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    assert run(fake_shell, command) == 0
    assert " was damaged (" in fake_shell.errors
    assert str(file.parent) in fake_shell.errors
    assert shown in fake_shell.printed


@pytest.mark.parametrize(("command", "name"), [(k, v[0]) for k, v in FILES.items()])
def test_a_file_that_cannot_be_opened_is_wrong_usage(
    fake_shell: FakeShell, command: str, name: str
) -> None:
    file: Path = getattr(fake_shell.shell.folders, name)
    file.mkdir(parents=True)
    assert run(fake_shell, command, "--clear") == 2
    assert str(file) in fake_shell.errors


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


# `askance cache` over real files.


def keep(fake_shell: FakeShell, pages: int) -> None:
    """Keep pages of a quarter of a MiB."""
    cache = PageCache(fake_shell.shell.folders.page_cache, 50, pytest.fail)
    for i in range(pages):
        text = random.Random(i).randbytes(262_144).hex()  # noqa: S311 - no secret
        url = f"https://a.example/{i}"
        cache.store(Page(url, PageStatus.OK, final_url=url, markdown=text))
    cache.close()


def test_it_shows_how_much_is_kept_where_and_for_how_long(fake_shell: FakeShell) -> None:
    keep(fake_shell, 4)
    assert run(fake_shell, "cache") == 0
    counted, file, use = fake_shell.printed.splitlines()
    assert counted.startswith("4 pages kept, 1.")
    assert counted.endswith(" of 200 MiB.")
    assert file == f"File: {fake_shell.shell.folders.page_cache}"
    assert "an hour" in use


def test_an_empty_cache_is_shown_and_not_made(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "cache") == 0
    assert fake_shell.printed.startswith("0 pages kept, 0.0 of 200 MiB.\n")
    assert run(fake_shell, "cache", "--clear") == 0
    assert fake_shell.printed.endswith("0 pages forgotten.\n")
    assert not fake_shell.shell.folders.page_cache.exists()


def test_a_cache_that_is_switched_off_says_so(fake_shell: FakeShell) -> None:
    fake_shell.environment["ASKANCE_CACHE__SIZE_MB"] = "0"
    assert run(fake_shell, "cache") == 0
    assert "(cache.size_mb)" in fake_shell.printed


def test_clearing_forgets_all_pages_and_says_how_many(fake_shell: FakeShell) -> None:
    keep(fake_shell, 3)
    file = fake_shell.shell.folders.page_cache
    before = file.stat().st_size
    assert run(fake_shell, "cache", "--clear") == 0
    assert fake_shell.printed == "3 pages forgotten.\n"
    assert file.stat().st_size < before / 10
    assert run(fake_shell, "cache") == 0
    assert "\n0 pages kept, 0.0 of 200 MiB.\n" in fake_shell.printed


# `askance logs app`, what commands write into that log, and what they say when they crash.

CRASHING = """
from askance.cli.commands import asking, storage
from askance.cli.command_tree import main
def crash(*_, **__):
    raise LookupError("secret" + " words")
asking.ask = storage.settings_path = crash
main()
"""


def askance(
    *arguments: str, home: Path, python: tuple[str, ...] = ("-m", "askance")
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - this Python
        [sys.executable, *python, *arguments],
        env={**os.environ, "ASKANCE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_command_is_logged_by_its_name_alone(fake_shell: FakeShell, tmp_path: Path) -> None:
    askance("config", "set", "search.url", "http://127.0.0.1:7777", home=tmp_path)
    assert run(fake_shell, "logs", "app") == 0
    begun, ended = fake_shell.printed.splitlines()
    assert "Started. program=config set version=" in begun
    assert "Ended. program=config set" in ended
    assert "7777" not in (tmp_path / "data" / "logs" / "askance.log").read_text("utf-8")
    (last,) = askance("logs", "app", "--lines", "1", home=tmp_path).stdout.splitlines()
    assert last == ended


def test_without_a_log_its_place_is_told(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "logs", "app") == 0
    assert str(fake_shell.shell.folders.data) in fake_shell.printed


def test_what_stands_in_the_log_is_made_harmless() -> None:
    entry = LogEntry("\x1b[2Jt", "INFO", "askance.x", "a\x1b[31m\nb", {"k": "\x07v", "pid": 1})
    assert storage.log_as_text(entry) == "[2Jt  INFO x: a[31m b k=v"


@pytest.mark.parametrize("command", [["config", "path"], ["ask", "Who?", "--verbose"]])
def test_a_crash_is_one_line_that_names_the_report(tmp_path: Path, command: list[str]) -> None:
    crashed = askance(*command, home=tmp_path, python=("-c", CRASHING))
    assert crashed.returncode == 1
    *traced, line = crashed.stderr.splitlines()
    assert bool(traced) is ("--verbose" in command)
    (report,) = (tmp_path / "data" / "crashes").glob("*.txt")
    assert line == (
        "askance: Askance crashed: LookupError in crash, line 5. "
        f"The report is {report}; nothing was sent."
    )
    text = report.read_text("utf-8")
    assert f"Started. program={' '.join(command[:2]).removesuffix(' Who?')} " in text
    assert "Ended by an unhandled error: LookupError in crash" in text
    assert "secret words" not in text


def test_an_unwritable_home_stops_no_command(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    shown = askance("config", "path", home=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")


# `askance config`.


def test_the_path_is_that_of_the_home(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "path") == 0
    assert fake_shell.printed == f"{fake_shell.home}/config/settings.toml\n"


def test_a_value_that_was_set_is_in_force_and_shown_with_its_origin(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "set", "limits.rounds", "7") == 0
    assert run(fake_shell, "config", "show") == 0
    file = f"{fake_shell.home}/config/settings.toml"
    assert f"limits.rounds = 7  ({file})\n" in fake_shell.printed
    assert "llm.load_timeout_s = 600.0\n" in fake_shell.printed
    assert len(fake_shell.printed.splitlines()) == 1 + len(field_names())


@pytest.mark.parametrize("value", ["-1", "0", "45m"])
def test_a_value_that_begins_with_a_dash_is_a_value(fake_shell: FakeShell, value: str) -> None:
    assert run(fake_shell, "config", "set", "llm.keep_alive", value) == 0
    assert run(fake_shell, "config", "show", "llm.keep_alive") == 0
    assert f"llm.keep_alive = {value}\n" in fake_shell.printed


def test_a_misspelt_option_is_no_value(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "set", "--quick", "llm.keep_alive", "5m") == 2


def test_one_setting_is_shown_with_all_that_is_known_of_it(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "show", "llm.idle_timeout_s") == 0
    assert fake_shell.printed == (
        "llm.idle_timeout_s = 60.0\n"
        "  Seconds of silence after which a reply that has begun is given up.\n"
        "  Allowed: a number above 0 and at most 3600. Default: 60.0.\n"
        "  From: default.\n"
    )


def test_an_environment_variable_that_hides_the_file_is_told(fake_shell: FakeShell) -> None:
    fake_shell.environment["ASKANCE_LIMITS__ROUNDS"] = "3"
    assert run(fake_shell, "config", "set", "limits.rounds", "7") == 0
    assert "ASKANCE_LIMITS__ROUNDS" in fake_shell.printed


def test_a_section_is_shown_with_its_settings_a_line_each(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "show", "reader") == 0
    shown = [line.partition(" = ")[0] for line in fake_shell.printed.splitlines()]
    assert shown == [name for name in field_names() if name.startswith("reader.")]


def test_what_the_compose_file_tells_to_look_at_can_be_looked_at(fake_shell: FakeShell) -> None:
    text = (Path(__file__).parents[3] / "docker-compose.yml").read_text("utf-8")
    named = re.findall(r"`askance (config show [\w.]+)`", text)
    assert named
    for command in named:
        assert run(fake_shell, *command.split()) == 0, fake_shell.errors


def test_ollamas_own_variable_is_shown_as_where_the_address_comes_from(
    fake_shell: FakeShell,
) -> None:
    fake_shell.environment["OLLAMA_HOST"] = "127.0.0.1:11500"
    assert run(fake_shell, "config", "show", "llm") == 0
    assert "llm.url = http://127.0.0.1:11500  (OLLAMA_HOST)\n" in fake_shell.printed
    assert run(fake_shell, "config", "set", "llm.url", "http://127.0.0.1:1") == 0
    assert "OLLAMA_HOST is set" not in fake_shell.printed


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("set", "limits.rounds", "99"), "limits.rounds"),
        (("set", "limits.round", "9"), "Did you mean limits.rounds?"),
        (("show", "nothing.at_all"), "There is no setting"),
    ],
)
def test_a_wrong_name_or_value_is_wrong_usage(
    fake_shell: FakeShell, arguments: tuple[str, ...], named: str
) -> None:
    assert run(fake_shell, "config", *arguments) == 2
    assert named in fake_shell.errors
    assert not (fake_shell.home / "config").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "limits.rounds",
            "99",
            "limits.rounds = '99' is not allowed: it must be a whole number from 1 to 10.",
        ),
        ("limits.round", "9", "There is no setting 'limits.round'."),
    ],
)
def test_a_refusal_begins_with_the_setting_and_says_what_is_allowed(
    fake_shell: FakeShell, name: str, text: str, said: str
) -> None:
    assert run(fake_shell, "config", "set", name, text) == 2
    assert fake_shell.errors.startswith(f"askance: {said}")


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), ("", '""'), ((1, 2), "1,2"), ((), '""'), (1.5, "1.5")]
)
def test_values_are_written_as_they_are_set(value: object, text: str) -> None:
    assert written(value) == text
