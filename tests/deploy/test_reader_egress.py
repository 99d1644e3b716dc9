"""The rules of the reader's namespace, and the gate that waits for them."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from deploy.reader import egress, gate
from deploy.reader.egress import Proxy, Surroundings

from askance.adapters.reader import network as guard
from waiting import PATIENCE_S

SUBNET = IPv4Network("172.20.0.0/16")
DOCKER = Surroundings(connected=(SUBNET,), resolvers=(egress.INNER_RESOLVER,), service_port=25018)
PODMAN = Surroundings(
    connected=(IPv4Network("10.89.0.0/24"),),
    resolvers=(IPv4Address("10.89.0.1"),),
    service_port=25018,
)
PROXY = Proxy((IPv4Address("10.1.2.3"),), 3128, literal=True)
NAMED_PROXY = Proxy((IPv4Address("10.1.2.3"), IPv4Address("10.1.2.4")), 3128, literal=False)

linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="abstract sockets are Linux's own: run it on Linux"
)


def accepted(around: Surroundings) -> list[str]:
    """The rules that let something pass, but those that every set of rules has."""
    lines = [line.strip() for line in egress.ruleset(around).splitlines()]
    always = {
        "ct state established accept",
        'oifname "lo" ct state related accept',
        'oifname "lo" ip daddr 127.0.0.1 tcp dport 25018 accept',
    }
    found = [line for line in lines if line.endswith("accept")]
    assert always <= set(found)
    return [line for line in found if line not in always]


def test_the_rules_refuse_the_networks_that_the_readers_own_guard_refuses() -> None:
    guarded = {str(network) for network, _ in guard._REFUSED_V4}
    assert guarded == set(egress.REFUSED)
    assert f"elements = {{ {', '.join(egress.REFUSED)}, 172.20.0.0/16 }}" in egress.ruleset(DOCKER)


@pytest.mark.parametrize("around", [DOCKER, PODMAN])
def test_what_no_rule_allows_is_refused_at_once(around: Surroundings) -> None:
    rules = egress.ruleset(around)
    assert "policy drop;" in rules
    last = [line.strip() for line in rules.splitlines() if line.strip() not in {"}", ""}][-2:]
    assert last == ["meta l4proto tcp reject with tcp reset", "reject with icmpx admin-prohibited"]


def test_pages_are_read_from_public_addresses_on_the_ports_of_pages() -> None:
    assert "ip daddr != @refused tcp dport { 80, 443 } accept" in accepted(DOCKER)


def test_names_are_asked_of_dockers_resolver_and_its_questions_go_out() -> None:
    assert accepted(DOCKER)[:-1] == [
        'oifname "lo" ip daddr 127.0.0.11 accept',
        "meta nfproto ipv4 meta skuid != 10001 meta l4proto { tcp, udp } th dport 53 accept",
    ]


def test_names_are_asked_of_no_other_resolver_than_the_configured_one() -> None:
    assert accepted(PODMAN) == [
        "ip daddr 10.89.0.1 meta l4proto { tcp, udp } th dport 53 accept",
        "ip daddr != @refused tcp dport { 80, 443 } accept",
    ]


def test_with_a_proxy_nothing_else_is_reached() -> None:
    around = Surroundings(DOCKER.connected, DOCKER.resolvers, 25018, proxy=PROXY)
    assert accepted(around) == ["ip daddr 10.1.2.3 tcp dport 3128 accept"]


def test_a_proxy_with_a_name_needs_the_resolver() -> None:
    around = Surroundings(PODMAN.connected, PODMAN.resolvers, 25018, proxy=NAMED_PROXY)
    assert accepted(around) == [
        "ip daddr 10.89.0.1 meta l4proto { tcp, udp } th dport 53 accept",
        "ip daddr 10.1.2.3 tcp dport 3128 accept",
        "ip daddr 10.1.2.4 tcp dport 3128 accept",
    ]


@pytest.mark.skipif(
    sys.byteorder != "little",
    reason="the sample is of another byte order: run it on a little-endian machine",
)
def test_connected_networks_are_read_from_the_kernels_table() -> None:
    table = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010014AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000014AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth1\t0007D50B\t00000000\t0001\t0\t0\t0\tF8FFFFFF\t0\t0\t0
lo\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0
"""
    assert egress.connected_networks(table) == (SUBNET, IPv4Network("11.213.7.0/29"))


