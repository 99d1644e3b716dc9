"""The commands around the program and their options: services, logs, history, ledger, cache, statistics, menu,
autostart, updates, removal, and the server with its clients.

Imports typer and nothing else that is heavy, see `askance.cli.command_tree`.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from askance.cli import commands
from askance.cli.command import STDOUT, Assignments, Body, CommandTree, Json, overrides_of, run

if TYPE_CHECKING:
    from askance.cli.exits import Exit
    from askance.cli.shell import Shell


# Some numbers that can be typed do not fit into a database.
_HIGHEST = 2**53
_LISTED = 50

Number = Annotated[
    int, typer.Argument(metavar="ID", min=1, max=_HIGHEST, help="Its number in the list.")
]
Words = Annotated[list[str], typer.Argument(metavar="WORDS")]
Steps = Annotated[bool, typer.Option("--verbose", "-v", help="Show every step of the runs.")]
Limit = Annotated[int, typer.Option(min=1, metavar="N", help="How many to list.")]


def add_upkeep(app: typer.Typer) -> None:
    """Add the commands to the program."""
    for command in (up, down, status, logs, ledger, cache, stats, menu, update, uninstall):
        app.command()(command)
    about = "Look at past conversations; without a command it lists them."
    app.add_typer(history_app, name="history", help=about)
    about = "Start the window or the server at login, or not."
    app.add_typer(autostart_app, name="autostart", help=about)


def up(assignments: Assignments = None) -> Body:
    """Start the search engine and the page reader in containers."""
    return lambda shell: commands.services.up(shell, overrides_of(assignments))


def down(
    volumes: Annotated[bool, typer.Option("--volumes", help="Remove what they keep, too.")] = False,
) -> Body:
    """Stop the containers and remove them."""
    return lambda shell: commands.services.down(shell, volumes=volumes)


def status(as_json: Json = False) -> Body:
    """Show how the containers are."""
    return lambda shell: commands.services.status(shell, as_json=as_json)


def logs(
    service: Annotated[
        str | None,
        typer.Argument(
            metavar="SERVICE",
            help="searxng, search-gateway, reader, reader-net or server; all of these if none. "
            "app: this program's own log.",
        ),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as lines come.")] = False,
    lines: Annotated[int, typer.Option(min=1, metavar="N", help="Last lines to show.")] = 100,
) -> Body:
    """Show the containers' logs, or with `app` this program's own."""

    def body(shell: Shell) -> Exit:
        if service == commands.storage.OWN_LOG:
            if follow:
                raise typer.BadParameter("Only the containers' logs are followed.")
            return commands.storage.show_log(shell, lines)
        return commands.services.logs(shell, service, follow=follow, lines=lines)

    return body


def ledger(
    context: typer.Context,
    days: Annotated[int, typer.Option(min=1, metavar="N", help="How far back to look.")] = 7,
    clear: Annotated[bool, typer.Option("--clear", help="Forget all of it.")] = False,
    as_json: Json = False,
) -> Body:
    """Show everything that left this machine: each query, each host."""
    # Only a --days that was typed contradicts --clear, and not its default.
    source = context.get_parameter_source("days")
    if clear and (as_json or (source is not None and source.name == "COMMANDLINE")):
        raise typer.BadParameter("--clear forgets all of it: leave out --days and --json.")
    return lambda shell: (
        commands.storage.clear_ledger(shell)
        if clear
        else commands.storage.show_ledger(shell, days, as_json=as_json)
    )


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Forget all pages.")] = False,
) -> Body:
    """Show how many pages are kept, and how much room they take."""
    return lambda shell: (
        commands.storage.clear_cache(shell) if clear else commands.storage.show_cache(shell)
    )


def stats(
    days: Annotated[int, typer.Option(min=1, metavar="N", help="How far back to look.")] = 30,
    as_json: Json = False,
) -> Body:
    """Show how questions went, day by day. Completeness, local answers, pages, tokens, times."""
    return lambda shell: commands.history.count(shell, days, as_json=as_json)


def menu(
    wanted: Annotated[
        Literal["on", "off"], typer.Argument(metavar="on|off", help="off takes it out again.")
    ] = "on",
) -> Body:
    """Put Askance into the menu of the desktop (Linux), or take it out."""
    return lambda shell: commands.installation.set_menu(shell, wanted=wanted == "on")


def update() -> Body:
    """Look for a new version now, and say how to get it. One request; nothing is installed."""
    return commands.installation.look_for_updates


def uninstall() -> Body:
    """Take Askance out of menu and autostart. It says what data stays."""
    return commands.installation.uninstall


autostart_app = CommandTree()
Started = Annotated[
    Literal["window", "server"],
    typer.Argument(
        metavar="WHAT",
        help="window, or server: `askance serve` as a service of your systemd (Linux).",
    ),
]


@autostart_app.callback(invoke_without_command=True)
def autostart(context: typer.Context) -> None:
    """Say what starts at login."""
    if context.invoked_subcommand is None:
        run(context, commands.installation.show_start)


@autostart_app.command("on")
def autostart_on(what: Started = "window") -> Body:
    """Start it at login. The server starts now, too."""
    return lambda shell: commands.installation.set_start(shell, what, wanted=True)


@autostart_app.command("off")
def autostart_off(what: Started = "window") -> Body:
    """Start it at login no longer. The server ends now, too."""
    return lambda shell: commands.installation.set_start(shell, what, wanted=False)


class _History(TyperGroup):
    """Lists without a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # typer keeps its type private
        """Put `list` where nothing was typed."""
        return super().parse_args(ctx, args or ["list"])


