"""Names that programs give themselves, and tokens that they show."""

from __future__ import annotations

import ast
import hmac
import inspect
import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from askance.adapters.storage import clients as stored_clients
from askance.adapters.storage.clients import SqliteClientBook
from askance.domain.errors import InputError, SettingsError
from askance.domain.ports.storage import LONGEST_NAME, Client, cleaned_name
from askance.server import clients
from askance.server.clients import DEFAULT, UNNAMED, Tokens, checked_name, named, own_token
from sampled import sampled
from server.around import Around, over_http
from server.test_end_to_end import ARGUMENTS, http_client
from servers.faults import address_of_nobody
from servers.world import QUESTION
from waiting import PATIENCE_S


@pytest.fixture
def book(tmp_path: Path) -> Iterator[SqliteClientBook]:
    book = SqliteClientBook(tmp_path / "clients.sqlite3", pytest.fail)
    yield book
    book.close()


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Claude", "Claude"),
        ("  two\n\twords ", "two words"),
        ("\x1b[31mred\x07", "[31mred"),
        ("a\u202eb", "a b"),
        ("", UNNAMED),
        ("\ud800", UNNAMED),
        ("x" * 10_000_000, "x" * LONGEST_NAME),
    ],
)
def test_a_name_is_one_short_line_that_can_be_shown(said: str, name: str) -> None:
    assert named(said) == name
    assert cleaned_name(name) == name


def test_the_token_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "server.token"
    token = own_token(file)
    assert own_token(file) == token
    assert len(token) >= 40
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["short", "ä" * 40, "two words " * 10, "a\nb" * 30])
def test_a_file_without_a_token_is_an_error_of_the_settings(tmp_path: Path, content: str) -> None:
    file = tmp_path / "server.token"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError):
        own_token(file)


def test_a_token_file_that_cannot_be_read_is_an_error_of_the_settings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        own_token(tmp_path)


def test_a_header_names_the_client_whose_token_it_shows(
    tmp_path: Path, book: SqliteClientBook
) -> None:
    tokens = Tokens(tmp_path / "server.token", book)
    default, editor = own_token(tmp_path / "server.token"), book.make_token("editor")
    assert tokens.client_of(f"Bearer {default}") == Client(DEFAULT)
    assert tokens.client_of(f"bearer  {editor}") == Client("editor")


def test_what_shows_no_token_names_nobody(tmp_path: Path, book: SqliteClientBook) -> None:
    tokens = Tokens(tmp_path / "server.token", book)
    default = own_token(tmp_path / "server.token")
    wrong = ["", "Bearer", "Bearer ", "Bearer x", f"Basic {default}", default, f"Bearer {default}x"]
    wrong += [f"Bearer {default[:-1]}", f"Bearer {' ' * 2000}{default}", "Bearer \ud800"]
    assert [tokens.client_of(header) for header in wrong] == [None] * len(wrong)


@pytest.mark.parametrize("said", ["", "  ", "x" * (LONGEST_NAME + 1), "\x1b"])
def test_a_typed_name_is_taken_as_it_is_or_not_at_all(said: str) -> None:
    with pytest.raises(InputError):
        checked_name(said)
    assert checked_name("Claude Desktop") == "Claude Desktop"


def test_each_token_is_compared_whole_whatever_the_header_shows(
    tmp_path: Path, book: SqliteClientBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Tokens(tmp_path / "server.token", book)
    own, others = own_token(tmp_path / "server.token"), [book.make_token(n) for n in "abc"]
    compared: list[tuple[str, str]] = []
    compare = hmac.compare_digest

    def record(a: str, b: str) -> bool:
        compared.append((a, b))
        return compare(a, b)

    monkeypatch.setattr(hmac, "compare_digest", record)
    for header in ["", "Basic x", f"Bearer {own}", f"Bearer {others[0]}", "Bearer " + "x" * 900]:
        compared.clear()
        tokens.client_of(header)
        # The one of the file and three of the book, each as a digest: of one length, and no secret's beginning.
        assert len(compared) == 4
        assert {len(digest) for pair in compared for digest in pair} == {64}


@pytest.mark.parametrize("module", [clients, stored_clients])
def test_no_secret_is_compared_by_equality(module: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    by_equality = [n for n in compared if any(isinstance(op, ast.Eq | ast.NotEq) for op in n.ops)]
    names = {
        name.id
        for node in by_equality
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and not isinstance(name.ctx, ast.Store)
    }
    assert not {name for name in names if "token" in name or "digest" in name or name == "given"}


# The daemon with a password in every address: no program is told it, no file and no error line has it.

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
