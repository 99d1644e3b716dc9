"""The daemon with a password in every address: no program is told it, no file and no error line has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from sampled import sampled
from server.around import Around, over_http
from server.test_end_to_end import ARGUMENTS, http_client
from servers.faults import address_of_nobody
from servers.world import QUESTION
from waiting import PATIENCE_S

PASSWORD = "geheim7xyz"  # noqa: S105 - of nobody
_ADDRESSES = (
    "LLM__URL",
    "SEARCH__URL",
    "READER__PROXY",
    "READER__URL",
    "SEARCH__PROXY",
    "EMBEDDINGS__URL",
)


def with_passwords(around: Around, *, answering: bool) -> None:
    """Put a user and a password into all addresses, of services that are there or of none."""
    around.script.answer = ["It was built in 1871 [1]."]
    for name in _ADDRESSES:
        address = around.environment.get(f"ASKANCE_{name}") if answering else address_of_nobody()
        if address:
            with_user = address.replace("://", f"://ada:{PASSWORD}@")
            around.environment[f"ASKANCE_{name}"] = with_user


def files_with_password(home: Path) -> list[Path]:
    return [
        file
        for file in home.rglob("*")
        if file.is_file() and PASSWORD.encode() in file.read_bytes()
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "answering", sampled([True, False], every=2), ids=["services answer", "nobody answers"]
)
async def test_no_program_is_told_a_password_over_http(around: Around, answering: bool) -> None:
    with_passwords(around, answering=answering)
    around.allow("default")
    error_lines: list[str] = []
    replies: list[str] = []
    async with over_http(around, error_lines) as (url, token):
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=PATIENCE_S) as client:
            replies.append((await client.get("/v1/models")).text)
            for model in ("askance", "askance-chat"):
                for stream in (False, True):
                    values = {
                        "model": model,
                        "messages": [{"role": "user", "content": QUESTION}],
                        "stream": stream,
                    }
                    replies.append((await client.post("/v1/chat/completions", json=values)).text)
            values = {"model": "askance", "input": QUESTION}
            replies.append((await client.post("/v1/responses", json=values)).text)
        async with http_client(url, token, "auto") as program:
            for name, arguments in ARGUMENTS.items():
                replies.append((await program.call_tool(name, arguments)).model_dump_json())
    assert ("1871" in "".join(replies)) is answering
    assert PASSWORD not in "".join([*replies, *error_lines])
    assert files_with_password(around.home) == []


@pytest.mark.parametrize("answering", [True, False], ids=["services answer", "nobody answers"])
async def test_no_program_is_told_a_password_over_the_bridge(
    around: Around, answering: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with_passwords(around, answering=answering)
    around.allow("tester")
    replies: list[Any] = []
    errors = tmp_path_factory.mktemp("errors") / "stderr"
    with errors.open("w+", encoding="utf-8") as file:
        async with around.over_stdio("auto", "tester", file) as program:
            replies = [
                (await program.call_tool(name, arguments)).model_dump(mode="json")
                for name, arguments in ARGUMENTS.items()
            ]
    text = json.dumps(replies)
    assert ("1871" in text) is answering
    assert PASSWORD not in text + errors.read_text(encoding="utf-8")
    assert files_with_password(around.home) == []
