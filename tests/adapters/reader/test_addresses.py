"""The guard, row by row: spellings of hosts, networks, schemes, ports, names."""

from __future__ import annotations

import json
from ipaddress import ip_address
from pathlib import Path

import pytest

from askance.adapters.reader.addresses import (
    RefusedAddress,
    judge_redirect,
    judge_url,
    literal_address,
)
from askance.adapters.reader.network import JudgingBackend
from askance.adapters.reader.networks import refusal_of
from servers.dialling import RecordingDial
from servers.site import PUBLIC, ScriptedResolver

BOX = Path(__file__).parents[4] / "shared/box/data/ssrf_urls.jsonl"

REFUSED_URLS = (Path(__file__).parent / "refused_urls.txt").read_text("utf-8").splitlines()

ALLOWED_URLS = {
    "http://example.com": "http://example.com/",
    "HTTPS://EXAMPLE.com./a?b#c": "https://example.com/a?b",
    "http://example.com:80/": "http://example.com/",
    "http://example.com:443/": "http://example.com:443/",
    "https://example.com:443/x": "https://example.com/x",
    " http://example.com/a b ": "http://example.com/a b",
    "https://en.wikipedia.org/wiki/127.0.0.1": "https://en.wikipedia.org/wiki/127.0.0.1",
    "http://example.com/?u=http://user@127.0.0.1\\": "http://example.com/?u=http://user@127.0.0.1\\",
    "https://bücher.example/": "https://xn--bcher-kva.example/",
    "https://EXAMPLE。com/": "https://example.com/",
    "http://a_b.example.com/": "http://a_b.example.com/",
    "http://127.0.0.1.example.com/": "http://127.0.0.1.example.com/",
    "http://localhost.example.com/": "http://localhost.example.com/",
    "http://1.1.1.1/": "http://1.1.1.1/",
    "http://16843009/": "http://1.1.1.1/",
    "http://0x01.0x010101/": "http://1.1.1.1/",
    "http://172.15.255.255/": "http://172.15.255.255/",
    "http://172.32.0.0/": "http://172.32.0.0/",
    "http://100.63.255.255/": "http://100.63.255.255/",
    "http://100.128.0.0/": "http://100.128.0.0/",
    "http://192.169.0.1/": "http://192.169.0.1/",
    "http://223.255.255.255/": "http://223.255.255.255/",
    "http://[2606:4700::1111]/": "http://[2606:4700::1111]/",
    "http://[2606:4700:0:0::1111]:443/x": "http://[2606:4700::1111]:443/x",
    "http://[64:ff9b::8.8.8.8]/": "http://[64:ff9b::808:808]/",
    "http://[::ffff:8.8.8.8]/": "http://[::ffff:808:808]/",
}


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_an_address_that_leads_inside_is_refused(url: str):
    with pytest.raises(RefusedAddress):
        judge_url(url)


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


@pytest.mark.parametrize(("url", "spelling"), ALLOWED_URLS.items())
def test_a_public_address_gets_its_one_spelling(url: str, spelling: str):
    assert judge_url(url).url == spelling


def test_a_port_is_open_where_the_user_opened_it():
    assert judge_url("http://example.com:8080/", extra_ports=(8080,)).port == 8080
    with pytest.raises(RefusedAddress, match="8081"):
        judge_url("http://example.com:8081/", extra_ports=(8080,))


@pytest.mark.parametrize(
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


def box_rows(expect: str) -> list[str]:
    if not BOX.exists():
        return []
    rows = [json.loads(line) for line in BOX.read_text("utf-8").splitlines()]
    return [row["url"] for row in rows if row["expect"] == expect]


INNER_NAMES = {
    "169.254.169.254.nip.io": [["169.254.169.254"]],
    "localtest.me": [["127.0.0.1"]],
}


async def connect(url: str, dial: RecordingDial) -> None:
    target = judge_url(url)
    names = {target.host: [[PUBLIC]], **INNER_NAMES}
    await JudgingBackend(ScriptedResolver(names), dial=dial).connect_tcp(target.host, target.port)


@pytest.mark.parametrize("url", box_rows("block"))
async def test_the_boxs_inner_addresses_are_refused_before_any_connection(url: str):
    dial = RecordingDial()
    with pytest.raises(RefusedAddress):
        await connect(url, dial)
    assert dial.dialled == []


@pytest.mark.parametrize("url", box_rows("allow"))
async def test_the_boxs_public_addresses_pass(url: str):
    dial = RecordingDial()
    await connect(url, dial)
    host = judge_url(url).host
    assert dial.dialled == [(host if literal_address(host) else PUBLIC, 443)]
