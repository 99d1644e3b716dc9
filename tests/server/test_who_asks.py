"""Names that programs give themselves, and tokens that they show."""

from __future__ import annotations

import ast
import hmac
import inspect
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from askance.adapters.storage import clients as stored_clients
from askance.adapters.storage.clients import SqliteClientBook
from askance.domain.errors import InputError, SettingsError
from askance.domain.ports.storage import LONGEST_NAME, Client, cleaned_name
from askance.server import clients
from askance.server.clients import DEFAULT, UNNAMED, Tokens, checked_name, named, own_token


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
