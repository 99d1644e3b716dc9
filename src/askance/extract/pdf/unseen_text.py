"""Texts of a PDF page that nobody sees: off the page, clipped away, without colour, covered, on a layer that is off.

What geometry does not settle is asked of the pixels: the page is drawn with and without the texts in question. In doubt a
text is seen.
"""

from __future__ import annotations

import ctypes
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import takewhile
from time import process_time
from typing import Any, NamedTuple

import pypdfium2_raw as api

from askance.extract.pdf.reading_order import Box

_Ink = tuple[int, int, int, int]

# PDFium parses no form that lies deeper in others.
_MOST_OBJECTS, _DEEPEST_FORM = 20_000, 40
# Letters of a point are dots, unless the page itself is tiny.
_DOT, _LEAST_PAGE = 1.0, 200.0
_FAR = 1e6
# Shapes below this hide no letter, and are those of letters themselves.
_LEAST_SURFACE = 4.0
# Channels of colours, from 0 to 255, that are so near are taken for the same one: the eye sees 12 on white just so.
_NEAR = 12
_WHITE = (255, 255, 255, 255)
# Surfaces are looked up by the band of the page where they lie. In a band with more of them each text is in question.
_BAND, _MOST_BANDS, _MOST_IN_BAND = 16.0, 2_000, 60
_MOST_PIXELS = 2_000
# A page of a map takes some tenths of a second. It is the processor's time, in seconds.
_MOST_SECONDS = 5.0
_MOST_GROUPS, _MOST_NEAR = 6, 1_000
_MOST_CLIPS, _RECTANGLE, _MOST_POINTS = 4, 6, 20_000
_PICTURES = frozenset({api.FPDF_PAGEOBJ_IMAGE, api.FPDF_PAGEOBJ_SHADING})
_FILLED = frozenset({
    api.FPDF_TEXTRENDERMODE_FILL, api.FPDF_TEXTRENDERMODE_FILL_CLIP,
    api.FPDF_TEXTRENDERMODE_FILL_STROKE, api.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP,
})  # fmt: skip
_STROKED = frozenset({
    api.FPDF_TEXTRENDERMODE_STROKE, api.FPDF_TEXTRENDERMODE_STROKE_CLIP,
    api.FPDF_TEXTRENDERMODE_FILL_STROKE, api.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP,
})  # fmt: skip


class PageText(NamedTuple):
    """A text of a page with its box, in the space of the form that it stands in, and `place`, that on the page."""

    handle: Any
    box: Box
    place: Box
    order: tuple[int, ...]
    scale: float
    is_in_layer: bool


class _Surface(NamedTuple):
    """A filled shape, or a picture (without ink), and where it lies on the page."""

    place: Box
    order: tuple[int, ...]
    ink: _Ink | None


