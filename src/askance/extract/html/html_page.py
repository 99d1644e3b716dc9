"""Text out of HTML: what a person would read there, and nothing that is hidden from them."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import lru_cache
from html import escape

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import MOST_PAGE_BLOCKS, PageReason, PageStatus
from askance.extract.extracted import Extracted, empty, failed, shortened_page
from askance.extract.html.assembly import (
    mark_edges,
    place_late_parts,
    show_fallbacks,
    show_shadow_trees,
)
from askance.extract.html.formulas import write_formulas
from askance.extract.html.hidden_elements import drop_hidden
from askance.extract.html.metadata import Metadata, MetadataReader
from askance.extract.html.selection import choose_blocks
from askance.extract.html.text_blocks import blocks_of, markdown_of
from askance.extract.html.tree import (
    Node,
    TreeError,
    add_child,
    drop_tree,
    drop_trees,
    outermost,
    parse_tree,
    text_of,
)
from askance.extract.html.walls import (
    awaits_script,
    drop_banners,
    is_bot_check,
    is_remnant,
    is_sign_in,
    is_wall,
    signs_of,
)
from askance.extract.text.characters import count_words
from askance.extract.text.decoding import decode_text
from askance.extract.text.markdown_text import picture_label

# Where less than this share of the words that a page shows was read, what was taken for its text is not.
# A short article among much else has more words than a menu that was mistaken for one.
LEAST_SHARE = 0.1
LEAST_WORDS = 50
# No article has as many blocks or elements, and the time of the library grows with their square. All of such a page
# is read, of which the first blocks are used.
MOST_CHOSEN_AMONG, MOST_ELEMENTS = 3 * MOST_PAGE_BLOCKS, 60_000
# Only a page that is made to take long has as many tags in the two megabytes that are read of one.
MOST_TAGS = 200_000
_ALL_IS_READ = Message(
    "The text of the page could not be told from what stands around it; all is read."
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Links from a section to itself by their classes, and what holds those to its editor.
_SECTION_LINKS = frozenset({
    "headerlink", "header-anchor", "header-link", "heading-anchor", "heading-link", "anchor",
    "anchor-link", "anchorjs-link", "anchorlink", "hash-link", "doc-anchor", "section-link",
    "permalink", "selflink", "direct-link", "deeplink",
})  # fmt: skip
_SECTION_EDITORS = frozenset({"mw-editsection", "editsection"})
_IN_NO_HEADING = frozenset({"p", "li", "table", "form", "fieldset"})
# Whatever stands before a document type, it stands at the beginning.
DOCTYPE_CHARACTERS = 2000
_DOCTYPE = re.compile("<!doctype", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")
_OWN = "file:"
_SHEET_CHARACTERS = 500_000
_IS_XHTML = re.compile(r"<\?xml\b|http://www\.w3\.org/1999/xhtml")
_XHTML_PREFIX = re.compile(r"<([A-Za-z]{1,10}):html\b")
_NOTE_REFERENCES = frozenset({"noteref", "doc-noteref"})
_NOTE_SIGN = re.compile(r"\d{1,4}|[*\u2020\u2021\u00a7]{1,3}")
_OPEN = ("", "[", "(")
_MOST_AROUND = 4  # elements, of which each holds the one before alone
_AROUND_NOTES = frozenset({"sup", "span", "small", "b", "strong", "i", "em", "font"})
_NOTES = frozenset({
    "footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes", "note", "doc-footnote", "doc-endnote",
    "doc-endnotes",
})  # fmt: skip
# Few pages have any of them, and looking for the words is cheaper than asking each element.
_HAS_NOTES = re.compile(r"(?:foot|end|rear)note|pagebreak|pagenum|pageno|type=.note")
_PAGE_NUMBERS = frozenset({"pagebreak", "doc-pagebreak", "pagenum", "pageno"})
_LONGEST_PAGE_NUMBER = 12
# Fields of a form whose value is seen: neither ticks and buttons nor what is hidden.
_TYPED = frozenset({
    "text", "search", "email", "url", "tel", "number", "date", "time", "datetime-local", "month", "week",
})  # fmt: skip
_EMPTY_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]{0,40}+)([^<>]*+)>")
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
})  # fmt: skip
_LANGUAGE = re.compile(r"[A-Za-z]{2}(?![A-Za-z])")
_CLASS_RULE = re.compile(r"\.([\w-]{1,40})\s{0,9}\{([^{}]{0,2000})\}")
_IN_LINE = ("span", "font", "b", "i", "em", "strong", "small", "u", "big", "ins")
_STYLES = {
    "line-through": re.compile(r"text-decoration(?:-line)?\s{0,9}:[^;]{0,99}line-through", re.IGNORECASE),
    "super": re.compile(r"vertical-align\s{0,9}:\s{0,9}super\b", re.IGNORECASE),
    "sub": re.compile(r"vertical-align\s{0,9}:\s{0,9}sub\b", re.IGNORECASE),
}  # fmt: skip


def extract_html(
    data: bytes, url: str, content_type: str, sheet_of: Callable[[str], str] | None = None
) -> Extracted:
    """Return the text of an HTML page as Markdown, or why it has none.

    `content_type` is the header as it came; its charset is one hint among others. Nothing
    hidden reaches the Markdown: comments, invisible elements, attribute texts, and the texts
    that a page keeps for programs. Of a file (`file:`) all that it shows is read: a chapter of a book and
    a page of one's own have nothing around their text. `sheet_of` gives the style sheets that a file points at,
    empty for one that is not at hand, without control characters.
    """
    try:
        with _uncollected():
            text = decode_text(data, content_type)
            is_own = url.startswith(_OWN)
            return _extract_own(text, url, sheet_of) if is_own else _extract(text, url)
    except (RecursionError, ValueError, TreeError) as exc:
        return failed(
            PageReason.EXTRACTION,
            Message("The page could not be parsed: {problem}.", problem=exc),
        )


@contextmanager
def _uncollected() -> Generator[None]:
    """Collect no cycles: a page's objects live as long as it is read, and looking at them takes an eighth of that."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _extract(page: str, url: str) -> Extracted:
    text = _within_bounds(page)
    tree = parse_tree(mark_edges(text))
    if tree is None:
        return empty(PageReason.NO_TEXT, Message("The page is empty."))
    # Whatever goes over the tree needs a Python object of each element: one, as long as it is held here.
    held = list(tree.iter())
    reader = MetadataReader(tree, url)
    language = _language(tree)
    # Counted, and the next two read, before what is not seen is dropped from the tree.
    scripts = sum(1 for _ in tree.iter("script"))
    signs = signs_of(tree, text)
    apology = _TAG.sub(" ", " ".join(map(text_of, tree.iter("title", "noscript"))))
    is_fallback, is_uncovered = _prepare(tree, text)
    banner = drop_banners(tree)
    blocks = blocks_of(tree)

    shown = "\n".join(block.text for block in blocks)
    metadata = reader.read(shown)
    title = metadata.title
    is_huge = len(blocks) > MOST_CHOSEN_AMONG or len(held) > MOST_ELEMENTS
    markdown = markdown_of(blocks if is_huge else choose_blocks(blocks))
    words = count_words(markdown)
    detail = _ALL_IS_READ if is_huge else NOTHING
    if is_fallback:
        detail = Message(
            "The page keeps its text for browsers without scripts, or for its own; it is read from there."
        )
    if is_uncovered:
        detail = Message(
            "The page hides most of its text until its scripts have run; it is read as if they had."
        )
    if len(text) < len(page):
        detail = Message.joined(detail, shortened_page(len(text), len(page)))
    if is_bot_check(signs, blocks, shown, apology):
        message = Message("The page shows only a check that its visitor is a person.")
        return empty(PageReason.CONSENT_WALL, message, title=title)
    if (
        is_sign_in(signs, blocks, shown)
        or (is_wall(markdown, words) if markdown else is_wall(shown))
        or is_remnant(words, shown)
        or (banner and not markdown)
    ):
        message = Message("The page shows only a consent or sign-in form.")
        return empty(PageReason.CONSENT_WALL, message, title=title)
    # Only now: a wall says little as well, and its buttons are no article.
    if words < LEAST_WORDS and words < LEAST_SHARE * count_words(shown):
        markdown, detail = markdown_of(blocks), _ALL_IS_READ
        words = count_words(markdown)
    if awaits_script(words, f"{apology} {shown}", scripts=scripts):
        message = Message("The page shows its text only with scripts, which are not run here.")
        return empty(PageReason.SCRIPT_ONLY, message, title=title)
    held.clear()
    if not words:
        return empty(PageReason.NO_TEXT, Message("The page has no text."), title=title)
    return _read(metadata, markdown, words, language, detail)


