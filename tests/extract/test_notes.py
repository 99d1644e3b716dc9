"""Texts in plain notations, as their readers show them."""

from __future__ import annotations

import time

import pytest

from askance.extract.page import extract_page
from sampled import each_row, sampled


def read(text: str, name: str, kind: str = "text/plain") -> str:
    return extract_page(text.encode(), f"file:///a{name}", kind).markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A <!-- b --> c", "A c"),
        ("x <!-- never\n\n## y", "x <!-- never\n\n## y"),
        ("x <!-- one\n\ny --> z", "x <!-- one\n\ny --> z"),
        ("x `<!--` y --> z", "x `<!--` y --> z"),
        ("a\n<!-- gone\n\nall -->\nb", "a\n\nb"),
        ("a\n<!-- never closed\n\nb", "a"),
        ("[a](https://x.example/b \"t\") [b](c.md)", "a (https://x.example/b) b"),
        ("<https://kudu.example> [https://y.example](https://y.example)", "<https://kudu.example> https://y.example"),
        ("[Call](tel:+49123) [b](zotero://select/x)", "Call (tel:+49123) b (zotero://select/x)"),
        ("![[map.png|300]] ![[map.png|The map]] [[A|300]]", "map.png The map 300"),
        ("caf&eacute; 10&nbsp;kg &copy=1 `&amp;`", "café 10 kg &copy=1 `&amp;`"),
        ("O\\'Brien snake\\_case `a\\_b` $\\frac{a}$ \\*x", "O'Brien snake_case `a\\_b` $\\frac{a}$ \\*x"),
        ("---\ntags:\n    - x\n---\nText", "---\ntags:\n    - x\n---\n\nText"),
    ],
)  # fmt: skip
def test_a_note_is_whole(text: str, shown: str) -> None:
    assert read(text, ".md", "text/markdown") == shown


def test_a_page_of_the_web_does_not_say_where_its_links_lead() -> None:
    page = extract_page(b"[a](https://x.example/b)", "https://w.example/a.md", "text/markdown")
    assert page.markdown == "a"


