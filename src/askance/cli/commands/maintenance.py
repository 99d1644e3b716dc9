"""The commands that look after the program itself: services, history, ledger, cache, menu, log.

Imports typer and nothing else that is heavy, see `askance.cli.app`.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from askance.cli.command import Assignments, Json, Verbose, overrides_of, run
from askance.cli.commands import bodies
from askance.transcripts.forms import Form

if TYPE_CHECKING:
    from askance.cli.exits import Exit
    from askance.cli.shell import Shell


# Some numbers that can be typed do not fit into a database.
_HIGHEST = 2**53
_LISTED = 50
# The hidden command for what was typed before there were commands. Nobody types it.
_FORMER = "[WORDS]"

Number = Annotated[
    int, typer.Argument(metavar="ID", min=1, max=_HIGHEST, help="Its number in the list.")
]
Words = Annotated[list[str], typer.Argument(metavar="WORDS")]
Steps = Annotated[bool, typer.Option("--verbose", "-v", help="Show every step of the runs.")]
Limit = Annotated[int, typer.Option(min=1, metavar="N", help="How many to list.")]
FormerNumber = Annotated[int | None, typer.Option(metavar="ID", min=1, max=_HIGHEST)]


def add_upkeep(app: typer.Typer) -> None:
    """Add the commands to the program."""
    for command in (up, down, status, logs, ledger, cache, stats, menu):
        app.command()(command)
    about = "Look at past conversations; without a command it lists them."
    app.add_typer(history_app, name="history", help=about)


def up(context: typer.Context, assignments: Assignments = None) -> None:
    """Start the search engine and the page reader in containers."""
    run(context, lambda shell: bodies.services.up(shell, overrides_of(assignments)))


def down(
    context: typer.Context,
    volumes: Annotated[bool, typer.Option("--volumes", help="Remove what they keep, too.")] = False,
) -> None:
    """Stop the containers and remove them."""
    run(context, lambda shell: bodies.services.down(shell, volumes=volumes))


def status(context: typer.Context, as_json: Json = False) -> None:
    """Show how the containers are."""
    run(context, lambda shell: bodies.services.status(shell, as_json=as_json))


def logs(
    context: typer.Context,
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
) -> None:
    """Show the containers' logs, or with `app` this program's own."""

    def body(shell: Shell) -> Exit:
        if service == bodies.storage.OWN_LOG:
            return bodies.storage.show_log(shell, follow=follow, lines=lines)
        return bodies.services.logs(shell, service, follow=follow, lines=lines)

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
            bodies.storage.clear_ledger(shell)
            if clear
            else bodies.storage.show_ledger(shell, days, as_json=as_json)
        ),
    )


def cache(
    context: typer.Context,
    clear: Annotated[bool, typer.Option("--clear", help="Forget all pages.")] = False,
) -> None:
    """Show how many pages are kept, and how much room they take."""
    run(
        context,
        lambda shell: (
            bodies.storage.clear_cache(shell) if clear else bodies.storage.show_cache(shell)
        ),
    )


def stats(
    context: typer.Context,
    days: Annotated[int, typer.Option(min=1, metavar="N", help="How far back to look.")] = 30,
    png: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw a PNG picture of it, too.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how questions went, day by day. Completeness, local answers, pages, tokens, times."""
    run(context, lambda shell: bodies.stats.show(shell, days, as_json=as_json, png=png))


def menu(
    context: typer.Context,
    remove: Annotated[bool, typer.Option("--remove", help="Take it out again.")] = False,
) -> None:
    """Put Askance into the menu of the desktop (Linux)."""
    run(
        context,
        lambda shell: (
            bodies.settings.leave_menu(shell) if remove else bodies.settings.enter_menu(shell)
        ),
    )


