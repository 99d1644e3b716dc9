"""Code in pages as generators of documents and highlighters write it, and headings that link to themselves."""

from __future__ import annotations

import time

import pytest

from askance.extract.html.html_page import extract_html
from servers.site import article, sentence

URL = "http://lindmouth.example/harbour"
CODE = "def dredge(depth):\n    if depth > 2:\n        return depth * 2\n\n    return 0"
_PLAIN = CODE.replace(">", "&gt;")
_COLOURED = (
    '<span class="k">def</span> <span class="nf">dredge</span>(depth):\n'
    '    <span class="k">if</span> depth &gt; <span class="mi">2</span>:\n'
    '        <span class="k">return</span> depth * 2\n\n    <span class="k">return</span> 0'
)
_LINES = _COLOURED.split("\n")
_NUMBERS = "\n".join(map(str, range(1, 6)))


def _each(shape: str, joint: str = "") -> str:
    return joint.join(shape.format(n=n, line=line) for n, line in enumerate(_LINES, 1))


# What a page wraps around code, and the language that it declares.
BLOCKS = {
    "github": (
        "python",
        f'<div class="highlight highlight-source-python"><pre>{_COLOURED}</pre>'
        '<div class="zero"><clipboard-copy value="x">Copy</clipboard-copy></div></div>',
    ),
    "github_file": (
        "",
        '<table class="highlight js-file-line-container">'
        + _each(
            '<tr><td class="blob-num" data-line-number="{n}"></td><td class="blob-code">{line}\n</td></tr>'
        )
        + "</table>",
    ),
    "sphinx": (
        "python",
        '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>'
        f"{_COLOURED}\n</pre></div></div>",
    ),
    "sphinx_with_numbers": (
        "python",
        '<div class="highlight-python"><table class="highlighttable"><tr><td class="linenos"><pre>'
        f'{_NUMBERS}</pre></td><td class="code"><pre>{_COLOURED}</pre></td></tr></table></div>',
    ),
    "sphinx_without_language": (
        "",
        f'<div class="highlight-default"><div class="highlight"><pre>{_COLOURED}</pre></div></div>',
    ),
    "pandoc": (
        "python",
        '<div class="sourceCode" id="cb1"><pre class="sourceCode python"><code class="sourceCode python">'
        + _each('<span id="cb1-{n}"><a href="#cb1-{n}"></a>{line}</span>', "\n")
        + "</code></pre></div>",
    ),
    "mediawiki": (
        "python",
        f'<div class="mw-highlight mw-highlight-lang-python"><pre><span></span>{_COLOURED}</pre></div>',
    ),
    "docs_rs": (
        "rust",
        f'<div class="example-wrap"><pre class="rust rust-example-rendered"><code>{_COLOURED}</code>'
        '</pre><div><button class="copy-button"></button></div></div>',
    ),
    "highlight_js": ("python", f'<pre><code class="hljs language-python">{_COLOURED}</code></pre>'),
    "prism": (
        "python",
        f'<pre class="line-numbers language-python"><code class="language-python">{_COLOURED}'
        '<span class="line-numbers-rows"><span></span></span></code></pre>',
    ),
    "rouge": (
        "python",
        '<div class="language-python highlighter-rouge"><pre class="highlight"><code><table><tr>'
        f'<td class="gutter"><pre class="lineno">{_NUMBERS}</pre></td><td class="code"><pre>{_COLOURED}'
        "</pre></td></tr></table></code></pre></div>",
    ),
    "hugo": (
        "python",
        '<div class="highlight"><table class="lntable"><tr><td><pre><code><span class="lnt">1\n</span>'
        '</code></pre></td><td><pre><code class="language-python" data-lang="python">'
        + _each('<span class="line"><span class="cl">{line}</span></span>', "\n")
        + "</code></pre></td></tr></table></div>",
    ),
    "docusaurus": (
        "python",
        '<div class="language-python box"><div><pre class="prism-code language-python"><code>'
        + _each('<span class="token-line">{line}<br></span>')
        + "</code></pre><button>Copy</button></div></div>",
    ),
    "prettify": (
        "py",
        '<pre class="prettyprint lang-py"><ol class="linenums">'
        + _each('<li class="L{n}">{line}</li>')
        + "</ol></pre>",
    ),
    "nothing_declared": ("", f"<pre>{_PLAIN}</pre>"),
    "human_language": ("", f'<pre lang="pl">{_PLAIN}</pre>'),
    "list_item": (
        "python",
        f'<ol><li>Write: <pre><code class="language-python">{_PLAIN}</code></pre> and save.</li></ol>',
    ),
    "description": ("", f"<dl><dt>dredge</dt><dd><p>Thus:</p><pre>{_PLAIN}</pre></dd></dl>"),
    "quoted": ("", f"<blockquote><p>She wrote:</p><pre>{_PLAIN}</pre></blockquote>"),
    "cell": (
        "python",
        f'<table><tr><td>Thus:</td><td><pre><code class="python">{_PLAIN}</code></pre></td></tr></table>',
    ),
}
HEADINGS = {
    "sphinx": '<h2>Quays of Lind<a class="headerlink" href="#quays">¶</a></h2>',
    "github": '<div class="markdown-heading"><h2>Quays of Lind</h2><a class="anchor" href="#q"></a></div>',
    "github_before": '<h2><a class="anchor" href="#q"><span></span></a>Quays of Lind</h2>',
    "mediawiki": '<div class="mw-heading"><h2>Quays of Lind</h2><span class="mw-editsection">[<a '
    'href="/w?action=edit">edit</a>]</span></div>',
    "mediawiki_before": '<h2><span>Quays of Lind</span><span class="mw-editsection">[<a href="/w">edit</a>]'
    "</span></h2>",
    "docs_rs": '<h2 id="q"><a class="doc-anchor" href="#q">§</a>Quays of Lind</h2>',
    "its_own_link": '<h2><a href="#q">Quays of Lind</a></h2>',
    "its_own_address": '<h2><a class="anchor" href="/harbour#q">Quays of Lind</a></h2>',
    "named_place": '<h2><a name="q"></a>Quays of Lind</h2>',
}


