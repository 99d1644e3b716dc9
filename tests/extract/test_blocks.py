"""The blocks of a page: each with all of its words, numbers as they are, words of neighbours apart."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.extract.html.hidden_elements import drop_hidden
from askance.extract.html.html_page import extract_html
from askance.extract.html.text_blocks import Block, BlockKind, blocks_of, markdown_of
from askance.extract.html.tree import parse_tree
from servers.site import article

URL = "http://lindmouth.example/harbour"
EMPTY = [
    '<i class="fa fa-check"></i>', "<strong></strong>", "<em> </em>", '<span id="more-12"></span>',
    '<img src="4.png" alt="4">', '<svg viewBox="0 0 9 9"><path d="M0"/></svg>', "<b><img src=a.png></b>",
    '<span class="icon"><svg><title>Warning</title></svg></span>', "<a name=top></a>", "<wbr>", "<sup></sup>",
    "<span hidden>CANARY</span>", '<i aria-hidden="true">x</i>', "<picture><source><img></picture>", "<!--more-->",
    "<button></button>", "<output></output>", "<time datetime=2027-01-01></time>", "<canvas></canvas>",
    "<ruby></ruby>", "<template>CANARY</template>", "<script>1</script>",
]  # fmt: skip
INLINE = [
    "a", "abbr", "b", "bdi", "big", "button", "cite", "code", "data", "dfn", "em", "font", "i", "ins", "kbd", "label",
    "mark", "nobr", "output", "samp", "small", "span", "strong", "time", "tt", "u", "var", "x-name",
]  # fmt: skip


def blocks(body: str) -> list[Block]:
    tree = parse_tree(f"<!doctype html><html><body>{body}</body></html>")
    assert tree is not None
    drop_hidden(tree)
    return blocks_of(tree)


def markdown(body: str) -> str:
    return markdown_of(blocks(body))


@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize(
    "shape",
    ["<p>{}</p>", "<ul><li>{}</li></ul>", "<table><tr><td>1</td><td>{}</td></tr></table>", "<div>{}</div>", "<h2>{}</h2>",
     "<blockquote><p>{}</p></blockquote>", "<dl><dd>{}</dd></dl>", "<figure><figcaption>{}</figcaption></figure>"],
)  # fmt: skip
def test_no_word_is_lost_beside_an_element_without_words(empty: str, shape: str) -> None:
    text = markdown(shape.format(f"Do {empty} not open the hive when {empty} it rains."))
    assert "Do not open the hive when it rains." in text
    assert "CANARY" not in text


@pytest.mark.parametrize("tag", INLINE)
def test_the_words_of_an_inline_element_stay_in_their_sentence(tag: str) -> None:
    text = markdown(
        f"<p>It lasts from <{tag}>9:00</{tag}> to <span><{tag}>17:30</{tag}></span>, as ever.</p>"
        f"<ul><li><{tag}>3 May 1931</{tag}>: the law passes.</li></ul>"
        f"<table><tr><td>Opening</td><td><{tag}>12 September</{tag}></td></tr></table>"
    )
    assert "It lasts from 9:00 to 17:30, as ever." in text
    assert "- 3 May 1931: the law passes." in text
    assert "| Opening | 12 September |" in text


RAISED = {
    "10<sup>5</sup> candela": "10^5 candela",
    "2<sup>n</sup>m": "2^n m",
    "10<sup>5</sup>m": "10^5 m",
    "e<sup>x+1</sup>y": "e^(x+1)y",
    "n<sup>2</sup>log n": "n^2 log n",
    "10<sup>-3</sup> bar": "10^-3 bar",
    "10<sup>\u22123</sup> bar": "10^\u22123 bar",
    "10<sup><b>5</b></sup> candela": "10^5 candela",
    "2<sup>2n</sup>": "2^2n",
    "2<sup>n+1</sup> ways": "2^(n+1) ways",
    "25 m<sup>2</sup> of ground": "25 m^2 of ground",
    "9 cm<sup>3</sup>": "9 cm^3",
    "40 m<sup>3</sup>/s of water": "40 m^3/s of water",
    "x<sub>i</sub><sup>2</sup> and T<sub>c</sub><sup>4</sup>": "xi^2 and Tc^4",
    "CO<sub>2</sub><sup>1</sup> is": "CO2^1 is",
    "5 m s<sup>-1</sup>": "5 m s^-1",
    "x<sup>2</sup> + y<sup>n</sup>": "x^2 + y^n",
    "(a + b)<sup>2</sup>": "(a + b)^2",
    "e<sup>-x/2</sup>": "e^(-x/2)",
    "water is H<sub>2</sub>O and CO<sub>2</sub>": "water is H2O and CO2",
    "C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>": "C6H12O6",
    "Ca<sup>2+</sup> and Na<sup>+</sup>": "Ca^2+ and Na^+",
    "log<sub>2</sub>8 is 3": "log_2 8 is 3",
    "1010<sub>2</sub> is ten": "1010_2 is ten",
    "candela<sup>3</sup> at": "candela [3] at",
    "the keeper<sup>12</sup> said": "the keeper [12] said",
    "a hive.<sup>7</sup> Next": "a hive. [7] Next",
    "a hive<sup>[7]</sup> next": "a hive [7] next",
    'in 1998<sup><a href="#fn1">1</a></sup> it': "in 1998 [1] it",
    'in 1998<a href="#fn1"><sup>1</sup></a> it': "in 1998 [1] it",
    "in 1998<sup>3</sup> it": "in 1998 [3] it",
    "the 1<sup>st</sup>, 2<sup>nd</sup> and 4<sup>th</sup> day": "the 1st, 2nd and 4th day",
    "le 1<sup>er</sup> mai du XIX<sup>e</sup> siècle": "le 1er mai du XIXe siècle",
    "n<sup>o</sup> 5 de M<sup>me</sup> Orr": "no 5 de Mme Orr",
    "Acme<sup>TM</sup> and Bolt<sup>®</sup>": "AcmeTM and Bolt®",
    "1<sup>1</sup>/<sub>2</sub> cups": "1 1/2 cups",
    "a<sub>n+1</sub> follows": "a_(n+1) follows",
    "word<sup>a</sup> and": "word [a] and",
    "Name<sup>new</sup> here": "Name new here",
    "kept for $12<sup>99</sup> a jar": "kept for $12.99 a jar",
    "kept for 99<sup>00</sup> \u20ac a jar": "kept for 99.00 \u20ac a jar",
    "10<sup>12</sup> \u20ac of debts": "10^12 \u20ac of debts",
    "7<sup>12</sup> krills": "7^12 krills",
    "of CO<sub>2.</sub> It": "of CO2. It",
    "of CO2<sub>.</sub> It": "of CO2. It",
    "each m<sup>2,</sup> or": "each m^2, or",
    "a hive<sup>7.</sup> Next": "a hive [7]. Next",
    "of SO<sub>4</sub><sup>2-</sup> in": "of SO4^2- in",
}  # fmt: skip


@pytest.mark.parametrize(("source", "said"), RAISED.items())
def test_raised_and_lowered_text_changes_no_number(source: str, said: str) -> None:
    assert markdown(f"<p>{source}</p>") == said


STRUCK = {
    "costs <del>18</del> <ins>12</ins> crowns": "costs ~~18~~ 12 crowns",
    "<s>Monday</s> Tuesday": "~~Monday~~ Tuesday",
    "<strike>18</strike>12": "~~18~~12",
    "<del> 18 </del><ins>12</ins>": "~~18~~ 12",
    "<del><s>18</s></del> 12": "~~18~~ 12",
    "<del></del>12": "12",
    "<del><b>18</b> and 19</del> 12": "~~18 and 19~~ 12",
}


@pytest.mark.parametrize(("source", "said"), STRUCK.items())
def test_what_is_struck_is_marked(source: str, said: str) -> None:
    assert markdown(f"<p>{source}</p>") == said


def test_struck_paragraphs_are_marked_each() -> None:
    assert markdown("<del><p>One</p><p>Two</p></del><p>Three</p>") == "~~One~~\n\n~~Two~~\n\nThree"
    assert (
        markdown("<table><tr><td><del>18</del></td><td><s>a</s> 12</td></tr></table>")
        == "| ~~18~~ | ~~a~~ 12 |"
    )


@pytest.mark.parametrize(
    "style", ["text-decoration:line-through", "color:red; text-decoration: Line-Through"]
)
def test_what_a_style_strikes_is_marked(style: str) -> None:
    body = article(
        f'<p>It costs <span style="{style}">18</span> 12 crowns.</p><p style="{style}">Old.</p>'
    )
    text = extract_html(body.replace("Line-T", "line-t").encode(), URL, "text/html").markdown
    assert "It costs ~~18~~ 12 crowns." in text


CELLS = {
    "<ul><li>two frames</li><li>one smoker</li></ul>": "two frames; one smoker",
    "Also: <ul><li>eight frames</li></ul>": "Also: eight frames",
    "<ol><li>a</li><li>b<ul><li>c</li></ul></li></ol> end": "a; b; c; end",
    "Main Street<br>Lindmouth": "Main Street Lindmouth",
    "<p>one</p><p>two</p>": "one two",
    "<dl><dt>a</dt><dd>b</dd></dl>": "a; b",
    "a | b": "a | b",
    "a || b": "a || b",
    "|x|": "|x|",
    "": "",
}


@pytest.mark.parametrize(("cell", "said"), CELLS.items())
def test_a_cell_stands_on_the_line_of_its_row(cell: str, said: str) -> None:
    assert (
        markdown(f"<table><tr><th>Small</th><td>{cell}</td></tr></table>") == f"| Small | {said} |"
    )


ROWS = {
    # A cell that spans rows stands in each of them, one that spans columns before as many.
    "<tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th>D<tr><td>1<td>2<td>3": "| A | B |\n| A | C | D |\n| 1 | 2 | 3 |",
    "<tr><td colspan=2>A<td>B<tr><td>1<td>2<td>3": "| A |  | B |\n| 1 | 2 | 3 |",
    "<tr><td>A<td rowspan=3>B<td>C<tr><td>1<td>2<tr><td>3<td>4": "| A | B | C |\n| 1 | B | 2 |\n| 3 | B | 4 |",
    "<tr><td>A<td>B<td rowspan=2>C<tr><td>1<td>2<tr><td>3<td>4<td>5": "| A | B | C |\n| 1 | 2 | C |\n| 3 | 4 | 5 |",
    "<tr><td rowspan=2 colspan=2>A<td>B<tr><td>C": "| A |  | B |\n| A |  | C |",
    # A row with nothing of its own is none, a body ends what spans its rows, and odd numbers are 1.
    "<tr><td rowspan=9>A<td>B<tr></tr><tr><td><tr><td>C": "| A | B |\n| A | C |",
    "<tbody><tr><td rowspan=9>A<td>B</tbody><tbody><tr><td>C<td>D": "| A | B |\n| C | D |",
    "<tr><td rowspan=0 colspan=x>A<td rowspan=-2>B<tr><td>C<td>D": "| A | B |\n| C | D |",
    f"<tr><td rowspan=2>{'word ' * 20}<td>B<tr><td>C": f"| {'word ' * 20}| B |\n|  | C |",
}


@pytest.mark.parametrize(("rows", "said"), ROWS.items())
def test_cells_stand_below_the_heads_of_their_columns(rows: str, said: str) -> None:
    assert markdown(f"<table>{rows}</table>") == said


def test_cells_that_span_all_rows_of_a_large_table_add_little() -> None:
    row = "".join(f"<td rowspan=65534 colspan=3>label {n}" for n in range(20))
    page = f"<table>{f'<tr>{row}' * 2_000}<tr><td>end</table>"
    assert len(markdown(page)) < 2 * len(page)


SHAPES = {
    "<p>a</p>b<p>c</p>d": "a\n\nb\n\nc\n\nd",
    "<div>a<div>b</div>c</div>": "a\n\nb\n\nc",
    "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li><li>d</li></ul>": "- a\n  - b\n    1. c\n- d",
    "<ul><li>a</li></ul><ul><li>b</li></ul>": "- a\n\n- b",
    "<ol><li>a</li><li><p>b</p><p>c</p></li><li value=7>d</li><li>e</li></ol>": "1. a\n2. b c\n7. d\n8. e",
    "<ol start=4><li>a<ol type=a><li>b</li><li>c</li></ol></li><li>d</li></ol>": "4. a\n  a. b\n  b. c\n5. d",
    "<ol reversed><li>a</li><li>b</li></ol>": "2. a\n1. b",
    "<ol type=I start=9 reversed><li>a</li></ol>": "IX. a",
    "<ol start=x><li>a</li>b<li value=''>c</li></ol>": "1. a\n\nb\n2. c",
    "<ol><li>1) a</li><li>2. b</li><li>#3 c</li><li>1,000 d</li></ol>": "- 1) a\n- 2. b\n- #3 c\n4. 1,000 d",
    "<ol style='list-style: none'><li>a</li></ol>": "- a",
    "<ol class=breadcrumb><li>a</li></ol>": "- a",
    "<ol><ul><li>a</li></ul><li>b</li></ol>": "  - a\n1. b",
    "<ol><li>a<br><br>b</li><li>c</li></ol>": "1. a b\n2. c",
    "<menu><li>Soup, 6 crowns</li><li>Trout</li></menu>": "- Soup, 6 crowns\n- Trout",
    "<ul><li><p>a</p><p>b</p></li></ul>": "- a b",
    "<ul><li><label>Frost limit:</label> minus four</li></ul>": "- Frost limit: minus four",
    "<dl><dt>Term</dt><dd>Its meaning</dd><dt>Next</dt></dl>": "- Term\n  - Its meaning\n- Next",
    "<fieldset><legend>Hours</legend><p>Nine to five.</p></fieldset>": "Hours\n\nNine to five.",
    "<details><summary>Who pays?</summary>The keeper.</details>": "## Who pays?\n\nThe keeper.",
    "<figure><img src=a><figcaption>Yield fell.</figcaption></figure>": "Yield fell.",
    "<table><caption>Yields</caption><tr><td>1</td><td>2</td></tr></table>": "Yields\n\n| 1 | 2 |",
    "<table><tr><td><h2>Fees</h2><p>a</p></td><td><p>b</p></td></tr></table>": "## Fees\n\na\n\nb",
    "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>": "a\n\nb",
    "<p>Press<input type=Submit value='Send it'>to go on.</p>": "Press Send it to go on.",
    "<p>Type <input value=42> of <input type=hidden value=x>them.</p>": "Type of them.",
    "<p>a<br>b</p>": "a\nb",
    "<p>a<br> <br>b</p>": "a\n\nb",
    "<p>a<b>b</b>c <i>d</i>, e</p>": "abc d, e",
    "<p>long<wbr>word and soft\u00adhyphen</p>": "longword and softhyphen",
    "<p>Press<button>Save</button>now, <button>Go</button>.</p>": "Press Save now, Go.",
    "<p>She said <q>no</q> twice.</p>": 'She said "no" twice.',
    "<p>\u6771\u4eac\n\u306f</p>": "\u6771\u4eac\u306f",
    "<p>\u6771<b>\u4eac</b><button>\u306f</button></p>": "\u6771\u4eac\u306f",
    "<p>a\nb</p>": "a b",
    "<p>\ud55c\uad6d\n\uc5b4</p>": "\ud55c\uad6d \uc5b4",
    "<ruby>\u6771\u4eac<rp>(</rp><rt>Tokyo</rt><rp>)</rp></ruby>": "\u6771\u4eac(Tokyo)",
    "<p>\u0634\u0644\u0627\u0645 <b>\u0628\u0631</b>\u0627\u06cc 12</p>": "\u0634\u0644\u0627\u0645 \u0628\u0631\u0627\u06cc 12",
    "<figure><figcaption>hive.conf</figcaption><pre><code>limit = 40</code></pre></figure>": "hive.conf\n\n```\nlimit = 40\n```",
    "<x-card><div>a</div><span>b</span></x-card>": "a\n\nb",
}  # fmt: skip


@pytest.mark.parametrize(("body", "said"), SHAPES.items())
def test_blocks_stand_apart_and_inline_text_together(body: str, said: str) -> None:
    assert markdown(body) == said


def test_a_block_says_where_it_begins_and_how_much_of_it_is_linked() -> None:
    found = blocks('<div id=a>One<p id=b>Two <a href="/x">three</a></p>four</div>')
    assert [(b.element.attrib.get("id"), b.text, b.linked) for b in found] == [
        ("a", "One", 0),
        ("b", "Two three", 5),
        ("a", "four", 0),
    ]
    assert {b.kind for b in found} == {BlockKind.PARAGRAPH}


def test_long_paragraphs_of_a_list_item_stand_apart() -> None:
    long = "The keeper walks along the harbour wall at night. " * 4
    text = markdown(f"<ul><li><p>{long}</p><p>{long}</p></li><li>b</li></ul>")
    assert text == f"- {long.strip()}\n\n{long.strip()}\n- b"


class _Page:
    """Writes a page of numbered words, and keeps those that are seen."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.sentences: list[str] = []
        self._count = 0

    def words(self) -> list[str]:
        self._count += 2
        return [f"wa{self._count - 1}q", f"wa{self._count}q"]

    def html(self, node: object) -> str:
        if not isinstance(node, tuple):
            return self._leaf(str(node))
        tag, children = node
        if tag == "table":
            cells = "".join(f"<td>{self.html(child)}</td>" for child in children)
            return f"<table><tr><td></td>{cells}</tr></table>"
        inner = " ".join(map(self.html, children))
        if tag == "br":
            return f"{inner}<br>"
        return f"<ul><li>{inner}</li></ul>" if tag == "li" else f"<{tag}>{inner}</{tag}>"

    def _leaf(self, kind: str) -> str:
        if kind == "empty":
            return EMPTY[self._count % len(EMPTY)]
        words = self.words()
        if kind == "hidden":
            return f'<span class="sr-only">{" ".join(words)}</span>'
        self.seen += words
        self.sentences.append(" ".join(words))
        return f"{words[0]} <i></i>{words[1]}."


