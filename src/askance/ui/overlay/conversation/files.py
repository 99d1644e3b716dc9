"""The files of the conversation in the window: they are read in the engine's thread, and shown as they stand there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from askance.app.conversation import ConversationSession
from askance.domain.attached_files import LONGEST_SIDE, Attachment
from askance.domain.conversation import Picture
from askance.domain.errors import AskanceError
from askance.domain.events import ignore
from askance.presentation.i18n import tr
from askance.ui.bridge import Bridge
from askance.ui.design.composing import single_shot_timer

if TYPE_CHECKING:
    from askance.app.attachments import Attachments, Sight
    from askance.app.container import App

_LARGE_PNG = 1_000_000
_THUMBNAIL = 64


@dataclass(slots=True)
class _Shown:
    """What is shown of one conversation's files. `looked_for` is the model of which it was asked whether it sees."""

    attachments: dict[int, Attachment] = field(default_factory=dict[int, Attachment])
    thumbnails: dict[int, QImage] = field(default_factory=dict[int, QImage])
    removed: list[Attachment] = field(default_factory=list[Attachment])
    sight: Sight | None = None
    looked_for: str | None = None


class ConversationFiles(QObject):
    """The files of whichever conversation is shown. Its methods belong to the window's thread."""

    changed = Signal()
    """More is known of one of them."""
    failed = Signal(object)
    """What could not be done: an `AskanceError`."""
    _reported = Signal(object, object, object)

    def __init__(
        self, bridge: Bridge, current: Callable[[], ConversationSession], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._current = current
        # Those that were left and go on are here, too: they may be returned to.
        self._of: dict[ConversationSession, _Shown] = {}
        # Of many files much is reported at once, and shown together.
        self._soon = single_shot_timer(self, self.changed.emit)
        # Emitted in the engine's thread.
        self._reported.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def _here(self) -> _Shown:
        return self._of.get(self._current()) or _Shown()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """All of them, in the order in which they came."""
        return tuple(self._here.attachments.values())

    @property
    def thumbnails(self) -> Mapping[int, QImage]:
        """The pictures among them, small."""
        return self._here.thumbnails

    @property
    def sight(self) -> Sight | None:
        """Whether the model sees, once a picture is there and the server was asked."""
        return self._here.sight

    @property
    def is_settled(self) -> bool:
        """Whether all are read, as far as they can be."""
        return all(one.state.is_settled for one in self.attachments)

    def add_paths(self, paths: tuple[Path, ...]) -> None:
        """Attach files and folders."""
        self._do(lambda files: [files.add(path) for path in paths])

    def add_text(self, text: str) -> None:
        """Attach a long text that was pasted."""
        name, data = f"{tr('Pasted text')}.txt", text.encode("utf-8", "replace")
        self._do(lambda files: asyncio.to_thread(files.add_bytes, data, name))

    def add_picture(self, image: QImage, name: str) -> None:
        """Attach a picture, made smaller beside the window."""

        async def add(files: Attachments) -> None:
            files.add_picture(await asyncio.to_thread(picture_of_image, image, name))

        self._do(add)

    def recognise(self, number: int) -> None:
        """Read the letters in a picture, or in a file of pictures."""
        self._do(lambda files: files.recognise(number))

    def remove(self, number: int) -> None:
        """Take one out; `bring_back` attaches it again."""
        here = self._here
        if one := here.attachments.pop(number, None):
            here.removed.append(one)
            self._do(lambda files: files.remove(number))
            self.changed.emit()

    def bring_back(self) -> bool:
        """Attach again what was taken out last; say whether that was anything."""
        if not (removed := self._here.removed):
            return False
        one = removed.pop()
        self._do(lambda files: files.restore(one))
        return True

    def forget_removed(self) -> None:
        """Let go of what was taken out: something else was done since."""
        self._here.removed.clear()

    def drop_failed(self) -> None:
        """Take out what could not be read: a question is asked without it."""
        here = self._here.attachments
        if failed := [number for number, one in here.items() if one.is_failed]:
            for number in failed:
                del here[number]
            self._do(lambda files: [files.remove(number) for number in failed])
            self.changed.emit()

    def close(self, conversation: ConversationSession) -> None:
        """Delete what was read for a conversation to which nobody returns."""
        if self._of.pop(conversation, None) is None:
            return

        async def close(_app: App) -> None:
            if conversation.attachments is not None:
                await asyncio.to_thread(conversation.attachments.close)

        self._bridge.call(close, ignore)

    def call(self, work: Callable[[Any], Any], then: Callable[[Any], None]) -> None:
        """Do something beside the window; `then` gets its result here, or its `AskanceError`."""
        self._bridge.call(work, then)

    def look(self, model: str) -> None:
        """Ask, once, whether the model that answers sees; empty is that of the settings."""
        here = self._here
        if here.looked_for == model:
            return
        here.sight, here.looked_for = None, model

        async def ask(app: App) -> Sight:
            from askance.app.attachments import sight_of  # noqa: PLC0415 - in the engine's thread

            return await sight_of(app, model)

        def note(sight: Sight | AskanceError) -> None:
            here.sight = None if isinstance(sight, AskanceError) else sight
            self.changed.emit()

        self._bridge.call(ask, note)

    def look_again(self) -> None:
        """Ask anew whether the model sees: it may be another one."""
        self._here.looked_for = None
        self.changed.emit()

    def _do(self, work: Callable[[Attachments], Any]) -> None:
        """Do something with the files in the engine's thread, and read what then waits."""
        conversation = self._current()
        self._of.setdefault(conversation, _Shown())

        def report(one: Attachment) -> None:
            thumbnail = None
            if one.picture is not None:
                thumbnail = thumbnail_of(one.picture)
            self._reported.emit(conversation, one, thumbnail)

        async def job(app: App) -> None:
            from askance.app.attachments import Attachments, context_tokens  # noqa: PLC0415

            if conversation.attachments is None:
                conversation.attachments = Attachments(
                    app.settings, app.folders, report, picture_of_file
                )
            files = conversation.attachments
            found = work(files)
            if isinstance(found, Awaitable):
                await found
            await files.read(await context_tokens(app, conversation.model))

        self._bridge.call(job, self._settle)

    def _settle(self, result: object) -> None:
        if isinstance(result, AskanceError):
            self.failed.emit(result)

    def _take(
        self, conversation: ConversationSession, one: Attachment, thumbnail: QImage | None
    ) -> None:
        # Reading goes on for a moment after a conversation is left for good, or a file taken out.
        shown = self._of.get(conversation)
        if shown is None or one.number in {removed.number for removed in shown.removed}:
            return
        shown.attachments[one.number] = one
        shown.attachments = dict(sorted(shown.attachments.items()))
        if thumbnail is not None:
            shown.thumbnails[one.number] = thumbnail
        if conversation is self._current():
            self._soon.start()


def picture_of_file(data: bytes, name: str) -> Picture | None:
    """Return a file as a picture that a model is shown, no larger than it needs; None of what is none."""
    image, size = _read(data, LONGEST_SIDE, Qt.AspectRatioMode.KeepAspectRatio)
    return None if image.isNull() else picture_of_image(image, name, size)


def picture_of_image(image: QImage, name: str, size: QSize | None = None) -> Picture:
    """Return an image as a picture that a model is shown; `size` is that of the original, in pixels."""
    size = size or image.size()
    if max(image.width(), image.height()) > LONGEST_SIDE:
        aspect = Qt.AspectRatioMode.KeepAspectRatio
        smooth = Qt.TransformationMode.SmoothTransformation
        image = image.scaled(LONGEST_SIDE, LONGEST_SIDE, aspect, smooth)
    data = _written(image, "PNG")
    # Letters of a screenshot are clearer without the losses of JPEG; a photograph is ten times as large then.
    if len(data) > _LARGE_PNG and not image.hasAlphaChannel():
        return Picture(_written(image, "JPEG"), "image/jpeg", name, size.width(), size.height())
    return Picture(data, "image/png", name, size.width(), size.height())


def thumbnail_of(picture: Picture) -> QImage:
    """Return a picture as a chip shows it: the middle of it, square."""
    aspect = Qt.AspectRatioMode.KeepAspectRatioByExpanding
    image, _ = _read(picture.data, _THUMBNAIL, aspect)
    left, top = (image.width() - _THUMBNAIL) // 2, (image.height() - _THUMBNAIL) // 2
    return image.copy(left, top, _THUMBNAIL, _THUMBNAIL)


def _read(data: bytes, side: int, aspect: Qt.AspectRatioMode) -> tuple[QImage, QSize]:
    """Return a picture, at the most so large, and the size that it has."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    # Not `QImage.fromData`, which holds up all other threads while it decodes.
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if max(size.width(), size.height()) > side:
        reader.setScaledSize(size.scaled(side, side, aspect))
    image = reader.read()
    return image, size if size.isValid() else image.size()


def _written(image: QImage, form: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(form.encode())).write(image)
    return bytes(buffer.data().data())
