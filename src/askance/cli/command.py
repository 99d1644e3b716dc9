"""What all commands share: their common options, and how a body is run.

Imports typer and nothing else that is heavy: `askance --help` answers within 80 ms of processor time.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from askance.cli.exits import Exit
    from askance.cli.shell import Shell
    from askance.domain.web_pages import SearchScope

STDOUT = Path("-")
"""What stands for the standard output where a file is named."""

Json = Annotated[bool, typer.Option("--json", help="Write one JSON object a line.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell every step as it happens.")]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting for this call; repeatable."),
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Search the web even where the library has the answer.")
]
NoWeb = Annotated[
    bool, typer.Option("--no-web", help="Search nothing: the library and the conversation answer.")
]
LibraryOnly = Annotated[bool, typer.Option("--library-only", help="Answer from the library alone.")]

Documents = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        metavar="PATH|URL|ID",
        help="Answer from this document of the library alone; repeatable.",
    ),
]
Sites = Annotated[
    list[str] | None,
    typer.Option("--site", metavar="DOMAIN", help="Only from this website; repeatable."),
]
LensName = Annotated[
    str,
    typer.Option("--lens", metavar="NAME", help="Through one of your lists of websites."),
]
Since = Annotated[
    Literal["day", "week", "month", "year"] | None,
    typer.Option("--since", help="Only pages that are no older."),
]


def narrowing_of(
    shell: Shell, sites: list[str] | None, since: str | None, lens: str
) -> SearchScope:
    """Return what a question is narrowed to by the options about websites."""
    from askance.app.own_files import OwnFiles

    return OwnFiles(shell.folders.config).scope(sites, since, lens)


def sources_of(*, fresh: bool, no_web: bool, library_only: bool) -> dict[str, object]:
    """Return what the options about library and web set."""
    if fresh and (no_web or library_only):
        raise typer.BadParameter("--fresh asks the web: leave out --no-web and --library-only.")
    chosen: dict[str, object] = {}
    if no_web:
        chosen["search.enabled"] = False
    if fresh or library_only:
        chosen["library.recall"] = "never" if fresh else "only"
    return chosen


class Body(Protocol):
    """What a command does."""

    def __call__(self, shell: Shell, /) -> Exit:
        """Do it, and return the exit code."""
        ...


class CommandTree(typer.Typer):
    """A group of commands, each a function that returns what is to be done: its body, which is run in the shell."""

    def __init__(self, **settings: Any) -> None:
        # With markup typer imports rich for its help, 100 ms of the 200.
        super().__init__(rich_markup_mode=None, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """Return what adds a function as a command."""
        return super().command(name, cls=_BodyCommand, **settings)


class _BodyCommand(TyperCommand):
    def invoke(self, ctx: Any) -> Any:  # typer keeps its type private
        """Run the body that the command's function returns."""
        return ctx.invoke(run, ctx, super().invoke(ctx))


def run(context: typer.Context, body: Body) -> None:
    """Run a body in the shell that was handed in, or in that of this process."""
    from askance.cli.exits import guarded, handle_ctrl_c
    from askance.cli.shell import process_shell

    # Tests hand a shell in as `obj`; the signals and the log are those of the real program alone.
    if context.obj is None:
        handle_ctrl_c()
    shell: Shell = context.obj or process_shell()
    # A command that shows the log is not logged itself.
    is_logged = context.obj is None and context.info_name != "logs"
    with _logged(context, shell) if is_logged else nullcontext():
        code = guarded(lambda: body(shell), stdout=shell.stdout, stderr=shell.stderr)
    raise typer.Exit(int(code))


def _logged(context: typer.Context, shell: Shell) -> AbstractContextManager[None]:
    from askance.config.diagnostics import logged

    # The names of commands alone: arguments are what a person typed, and never enter the log.
    names = [context.info_name or ""]
    if (parent := context.parent) is not None and parent.parent is not None:
        # A command of a group has two names, such as `config show`.
        names.insert(0, parent.info_name or "")
    return logged(shell.folders, " ".join(names))


def overrides_of(assignments: list[str] | None) -> dict[str, Any]:
    """Return `section.field` with its value for each `NAME=VALUE`; a later one wins.

    Raises:
        SettingsError: an assignment has no equals sign, or names no setting.
    """
    from askance.config.settings import written_value
    from askance.domain.errors import SettingsError

    overrides: dict[str, Any] = {}
    for assignment in assignments or []:
        # Split at the first equals sign: a value may contain more of them.
        name, equals, text = assignment.partition("=")
        if not equals:
            raise SettingsError(
                f"--set {assignment!r} gives no value.",
                fix="Write it as --set limits.rounds=2.",
            )
        overrides[name.strip()] = written_value(name.strip(), text.strip())
    return overrides
