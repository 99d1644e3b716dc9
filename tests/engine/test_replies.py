"""What models reply: JSON while it streams and as they write it, fields by their type, loops, markup around answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.engine.model_replies import (
    LONGEST_LOOP,
    LOOP_CHARS,
    LOOP_TIMES,
    ReplyMarkup,
    find_fields,
    finished_fields,
    first_text,
    is_looping,
    question_in,
    texts_in,
)
from sampled import each_row

_KEYS = st.text("abcdefgh_", min_size=1, max_size=6)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=6,
)
_OBJECTS = st.dictionaries(_KEYS, _VALUES, max_size=4)


@given(_OBJECTS, st.data(), st.sampled_from([None, 2]), st.booleans())
@example({"a": 12.5e10}, None, None, True)
def test_a_reply_cut_anywhere_gives_only_fields_of_the_whole(
    whole: dict[str, Any], data: st.DataObject | None, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(whole, indent=indent, ensure_ascii=ascii_only)
    cuts = [data.draw(st.integers(0, len(text)))] if data else range(len(text) + 1)
    for cut in cuts:
        fields = finished_fields(text[:cut])
        assert list(fields.items()) == list(whole.items())[: len(fields)]
    assert finished_fields(text) == whole


@pytest.mark.parametrize("text", ['{"a": 1, "q": ["b \\"c\\"", "d"]}', '{"q" : [\n  "b \\"c\\""]}'])
def test_the_first_text_of_a_list_is_known_once_it_is_complete(text: str) -> None:
    begins = text.index('c\\""') + len('c\\""')
    assert {first_text(text[:cut], "q") for cut in range(begins)} == {""}
    assert {first_text(text[:cut], "q") for cut in range(begins, len(text) + 1)} == {'b "c"'}


@pytest.mark.parametrize(
    "text", ["", '"q"', '{"q": "b"}', '{"q": []}', '{"q": "[\\"b\\"]"}', '{"q": [[}']
)
def test_what_is_no_list_of_texts_has_no_first_one(text: str) -> None:
    assert first_text(text, "q") == ""


@given(_OBJECTS)
def test_fields_are_only_ever_added(whole: dict[str, Any]) -> None:
    text = json.dumps(whole)
    counts = [len(finished_fields(text[:cut])) for cut in range(len(text) + 1)]
    assert counts == sorted(counts)


@given(st.text())
def test_no_text_is_too_strange_to_be_read(text: str) -> None:
    assert isinstance(finished_fields(text), dict)
    assert isinstance(finished_fields("{" + text), dict)
    assert isinstance(finished_fields('{"a": ' + text), dict)


@each_row(
    ("text", "fields"),
    [
        ('```json\n{"action": "proceed"}\n```', {"action": "proceed"}),
        ('Here you are: {"a": "b"} Anything else?', {"a": "b"}),
        ('{"a": {"b": {"c": [1, 2]}}, "d": "e', {"a": {"b": {"c": [1, 2]}}}),
        ('{"a": {"b": 1}', {"a": {"b": 1}}),
        ('{"a": 12', {}),
        ('{"a": 12,', {"a": 12}),
        ('{"a": 12}', {"a": 12}),
        ('{"a": -', {}),
        ('{"a": 1e', {}),
        ('{"a": tru', {}),
        ('{"a": true}', {"a": True}),
        ('{"a": "\\u00e', {}),
        ('{"a": "one\\"two"', {"a": 'one"two'}),
        ('{"a": "two\nlines", "b": "c"}', {"a": "two\nlines", "b": "c"}),
        ("{'a': 'b'}", {}),
        ('{"a" "b"}', {}),
        ("{}", {}),
        ("{", {}),
        ("no JSON at all", {}),
        ("", {}),
        ('["a", "b"]', {}),
    ],
)
def test_what_models_send_is_read_as_far_as_it_is_certain(
    text: str, fields: dict[str, Any]
) -> None:
    assert finished_fields(text) == fields


def test_brackets_without_end_are_no_reply() -> None:
    assert finished_fields('{"a": "b", "c": ' + "[" * 100_000) == {"a": "b"}


@pytest.mark.parametrize(
    "unit", ["the lamp and ", "no. ", "\n", "0", "Ich weiß es nicht. ", "灯台"]
)
def test_a_text_that_repeats_itself_without_end_is_a_loop(unit: str) -> None:
    assert is_looping("The lighthouse was built in 1867. " + unit * 300)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ha " * 20,
        "The lighthouse was built in 1867 by three brothers. [1] " * 3,
        " ".join(
            f"In {year} it was painted again by the council of Stoll." for year in range(1900, 1930)
        ),
        "| year | boats |\n" + "".join(f"| {y} | {y % 7} |\n" for y in range(1900, 1960)),
        "\n".join(f"- [{i}] is a source" for i in range(40)),
    ],
)
def test_a_text_with_a_refrain_is_none(text: str) -> None:
    assert not is_looping(text)


def test_a_phrase_that_returns_once_is_no_loop() -> None:
    phrase = "according to the annual report of the harbour council of the island of Hesperay in "
    between = "1987 the mast was new, and then a storm came and took it away, again "
    text = "Long before that, it stood. " * 3 + phrase + between + phrase
    assert len(text) > 240
    assert not is_looping(text)
    assert not is_looping((phrase + between) * 2)


@pytest.mark.parametrize(
    ("chars", "times", "loops"),
    [
        (LONGEST_LOOP, LOOP_TIMES, True),
        (LONGEST_LOOP, LOOP_TIMES - 1, False),
        (LONGEST_LOOP + 1, LOOP_TIMES + 1, False),
        (90, LOOP_TIMES, True),
        (LOOP_CHARS // LOOP_TIMES - 1, LOOP_TIMES, False),
    ],
)
def test_a_whole_paragraph_said_over_and_over_is_a_loop(
    chars: int, times: int, loops: bool
) -> None:
    unit = " ".join(f"The lamp number {n} burns." for n in range(1000, 1040))[:chars]
    before = "It was built long before that, in granite, by three brothers. " * (not loops)
    assert is_looping(before + unit * times) is loops


def test_a_loop_is_told_only_once_it_has_gone_on_for_a_while() -> None:
    before = (
        "The lighthouse was built in 1867 by three brothers from Stoll, and the lamp came later. "
        * 2
    )
    assert not is_looping(before + "and so on, " * 12)
    assert is_looping(before + "and so on, " * 24)


def test_a_loop_that_has_ended_is_forgotten() -> None:
    after = (
        "But then the model came to its senses, and wrote of granite, lamps, keepers and storms. "
    )
    assert not is_looping("no. " * 200 + after + "It told of brothers, wool, the pier, and winter.")


TEXTS: list[tuple[Any, tuple[str, ...]]] = [
    ("lamp", ("lamp",)),
    ("  lamp ", ("lamp",)),
    (None, ()),
    (7, ()),
    (True, ()),
    ("", ()),
    ("   ", ()),
    ("None", ()),
    ("null", ()),
    ("N/A", ()),
    ("n/a.", ()),
    ("---", ()),
    (["a", "b"], ("a", "b")),
    (["a", None, 7, ["b", {"query": "c"}]], ("a", "b", "c")),
    ([["a"], "None"], ("a",)),
    ("['a', 'b']", ("a", "b")),
    ('["a", "b"]', ("a", "b")),
    ('{"query": "a"}', ("a",)),
    ("{'query': None}", ()),
    ({"query": "lamp"}, ("lamp",)),
    ({"type": "web", "text": "lamp"}, ("lamp",)),
    ({"en": "lamp"}, ("lamp",)),
    ({"query": ["a", "b"]}, ("a", "b")),
    ({"weight": 3, "kind": "web"}, ()),
    ({}, ()),
    ([], ()),
    ("[draft] lighthouse plans [1871]", ("[draft] lighthouse plans [1871]",)),
    ("None of the above meaning", ("None of the above meaning",)),
    ("null pointer exception", ("null pointer exception",)),
]


@each_row(("value", "texts"), TEXTS)
def test_a_field_holds_the_texts_that_it_plainly_holds(value: Any, texts: tuple[str, ...]) -> None:
    assert texts_in(value) == texts


def test_lists_in_lists_without_end_hold_nothing() -> None:
    value: Any = "lamp"
    for _ in range(50):
        value = [value]
    assert texts_in(value) == ()


@each_row(
    "value",
    [None, "", " ", "None", "none.", "NULL", "N/A", "n/a", "-", "No", "Nothing", "not applicable",
     "No clarification needed.", "No clarifying question is needed", "keine", "无", "[]", [], {},
     ["None"], False, 0, {"question": None}, {"question": "N/A"}],
)  # fmt: skip
def test_what_says_that_there_is_no_question_is_none(value: Any) -> None:
    assert question_in(value) == ""


@pytest.mark.parametrize(
    "value", ["Which lighthouse?", ["Which lighthouse?"], {"question": "Which lighthouse?"}]
)
def test_a_question_is_asked_as_it_is(value: Any) -> None:
    assert question_in(value) == "Which lighthouse?"


KEYS = ("action", "query")
PLAN = {"action": "proceed", "query": "tower height"}
WRITTEN = json.dumps(PLAN)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"For the {{question}} I will use this plan: {WRITTEN}",
        f"Sure! Here it is:\n\n```json\n{WRITTEN}\n```\n\nAnything else?",
        f'First {{"action": "clarify"}}, no: {WRITTEN}',
        f'{{"plan": {WRITTEN}}}',
        f'{{"result": {{"plan": {WRITTEN}}}, "n": 1}}',
        f"[{WRITTEN}]",
        json.dumps(WRITTEN),
        '{\n  // what to do\n  "action": "proceed", /* ok */\n  "query": "tower height" # yes\n}',
        "{'action': 'proceed', 'query': 'tower height'}",
        '{action: "proceed", query: "tower height"}',
        "{action: proceed, query: tower height}",
        "{“action”: “proceed”, “query”: “tower height”}",
        "{„action“: „proceed“, „query“: „tower height“}",
        "{`action`: `proceed`, `query`: `tower height`}",
        '{"action": "proceed", "query": "tower height",}',
        '{"Action": "proceed", "QUERY": "tower height"}',
        '{"action": "proceed", "query": "tower height", "why": "it is',
        '{"n": NaN, "m": None, "k": True, "action": "proceed", "query": "tower height"}',
    ],
)
def test_what_is_meant_comes_out(text: str) -> None:
    assert find_fields(text, KEYS) == PLAN


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("{'query': 'What's its height'}", "What's its height"),
        ('{"query": "the "old" tower"}', 'the "old" tower'),
        ('{"query": "a\nb\\tc \\u00e4 \\ud83d\\ude00"}', "a\nb\tc ä 😀"),
        ('{"query": "http://x/y // z"}', "http://x/y // z"),
        ("{'query': None}", None),
        ('{"query": ["a", "b",]}', ["a", "b"]),
    ],
)
def test_values_stay_what_they_are(text: str, query: Any) -> None:
    assert find_fields(text, KEYS) == {"query": query}


@pytest.mark.parametrize(
    "text", ["", "I would search.", "{", '{"query": "cut', "{" * 9_000, "[{" * 4_000, '{"a": 1}']
)
def test_where_there_is_nothing_nothing_is_made_up(text: str) -> None:
    assert find_fields(text, KEYS) == {}


_FIELD_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", min_size=1), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries({"action": _FIELD_VALUES, "query": _FIELD_VALUES}),
    st.sampled_from([None, 1]),
)
def test_strict_json_is_read_as_a_strict_reader_reads_it(
    value: dict[str, Any], indent: int | None
) -> None:
    assert find_fields(json.dumps(value, indent=indent), KEYS) == value
    assert find_fields(json.dumps(value, ensure_ascii=False), KEYS) == value


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
