"""Lines about other programs: moments in plain words, outcomes, addresses, and who may carry text out."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from askance.config.settings import ServerSettings
from askance.domain.ports.storage import Capability, Client, ClientCall, ClientRecord
from askance.ui.settings.programs import (
    call_text,
    configuration,
    http_address,
    may_carry_out,
    seen_text,
    went_wrong,
)

NOW = datetime(2026, 5, 14, 10, 40).astimezone()
NO_CALLS = ClientRecord(Client("x"), False, NOW.isoformat(), NOW.isoformat(), 0)


def test_a_program_that_never_asked_was_not_seen_asking() -> None:
    assert seen_text(NO_CALLS, NOW, over_http=True) == "over HTTP · has not asked yet"
    assert seen_text(NO_CALLS, NOW, over_http=False) == "connected today at 10:40"


@pytest.mark.parametrize(
    ("outcome", "is_bad"),
    [("ok", False), ("cancelled", False), ("failed", True), ("refused", True), ("newer", True)],
)
def test_a_call_that_got_nothing_went_wrong(outcome: str, is_bad: bool) -> None:
    call = ClientCall("x", "search", NOW.isoformat(), outcome, 1234)
    assert went_wrong(call) is is_bad
    assert call_text(call, NOW).endswith(" · 1.2 s")


def test_an_outcome_of_a_newer_version_is_shown_as_it_is() -> None:
    call = ClientCall("x", "search", NOW.isoformat(), "postponed", 5)
    assert call_text(call, NOW) == "today at 10:40 · postponed · 5 ms"


@pytest.mark.parametrize(
    ("allowed", "may"),
    [
        ({Capability.WEB, Capability.LIBRARY_READ}, True),
        ({Capability.READ, Capability.LIBRARY_READ}, True),
        ({Capability.LIBRARY_READ, Capability.LIBRARY_WRITE}, False),
        ({Capability.WEB, Capability.READ, Capability.LIBRARY_WRITE}, False),
    ],
)
def test_who_reads_the_library_and_reaches_out_may_carry_text_out(
    allowed: set[Capability], may: bool
) -> None:
    assert may_carry_out(Client("x", frozenset(allowed))) is may


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:25019"),
        ("0.0.0.0", "http://127.0.0.1:25019"),  # noqa: S104 - nothing is bound here
        ("::", "http://[::1]:25019"),
        ("askance.lan", "http://askance.lan:25019"),
    ],
)
def test_the_address_is_one_that_can_be_asked(host: str, address: str) -> None:
    assert http_address(ServerSettings(host=host)) == address


def test_the_configuration_starts_the_bridge() -> None:
    entry = {"command": "/opt/ä b/python", "args": ["-m", "askance", "mcp"]}
    written = configuration(["/opt/ä b/python", "-m", "askance"])
    assert json.loads(written) == {"mcpServers": {"askance": entry}}
