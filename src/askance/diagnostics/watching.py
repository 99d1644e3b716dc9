"""What is set up while the program runs, so that its end leaves a trace whatever that end is."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType

from askance import __version__
from askance.config.folders import Folders
from askance.config.private_files import make_folder, open_lock, try_lock
from askance.diagnostics.log_file import logging_to
from askance.diagnostics.reports import FAULT_SUFFIX, head, system, write_report
from askance.domain.errors import place_of

_log = logging.getLogger(__name__)
# A slot that fails may do so with every frame that is drawn.
_MOST_REPORTS = 5


class _Reporter:
    """Writes a report for each place at which something went wrong."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._places: set[str] = set()
        self._lock = threading.Lock()

    def report(self, error: BaseException) -> None:
        with self._lock:
            place = place_of(error)
            if place in self._places or len(self._places) >= _MOST_REPORTS:
                return
            self._places.add(place)
            _log.critical("Unhandled error: %s", place)
            write_report(self._folders, error)


class _Now:
    reporter: _Reporter | None = None


def report(error: BaseException) -> None:
    """Leave a report of an error that nobody expected, if this program is watched over."""
    if _Now.reporter is not None and isinstance(error, Exception):
        _Now.reporter.report(error)


@contextmanager
def logged(folders: Folders, program: str) -> Generator[None]:
    """Log the start and the end of a program, and keep what a crash below Python leaves.

    `program` names what it does: `window`, or a command. Nothing is raised where the folder cannot
    be written.
    """
    with ExitStack() as stack:
        stack.enter_context(logging_to(folders.log))
        stack.enter_context(_faults_kept(folders))
        begun = time.monotonic()
        told = {"program": program, "version": __version__, "system": system()}
        _log.info("Started.", extra=told | {"python": sys.version.split()[0]})
        try:
            yield
        except Exception as exc:
            _log.critical(
                "Ended by an unhandled error: %s", place_of(exc), extra={"program": program}
            )
            raise
        _log.info("Ended.", extra={"program": program, "seconds": _since(begun)})


@contextmanager
def reporting(folders: Folders) -> Generator[None]:
    """Leave a report of every error that nobody handles, in whatever thread, and of `report`.

    What is told besides, such as a traceback on the error stream, is told as before.
    """
    reporter = _Reporter(folders)
    before, thread_before = sys.excepthook, threading.excepthook

    def hook(kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        report(error)
        before(kind, error, place)

    def thread_hook(ended: threading.ExceptHookArgs) -> None:
        if ended.exc_value is not None:
            report(ended.exc_value)
        thread_before(ended)

    _Now.reporter = reporter
    sys.excepthook, threading.excepthook = hook, thread_hook
    try:
        yield
    except Exception as exc:
        report(exc)
        raise
    finally:
        _Now.reporter = None
        sys.excepthook, threading.excepthook = before, thread_before


@contextmanager
def _faults_kept(folders: Folders) -> Generator[None]:
    """Let Python write where it was if the process crashes below it, into a file of its own.

    The file is locked for as long as the process lives, by which others see that it does.
    """
    if faulthandler.is_enabled():  # somebody wants to see it elsewhere
        yield
        return
    file = folders.crashes / f"{os.getpid()}{FAULT_SUFFIX}"
    try:
        make_folder(folders.crashes)
        handle = open_lock(file)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):
            try_lock(handle)
            os.ftruncate(handle, 0)
            os.write(handle, f"{head()}\n".encode())
        faulthandler.enable(handle)
        yield
    finally:
        faulthandler.disable()
        os.close(handle)
        with suppress(OSError):
            file.unlink()


def _since(begun: float) -> float:
    return round(time.monotonic() - begun, 1)
