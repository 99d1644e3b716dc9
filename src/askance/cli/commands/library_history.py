"""`askance library add --history`: the pages that a browser remembers, after a question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from askance.adapters.library.collected import fuller
from askance.adapters.library.lines import keep_all
from askance.cli.commands.library import opened
from askance.cli.consent import confirmed
from askance.cli.exits import Exit
from askance.cli.shell import Shell
from askance.domain.errors import InputError
from askance.domain.library import Outcome
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line
from askance.stores import browser_histories, visited_pages

_TAKEN = (
    "Of each page that was visited Askance keeps the address, the title, the description and the day of the "
    "last visit, on this computer.",
    "Left out are passwords, fragments and parameters that look like secrets in addresses, and pages "
    "without a title. What you typed into search engines stays in their addresses and titles.",
    "No page is downloaded, and the browser's file stays as it is.",
)


def add_history(
    shell: Shell,
    browser: str,
    places: Sequence[str],
    tags: Sequence[str],
    *,
    yes: bool = False,
    as_json: bool = False,
) -> Exit:
    """Add the pages that a browser remembers: one of a kind of browsers, or a file.

    Raises:
        InputError: there is no such file, it is none of a browser, or nobody agreed.
    """
    if places:
        raise InputError(
            "--history takes no other places.", fix="Add them with a command of their own."
        )
    files = browser_histories(browser)
    if not files:
        raise InputError(
            f"No history of {one_line(browser)!r} was found.", fix="Name its file instead."
        )
    if not yes and not _agreed(shell, files):
        shell.stdout.line("Nothing was added.")
        return Exit.DONE
    for file in files:
        _add(shell, file, tags, as_json=as_json)
    return Exit.DONE


def _agreed(shell: Shell, files: Sequence[Path]) -> bool:
    for line in (*(str(file) for file in files), *_TAKEN):
        shell.stdout.line(one_line(line))
    try:
        return confirmed(shell, "Add it to the library? [y/N] ")
    except EOFError:
        shell.stdout.line()
        return False


def _add(shell: Shell, file: Path, tags: Sequence[str], *, as_json: bool) -> None:
    pages = visited_pages(file, shell.folders)
    counts = dict.fromkeys(Outcome, 0)
    with opened(shell) as library:
        news = [page for page in pages if not fuller(library, page)]
        tagged = (replace(page, tags=(*page.tags, *tags)) for page in news)
        for added in keep_all(library, tagged):
            for one in added:
                counts[one.outcome] += 1
    known = len(pages) - len(news)
    if as_json:
        told = {outcome.value: n for outcome, n in counts.items()}
        shell.stdout.line(json.dumps({"path": str(file), **told, "held_already": known}))
        return
    said = [f"{n:,} {outcome}" for outcome, n in counts.items() if n]
    if known:
        said.append(f"{known:,} held already")
    shell.stdout.line(
        one_line(f"{file}: {counted(len(pages), 'page')}: {', '.join(said) or 'none'}.")
    )
