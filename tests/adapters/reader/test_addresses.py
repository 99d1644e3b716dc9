"""The guard, row by row: spellings of hosts, networks, schemes, ports, names."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from askance.adapters.reader.network import (
    JudgingBackend,
    PageTarget,
    RefusedAddress,
    judge_redirect,
    judge_url,
    literal_address,
    refusal_of,
)
from sampled import each_row
from servers.dialling import RecordingDial
from servers.site import ScriptedResolver
from servers.ssrf_rows import Row, ssrf_rows

REFUSED, ALLOWED = ssrf_rows(is_refused=True), ssrf_rows(is_refused=False)


async def connect(row: Row, dial: RecordingDial) -> PageTarget:
    target = judge_url(row.url)
    resolver = ScriptedResolver({target.host: [list(row.answers)]})
    await JudgingBackend(resolver, dial=dial).connect_tcp(target.host, target.port)
    return target


def test_there_are_rows_enough_and_each_tells_why() -> None:
    assert (len(REFUSED) > 400, len(ALLOWED) > 60) == (True, True)
    assert all(row.reason for row in (*REFUSED, *ALLOWED))


@each_row("row", REFUSED)
async def test_an_address_that_leads_inside_is_refused_before_any_connection(row: Row):
    dial = RecordingDial()
    with pytest.raises(RefusedAddress):
        await connect(row, dial)
    assert dial.dialled == []


@each_row("row", ALLOWED)
async def test_a_public_address_passes_in_its_one_spelling(row: Row):
    dial = RecordingDial()
    target = await connect(row, dial)
    assert row.spelling in ("", target.url)
    first = target.host if literal_address(target.host) else row.answers[0]
    assert [(ip_address(host), port) for host, port in dial.dialled] == [
        (ip_address(first), target.port)
    ]


@each_row("row", [row for row in ALLOWED if row.spelling])
def test_the_one_spelling_stays_as_it_is(row: Row):
    assert judge_url(row.spelling).url == row.spelling


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/\r\nX: y",
        "http://exa\tmple.com/",
        "http://a.example/\x00",
        "http://a.example/" + "x" * 9000,
    ],
)
def test_an_address_with_control_characters_or_without_an_end_is_refused(url: str):
    with pytest.raises(RefusedAddress, match="malformed"):
        judge_url(url)


@each_row(
    ("address", "refused"),
    [
        ("9.255.255.255", False), ("10.0.0.0", True), ("10.255.255.255", True), ("11.0.0.0", False),
        ("126.255.255.255", False), ("127.0.0.0", True), ("128.0.0.0", False),
        ("169.253.255.255", False), ("169.254.0.0", True), ("169.255.0.0", False),
        ("192.0.0.8", True), ("192.0.1.0", False), ("198.17.255.255", False), ("198.20.0.0", False),
        ("198.19.255.255", True), ("2001:200::1", False), ("2001:1ff::1", True),
        ("2003::1", False), ("1fff::1", True), ("2a00::1", False), ("64:ff9b::c0a8:101", True),
        ("64:ff9b::5db8:d70e", False), ("::ffff:169.254.169.254", True), ("::8.8.8.8", False),
    ],
)  # fmt: skip
def test_networks_begin_and_end_where_they_do(address: str, refused: bool):
    assert bool(refusal_of(ip_address(address))) is refused


@pytest.mark.parametrize(
    ("location", "spelling"),
    [
        ("/b", "https://example.com/b"),
        ("b?c", "https://example.com/a/b?c"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
        ("?page=2", "https://example.com/a/?page=2"),
    ],
)
def test_a_redirect_is_read_from_where_it_stands(location: str, spelling: str):
    assert judge_redirect("https://example.com/a/", location).url == spelling


@pytest.mark.parametrize("location", ["http://127.0.0.1/", "//localhost/", "//[::1]/", "file:///etc/passwd",
                                      "http://a\r\nb/", "http://[", "https://example.com:22/", "\\\\127.0.0.1\\x"])  # fmt: skip
def test_a_redirect_that_leads_inside_is_refused(location: str):
    with pytest.raises(RefusedAddress):
        judge_redirect("https://example.com/a/", location)
