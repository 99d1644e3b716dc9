"""A fence around all of an answer and calls of tools are left out of it, however the stream is cut."""

from __future__ import annotations

import pytest

from askance.engine.model_replies import ReplyMarkup
from sampled import each_row

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
        ("Thought: I look it up.\nAction: web_search\nAction Input: height", ""),
        (f"Thought: I know it.\nFinal Answer: {ANSWER}", ANSWER),
        (f"<tool_call>{CALL}</tool_call>\n<tool_response>\n47\n</tool_response>\n{ANSWER}", ANSWER),
        (f"```md\n{ANSWER}\n\n```python\nx[0]\n```\n```\n", f"{ANSWER}\n\n```python\nx[0]\n```"),
    ],
)
def test_markup_around_an_answer_goes(written: str, left: str) -> None:
    assert_each_way(written, left)


CALLS = {
    "deepseek 3.2": '<\uff5cDSML\uff5cfunction_calls>\n<\uff5cDSML\uff5cinvoke name="find">\n<\uff5cDSML\uff5cparameter name="q">x'
    "</\uff5cDSML\uff5cparameter>\n</\uff5cDSML\uff5cinvoke>\n</\uff5cDSML\uff5cfunction_calls>",
    "deepseek": "<\uff5ctool▁calls▁begin\uff5c><\uff5ctool▁call▁begin\uff5c>function<\uff5ctool▁sep\uff5c>find\n```json\n{}\n```"
    "<\uff5ctool▁call▁end\uff5c><\uff5ctool▁calls▁end\uff5c>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.find:0<|tool_call_argument_begin|>{}"
    "<|tool_call_end|><|tool_calls_section_end|>",
    "lfm": '<|tool_call_start|>[find(q="x")]<|tool_call_end|>',
    "nemotron": f"<TOOLCALL>[{CALL}]</TOOLCALL>",
    "glm": "<tool_call>find\n<arg_key>q</arg_key>\n<arg_value>x</arg_value>\n</tool_call>",
    "qwen coder": "<tool_call>\n<function=find>\n<parameter=q>\nx\n</parameter>\n</function>\n</tool_call>",
    "minimax": '<minimax:tool_call>\n<invoke name="find">\n</invoke>\n</minimax:tool_call>',
    "seed": "<seed:tool_call>\n<function=find>\n</function>\n</seed:tool_call>",
    "lm studio": f"[TOOL_REQUEST]\n{CALL}\n[END_TOOL_REQUEST]",
    "llama": '<|python_tag|>find.call(q="x")<|eom_id|>',
    "command r": f"<|START_ACTION|>[{CALL}]<|END_ACTION|>",
    "apertus": f"<|tools_prefix|>[{CALL}]<|tools_suffix|>",
    "gemma 4": "<|tool_call>call:find{q:1}<tool_call|>",
    "function gemma": "<start_function_call>call:find{q:x}<end_function_call>",
    "glaive": f"<functioncall> {CALL} </functioncall>",
    "olmo": '<function_calls>\n[find(q="x")]\n</function_calls>',
}
OPEN_CALLS = {
    "mistral": '[TOOL_CALLS]find[ARGS]{"q":"x"}',
    "phi": f"functools[{CALL}]",
    "pythonic": '[find(q="x"), read(url="y")]',
    "gemma": '```tool_code\nprint(find(q="x"))\n```',
    "gpt-oss": 'commentary to=functions.find json{"q":"x"}',
    "gpt-oss, role first": 'assistantcommentary to=functions.find json{"q":"x"}',
    "react": "Action: find\nAction Input: x",
    "command r 1": 'Action: ```json\n[{"tool_name": "find", "parameters": {}}]\n```',
    "xlam": f"[{CALL}]",
    "bare": CALL,
}


@each_row("call", [*CALLS.values(), *OPEN_CALLS.values()])
def test_no_call_of_a_tool_is_shown_alone_or_behind_an_answer(call: str) -> None:
    assert_each_way(call, "")
    assert_each_way(f"{ANSWER}\n\n{call}", ANSWER)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_answer_behind_a_call_is_shown(call: str) -> None:
    assert_each_way(f"{call}\n{ANSWER}", ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f'Gemma does so:\n\n```tool_code\nfind(q="x")\n```\n\n{ANSWER}',
        f"A call is this:\n\n```json\n{CALL}\n```",
        "```python\n[find(q=1)]\n```\nIt is a list.",
        "Action: close the valve.\nThen wait.",
        "Thought: it is so.\nAnd so it is.",
        "[plot(x=1)] draws it.",
        "[Larkspur](https://harbour.example/) is a light.",
        "gpt-oss writes `to=functions.find`.",
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