class PageObjects:
    """The texts of a page and of forms on it, and the surfaces that may lie behind or over them."""

    def __init__(self, page: Any, *, has_layered_forms: bool) -> None:
        self.texts: list[PageText] = []
        self.surfaces: list[_Surface] = []
        self._layers: dict[int, bool] = {}
        self._has_layered_forms = has_layered_forms
        self._edges = [ctypes.c_float() for _ in range(4)]
        self._channels = [ctypes.c_uint() for _ in range(4)]
        self._read(page)

    def _read(self, page: Any) -> None:
        count = api.FPDFPage_CountObjects(page)
        identity = api.FS_MATRIX(1, 0, 0, 1, 0, 0)
        holders = [(api.FPDFPage_GetObject, page, count, identity, (), False)]
        while holders:
            get, holder, count, matrix, above, is_in_layer = holders.pop()
            for number in range(min(count, _MOST_OBJECTS)):
                one = get(holder, number)
                kind = api.FPDFPageObj_GetType(one)
                if kind == api.FPDF_PAGEOBJ_TEXT:
                    self._add_text(one, matrix, (*above, number), is_in_layer=is_in_layer)
                elif kind == api.FPDF_PAGEOBJ_FORM and len(above) < _DEEPEST_FORM:
                    parts = api.FPDFFormObj_CountObjects(one)
                    layered = is_in_layer or self._has_layered_forms or self._is_layered(one)
                    inner = (api.FPDFFormObj_GetObject, one, parts, _within(one, matrix))
                    holders.append((*inner, (*above, number), layered))
                else:
                    self._add_surface(one, kind, matrix, (*above, number))

    def _box(self, one: Any) -> Box:
        edges = self._edges
        api.FPDFPageObj_GetBounds(one, *edges)
        return edges[0].value, edges[1].value, edges[2].value, edges[3].value

    def inks(self, text: Any) -> list[_Ink | None]:
        """Return the colours in which the letters of a text are filled and outlined: none where they are not drawn."""
        mode = api.FPDFTextObj_GetTextRenderMode(text)
        # A mode that is not known is taken for the usual one.
        inks = [self._fill(text)] if mode in _FILLED or mode < 0 else []
        return (
            [*inks, self._ink(text, api.FPDFPageObj_GetStrokeColor)] if mode in _STROKED else inks
        )

    def _fill(self, one: Any) -> _Ink | None:
        return self._ink(one, api.FPDFPageObj_GetFillColor)

    def _ink(self, one: Any, get: Callable[..., int]) -> _Ink | None:
        """Return a colour of an object; None for a pattern."""
        if not get(one, *self._channels):
            return None
        red, green, blue, alpha = self._channels
        return red.value, green.value, blue.value, alpha.value

    def _add_text(
        self, text: Any, matrix: Any, order: tuple[int, ...], *, is_in_layer: bool
    ) -> None:
        box = self._box(text)
        scale = 1.0
        place = box
        if len(order) > 1:
            place = _moved(box, matrix)
            scale = abs(matrix.a * matrix.d - matrix.b * matrix.c) ** 0.5
        layered = is_in_layer or self._is_layered(text)
        self.texts.append(PageText(text, box, _bounded(place), order, scale, layered))

    def _add_surface(self, one: Any, kind: int, matrix: Any, order: tuple[int, ...]) -> None:
        ink = None
        if kind == api.FPDF_PAGEOBJ_PATH:
            fill, stroke = ctypes.c_int(), ctypes.c_int()
            if not (api.FPDFPath_GetDrawMode(one, fill, stroke) and fill.value):
                return
            ink = self._fill(one)
        elif kind not in _PICTURES:
            return
        place = _bounded(_moved(self._box(one), matrix))
        if min(place[2] - place[0], place[3] - place[1]) >= _LEAST_SURFACE:
            self.surfaces.append(_Surface(place, order, ink))

    def _is_layered(self, one: Any) -> bool:
        """Whether an object is of optional content, which a viewer may leave out."""
        for number in range(max(api.FPDFPageObj_CountMarks(one), 0)):
            mark = api.FPDFPageObj_GetMark(one, number)
            address = ctypes.addressof(mark.contents)
            if address not in self._layers:
                name, size = (ctypes.c_ushort * 4)(), ctypes.c_ulong()
                api.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), size)
                self._layers[address] = bytes(name)[:6] == "OC\0".encode("utf-16-le")
            if self._layers[address]:
                return True
        return False


def _within(form: Any, outer: Any) -> Any:
    """Return the matrix that takes what lies in a form to the page."""
    own = api.FS_MATRIX()
    api.FPDFPageObj_GetMatrix(form, own)
    return api.FS_MATRIX(
        own.a * outer.a + own.b * outer.c,
        own.a * outer.b + own.b * outer.d,
        own.c * outer.a + own.d * outer.c,
        own.c * outer.b + own.d * outer.d,
        own.e * outer.a + own.f * outer.c + outer.e,
        own.e * outer.b + own.f * outer.d + outer.f,
    )


def _moved(box: Box, by: Any) -> Box:
    xs = [by.a * x + by.c * y + by.e for x in (box[0], box[2]) for y in (box[1], box[3])]
    ys = [by.b * x + by.d * y + by.f for x in (box[0], box[2]) for y in (box[1], box[3])]
    return min(xs), min(ys), max(xs), max(ys)


def _bounded(box: Box) -> Box:
    """Return a box without infinite numbers, and such as are none."""
    left, bottom, right, top = (v if -_FAR < v < _FAR else _FAR if v > 0 else -_FAR for v in box)
    return left, bottom, right, top