class _History(TyperGroup):
    """Lists without a command, and takes what is none as it was typed before."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # typer keeps its type private
        """Put the command in front that is meant."""
        if not args:
            args = ["list"]
        elif args[0] not in {*self.commands, "-h", "--help"}:
            args = [_FORMER, *args]
        return super().parse_args(ctx, args)


class _Unnamed(typer.Context):
    """What a command finds around it whose own name nobody types."""

    @property
    def command_path(self) -> str:
        """What stands in a usage line and in "Try ... --help": the name of its group."""
        return self.parent.command_path if self.parent is not None else ""


class _Former(TyperCommand):
    context_class = _Unnamed


history_app = typer.Typer(cls=_History, rich_markup_mode=None)


@history_app.command("list")
def history_list(context: typer.Context, limit: Limit = _LISTED) -> None:
    """List past conversations, last used first."""
    run(context, lambda shell: bodies.history_view.list_all(shell, limit))


@history_app.command("search")
def history_search(context: typer.Context, words: Words, limit: Limit = _LISTED) -> None:
    """Show the questions that hold some words."""
    run(context, lambda shell: bodies.history_view.search(shell, " ".join(words), limit))


@history_app.command("show")
def history_show(context: typer.Context, number: Number, verbose: Steps = False) -> None:
    """Show a conversation again."""
    run(context, lambda shell: bodies.history_view.show(shell, number, verbose=verbose))


@history_app.command("export")
def history_export(
    context: typer.Context,
    number: Number,
    form: Annotated[Form, typer.Option("--as", help="What to write.")] = Form.MD,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new file to write to.")
    ] = None,
) -> None:
    """Write a conversation as a document."""
    run(context, lambda shell: bodies.history_view.export(shell, number, form, out))


@history_app.command("rename")
def history_rename(
    context: typer.Context,
    number: Number,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORDS", help="Its title; none takes its first question."),
    ] = None,
) -> None:
    """Give a conversation a title."""
    run(context, lambda shell: bodies.history_view.rename(shell, number, " ".join(words or ())))


@history_app.command("delete")
def history_delete(context: typer.Context, number: Number) -> None:
    """Forget a conversation."""
    run(context, lambda shell: bodies.history_view.delete(shell, number))


@history_app.command("clear")
def history_clear(context: typer.Context) -> None:
    """Forget all conversations."""
    run(context, bodies.history_view.clear)


def _say_now(shell: Shell, *command: object) -> None:
    typed = shlex.join(["askance", "history", *map(str, command)])
    shell.note(f"This is `{typed}` now.")


@history_app.command(_FORMER, cls=_Former, hidden=True)
def history_as_before(
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="WORDS")] = None,
    show: FormerNumber = None,
    export: FormerNumber = None,
    form: Annotated[Form, typer.Option("--as")] = Form.MD,
    out: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    rename: FormerNumber = None,
    delete: FormerNumber = None,
    clear: Annotated[bool, typer.Option("--clear")] = False,
    limit: Limit = _LISTED,
    verbose: Verbose = False,
) -> None:
    """Do what the options said before there were commands, and say which command does it now."""

    def body(shell: Shell) -> Exit:
        from askance.domain.errors import InputError

        text = " ".join(words or ())
        chosen = [n for n in (show, export, rename, delete) if n is not None]
        if len(chosen) + clear > 1 or (text and rename is None and (chosen or clear)):
            raise InputError("Only one thing can be done at once.", fix="See --help.")
        if out is not None and export is None:
            raise InputError("--out belongs to `askance history export`.")
        now = partial(_say_now, shell)
        if show is not None:
            now("show", show)
            return bodies.history_view.show(shell, show, verbose=verbose)
        if export is not None:
            now("export", export)
            return bodies.history_view.export(shell, export, form, out)
        if rename is not None:
            now("rename", rename, *(words or ()))
            return bodies.history_view.rename(shell, rename, text)
        if delete is not None:
            now("delete", delete)
            return bodies.history_view.delete(shell, delete)
        if clear:
            now("clear")
            return bodies.history_view.clear(shell)
        if text:
            now("search", *(words or ()))
            return bodies.history_view.search(shell, text, limit)
        now("list", "--limit", limit)
        return bodies.history_view.list_all(shell, limit)

    run(context, body)
