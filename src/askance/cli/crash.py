"""What a command says when it crashes: one line that names the report."""

from __future__ import annotations

import os
import sys
import traceback

from askance.cli.endings import Exit
from askance.cli.render.output import say
from askance.config.folders import find_folders
from askance.diagnostics.reports import mark_told, write_report
from askance.domain.errors import place_of

_VERBOSE = {"-v", "--verbose"}


def tell_of_crash(error: Exception) -> Exit:
    """Leave a report of an error that nobody expected, and say where it is.

    The traceback, whose last line may quote anything, is shown with `--verbose`.
    """
    folders = find_folders(os.environ)
    report = write_report(folders, error)
    if _VERBOSE & set(sys.argv) or report is None:
        traceback.print_exception(error)
    what = f"askance: Askance crashed: {place_of(error)}."
    if report is None:
        say(sys.stderr, f"{what} No report could be written.")
        return Exit.SERVICE_FAILED
    mark_told(folders, [report])
    say(sys.stderr, f"{what} The report is {report}; nothing was sent.")
    return Exit.SERVICE_FAILED
