"""The language of the window: catalogues of Qt Linguist behind the seam in `presentation.i18n`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDate, QLibraryInfo, QLocale, QTranslator

from askance.presentation.i18n import English, speak, term

CONTEXT = "Askance"
ENGLISH = "en"
# Beside English, which needs no catalogue.
TRANSLATED = ("de",)
_FOLDER = Path(__file__).with_name("languages")
# How a date is written, in Qt's letters.
_DATE = term("d MMMM yyyy")
# Qt counts with a C int.
_MOST = 2**31 - 1


class Catalogue(English):
    """A language with a catalogue; what that lacks is said in English.

    Raises:
        OSError: the catalogue is not there, or is none.
    """

    def __init__(self, locale: QLocale, folder: Path = _FOLDER) -> None:
        self._locale = locale
        self._translator = QTranslator()
        self.code = _language_of(locale.bcp47Name())
        file = folder / f"askance_{self.code}.qm"
        if not self._translator.load(str(file)):
            raise OSError(f"There is no catalogue in {file}.")

    def text(self, source: str) -> str:
        """Return the translation of a text, its places in braces kept."""
        return (source and self._translator.translate(CONTEXT, source)) or source

    def plural(self, one: str, many: str, number: int) -> str:
        """Return the translation of the form that goes with `number`, by Qt's rules."""
        # Qt looks plurals up by one text and tells them by a comment: the singular is that comment.
        translation = self._translator.translate(CONTEXT, many, one, min(abs(number), _MOST))
        return translation or super().plural(one, many, number)

    def number(self, value: float, decimals: int) -> str:
        """Return a number as it is written where the language is spoken."""
        return self._locale.toString(float(value), "f", decimals)

    def date(self, day: date) -> str:
        """Return a date with the name of its month."""
        return self._locale.toString(QDate(day.year, day.month, day.day), self.text(_DATE))

    def month(self, day: date) -> str:
        """Return the month of a date, in the form that stands alone."""
        return f"{self._locale.standaloneMonthName(day.month)} {day.year}"


class _QtWords(QTranslator):
    """Qt's own texts: the menu of a field, the buttons of a dialog."""


def chosen(wanted: str, system: Sequence[str]) -> str:
    """Return the language to speak, as a BCP 47 name.

    `wanted` is the setting, empty for the system's; `system` are its languages, the dearest first.
    The first that there is decides, else English.
    """
    for name in (wanted,) if wanted else system:
        if _language_of(name) in {*TRANSLATED, ENGLISH}:
            return name.replace("_", "-")
    return ENGLISH


def use_language(application: QCoreApplication, wanted: str) -> None:
    """Say everything from now on in the language of a setting; "" stands for the system's.

    Widgets keep the texts that they have: call it before they are made.
    """
    name = chosen(wanted, () if wanted else QLocale.system().uiLanguages())
    locale = QLocale(name)
    speak(English() if _language_of(name) == ENGLISH else Catalogue(locale))
    # Translators add up in Qt: the last language's would go on answering.
    for former in application.findChildren(_QtWords):
        application.removeTranslator(former)
        former.deleteLater()
    # A child of the application, since Qt does not keep what it was given to translate with.
    words = _QtWords(application)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if _language_of(name) != ENGLISH and words.load(locale, "qtbase", "_", folder):
        application.installTranslator(words)


def _language_of(name: str) -> str:
    # Accepts `de`, BCP 47's `de-AT` and `de_AT`, as Qt and environment variables write it.
    return name.replace("_", "-").partition("-")[0].lower()
