"""The commands and their options. Each one's body is imported when it is called.

`askance --help` answers within 80 ms of processor time and imports neither httpx nor pydantic nor rich: this module
imports typer and nothing else that is heavy, and every command brings its own body.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command_name
from typer.models import CommandInfo

from askance import __version__
from askance.cli import commands
from askance.cli.command import (
    STDOUT,
    Assignments,
    Body,
    CommandTree,
    Documents,
    Fresh,
    Json,
    LensName,
    LibraryOnly,
    NoWeb,
    Since,
    Sites,
    Verbose,
    narrowing_of,
    overrides_of,
    sources_of,
)
from askance.cli.commands.maintenance import add_server, add_upkeep

if TYPE_CHECKING:
    from askance.cli.exits import Exit
    from askance.cli.shell import Shell
    from askance.domain.library import Filters


class _Program(TyperGroup):
    """Says in plain words what is wrong with a value, where typer hands on what pydantic says."""

    def invoke(self, ctx: Any) -> Any:  # typer keeps its type private
        """Run the command that was typed."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as exc:
            exc.message = _plain(exc) or exc.message
            raise


def _plain(exc: typer.BadParameter) -> str:
    """Return what a value must be, where that is known; empty else."""
    errors: Any = getattr(exc.__cause__, "errors", None)
    if errors is None:
        return ""
    # The first fault is enough: the next one is reported once this is fixed.
    found = errors()[0]
    bounds = found.get("ctx", {})
    match found["type"]:
        case "int_parsing" | "int_from_float":
            return "it must be a whole number."
        case "float_parsing":
            return "it must be a number."
        case "greater_than_equal":
            return f"it must be {bounds['ge']:,} or more."
        case "less_than_equal":
            return f"it must be {bounds['le']:,} or less."
        case "value_error":
            return str(bounds["error"])
        case _:
            return ""


app = CommandTree(
    cls=_Program,
    name="askance",
    help="A private assistant that searches the web, looks twice, and cites what it says.",
    context_settings={"help_option_names": ["-h", "--help"]},
    # typer's own tracebacks can show the values of variables, which may be what was asked.
    pretty_exceptions_enable=False,
    add_completion=False,
)
config_app = CommandTree(no_args_is_help=True)
trace_app = CommandTree(no_args_is_help=True)
# `--help` and docs/commands.md have the commands in the order in which they are added.
app.add_typer(config_app, name="config", help="Show and change the settings.")
app.add_typer(trace_app, name="trace", help="Look at past runs.")

LastTrace = Annotated[
    str, typer.Argument(metavar="ID", help="The id, or how it begins; the last run without it.")
]
_WRONG_USAGE = 2


def unreadable_argument(arguments: Sequence[str]) -> str | None:
    """Return what is wrong with an argument whose bytes are no UTF-8; None where all are.

    Such bytes come as halves of surrogate pairs, which can be neither kept nor shown.
    """
    for argument in arguments:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            shown = argument.encode("utf-8", "backslashreplace").decode()
            if os.path.lexists(argument):
                return f"{shown}: Its name is not UTF-8. Give it another name."
            return f"{shown} is not UTF-8."
    return None


def narrow(tree: typer.Typer, arguments: Sequence[str]) -> None:
    """Leave of a tree what its arguments name: to build all of its commands takes a third of the start.

    The help of a tree shows the names and descriptions of its commands, and nothing of their options.
    """
    first = arguments[0] if arguments else ""
    if first in {"--help", "-h"}:
        for command in tree.registered_commands:
            command.callback = _described(command.callback)
        for below in filter(None, (group.typer_instance for group in tree.registered_groups)):
            below.registered_commands = []
        return
    commands = [c for c in tree.registered_commands if c.callback and first == _name(c)]
    groups = [group for group in tree.registered_groups if group.name == first]
    if commands or groups:
        tree.registered_commands, tree.registered_groups = commands, groups
    for below in filter(None, (group.typer_instance for group in groups)):
        narrow(below, arguments[1:])


def _name(command: CommandInfo) -> str:
    return command.name or get_command_name(getattr(command.callback, "__name__", ""))


