"""What chat front ends ask of a model beside the chat: titles, tags, follow-ups, queries, completions.

They send such jobs to the model of the chat, in words that each has of its own and lets people change.
So a job is known by its shape: an order to name, tag, continue or summarise a chat, the form in which
it wants the reply, and the chat itself as material. A person's question seldom has all three.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import StrEnum

from askance.domain.conversation import Conversation

_LOOKED_AT = 1_500
"""Characters at either end of a message: the order stands before or behind its material."""
_NEAR = 140
_TITLE_WORDS = 6
_LONGEST_TITLE = 60


class Job(StrEnum):
    """A job, by what is wanted."""

    TITLE = "title"
    TAGS = "tags"
    FOLLOW_UPS = "follow_ups"
    QUERIES = "queries"
    COMPLETION = "text"
    EMOJI = "emoji"
    SUMMARY = "summary"
    TOOLS = "tool_calls"


_EMPTY: dict[Job, object] = {
    Job.TAGS: ["General"],
    Job.FOLLOW_UPS: [],
    Job.QUERIES: [],
    Job.COMPLETION: "",
    Job.TOOLS: [],
}

# What is wanted, in the languages of the prompts of eight chat front ends (decision 39). The first
# that fits counts: "name" and "topic" stand in many prompts, and a title may be wanted with an emoji.
_WANTED_WORDS = {
    Job.QUERIES: r"search quer(?:y|ies)|question rephras|rephrased? (?:the |follow)|standalone (?:question|quer)|suchanfragen",
    Job.FOLLOW_UPS: r"follow[- ]?ups?\b|next questions|suggested (?:questions|replies)|anschlussfragen",
    Job.TAGS: r"\btags?\b|schlagw[oö]rt|标签|標籤",
    Job.COMPLETION: r"auto-?complet|continu(?:e|ation of) the text",
    Job.TITLE: r"\btitles?\b|\bname\b|\btopic\b|\bheadline\b|\btitel\b|überschrift|\btitre|\bt[íi]tulo|\btitolo|标题|標題|主题|主題|タイトル|題名|제목|заголов",
    Job.EMOJI: r"\bemojis?\b",
    Job.SUMMARY: r"\bsummar(?:y|i[sz]e)\b|zusammenfass|总结|總結|要約|résum",
}
_WANTED = {job: re.compile(pattern, re.IGNORECASE) for job, pattern in _WANTED_WORDS.items()}
_ORDERS = re.compile(
    r"\b(?:generate|create|write|give|provide|suggest|summari[sz]e|make|name|produce|craft|come up with|analy[sz]e|detect"
    r"|rephrase|continue|complete|categori[sz]e|reflect|label|convert|need to"
    r"|erstelle|erzeuge|schreibe|fasse|nenne|génère|crée|résume|genera|crea|resume|escribe|scrivi)\b"
    r"|\byour (?:task|role|job) is\b|\byou are an? \S{1,20} ?(?:generator|rephraser|completion)"
    r"|生成|总结|總結|概括|返回|要約|作成|생성|요약|создай|сгенерируй|напиши|обобщ",
    re.IGNORECASE,
)
_CHAT = (
    r"\bchats?\b|conversation|\bdialog|discussion|\bmessages?\b|\bthread\b|\b(?:previous|user|following|the) query\b"
    r"|`?<text>|gespräch|unterhaltung|nachricht|conversación|conversazione|会话|會話|对话|對話|聊天|这句话|會話|대화|разговор|диалог|бесед"
)
_NUMBER = r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|drei|vier|fünf|zehn)"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # A length: "3-5 words", "between two and four words", "10个字".
        rf"\b{_NUMBER}(?:[ -]{{0,2}}(?:-|–|to|or|bis|à|a)[ -]{{0,2}}{_NUMBER})?[ -]{{0,2}}(?:words?|characters?|letters|wort|wörter|zeichen|mots|palabras|parole|слов|символ)"
        r"|\d{1,3} ?(?:个字|個字|字|文字|자)|四到五个字",
        # Nothing but the reply: "return only the title", "output nothing else", "直接返回".
        r"\b(?:only|just|solely|exclusively|strictly)\b[^.\n]{0,40}\b(?:titles?|name|tags?|quer|json|return|respond|reply|output|provide|emoji)"
        r"|\b(?:return|respond|reply|output|give|provide|answer)\b[^.\n]{0,40}\b(?:only|just|solely|exclusively|nothing)\b"
        r"|(?:title|name)s? only\b|nothing else|\bno (?:extra|additional|other) text|\bonly the (?:title|name)|nur (?:den|der) titel|直接返回|不要解释|だけ",
        # Bare text: "without quotation marks", "no special characters", "不要标点".
        r"\b(?:no|without|avoid|not|don['’]t|ohne|keine|sans|sin|senza)\b[^.\n]{0,60}(?:punctuation|quot|special (?:symbol|character|format)|markdown|satzzeichen|anführung|ponctuation|puntuación)|标点|標點|句読点",
        # A format that a program reads.
        r"\bjson\b|\bxml\b",
        # The language of the reply, as in "in the chat's primary language".
        r"\b(?:primary|same|detected|user['’]s|given) language\b|language of the (?:chat|conversation|user|message)",
        # What a summary is for, or in whose voice to write: "for future context", "as a user".
        r"\bfor future context\b|\bas a prompt\b|fitting emoji|\bas a \*{0,2}user\b",
    )
)
# The material: a chat in tags, with its speakers, as records, or set apart from the order.
_MATERIAL = re.compile(
    r"<(?P<tag>chat_history|chat|conversation|content|messages?|history|dialogue|transcript|text|question)>"
    r"|^[ \t>|*#\"]{0,6}(?:user|human|ai|assistant|response|用户|ユーザー)[*\"]{0,3} ?[:\uff1a]"
    r"|\"role\" ?: ?\"(?:user|assistant)\""
    r"|\bhere(?: is|['’]s) the (?:conversation|chat|query|message|dialogue)\b"
    r"|^[ \t#*|>]{0,6}(?:conversation|chat history|messages?|query|dialogue)[*]{0,2} ?[:\uff1a]"
    r"|^ {0,3}(?:```|\"\"\"|-{5,})",
    re.IGNORECASE | re.MULTILINE,
)
# Words for a chat that came as the messages before this one.
_THIS_CHAT = re.compile(
    r"\b(?:our|this|the above|above|previous|the)\s{1,3}(?:chat|conversation|discussion|dialogue?|messages?)\b"
    r"|\bso far\b|unsere[rs]? (?:gespräch|unterhaltung)|这句话|以上|上述",
    re.IGNORECASE,
)
# The JSON of the reply, as a prompt shows it: `{"follow_ups": [...`, quotes escaped or not.
_KEY = re.compile(
    r"\{\s{0,8}\\?\"(?P<key>title|tags|follow_ups|queries|text|tool_calls)\\?\" ?:", re.IGNORECASE
)
# The first message of a person in a transcript: "USER: ...".
_SPEAKER = re.compile(
    r"^[ \t>|*#]{0,6}(?:user|human|用户)[*]{0,3} ?[:\uff1a][ \t]{0,4}(?P<said>[^\n]{1,300})",
    re.IGNORECASE | re.MULTILINE,
)
_TAGGED = re.compile(r"<[^<>\n]{1,40}>")


_ABOUT_CHAT = re.compile(_CHAT, re.IGNORECASE)


def job_of(system: str, message: str, conversation: Conversation) -> Job | None:
    """Return the job that a request is, None for what a person says.

    `system` are its instructions, `message` is what was said last.
    """
    # Open WebUI has its prompt for tools in the system message, and the question in the next one.
    if "tool_calls" in system and _KEY.search(system):
        return Job.TOOLS
    # Both ends, since some front ends put the prompt before the chat and some after it.
    order = f"{message[:_LOOKED_AT]}\n{message[_LOOKED_AT:][-_LOOKED_AT:]}"
    if (found := _KEY.search(order)) and _MATERIAL.search(order):
        return Job(found["key"].lower())
    if job := _ordered(order):
        has_chat = conversation.turns and _THIS_CHAT.search(order)
        return job if has_chat or _MATERIAL.search(order) else None
    # A longer system message is a person's own instructions, which may speak of anything.
    return _ordered(system) if len(system) <= _LOOKED_AT else None


def _ordered(text: str) -> Job | None:
    """Return what a text orders to be made of a chat, and in which form."""
    if not _ABOUT_CHAT.search(text) or not any(form.search(text) for form in _FORMS):
        return None
    orders = [match.span() for match in _ORDERS.finditer(text)]
    return next((job for job, wanted in _WANTED.items() if _wants(text, job, wanted, orders)), None)


def _wants(text: str, job: Job, wanted: re.Pattern[str], orders: Sequence[tuple[int, int]]) -> bool:
    """Say whether one of the orders is near to a thing that is wanted; a summary is an order itself."""
    return any(
        job is Job.SUMMARY or any(_apart(found.span(), order) <= _NEAR for order in orders)
        for found in wanted.finditer(text)
    )


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    # One word cannot be both the order and what it asks for, as "name" could.
    return max(one[0] - other[1], other[0] - one[1]) if one != other else _NEAR + 1


def plain_reply(job: Job, system: str, message: str, conversation: Conversation) -> str:
    """Return what does for a job where no model can be asked."""
    title = _title(message, conversation)
    reply = "💬" if job is Job.EMOJI else title
    # For these the front ends parse the reply as JSON.
    if job in _EMPTY:
        return json.dumps({job.value: _EMPTY[job]})
    wants_json = re.search(r"\bjson\b", f"{system}\n{message[:_LOOKED_AT]}", re.IGNORECASE)
    return json.dumps({job.value: reply}, ensure_ascii=False) if wants_json else reply


def _title(message: str, conversation: Conversation) -> str:
    spoken = _SPEAKER.search(message)
    title = spoken["said"] if spoken else ""
    if not title and conversation.turns:
        title = conversation.turns[0].question
    words = _TAGGED.sub(" ", title).split()[:_TITLE_WORDS]
    return " ".join(words)[:_LONGEST_TITLE].strip(" .,;:!?\"'`") or "Chat"
