"""What the system and the libraries say, put into our sentences."""

from __future__ import annotations

from askance.telling.words import term

SAYINGS = (
    term("its name is not known"),
    term("No route to host"),
    term("Network is unreachable"),
    term("Connection reset by peer"),
    term("no connection"),
    term("Connection refused"),
    term("No such file or directory"),
    term("Permission denied"),
    term("No space left on device"),
    term("Read-only file system"),
    term("Not a directory"),
    term("Is a directory"),
    term("timed out"),
    term("timeout"),
    term("too many requests"),
    term("access denied"),
    term("CAPTCHA"),
    term("exited"),
    term("restarting"),
    term("created"),
    term("paused"),
    term("dead"),
)
