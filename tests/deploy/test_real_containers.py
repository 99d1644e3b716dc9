"""The containers as they really run: what they may, and what they cannot, whatever runs in them."""

from __future__ import annotations

import json

import httpx
import pytest

from askance.adapters.reader.reader_protocol import PROTOCOL
from deploy.containers import CallFailed, call, gateway_of, missing_engine
from deploy.real_services import PROBE, READER, REFUSED, Setting, status_of
from waiting import PATIENCE_S

# Answers every question about a name with one address.
NAME_SERVER = """
import socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try:
    server.bind((sys.argv[1], 53))
except OSError as exc:
    sys.exit(f"taken: {exc}")
print("ready", flush=True)
while True:
    question, sender = server.recvfrom(512)
    end = question.index(0, 12) + 5
    found = question[end - 4:end] == bytes([0, 1, 0, 1])
    head = question[:2] + bytes([0x81, 0x80, 0, 1, 0, found, 0, 0, 0, 0]) + question[12:end]
    answer = bytes([0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4]) + socket.inet_aton(sys.argv[2])
    server.sendto(head + answer * found, sender)
"""

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(why := missing_engine()), reason=why or "-"),
]


def test_the_reader_answers_on_its_published_port(setting: Setting) -> None:
    with httpx.Client(base_url=setting.reader_url, trust_env=False, timeout=PATIENCE_S) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/version").json()["protocol"] == PROTOCOL


async def test_the_reader_reads_a_page_from_outside_for_who_has_the_token(
    setting: Setting,
) -> None:
    page = {"url": f"http://{setting.outside}/"}
    async with httpx.AsyncClient(
        base_url=setting.reader_url, trust_env=False, timeout=30
    ) as client:
        assert (await client.post("/read", json=page)).status_code == 401
        reply = await client.post("/read", json=page, auth=READER)
    assert reply.status_code == 200
    assert "A page from outside the refused networks." in reply.text


def test_the_way_to_a_page_outside_is_open(setting: Setting) -> None:
    assert setting.probe(f"{setting.outside}:80") == ["open"]


def test_a_container_without_the_rules_reaches_the_host(setting: Setting) -> None:
    """Otherwise the refusals below would prove nothing."""
    image = f"localhost/askance-reader-net:{setting.project.name}"
    network = f"{setting.project.name}_pages"
    options = ("run", "--rm", "--interactive", "--network", network, "--entrypoint", "python3")
    place = f"{setting.gateway}:{setting.host_port}"
    assert call(*options, image, "-", place, given=PROBE).split() == ["open"]


def test_the_reader_cannot_reach_the_host(setting: Setting) -> None:
    other_side = gateway_of("bridge")
    port = setting.host_port
    places = [f"{setting.gateway}:{port}", f"{other_side}:{port}", f"{setting.gateway}:80"]
    assert setting.probe(*places) == [REFUSED] * 3


def test_the_reader_cannot_reach_other_containers(setting: Setting) -> None:
    assert setting.probe(f"{setting.neighbour}:80") == [REFUSED]


@pytest.mark.parametrize(
    "place",
    ["169.254.169.254:80", "10.0.0.1:80", "100.64.0.1:443", "192.168.0.1:80", "127.0.0.1:9",
     "127.0.0.53:53"],
)  # fmt: skip
def test_the_reader_cannot_reach_a_special_address(setting: Setting, place: str) -> None:
    # Nothing is sent to strangers by a set of rules that is broken as a whole.
    assert setting.probe(f"{setting.gateway}:{setting.host_port}") == [REFUSED]
    assert setting.probe(place) == [REFUSED]


def test_the_reader_has_no_way_out_over_ipv6(setting: Setting) -> None:
    assert "open" not in setting.probe("::1:25018", "2000::1:443")


def test_the_reader_cannot_use_another_port_of_a_page(setting: Setting) -> None:
    assert setting.probe(f"{setting.outside}:{setting.host_port}") == [REFUSED]


def test_the_reader_finds_names(setting: Setting) -> None:
    code = "import socket; print(socket.gethostbyname('reader-net'))"
    name = setting.project.container("reader")
    found = call("exec", name, "/opt/reader/bin/python", "-c", code).strip()
    assert found.count(".") == 3


