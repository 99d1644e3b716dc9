"""A picture of an area of the screen, which the user draws: by the desktop's portal, or the platform's own program."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from askance.domain.addresses import path_of
from askance.system.children import end_child, start_child

# Opens what draws an area under Windows, whose picture comes into the clipboard.
_SNIPPING_TOOL = "ms-screenclip:"
_SCREENCAPTURE = "/usr/sbin/screencapture"


async def can_take(environment: Mapping[str, str]) -> bool:
    """Return whether there is something that takes one, and says where it is."""
    if sys.platform == "darwin":
        return await asyncio.to_thread(os.path.exists, _SCREENCAPTURE)
    if sys.platform == "win32":
        return True
    from askance.system.session_bus import has_screenshots  # noqa: PLC0415 - only Linux has it

    return await has_screenshots(environment)


async def take(environment: Mapping[str, str]) -> Path | None:
    """Let the user draw an area, and return the file of its picture; None where none was drawn.

    Raises:
        OSError: the desktop does not take one.
    """
    if sys.platform == "win32":
        os.startfile(_SNIPPING_TOOL)  # noqa: S606 - a part of Windows
        return None
    if sys.platform != "darwin":
        from askance.system.session_bus import request_screenshot  # noqa: PLC0415 - as above

        path = path_of(await request_screenshot(environment))
        return Path(path) if path else None
    handle, name = await asyncio.to_thread(tempfile.mkstemp, ".png", "askance-")
    os.close(handle)
    process = await start_child(_SCREENCAPTURE, "-i", name)
    try:
        await process.wait()
    finally:
        await end_child(process)
    if (await asyncio.to_thread(Path(name).stat)).st_size:
        return Path(name)
    # The user has pressed Escape.
    await asyncio.to_thread(os.unlink, name)
    return None
