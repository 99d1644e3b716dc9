"""`python -m askance` and the `askance` command: the one place that knows both front ends."""

import gc
import os
import signal
import sys

# What a command does not need, it must not pay for.
# ruff: noqa: PLC0415, PTH123, SIM115


_INTERRUPTED = 130


def main() -> None:
    """Run what was asked for; Ctrl-C in the middle of an import ends it without a word."""
    _open_missing_streams()
    try:
        _start()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _open_missing_streams() -> None:
    """Open the null device for standard streams that are closed, as services and Windows start programs.

    Else the first files of ours would get their numbers, and what others write to them.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")


def window() -> None:
    """Open the window: what starts `askance-window`, which has no console under Windows."""
    # Only what the window takes; the desktop may add arguments of its own, such as macOS' -psn.
    sys.argv[1:] = [argument for argument in sys.argv[1:] if argument == "--hidden"]
    main()


def _start() -> None:
    """Run the window, the command line, or the shortcut that has no time for either."""
    # What is imported stays: looking again and again whether it does is a tenth of the start. The
    # window collects by itself (`ui.shell.upkeep`).
    gc.disable()
    # pydantic looks for plugins in all installed packages at its first model; none has a place in our settings.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if sys.argv[1:2] == ["toggle"]:
        # Bound to a key: neither typer nor anything else that is heavy is imported.
        from askance.cli.commands import toggle

        sys.exit(toggle.main(sys.argv[2:]))
    if sys.argv[1:2] == ["mcp"] and not {"--http", "-h", "--help", "--set"} & set(sys.argv[2:]):
        # Other programs start it, and wait for it.
        from askance.server import daemon_connection as ipc

        sys.exit(ipc.main(sys.argv[2:]))
    if set(sys.argv[1:]) <= {"--hidden"}:
        # Until the window hears of signals, Ctrl-C in the middle of an import just ends it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Started at login, and waited for: typer would come on top.
        sys.exit(open_window(hidden=bool(sys.argv[1:])))
    from askance.cli.command_tree import main as run

    gc.freeze()
    gc.enable()
    run()


def open_window(*, hidden: bool) -> int:
    """Run the desktop program and return its exit status."""
    try:
        from askance.ui.shell.desktop_app import run
    except ImportError as exc:
        from askance.system.qt_environment import missing_from

        missing = missing_from(exc, os.environ)
        if missing is None:
            raise
        sys.stderr.write(f"askance: {missing}\n")
        return 1
    return run(dict(os.environ), hidden=hidden)


if __name__ == "__main__":
    main()
