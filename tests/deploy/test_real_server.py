"""The server's container as it really runs: what it may, what it keeps, and what it gets at."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
import yaml
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import CallToolResult

from deploy.containers import BUILD_S, SEARXNG_IMAGE, Project, address_of, call, missing_engine
from deploy.real_services import REFUSED, Setting, status_of
from server.served import text_of, told
from servers.faults import free_port
from waiting import PATIENCE_S

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(why := missing_engine()), reason=why or "-"),
    pytest.mark.skipif(
        not SEARXNG_IMAGE, reason="no image of SearXNG: let ASKANCE_TEST_SEARXNG_IMAGE name one"
    ),
]
TESTER = "A tester"
TEXT = "A page from outside the refused networks."
STORED = "/var/lib/askance"
# Prints for each folder whether it can be written to.
WRITES = """
import pathlib, sys
for folder in sys.argv[1:]:
    try:
        pathlib.Path(folder, "probe").write_text("x")
        print("written")
    except OSError as exc:
        print(type(exc).__name__)
"""


@dataclass(frozen=True)
class Server:
    """The server among its services, and where it is published."""

    project: Project
    url: str

    def askance(self, *arguments: str) -> str:
        """What a command says that is given in the container."""
        name = self.project.container("server")
        return call("exec", name, "askance", *arguments, limit_s=PATIENCE_S)

    def shell(self, *command: str, given: str = "") -> str:
        return call(
            "exec", "--interactive", self.project.container("server"), *command, given=given
        )

    def token(self) -> str:
        return self.shell("cat", f"{STORED}/data/server.token").strip()

    async def tool(self, name: str, token: str, **arguments: str) -> CallToolResult:
        """What a tool answers over MCP."""
        headers = {"Authorization": f"Bearer {token}"}
        async with AsyncExitStack() as stack:
            web = await stack.enter_async_context(create_mcp_http_client(headers))
            transport = streamable_http_client(f"{self.url}/mcp", http_client=web)
            client = await stack.enter_async_context(Client(transport))
            return await client.call_tool(name, arguments)


@pytest.fixture(scope="module")
def server(setting: Setting) -> Server:
    port = free_port()
    record = {
        "COMPOSE_PROFILES": "server",
        "ASKANCE_SERVER_PORT": str(port),
        # There is no model: what is looked at here needs none.
        "ASKANCE_SERVER_LLM_URL": "http://127.0.0.1:9",
    }
    project = replace(setting.project, variables={**setting.project.variables, **record})
    an_engine(project, setting)
    project.compose("build", "server", limit_s=BUILD_S)
    project.undo.callback(
        call, "image", "rm", "--force", f"localhost/askance-server:{project.name}"
    )
    # Before the other services: they go with `down`, which does not know of a profile.
    project.undo.callback(project.compose, "down", "--volumes", "--timeout", "5")
    up(project)
    return Server(project, f"http://127.0.0.1:{port}")


def an_engine(project: Project, setting: Setting) -> None:
    """Give SearXNG an engine in its own network, which finds the page outside whatever it is asked."""
    file = Path(project.folder) / "settings.yml"
    settings = yaml.safe_load(file.read_text("utf-8"))
    settings["engines"] = [
        {
            "name": "small", "engine": "json_engine", "shortcut": "sm", "categories": "general",
            "enable_http": True, "search_url": f"http://{project.name}-engine:8000/found?q={{query}}",
            "results_query": "hits", "url_query": "url", "title_query": "title",
            "content_query": "content", "timeout": 10.0,
        }
    ]  # fmt: skip
    file.write_text(yaml.safe_dump(settings), "utf-8")
    # Its network is there before SearXNG asks.
    project.compose("create", "--no-build", "searxng")
    served = Path(project.folder) / "engine"
    served.mkdir()
    page = f"http://{setting.outside}/"
    found = {"url": page, "title": "Outside", "content": "The refused networks."}
    (served / "found").write_text(json.dumps({"hits": [found]}), "utf-8")
    mount = ("--volume", f"{served}:/served:ro,z", "--entrypoint", "python3")
    project.run_beside(
        "engine", f"localhost/askance-reader-net:{project.name}",
        *("-u", "-m", "http.server", "8000", "--directory", "/served"),
        options=["--network", f"{project.name}_search", *mount],
    )  # fmt: skip


def up(project: Project) -> None:
    project.compose("up", "--detach", "--no-build", "--wait", "server", limit_s=180)


def test_it_runs_as_nobody_and_writes_to_its_volume_alone(server: Server) -> None:
    status = status_of(server.project, "server")
    assert status["Uid"].split() == ["10003"] * 4
    assert {status[key] for key in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"
    folders = ("/srv/server/askance", "/opt/server", "/usr/local/bin", "/run/askance", "/", STORED)
    written = server.shell("/opt/server/bin/python", "-", *folders, given=WRITES).split()
    assert written[-1] == "written"
    assert set(written[:-1]) == {"OSError"}
    mounts = server.project.inspect("server")["Mounts"]
    assert sorted((m["Type"], m["RW"]) for m in mounts) == [
        ("bind", False), ("bind", False), ("volume", True)
    ]  # fmt: skip


def test_neither_an_installer_nor_a_window_is_in_it(server: Server) -> None:
    looked = (
        "import importlib.util as u; print([u.find_spec(n) for n in ('pip', 'PySide6', 'ddgs')])"
    )
    assert server.shell("/opt/server/bin/python", "-c", looked).strip() == "[None, None, None]"
    assert server.shell("sh", "-c", "command -v pip pip3 || true").strip() == ""


def test_who_has_no_token_or_another_name_for_it_is_refused(server: Server) -> None:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=PATIENCE_S) as client:
        assert client.get("/health").json() == {"status": "ok"}
        assert client.get("/v1/models").status_code == 401
        known = {"Authorization": f"Bearer {server.token()}"}
        assert client.get("/v1/models", headers=known).status_code == 200
        bent = {**known, "Host": "server:25019"}
        assert client.get("/v1/models", headers=bent).status_code == 421


async def test_it_searches_through_the_gateway_and_reads_through_the_reader(
    server: Server, setting: Setting
) -> None:
    token = server.askance("clients", "add", TESTER).strip()
    server.askance("clients", "allow", TESTER, "read")
    page = f"http://{setting.outside}/"
    assert TEXT in text_of(await server.tool("read_page", token, url=page))
    question = "Which networks are refused outside?"
    evidence = told(await server.tool("fetch_evidence", token, question=question))
    assert TEXT in evidence["prompt"], evidence
    # Refused there, and not only here: the reader's own rules hold for what the server asks of it.
    private = await server.tool("read_page", token, url=f"http://{setting.gateway}/")
    assert private.is_error


def test_what_reads_pages_cannot_reach_it(server: Server, setting: Setting) -> None:
    networks = [f"{setting.project.name}_{name}" for name in ("pages", "search")]
    name = server.project.container("server")
    places = [f"{address_of(name, network)}:25019" for network in networks]
    assert setting.probe(*places) == [REFUSED] * 2


def test_tokens_and_clients_outlive_the_container(server: Server) -> None:
    first, identity = server.token(), server.project.inspect("server")["Id"]
    server.project.compose("rm", "--force", "--stop", "server")
    up(server.project)
    assert server.project.inspect("server")["Id"] != identity
    assert server.token() == first
    assert TESTER in server.askance("clients")