def test_resolvers_are_read_from_their_file() -> None:
    text = (
        "# a comment\nsearch lan\nnameserver 10.89.0.1\nnameserver fd00::1\nnameserver 127.0.0.11\n"
    )
    assert egress.resolvers(text) == (IPv4Address("10.89.0.1"), egress.INNER_RESOLVER)


def test_no_proxy_is_none() -> None:
    assert egress.find_proxy("") is None


@pytest.mark.parametrize(
    ("url", "port"), [("http://user:word@10.1.2.3:3128", 3128), ("http://10.1.2.3", 80),
                      ("https://10.1.2.3/", 443), ("socks5://10.1.2.3:9050", 9050),
                      ("socks5h://user:word@10.1.2.3", 1080)],
)  # fmt: skip
def test_a_proxy_is_found_from_its_address(url: str, port: int) -> None:
    assert egress.find_proxy(url) == Proxy((IPv4Address("10.1.2.3"),), port, literal=True)


def test_the_address_behind_a_proxys_name_is_looked_up() -> None:
    found = egress.find_proxy("http://localhost:3128")
    assert found == Proxy((IPv4Address("127.0.0.1"),), 3128, literal=False)


@pytest.mark.parametrize(
    "url", ["socks4://10.1.2.3:9050", "10.1.2.3:3128", "http://", "socks5://", "direct"]
)
def test_what_is_no_proxy_stops_everything(url: str) -> None:
    with pytest.raises(ValueError, match="not the address"):
        egress.find_proxy(url)


def test_the_gate_looks_for_the_mark_that_the_keeper_sets() -> None:
    assert gate.MARK == egress.MARK


@pytest.fixture
def mark() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stored:
        stored.bind(gate.MARK)
        yield stored


@pytest.fixture
def own_signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@linux_only
def test_a_namespace_is_closed_only_while_its_keeper_lives(mark: socket.socket) -> None:
    assert gate.is_closed()
    mark.close()
    assert not gate.is_closed()


@linux_only
@pytest.mark.usefixtures("own_signals")
def test_without_rules_nothing_is_started() -> None:
    with pytest.raises(SystemExit) as ended:
        gate.start(["true"], patience_s=0)
    assert "does not start" in str(ended.value)


@linux_only
@pytest.mark.usefixtures("mark")
def test_once_the_rules_stand_the_command_takes_over() -> None:
    command = [sys.executable, "-I", gate.__file__, "start", sys.executable, "-c", "print('up')"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)  # noqa: S603 - this very Python
    assert done.stdout == "up\n"


@linux_only
@pytest.mark.usefixtures("mark")
@pytest.mark.parametrize(
    ("reply", "complaint"),
    [("HTTP/1.1 200 OK", ""), ("HTTP/1.1 503 Service Unavailable", "is not well"),
     ("", "is not well")],
)  # fmt: skip
def test_the_health_check_believes_only_a_200(reply: str, complaint: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        port = server.getsockname()[1]
        command = [sys.executable, "-I", gate.__file__, "health", str(port)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as check:  # noqa: S603 - this very Python
            connection, _ = server.accept()
            with connection:
                assert connection.recv(1000).startswith(b"GET /healthz HTTP/1.0\r\n")
                connection.sendall(f"{reply}\r\n\r\n".encode() if reply else b"")
            _, text = check.communicate(timeout=PATIENCE_S)
    assert complaint in text
    assert (check.returncode == 0) is (complaint == "")


@linux_only
@pytest.mark.usefixtures("mark")
def test_the_health_check_fails_where_nothing_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = str(unused.getsockname()[1])
        command = [sys.executable, "-I", gate.__file__, "health", port]
        done = subprocess.run(  # noqa: S603 - this very Python
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    assert done.returncode == 1
    assert "does not answer" in done.stderr


def test_both_scripts_run_on_the_images_python_alone() -> None:
    for script in (egress, gate):
        text = Path(str(script.__file__)).read_text(encoding="utf-8")
        assert "import askance" not in text
        assert "from askance" not in text