@each_row(
    ("name", "text", "shown"),
    [
        (".srt", "1\n00:00:01,000 --> 00:00:02,000\n<i>Hello</i> there\nworld\n\n2\n00:00:03,000 --> 00:00:04,000\n{\\an8}Two", "Hello there\nworld\nTwo"),
        (".vtt", "WEBVTT\n\nNOTE x\ny\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hi <00:01.500>you", "Ann: Hi you"),
        (".vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nso it\ngoes<00:01.500><c> up</c>\n\n00:02.000 --> 00:03.000\ngoes up\nR&amp;D", "so it\ngoes up\nR&D"),
        (".srt", "1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:03,000 --> 00:00:04,000\nTwo", "One\nTwo"),
        (".srt", "Only 3 --> words\n\n12", "Only 3 --> words\n12"),
        (".org", "#+TITLE: Mine\n* TODO Head\n:PROPERTIES:\n:ID: 12\n:END:\nSee [[https://x.example][it]].\n# comment\n#+begin_src py\nprint(1)\n#+end_src", "Mine\n# TODO Head\nSee it (https://x.example).\nprint(1)"),
        (".org", "#+begin_src sh\n# why\nls\n#+end_src\n# gone", "# why\nls"),
        (".log", "\x1b[32mINFO\x1b[0m up \x1b]0;title\x07 \x1b[1;31mERROR\x1b[m", "INFO up ERROR"),
        (".txt", "N\bNA\bAM\bME\bE\n  _\bf_\bi_\bl_\be a", "NAME\nfile a"),
        (".txt", "SQLite format 3 begins with these words, and\n%PDF-1.7 another.", "SQLite format 3 begins with these words, and\n%PDF-1.7 another."),
        (".tsv", "Name\tCity\tNote\nAnn\t\tx", "Name\tCity\tNote\nAnn\t\tx"),
        (".org", ":not a drawer:\ntext stays", ":not a drawer:\ntext stays"),
        (".org", ":OPEN:\ntext stays", ":OPEN:\ntext stays"),
        (".tex", "\\section{Intro}\\label{s} M\\\"uller \\textbf{bold} 5\\% of~it % gone\nStra\\ss e \\cite{knuth}, $a_1$\\\\new", "## Intro\n\nMüller bold 5% of it Straße (knuth), $a_1$\nnew"),
        (".tex", "\\documentclass{a}\\title{My \\emph{paper}}\\begin{document}\\begin{itemize}\\item one\\item two\\end{itemize}\\end{document}x", "My paper\n\n- one\n- two"),
        (".tex", "See \\url{http://x.example/a%20b} and \\href{http://y.example/%7Eu}{it}. \\verb|100%| \\lstinline{a_b%c} left", "See http://x.example/a%20b and it (http://y.example/%7Eu). 100% a_b%c left"),
        (".tex", "\\begin{verbatim}\nx = \"%s\" % {1} \\textbf{x} \\\\\n\\end{verbatim} % gone\n\\begin{minted}[a=b]{py}\n50%\n\\end{minted}", "x = \"%s\" % {1} \\textbf{x} \\\\\n\n50%"),
        (".tex", "\\begin{tabular}{|p{3cm}|l|}\\multicolumn{2}{c}{Quarter} \\\\ \\cline{1-2} a & b\\end{tabular}", "Quarter\na & b"),
        (".tex", "A \\textcolor{red}{red}word \\parbox[t]{5cm}{and} \\begin{minipage}{0.5\\textwidth}more\\end{minipage} \\rule{1cm}{1pt}", "A redword and\nmore"),
        (".tex", "fran\\c cais \\d{s} \\LaTeX\\ is 20\\textdegree C, \\textless 5 \\textbackslash n \\SI{10}{\\kilo\\meter\\per\\hour} \\^{} \\%", "français ṣ LaTeX is 20°C, <5 \\n 10 kilometer per hour ^ %"),
        (".tex", "\\begin{theorem}[Euler] It \\verb+holds+. \\\\% gone", "Euler. It holds."),
        (".tex", "\\begin{verbatim} never % ended", "never"),
        (".txt", "1\n00:00:01,000 --> 00:00:02,000\n\\section{x}", "1\n00:00:01,000 --> 00:00:02,000\n\\section{x}"),
    ],
)  # fmt: skip
def test_notations_are_shown_as_their_readers_do(name: str, text: str, shown: str) -> None:
    assert read(text, name) == shown


def test_letters_of_json_are_letters() -> None:
    text = r'{"a": "Caf\u00e9 \ud83d\ude00 \u6771", "b": "\u0022 \\u00e9 \ud83d \u200b"}'
    shown = r'{"a": "Café 😀 東", "b": "\u0022 \\u00e9 \ud83d \u200b"}'
    assert read(text, ".json", "text/x-source") == shown
    assert read(text, ".js", "text/x-source") == text


@pytest.mark.parametrize(
    "piece",
    sampled(
        [
            "<!-- ",
            "x <!--",
            "\n<!--\n",
            "[a](",
            "-->",
            "%%",
            "%%\n",
            "x %% ",
            "[x]: # (",
            "<p hidden>",
            "<b style='",
            "\\iffalse ",
            "\\phantom{",
            "\\begin{a}}",
            "{\\color{white}",
            "`<!--",
            "\\section{",
            "\\item[",
            "{",
            "$",
            "\\[",
            ":A:\n",
            "[[a][",
            "1:00.0 --> ",
            "% ",
            "\\begin{verbatim}",
            "\\verb|",
            "\\href{",
            "\\textcolor{",
            "\\SI{",
            "&#1",
            "\\u00e",
            "\x1b]",
            '\\"{',
        ],
        every=6,
    ),
)
def test_any_text_takes_time_that_grows_with_its_length_alone(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    for name, kind in (
        (".md", "text/markdown"),
        (".tex", "text/plain"),
        (".org", "text/plain"),
        (".srt", "text/plain"),
    ):
        begun = time.process_time()
        read(f"A{text}", name, kind)
        assert time.process_time() - begun < 8, name
