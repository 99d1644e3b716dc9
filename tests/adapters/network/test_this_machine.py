"""Which addresses are those of this machine."""

from __future__ import annotations

import socket

import pytest

from askance.adapters.containers.engine import is_local
from askance.adapters.network import own_services
from askance.adapters.network.own_services import distant_host_of, is_this_machine


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "ollama.localhost",
        "127.0.0.1",
        "127.8.9.1",
        "::1",
        "0.0.0.0",  # noqa: S104 - nothing listens here
        "::",
        "::ffff:127.0.0.1",
        socket.gethostname(),
        f"{socket.gethostname().upper()}.local",
    ],
)
def test_loopback_the_unspecified_address_and_own_names_are_here(host: str) -> None:
    assert is_this_machine(host)


@pytest.mark.parametrize(
    "host",
    ["", "attic.example", "192.0.2.7", "2001:db8::7", "8.8.8.8", "1.2.3", "a\x00b", "é" * 99],
)
def test_any_other_is_elsewhere(host: str) -> None:
    assert not is_this_machine(host)


def test_an_address_of_an_interface_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system alone knows them, and gives a socket no other."""

    class OwnSocket:
        def __init__(self, *_: object) -> None:
            pass

        def __enter__(self) -> OwnSocket:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def bind(self, address: tuple[str, int]) -> None:
            if address[0] != "192.0.2.7":
                raise OSError

    monkeypatch.setattr(own_services.socket, "socket", OwnSocket)
    assert is_this_machine("192.0.2.7")
    assert not is_this_machine("192.0.2.8")


@pytest.mark.parametrize(
    ("url", "elsewhere"),
    [
        ("http://0.0.0.0:11434", ""),
        ("http://[::]:11434", ""),
        ("http://me:secret@attic.example:11434", "attic.example:11434"),
    ],
)
def test_the_host_of_an_address_is_named_only_where_it_is_another(url: str, elsewhere: str) -> None:
    assert distant_host_of(url) == elsewhere


def test_an_engine_on_the_unspecified_address_is_local() -> None:
    assert is_local("tcp://0.0.0.0:2375")
    assert not is_local("tcp://192.0.2.7:2375")
