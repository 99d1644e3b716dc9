"""`askance library watch` and `status PATH`: what becomes of files as they change, and what became of one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from askance.adapters.library.explaining import explain
from askance.adapters.library.watching import Followed, Listeners
from askance.cli.commands.library import opened
from askance.cli.exits import Exit, stoppable
from askance.cli.render.output import say
from askance.cli.shell import Shell
from askance.domain.errors import InputError
from askance.domain.library import Folder
from askance.domain.messages import Message
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line
from askance.stores import folder_watch


def watch(shell: Shell, *, as_json: bool = False) -> Exit:
    """Follow all folders that were added, until Ctrl-C.

    Raises:
        InputError: none was added.
    """
    settings = shell.settings()
    with opened(shell) as library:
        if not library.book.folders():
            raise InputError(
                "There is no folder to watch.", fix="`askance library add FOLDER` adds one."
            )
        telling = _Telling(shell, as_json=as_json)
        listeners = Listeners(
            telling.watching, telling.followed, telling.caught_up, telling.trouble
        )

        async def follow() -> None:
            await stoppable(folder_watch(settings, shell.folders, library, listeners).run())

        asyncio.run(follow())
    say(shell.stderr, "Stopped.")
    return Exit.INTERRUPTED


def explained(shell: Shell, paths: Sequence[str], *, as_json: bool = False) -> Exit:
    """Say of each path whether it is in the library, and why not."""
    settings = shell.settings().library
    with opened(shell) as library:
        found = [explain(Path(path), library.book, settings) for path in paths]
    for answer in found:
        if as_json:
            shell.stdout.line(json.dumps({"type": "path", **asdict(answer)}))
            continue
        why = f": {answer.detail}" if answer.detail else ""
        shell.stdout.line(f"{answer.standing:<9}  {one_line(f'{answer.path}{why}')}")
        if answer.folder:
            shell.stdout.line(one_line(f"  Folder: {answer.folder}"))
        if answer.documents:
            shell.stdout.line(f"  Documents: {len(answer.documents):,}")
    return Exit.DONE


@dataclass
class _Telling:
    shell: Shell
    as_json: bool

    def watching(self, folders: Sequence[Folder]) -> None:
        paths = [folder.path for folder in folders]
        self._say(
            {"type": "watching", "folders": paths},
            f"Watching {counted(len(paths), 'folder')}: {', '.join(paths)}. Ctrl-C ends it.",
        )

    def caught_up(self) -> None:
        self._say({"type": "caught_up"}, "Up to date.")

    def followed(self, followed: Followed) -> None:
        record = {
            "type": "file",
            "path": followed.path,
            "became": followed.became,
            "rule": followed.rule,
            "reason": str(followed.detail),
            "moved_from": followed.moved_from,
        }
        origin = f" (from {followed.moved_from})" if followed.moved_from else ""
        why = f": {followed.detail}" if followed.detail else ""
        self._say(record, f"{followed.path}{origin}{why}", f"{followed.became:<9} ")

    def trouble(self, trouble: Message) -> None:
        self._say({"type": "trouble", "reason": str(trouble)}, trouble)

    def _say(self, record: dict[str, Any], said: str, head: str = "") -> None:
        self.shell.stdout.line(json.dumps(record) if self.as_json else f"{head}{one_line(said)}")
