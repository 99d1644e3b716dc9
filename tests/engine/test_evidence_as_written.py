"""Evidence of documentation and mathematics reaches the model as the page has it; its notes are made round."""

from __future__ import annotations

import pytest

from askance.citations.markdown.foreign_markers import clean_text


@pytest.mark.parametrize(
    "text",
    [
        "The closed interval [0, 1] is compact; (0, 1) is open.",
        "```python\nnumbers = [10, 20, 30]\nfirst = numbers[0]\ngrid = [[1, 2], [3, 4]]\n```",
        "`sys.argv[1]` is the first argument, and sys.argv[2] the second.",
        "Append to a list: items[3] = 5 makes it [1, 2, 5].",
        "The function returns [1, 2] and raises at x[7].",
        'The reply is {"ids": [1, 2, 3], "next": [4]}.',
        "The matrix [[1, 2], [3, 4]] has the determinant -2.",
        "Let $v = [1, 2, 3]$ and \\(w = [4, 5]\\).",
        "$$A = [1, 2]$$",
        "A server answers [404] when nothing is there.",
        "Write \\documentclass[12]{article} or \\sqrt[3]{x}.",
        "The pattern [1-3]+ matches 123.",
        "C# has numbers[^1] for the last element.",
        "The force falls with 1/r², and the cube has 8 m³.",
    ],
)
def test_code_and_mathematics_stay(text: str) -> None:
    assert clean_text(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It was lit in 1887.[3] It turns [4].", "It was lit in 1887.(3) It turns (4)."),
        ("[2] Encyclopedia of lighthouses", "(2) Encyclopedia of lighthouses"),
        ("[2] encyclopedia of lighthouses", "(2) encyclopedia of lighthouses"),
        ("```\n[2] Encyclopedia\n```", "```\n [2] Encyclopedia\n```"),
        ("It was built [1, 2] there.", "It was built (1, 2) there."),
        ("It was built [Source 3].", "It was built (3)."),
    ],
)
def test_notes_and_forged_sources_lose_their_brackets(text: str, shown: str) -> None:
    assert clean_text(text) == shown
