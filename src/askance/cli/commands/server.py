"""`askance serve` and `askance clients`: the server for other programs, and which of them may use it."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from askance.cli.exits import Exit, write_line
from askance.cli.shell import Shell
from askance.domain.characters import one_line
from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.domain.ports.storage import Capability, ClientRecord, ClientRegistry, cleaned_name
from askance.presentation.i18n import counted
from askance.server.clients import DEFAULT, checked_name
from askance.server.serving import serve_here


def serve(shell: Shell, overrides: Mapping[str, Any]) -> Exit:
    """Serve other programs over HTTP, and at the socket, until Ctrl-C.

    Raises:
        InputError: a package is missing, another server runs already, or the port is taken.
        SettingsError: the token cannot be read.
    """
    settings = shell.settings(overrides)

    def up(url: str) -> None:
        write_line(
            shell.stderr, f"askance: MCP at {url}/mcp, OpenAI's API at {url}/v1; Ctrl-C ends it."
        )
        write_line(shell.stderr, f"askance: The token is in {shell.folders.server_token}.")

    serve_here(settings, shell.folders, shell.environment, up)
    return Exit.DONE


def list_clients(shell: Shell, *, as_json: bool = False) -> Exit:
    """List the programs that have asked, the last one first, and what each may do."""
    with _book(shell) as book:
        records = book.records()
    for record in records:
        shell.stdout.line(json.dumps(_client_record(record)) if as_json else _client_text(record))
    if not records and not as_json:
        shell.stdout.line("No program has asked yet. `askance mcp` is what they start.")
    return Exit.DONE


def add_client(shell: Shell, name: str) -> Exit:
    """Give a program a token of its own, and show it once. A known one may do what it might before.

    Raises:
        InputError: the name cannot be one, or its token is the one that is in a file.
    """
    if (name := checked_name(name)) == DEFAULT:
        raise InputError(
            Message(
                "The token of {name} is in {file}.", name=DEFAULT, file=shell.folders.server_token
            ),
            fix=Message(
                "Delete the file, end the server and start it again: that makes a new one."
            ),
        )
    with _book(shell) as book:
        had_token = any(r.has_token and r.client.name == name for r in book.records())
        token = book.make_token(name)
    if had_token:
        write_line(shell.stderr, f"askance: The token that {name} had has ended.")
    write_line(shell.stderr, f"askance: The token of {name}; it is not shown again:")
    # Alone on standard output, for scripts. Only its digest is stored.
    shell.stdout.line(token)
    return Exit.DONE


def change_client(shell: Shell, name: str, capabilities: list[str], *, allow: bool) -> Exit:
    """Allow a program something, or no longer.

    Raises:
        InputError: there is no such program, or no such capability.
    """
    wanted = _capabilities(capabilities)
    with _book(shell) as book:
        known = _known_client(book.records(), name)
        allowed = known.client.allowed | wanted if allow else known.client.allowed - wanted
        book.allow(known.client.name, allowed)
    shown_names = ", ".join(sorted(allowed)) or "nothing"
    shell.stdout.line(one_line(f"{known.client.name} may: {shown_names}"))
    # With both, private text can leak through queries: decision 37.
    if {Capability.WEB, Capability.LIBRARY_READ} <= allowed:
        write_line(
            shell.stderr,
            "askance: It can read your library and search the web: what it reads may leave this computer.",
        )
    return Exit.DONE


def forget_client(shell: Shell, name: str) -> Exit:
    """Delete a program, its token and what is known of its calls.

    Raises:
        InputError: there is no such program.
    """
    with _book(shell) as book:
        known = _known_client(book.records(), name)
        book.forget(known.client.name)
    shell.stdout.line(one_line(f"Forgotten: {known.client.name}"))
    return Exit.DONE


def show_calls(shell: Shell, name: str, limit: int, *, as_json: bool = False) -> Exit:
    """Show the last calls of a program, newest first.

    Raises:
        InputError: there is no such program.
    """
    with _book(shell) as book:
        known = _known_client(book.records(), name)
        calls = book.calls(known.client.name, limit)
    for call in calls:
        record = {"at": call.at, "tool": call.tool, "outcome": call.outcome, "ms": call.ms}
        shell.stdout.line(
            json.dumps(record)
            if as_json
            else one_line(f"{call.at}  {call.tool}  {call.outcome}  {call.ms} ms")
        )
    return Exit.DONE


@contextmanager
def _book(shell: Shell) -> Generator[ClientRegistry]:
    with shell.container() as parts:
        yield parts.clients


def _client_record(record: ClientRecord) -> dict[str, Any]:
    return {
        "name": record.client.name,
        "allowed": sorted(record.client.allowed),
        "has_token": record.has_token,
        "first_seen": record.first_seen,
        "last_seen": record.last_seen,
        "calls": record.calls,
    }


def _client_text(record: ClientRecord) -> str:
    allowed = ", ".join(sorted(record.client.allowed)) or "nothing"
    over = ", own token" if record.has_token else ""
    calls = counted(record.calls, "call")
    return one_line(f"{record.client.name}: {allowed}; {calls}, last {record.last_seen}{over}")


def _capabilities(names: list[str]) -> frozenset[Capability]:
    wrong = [name for name in names if name not in set(Capability)]
    if wrong or not names:
        raise InputError(
            Message("{name} is nothing that can be allowed.", name=repr(" ".join(wrong))),
            fix=Message("Choose from {names}.", names=", ".join(Capability)),
        )
    return frozenset(map(Capability, names))


def _known_client(records: Any, name: str) -> ClientRecord:
    wanted = cleaned_name(name)
    found = next((record for record in records if record.client.name == wanted), None)
    if found is None:
        raise InputError(
            Message("No program called {name} has asked.", name=repr(name)),
            fix=Message("`{command}` lists them.", command="askance clients"),
        )
    return found
