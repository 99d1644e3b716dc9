"""One line at the foot of a window that goes by itself: what has just been done, with a button that undoes it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QColor, QEnterEvent, QMouseEvent, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QWidget

from askance.ui.design import theme
from askance.ui.design.composing import Composite, single_shot_timer, style
from askance.ui.design.drawing import antialiased, fill
from askance.ui.design.focus import LinkButton, announce, native_keys
from askance.ui.design.frame import Frame
from askance.ui.design.labels import ElidedLabel

SHORT_MS = 1_600
"""For what is read at a glance, as a new size of text."""
UNDO_MS = 8_000
"""For what can be undone."""
_ACROSS, _DOWN, _GAP, _FOOT = 12, 6, 12, 14
_BUTTON = 34 + 12
"""What stands at the right above the tools, and a gap."""
_ROOM = 120
"""What is lower than this is a row with a button, which must not be covered."""


class Toast(Composite):
    """A line on the ink's ground at the right of a window's foot; the next one takes the place of the last.

    It takes no room from what is in the window, and no focus. The time stands still while the pointer is on it. Where
    little or nothing is below `tools`, it stands above them, beside the button at their right.
    """

    def __init__(self, window: Frame, tools: QWidget | None = None) -> None:
        super().__init__(window.look, window)
        self._window, self._tools = window, tools
        self._text = style(ElidedLabel("", self), self.look, font=theme.SMALL_TEXT)
        self._action = LinkButton(self)
        style(self._action, self.look, font=theme.SMALL_TEXT)
        self._then: Callable[[], object] | None = None
        self._action.clicked.connect(self._act)
        self._ends = single_shot_timer(self, self.hide)
        row = QHBoxLayout(self)
        row.addWidget(self._text)
        row.addWidget(self._action)
        style(row, self.look, margins=(_ACROSS, _DOWN, _ACROSS, _DOWN), gap=_GAP)
        self._restyle()
        self.hide()
        window.installEventFilter(self)

    @property
    def text(self) -> str:
        """What it says while it is shown."""
        return self._text.text() if self.isVisible() else ""

    def show_text(
        self, text: str, *, undo: str = "", keys: str = "", then: Callable[[], object] | None = None
    ) -> None:
        """Show a line, and let a screen reader say it when it is through with what it says.

        `undo` names a button that calls `then` and takes the line away; `keys` do the same in the window.
        """
        self._text.setText(text)
        shown = native_keys(keys)
        self._action.setText(f"{undo}  {shown}" if keys else undo)
        self._action.setAccessibleName(undo)
        self._action.setAccessibleDescription(shown)
        self._action.setVisible(bool(undo))
        self._then = then
        self._ends.start(UNDO_MS if undo else SHORT_MS)
        self._place()
        self.show()
        self.raise_()
        announce(self._window, ", ".join(filter(None, (text, undo, shown))))

    def withdraw(self) -> None:
        """Take the line away: what it offers cannot be done any more."""
        self._ends.stop()
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Stay at the foot of a window that grows, and go with one that is hidden."""
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._place()
        elif event.type() is QEvent.Type.Hide:
            self.withdraw()
        return False

    def enterEvent(self, event: QEnterEvent) -> None:
        """Let the time stand still: somebody is about to press the button."""
        super().enterEvent(event)
        self._ends.stop()

    def leaveEvent(self, event: QEvent) -> None:
        """Let the time go on, from the start."""
        super().leaveEvent(event)
        self._ends.start()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Go: what it lies on is wanted."""
        self.withdraw()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the ground."""
        with antialiased(self) as painter:
            fill(painter, self.rect(), self.look.colours.ink, self.look.px(theme.CONTROL_RADIUS))

    def _restyle(self) -> None:
        paper = self.look.colours.paper
        for part in (self._text, self._action):
            palette = part.palette()
            for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
                palette.setColor(role, QColor(paper))
            part.setPalette(palette)
        # The style sheet of quiet buttons writes in the accent, which cannot be read on the ink.
        self._action.setStyleSheet(f"color: {paper}; font-weight: 600")
        if self.isVisible():
            self._place()

    def _place(self) -> None:
        px, paper = self.look.px, self._window.paper
        layout = self.layout()
        assert layout is not None
        layout.activate()
        most = paper.width() - 2 * px(theme.SPACE_XL)
        size = self.sizeHint().boundedTo(QRect(0, 0, most, paper.height()).size())
        # Right, in line with the text: the middle of the foot is where the reader's line often ends.
        corner = QPoint(paper.right() + 1 - px(theme.SPACE_XL), paper.bottom() + 1 - px(_FOOT))
        place = QRect(corner - QPoint(size.width(), size.height()), size)
        if (tools := self._tools) is not None:
            top = tools.mapTo(self._window, QPoint()).y()
            if paper.bottom() - top - tools.height() < px(_ROOM):
                place.moveBottom(top - 1)
                place.translate(-px(_BUTTON), 0)
        self.setGeometry(place)

    def _act(self) -> None:
        then, self._then = self._then, None
        self.withdraw()
        if then is not None:
            then()
