"""A fence around all of an answer and calls of tools are left out of it, however the stream is cut."""

from __future__ import annotations

import pytest

from askance.engine.writing import ReplyMarkup

ANSWER = "The lighthouse is 47 metres tall [1]."
CALL = '{"name": "web_search", "arguments": {"query": "x"}}'


@pytest.mark.parametrize(
    ("written", "left"),
    [
        (f"<tool_call>\n{CALL}\n</tool_call>", ""),
        (f"{ANSWER}\n<tool_call>\n{CALL}\n</tool_call>", ANSWER),
        (f"<tool_call>\n{CALL}\n</tool_call>\n{ANSWER}", ANSWER),
        (f"<|tool_call|>{CALL}", ""),
        (f"[TOOL_CALLS][{CALL}]", ""),
        ("<function=web_search><parameter=query>x</parameter></function>", ""),
        (CALL, ""),
        (f"```json\n{CALL}\n```", ""),
        (f"```markdown\n{ANSWER}\n```", ANSWER),
        (f"```\n{ANSWER}\n```", ANSWER),
        (f"```md\n{ANSWER}\n\n```python\nx[0]\n```\n```\n", f"{ANSWER}\n\n```python\nx[0]\n```"),
    ],
)
def test_markup_around_an_answer_goes(written: str, left: str) -> None:
    assert_each_way(written, left)


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "```python\nx = a[0]\n```",
        "```\nx = a[0]\n```",
        f"```\nx = a[0]\n```\n{ANSWER}",
        '{"name": "Larkspur", "height": 47}',
        '{"ids": [1, 2]}',
        f"Qwen writes `<tool_call>` before a call. {ANSWER}",
        "The tag is <tool_call> in Qwen.",
        f"```xml\n<tool_call>\n</tool_call>\n```\n{ANSWER}",
    ],
)
def test_an_answer_that_speaks_of_such_things_stays(text: str) -> None:
    assert_each_way(text, text)


def assert_each_way(written: str, left: str) -> None:
    for size in (1, 2, 3, 7, len(written)):
        markup = ReplyMarkup()
        pieces = [markup.add(written[at : at + size]) for at in range(0, len(written), size)]
        assert ("".join(pieces) + markup.close()).strip() == left