@pytest.mark.parametrize(
    ("service", "user", "bounding"),
    [("reader", "10001", "0000000000000000"), ("reader-net", "0", "0000000000001000")],
)
def test_no_capability_is_left(setting: Setting, service: str, user: str, bounding: str) -> None:
    status = status_of(setting.project, service)
    assert status["Uid"].split() == [user] * 4
    assert {status[key] for key in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert status["CapBnd"] == bounding
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


def test_the_rules_cannot_be_undone_from_the_reader(setting: Setting) -> None:
    code = (
        "import socket\n"
        "try: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12).bind((0, 0))\n"
        "except OSError: pass\n"
        "try: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\n"
        "except PermissionError: print('no raw socket')\n"
    )
    name = setting.project.container("reader")
    assert call("exec", name, "/opt/reader/bin/python", "-c", code).strip() == "no raw socket"
    with pytest.raises(CallFailed):
        call("exec", name, "nft", "flush", "ruleset")


@pytest.mark.parametrize("service", ["reader", "reader-net"])
def test_nothing_can_be_written_but_to_memory(setting: Setting, service: str) -> None:
    name = setting.project.container(service)
    for folder in ("/", "/srv", "/opt", "/usr/local/bin", "/var/tmp"):  # noqa: S108
        with pytest.raises(CallFailed, match="Read-only file system"):
            call("exec", name, "touch", f"{folder}/x")
    call("exec", name, "cp", "/bin/true", "/tmp/true")  # noqa: S108
    with pytest.raises(CallFailed, match=r"[Pp]ermission denied"):
        call("exec", name, "/tmp/true")  # noqa: S108


@pytest.mark.parametrize(
    ("service", "memory_mib", "processes"), [("reader", 1024, 64), ("reader-net", 64, 16)]
)
def test_the_limits_are_in_force(
    setting: Setting, service: str, memory_mib: int, processes: int
) -> None:
    limits = setting.project.inspect(service)["HostConfig"]
    assert limits["Memory"] == limits["MemorySwap"] == memory_mib * 1024 * 1024
    assert limits["PidsLimit"] == processes
    assert limits["NanoCpus"] > 0
    assert limits["ReadonlyRootfs"] is True


def test_nothing_is_published_beyond_loopback(setting: Setting) -> None:
    rows = call("ps", "--filter", f"name={setting.project.name}", "--format", "{{json .}}")
    ports = [json.loads(row)["Ports"] for row in rows.splitlines()]
    published = [port for ports_of_one in ports for port in ports_of_one.split(", ") if port]
    assert [port.rpartition(":")[0] for port in published] == ["127.0.0.1"]


def test_the_image_holds_no_installer_and_the_service_only(setting: Setting) -> None:
    name = setting.project.container("reader")
    for absent in ("pip", "ensurepip", "askance.engine", "askance.cli"):
        with pytest.raises(CallFailed, match="No module named"):
            call("exec", name, "/opt/reader/bin/python", "-c", f"import {absent}")


def keeper_options(setting: Setting, *more: str) -> list[str]:
    """How a keeper runs in the compose file, for one that is started apart."""
    return [
        "--network", f"{setting.project.name}_pages", "--cap-drop", "ALL", "--cap-add", "NET_ADMIN",
        "--security-opt", "no-new-privileges:true", "--env", "ASKANCE_READER_SERVICE_PORT=25018",
        *more,
    ]  # fmt: skip


def probe_beside(setting: Setting, keeper: str, *places: str, program: str = PROBE) -> list[str]:
    """What becomes of connections from a reader that joined another keeper.

    Its gate waits until the rules stand, as in the service itself.
    """
    image = f"localhost/askance-reader:{setting.project.name}"
    joined = ("run", "--rm", "--interactive", "--network", f"container:{keeper}")
    return call(*joined, image, "/opt/reader/bin/python", "-", *places, given=program).split()


def test_with_a_proxy_only_the_proxy_is_reached(setting: Setting) -> None:
    proxy = f"{setting.gateway}:{setting.host_port}"
    options = keeper_options(setting, "--env", f"ASKANCE_READER_PROXY=http://{proxy}")
    image = f"localhost/askance-reader-net:{setting.project.name}"
    keeper = setting.project.run_beside("proxied", image, options=options)
    places = (proxy, f"{setting.gateway}:22", "127.0.0.11:53", "10.0.0.1:443")
    assert probe_beside(setting, keeper, *places) == ["open", REFUSED, REFUSED, REFUSED]


def test_a_resolver_in_a_private_network_is_asked_by_the_engine_and_by_nobody_else(
    setting: Setting,
) -> None:
    project, gateway = setting.project, setting.gateway
    image = f"localhost/askance-reader-net:{project.name}"
    program = ("-c", NAME_SERVER, gateway, setting.outside)
    host = ["--network", "host", "--entrypoint", "python3"]
    server = project.run_beside("names", image, *program, options=host)
    if "taken" in call("logs", server):
        pytest.skip("port 53 of this machine is taken: stop what listens there")
    options = keeper_options(setting, "--dns", gateway)
    keeper = project.run_beside("named", image, options=options)
    ask = "import socket\nprint(socket.gethostbyname('pages.example'))\n"
    assert probe_beside(setting, keeper, program=ask) == [setting.outside]
    directly = (
        "import socket, sys\n"
        "asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "asking.settimeout(5)\n"
        "asking.connect((sys.argv[1], 53))\n"
        "try:\n    asking.send(bytes(12)); asking.recv(512); print('open')\n"
        "except TimeoutError: print('silence')\n"
        "except OSError: print('refused')\n"
    )
    assert probe_beside(setting, keeper, gateway, program=directly) == ["refused"]


def test_a_keeper_that_cannot_set_its_rules_ends(setting: Setting) -> None:
    """Then there is no mark, and so no reader."""
    image = f"localhost/askance-reader-net:{setting.project.name}"
    port = ("--env", "ASKANCE_READER_SERVICE_PORT=25018")
    with pytest.raises(CallFailed, match="Operation not permitted"):
        call("run", "--rm", "--cap-drop", "ALL", *port, image)


def test_a_reader_that_lost_its_keeper_joins_the_next_one(setting: Setting) -> None:
    project = setting.project
    before = project.inspect("reader")["RestartCount"]
    call("exec", project.container("reader-net"), "python3", "-Ic", "import os; os.kill(1, 15)")
    # The reader's next health check ends it: `wait` returns with its exit code.
    assert call("wait", project.container("reader")).strip() == "0"
    project.compose("up", "--detach", "--no-build", "--wait", "reader")
    assert project.inspect("reader")["RestartCount"] == before + 1
    assert httpx.get(f"{setting.reader_url}/healthz", trust_env=False).status_code == 200
    assert setting.probe(f"{setting.gateway}:{setting.host_port}") == [REFUSED]