def _within_bounds(text: str) -> str:
    """Return the beginning of a page that has more tags than are read."""
    if text.count("<") <= MOST_TAGS:
        return text
    # Up to the tag that is one too many; `split` finds it without a step in Python for each.
    return text[: -len(text.split("<", MOST_TAGS)[-1]) - 1]


def _extract_own(text: str, url: str, sheet_of: Callable[[str], str] | None) -> Extracted:
    """Return all that a file shows, in its order."""
    # Chapters of books are XHTML, where `<title/>` and `<a id="p7"/>` hold nothing that follows.
    if _IS_XHTML.search(text, 0, DOCTYPE_CHARACTERS):
        if prefix := _XHTML_PREFIX.search(text, 0, DOCTYPE_CHARACTERS):
            text = text.replace(f"<{prefix[1]}:", "<").replace(f"</{prefix[1]}:", "</")
        text = _without_sections(text)
        text = _EMPTY_ELEMENT.sub(_opened, text)
    tree = parse_tree(mark_edges(text))
    if tree is None:
        return empty(PageReason.NO_TEXT, Message("The page is empty."))
    for link in list(tree.iter("link")):
        # One that is called an alternative, too, is not used.
        if sheet_of and link.get("rel", "").lower().split() == ["stylesheet"]:
            link.tag = "style"
            link.text = sheet_of(link.get("href", "").strip())[:_SHEET_CHARACTERS]
    reader = MetadataReader(tree, url)
    language = _language(tree)
    write_formulas(tree)  # before their pictures are no pictures any more
    _show_alternatives(tree)
    _show_fields(tree)
    if _HAS_NOTES.search(text):
        _show_notes(tree)
    _mark_styled(tree, text, "super", "sup")
    _mark_styled(tree, text, "sub", "sub")
    _mark_notes(tree)
    _prepare(tree, text)
    markdown = markdown_of(blocks_of(tree))
    metadata = reader.read(markdown)
    if not (words := count_words(markdown)):
        return empty(PageReason.NO_TEXT, Message("The page has no text."), title=metadata.title)
    return _read(metadata, markdown, words, language)


