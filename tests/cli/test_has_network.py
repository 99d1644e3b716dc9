"""A way out of this machine is seen in the kernel's tables; nothing is sent for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.app.checks.installation_check import has_network
from askance.config.settings import SearchSettings

HEAD = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n"
ROUTE = "{}\t{}\t0101A8C0\t{}\t0\t0\t100\t00000000\n"
ZEROS = "0" * 32
NO_ROUTE_6 = f"{ZEROS} 00 {ZEROS} 00 {ZEROS} ffffffff 00000001 00000000 00200200       lo\n"
ROUTE_6 = f"{ZEROS} 00 {ZEROS} 00 fe80{'0' * 27}1 00000400 00000001 00000000 00000003     eth0\n"


def tables(folder: Path, four: str = "", six: str = NO_ROUTE_6) -> Path:
    (folder / "route").write_text(HEAD + four)
    (folder / "ipv6_route").write_text(six)
    return folder


@pytest.mark.parametrize(
    ("four", "six", "there"),
    [
        ("", NO_ROUTE_6, False),
        ("", "", False),
        (ROUTE.format("eth0", "00000000", "0003"), NO_ROUTE_6, True),
        (ROUTE.format("tun0", "00000000", "0001"), NO_ROUTE_6, True),
        (ROUTE.format("tun0", "00000080", "0003"), NO_ROUTE_6, True),
        (ROUTE.format("docker0", "000011AC", "0001"), NO_ROUTE_6, False),
        (ROUTE.format("eth0", "00000000", "0002"), NO_ROUTE_6, False),
        ("", ROUTE_6, True),
    ],
)
def test_a_default_route_or_a_gateway_is_a_way_out(
    four: str, six: str, there: bool, tmp_path: Path
) -> None:
    assert has_network(SearchSettings(), tables(tmp_path, four, six)) is there


def test_where_the_system_does_not_tell_a_network_is_assumed(tmp_path: Path) -> None:
    assert has_network(SearchSettings(), tmp_path / "nowhere") is True
    (tmp_path / "route").write_text(HEAD)
    assert has_network(SearchSettings(), tmp_path) is False


@pytest.mark.parametrize(
    ("proxy", "there"), [("http://proxy.example:3128", True), ("socks5h://127.0.0.1:9050", False)]
)
def test_a_proxy_elsewhere_needs_no_route(proxy: str, there: bool, tmp_path: Path) -> None:
    assert has_network(SearchSettings(proxy=proxy), tables(tmp_path)) is there
