"""Reasoning in every form that is known: none of it is shown, and no text is taken for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.adapters.llm.reasoning import FORMS, ThoughtFilter
from askance.domain.ports.model import ChatMessage, ModelCall, ReplyPart, Retracted, Role, Text
from sampled import each_row, sampled
from servers.loopback import serve
from servers.ollama import FakeOllama
from servers.openai import FakeOpenAI
from servers.scripted import streaming

CALL = ModelCall((ChatMessage(Role.USER, "How tall is it?"),), 50)
THOUGHT = 'They ask for the height. Source 1 says 47 m [1], or {"height": 53}? I check `a[0]`.'
ANSWER = "The tower is 47 m tall [1]; see `a[0]`."
HARMONY = "<|start|>assistant<|channel|>final<|message|>"


@dataclass(frozen=True)
class Row:
    """What a model writes, and what of it is the answer."""

    name: str
    written: str
    shown: str = ANSWER


def block(opens: str, closes: str) -> Row:
    return Row(f"{opens}…{closes}", f"{opens}{THOUGHT}{closes}{ANSWER}")


HIDDEN = (
    block("<think>\n", "\n</think>\n\n"),
    block("<THINK>", "</THINK>"),
    block('<think type="long">', "</think>"),
    block("<thinking>", "</thinking>"),
    block("<thought>", "</thought>"),
    block("<reasoning>\n", "\n</reasoning>\n"),
    block("<reflection>", "</reflection>"),
    block("<scratchpad>", "</scratchpad>"),
    block("<inner_monologue>", "</inner_monologue>"),
    block("<seed:think>", "</seed:think>"),
    block("<mm:think>", "</mm:think>"),
    block("<longcat_think>", "</longcat_think>"),
    block("<think_fast>", "</think_fast>"),
    block("<think_never_used_51bce0c785ca2f68081b>", "</think_never_used_51bce0c785ca2f68081b>"),
    block("<chain_of_thought>", "</chain_of_thought>\n"),
    block("<reasoning_content>", "</reasoning_content>"),
    block("<analysis>\n", "\n</analysis>\n"),
    block("&lt;think&gt;", "&lt;/think&gt;"),
    block("[THINK]", "[/THINK]"),
    block("◁think▷", "◁/think▷"),
    block("<|begin_of_thought|>", "<|end_of_thought|>"),
    block("<|START_THINKING|>", "<|END_THINKING|>"),
    block("<|think|>", "<|end|><|begin|>assistant<|content|>"),
    block("<|inner_prefix|>", "<|inner_suffix|>"),
    block("<|channel>thought\n", "\n<channel|>"),
    block("<unused94>thought\n", "<unused95>"),
    block("[unused16]", "[unused17]"),
    block('<details type="reasoning" done="true">\n<summary>Thought</summary>\n', "\n</details>\n"),
    block("<|channel|>analysis<|message|>", f"<|end|>{HARMONY}"),
    block("analysis", "assistantfinal"),
    block("Here is my thought process:\n", "\n\nHere is my response:\n"),
    block("Here's my thought process: ", " Here's my response: "),
    block("Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n"),
    # Opened by the prompt's template.
    block("", "\n</think>\n\n"),
    block("", "</think>"),
    block("", "[/THINK]"),
    block("", "</thinking>\n"),
    block("", "◁/think▷"),
    block("", "<channel|>"),
    block("", "<|END_THINKING|>"),
    block("", f"<|end|>{HARMONY}"),
    Row("nested", f"<think>{THOUGHT} <think>{THOUGHT}</think> {THOUGHT}</think>{ANSWER}"),
    Row("twice", f"<think>{THOUGHT}</think>\n<think>{THOUGHT}</think>{ANSWER}"),
    Row("between", f"{ANSWER}\n<think>{THOUGHT}</think>\n{ANSWER}", f"{ANSWER}\n{ANSWER}"),
    Row("nothing", f"<think>\n\n</think>\n\n{ANSWER}"),
    Row("not closed", f"<think>{THOUGHT}", ""),
    Row("nothing behind it", f"{THOUGHT}\n</think>", ""),
    Row("closed once more", f"<think>{THOUGHT}</think>{ANSWER}</think>"),
    Row("a tool's channel", f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>"
        f"commentary to=functions.x <|constrain|>json<|message|>{{}}<|call|>{HARMONY}{ANSWER}<|return|>"),
    Row("final alone", f"<|channel|>final<|message|>{ANSWER}<|return|>"),
    Row("boxed", f"<think>{THOUGHT}</think><|begin_of_box|>{ANSWER}<|end_of_box|>"),
    Row("framed", f"<think>{THOUGHT}</think>\n<answer>\n{ANSWER}\n</answer>"),
    Row("framed in output", f"<Thought>\n{THOUGHT}\n</Thought>\n<Output>\n{ANSWER}\n</Output>"),
    Row("reflected on", f"<thinking>{THOUGHT}\n<reflection>{THOUGHT}</reflection>\n{THOUGHT}</thinking>\n"
        f"<output>\n{ANSWER}\n</output>"),
    Row("framed, closed alone", f"{THOUGHT}\n</think>\n<answer>\n{ANSWER}\n</answer>"),
    Row("begun as a turn", f"[|assistant|]<thought>\n{THOUGHT}\n</thought>\n\n{ANSWER}[|endofturn|]"),
    Row("with a budget", f"<seed:think>{THOUGHT}<seed:cot_budget_reflect>I have used 100 tokens."
        f"</seed:cot_budget_reflect>{THOUGHT}</seed:think>{ANSWER}<seed:eos>"),
    Row("a special token", f"<think>{THOUGHT}</think>{ANSWER}<SPECIAL_12>"),
    Row("EOT", f"{THOUGHT}</think>{ANSWER}<|EOT|>"),
    Row("e", f"<think>{THOUGHT}</think>{ANSWER}[e~["),
    Row("im_end", f"{ANSWER}<|im_end|>"),
    Row("end_of_turn", f"{ANSWER}<end_of_turn>\n"),
    Row("s", f"{ANSWER}</s>"),
    Row("eot", f"{ANSWER}<|eot_id|>"),
    Row("a user's turn", f"{ANSWER}<|user|>\nHow old is it?"),
    Row("a turn alone", f"{ANSWER}\n<|im_start|>user\nAnd now?"),
    Row("Gemma's turn", f"{ANSWER}\n<start_of_turn>user\nAnd now?"),
    Row("its own turn", f"<|im_start|>assistant\n{ANSWER}<|im_end|>"),
    Row("its own header", f"<|start_header_id|>assistant<|end_header_id|>\n\n{ANSWER}<|eot_id|>"),
    Row("begun", f"<s>{ANSWER}</s>"),
    Row("begun again", f"{ANSWER}</s><s>[INST] And now?"),
    Row("unknown words", f"{ANSWER}<unk><unk>"),
    Row("padded", f"<pad>{ANSWER}" + 3 * "<pad>"),
    Row("unused", 8 * "<unused49>", ""),
    Row("bytes", "It is old.<0x0A>It cost <0xE2><0x82><0xAC>5.", "It is old.\nIt cost €5."),
    Row("ChatGPT's citation", f"{ANSWER}\ue200cite\ue202turn0search0\ue202turn1search2\ue201"),
    Row("half a pair", "It is nice \ud83d.", "It is nice \ufffd."),
    Row("another turn", f"{ANSWER}<|im_end|>\n<|im_start|>user\nAnd now?"),
)  # fmt: skip

# Texts about marks, and texts that only look like some: not a character of them may go.
TEXTS = (
    "The tag `<think>` opens it, and `</think>` closes it.",
    "Models put it between <think> and </think> tags.",
    "They end their reasoning with </think> and go on.",
    'They end it with "</think>", and go on.',
    "Use <think>...</think> here.",
    "Use the <thinking> tag for that. It is fine.",
    "So:\n```xml\n<thinking>\nFirst this.\n</thinking>\n<answer>42</answer>\n```\nThat is all.",
    "So:\n~~~\n<|channel|>analysis<|message|>x<|end|>\n~~~\nThat is all.",
    "`<|im_end|>` ends a turn, `</s>` ends a text.",
    "A text ends in </s> or so.",
    "analysis of the data shows it",
    "analysis",
    "Analysis: it is so.",
    "Here is my thought process: first the one. Then the other.",
    "HTML has <details>\n<summary>More</summary>\n</details> and <b>bold</b>.",
    "numbers[0], [1], [THIS], a < b, if x <y and z> w: <|x",
    "<answer>42</answer>",
    "Its parts are:\n<summary>a</summary> and </analysis> behind it.",
    "matrix[|a|], list[e~[1]], `[|endofturn|]` and <SPECIAL_12> in the midst.",
    "The <analysis> part comes first.",
    "1 < 2 <thin",
    "The <unk> token stands for words that are none.",
    "`<|user|>` begins a turn, and `<0x0A>` is a byte.",
    "ChatML writes <|im_start|>user before each. So it is.",
    "- <|user|>: a turn\n- <pad>: nothing",
    "It costs <s>5</s> 4 euros.",
)


def shown(pieces: list[str]) -> str:
    thoughts = ThoughtFilter()
    parts = [part for piece in pieces for part in thoughts.feed(piece)]
    return text_of([*parts, *thoughts.end()])


def text_of(parts: list[ReplyPart]) -> str:
    text = ""
    for part in parts:
        if isinstance(part, Text):
            text += part.text
        elif isinstance(part, Retracted):
            text = ""
    return text.strip()


@each_row("row", HIDDEN)
def test_no_reasoning_is_shown_wherever_a_reply_is_split(row: Row) -> None:
    for at in range(len(row.written)):
        assert shown([row.written[:at], row.written[at:]]) == row.shown
    assert shown(list(row.written)) == row.shown


@each_row("text", TEXTS)
def test_a_text_about_marks_keeps_every_character(text: str) -> None:
    for at in range(len(text)):
        assert shown([text[:at], text[at:]]) == text
    assert shown(list(text)) == text


@pytest.mark.parametrize("kind", sampled([FakeOpenAI, FakeOllama], every=2))
async def test_no_reasoning_is_shown_over_either_protocol_split_at_every_byte(
    kind: type[FakeOpenAI | FakeOllama],
) -> None:
    fake = kind()
    async with serve(fake) as server:
        for row in HIDDEN:
            wire = b"".join(fake.text(piece) for piece in (row.written[:9], row.written[9:]))
            wire = (wire + fake.end()).replace(b"\\u25c1", "◁".encode())
            fake.on_chat = streaming(*[wire[i : i + 1] for i in range(len(wire))])
            async with fake.model(server.url) as model, model.reply(CALL) as reply:
                assert text_of([part async for part in reply]) == row.shown, row.name


async def test_a_model_that_closes_alone_is_known_by_its_next_reply() -> None:
    fake = FakeOpenAI()
    text = f"{THOUGHT}\n</think>\n\n{ANSWER}"
    fake.on_chat = streaming(*[fake.text(word) for word in (text[:20], text[20:])], fake.end())
    async with serve(fake) as server, fake.model(server.url) as model:
        seen: list[list[ReplyPart]] = []
        for _ in range(2):
            async with model.reply(CALL) as reply:
                seen.append([part async for part in reply])
        fake.on_chat = streaming(fake.text(ANSWER), fake.end())
        async with model.reply(CALL) as reply:
            seen.append([part async for part in reply])
    assert [any(isinstance(part, Retracted) for part in parts) for parts in seen] == [
        True,
        False,
        False,
    ]
    assert [text_of(parts) for parts in seen] == [ANSWER] * 3


def test_the_table_has_an_example_of_every_form() -> None:
    import re  # noqa: PLC0415 - only here

    written = [row.written for row in HIDDEN]
    unseen = [
        f.name for f in FORMS if not any(re.search(f.opens, w, re.IGNORECASE) for w in written)
    ]
    assert unseen in ([], ["reason", "(?:thought|thinking|reasoning)_process"])
    assert len(FORMS) >= 16


@given(st.lists(st.sampled_from([
    "<think>", "</think>", "[THINK]", "[/THINK]", "<|channel|>", "analysis", "final", "<|message|>", "<|end|>",
    "assistantfinal", "<|start|>assistant", "</s>", "<answer>", "</answer>", "```", "`", " ", "\n", "a", "B.", "<",
]), max_size=12), st.lists(st.integers(0, 80), max_size=4))  # fmt: skip
def test_what_is_shown_does_not_depend_on_how_a_reply_was_split(
    tokens: list[str], at: list[int]
) -> None:
    reply = "".join(tokens)
    ends = sorted({min(i, len(reply)) for i in at} | {0, len(reply)})
    pieces = [reply[a:b] for a, b in pairwise(ends)]
    assert shown(pieces) == shown([reply]) == shown(list(reply))


def test_json_is_what_stands_behind_the_last_mark() -> None:
    plan = json.dumps({"action": "proceed"})
    assert shown([f'I think {{"action": "clarify"}} first.\n</think>\n\n{plan}']) == plan


def test_the_halves_of_a_character_may_come_apart() -> None:
    assert shown(["It is nice \ud83d", "\ude00."]) == "It is nice \U0001f600."
    assert shown(["It is nice \ud83d", "."]) == "It is nice \ufffd."
    assert shown(["It is nice \ud83d"]) == "It is nice \ufffd"