def _read(
    metadata: Metadata, markdown: str, words: int, language: str | None, detail: Message = NOTHING
) -> Extracted:
    return Extracted(
        PageStatus.OK,
        detail=detail,
        title=metadata.title,
        markdown=markdown,
        words=words,
        published=metadata.published or None,
        updated=metadata.updated or None,
        language=language,
        byline=metadata.byline,
    )


def _prepare(tree: Node, text: str) -> tuple[bool, bool]:
    """Leave in a tree what a person sees; return whether that is a fallback, and whether scripts would show it."""
    place_late_parts(tree)
    # Parts are put in their places first, since the box that they arrive in is hidden. Shadow
    # trees come after, since their sheets count within them alone.
    is_fallback = show_fallbacks(tree)
    write_formulas(tree)
    _mark_styled(tree, text, "line-through", "s")
    # Without a document type browsers ignore the case of classes and ids (quirks mode).
    is_uncovered = drop_hidden(tree, quirks=not _DOCTYPE.search(text, 0, DOCTYPE_CHARACTERS))
    show_shadow_trees(tree)
    _drop_section_signs(tree)
    _open_headings(tree)
    return is_fallback, is_uncovered


def _language(tree: Node) -> str | None:
    lang = tree.get("lang") or tree.get("xml:lang") or ""
    found = _LANGUAGE.match(lang.strip())
    return found[0].lower() if found else None


