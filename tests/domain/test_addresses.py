"""Addresses are shown without the user name and the password that may stand in them."""

from __future__ import annotations

import pytest

from askance.domain.addresses import bare_address, path_of, secrets_in, with_bare_addresses
from askance.domain.errors import ServiceDown
from askance.domain.events import Failed
from askance.domain.messages import Message


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://ada:geheim7@127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
        ("https://key@host.example", "https://host.example"),
        ("socks5://a:b@c:p@ss@host:1080", "socks5://host:1080"),
        ("ada:geheim7@host:80", "host:80"),
        ("http://host.example/@ada?q=a@b", "http://host.example/@ada?q=a@b"),
        ("http://host.example", "http://host.example"),
        ("", ""),
    ],
)
def test_an_address_is_shown_bare(address: str, shown: str) -> None:
    assert bare_address(address) == shown
    assert bare_address(shown) == shown


def test_in_a_text_every_address_is_shown_bare() -> None:
    text = (
        "No http://a:b@one.example/x, https://c@two.example; mail d@e.example, http://f.example/@g"
    )
    value = "No http://one.example/x, https://two.example; mail d@e.example, http://f.example/@g"
    assert with_bare_addresses(text) == value
    assert with_bare_addresses(value) == value


def test_neither_a_message_nor_an_error_tells_a_password() -> None:
    address = "http://ada:geheim7@host.example"
    message = Message("Nothing answers at {address}.", address=address)
    assert message == "Nothing answers at http://host.example."
    assert "geheim7" not in str(message.values)
    error = ServiceDown("SearXNG", address, Message("{said}", said=ValueError(address)))
    assert "geheim7" not in f"{error} {error.address} {Failed.of(error)}"


def test_the_secrets_of_an_address_are_known_in_both_spellings() -> None:
    assert secrets_in("http://ada:pass%40word@host") == {"pass%40word", "pass@word"}
    assert secrets_in("http://ada@host") == set()


@pytest.mark.parametrize(
    ("url", "platform", "path"),
    [
        ("file:///srv/%C3%BC.md", "linux", "/srv/ü.md"),
        ("file:///srv/a.csv#L3", "darwin", "/srv/a.csv"),
        ("file:///D:/Notes/a%20b.md", "win32", "D:\\Notes\\a b.md"),
        ("file://server/share/x.md", "win32", ""),
        ("https://a.example/srv/x.md", "linux", ""),
        ("file:///a%00b", "linux", ""),
    ],
)
def test_an_address_of_a_file_is_a_path_of_its_system(url: str, platform: str, path: str) -> None:
    assert path_of(url, platform) == path
