"""The compose file: what it publishes, what it takes away from its services, and why it says so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from deploy.reader.egress import READER_UID

from askance.config.sources import load_settings

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
FILE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
HARDENING = (
    "cap_drop", "cap_add", "security_opt", "read_only", "restart", "logging", "user", "tmpfs",
    "mem_limit", "memswap_limit", "cpus", "pids_limit", "healthcheck", "ports", "networks",
    "network_mode", "volumes", "image",
)  # fmt: skip
VARIABLES = {
    "ASKANCE_SEARXNG_IMAGE", "ASKANCE_PYTHON_IMAGE", "ASKANCE_SEARXNG_SECRET",
    "ASKANCE_SEARXNG_SETTINGS", "ASKANCE_READER_TOKEN_FILE", "ASKANCE_READER_PROXY",
    "ASKANCE_SEARXNG_PORT", "ASKANCE_READER_PORT", "ASKANCE_VERSION",
    "ASKANCE_SEARCH_TOKEN_FILE", "ASKANCE_SEARCH_TOKEN_ID", "ASKANCE_READER_TOKEN_ID",
    "ASKANCE_SERVER_PORT", "ASKANCE_SERVER_HOSTS", "ASKANCE_SERVER_LLM_API", "ASKANCE_SERVER_LLM_URL",
    "ASKANCE_SERVER_LLM_MODEL", "ASKANCE_SERVER_QDRANT_URL",
}  # fmt: skip
ALL = ("searxng", "search-gateway", "reader-net", "reader", "server")

every_service = pytest.mark.parametrize("name", ALL)


def default_of(value: str) -> str:
    """What `${NAME:-default}` comes to without the variable, wherever it stands in a value."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)


def test_there_are_no_other_services() -> None:
    assert set(SERVICES) == set(ALL)


def test_the_server_is_there_only_where_it_is_asked_for() -> None:
    profiles = {name: service.get("profiles", []) for name, service in SERVICES.items()}
    assert profiles == {name: ["server"] if name == "server" else [] for name in ALL}


