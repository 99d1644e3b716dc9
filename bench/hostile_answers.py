"""Answers in the shapes that cost the window most, as a model may write them."""

from __future__ import annotations

ANSWER_CHARACTERS = 32_768
PLAIN = (
    "The lighthouse was moved 140 metres inland in 1931 [1]. It had stood for a century [2].\n\n"
)
ANSWERS: dict[str, str] = {
    "markers": "[1] ",
    "markers without spaces": "[1][2]",
    "opening brackets": "[",
    "asterisks": "*",
    "asterisks and words": "*a **b ",
    "underscores": "_a_ __",
    "ticks": "` `` a",
    "open fences": "```\n~~~\n",
    "pipes": "|",
    "tables": "| a | b |\n|---|---|\n| [1] | x |\n\n",
    "one table": "| a | [1] | c | d |\n",
    "wide table": "|a" * 500 + "|\n",
    "nested quotes": "> " * 200 + "a\n",
    "one nested quote": "> ",
    "nested lists": "".join(f"{'  ' * n}- a\n" for n in range(60)),
    "list items": "- a [1]\n",
    "tags": "<b>a</b><img src=x>",
    "pictures": "![a](https://a.example/b.png)",
    "links": "[a](https://a.example/b) ",
    "one word": "a",
    "words": "lighthouse ",
    "script without spaces": "灯台技師",
    "combining marks": "e\u0301\u0323\u0308\u0331\u030a\u0327",
    "joined emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "right to left": "מגדל [1] a ",
    "headings": "# a\n",
    "rules": "***\n",
    "line ends": "a\n\n",
    "lines": "a\n",
    "entities": "&amp;&#x5b;",
    "backslashes": "\\",
    "tabs": "\t a",
}
"""Units of which a hostile answer is made, by name."""
SLOW = frozenset({"tables", "list items", "headings", "rules", "line ends", "nested quotes"})
"""Those with thousands of blocks: no turn is long, but all of them together take a minute."""


def answer_text(name: str) -> str:
    """Return a hostile answer of this shape, as long as the settings allow one to be."""
    unit = ANSWERS[name]
    return (unit * (ANSWER_CHARACTERS // len(unit) + 1))[:ANSWER_CHARACTERS]


def plain_answer() -> str:
    """Return an answer as long as the hostile ones that wants nothing but to be read."""
    return (PLAIN * (ANSWER_CHARACTERS // len(PLAIN) + 1))[:ANSWER_CHARACTERS]
