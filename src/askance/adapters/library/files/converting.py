"""Files of Word and PowerPoint before 2007, converted by the LibreOffice that is installed into what is read here.

It runs without the network, writes into a folder of its own, and is ended with all that it started once its time is over.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from askance.domain.file_formats import OLD_POWERPOINT, OLD_WORD, Format, format_of
from askance.domain.messages import Message
from askance.extract.text.decoding import is_ole
from askance.system.children import end_child, start_child
from askance.system.program import NO_WINDOW, child_command

_ENDINGS = {OLD_WORD: ("doc", "docx"), OLD_POWERPOINT: ("ppt", "pptx")}
# A page takes a second or two, most of which is the start.
_TIMEOUT_S = 45.0
_START_AGAIN = 81
_MOST_BYTES = 256 * 1_048_576
_NAMES = ("soffice", "libreoffice")
_ELSEWHERE = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.com",
)


class NotRead(Exception):
    """A file holds no text, or none that can be taken out. `detail` says why."""

    def __init__(self, detail: Message) -> None:
        super().__init__(str(detail))
        self.detail = detail


def find_libreoffice() -> str:
    """Return the path of the LibreOffice that is installed; empty where there is none."""
    found = filter(None, map(shutil.which, _NAMES))
    place = next(found, next(filter(os.path.isfile, _ELSEWHERE), ""))
    # What a script on the path starts, so that it can be started again here.
    program = Path(os.path.realpath(place)).with_name("soffice.bin")
    return str(program) if place and program.is_file() else place


async def converted(data: bytes, form: Format) -> tuple[bytes, Format]:
    """Return a file in a format that is read here, and which that is; one that is in such a format as it is.

    Raises:
        NotRead: LibreOffice is not installed, or cannot read it.
    """
    if form.content_type not in _ENDINGS or not is_ole(data):
        return data, form
    if not (program := await asyncio.to_thread(find_libreoffice)):
        raise NotRead(Message("LibreOffice would read it, which is not installed."))
    old, new = _ENDINGS[form.content_type]
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="askance-convert-"))
    try:
        source, made = folder / f"file.{old}", folder / f"file.{new}"
        await asyncio.to_thread(source.write_bytes, data)
        async with asyncio.timeout(_TIMEOUT_S):
            # With a new profile it ends, to be started again.
            while await _run(program, folder, source, new) == _START_AGAIN:
                pass
        if not made.is_file() or made.stat().st_size > _MOST_BYTES:
            raise NotRead(Message("LibreOffice could not read it."))
        found = format_of(made)
        assert found is not None, "the formats that are converted into are known"
        return await asyncio.to_thread(made.read_bytes), found
    except TimeoutError:
        raise NotRead(Message("LibreOffice could not read it.")) from None
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _run(program: str, folder: Path, source: Path, ending: str) -> int:
    """Return the status of LibreOffice, which has ended with all that it started."""
    options = ("--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard")
    profile = (folder / "profile").as_uri()
    command = [program, f"-env:UserInstallation={profile}", *options]
    command += ["--convert-to", ending, "--outdir", str(folder), str(source)]
    process = await start_child(
        *child_command("askance.extract.office.converter"),
        str(folder),
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=folder,
        # What lies in the home of the user, and what it is told by variables, is none of its business.
        env={**_environment(), "HOME": str(folder), "TMPDIR": str(folder)},
        creationflags=NO_WINDOW,
        start_new_session=sys.platform != "win32",
    )
    try:
        return await process.wait()
    finally:
        # With what it may have started, which is of its group.
        await end_child(process)
        # LibreOffice names its socket by its profile, and cannot delete it from within the cage.
        digest = hashlib.md5(profile.encode("utf-16-le"), usedforsecurity=False).digest()
        name = f"OSL_PIPE_*_SingleOfficeIPC_{''.join(f'{byte:x}' for byte in digest)}"
        await asyncio.to_thread(_delete_socket, name)


def _delete_socket(name: str) -> None:
    for socket in Path("/tmp").glob(name):  # noqa: S108 - where it has it, whatever TMPDIR says
        socket.unlink(missing_ok=True)


def _environment() -> dict[str, str]:
    passed_on = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PYTHONPATH")
    return {name: os.environ[name] for name in passed_on if name in os.environ}
