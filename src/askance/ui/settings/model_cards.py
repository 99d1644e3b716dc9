"""What a model can be had from: a card for each server that runs here and for each tier to download; one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QGridLayout,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QWidget,
)

from askance.app.model_offers import ModelOffers, OfferedTier
from askance.config.choices import LlmApi
from askance.domain.downloads import FoundServer
from askance.presentation.i18n import gigabytes, tr
from askance.presentation.model_words import server_about, tier_about, tier_name
from askance.ui.design import theme
from askance.ui.design.composing import (
    Button,
    Composite,
    LineField,
    Slot,
    Styled,
    column_of,
    row_of,
    set_ink,
    style,
)
from askance.ui.design.drawing import antialiased, draw_box
from askance.ui.design.focus import LinkButton
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look

_RADIO, _LEAST_HEIGHT = 16, 52
_TIERS_GAP = 8
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class ChoiceCard(Styled, QRadioButton):
    """A radio button with more to say than a word: its parts lie in it, and a click anywhere chooses it."""

    def __init__(self, look: Look, name: str, key: str, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.key = key
        """By which it is found again when the cards are made anew."""
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # Labels in it would write in the colour that goes with a button's ground.
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def hitButton(self, pos: QPoint) -> bool:
        """Take a click anywhere on the card."""
        return self.rect().contains(pos)

    def sizeHint(self) -> QSize:
        """Return what the parts need; how many lines words take depends on the width alone."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the least that the parts need."""
        layout = self.layout()
        width = layout.totalMinimumSize().width() if layout is not None else 0
        return QSize(width, self.look.px(_LEAST_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the card, and the circle at the left of its first line."""
        c, px = self.look.colours, self.look.px
        width = 2.0 if self.isChecked() else 1.0
        inside = self.rect().toRectF().adjusted(width / 2, width / 2, -width / 2, -width / 2)
        with antialiased(self) as painter:
            ground = c.accent_soft if self.isChecked() else c.raised
            edge = c.accent if self.isChecked() or self.hasFocus() else c.line_2
            draw_box(painter, inside, ground, edge, px(theme.PANEL_RADIUS), edge_width=width)
            side, left = px(_RADIO), px(14)
            top = (self.height() - side) / 2 if isinstance(self, ServerCard) else px(12)
            if self.isRightToLeft():
                left = self.width() - left - side
            # A chosen one has a thick edge around a dot of the ground.
            edge_width = px(5) if self.isChecked() else 1.5
            half = edge_width / 2
            circle = QRectF(left, top, side, side).adjusted(half, half, -half, -half)
            painter.setBrush(QColor(c.raised))
            ink = c.accent if self.isChecked() else c.edge
            painter.setPen(QPen(QColor(ink), edge_width))
            painter.drawEllipse(circle)


class ServerCard(ChoiceCard):
    """A server that runs here, with the button that takes it."""

    def __init__(self, look: Look, server: FoundServer, parent: QWidget) -> None:
        key = f"{server.url} {server.model}"
        super().__init__(look, f"{server.program} {server.model}".strip(), key, parent)
        self.program = StyledLabel(look, TextStyle.LABEL, server.program, self, wraps=False)
        self.model = StyledLabel(look, TextStyle.BODY, server.model, self, wraps=False)
        self.about = StyledLabel(look, TextStyle.HELP, server_about(server), self)
        self.setAccessibleDescription(self.about.text())
        does = tr("Use it") if server.is_running else tr("Start and use it")
        self.button = Button(look, does, self)
        head = row_of(look, self.program, self.model, None, gap=theme.SPACE_S)
        words = column_of(look, head, self.about, gap=2)
        whole = row_of(look, words, self.button, gap=theme.SPACE_M, margins=(42, 10, 14, 10))
        whole.setStretch(0, 1)
        whole.setAlignment(self.button, Qt.AlignmentFlag.AlignVCenter)
        self.setLayout(whole)
        self.toggled.connect(self.button.setVisible)
        self.button.hide()


class TierCard(ChoiceCard):
    """A model to download. `is_best` says that it is the one that fits best."""

    def __init__(
        self, look: Look, offered: OfferedTier, parent: QWidget, *, has_card: bool, is_best: bool
    ) -> None:
        tier = offered.tier
        size = tr("{n} GB", n=gigabytes(tier.bytes))
        super().__init__(look, f"{tier_name(tier)}, {tier.name}, {size}", tier.key, parent)
        self.offered, self._is_best = offered, is_best
        self._name = StyledLabel(look, TextStyle.LABEL, tier_name(tier), self, wraps=False)
        shown_size = StyledLabel(look, TextStyle.LEAD, size, self, wraps=False)
        good_for = tier_about(tier, offered.answer_s, has_card=has_card)
        about = StyledLabel(look, TextStyle.LEAD, good_for, self)
        needs = tr("needs {n} GB", n=round(tier.needs_bytes / 1e9))
        fits = (tr("Fits this computer"), tier.name) if is_best else (tier.name, needs)
        self.fits = StyledLabel(look, TextStyle.HELP, " · ".join(fits), self)
        self.setAccessibleDescription(f"{good_for} {self.fits.text()}")
        head = row_of(look, self._name, None, shown_size, margins=(24, 0, 0, 0))
        margins = (14, 11, 13, 11)
        self.setLayout(column_of(look, head, about, None, self.fits, gap=5, margins=margins))
        self.toggled.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        c = self.look.colours
        set_ink(self._name, c.ink if self.offered.fits or self._is_best else c.ink_3)
        is_lit = self._is_best and self.isChecked()
        set_ink(self.fits, c.accent if is_lit else c.ink_3)


class ModelCards(Composite):
    """Cards of servers and tiers, of which one is chosen; an address or a file instead of them.

    `main` is the button that does what the chosen card is for: it has the focus, and arrows on it choose.
    """

    use_wanted = Signal(object)
    """The settings of a server or a file that is to be used."""
    start_wanted = Signal()
    """An Ollama that is here is to be started."""
    tier_wanted = Signal(object)
    """An `OfferedTier` is to be downloaded."""
    main_changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.cards: list[ServerCard | TierCard] = []
        self._servers: tuple[FoundServer, ...] = ()
        self._offers: ModelOffers | None = None
        self._has_chosen = False
        self.group = QButtonGroup(self)
        self.group.buttonToggled.connect(self._show_chosen)
        self.group.buttonClicked.connect(self._note_choice)
        self.title = StyledLabel(look, TextStyle.LABEL, "", self)
        self.also = StyledLabel(look, TextStyle.LEAD, tr("Or download one"), self)
        self._found = column_of(look, gap=theme.SPACE_S)
        self._tiers = style(QGridLayout(), look, gap=_TIERS_GAP)
        self.download = Button(look, parent=self, then=self._want_tier)
        self.download.installEventFilter(self)
        self.terms = StyledLabel(look, TextStyle.LEAD, "", self)
        where = tr("Looked on this computer for Ollama, llama.cpp, LM Studio and Jan.")
        self.looked = StyledLabel(look, TextStyle.HELP, where, self, wraps=False)
        self.address_link = self._link(tr("Another address…"), self._unfold)
        self.file_link = self._link(tr("A file…"), self._ask_file)
        name = tr("Address of a model server")
        self.address = LineField(look, "http://127.0.0.1:8080", self, name=name)
        self.address.returnPressed.connect(self._want_address)
        self.use_address = Button(look, tr("Use it"), self, self._want_address)
        under = row_of(look, self.download, self.terms, wide=self.terms)
        links = row_of(
            look, self.looked, self.address_link, self.file_link, None, gap=theme.SPACE_M
        )
        links.setStretch(0, 0)
        other = row_of(look, self.address, self.use_address, wide=self.address)
        self._inline = (self.address, self.use_address)
        for part in self._inline:
            part.hide()
        parts = (self.title, self._found, self.also, self._tiers, under, links, other)
        self.setLayout(column_of(look, *parts, gap=theme.SPACE_S, margins=(0, 4, 0, 12)))

    @property
    def main(self) -> QPushButton | None:
        """The button that does what the chosen card is for."""
        card = self.group.checkedButton()
        if isinstance(card, ServerCard):
            return card.button
        return self.download if isinstance(card, TierCard) and self._can_download else None

    def show_choices(self, servers: Sequence[FoundServer], offers: ModelOffers) -> None:
        """Show what there is now; a choice that was made stays."""
        # Which one answers first is another one each time, and no reason to move what may just be pressed.
        usable = tuple(replace(s, answered_ms=0) for s in servers if s.model or not s.is_running)
        before, self._offers = self._offers, offers
        # The room on the disk changes all the time, and is no reason to make the cards anew.
        is_same = before is not None and replace(before, free_disk=offers.free_disk) == offers
        if set(self._servers) != set(usable) or not is_same:
            checked = self.group.checkedButton()
            key = checked.key if self._has_chosen and isinstance(checked, ChoiceCard) else ""
            had_focus = self.isAncestorOf(self.window().focusWidget() or self.window())
            self._servers = usable
            self._rebuild(offers)
            first = self.cards[0 if usable else offers.chosen]
            next((card for card in self.cards if card.key == key), first).setChecked(True)
            if had_focus:
                self.main_changed.emit()
        self._show_chosen()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let arrows on the main button choose another card."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = _STEPS.get(Qt.Key(event.key()))
            if step is not None and len(self.cards) > 1:
                at = next((n for n, card in enumerate(self.cards) if card.isChecked()), 0)
                self._has_chosen = True
                self.cards[(at + step) % len(self.cards)].setChecked(True)
                self.main_changed.emit()
                return True
        return super().eventFilter(watched, event)

    def _rebuild(self, offers: ModelOffers) -> None:
        for card in self.cards:
            self.group.removeButton(card)
            card.hide()
            card.deleteLater()
        self.cards = []
        for server in self._servers:
            card = ServerCard(self.look, server, self)
            card.button.installEventFilter(self)
            card.button.clicked.connect(partial(self._want_server, server))
            self._found.insertWidget(len(self.cards), card)
            self.cards.append(card)
        for at, offered in enumerate(offers.tiers):
            is_best = at == offers.chosen and offered.has_room
            card = TierCard(self.look, offered, self, has_card=offers.has_card, is_best=is_best)
            self._tiers.addWidget(card, 0, at)
            self._tiers.setColumnStretch(at, 1)
            self.cards.append(card)
        for card in self.cards:
            self.group.addButton(card)
            card.show()
        title = tr("Choose a model to download")
        if any(server.is_running for server in self._servers):
            title = tr("A model runs here already")
        elif self._servers:
            title = tr("A model server is here already")
        self.title.show_text(title)
        self.also.setVisible(bool(self._servers))

    @property
    def _can_download(self) -> bool:
        return self._offers is not None and self._offers.can_run

    def _note_choice(self) -> None:
        self._has_chosen = True
        self.main_changed.emit()

    def _show_chosen(self) -> None:
        card, offers = self.group.checkedButton(), self._offers
        is_tier = isinstance(card, TierCard)
        self.download.setVisible(is_tier and self._can_download)
        self.terms.setVisible(is_tier)
        if not isinstance(card, TierCard) or offers is None:
            return
        tier, free = card.offered.tier, gigabytes(offers.free_disk)
        self.download.setText(tr("Download {n} GB", n=gigabytes(tier.bytes)))
        self.download.setAccessibleName(f"{tier.name}: {self.download.text()}")
        terms = tr("To run it, install Ollama, or Askance with its extra “embedded”.")
        if offers.can_run:
            terms = tr(
                "{licence} · checked when it is here · {n} GB free", licence=tier.licence, n=free
            )
        self.terms.show_text(terms)

    def _want_tier(self) -> None:
        card = self.group.checkedButton()
        if isinstance(card, TierCard):
            self.tier_wanted.emit(card.offered)

    def _unfold(self) -> None:
        for part in self._inline:
            part.show()
        self.address.setFocus()

    def _want_server(self, server: FoundServer) -> None:
        values = {"llm.api": server.api, "llm.url": server.url, "llm.model": server.model}
        if server.is_running:
            self.use_wanted.emit(values)
        else:
            self.start_wanted.emit()

    def _want_address(self) -> None:
        if text := self.address.text().strip():
            self.use_wanted.emit({"llm.api": LlmApi.OPENAI, "llm.url": text, "llm.model": ""})

    def _ask_file(self) -> None:
        kinds = tr("Models (*.gguf)")
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Choose a model file"), "", kinds)
        if chosen:
            self.use_wanted.emit({"llm.api": LlmApi.EMBEDDED, "llm.gguf": chosen})

    def _link(self, text: str, then: Slot) -> LinkButton:
        link = style(LinkButton(self, text, then), self.look, font=theme.LABEL_TEXT)
        link.setProperty("link", True)
        return link
