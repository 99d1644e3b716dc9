"""The compose file as compose itself reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.containers import ENVIRONMENT, CallFailed, call, missing_compose

FILE = Path(__file__).parents[2] / "docker-compose.yml"
SECRETS = {
    "ASKANCE_SEARXNG_SECRET": "made-up",
    "ASKANCE_SEARCH_TOKEN_FILE": "./search.token",
    "ASKANCE_READER_TOKEN_FILE": "./reader.token",
}

pytestmark = pytest.mark.skipif(bool(why := missing_compose()), reason=why or "-")


def read(variables: dict[str, str]) -> dict[str, Any]:
    """What the file comes to. No engine is needed for it."""
    text = call(
        "compose", "--env-file", "/dev/null", "--file", str(FILE), "config", "--format", "json",
        environment={**ENVIRONMENT, **variables},
    )  # fmt: skip
    return json.loads(text)


def test_the_file_is_valid_and_publishes_on_loopback_only() -> None:
    services = read(SECRETS)["services"]
    ports = {name: service.get("ports", []) for name, service in services.items()}
    published = {
        name: [(p["host_ip"], p["published"]) for p in found] for name, found in ports.items()
    }
    assert published == {
        "searxng": [("127.0.0.1", "25017")],
        "search-gateway": [],
        "reader-net": [("127.0.0.1", "25018")],
        "reader": [],
    }


def test_the_server_is_asked_for_by_its_profile() -> None:
    services = read(SECRETS | {"COMPOSE_PROFILES": "server"})["services"]
    [port] = services["server"]["ports"]
    assert (port["host_ip"], port["published"]) == ("127.0.0.1", "25019")
    assert services["server"]["build"]["args"] == services["reader"]["build"]["args"]


@pytest.mark.parametrize("missing", sorted(SECRETS))
def test_without_its_secrets_it_is_refused_with_the_way_to_them(missing: str) -> None:
    with pytest.raises(CallFailed, match="askance up"):
        read({**SECRETS, missing: ""})


def test_the_choices_of_the_user_reach_the_services() -> None:
    services = read({
        **SECRETS,
        "ASKANCE_READER_PROXY": "http://10.1.2.3:3128",
        "ASKANCE_READER_PORT": "31018",
        "ASKANCE_PYTHON_IMAGE": "mirror.example/python:3.13",
        "ASKANCE_VERSION": "1.2.3",
    })["services"]  # fmt: skip
    keeper, reader = services["reader-net"], services["reader"]
    assert services["search-gateway"]["build"]["args"] == keeper["build"]["args"]
    assert keeper["environment"]["ASKANCE_READER_PROXY"] == "http://10.1.2.3:3128"
    assert reader["environment"]["ASKANCE_READER__PROXY"] == "http://10.1.2.3:3128"
    assert keeper["ports"][0]["published"] == "31018"
    assert reader["build"]["args"] == keeper["build"]["args"]
    assert reader["build"]["args"]["PYTHON_IMAGE"] == "mirror.example/python:3.13"
    assert reader["image"] == "localhost/askance-reader:1.2.3"
