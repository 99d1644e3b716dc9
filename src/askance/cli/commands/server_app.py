"""`askance serve`, `mcp` and `clients`, with their options.

Imports typer and nothing else that is heavy, see `askance.cli.app`.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Annotated

import typer

from askance.cli import commands
from askance.cli.command import Assignments, Json, overrides_of, run

Name = Annotated[str, typer.Argument(metavar="NAME", help="As `askance clients` lists it.")]
Capabilities = Annotated[
    list[str],
    typer.Argument(metavar="WHAT", help="web, read, library_read or library_write."),
]

clients_app = typer.Typer(rich_markup_mode=None)


def add_server(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(serve)
    app.command()(mcp)
    about = "List the programs that ask Askance, and say what each may do."
    app.add_typer(clients_app, name="clients", help=about)


def serve(context: typer.Context, assignments: Assignments = None) -> None:
    """Serve MCP and OpenAI's API over HTTP, to programs with a token."""
    run(context, lambda shell: commands.server.serve(shell, overrides_of(assignments)))


def mcp(
    context: typer.Context,
    client: Annotated[
        str, typer.Option("--client", metavar="NAME", help="What you call the program.")
    ] = "",
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP, as `askance serve` does.")
    ] = False,
    assignments: Assignments = None,
) -> None:
    """Speak MCP over standard input and output. Other programs start it."""
    if http:
        run(context, lambda shell: commands.server.serve(shell, overrides_of(assignments)))
        return
    # `askance.__main__` does it, without typer; with settings for this time, the daemon has its own.
    from askance.server import bridge

    raise typer.Exit(bridge.main(["--client", client] if client else []))


@clients_app.callback(invoke_without_command=True)
def clients(context: typer.Context, as_json: Json = False) -> None:
    """List the programs that have asked."""
    if context.invoked_subcommand is None:
        run(context, lambda shell: commands.server.show(shell, as_json=as_json))


@clients_app.command("list")
def clients_list(context: typer.Context, as_json: Json = False) -> None:
    """List the programs that have asked, and what each may do."""
    run(context, lambda shell: commands.server.show(shell, as_json=as_json))


@clients_app.command("add")
def clients_add(context: typer.Context, name: Name) -> None:
    """Give a program a token of its own, for HTTP."""
    run(context, lambda shell: commands.server.add(shell, name))


@clients_app.command("renew")
def clients_renew(context: typer.Context, name: Name) -> None:
    """Give a program another token. One that was lost, or was seen by others, ends."""
    run(context, lambda shell: commands.server.renew(shell, name))


@clients_app.command("allow")
def clients_allow(context: typer.Context, name: Name, capabilities: Capabilities) -> None:
    """Allow a program something more."""
    run(context, lambda shell: commands.server.change(shell, name, capabilities, allow=True))


@clients_app.command("deny")
def clients_deny(context: typer.Context, name: Name, capabilities: Capabilities) -> None:
    """Allow a program something no longer."""
    run(context, lambda shell: commands.server.change(shell, name, capabilities, allow=False))


@clients_app.command("forget")
def clients_forget(context: typer.Context, name: Name) -> None:
    """Delete a program, its token and its calls."""
    run(context, lambda shell: commands.server.forget(shell, name))


@clients_app.command("log")
def clients_log(
    context: typer.Context,
    name: Name,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many calls.")] = 50,
    as_json: Json = False,
) -> None:
    """Show the last calls of a program. Which, when, how they ended; never the words."""
    run(context, lambda shell: commands.server.log(shell, name, limit, as_json=as_json))
