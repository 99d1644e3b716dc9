"""Presentations, workbooks and other files of offices, as small as they can be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from xml.sax.saxutils import escape

from servers.office import packed

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
RTF, FB2, IPYNB = "application/rtf", "application/x-fictionbook+xml", "application/x-ipynb+json"
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_P = f'xmlns:p="p" xmlns:a="a" {_R}'
ODF = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'


def _related(*targets: str) -> str:
    listed = "".join(f'<R Id="r{n}" Target="{target}"/>' for n, target in enumerate(targets))
    return f"<Rs>{listed}</Rs>"


def _shape(text: str, kind: str = "body") -> str:
    return f'<p:sp><p:ph type="{kind}"/><a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p></p:sp>'


def pptx(
    *slides: tuple[str, str, str], hidden: frozenset[int] = frozenset(), more: str = ""
) -> bytes:
    """A presentation of slides with a title, a text and notes; hidden ones by their numbers from 0; with more shapes."""
    names = [f"slides/slide{n}.xml" for n in range(len(slides))]
    listed = "".join(f'<p:sldId r:id="r{n}"/>' for n in range(len(slides)))
    members: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {_P}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": _related(*names),
    }
    for n, (title, text, notes) in enumerate(slides):
        show = ' show="0"' if n in hidden else ""
        shapes = _shape(title, "title") + _shape(text) + _shape(str(n), "sldNum") + more
        members[f"ppt/slides/slide{n}.xml"] = f"<p:sld {_P}{show}>{shapes}</p:sld>"
        members[f"ppt/slides/_rels/slide{n}.xml.rels"] = _related(f"../notesSlides/n{n}.xml")
        members[f"ppt/notesSlides/n{n}.xml"] = f"<p:notes {_P}>{_shape(notes)}</p:notes>"
    return packed(members)


def xlsx(
    rows: str,
    strings: tuple[str, ...] = (),
    state: str = "visible",
    formats: tuple[str, ...] = (),
    more: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """A workbook of one sheet with these rows; style 1 is that of a date, those from 2 on have these formats."""
    listed = "".join(
        f'<numFmt numFmtId="{164 + n}" formatCode="{escape(one, {chr(34): "&quot;"})}"/>'
        for n, one in enumerate(formats)
    )
    own = "".join(f'<xf numFmtId="{164 + n}"/>' for n in range(len(formats)))
    shared = "".join(f"<si><t>{escape(one)}</t></si>" for one in strings)
    return packed({
        "xl/workbook.xml": f'<w {_R}><sheets><sheet name="Budget" state="{state}" r:id="r0"/></sheets></w>',
        "xl/_rels/workbook.xml.rels": _related("worksheets/sheet1.xml"),
        "xl/sharedStrings.xml": f"<sst>{shared}</sst>",
        "xl/styles.xml": f'<s>{listed}<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>{own}</cellXfs></s>',
        "xl/worksheets/sheet1.xml": f"<s><sheetData>{rows}</sheetData></s>",
        **more,
    })  # fmt: skip


def opendocument(body: str) -> bytes:
    """A spreadsheet or a presentation of OpenDocument."""
    return packed(
        {"content.xml": f"<office:document-content {ODF}>{body}</office:document-content>"}
    )


def notebook(*cells: dict[str, object]) -> bytes:
    """A notebook in Python."""
    about = {"language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4}).encode()
