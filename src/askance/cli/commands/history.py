"""The command `history` and its options.

Imports typer and nothing else that is heavy, see `askance.cli.app`.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askance.cli.command import Verbose, run
from askance.transcripts.forms import Form

if TYPE_CHECKING:
    from askance.cli.endings import Exit
    from askance.cli.shell import Shell

# Some numbers that can be typed do not fit into a database.
_HIGHEST = 2**53


def history(
    context: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS...", help="Words to search for.")
    ] = None,
    show: Annotated[
        int | None,
        typer.Option(metavar="ID", min=1, max=_HIGHEST, help="Show a conversation again."),
    ] = None,
    export: Annotated[
        int | None,
        typer.Option(metavar="ID", min=1, max=_HIGHEST, help="Write a conversation as a document."),
    ] = None,
    form: Annotated[Form, typer.Option("--as", help="What --export writes.")] = Form.MD,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new file for --export to write to.")
    ] = None,
    rename: Annotated[
        int | None,
        typer.Option(
            metavar="ID", min=1, max=_HIGHEST, help="Give a conversation WORDS as its title."
        ),
    ] = None,
    delete: Annotated[
        int | None, typer.Option(metavar="ID", min=1, max=_HIGHEST, help="Forget a conversation.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Forget all of them.")] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many to list.")] = 50,
    verbose: Verbose = False,
) -> None:
    """List past conversations, or those that hold some words."""

    def body(shell: Shell) -> Exit:
        from askance.cli.commands import history_view
        from askance.domain.errors import InputError

        text = " ".join(words or ())
        chosen = [n for n in (show, export, rename, delete) if n is not None]
        if len(chosen) + clear > 1 or (text and rename is None and (chosen or clear)):
            raise InputError("Only one thing can be done at once.", fix="See --help.")
        if out is not None and export is None:
            raise InputError("--out needs --export with a number.")
        if show is not None:
            return history_view.show(shell, show, verbose=verbose)
        if export is not None:
            return history_view.export(shell, export, form, out)
        if rename is not None:
            return history_view.rename(shell, rename, text)
        if delete is not None:
            return history_view.delete(shell, delete)
        if clear:
            return history_view.clear(shell)
        if text:
            return history_view.search(shell, text, limit)
        return history_view.list_all(shell, limit)

    run(context, body)