def _mark_styled(tree: Node, text: str, value: str, tag: str) -> None:
    """Rename what its own style, or a rule for its class alone, strikes through, raises or lowers."""
    # Few pages have the word at all, and looking for it is cheaper than reading their rules.
    if value not in text:
        return
    style = _STYLES[value]
    rules = (rule for sheet in tree.iter("style") for rule in _CLASS_RULE.findall(sheet.text or ""))
    names = {name for name, body in rules if style.search(body)}
    for element in list(tree.iter(*_IN_LINE)):
        classes = element.get("class", "").split()
        if style.search(element.get("style", "")) or not names.isdisjoint(classes):
            element.tag = tag


def _show_alternatives(tree: Node) -> None:
    """Put what a picture says to those who do not see it into its place."""
    for picture in list(tree.iter("img")):
        if alternative := picture.get("alt", "").strip():
            # Letters, as the first of a chapter, and faces may be pictures.
            is_letter = len(alternative) == 1 and (picture.tail or " ")[0].isalpha()
            is_sign = len(alternative) == 1 or not _WORD.search(alternative)
            shown = alternative if is_sign else picture_label(alternative)
            picture.tag = "span"
            picture.attrib.clear()
            picture.text = shown if is_letter else f" {shown} "
    for drawing in outermost(tree, "svg"):
        texts = [text_of(part) for part in outermost(drawing, "text", "foreignobject")]
        if any(text.strip() for text in texts):
            drop_trees(list(drawing))
            drawing.tag, drawing.text = "div", None
            drawing.attrib.clear()
            for text in texts:
                add_child(drawing, "div").text = text


def _show_fields(tree: Node) -> None:
    """Put what is written or chosen in a form, and the pages in frames that a page holds itself, into their places."""
    for field in outermost(tree, "input", "textarea", "select"):
        text = field.get("value", "") if field.get("type", "text").lower() in _TYPED else ""
        if field.tag == "textarea":
            text = text_of(field)
        elif field.tag == "select":
            options = list(field.iter("option"))
            chosen = [option for option in options if option.get("selected") is not None]
            text = ", ".join(text_of(option).strip() for option in chosen or options[:1])
        elif field.get("type", "").lower() == "checkbox":
            is_named = (field.tail or "").strip() or field.getnext() is not None
            text = "[x]" if is_named and field.get("checked") is not None else ""
        if text.strip():
            drop_trees(list(field))
            field.tag, field.text = "div" if field.tag == "textarea" else "span", f" {text} "
            field.attrib.clear()
    for frame in list(tree.iter("iframe")):
        if (page := parse_tree(frame.get("srcdoc", ""))) is not None:
            # Its sheets count within it alone.
            drop_trees(list(page.iter("head", "style")))
            for part in page.iter("html", "body"):
                part.tag = "div"
            frame.tag = "div"
            frame.attrib.clear()
            frame.append(page)