def read(content: str) -> str:
    page = article(f"<p>{sentence(1)}</p>{content}<p>The keeper went home.</p>")
    return extract_html(page.encode(), URL, "text/html").markdown


@pytest.mark.parametrize(("syntax", "block"), BLOCKS.values(), ids=BLOCKS)
def test_code_is_a_block_with_its_lines_and_its_language(syntax: str, block: str) -> None:
    text = read(block)
    assert f"\n\n```{syntax}\n{CODE}\n```\n\n" in text
    assert text.count("```") == 2
    assert text.endswith("The keeper went home.")


@pytest.mark.parametrize("heading", HEADINGS.values(), ids=HEADINGS)
def test_a_heading_that_links_to_itself_is_a_heading(heading: str) -> None:
    assert "\n\n## Quays of Lind\n\n" in read(heading)


def test_what_stands_around_code_in_lists_and_tables_stays() -> None:
    text = read(f"{BLOCKS['list_item'][1]}{BLOCKS['cell'][1]}")
    assert "\n1. Write:\n\n```python\n" in text
    assert "\n```\n\nand save.\n" in text
    assert "\n| Thus: |\n\n```python\n" in text


def test_a_table_of_numbers_and_words_is_no_code() -> None:
    rows = "".join(f"<tr><td>{n}</td><td>{sentence(n)}</td></tr>" for n in range(1, 4))
    assert f"| 2 | {sentence(2)} |" in read(f"<table>{rows}</table>")


def test_code_that_holds_a_fence_stands_between_longer_ones() -> None:
    text = read('<pre><code class="language-markdown">Thus:\n```\nx = 1\n```</code></pre>')
    assert "````markdown\nThus:\n```\nx = 1\n```\n````" in text


def test_a_page_that_imitates_the_marks_of_blocks_gets_no_block_by_it() -> None:
    text = read(f"<p>\u204a0\u204a0 is a mark, she wrote.</p><pre><code>{_PLAIN}</code></pre>")
    assert text.count(CODE) == 1


@pytest.mark.parametrize(
    "page",
    [
        "<pre>" * 20_000 + "x = 1",
        "<pre><code>x</code></pre>" * 5_000,
        "<div>" * 200 + "<pre>x = [1]</pre><div></div>" * 3_000,
        "<table><tr><td>1<td><pre>x</pre>" * 5_000,
        "<h2>" * 5_000 + "<a href=#x>q</a>" * 5_000,
    ],
    ids=["nested", "many", "among_blanks", "tables", "headings"],
)
def test_pages_of_hostile_shapes_take_no_longer(page: str) -> None:
    started = time.process_time()
    extract_html(page.encode(), URL, "text/html")
    assert time.process_time() - started < 5


NUMBERED = {
    "cells": "<table class=highlight>{}</table>|<tr><td class=ln>{n}</td><td><pre>x = {n}</pre></td></tr>",
    "spans": "<pre><code>{}</code></pre>|<span class=line-number>{n}</span>x = {n}\n",
    "named": "<pre><code>{}</code></pre>|<span class='code_line_no'>{n}</span>x = {n}\n",
    "not selected": "<pre><code>{}</code></pre>|<span style='-webkit-user-select:none;user-select: none'>{n}</span>x = {n}\n",
    "attribute": "<pre><code>{}</code></pre>|<span data-line-number={n}>{n}</span>x = {n}\n",
    "data-line": "<pre><code>{}</code></pre>|<span data-line={n}>{n}</span><span>x = {n}</span>\n",
    "links": "<pre><code>{}</code></pre>|<a class=lineno href=#L{n}>{n}</a>x = {n}\n",
    "beside": "<pre><code><span class=lnt>{n}</span><span class=cl>x = {n}</span>\n{}</code></pre>|",
}  # fmt: skip


@pytest.mark.parametrize("shape", NUMBERED.values(), ids=NUMBERED)
def test_numbers_of_lines_are_no_code(shape: str) -> None:
    outer, _, line = shape.partition("|")
    lines = "".join(line.replace("{n}", str(n)) for n in (7, 8)) if line else ""
    text = read(outer.replace("{n}", "7").replace("{}", lines))
    assert "x = 7" in text.split("\n")
    assert not line or "x = 8" in text.split("\n")


def test_numbers_that_are_code_stay() -> None:
    text = read(
        "<pre><code><span class=mi>1</span> + <span class=line>2</span> = x\n<span>3</span></code></pre>"
    )
    assert "1 + 2 = x\n3" in text
