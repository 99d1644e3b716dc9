"""The commands that look after the program itself: its services, its ledger, its cache."""
# ruff: noqa: PLC0415 - every command brings its own body, see `askance.cli.app`

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

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

    def body(shell: Shell) -> Exit:
        from askance.cli.commands import services

        return services.up(shell, overrides_of(assignments))

    run(context, body)


def down(
    context: typer.Context,
    volumes: Annotated[bool, typer.Option("--volumes", help="Remove what they keep, too.")] = False,
) -> None:
    """Stop the containers and remove them."""

    def body(shell: Shell) -> Exit:
        from askance.cli.commands import services

        return services.down(shell, volumes=volumes)

    run(context, body)


def status(context: typer.Context, as_json: Json = False) -> None:
    """Show how the containers are."""

    def body(shell: Shell) -> Exit:
        from askance.cli.commands import services

        return services.status(shell, as_json=as_json)

    run(context, body)


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
        from askance.cli.commands import own_log, services

        if service == own_log.NAME:
            return own_log.show(shell, follow=follow, lines=lines)
        return services.logs(shell, service, follow=follow, lines=lines)

    run(context, body, is_logged=False)


def ledger(
    context: typer.Context,
    days: Annotated[int, typer.Option(min=1, metavar="N", help="How far back to look.")] = 7,
    clear: Annotated[bool, typer.Option("--clear", help="Forget all of it.")] = False,
    as_json: Json = False,
) -> None:
    """Show everything that left this machine: each query, each host."""

    def body(shell: Shell) -> Exit:
        from askance.cli.commands import ledger as entries

        return entries.clear(shell) if clear else entries.show(shell, days, as_json=as_json)

    run(context, body)


def cache(
    context: typer.Context,
    clear: Annotated[bool, typer.Option("--clear", help="Forget all pages.")] = False,
) -> None:
    """Show how many pages are kept, and how much room they take."""

    def body(shell: Shell) -> Exit:
        from askance.cli.commands import cache as pages

        return pages.clear(shell) if clear else pages.show(shell)

    run(context, body)


def menu(
    context: typer.Context,
    remove: Annotated[bool, typer.Option("--remove", help="Take it out again.")] = False,
) -> None:
    """Put Askance into the menu of the desktop (Linux)."""

    def body(shell: Shell) -> Exit:
        from askance.cli.commands import menu as entry

        return entry.leave(shell) if remove else entry.enter(shell)

    run(context, body)
