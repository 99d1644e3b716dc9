"""Jobs of chat front ends are known by their shape, and questions of people are none.

The orders are written anew in the shapes of those that Open WebUI, LibreChat, Cherry Studio, LobeChat,
NextChat, Chatbox, Jan and Page Assist send.
"""

from __future__ import annotations

import json

import pytest

from askance.domain.conversation import Conversation, Turn
from askance.server.chat_jobs import Job, job_of, plain_reply
from sampled import each_row

EMPTY = Conversation()
TALKED = EMPTY.with_turn(Turn("How old is the lighthouse?", "It was built in 1871."))
CHAT = "USER: How old is the lighthouse?\nASSISTANT: It was built in 1871."
HISTORY = f"<chat_history>\n{CHAT}\n</chat_history>"


def sections(task: str, output: str) -> str:
    """An order in headed sections, with the chat in tags at its end."""
    return (
        f"### Task:\n{task}\n### Guidelines:\n- Stay close to what was said.\n"
        f"- Take the language that the chat has most of.\n### Output:\n{output}\n"
        f"### Chat History:\n{HISTORY}"
    )


AUTOCOMPLETE = (
    "### Task:\nYou complete what a person types. Go on from the text in `<text>`, as `<type>` says.\n"
    '### Output rules:\n- Reply with JSON alone: `{ "text": "<what comes next>" }`.\n'
    f"### Context:\n{HISTORY}\n<type>Search Query</type>\n<text>old lighthouses in</text>\n"
)
JOBS = {
    "sections, a title": (
        "",
        sections("Write a short title of 3-5 words for this chat.", '{ "title": "the title" }'),
        Job.TITLE,
    ),
    "sections, tags": (
        "",
        sections("Give the chat one to three broad tags.", 'JSON: { "tags": ["one", "two"] }'),
        Job.TAGS,
    ),
    "sections, follow-ups": (
        "",
        sections("Think of three questions to ask next.", '{ "follow_ups": ["One?", "Two?"] }'),
        Job.FOLLOW_UPS,
    ),
    "sections, queries": (
        "",
        sections("Decide whether a search helps.", '{\n  "queries": ["one", "two"]\n}'),
        Job.QUERIES,
    ),
    "sections, a completion": ("", AUTOCOMPLETE, Job.COMPLETION),
    "title only, in tags": (
        "",
        f"Create a 3-5 word title with an emoji for the chat history. Reply only with the title text.\n\n{HISTORY}",
        Job.TITLE,
    ),
    "an emoji": (
        "",
        "Your task is to show the face of the speaker by one fitting emoji, told by the message.\n\n"
        "Message: ```I have never seen so tall a tower!```",
        Job.EMOJI,
    ),
    "two numbered wishes": (
        "",
        "Analyze this conversation and give me:\n1. The language of the conversation\n2. A concise title of the"
        " conversation in the detected language (at most 5 words, no punctuation)\n\nUser: How old is it?\nAI: Very old.",
        Job.TITLE,
    ),
    "title case": (
        "",
        "Write a brief title of at most five words for the conversation, in title case. Only return the title"
        " itself.\n\nConversation:\nUser: How old is it?\nAI: Very old.",
        Job.TITLE,
    ),
    "an old separator, as instructions": (
        "Tell the user's language and write in the same language a very short title for this conversation. Title in"
        ' 5 words or less. No punctuation.\n\n||>User:\n"How old is it?"\n||>Response:\n"Very old."\n\n||>Title:',
        "Go on.",
        Job.TITLE,
    ),
    "instructions, and records": (
        "You are good at talking. You need to summarise the user's conversation into a title of up to 10 words, in"
        " the user's language. Do not use punctuation or special symbols.",
        '[{"role": "user", "mainText": "How old is it?"}]',
        Job.TITLE,
    ),
    "instructions, in Chinese": (
        "你擅长对话。请将用户的会话总结为10个字以内的标题。不要使用标点符号。",
        "user: 灯塔多少岁了？",
        Job.TITLE,
    ),
    "instructions for rephrasing": (
        "You are an AI question rephraser. Rephrase the follow-up of a conversation into a standalone question, and"
        " put it into XML.",
        "How tall is it?",
        Job.QUERIES,
    ),
    "a fence, and the order again": (
        "",
        "From the chat history, give this conversation a name.\nAt most 10 words, no quotes.\nUse English.\nJust"
        f" provide the name.\n\nHere's the conversation:\n\n```\n{CHAT}\n```\n\nThe name is:",
        Job.TITLE,
    ),
    "one line": (
        "",
        "Summarize in a 10-word Title. Give the title only. Here is the message: How old is it?",
        Job.TITLE,
    ),
    "a query between rules": (
        "",
        "Here is the query:\n\n--------------\n\nhow old is it\n\n--------------\n\nCreate a concise, 3-5 word phrase as a"
        " title for the previous query. Reply only with the title text.",
        Job.TITLE,
    ),
    "tools": (
        'Available tools: [{"name": "clock"}]. Reply with {"tool_calls": [{"name": "…", "parameters": {}}]} or none.',
        "Query: what time is it?",
        Job.TOOLS,
    ),
}


