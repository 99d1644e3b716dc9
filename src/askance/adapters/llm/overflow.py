"""Refusals of prompts that are too long, in the words of the servers that are in use."""

from __future__ import annotations

import re

from askance.domain.errors import PromptTooLong
from askance.domain.messages import Message

# So much is looked through for the one sentence that it holds.
_LONGEST_READ = 10_000
_CONTEXT = r"context(?!-free| deadline| cancell?ed)"
_TEXT = r"(?:prompt|input|request|messages?|conversation|context|sequence|token)s?\b"
_LENGTH = rf"(?:{_CONTEXT}|n_ctx|max\w{{0,10}} (?:\w{{1,20}} )?(?:length|tokens|size)|max\w{{0,10}} number of tokens)"
_OVERFLOW = re.compile(
    "|".join(
        (
            rf"exceed[^.,]{{0,60}}{_LENGTH}",
            rf"{_CONTEXT}[ _](?:size|length|window|limit)[a-z_ ]{{0,20}}exceed",
            r"(?:maximum|max) context length|context[a-z ]{0,40}overflow|context length of only",
            r"n_keep[^.]{0,30}n_ctx|context shift (?:is )?disabled|kv cache is full",
            # A limit of a parameter is none of the prompt: "max_tokens must be greater than 0".
            rf"{_TEXT}[^.]{{0,80}}(?<!must be )(?<!should be )(?:greater|longer|larger) than"
            r"(?! (?:or equal to )?[01]\b)",
            r"(?:prompt|input|request(?: entity| body)?|messages|conversation|context)"
            r"(?: (?:is|are|was))? too (?:long|large|big)",
            r"too many (?:input |prompt )?tokens in",
            r"(?:reduce|shorten|trim) (?:the (?:length|size) of )?(?:the|your) "
            r"(?:input |chat )?(?:messages?|prompt|input|context|conversation)",
            r"(?:shorter|smaller) (?:input|prompt)|shortening the prompt",
            r"inputs?`? tokens[^.]{0,60}must (?:be|have) (?:<=?|at most|less)",
            r"reached (?:the )?(?:maximum |max )?context (?:length|limit|size|window)",
            r"超[出过][^。]{0,20}(?:上下文|长度|token)",
        )
    ),
    re.IGNORECASE,
)
# Limits of other kinds, some of which speak of tokens, too.
_OTHER_LIMIT = re.compile(
    r"rate.?limit|quota|billing|tokens per (?:min|hour|day|sec)|\bTPM\b|schema|grammar"
    r"|<html\b|<!doctype",  # the page of a proxy, which has a limit of its own
    re.IGNORECASE,
)
_NUMBER = r"(\d[\d,]{0,11})"
_NEEDED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf'n_prompt_tokens\\{{0,8}}"?:\s{{0,8}}{_NUMBER}',
        rf"n_keep\W{{0,4}}{_NUMBER}",
        rf"(?:resulted in|has|have|contains|requested|a total of) (?:about |a total of )?{_NUMBER} "
        r"(?:input |prompt )?tokens",
        rf"keep the first {_NUMBER} tokens",
        rf"given: {_NUMBER} ",
        rf"(?:request|input|prompt|length|tokens|count):? ?\(?(?:length |about )?{_NUMBER}(?: tokens)?\)?"
        r" (?:is |are |exceed|cannot|>)",
        rf"{_NUMBER}(?: tokens)? >=? {_NUMBER}",
    )
)
_AVAILABLE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf'n_ctx\\{{0,8}}"?:\s{{0,8}}{_NUMBER}',
        rf"n_ctx\W{{0,4}}{_NUMBER}",
        r"(?:context (?:size|length|window|is)|max\w{0,10} (?:model |input |prompt |sequence |context )?length"
        rf"|max_seq_len|tokens allowed)(?! by\b)[a-z: ]{{0,40}}\(?{_NUMBER}",
        rf"{_NUMBER} max(?:imum)?\b",
        rf"must be <=? {_NUMBER}",
        rf"(?:greater|longer|larger) than {_NUMBER}",
        rf"{_NUMBER}(?: tokens)? >=? (?P<limit>\d[\d,]{{0,11}})",
    )
)


def overflow_of(body: str, model: str, context_tokens: int) -> PromptTooLong | None:
    """Return the error to raise if the body says that a prompt did not fit, else None."""
    body = body[:_LONGEST_READ]
    if not _OVERFLOW.search(body) or _OTHER_LIMIT.search(body):
        return None
    needed = _first_number(_NEEDED, body)
    available = _first_number(_AVAILABLE, body) or context_tokens
    values = {"needed": needed, "model": model, "available": available}
    problem = (
        Message(
            "The prompt has {needed} tokens; the context of {model} holds {available}.", **values
        )
        if needed
        else Message("The prompt is too long; the context of {model} holds {available}.", **values)
    )
    fix = Message("Raise llm.context_tokens, or lower evidence.first_round_tokens.")
    return PromptTooLong(problem, fix=fix, needed=needed, available=available)


def _first_number(patterns: tuple[re.Pattern[str], ...], body: str) -> int:
    for pattern in patterns:
        if match := pattern.search(body):
            found = match.groupdict().get("limit") or match[1]
            return int(found.replace(",", ""))
    return 0
