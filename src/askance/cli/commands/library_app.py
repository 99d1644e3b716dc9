"""The commands of `askance library` and their options.

Imports typer and nothing else that is heavy, see `askance.cli.command_tree`.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askance.cli import commands
from askance.cli.command import STDOUT, Json, run

if TYPE_CHECKING:
    from askance.domain.library import Filters

_LISTED = 50
_FOUND = 10

library_app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


def _checked_tags(tags: list[str] | None) -> list[str] | None:
    """Refuse an empty tag, as of a variable of a script that is not set."""
    if not all(tag.strip() for tag in tags or ()):
        raise typer.BadParameter("a tag is not empty.")
    return tags


Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="A tag; repeatable.", callback=_checked_tags),
]
Reference = Annotated[
    str, typer.Argument(metavar="DOCUMENT", help="Its address, path or ID, or how the ID begins.")
]
Limit = Annotated[int, typer.Option(min=1, metavar="N", help="How many to show.")]
# Texts and no enumerations, whose modules `--help` would have to import: `_filters` checks them.
FromKind = Annotated[
    str,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="page, snippet, markdown, text, pdf, document, book, mail or code.",
    ),
]
FromOrigin = Annotated[str, typer.Option("--origin", metavar="ORIGIN", help="web, file or import.")]
InLanguage = Annotated[str, typer.Option("--language", metavar="CODE", help="Such as en or de.")]
InSyntax = Annotated[
    str,
    typer.Option(
        "--syntax",
        metavar="NAME",
        help="Programming language, such as python: source files, and passages with code in it.",
    ),
]
Since = Annotated[
    str, typer.Option(metavar="DATE", help="From this date on, such as 2026-01-31 or 2026.")
]
Until = Annotated[str, typer.Option(metavar="DATE", help="Up to this date.")]


def _filters(
    tags: list[str] | None,
    origin: str,
    language: str,
    kind: str,
    syntax: str,
    since: str,
    until: str,
) -> Filters:
    from askance.cli.commands.library import refuse_unknown
    from askance.domain.library import Filters

    filters = Filters(tuple(tags or ()), origin, language, kind, syntax, since, until)
    refuse_unknown(filters)
    return filters


@library_app.command("add")
def library_add(
    context: typer.Context,
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH|URL", help="Folders, files, web addresses."),
    ] = None,
    tags: Tags = None,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Only files of such names or paths; repeatable."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="No files or folders of such names; repeatable."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Read every file anew, changed or not.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Add folders, files and web pages, or bring them up to date. Without any: all that were added before.

    A .jsonl file holds documents, one a line: url, title, text, tags.
    """
    run(
        context,
        lambda shell: commands.library_adding.add(
            shell, places or (), tags or (), include, exclude, again=again, as_json=as_json
        ),
    )


@library_app.command("search")
def library_search(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="WORDS")],
    limit: Limit = _FOUND,
    tags: Tags = None,
    origin: FromOrigin = "",
    language: InLanguage = "",
    kind: FromKind = "",
    syntax: InSyntax = "",
    since: Since = "",
    until: Until = "",
    mode: Annotated[
        str, typer.Option(metavar="MODE", help="auto, keywords, semantic or hybrid.")
    ] = "auto",
    as_json: Json = False,
) -> None:
    """Show the passages that fit some words best."""
    run(
        context,
        lambda shell: commands.library.search(
            shell,
            " ".join(words),
            limit,
            _filters(tags, origin, language, kind, syntax, since, until),
            mode=mode,
            as_json=as_json,
        ),
    )


@library_app.command("list")
def library_list(
    context: typer.Context,
    limit: Limit = _LISTED,
    tags: Tags = None,
    origin: FromOrigin = "",
    language: InLanguage = "",
    kind: FromKind = "",
    syntax: InSyntax = "",
    since: Since = "",
    until: Until = "",
    as_json: Json = False,
) -> None:
    """List documents, the one that was read last first."""
    run(
        context,
        lambda shell: commands.library.list_all(
            shell,
            limit,
            _filters(tags, origin, language, kind, syntax, since, until),
            as_json=as_json,
        ),
    )


@library_app.command("show")
def library_show(
    context: typer.Context,
    reference: Reference,
    version: Annotated[
        str, typer.Option(metavar="HASH", help="An earlier text of it, as the list of them says.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show a document, its earlier versions, and its text."""
    run(context, lambda shell: commands.library.show(shell, reference, version, as_json=as_json))


@library_app.command("tag")
def library_tag(
    context: typer.Context,
    reference: Reference,
    tags: Annotated[list[str], typer.Argument(metavar="TAG")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the tags off.")] = False,
) -> None:
    """Tag a document."""
    run(context, lambda shell: commands.library.tag(shell, reference, tags, remove=remove))


@library_app.command("remove")
def library_remove(
    context: typer.Context,
    references: Annotated[
        list[str] | None,
        typer.Argument(metavar="DOCUMENT|FOLDER", help="Addresses, paths or IDs."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Everything, and all folders.")] = False,
) -> None:
    """Delete documents with all their versions, or all of a folder. The files stay as they are."""
    if every and references:
        raise typer.BadParameter("--all deletes everything: leave out what else is named.")
    run(
        context,
        lambda shell: (
            commands.library.clear(shell)
            if every
            else commands.library.remove(shell, references or ())
        ),
    )


@library_app.command("export")
def library_export(
    context: typer.Context,
    out: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A new file; none, or -: standard output."),
    ] = None,
) -> None:
    """Write all documents, one a line, to be imported elsewhere."""
    run(context, lambda shell: commands.library.export(shell, None if out == STDOUT else out))


@library_app.command("import")
def library_import(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Documents, one a line of JSON.")],
    tags: Tags = None,
    as_json: Json = False,
) -> None:
    """Add the documents of a file. Each line is JSON with url, title, text and tags."""
    run(
        context,
        lambda shell: commands.library_adding.import_lines(
            shell, file, tags or (), as_json=as_json
        ),
    )


@library_app.command("stats")
def library_stats(context: typer.Context, as_json: Json = False) -> None:
    """Count what is kept."""
    run(context, lambda shell: commands.library.stats(shell, as_json=as_json))


@library_app.command("status")
def library_status(
    context: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Files: was each indexed, and why not?"),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Name every file.")] = False,
    as_json: Json = False,
) -> None:
    """Show for each folder what was indexed, what was not, and why."""
    run(
        context,
        lambda shell: (
            commands.library.explained(shell, paths, as_json=as_json)
            if paths
            else commands.library.status(shell, every=every, as_json=as_json)
        ),
    )


@library_app.command("watch")
def library_watch(context: typer.Context, as_json: Json = False) -> None:
    """Follow all folders that were added, until Ctrl-C. What changes in them is read at once."""
    run(context, lambda shell: commands.library_adding.watch(shell, as_json=as_json))


@library_app.command("embed")
def library_embed(context: typer.Context, as_json: Json = False) -> None:
    """Embed the passages that have no vector. It is all of them if the model has changed."""
    run(context, lambda shell: commands.library_adding.embed(shell, as_json=as_json))
