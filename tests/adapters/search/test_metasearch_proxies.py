"""A search without SearXNG goes through its proxy, and nowhere beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adapters.search.searching import A, searching
from askance.adapters.search.metasearch import InProcessSearch
from askance.config.settings import SearchSettings
from askance.domain.errors import ServiceDown
from askance.domain.events import RequestSent
from fakes.outbound import ignore
from servers.engines import Engines, engine_web
from servers.faults import address_of_nobody
from servers.socks import socks5


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The engines' certificates are trusted as a company's would be."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
async def test_a_socks_proxy_gets_names_and_not_addresses(tmp_path: Path, scheme: str) -> None:
    async with searching(
        tmp_path, {"mojeek": [A]}, greet=socks5, scheme=scheme, engines="mojeek"
    ) as (search, web):
        page = await search.search("cats", wanted=20, sent=ignore)
    assert [r.url for r in page.results] == [A[0]]
    assert web.tunnels.asked == ["www.mojeek.com:443"]


async def test_a_password_of_the_proxy_is_told_to_nobody(tmp_path: Path) -> None:
    noted: list[RequestSent] = []
    async with searching(tmp_path, {"mojeek": [A]}, engines="mojeek", login="cat:secret@") as (
        search,
        _,
    ):
        page = await search.search("cats", wanted=20, sent=noted.append)
    assert page.results
    assert noted[0].through.startswith("the proxy http://127.0.0.1:")
    assert "secret" not in repr(noted) + repr(page)


@pytest.mark.parametrize("scheme", ["http", "socks5h"])
async def test_a_proxy_that_is_gone_is_not_gone_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    async with engine_web(Engines({"mojeek": [A]}), tmp_path) as other:
        # One in the environment would lead to the engines; the settings' own does not.
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{other.tunnels.port}")
        monkeypatch.setenv("NO_PROXY", "*")
        proxy = address_of_nobody().replace("http", scheme)
        search = InProcessSearch(SearchSettings(proxy=proxy))
        with pytest.raises(ServiceDown) as caught:
            await search.search("cats", wanted=20, sent=ignore)
        assert other.tunnels.asked == []
    assert f" {proxy} (" in caught.value.problem
    assert "Connection refused" in caught.value.problem
    assert "search.proxy" in caught.value.fix
    assert "cats" not in str(caught.value)


async def test_a_proxy_in_the_environment_is_not_taken_for_the_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "DDGS_PROXY"):
        monkeypatch.setenv(name, address_of_nobody())
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nenv > {tmp_path}/seen\n", encoding="utf-8")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(ServiceDown):
        await InProcessSearch(SearchSettings()).search("cats", wanted=20, sent=ignore)
    seen = (tmp_path / "seen").read_text(encoding="utf-8")
    assert "SSL_CERT_FILE=" in seen
    assert "proxy=" not in seen.lower()


async def test_certificates_of_nobody_s_authority_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    async with searching(tmp_path, {"mojeek": [A]}) as (search, web):
        with pytest.raises(ServiceDown) as caught:
            await search.search("cats", wanted=20, sent=ignore)
        assert web.servers.requests == []
    assert "certificate" in caught.value.problem
