"""Lines about other programs: moments in plain words, outcomes, addresses, and who may carry text out."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest

from askance.config.settings import ServerSettings
from askance.domain.ports.storage import Capability, Client, ClientRecord
from askance.ui.settings.programs import (
    configuration,
    http_address,
    may_carry_out,
    seen_text,
)

NOW = datetime(2026, 5, 14, 10, 40).astimezone()
NO_CALLS = ClientRecord(Client("x"), False, NOW.isoformat(), NOW.isoformat(), 0)


def test_a_program_that_never_asked_was_not_seen_asking() -> None:
    with_token = replace(NO_CALLS, has_token=True)
    assert seen_text(with_token, NOW) == "over HTTP · has not asked yet"
    assert seen_text(NO_CALLS, NOW) == "connected today at 10:40"


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
