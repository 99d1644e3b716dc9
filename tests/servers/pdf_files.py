"""PDF files whose pages are programs that are written out: with images, forms, and fonts of any kind."""

from __future__ import annotations

from dataclasses import dataclass

PLAIN_FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
NONSENSE_FONT = (
    "<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Odd/FirstChar 1/LastChar 96/Widths["
    + "500 " * 96
    + "]/Encoding<</Type/Encoding/Differences[1"
    + "".join(f"/g{n}" for n in range(100, 196))
    + "]>>>>"
)
"""It names its glyphs by numbers."""
IMAGE = "q 500 0 0 700 40 40 cm /I Do Q"
STREAM = "99 0 R"
"""What a font writes where it means the stream that `with_stream` adds."""
PICTURE = (
    "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
    "/Length 1>>stream\n0\nendstream"
)


@dataclass(frozen=True)
class Page:
    """A page: its program, its font `/F` beside a plain one `/H`, and the entries of its annotations."""

    program: str
    font: str = PLAIN_FONT
    annotations: tuple[str, ...] = ()

    @classmethod
    def of_lines(cls, *lines: str) -> Page:
        """A page of lines in letters of any alphabet."""
        letters = sorted({letter for line in lines for letter in line})
        codes = {letter: n for n, letter in enumerate(letters, 33)}
        shown = "".join(
            f"<{''.join(f'{codes[letter]:02x}' for letter in line)}> Tj T* " for line in lines
        )
        names = "".join(f"/uni{ord(letter):04X}" for letter in letters)
        font = PLAIN_FONT.replace("/WinAnsiEncoding", f"<</Type/Encoding/Differences[33{names}]>>")
        return cls(f"BT /F 12 Tf 14 TL 60 700 Td {shown}ET", font)


class GivenPassword(str):
    """A password that is given even where it is empty: pypdf would take that of the user for that of the owner."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True


def pdf_file(*pages: Page) -> bytes:
    """A PDF file of these pages."""
    objects = ["", "", PICTURE]
    kids: list[int] = []
    fields: list[int] = []
    objects.append(PLAIN_FONT)
    plain = len(objects)
    for page in pages:
        objects.append(page.font)
        font = len(objects)
        objects.append(f"<</Length {len(page.program)}>>stream\n{page.program}\nendstream")
        program = len(objects)
        first = len(objects) + 1
        objects += [
            f"<</Type/Annot/Rect[60 600 300 620]/DA(/F 12 Tf){entries}>>"
            for entries in page.annotations
        ]
        numbers = range(first, len(objects) + 1)
        fields += [
            n for n, entries in zip(numbers, page.annotations, strict=True) if "/FT" in entries
        ]
        annotations = " ".join(f"{n} 0 R" for n in numbers)
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {program} 0 R"
            f"/Annots[{annotations}]"
            f"/Resources<</Font<</F {font} 0 R/H {plain} 0 R>>/XObject<</I 3 0 R>>>>>>"
        )
        kids.append(len(objects))
    form = " ".join(f"{n} 0 R" for n in fields)
    objects[0] = f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{form}]>>>>"
    listed = " ".join(f"{n} 0 R" for n in kids)
    objects[1] = f"<</Type/Pages/Kids[{listed}]/Count {len(kids)}>>"
    body, offsets = "%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    return (
        f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF"
    ).encode("latin-1")


def with_stream(data: bytes, content: bytes) -> bytes:
    """A PDF file with a stream more, and without a table of its objects."""
    body = data[: data.rindex(b"xref\n0")]
    number = body.count(b" 0 obj") + 1
    body = body.replace(STREAM.encode(), b"%d 0 R" % number)
    body += b"%d 0 obj\n<</Length %d>>stream\n%b\nendstream\nendobj\n" % (
        number,
        len(content),
        content,
    )
    return body + b"trailer<</Size %d/Root 1 0 R>>\n%%%%EOF" % (number + 1)
