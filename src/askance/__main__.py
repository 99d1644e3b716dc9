"""`python -m askance` and the `askance` command."""

import signal
import sys


def main() -> None:
    """Run the command line, or the shortcut that has no time for it."""
    if sys.argv[1:2] == ["toggle"]:
        # Bound to a key: neither typer nor anything else that is heavy is imported.
        from askance.cli import toggle  # noqa: PLC0415

        sys.exit(toggle.main(sys.argv[2:]))
    if sys.argv[1:] in ([], ["--hidden"]):
        # Until the window hears of signals, Ctrl-C in the middle of an import just ends it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Started at login, and waited for: typer would come on top.
        from askance.cli.window import open_window  # noqa: PLC0415

        sys.exit(open_window(None, hidden=bool(sys.argv[1:])))
    from askance.cli.app import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
