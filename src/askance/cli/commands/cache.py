"""`askance cache`: the pages that are kept on this machine."""

from __future__ import annotations

from contextlib import closing

from askance.cli.endings import Exit
from askance.cli.shell import Shell
from askance.config.settings import CacheSettings
from askance.presentation.cleaning import clean
from askance.presentation.words import counted
from askance.stores import open_page_cache

_MIB = 1_048_576


def show(shell: Shell) -> Exit:
    """Show how many pages are kept, where, and for how long they are taken as they are."""
    in_force = shell.settings()
    settings = in_force.cache
    with closing(open_page_cache(in_force, shell.folders, shell.complain)) as cache:
        contents = cache.contents()
    room = f"{contents.bytes / _MIB:.1f} of {settings.size_mb:,} MiB"
    shell.stdout.line(f"{counted(contents.pages, 'page')} kept, {room}.")
    shell.stdout.line(clean(f"File: {shell.folders.page_cache}"))
    shell.stdout.line(_use(settings))
    return Exit.DONE


def clear(shell: Shell) -> Exit:
    """Forget all pages."""
    with closing(open_page_cache(shell.settings(), shell.folders, shell.complain)) as cache:
        pages = cache.clear()
    shell.stdout.line(f"{counted(pages, 'page')} forgotten.")
    return Exit.DONE


def _use(settings: CacheSettings) -> str:
    if not settings.enabled:
        return "It is switched off (cache.enabled): no page is taken from it, none is added."
    span = counted(settings.fresh_minutes, "minute")
    return f"A page is taken as it is for {span}; after that its server is asked for changes."
