"""Text out of workbooks that are no XML: those of Excel before 2007 (.xls), and binary ones (.xlsb), by calamine."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, time

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason
from askance.extract.extracted import Extracted, empty, markdown_heading, outcome
from askance.extract.office.archives import (
    MOST_UNPACKED_BYTES,
    ArchiveTooLarge,
    markdown_row,
    unread_parts,
)
from askance.extract.office.xlsx_pptx import MOST_CELLS, SHOWN_DIGITS


def read_old_workbook(data: bytes) -> Extracted:
    """Return the text of a workbook; of a hidden sheet it is said that it is one.

    Raises:
        ImportError: calamine is not installed.
        ValueError: it is damaged.
        ArchiveTooLarge: it unpacks to more than it may.
    """
    import python_calamine as calamine  # noqa: PLC0415 - few files need it

    stream = io.BytesIO(data)
    if zipfile.is_zipfile(stream):
        # Calamine bounds nothing; a size that is invented ends at the memory that a process may have.
        with zipfile.ZipFile(stream) as archive:
            if sum(member.file_size for member in archive.infolist()) > MOST_UNPACKED_BYTES:
                raise ArchiveTooLarge
    stream.seek(0)
    blocks: list[str] = []
    unread: list[str] = []
    left = MOST_CELLS
    try:
        book = calamine.CalamineWorkbook.from_filelike(stream)
    except calamine.PasswordError:
        return empty(PageReason.NO_TEXT, Message("The file is encrypted."))
    except BaseException as exc:
        raise _damage(exc) from exc
    for sheet in book.sheets_metadata:
        is_hidden = sheet.visible is not calamine.SheetVisibleEnum.Visible
        blocks.append(markdown_heading(sheet.name + " (hidden)" * is_hidden, 2))
        lines: list[str] = []
        try:
            for row in book.get_sheet_by_name(sheet.name).iter_rows():
                cells = [_shown(cell) for cell in row]
                left -= sum(map(bool, cells))
                if left < 0:
                    break
                lines += [markdown_row(iter(cells))] if any(cells) else []
        except BaseException as exc:
            if not isinstance(_damage(exc), ValueError):
                raise
            unread.append(sheet.name)
        blocks.append("\n".join(lines))
    cut = Message("Only the first {n} cells are read.", n=MOST_CELLS) if left < 0 else NOTHING
    return outcome(iter(blocks), "", None, Message.joined(cut, unread_parts(unread)))


def _damage(error: BaseException) -> BaseException:
    """Return what calamine raised as damage, if it is: a panic of Rust is no `Exception`."""
    is_panic = type(error).__name__ == "PanicException"
    is_damage = is_panic or (isinstance(error, Exception) and not isinstance(error, MemoryError))
    return ValueError(str(error)) if is_damage else error


def _shown(cell: object) -> str:
    """Return a value as a cell shows it; how a cell formats a number is not known."""
    match cell:
        case bool():
            return str(cell).upper()
        case float():
            return f"{cell:.{SHOWN_DIGITS}g}"
        case datetime():
            return f"{cell:%Y-%m-%d %H:%M}" if cell.time() != time() else f"{cell:%Y-%m-%d}"
        case _:
            return str(cell)
