"""The commands that look after the program itself: its services, its ledger, its cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from askance.cli import commands
from askance.cli.command import Assignments, Json, overrides_of, run
from askance.cli.commands.history import history_app

if TYPE_CHECKING:
    from askance.cli.endings import Exit
    from askance.cli.shell import Shell


def add_upkeep(app: typer.Typer) -> None:
    """Add the commands to the program."""
    for command in (up, down, status, logs, ledger, cache, menu):
        app.command()(command)
    about = "Look at past conversations; without a command it lists them."
    app.add_typer(history_app, name="history", help=about)


def up(context: typer.Context, assignments: Assignments = None) -> None:
    """Start the search engine and the page reader in containers."""
    run(context, lambda shell: commands.services.up(shell, overrides_of(assignments)))


def down(
    context: typer.Context,
    volumes: Annotated[bool, typer.Option("--volumes", help="Remove what they keep, too.")] = False,
) -> None:
    """Stop the containers and remove them."""
    run(context, lambda shell: commands.services.down(shell, volumes=volumes))


def status(context: typer.Context, as_json: Json = False) -> None:
    """Show how the containers are."""
    run(context, lambda shell: commands.services.status(shell, as_json=as_json))


def logs(
    context: typer.Context,
    service: Annotated[
        str | None,
        typer.Argument(
            help="searxng, search-gateway, reader or reader-net; all of these if none. "
            "app: this program's own log."
        ),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as lines come.")] = False,
    lines: Annotated[int, typer.Option(min=1, metavar="N", help="Last lines to show.")] = 100,
) -> None:
    """Show what the containers wrote, or with `app` what this program did."""

    def body(shell: Shell) -> Exit:
        if service == commands.own_log.NAME:
            return commands.own_log.show(shell, follow=follow, lines=lines)
        return commands.services.logs(shell, service, follow=follow, lines=lines)

    run(context, body, is_logged=False)


def ledger(
    context: typer.Context,
    days: Annotated[int, typer.Option(min=1, metavar="N", help="How far back to look.")] = 7,
    clear: Annotated[bool, typer.Option("--clear", help="Forget all of it.")] = False,
    as_json: Json = False,
) -> None:
    """Show everything that left this machine: each query, each host."""
    run(
        context,
        lambda shell: (
            commands.ledger.clear(shell)
            if clear
            else commands.ledger.show(shell, days, as_json=as_json)
        ),
    )


def cache(
    context: typer.Context,
    clear: Annotated[bool, typer.Option("--clear", help="Forget all pages.")] = False,
) -> None:
    """Show how many pages are kept, and how much room they take."""
    run(context, lambda shell: commands.cache.clear(shell) if clear else commands.cache.show(shell))


def menu(
    context: typer.Context,
    remove: Annotated[bool, typer.Option("--remove", help="Take it out again.")] = False,
) -> None:
    """Put Askance into the menu of the desktop (Linux)."""
    run(context, lambda shell: commands.menu.leave(shell) if remove else commands.menu.enter(shell))