def _described(callback: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return a function without parameters that is described as another one is."""

    def described() -> None:
        """Nothing: only its description is shown."""

    described.__doc__ = callback.__doc__
    described.__name__ = getattr(callback, "__name__", "")
    return described


def main() -> None:
    """Run the command line."""
    if (problem := unreadable_argument(sys.argv[1:])) is not None:
        sys.stderr.write(f"askance: {problem}\n")
        sys.exit(_WRONG_USAGE)
    narrow(app, sys.argv[1:])
    try:
        app()
    except Exception as exc:  # noqa: BLE001 - it ends the program, and is reported
        # Only typer's own help text gets here: the output of commands is handled by `guarded`.
        if isinstance(exc, OSError) and exc.errno == errno.ENOSPC and exc.filename is None:
            from askance.cli.exits import silence

            sys.stderr.write(f"askance: The output cannot be written: {exc.strerror}.\n")
            silence(sys.stdout)
            sys.exit(1)
        from askance.cli.exits import report_crash

        sys.exit(report_crash(exc))


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    hidden: Annotated[bool, typer.Option("--hidden", help="Start without a window.")] = False,  # noqa: ARG001 - `askance.__main__` takes it
) -> None:
    """Search the web, look twice, and answer with sources. Without a command: the window."""
    if version:
        typer.echo(f"askance {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        # `askance.__main__` opens the window before it comes to this.
        typer.echo(context.get_help())


@app.command(add_help_option=False)
def toggle() -> None:
    """Show or hide the window; bind this to a key."""
    # `askance.__main__` does it, without typer: it has 60 ms.
    raise typer.Exit(commands.toggle.main(()))


@app.command()
def ask(
    question: Annotated[
        list[str],
        typer.Argument(metavar="QUESTION", help="What to find out; - reads it from stdin."),
    ],
    queries: Annotated[
        int, typer.Option(min=1, max=6, metavar="N", help="Queries in one round.")
    ] = 3,
    results: Annotated[
        int, typer.Option(min=1, max=50, metavar="N", help="Results kept after ranking.")
    ] = 10,
    passages: Annotated[
        int,
        typer.Option(max=50, metavar="N", help="Passages in one round; 0 for all that fit.", min=0),
    ] = 0,
    short: Annotated[bool | None, typer.Option("--short/--long", help="How much to write.")] = None,
    sites: Sites = None,
    lens: LensName = "",
    since: Since = None,
    fresh: Fresh = False,
    no_web: NoWeb = False,
    library_only: LibraryOnly = False,
    documents: Documents = None,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--file",
            metavar="PATH",
            help="Ask this file or folder alone, and nothing of the web or the library; several may be named.",
        ),
    ] = None,
    assignments: Assignments = None,
    verbose: Verbose = False,
    as_json: Json = False,
) -> Body:
    """Search the web and answer with sources."""

    def body(shell: Shell) -> Exit:
        from askance.domain.conversation import SearchSize

        chosen = {
            "answer.length": None if short is None else "short" if short else "long",
        }
        # Narrowing to documents asks no website, so an option about websites would have no effect.
        if documents and (sites or since or fresh or lens):
            raise typer.BadParameter(
                "--document asks no website: leave out --site, --lens, --since and --fresh."
            )
        if files and (documents or sites or since or fresh or library_only):
            raise typer.BadParameter("--file asks these files alone: leave out what else to ask.")
        chosen |= sources_of(
            fresh=fresh,
            no_web=no_web or bool(files),
            library_only=library_only or bool(documents),
        )
        # None was not given: the file, the environment or the default counts.
        overrides = overrides_of(assignments) | {k: v for k, v in chosen.items() if v is not None}
        words, part = shell.question(question), narrowing_of(shell, sites, since, lens)
        if documents:
            part = commands.library.among(shell, documents)
        return commands.asking.ask(
            shell,
            words,
            overrides,
            narrowing=part,
            size=SearchSize(queries, results, passages),
            files=files or (),
            as_json=as_json,
            verbose=verbose,
        )

    return body


@app.command()
def evidence(
    question: Annotated[
        list[str],
        typer.Argument(metavar="QUESTION", help="What to find out; - reads it from stdin."),
    ],
    max_tokens: Annotated[
        int, typer.Option(min=400, max=8000, metavar="N", help="Tokens of the prompt at the most.")
    ] = 2000,
    max_blocks: Annotated[
        int, typer.Option(min=1, max=12, metavar="N", help="Passages at the most.")
    ] = 6,
    sites: Sites = None,
    lens: LensName = "",
    since: Since = None,
    assignments: Assignments = None,
    as_json: Json = False,
) -> Body:
    """Write a prompt with the best evidence of the web. It is for any model; none is needed here."""

    def body(shell: Shell) -> Exit:
        from askance.domain.evidence import EvidenceRequest

        part = narrowing_of(shell, sites, since, lens)
        wish = EvidenceRequest(max_tokens, max_blocks, narrowing=part)
        words = shell.question(question)
        return commands.asking.evidence(
            shell, words, wish, overrides_of(assignments), as_json=as_json
        )

    return body


@app.command()
def check(
    place: Annotated[
        str, typer.Argument(metavar="FILE", help="The text; - reads it from stdin.")
    ] = "-",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Search without asking.")] = False,
    assignments: Assignments = None,
    as_json: Json = False,
) -> Body:
    """Check the claims of a text, and the pages that it cites, against the web. No model is asked."""
    return lambda shell: commands.checking.check(
        shell, place, overrides_of(assignments), yes=yes, as_json=as_json
    )


@app.command()
def chat(
    fresh: Fresh = False,
    no_web: NoWeb = False,
    library_only: LibraryOnly = False,
    assignments: Assignments = None,
    verbose: Verbose = False,
) -> Body:
    """Hold a conversation; /search in it searches the web."""
    sources = sources_of(fresh=fresh, no_web=no_web, library_only=library_only)
    return lambda shell: commands.asking.chat(
        shell, overrides_of(assignments) | sources, verbose=verbose
    )


@app.command()
def read(
    urls: Annotated[list[str], typer.Argument(metavar="URL", help="Web addresses.")],
    assignments: Assignments = None,
    as_json: Json = False,
) -> Body:
    """Read web pages and show their text."""
    return lambda shell: commands.asking.read(
        shell, urls, overrides_of(assignments), as_json=as_json
    )


@app.command()
def doctor(assignments: Assignments = None, as_json: Json = False) -> Body:
    """Check every part, and say how to fix what is missing.

    One test query goes through the search engine.
    """
    return lambda shell: commands.doctor.examine(shell, overrides_of(assignments), as_json=as_json)


@app.command()
def demo(
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="A question of your own.")
    ] = None,
    assignments: Assignments = None,
    verbose: Verbose = False,
    as_json: Json = False,
) -> Body:
    """Answer a question from an invented web, without a network."""

    def body(shell: Shell) -> Exit:
        words = shell.question(question) if question else ""
        overrides = overrides_of(assignments)
        return commands.asking.demonstrate(
            shell, words, overrides, as_json=as_json, verbose=verbose
        )

    return body


@app.command()
def evaluate(
    again: Annotated[bool, typer.Option("--again", help="Start anew.")] = False,
    minutes: Annotated[
        float, typer.Option(min=0.01, max=10, metavar="N", help="How long to ask at the most.")
    ] = 10,
    small: Annotated[
        bool, typer.Option("--small", help="Evaluate the small model of `askance demo`.")
    ] = False,
    assignments: Assignments = None,
    as_json: Json = False,
) -> Body:
    """Find out how good the model is on this machine.

    It takes ten minutes at the most. The model answers questions about an invented web. One that was stopped goes on when it is called again.
    """

    def body(shell: Shell) -> Exit:
        wanted = commands.evaluate.Wanted(again, as_json, small, 60 * minutes)
        return commands.evaluate.evaluate(shell, overrides_of(assignments), wanted)

    return body


@config_app.command("show")
def config_show(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Such as search.url.")] = None,
) -> Body:
    """Show all settings, or all about one."""
    return lambda shell: commands.storage.show_settings(shell, name)


@config_app.command("path")
def config_path() -> Body:
    """Show where the settings file is."""
    return commands.storage.settings_path


# A value may begin with a dash, as that of `llm.keep_alive` does: no option has its form.
@config_app.command("set", context_settings={"ignore_unknown_options": True})
def config_set(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as search.url.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What it is set to.")],
) -> Body:
    """Write one setting into the settings file."""
    return lambda shell: commands.storage.change_setting(shell, name, value)


@trace_app.command("list")
def trace_list() -> Body:
    """List past runs, newest first."""
    return commands.history.list_traces


@trace_app.command("show")
def trace_show(trace: LastTrace = "") -> Body:
    """Tell every step of a run."""
    return lambda shell: commands.history.show_trace(shell, trace)


# `askance library`.

_LISTED = 50
_FOUND = 10
library_app = CommandTree(no_args_is_help=True)


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
FromDate = Annotated[
    str, typer.Option(metavar="DATE", help="From this date on, such as 2026-01-31 or 2026.")
]
UntilDate = Annotated[str, typer.Option(metavar="DATE", help="Up to this date.")]


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
) -> Body:
    """Add folders, files and web pages, or bring them up to date. Without any: all that were added before.

    A .jsonl file holds documents, one a line: url, title, text, tags.
    """
    return lambda shell: commands.library_adding.add(
        shell, places or (), tags or (), include, exclude, again=again, as_json=as_json
    )


@library_app.command("search")
def library_search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS")],
    limit: Limit = _FOUND,
    tags: Tags = None,
    origin: FromOrigin = "",
    language: InLanguage = "",
    kind: FromKind = "",
    syntax: InSyntax = "",
    since: FromDate = "",
    until: UntilDate = "",
    mode: Annotated[
        str, typer.Option(metavar="MODE", help="auto, keywords, semantic or hybrid.")
    ] = "auto",
    as_json: Json = False,
) -> Body:
    """Show the passages that fit some words best."""
    return lambda shell: commands.library.search(
        shell,
        " ".join(words),
        limit,
        _filters(tags, origin, language, kind, syntax, since, until),
        mode=mode,
        as_json=as_json,
    )


@library_app.command("list")
def library_list(
    limit: Limit = _LISTED,
    tags: Tags = None,
    origin: FromOrigin = "",
    language: InLanguage = "",
    kind: FromKind = "",
    syntax: InSyntax = "",
    since: FromDate = "",
    until: UntilDate = "",
    as_json: Json = False,
) -> Body:
    """List documents, the one that was read last first."""
    return lambda shell: commands.library.list_all(
        shell,
        limit,
        _filters(tags, origin, language, kind, syntax, since, until),
        as_json=as_json,
    )


@library_app.command("show")
def library_show(
    reference: Reference,
    version: Annotated[
        str, typer.Option(metavar="HASH", help="An earlier text of it, as the list of them says.")
    ] = "",
    as_json: Json = False,
) -> Body:
    """Show a document, its earlier versions, and its text."""
    return lambda shell: commands.library.show(shell, reference, version, as_json=as_json)


@library_app.command("tag")
def library_tag(
    reference: Reference,
    tags: Annotated[list[str], typer.Argument(metavar="TAG")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the tags off.")] = False,
) -> Body:
    """Tag a document."""
    return lambda shell: commands.library.tag(shell, reference, tags, remove=remove)


@library_app.command("remove")
def library_remove(
    references: Annotated[
        list[str] | None,
        typer.Argument(metavar="DOCUMENT|FOLDER", help="Addresses, paths or IDs."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Everything, and all folders.")] = False,
) -> Body:
    """Delete documents with all their versions, or all of a folder. The files stay as they are."""
    if every and references:
        raise typer.BadParameter("--all deletes everything: leave out what else is named.")
    return lambda shell: (
        commands.library.clear(shell) if every else commands.library.remove(shell, references or ())
    )


@library_app.command("export")
def library_export(
    out: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A new file; none, or -: standard output."),
    ] = None,
) -> Body:
    """Write all documents, one a line, to be imported elsewhere."""
    return lambda shell: commands.library.export(shell, None if out == STDOUT else out)


@library_app.command("import")
def library_import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Documents, one a line of JSON.")],
    tags: Tags = None,
    as_json: Json = False,
) -> Body:
    """Add the documents of a file. Each line is JSON with url, title, text and tags."""
    return lambda shell: commands.library_adding.import_lines(
        shell, file, tags or (), as_json=as_json
    )


@library_app.command("stats")
def library_stats(as_json: Json = False) -> Body:
    """Count what is kept."""
    return lambda shell: commands.library.stats(shell, as_json=as_json)


@library_app.command("status")
def library_status(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Files: was each indexed, and why not?"),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Name every file.")] = False,
    as_json: Json = False,
) -> Body:
    """Show for each folder what was indexed, what was not, and why."""
    return lambda shell: (
        commands.library.explained(shell, paths, as_json=as_json)
        if paths
        else commands.library.status(shell, every=every, as_json=as_json)
    )


@library_app.command("watch")
def library_watch(as_json: Json = False) -> Body:
    """Follow all folders that were added, until Ctrl-C. What changes in them is read at once."""
    return lambda shell: commands.library_adding.watch(shell, as_json=as_json)


@library_app.command("embed")
def library_embed(as_json: Json = False) -> Body:
    """Embed the passages that have no vector. It is all of them if the model has changed."""
    return lambda shell: commands.library_adding.embed(shell, as_json=as_json)


app.add_typer(
    library_app, name="library", help="Keep what you have read and what is yours, and search it."
)
add_server(app)
add_upkeep(app)
