"""Where sockets, locks and marks of the running program lie: never where another user could have put something first."""
# `askance toggle` is bound to a key, so this imports nothing that is heavy, such as pathlib.
# ruff: noqa: PTH100, PTH111, PTH118

from __future__ import annotations

import os
import stat
import sys

# What a type checker takes for true, without importing `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_OTHERS_MAY_WRITE = 0o022


def runtime_folder(environment: Mapping[str, str]) -> str:
    """Return the folder, which need not exist. Whoever makes it claims it (`private_files.claim_folder`).

    Without `XDG_RUNTIME_DIR` it has a name of this user's among the temporary files. Where a link lies there, or
    what belongs to another user, it is in the user's own cache instead.
    """
    if home := environment.get("ASKANCE_HOME"):
        return os.path.abspath(os.path.join(os.path.expanduser(home), "run"))
    if sys.platform == "win32":
        local = environment.get("LOCALAPPDATA") or os.path.expanduser("~")
        return os.path.join(local, "askance", "run")
    if runtime := environment.get("XDG_RUNTIME_DIR"):
        return os.path.abspath(os.path.join(runtime, "askance"))
    chosen = temporary_folder(environment)
    if is_ours(chosen, if_absent=True):
        return chosen
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.abspath(os.path.join(cache, "askance", "run"))


def temporary_folder(environment: Mapping[str, str], suffix: str = "") -> str:
    """Return a folder of this user's among the temporary files, by its name."""
    user = os.getuid() if sys.platform != "win32" else ""
    chosen = os.path.join(environment.get("TMPDIR") or "/tmp", f"askance-{user}{suffix}")  # noqa: S108
    return os.path.abspath(chosen)


def is_ours(folder: str, *, if_absent: bool = False, closed: bool = False) -> bool:
    """Whether a folder is this user's, and no link; where it is not there, `if_absent`.

    With `closed` others must not be able to write there either.
    """
    if sys.platform == "win32":
        return True
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return if_absent
    except OSError:
        return False
    is_folder = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return is_folder and not (closed and found.st_mode & _OTHERS_MAY_WRITE)
