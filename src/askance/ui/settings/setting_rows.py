"""The pages of the settings: a row for each setting, with its help and what is wrong, and a page of them, at the end of
which few people's settings are folded away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStyle, QWidget

from askance.config.editing import Setting
from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import Box, Composite, Styled, column_of, row_of, style
from askance.ui.design.drawing import antialiased, draw_hairline, pixmap, write
from askance.ui.design.focus import LinkButton, PaintedButton, announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.settings.page_tables import PageTable, SettingRow, hits
from askance.ui.settings.row_controls import Control
from askance.ui.settings.source import SettingsSource, written

# Below this width German labels and controls have no room beside each other.
_NARROW = 400
_BETWEEN = 24
_AROUND = (0, 13, 0, 13)


class SettingField(Composite):
    """The row of a setting. It checks what was typed, and hands on only what the setting may be."""

    accepted = Signal(str, str)
    """The setting's name and its new value."""
    reset = Signal(str)
    """The setting of this name is to be as it was delivered."""
    is_changed = False
    """Whether it is not as it was delivered."""

    def __init__(
        self,
        look: Look,
        row: SettingRow,
        control: Control,
        source: SettingsSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self.row, self.control, self._source = row, control, source
        self._began_with: Setting | None = None
        self._of_setting = self._standing = ""
        self._label = StyledLabel(look, TextStyle.LABEL, tr(row.label), self)
        self._help = StyledLabel(look, TextStyle.HELP, tr(row.about), self)
        self.as_delivered = LinkButton(self)
        self.as_delivered.setText(tr("As delivered"))
        style(self.as_delivered, look, font=theme.LABEL_TEXT, min_height=theme.TARGET)
        self.as_delivered.clicked.connect(lambda: self.reset.emit(row.name))
        # What is to be known of the value, as what overrides it, and what is wrong with it.
        self.note = StyledLabel(look, TextStyle.NOTE, parent=self)
        self.problem = StyledLabel(look, TextStyle.PROBLEM, parent=self)
        for label in (self.as_delivered, self.note, self.problem):
            label.hide()
        self._label.setBuddy(control.main)
        control.setParent(self)
        control.edited.connect(self.take)
        self._halves = self._laid_out()
        self.setLayout(self._halves)
        self._name()

    def stack(self, *, is_narrow: bool) -> None:
        """Put the control below the label where there is no room beside it."""
        if self.control.is_wide:
            return
        self._halves.turn(is_down=is_narrow, gap=theme.SPACE_S if is_narrow else _BETWEEN)
        for half in range(2):
            self._halves.setStretch(half, 0 if is_narrow else 1)

    def mark(self, words: str) -> None:
        """Make these words bolder where they stand in the label; none without words."""
        self._label.show_marked(tr(self.row.label), words)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the hairline above."""
        with QPainter(self) as painter:
            draw_hairline(painter, self.look.colours.line, self.width())

    def refresh(self) -> None:
        """Show the setting as it is in force now.

        Raises:
            SettingsError: a source of settings is wrong.
        """
        self._help.show_text(tr(self.row.about))
        # A row without a name stands for no setting: it has no value.
        if not self.row.name:
            self.control.show_value("")
            return
        setting = self._source.describe(self.row.name)
        self.control.show_value(written(setting.value))
        variable = self._source.overriding(setting)
        # What is written into the file would change nothing while the variable is set.
        self.control.main.setEnabled(not variable)
        self.is_changed = setting.value != setting.default
        self.as_delivered.setVisible(self.row.advanced and self.is_changed and not variable)
        self._of_setting = self._notes(variable, setting)
        self._show_note()
        self._name()

    def take(self, text: str) -> None:
        """Take another value: say what is wrong with it, or hand it on."""
        problem = self._source.inline_message(self.row.name, text)
        # Nothing is written that the settings would refuse when they are read.
        self.complain(problem)
        if not problem:
            self.accepted.emit(self.row.name, text)

    def complain(self, problem: str) -> None:
        """Say below the control what is wrong; nothing takes it away."""
        self.problem.show_text(problem)
        self._name()
        announce(self.control.main, problem)

    def set_note(self, note: str) -> None:
        """Say this below the control, behind what is to be known of the setting itself."""
        self._standing = note
        self._show_note()

    def _show_note(self) -> None:
        self.note.show_text(" ".join(filter(None, (self._of_setting, self._standing))))

    def _notes(self, variable: str, setting: Setting) -> str:
        if variable:
            return tr("Set by the environment variable {variable}.", variable=variable)
        if setting.is_held:
            return tr("A line of the settings file is not understood: the strictest counts.")
        # Changed back to what the window was opened with, it needs no restart.
        if self._began_with is None:
            self._began_with = setting
        if self.row.mark == "later" and setting.value != self._began_with.value:
            return tr("Takes effect after a restart.")
        return ""

    def _name(self) -> None:
        descriptions = (self._help.text(), self.note.text(), self.problem.text())
        label = tr(self.row.label)
        self.control.call(label, " ".join(filter(None, descriptions)))
        self.as_delivered.setAccessibleName(f"{label}: {self.as_delivered.text()}")

    def _laid_out(self) -> Box:
        """Return what is said of it and the control, side by side unless that wants the whole width.

        No grid: what spans rows of one is given the height that it would have at any width.
        """
        texts = column_of(self.look, self._label, self._help, self.as_delivered, gap=2)
        texts.setAlignment(self.as_delivered, Qt.AlignmentFlag.AlignLeft)
        parts = column_of(self.look, self.control, self.note, self.problem, gap=theme.SPACE_XS)
        if self.control.is_wide:
            return column_of(self.look, texts, parts, margins=_AROUND)
        # Both begin at the top, however high the other is.
        for half in (texts, parts):
            half.put(None)
        return row_of(self.look, texts, parts, gap=_BETWEEN, margins=_AROUND)


MakeField = Callable[[SettingRow], SettingField]


class SettingsPage(Styled, QWidget):
    """A heading and a row for each setting. What few people need is folded away at its end.

    In a search it shows the rows that were found, below the page's name alone.
    """

    def __init__(
        self, look: Look, table: PageTable, make_field: MakeField, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self.table = table
        self._words = ""
        self.setAccessibleName(tr(table.title))
        self._title = StyledLabel(look, TextStyle.TITLE, tr(table.title), self)
        margins = (0, 2, 0, 14)
        self._about = StyledLabel(look, TextStyle.LEAD, tr(table.about), self, margins=margins)
        found = (0, theme.SPACE_S, 0, theme.SPACE_S)
        self.found = StyledLabel(look, TextStyle.LEAD, tr(table.title), self, margins=found)
        self.fields: Sequence[SettingField] = tuple(make_field(row) for row in table.rows)
        self._advanced = [field for field in self.fields if field.row.advanced]
        self.fold = AdvancedFold(look, self)
        self.fold.turned.connect(self._arrange)
        column = column_of(look, self._title, self._about, self.found, gap=0)
        column.put(*(field for field in self.fields if not field.row.advanced))
        column.put(self.fold, *self._advanced)
        self.setLayout(column)
        self._arrange()

    def refresh(self) -> None:
        """Show the settings as they are in force now. Raises SettingsError: a source of them is wrong."""
        for field in self.fields:
            field.refresh()
        changed = sum(field.is_changed for field in self._advanced)
        self.fold.show_count(len(self._advanced), changed)

    def show_found(self, words: str) -> None:
        """Show only the rows in which all of these words stand; all of them without words."""
        self._words = words
        for field in self.fields:
            field.mark(words)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the rows out for another width."""
        super().resizeEvent(event)
        self._restyle()

    def _arrange(self) -> None:
        searched = bool(self._words)
        for label in (self._title, self._about):
            label.setVisible(not searched)
        self.found.setVisible(searched)
        self.fold.setVisible(bool(self._advanced) and not searched)
        for field in self.fields:
            is_there = not field.row.advanced or self.fold.is_unfolded
            is_hit = hits(field.row, self.table.title, self._words)
            field.setVisible(is_hit if searched else is_there)

    def _restyle(self) -> None:
        for field in self.fields:
            field.stack(is_narrow=self.width() < self.look.px(_NARROW))


_FOLD_SIGN = 12


class AdvancedFold(PaintedButton):
    """Says how many settings are folded away and how many of them are changed; a press anywhere on it unfolds them."""

    turned = Signal()
    """It was unfolded, or folded again."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, theme.SMALL_TEXT, parent)
        # Not Qt's own state: a screen reader would call it a check box.
        self.is_unfolded = False
        self.clicked.connect(lambda: self.unfold(not self.is_unfolded))
        style(self, look, height=2 * _AROUND[1] + theme.SMALL_LINE)

    def show_count(self, settings: int, changed: int) -> None:
        """Say how many settings there are, and how many are not as delivered."""
        text = tr("{n} settings, all as delivered", n=settings)
        if changed:
            text = tr("{n} settings, {k} changed", n=settings, k=changed)
        self.setText(text)
        self.setAccessibleName(tr("Advanced: {settings}", settings=text))
        self.update()

    def unfold(self, is_unfolded: bool) -> None:
        """Show the settings, or fold them away."""
        self.is_unfolded = is_unfolded
        self.update()
        self.turned.emit()

    def sizeHint(self) -> QSize:
        """Return the height; it is as wide as the page."""
        return QSize(0, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the hairline above, the sign, and the words."""
        c, px, size = self.look.colours, self.look.px, self.look.px(_FOLD_SIGN)
        title = self.look.font(theme.BODY_TEXT - 1, QFont.Weight.Medium)
        name, words = ("unfolded" if self.is_unfolded else "folded"), tr("Advanced")
        left = size + px(theme.SPACE_S)
        beside = left + QFontMetrics(title).horizontalAdvance(words) + px(theme.SPACE_S)

        def placed(at: int, width: int) -> QRect:
            place = QRect(at, 0, width, self.height())
            return QStyle.visualRect(self.layoutDirection(), self.rect(), place)

        with antialiased(self) as painter:
            draw_hairline(painter, c.line, self.width())
            sign = pixmap(name, c.ink_3, size, self.devicePixelRatioF())
            painter.drawPixmap(placed(0, size).left(), (self.height() - size) // 2, sign)
            write(painter, words, placed(left, beside - left), title, c.ink)
            rest = placed(beside, self.width() - beside)
            write(painter, self.text(), rest, self.font(), c.ink_3)