history_app = CommandTree(cls=_History)


@history_app.command("list")
def history_list(limit: Limit = _LISTED) -> Body:
    """List past conversations, last used first."""
    return lambda shell: commands.history.list_conversations(shell, limit)


@history_app.command("search")
def history_search(words: Words, limit: Limit = _LISTED) -> Body:
    """Show the questions that hold some words."""
    return lambda shell: commands.history.search(shell, " ".join(words), limit)


@history_app.command("show")
def history_show(number: Number, verbose: Steps = False) -> Body:
    """Show a conversation again."""
    return lambda shell: commands.history.show(shell, number, verbose=verbose)


@history_app.command("export")
def history_export(
    number: Number,
    form: Annotated[
        Literal["md", "html", "json"], typer.Option("--as", help="What to write.")
    ] = "md",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A new file to write to; - writes to standard output."),
    ] = None,
) -> Body:
    """Write a conversation as a document."""
    file = None if out == STDOUT else out
    return lambda shell: commands.history.export(shell, number, form, file)


@history_app.command("delete")
def history_delete(number: Number) -> Body:
    """Forget a conversation."""
    return lambda shell: commands.history.delete(shell, number)


@history_app.command("clear")
def history_clear() -> Body:
    """Forget all conversations."""
    return commands.history.clear


# `askance serve`, `mcp` and `clients`.

Name = Annotated[str, typer.Argument(metavar="NAME", help="As `askance clients` lists it.")]
Capabilities = Annotated[
    list[str],
    typer.Argument(metavar="WHAT", help="web, read, library_read or library_write."),
]

clients_app = CommandTree()


def add_server(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(serve)
    app.command()(mcp)
    about = "List the programs that ask Askance, and say what each may do."
    app.add_typer(clients_app, name="clients", help=about)


def serve(assignments: Assignments = None) -> Body:
    """Serve MCP and OpenAI's API over HTTP, to programs with a token."""
    return lambda shell: commands.server.serve(shell, overrides_of(assignments))


def mcp(
    client: Annotated[
        str, typer.Option("--client", metavar="NAME", help="What you call the program.")
    ] = "",
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP, as `askance serve` does.")
    ] = False,
    assignments: Assignments = None,
) -> Body:
    """Speak MCP over standard input and output. Other programs start it."""
    if http:
        return lambda shell: commands.server.serve(shell, overrides_of(assignments))
    # `askance.__main__` does it, without typer; with settings for this time, the daemon has its own.
    from askance.server import daemon_connection as ipc

    raise typer.Exit(ipc.main(["--client", client] if client else []))


@clients_app.callback(invoke_without_command=True)
def clients(context: typer.Context, as_json: Json = False) -> None:
    """List the programs that have asked."""
    if context.invoked_subcommand is None:
        run(context, lambda shell: commands.server.list_clients(shell, as_json=as_json))


@clients_app.command("list")
def clients_list(as_json: Json = False) -> Body:
    """List the programs that have asked, and what each may do."""
    return lambda shell: commands.server.list_clients(shell, as_json=as_json)


@clients_app.command("add")
def clients_add(name: Name) -> Body:
    """Give a program a token of its own, for HTTP. One that has a token gets another, and the old one ends."""
    return lambda shell: commands.server.add_client(shell, name)


@clients_app.command("allow")
def clients_allow(name: Name, capabilities: Capabilities) -> Body:
    """Allow a program something more."""
    return lambda shell: commands.server.change_client(shell, name, capabilities, allow=True)


@clients_app.command("deny")
def clients_deny(name: Name, capabilities: Capabilities) -> Body:
    """Allow a program something no longer."""
    return lambda shell: commands.server.change_client(shell, name, capabilities, allow=False)


@clients_app.command("forget")
def clients_forget(name: Name) -> Body:
    """Delete a program, its token and its calls."""
    return lambda shell: commands.server.forget_client(shell, name)


@clients_app.command("log")
def clients_log(
    name: Name,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many calls.")] = 50,
    as_json: Json = False,
) -> Body:
    """Show the last calls of a program. Which, when, how they ended; never the words."""
    return lambda shell: commands.server.show_calls(shell, name, limit, as_json=as_json)
