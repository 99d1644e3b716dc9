"""A proxy of the environment is named, and taken over only by whoever says so."""

from __future__ import annotations

import pytest

from askance.app.checks.parts import check_proxies
from askance.config.settings import Settings
from askance.config.sources import environment_proxy, unused_proxy
from askance.domain.messages import FixKind, Message, Remedy, fix_of

PROXY = "http://127.0.0.1:21480"


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, ("", "")),
        ({"HTTPS_PROXY": PROXY, "HTTP_PROXY": "http://a.example:1"}, ("HTTPS_PROXY", PROXY)),
        ({"https_proxy": "10.0.0.1:3128"}, ("https_proxy", "http://10.0.0.1:3128")),
        ({"ALL_PROXY": "socks5h://127.0.0.1:9050/"}, ("ALL_PROXY", "socks5h://127.0.0.1:9050")),
        ({"HTTPS_PROXY": "", "http_proxy": PROXY}, ("http_proxy", PROXY)),
        ({"HTTPS_PROXY": "ftp://x", "ALL_PROXY": PROXY}, ("ALL_PROXY", PROXY)),
        ({"NO_PROXY": "*"}, ("", "")),
    ],
)
def test_the_environment_may_name_a_proxy(
    environment: dict[str, str], found: tuple[str, str]
) -> None:
    assert environment_proxy(environment) == found


@pytest.mark.parametrize(
    "values",
    [{"search": {"proxy": PROXY}}, {"reader": {"proxy": PROXY}}, {"reader": {"proxy": "direct"}}],
)
def test_whoever_has_chosen_a_way_is_not_told_of_another(values: dict[str, object]) -> None:
    settings = Settings.model_validate(values)
    assert unused_proxy(settings, {"HTTPS_PROXY": PROXY}) == ("", "")


async def test_it_is_said_that_it_is_not_used_and_what_uses_it() -> None:
    finding = await check_proxies(Settings(), {"HTTPS_PROXY": PROXY})
    assert not finding.ok
    assert "not used" in finding.message
    assert f"askance config set search.proxy {PROXY}" in finding.fix
    secret = await check_proxies(Settings(), {"HTTPS_PROXY": "http://me:hush@proxy.example:1"})
    assert "hush" not in secret.message + secret.fix
    assert (await check_proxies(Settings(), {})).ok


def test_a_click_takes_it_over() -> None:
    fix = Remedy("Do it.", command="askance config set search.proxy", setting="search.proxy")
    assert fix_of(fix) is FixKind.USE_PROXY
    assert fix_of(Message("Do it.")) is None