@pytest.mark.parametrize(("system", "message", "job"), JOBS.values(), ids=JOBS.keys())
def test_a_job_is_known(system: str, message: str, job: Job):
    assert job_of(system, message, EMPTY) is job


@pytest.mark.parametrize(
    ("message", "job"),
    [
        ("Please write a four word title for our conversation, without punctuation.", Job.TITLE),
        (
            "Summarize the discussion in 200 words or less, as a prompt for future context.",
            Job.SUMMARY,
        ),
        ("使用四到五个字直接返回这句话的简要主题。不要解释、不要标点。", Job.TITLE),
    ],
)
def test_a_job_may_be_said_at_the_end_of_the_chat_itself(message: str, job: Job):
    assert job_of("", message, TALKED) is job


QUESTIONS = [
    "Give me a title for my thesis about bees, in five words.",
    "What is the title of the first book about lighthouses?",
    "Which tags does HTML have for a chat history?",
    "In what JSON format does WhatsApp export a conversation?",
    "What was the topic of the conversation between Bohr and Heisenberg in 1941?",
    "Name the five longest rivers. Only return the names.",
    "Generate a list of search engines without tracking, as JSON.",
    "How do I write a good title for a conversation starter in 5 words?",
    "What did the user: field mean in docker compose?",
    "Summarize the news of today in 100 words.",
    "Wie lautet der Titel des Gesprächs zwischen Goethe und Eckermann?",
    "How does Open WebUI generate titles for chats?",
    "Explain this error:\n```\nKeyError: 'title'\n```",
    "What are follow-up questions in an interview?",
    "Which emoji is used most in messages?",
    'Why does `{"title": "x"}` fail to parse in jq?',
    "",
]


@each_row("conversation", [EMPTY, TALKED])
@each_row("message", QUESTIONS)
def test_what_a_person_asks_is_no_job(message: str, conversation: Conversation):
    assert job_of("", message, conversation) is None


@pytest.mark.parametrize(
    "system",
    [
        "You are a helpful assistant.",
        "Answer in German, in 100 words at most. Conversation titles are made elsewhere.",
        "You are an expert in naming companies. Answer only with facts.",
        "Today is Tuesday. Use Markdown. The user's name is Ada, and you chat with her.",
    ],
)
def test_instructions_make_no_job_of_a_question(system: str):
    assert job_of(system, "How old is the Lindmouth lighthouse?", EMPTY) is None


def test_an_order_far_inside_a_long_text_counts_for_nothing():
    order = sections("Write a title of 3 words for this chat.", '{ "title": "…" }')
    assert job_of("", "word " * 2000 + order + "word " * 2000, EMPTY) is None


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("tags", ["General"]),
        ("follow_ups", []),
        ("queries", []),
        ("text", ""),
        ("tool_calls", []),
    ],
)
def test_without_a_model_a_job_gets_what_its_front_end_can_read(key: str, said: object):
    assert json.loads(plain_reply(Job(key), "", "", EMPTY)) == {key: said}


def test_without_a_model_a_title_is_how_the_chat_began():
    order = sections("Write a title of 3 words for this chat.", 'JSON: { "title": "…" }')
    assert json.loads(plain_reply(Job.TITLE, "", order, EMPTY)) == {
        "title": "How old is the lighthouse"
    }
    assert plain_reply(Job.TITLE, "", "A title, please.", TALKED) == "How old is the lighthouse"
    assert plain_reply(Job.TITLE, "", "A title, please.", EMPTY) == "Chat"
