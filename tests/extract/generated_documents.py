"""Documents of any shape, made at random: each sentence has a word of its own."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from servers.office import packed

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_O = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style")
) + (
    ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


@dataclass
class Made:
    """What is made: the words that a person sees, each once, and those that nobody does."""

    chance: random.Random
    shown: list[str] = field(default_factory=list[str])
    hidden: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    left: int = 60

    def word(self) -> str:
        self.left -= 1
        self.shown.append(f"word{len(self.shown)}q")
        return self.shown[-1]

    def unseen(self) -> str:
        self.hidden.append(f"unseen{len(self.hidden)}q")
        return self.hidden[-1]

    def pick(self, *makers: Callable[[int], str], depth: int) -> str:
        return self.chance.choice(makers)(depth) if self.left > 0 else ""

    def some(self, make: Callable[[int], str], depth: int) -> str:
        return "".join(make(depth) for _ in range(self.chance.randint(1, 3)))


class Word(Made):
    """Makes a Word file."""

    def run(self, text: str) -> str:
        return f"<w:r><w:t>{text}</w:t></w:r>"

    def paragraph(self, depth: int) -> str:
        inner = self.pick(self.plain, self.note, self.box, self.moved, self.control, depth=depth)
        style = self.chance.choice(
            ("", "", "<w:numPr><w:numId w:val='1'/></w:numPr>", "<w:pStyle w:val='Heading2'/>")
        )
        return f"<w:p><w:pPr>{style}</w:pPr>{self.run(self.word())}{inner}</w:p>"

    def plain(self, depth: int) -> str:
        return f"<w:r><w:t>, {self.word()}</w:t><w:tab/><w:t>{self.word()}</w:t><w:noBreakHyphen/></w:r>{self.run(self.word())}"

    def note(self, depth: int) -> str:
        number = len(self.notes) + 1
        self.notes.append("")
        self.notes[number - 1] = (
            f"<w:footnote w:id='{number}'><w:p>{self.run(self.word())}</w:p></w:footnote>"
        )
        return f"<w:r><w:footnoteReference w:id='{number}'/></w:r>{self.run(self.word())}"

    def box(self, depth: int) -> str:
        if depth > 3:
            return ""
        inner = f"<w:txbxContent>{self.some(self.block, depth + 1)}</w:txbxContent>"
        choice = f"<w:drawing><wp:inline><wps:txbx>{inner}</wps:txbx></wp:inline></w:drawing>"
        return (
            f"<w:r><mc:AlternateContent><mc:Choice>{choice}</mc:Choice><mc:Fallback><w:pict><v:textbox>"
            f"{inner}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>{self.run(self.word())}"
        )

    def moved(self, depth: int) -> str:
        gone = f"<w:del><w:r><w:delText>{self.unseen()}</w:delText></w:r></w:del><w:moveFrom>{self.run(self.unseen())}</w:moveFrom>"
        hidden = f"<w:r><w:rPr><w:vanish/></w:rPr><w:t>{self.unseen()}</w:t></w:r>"
        seen = f"<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t> {self.word()}</w:t></w:r>"
        return f"{gone}{hidden}{seen}<w:ins><w:r><w:t> {self.word()}</w:t></w:r></w:ins>"

    def control(self, depth: int) -> str:
        return f"<w:sdt><w:sdtPr><w:alias w:val='{self.unseen()}'/></w:sdtPr><w:sdtContent><w:r><w:t xml:space='preserve'> {self.word()} </w:t></w:r></w:sdtContent></w:sdt><w:hyperlink>{self.run(self.word())}</w:hyperlink>"

    def table(self, depth: int) -> str:
        if depth > 4:
            return ""
        columns = self.chance.randint(1, 3)
        rows = "".join(
            f"<w:tr>{''.join(f'<w:tc>{self.some(self.block, depth + 1)}</w:tc>' for _ in range(columns))}</w:tr>"
            for _ in range(self.chance.randint(1, 3))
        )
        return f"<w:tbl><w:tblPr/>{rows}</w:tbl>"

    def wrapped(self, depth: int) -> str:
        return f"<w:sdt><w:sdtContent>{self.paragraph(depth)}</w:sdtContent></w:sdt>"

    def block(self, depth: int) -> str:
        return self.pick(self.paragraph, self.paragraph, self.table, self.wrapped, depth=depth)

    def file(self) -> bytes:
        body = "".join(self.block(0) for _ in range(12))
        header = f"<w:hdr {_W}><w:p>{self.run(self.word())}</w:p></w:hdr>"
        relations = "".join(
            f"<Relationship Id='r{i}' Type='{_RELATION}/{kind}' Target='{name}.xml'/>"
            for i, (kind, name) in enumerate((("footnotes", "notes"), ("header", "head")))
        )
        section = "<w:sectPr><w:headerReference w:type='default' w:id='r1'/></w:sectPr>"
        return packed({
            "_rels/.rels": f"<Relationships><Relationship Id='a' Type='{_RELATION}/officeDocument' Target='word/document2.xml'/></Relationships>",
            "word/_rels/document2.xml.rels": f"<Relationships>{relations}</Relationships>",
            "word/document2.xml": f"<w:document {_W}><w:body>{body}{section}</w:body></w:document>",
            "word/notes.xml": f"<w:footnotes {_W}>{''.join(self.notes)}</w:footnotes>",
            "word/head.xml": header,
        })  # fmt: skip


class OpenDocument(Made):
    """Makes an OpenDocument text."""

    def paragraph(self, depth: int) -> str:
        inner = self.pick(self.plain, self.note, self.box, depth=depth)
        tag = self.chance.choice(("p", "p", "h"))
        return f"<text:{tag}>{self.word()}{inner}</text:{tag}>"

    def plain(self, depth: int) -> str:
        return f"<text:tab/><text:span>{self.word()}</text:span><text:line-break/>{self.word()}<text:hidden-text>{self.unseen()}</text:hidden-text>"

    def note(self, depth: int) -> str:
        return f"<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>{self.word()}</text:p></text:note-body></text:note>{self.word()}"

    def box(self, depth: int) -> str:
        if depth > 3:
            return ""
        return f"<draw:frame><draw:text-box>{self.some(self.block, depth + 1)}</draw:text-box></draw:frame>{self.word()}"

    def listed(self, depth: int) -> str:
        if depth > 4:
            return ""
        items = "".join(
            f"<text:list-item>{self.some(self.block, depth + 1)}</text:list-item>" for _ in range(2)
        )
        return f"<text:list>{items}</text:list>"

    def table(self, depth: int) -> str:
        if depth > 4:
            return ""
        columns = self.chance.randint(1, 3)
        cells = "".join(
            f"<table:table-cell>{self.some(self.block, depth + 1)}</table:table-cell>"
            for _ in range(columns)
        )
        return f"<table:table><table:table-row>{cells}</table:table-row></table:table>"

    def section(self, depth: int) -> str:
        return f"<text:section>{self.paragraph(depth)}</text:section>"

    def block(self, depth: int) -> str:
        makers = (self.paragraph, self.paragraph, self.listed, self.table, self.section)
        return self.pick(*makers, depth=depth)

    def file(self) -> bytes:
        body = "".join(self.block(0) for _ in range(12))
        gone = f"<text:tracked-changes><text:p>{self.unseen()}</text:p></text:tracked-changes>"
        page = f"<style:master-page style:name='Standard'><style:header><text:p>{self.word()}</text:p></style:header></style:master-page>"
        return packed({
            "content.xml": f"<office:document-content {_O}><office:body><office:text>{gone}{body}</office:text></office:body></office:document-content>",
            "styles.xml": f"<office:document-styles {_O}><office:master-styles>{page}</office:master-styles></office:document-styles>",
        })  # fmt: skip


class Book(Made):
    """Makes a book."""

    def paragraph(self, depth: int) -> str:
        tag = self.chance.choice(
            ("p", "div", "h2", "blockquote", "figcaption", "aside", "footer", "nav")
        )
        inner = self.pick(self.plain, self.note, depth=depth)
        name = self.chance.choice(("", "sidebar", "comment", "share", "related", "footnote"))
        return f"<{tag} class='{name}'>{self.word()}{inner}</{tag}>"

    def plain(self, depth: int) -> str:
        return f"<a id='x'/> <em>{self.word()}</em><br/>{self.word()}<!-- {self.unseen()} -->"

    def note(self, depth: int) -> str:
        return f"<a epub:type='noteref' href='#n'>1</a> {self.word()}<img src='a.png' alt='{self.word()}'/>"

    def listed(self, depth: int) -> str:
        if depth > 4:
            return ""
        items = "".join(f"<li>{self.some(self.block, depth + 1)}</li>" for _ in range(2))
        return f"<ol>{items}</ol><dl><dt>{self.word()}</dt><dd>{self.word()}</dd></dl>"

    def table(self, depth: int) -> str:
        if depth > 4:
            return ""
        cells = "".join(f"<td>{self.some(self.block, depth + 1)}</td>" for _ in range(2))
        return f"<table><caption>{self.word()}</caption><tr>{cells}</tr></table>"

    def block(self, depth: int) -> str:
        return self.pick(self.paragraph, self.paragraph, self.listed, self.table, depth=depth)

    def file(self) -> bytes:
        chapters = ["".join(self.block(0) for _ in range(6)) for _ in range(2)]
        items = "".join(f'<item id="c{i}" href="c{i}.xhtml"/>' for i in range(2))
        return packed({
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
            "b.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest>'
            '<spine><itemref idref="c0"/><itemref idref="c1"/></spine></package>',
            **{
                f"c{i}.xhtml": "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml' "
                f"xmlns:epub='http://www.idpf.org/2007/ops'><head><title/></head><body>{text}</body></html>"
                for i, text in enumerate(chapters)
            },
        })  # fmt: skip