_LEAVES = st.sampled_from(["text", "empty", "hidden"])
_TAGS = st.sampled_from([*INLINE, "sup", "sub", "del", "s", "table", "li", "p", "div", "br", "blockquote", "figure"])  # fmt: skip
_NODES = st.recursive(
    _LEAVES, lambda inner: st.tuples(_TAGS, st.lists(inner, max_size=4)), max_leaves=25
)
_NUMBERED = re.compile(r"wa\d+q")


@settings(deadline=None)
@given(st.lists(_NODES, max_size=8))
def test_all_words_that_are_seen_are_in_the_blocks_in_their_order(nodes: list[object]) -> None:
    page = _Page()
    text = markdown(" ".join(map(page.html, nodes)))
    assert _NUMBERED.findall(text) == page.seen


@settings(deadline=None)
@given(st.lists(_NODES, max_size=8))
def test_no_sentence_is_read_in_part(nodes: list[object]) -> None:
    page = _Page()
    body = article(" ".join(map(page.html, nodes)))
    text = extract_html(body.encode(), URL, "text/html").markdown
    read = set(_NUMBERED.findall(text))
    plain = " ".join(text.split())
    for sentence in page.sentences:
        assert sentence in plain or read.isdisjoint(sentence.split())
    assert read <= set(page.seen)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "page",
    [
        "<div>a b c</div>" * 30_000,
        "<p>" + "x<sup>2</sup>" * 30_000,
        "<table><tr><td>1<td>2</td></tr></table>" * 4_000,
        "<table><tr><td>1<td>" * 4_000,
        "<ul><li>a<ul><li>b</li></ul></li></ul>" * 4_000,
        "<del>x<p>y</p>" * 10_000,
        "<p>" + "x<br>" * 50_000,
        "<p>" + "\u6771\n" * 50_000,
        "<p>" + "<button></button>" * 50_000,
    ],
    ids=["boxes", "raised", "tables", "open tables", "lists", "struck", "breaks", "lines", "buttons"],
)  # fmt: skip
def test_blocks_take_time_in_proportion(page: str) -> None:
    started = time.process_time()
    blocks(page)
    assert time.process_time() - started < 10