def _show_notes(tree: Node) -> None:
    """Show notes that a book opens above its page, and leave out the numbers of the pages of its print."""
    numbers: list[Node] = []
    within: set[Node] = set()
    for element in tree.iter("aside", "section", "div", "li", "ol", "p", "span", "a"):
        kinds = f"{element.get('epub:type', '')} {element.get('role', '')}".split()
        if not _NOTES.isdisjoint(kinds):
            element.attrib.pop("hidden", None)
            element.attrib["style"] = "display: block !important"
        elif element not in within and not _PAGE_NUMBERS.isdisjoint(
            [*kinds, *element.get("class", "").split()]
        ):
            within.update(element.iter())
            if len(text_of(element)) <= _LONGEST_PAGE_NUMBER:
                numbers.append(element)
    drop_trees(numbers)


def _mark_notes(tree: Node) -> None:
    """Write the signs of notes so that they are no part of the word before them or behind them, and no citation."""
    for link in list(tree.iter("a")):
        label = text_of(link).strip().strip("[]()")
        kinds = f"{link.get('epub:type', '')} {link.get('role', '')}".split()
        # Many programs do not say what such a link is.
        is_sign = "#" in link.get("href", "") and _NOTE_SIGN.fullmatch(label) is not None
        is_reference = not _NOTE_REFERENCES.isdisjoint(kinds)
        if label and (is_reference or (is_sign and _last_before(link) not in _OPEN)):
            for child in list(link):
                drop_tree(child)
            # Not `[1]`, which a reader would take for a citation of an answer.
            link.text, link.tag = f"[^{label}]", "span"
            around = link.getparent()
            if around is not None and around.tag == "sup" and text_of(around).strip() == link.text:
                around.tag = "span"
        elif is_sign:
            around = link.getparent()
            is_alone = not link.tail and around is not None and around.tag in _AROUND_NOTES
            end = around if is_alone and around is not None else link
            if (end.tail or " ")[0].isalnum():
                end.tail = f" {end.tail}"


def _last_before(link: Node) -> str:
    """Return what stands right before a link in its line: nothing behind a space, or where a line begins."""
    element: Node | None = link
    for _ in range(_MOST_AROUND):
        if element is None or not (element is link or element.tag in _AROUND_NOTES):
            break
        before, around = element.getprevious(), element.getparent()
        if before is not None:
            text = before.tail or ("" if before.tag in {"a", "br"} else text_of(before))
            return text[-1:].strip()
        if around is not None and around.text:
            return around.text[-1:].strip()
        element = around
    return ""


def _without_sections(text: str) -> str:
    """Return a page in XHTML with what stands in its sections of text (CDATA) as HTML writes it."""
    first, *parts = text.split("<![CDATA[")
    out = [first]
    for part in parts:
        section, end, rest = part.partition("]]>")
        # One without an end is in a script, where it is a remark.
        out += (escape(section, quote=False), rest) if end else (part,)
    return "".join(out)


def _opened(match: re.Match[str]) -> str:
    """Return an empty element of XHTML as one of HTML, where a stroke at its end says nothing."""
    name, rest = match[1], match[2]
    if not rest.endswith("/") or name.lower() in _VOID:
        return match[0]
    return f"<{name}{rest[:-1]}></{name}>"


def _drop_section_signs(tree: Node) -> None:
    """Drop the signs that link to a section or to its editor."""
    dropped: list[Node] = []
    for element in tree.iter("a", "span"):
        if not (classes := element.get("class")):
            continue
        names = _names_in(classes)
        is_sign = element.tag == "a" and not names.isdisjoint(_SECTION_LINKS)
        if not names.isdisjoint(_SECTION_EDITORS) or (is_sign and not _has_words(element)):
            dropped.append(element)
    drop_trees(dropped)


@lru_cache(maxsize=4096)
def _names_in(classes: str) -> frozenset[str]:
    return frozenset(classes.lower().split())


def _has_words(element: Node) -> bool:
    return any(map(_WORD.search, element.itertext()))


def _open_headings(tree: Node) -> None:
    """Take headings with paragraphs, lists or tables in them for what they are: boxes."""
    for element in list(tree.iter(*_HEADINGS)):
        if any(child.tag in _IN_NO_HEADING for child in element):
            element.tag = "div"