@every_service
def test_a_service_has_no_capability_and_gains_none(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    # Rules are set by one process, which answers nobody.
    assert service.get("cap_add", []) == (["NET_ADMIN"] if name == "reader-net" else [])


@every_service
def test_a_service_runs_as_a_user_of_its_own(name: str) -> None:
    users = {
        "searxng": "977:977",
        "search-gateway": "10002:10002",
        "reader-net": "0:0",
        "reader": f"{READER_UID}:{READER_UID}",
        "server": "10003:10003",
    }
    assert SERVICES[name]["user"] == users[name]


@every_service
def test_a_service_writes_to_bounded_memory_only(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["tmpfs"]
    for mount in service["tmpfs"]:
        _, _, options = mount.partition(":")
        assert {"noexec", "nosuid", "nodev"} <= set(options.split(","))
        assert re.search(r"size=\d+m", options)
    for mount in service.get("volumes", []):
        is_stored = name == "server" and mount == "server:/var/lib/askance"
        assert is_stored or mount.endswith(":ro,z")


@every_service
def test_a_service_has_limits(name: str) -> None:
    service = SERVICES[name]
    assert service["mem_limit"] == service["memswap_limit"]
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert 0 < service["cpus"] <= 2
    assert 0 < service["pids_limit"] <= 128


@every_service
def test_a_service_is_watched_and_comes_back(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == "unless-stopped"
    check = service["healthcheck"]
    assert check["test"][0] == "CMD"
    # Podman cuts an argument at a space.
    assert not [argument for argument in check["test"] if " " in argument]
    assert check["retries"] == 3
    # Engines before version 25 refuse the file with it.
    assert "start_interval" not in check
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}


@every_service
def test_a_service_has_nothing_of_the_host(name: str) -> None:
    service = SERVICES[name]
    forbidden = {"privileged", "pid", "ipc", "uts", "userns_mode", "devices", "volumes_from"}
    assert not forbidden & service.keys()
    assert "docker.sock" not in TEXT
    assert "host" not in str(service.get("network_mode", ""))
    for port in service.get("ports", []):
        assert port.startswith("127.0.0.1:")


def test_the_published_ports_are_the_agreed_ones() -> None:
    ports = {name: service.get("ports", []) for name, service in SERVICES.items()}
    assert {name: [default_of(port) for port in found] for name, found in ports.items()} == {
        "searxng": ["127.0.0.1:25017:25017"],
        "search-gateway": [],
        "reader-net": ["127.0.0.1:25018:25018"],
        "reader": [],
        "server": ["127.0.0.1:25019:25019"],
    }


def test_the_server_asks_the_services_by_the_names_that_they_know() -> None:
    server = SERVICES["server"]
    reported = server["environment"]
    dockerfile = (ROOT / "deploy" / "reader" / "Dockerfile").read_text(encoding="utf-8")
    for setting, network in (("SEARCH", "search"), ("READER", "pages")):
        url = urlsplit(reported[f"ASKANCE_{setting}__URL"])
        assert network in SERVICES[str(url.hostname)]["networks"]
        assert network in server["networks"]
        assert f'"--port", "{url.port}", "--name", "{url.hostname}"' in dockerfile
        token = reported[f"ASKANCE_{setting}_TOKEN_FILE"]
        assert any(mount.endswith(f":{token}:ro,z") for mount in server["volumes"])
    assert reported["ASKANCE_READER__MODE"] == "container_only"
    own = SERVICES["reader"]["environment"]
    assert reported["ASKANCE_READER__PROXY"] == own["ASKANCE_READER__PROXY"]


def test_what_the_server_is_told_are_settings(tmp_path: Path) -> None:
    record = {name: default_of(value) for name, value in SERVICES["server"]["environment"].items()}
    settings = load_settings(tmp_path / "none.toml", record)
    assert (settings.server.host, settings.server.hosts) == ("0.0.0.0", ())  # noqa: S104 - in its container
    assert settings.llm.url == "http://host.docker.internal:11434"
    assert settings.library.qdrant_url == ""


def test_searxng_listens_to_its_gateway_only() -> None:
    # The published port is the gateway's, which lives in SearXNG's namespace.
    assert SERVICES["searxng"]["environment"]["GRANIAN_HOST"] == "127.0.0.1"
    gateway = SERVICES["search-gateway"]
    assert gateway["network_mode"] == "service:searxng"
    waits = gateway["depends_on"]["searxng"]
    assert waits == {"condition": "service_healthy", "restart": True}


def test_search_and_reader_share_no_network() -> None:
    assert SERVICES["searxng"]["networks"] == ["search"]
    assert "networks" not in SERVICES["search-gateway"]
    assert SERVICES["reader-net"]["networks"] == ["pages"]
    assert SERVICES["reader"]["network_mode"] == "service:reader-net"
    assert "networks" not in SERVICES["reader"]
    assert FILE["networks"].keys() == {"search", "pages"}
    # The rules refuse all of IPv6, and a fixed subnet could be the user's own.
    for network in FILE["networks"].values():
        assert network == {"driver": "bridge", "enable_ipv6": False}


def test_the_reader_waits_for_its_rules() -> None:
    waits = SERVICES["reader"]["depends_on"]["reader-net"]
    assert waits == {"condition": "service_healthy", "restart": True}


@every_service
def test_an_image_is_pinned(name: str) -> None:
    image = default_of(SERVICES[name]["image"])
    _, _, tag = image.partition(":")
    assert tag
    assert tag != "latest"
    assert image.startswith(("docker.io/searxng/searxng:", "localhost/"))


def test_searxng_is_pinned_by_date_commit_and_digest() -> None:
    image = default_of(SERVICES["searxng"]["image"])
    pinned = r"docker\.io/searxng/searxng:20\d\d\.\d+\.\d+-[0-9a-f]{9}@sha256:[0-9a-f]{64}"
    assert re.fullmatch(pinned, image)
    # How both are renewed.
    assert "RepoDigests" in TEXT


def test_what_the_images_are_built_from_is_pinned_by_one_digest() -> None:
    built = [service["build"]["args"] for service in SERVICES.values() if "build" in service]
    images = {default_of(arguments["PYTHON_IMAGE"]) for arguments in built}
    for folder in ("reader", "server"):
        dockerfile = (ROOT / "deploy" / folder / "Dockerfile").read_text(encoding="utf-8")
        images |= set(re.findall(r"^ARG PYTHON_IMAGE=(.*)$", dockerfile, re.MULTILINE))
    [image] = images
    assert re.fullmatch(r"docker\.io/library/python:3\.13-slim-bookworm@sha256:[0-9a-f]{64}", image)


def test_secrets_come_from_outside_and_have_no_default() -> None:
    secret = SERVICES["searxng"]["environment"]["SEARXNG_SECRET"]
    token, target, _ = SERVICES["reader"]["volumes"][0].rsplit(":", 2)
    assert secret.startswith("${ASKANCE_SEARXNG_SECRET:?")
    search_token, mounted, _ = SERVICES["search-gateway"]["volumes"][0].rsplit(":", 2)
    assert search_token.startswith("${ASKANCE_SEARCH_TOKEN_FILE:?")
    assert f'"--token-file", "{mounted}"' in (ROOT / "deploy/reader/Dockerfile").read_text("utf-8")
    assert token.startswith("${ASKANCE_READER_TOKEN_FILE:?")
    assert target == SERVICES["reader"]["environment"]["ASKANCE_READER_TOKEN_FILE"]


def test_the_file_asks_for_the_agreed_variables_only() -> None:
    assert set(re.findall(r"\$\{(\w+)", TEXT)) == VARIABLES


def test_a_renewed_token_makes_another_container() -> None:
    for name in ("search-gateway", "reader", "server"):
        [(_, label)] = SERVICES[name]["labels"].items()
        asked = {mount.partition(":")[0] for mount in SERVICES[name]["volumes"]}
        wanted = {f"{token}_FILE" for token in re.findall(r"(\$\{ASKANCE_\w+_TOKEN)_ID:-\}", label)}
        assert wanted
        assert wanted == asked - {"server"}


def test_all_images_of_ours_are_built_from_here() -> None:
    targets = {
        "search-gateway": "search-gateway",
        "reader-net": "egress",
        "reader": "reader",
        "server": "server",
    }
    for name, target in targets.items():
        build = SERVICES[name]["build"]
        assert build["context"] == "."
        assert (ROOT / build["dockerfile"]).is_file()
        assert build["target"] == target


def test_every_line_of_hardening_says_why() -> None:
    lines = TEXT.splitlines()
    unexplained: list[str] = []
    for number, line in enumerate(lines):
        key = line.strip().partition(":")[0]
        if key not in HARDENING:
            continue
        before = lines[number - 1].strip()
        inside = lines[number + 1].strip()
        explained = before.startswith("#") or inside.startswith("#")
        # One comment stands over both limits of memory, one over a user and its capability, and
        # the build's over the name of what is built.
        follows = (before.partition(":")[0], key) in {
            ("mem_limit", "memswap_limit"), ("user", "cap_add"), ("PYTHON_IMAGE", "image")
        }  # fmt: skip
        if not explained and not follows:
            unexplained.append(f"{number + 1}: {line}")
    assert unexplained == []
