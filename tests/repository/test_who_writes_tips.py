"""Tooltips, labels and addresses that strangers may have written go through one door each."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from repository.places import SOURCES, python_files

WINDOW = SOURCES / "ui"
# What Qt takes for markup where it looks like it, or what draws markup as such.
GUESSING = {
    *("setToolTip", "setWhatsThis", "setStatusTip", "setToolTipDuration", "showMessage"),
    *("setHtml", "insertHtml", "appendHtml", "toHtml", "setMarkdown", "insertMarkdown"),
    *("setTextFormat", "setInformativeText", "setDetailedText", "setDefaultStyleSheet", "showText"),
    *("ToolTipRole", "WhatsThisRole", "StatusTipRole", "ToolTip_", "openUrl"),
}
LABELS = {
    *("QLabel", "QMessageBox", "QErrorMessage", "QWizard", "QSplashScreen", "QWhatsThis"),
    *("QStaticText", "QTextBrowser", "QTextEdit", "QTextDocument", "QProgressDialog"),
}
# Who may, and why it is safe there.
ALLOWED = {
    # The door for tooltips, and for labels of plain text and of markup, which escapes what it is given.
    "design/labels.py": {"setToolTip", "showText", "setTextFormat", "QLabel"},
    # Words of ours; a notification without what markup is made of.
    "shell/tray.py": {"setToolTip", "showMessage"},
    # Documents that load nothing, filled with words in formats; the cells of a table for the clipboard, escaped.
    "overlay/answer/answer_piece.py": {"QTextDocument"},
    "overlay/answer/answer_page.py": {"QTextBrowser", "QTextDocument", "setHtml"},
    # Asked how wide it is, where a formula is measured for it.
    "overlay/answer/tex_formulas.py": {"QTextDocument"},
    # For the clipboard, out of the renderer of exports: tags of a model are words in it.
    "overlay/conversation/exchange_view.py": {"setHtml"},
    # The kind of mark that a found word has.
    "overlay/find_bar.py": {"QTextDocument", "QTextEdit"},
    # The same on paper, in a document that loads nothing.
    "overlay/answer/printing.py": {"setHtml"},
    # A field of plain text.
    "overlay/library_view.py": {"QTextEdit"},
    "overlay/bar/ask_field.py": {"QTextEdit", "QTextDocument"},
    # Addresses of ours, and those that begin with http:// or https://.
    "shell/desktop.py": {"openUrl"},
}  # fmt: skip


def used_in(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name) if name in GUESSING:
                yield name
            case ast.ImportFrom(names=names):
                yield from (alias.name for alias in names if alias.name in LABELS)
            case _:
                pass


def test_nobody_lets_qt_guess_what_is_markup() -> None:
    found = {
        path.relative_to(WINDOW).as_posix(): set(used_in(path.read_text("utf-8")))
        for path in python_files(WINDOW)
    }
    assert {name: used for name, used in found.items() if used} == ALLOWED
