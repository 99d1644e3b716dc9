"""What `docs/agents.md` tells people to write into other programs' settings holds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from askance.cli.command_tree import app
from askance.config.settings import Settings
from askance.domain.ports.storage import Capability
from askance.server.mcp_protocol import NEEDED

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
FORMS: list[dict[str, Any]] = [
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
]


@pytest.mark.parametrize("form", FORMS)
def test_a_form_names_one_server_by_command_or_address(form: dict[str, Any]):
    (servers,) = [form[key] for key in ("mcpServers", "servers") if key in form]
    (server,) = servers.values()
    if "url" in server:
        port = Settings().server.port
        assert server["url"] == f"http://127.0.0.1:{port}/mcp"
        assert server["headers"]["Authorization"].startswith("Bearer ")
    else:
        assert server["command"] == "askance"
        command, option, name = server["args"]
        assert (command, option) == ("mcp", "--client")
        assert name
    if "servers" in form:
        assert server["type"] == ("http" if "url" in server else "stdio")


def test_there_is_a_form_for_each_program():
    assert len(FORMS) == 6


def test_the_commands_that_are_named_exist():
    known: Any = get_command(app)
    for command in re.findall(r"askance (serve|mcp|clients)\b", TEXT):
        assert command in known.commands
    for command in re.findall(r"askance clients (add|allow|deny|log)\b", TEXT):
        assert command in known.commands["clients"].commands


def test_every_tool_and_capability_is_told():
    for tool in NEEDED:
        assert f"`{tool}`" in TEXT
    for capability in Capability:
        assert f"`{capability}`" in TEXT
