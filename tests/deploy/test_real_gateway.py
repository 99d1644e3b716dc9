"""SearXNG and its gateway as they really run: who gets through, and that nobody gets around."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from deploy.containers import SEARXNG_IMAGE, address_of, call, missing_engine
from deploy.real_services import PROBE, REFUSED, SEARXNG, Setting, status_of
from waiting import PATIENCE_S

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(why := missing_engine()), reason=why or "-"),
    pytest.mark.skipif(
        not SEARXNG_IMAGE, reason="no image of SearXNG: let ASKANCE_TEST_SEARXNG_IMAGE name one"
    ),
]
QUERY = "/search?q=anything&format=json"
# Prints the status of a reply.
STATUS = """
import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=60).status)
except urllib.error.HTTPError as exc:
    print(exc.code)
"""


@pytest.fixture(scope="module")
def search_url(setting: Setting) -> str:
    """The gateway's address, with SearXNG behind it."""
    setting.project.compose("up", "--detach", "--no-build", "--wait", "search-gateway", limit_s=120)
    return f"http://127.0.0.1:{setting.project.variables['ASKANCE_SEARXNG_PORT']}"


def test_searxng_and_its_gateway_run_without_any_capability(
    setting: Setting, search_url: str
) -> None:
    for service, user in (("searxng", "977"), ("search-gateway", "10002")):
        status = status_of(setting.project, service)
        assert status["Uid"].split() == [user] * 4
        assert {status[key] for key in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
        assert status["NoNewPrivs"] == "1"
        # No volume without a name is left behind, and nothing that is mounted can be written.
        mounts = setting.project.inspect(service)["Mounts"]
        assert [(m["Type"], m["RW"]) for m in mounts] == [("bind", False)]


async def test_searxng_answers_who_has_the_token_and_no_page(
    setting: Setting, search_url: str
) -> None:
    async with httpx.AsyncClient(
        base_url=search_url, trust_env=False, timeout=PATIENCE_S
    ) as client:
        reply = await client.get(QUERY, auth=SEARXNG)
        assert (reply.status_code, reply.json()["results"]) == (200, [])
        assert reply.json()["unresponsive_engines"] == []
        assert (await client.get("/config", auth=SEARXNG)).json()["version"]
        assert (await client.get("/healthz")).text == "OK"
        for headers, status in (
            ({}, 401),
            ({"Origin": "https://evil.example"}, 403),
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Host": f"evil.example:{search_url.rpartition(':')[2]}"}, 421),
        ):
            assert (await client.get(QUERY, headers=headers)).status_code == status


def test_nobody_gets_to_searxng_but_through_the_gateway(setting: Setting, search_url: str) -> None:
    project = setting.project
    there = address_of(project.container("searxng"), f"{project.name}_search")
    places = (f"{there}:8080", f"{there}:25017")
    image = f"localhost/askance-reader-net:{project.name}"
    options = ("run", "--rm", "--interactive", "--entrypoint", "python3")
    # From a neighbour in its own network, and from the host, as a page in its browser would.
    for network in (f"{project.name}_search", "host"):
        probing = (*options, "--network", network, image, "-", *places)
        assert call(*probing, given=PROBE).split() == [REFUSED, "open"]
    # And there the gateway is not known by its address.
    asking = (*options, "--network", "host", image, "-", f"http://{there}:25017{QUERY}")
    assert call(*asking, given=STATUS).strip() == "421"
    assert setting.probe(*places) == [REFUSED, REFUSED]


async def test_a_gateway_that_lost_searxng_joins_the_next_one(
    setting: Setting, search_url: str
) -> None:
    project = setting.project
    before = project.inspect("search-gateway")["RestartCount"]
    call("kill", "--signal", "KILL", project.container("searxng"))
    call("start", project.container("searxng"))
    # The gateway's next health check ends it: `wait` returns with its exit code.
    assert call("wait", project.container("search-gateway")).strip() == "0"
    project.compose("up", "--detach", "--no-build", "--wait", "search-gateway", limit_s=120)
    assert project.inspect("search-gateway")["RestartCount"] > before
    async with httpx.AsyncClient(
        base_url=search_url, trust_env=False, timeout=PATIENCE_S
    ) as client:
        assert (await client.get(QUERY, auth=SEARXNG)).status_code == 200


def test_another_token_makes_another_gateway(setting: Setting, search_url: str) -> None:
    project = setting.project
    first = project.inspect("search-gateway")["Id"]
    up = ("up", "--detach", "--no-build", "--wait", "search-gateway")
    project.compose(*up, limit_s=120)
    assert project.inspect("search-gateway")["Id"] == first
    renewed = replace(
        project, variables={**project.variables, "ASKANCE_SEARCH_TOKEN_ID": "another"}
    )
    renewed.compose(*up, limit_s=120)
    assert project.inspect("search-gateway")["Id"] != first