class DrawingTime:
    """For how long the pages of a file may be drawn: beyond it what is in question is taken for seen."""

    def __init__(self) -> None:
        self._left = _MOST_SECONDS
        self._before = process_time()

    def start(self) -> None:
        """Begin with a page."""
        self._before = process_time()

    def stop(self) -> None:
        """End with a page."""
        self._left -= process_time() - self._before

    def is_over(self) -> bool:
        """Whether there is no time left."""
        return process_time() - self._before >= self._left

    def limited(self, numbers: Iterable[int]) -> Iterator[int]:
        """Yield numbers of texts while there is time."""
        return takewhile(lambda _: not self.is_over(), numbers)


def drop_hidden_texts(
    file: Any, page: Any, objects: PageObjects, time: DrawingTime
) -> list[PageText]:
    """Take what nobody sees out of the text that PDFium makes of a page; return the texts that are left."""
    hidden = _Judge(file, page, objects, time).hidden() if objects.texts else set[int]()
    for number in hidden:
        api.FPDFPageObj_SetIsActive(objects.texts[number].handle, 0)
    return [text for number, text in enumerate(objects.texts) if number not in hidden]


class _Judge:
    """Judges the texts of one page."""

    def __init__(self, file: Any, page: Any, objects: PageObjects, time: DrawingTime) -> None:
        self._file, self._page, self._objects, self._time = file, page, objects, time
        room = api.FS_RECTF()
        api.FPDF_GetPageBoundingBox(page, room)
        self._paper = _bounded((room.left, room.bottom, room.right, room.top))
        self._has_dots = min(room.right - room.left, room.top - room.bottom) < _LEAST_PAGE
        self._bands: defaultdict[int, list[_Surface]] = defaultdict(list)
        for surface in objects.surfaces:
            for band in _bands(surface.place, self._paper):
                if len(self._bands[band]) <= _MOST_IN_BAND:
                    self._bands[band].append(surface)

    def hidden(self) -> set[int]:
        """Return the numbers of the texts that are not seen."""
        hidden = set[int]()
        inked: dict[int, object] = {}
        unpainted: list[int] = []
        for number, text in enumerate(self._objects.texts):
            inks = self._objects.inks(text.handle)
            if self._is_out_of_sight(text):
                hidden.add(number)
            elif all(ink is not None and not ink[3] for ink in inks):
                # Invisible letters over a picture are the text of a page that was scanned.
                if not self._is_on_picture(text):
                    unpainted.append(number)
            elif text.is_in_layer or any(self._is_doubtful(text, ink) for ink in inks):
                inked[number] = inks[0]
        if inked or unpainted:
            self._time.start()
            hidden |= self._unseen(inked, unpainted)
            self._time.stop()
        return hidden

    def _is_out_of_sight(self, text: PageText) -> bool:
        box = text.place
        width, height = box[2] - box[0], box[3] - box[1]
        if (width < _DOT or height < _DOT) and not self._has_dots and _is_dot(text):
            return True
        # Of letters without shapes it is not known where they are.
        is_placed = width > 0 or height > 0
        return is_placed and (_is_apart(box, self._paper) or _is_clipped_away(text))

    def _near(self, text: PageText) -> list[_Surface]:
        """Return the surfaces that hold the middle of a text."""
        x, y = (text.place[0] + text.place[2]) / 2, (text.place[1] + text.place[3]) / 2
        return [
            one
            for one in self._bands.get(int(y // _BAND), ())
            if one.place[0] <= x <= one.place[2] and one.place[1] <= y <= one.place[3]
        ]

    def _is_on_picture(self, text: PageText) -> bool:
        return any(surface.ink is None for surface in self._near(text))

    def _is_doubtful(self, text: PageText, ink: _Ink | None) -> bool:
        """Whether letters have the colour of the paper, or may lie below or upon something."""
        if ink is not None and _is_like(ink, _WHITE):
            return True
        if (
            len(self._bands.get(int((text.place[1] + text.place[3]) / 2 // _BAND), ()))
            > _MOST_IN_BAND
        ):
            return True
        return any(
            one.order > text.order or one.ink is None or ink is None or _is_like(ink, one.ink)
            for one in self._near(text)
        )

    def _unseen(self, inked: dict[int, object], unpainted: Sequence[int]) -> set[int]:
        """Return those of the texts in question, by their inks, and of those without any, that change no pixel."""
        if self._time.is_over():
            return set()
        texts = self._objects.texts
        drawn = _Picture(self._page, [texts[n].place for n in (*inked, *unpainted)])
        behind = drawn.pixels(text.handle for text in texts)
        # What tells what a picture or a shape shows may be invisible, or lie below it.
        pictured = {n for n in inked if self._is_on_picture(texts[n])}
        plain = {
            n
            for n in self._time.limited((*unpainted, *pictured))
            if drawn.is_plain(texts[n], behind)
        }
        inked = {n: ink for n, ink in inked.items() if n in plain or n not in pictured}
        unseen = plain.difference(inked)
        if not inked:
            return unseen
        whole = drawn.pixels()
        same = {n for n in self._time.limited(inked) if drawn.is_same(texts[n], whole, behind)}
        groups: defaultdict[object, list[int]] = defaultdict(list)
        for n in self._overlaid(inked.keys() - same):
            groups[inked[n]].append(n)
        for group in sorted(groups.values(), key=len)[:_MOST_GROUPS]:
            limited = list(self._time.limited(group))
            without = drawn.pixels(texts[n].handle for n in limited)
            same.update(n for n in limited if drawn.is_same(texts[n], whole, without))
        return unseen.union(n for n in same if self._has_shape(texts[n]))

    def _overlaid(self, numbers: Collection[int]) -> Iterator[int]:
        """Yield those of some texts that others lie upon, which may be all that is seen there."""
        places = [text.place for text in self._objects.texts]
        rows: defaultdict[int, list[Box]] = defaultdict(list)
        for place in places:
            rows[int((place[1] + place[3]) / 2 // _BAND)].append(place)
        for n in numbers:
            place = places[n]
            row = int((place[1] + place[3]) / 2 // _BAND)
            near = [one for r in (row - 1, row, row + 1) for one in rows.get(r, ())]
            if any(one is not place and _covers(one, place) for one in near[:_MOST_NEAR]):
                yield n

    def _has_shape(self, text: PageText) -> bool:
        """Whether PDFium has shapes for letters; what has none here may have one in a viewer with other fonts."""
        bitmap = api.FPDFTextObj_GetRenderedBitmap(self._file, self._page, text.handle, 1.0)
        if not bitmap:
            return False
        try:
            size = api.FPDFBitmap_GetStride(bitmap) * api.FPDFBitmap_GetHeight(bitmap)
            return any(ctypes.string_at(api.FPDFBitmap_GetBuffer(bitmap), size)[3::4])
        finally:
            api.FPDFBitmap_Destroy(bitmap)


def _bands(place: Box, paper: Box) -> Iterable[int]:
    first = int(max(place[1], paper[1]) // _BAND)
    return range(first, min(int(min(place[3], paper[3]) // _BAND) + 1, first + _MOST_BANDS))


def _is_apart(one: Box, other: Box) -> bool:
    return one[2] < other[0] or one[0] > other[2] or one[3] < other[1] or one[1] > other[3]


def _covers(one: Box, other: Box) -> bool:
    """Whether a box lies upon a tenth of another one."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    area = (other[2] - other[0]) * (other[3] - other[1])
    return width > 0 and height > 0 and width * height > area / 10


def _is_like(one: _Ink, other: _Ink) -> bool:
    return all(abs(a - b) < _NEAR for a, b in zip(one[:3], other[:3], strict=True))


def _is_dot(text: PageText) -> bool:
    """Whether letters are of a point at the most, in their height or their width."""
    matrix, size = api.FS_MATRIX(), ctypes.c_float()
    api.FPDFPageObj_GetMatrix(text.handle, matrix)
    api.FPDFTextObj_GetFontSize(text.handle, size)
    sides = math.hypot(matrix.a, matrix.b), math.hypot(matrix.c, matrix.d)
    # In a font of type 3, which has no name, a size is of anything.
    has_name = api.FPDFFont_GetBaseFontName(api.FPDFTextObj_GetFont(text.handle), None, 0) > 1
    return has_name and 0 < size.value * min(sides) * text.scale <= _DOT


def _is_clipped_away(text: PageText) -> bool:
    """Whether all of a text lies outside of what it is clipped to."""
    clip = api.FPDFPageObj_GetClipPath(text.handle)
    count = api.FPDFClipPath_CountPaths(clip) if clip else 0
    for number in range(max(count - _MOST_CLIPS, 0), count):
        points = api.FPDFClipPath_CountPathSegments(clip, number)
        # Of a rectangle, as nearly all clips are, two points are enough.
        is_short = 2 < points <= _RECTANGLE
        if is_short and not _is_apart(text.box, _box_of(clip, number, (0, 2))):
            continue
        if points > 2 and _is_apart(
            text.box, _box_of(clip, number, range(min(points, _MOST_POINTS)))
        ):
            return True
    return False


def _box_of(clip: Any, number: int, places: Iterable[int]) -> Box:
    x, y = ctypes.c_float(), ctypes.c_float()
    xs: list[float] = []
    ys: list[float] = []
    for place in places:
        api.FPDFPathSegment_GetPoint(api.FPDFClipPath_GetPathSegment(clip, number, place), x, y)
        xs.append(x.value)
        ys.append(y.value)
    return min(xs), min(ys), max(xs), max(ys)


class _Picture:
    """The part of a page where some texts are, as it is drawn."""

    def __init__(self, page: Any, places: Iterable[Box]) -> None:
        self._page = page
        width, height = api.FPDF_GetPageWidthF(page), api.FPDF_GetPageHeightF(page)
        scale = min(1.0, _MOST_PIXELS / max(width, height, 1.0))
        self._size = max(int(width * scale), 1), max(int(height * scale), 1)
        self._left = self._top = 0
        edges = list(zip(*map(self._pixels_of, places), strict=True))
        self._left, self._top = max(min(edges[0]), 0), max(min(edges[1]), 0)
        self._width = max(min(max(edges[2]), self._size[0]) - self._left, 1)
        self._height = max(min(max(edges[3]), self._size[1]) - self._top, 1)
        self._stride = 4 * self._width

    def _pixels_of(self, place: Box) -> tuple[int, int, int, int]:
        """Return from where to where (left, top, right, bottom) the pixels of a box and around it are."""
        x, y = ctypes.c_int(), ctypes.c_int()
        corners: list[tuple[int, int]] = []
        for corner in (place[:2], place[2:]):
            api.FPDF_PageToDevice(self._page, 0, 0, *self._size, 0, *corner, x, y)
            corners.append((x.value - self._left, y.value - self._top))
        (left, right), (top, bottom) = map(sorted, zip(*corners, strict=True))
        return left - 1, top - 1, right + 2, bottom + 2

    def pixels(self, without: Iterable[Any] = ()) -> bytes:
        """Draw it without some of the texts; return four bytes for a pixel."""
        left_out = list(without)
        for text in left_out:
            api.FPDFPageObj_SetIsActive(text, 0)
        room = ctypes.create_string_buffer(self._stride * self._height)
        bitmap = api.FPDFBitmap_CreateEx(
            self._width, self._height, api.FPDFBitmap_BGRx, room, self._stride
        )
        api.FPDFBitmap_FillRect(bitmap, 0, 0, self._width, self._height, 0xFFFFFFFF)
        api.FPDF_RenderPageBitmap(bitmap, self._page, -self._left, -self._top, *self._size, 0, 0)
        api.FPDFBitmap_Destroy(bitmap)
        for text in left_out:
            api.FPDFPageObj_SetIsActive(text, 1)
        return room.raw

    def is_same(self, text: PageText, one: bytes, other: bytes) -> bool:
        """Whether two pictures have the same colours where a text is; not where it is too small to tell."""
        rows = list(self._rows(text.place))
        return bool(rows) and not any(
            one[row] != other[row]
            and any(abs(a - b) >= _NEAR for a, b in zip(one[row], other[row], strict=True))
            for row in rows
        )

    def is_plain(self, text: PageText, pixels: bytes) -> bool:
        """Whether a picture has one colour where a text is."""
        rows = [pixels[row] for row in self._rows(text.place)]
        return bool(rows) and all(
            max(max(row[k::4]) for row in rows) - min(min(row[k::4]) for row in rows) < _NEAR
            for k in range(3)
        )

    def _rows(self, place: Box) -> Iterator[slice]:
        """Yield where the pixels around a text are, row by row."""
        left, top, right, bottom = self._pixels_of(place)
        left, right = max(left, 0), min(right, self._width)
        for row in range(max(top, 0), min(bottom, self._height) if left < right else 0):
            yield slice(row * self._stride + 4 * left, row * self._stride + 4 * right)
