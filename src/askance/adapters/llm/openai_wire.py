"""What servers of OpenAI's protocol send, read leniently: parts of a reply, lists of models, properties.

Each field is read by itself. One that is missing, null or of another type than it should be is as if
the server had not said it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from askance.domain.patterns import lazy_re
from askance.domain.ports.model import Finished, FinishReason

Fields = dict[str, Any]

# Less or more than this no model has: a server that says so does not know.
_SMALLEST_CONTEXT, _LARGEST_CONTEXT = 128, 20_000_000
# LM Studio's, vLLM's and gateways' names for it. What is loaded comes before what the model was
# made for, since a prompt that is longer than that fails.
_CONTEXTS = (
    "loaded_context_length",
    "max_model_len",
    "max_context_length",
    "context_length",
    "context_window",
)
# DeepSeek's and vLLM's name, OpenRouter's, and those of others.
_REASONING = ("reasoning_content", "reasoning", "thinking", "reasoning_text", "thought")
_DEEPEST = 6
_TEXT_KEYS = ("text", "content", "thinking", "reasoning", "summary")
# Of the arguments `-c 8192` or `--ctx-size 8192`, as the router lists them.
_CONTEXT_OPTION = lazy_re(r"--?(?:c|ctx|ctx-size|ctx_size|num_ctx)")
# A line such as `ctx-size = 8192` in what llama.cpp's router says of a model.
_CONTEXT_PRESET = lazy_re(
    r"^[ \t]{0,9}(?:ctx-size|ctx_size|c)[ \t]{0,9}=[ \t]{0,9}(\d{1,9})", re.MULTILINE
)

# How servers write that a model ended by itself, in small letters alone: OpenAI's and Anthropic's words,
# TGI's, llama.cpp's own, LM Studio's, Cohere's; or the token. `load` is Ollama's for a model that it has only loaded.
_NATURAL_ENDS = (
    "stop", "stopped", "end", "ended", "done", "finish", "finished", "complete", "completed", "success", "normal",
    "", "null", "none", "s", "imend", "stopcriteriamet",
    "endturn", "endofturn", "stopsequence",
    "eos", "eostoken", "endoftext", "endofsequence",
    "word", "stopword",
    "eosfound", "stopstringfound", "stopstring", "stoptoken",
    "load", "unload",
    "toolcall", "toolcalls", "tooluse", "functioncall",
)  # fmt: skip
_LENGTH_ENDS = lazy_re(r"length|max\w{0,20}token|tokenlimit|contextwindow|\Alimit\Z")
# What the server behind a gateway may have said, which writes `stop` all the same.
_FAILED_ENDS = lazy_re("error|filter|safety|abort|cancel|refus|recit|block|sensitiv|prohibit|fail")

# So many characters are not repeated by chance where a reply begins or ends; a token may be, such as a digit.
_SURELY_REPEATED, _LONGEST_TOKEN = 12, 3

# What says of itself, in its type, its task or what it can do, that it does something else than chat.
_CHATS = lazy_re(
    r"\b(?:llm|vlm|chat|completions?|text[- ]?generation|generate|image-text-to-text|text2text|causal)\b"
)
_CHATS_NOT = lazy_re(
    r"embed|feature-extraction|sentence-similarity|rerank|classif|speech|\btts\b|\bstt\b|audio|transcri|"
    r"image|video|diffusion|moderation|\bocr\b|\bscore\b"
)
# And whose name says so, where nothing else does.
_NAMED_OTHERWISE = lazy_re(
    r"embed|rerank|whisper|\bbge\b|\bgte\b|\be5\b|minilm|\bmpnet|colbert|splade|sentence-|paraphrase-|"
    r"bert\b|mxbai|arctic-embed|\bjina-(?:clip|colbert)|cross-encoder|\btts\b|kokoro|\bpiper\b|\bbark\b|"
    r"parakeet|speecht5|wav2vec|canary-\d|stable-diffusion|\bsdxl\b|\bsd-?\d|\bflux\b|\bdall-e|moderation|"
    r"\bclip-|siglip|\bvad\b|silero|f5-tts|xtts|chatterbox-tts"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReplyChunk:
    """A part of a reply. `error` is what the server says instead of one, as it was sent."""

    text: str = ""
    reasoning: str = ""
    is_whole: bool = False
    ended: str = ""
    index: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    timings: Timings | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Timings:
    """llama.cpp's own counters. `cached` is None where it does not tell how much it still had."""

    prompt: int
    cached: int | None
    prompt_ms: float
    output_ms: float


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model of a list. `context_tokens` is 0 where it is not known; `chats` whether it may chat, `sees`
    whether it takes pictures, None where the list does not tell."""

    name: str
    aliases: tuple[str, ...] = ()
    owner: str = ""
    context_tokens: int = 0
    size_bytes: int = 0
    chats: bool = True
    sees: bool | None = None

    def is_named(self, wanted: str) -> bool:
        """Whether somebody may mean it: file names with their ending and without, capitals or not."""
        names = {name for own in (self.name, *self.aliases) for name in (own, _file_name(own))}
        # Ollama adds `:latest` to a name without a tag.
        plain = {name.lower().removesuffix(":latest") for name in names}
        return _file_name(wanted) in names or wanted.lower().removesuffix(":latest") in plain


@dataclass(frozen=True, slots=True)
class Props:
    """What llama.cpp says of itself. `context_tokens` is 0 where it does not know, as a router."""

    context_tokens: int
    build: str
    sees: bool | None = None


def read_chunk(data: str) -> ReplyChunk | None:
    """Return what an event says of a reply; None for one that says nothing of it."""
    fields = _object(data)
    if fields is None:
        return None
    choices = fields.get("choices")
    # Of several choices the first counts, in an event of its own or not.
    choice = min(_objects(choices), key=_index_of, default=None)
    usage, timings = fields.get("usage"), fields.get("timings")
    if (choice is None or fields.get("error")) and _is_error(fields):
        return ReplyChunk(error=data)
    # The last chunks of a stream may have counters and no choice.
    if choice is None and not isinstance(usage, dict) and not isinstance(timings, dict):
        if not isinstance(choices, list):
            return None
        return ReplyChunk()
    text, reasoning, is_whole = _choice_texts(choice or {})
    counted = cast("Fields", usage) if isinstance(usage, dict) else {}
    ended = _end_of(choice or {})
    # Whether it is a reply in one piece, as it comes where no stream is to be had.
    if not ended and is_whole and fields.get("object") == "chat.completion":
        ended = "stop"
    return ReplyChunk(
        text,
        reasoning,
        is_whole,
        ended,
        _index_of(choice or {}),
        count(counted.get("prompt_tokens")),
        count(counted.get("completion_tokens")),
        _timings(cast("Fields", timings)) if isinstance(timings, dict) else None,
    )


class DeltaReader:
    """Returns what each part of a reply adds to it: some servers send all so far with every part, others
    the whole once more with the last one."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._unsure: list[str] = []
        """Parts that each begin with the one before, as long as that may be by chance."""
        self._length = 0

    def read(self, text: str, *, is_last: bool = False) -> str:
        """Return what a part adds; nothing while that is unsure."""
        before = self._held_in(text)
        if before:
            self._unsure.append(text)
            return self._grown() if len(before) >= _SURELY_REPEATED else ""
        added, self._unsure = "".join([*self._unsure, text]), []
        is_long = is_last and len(text.strip()) >= _SURELY_REPEATED
        if is_long and "".join(self._parts).rstrip().endswith(text.strip()):
            return ""
        if self._parts or added.strip():
            self._parts.append(added)
            self._length += len(added)
        return added

    def end(self) -> str:
        """Return what is left of the reply."""
        is_longer = self._unsure and len(self._unsure[-1].strip()) > _LONGEST_TOKEN
        return self._grown() if is_longer else "".join(self._unsure)

    def _held_in(self, text: str) -> str:
        """Return all so far, without blanks around it, if a text may begin with that."""
        # Only what is long enough is compared, so that the time stays linear in what the server sends.
        if 2 * len(text) < self._length:
            return ""
        before = "".join(self._unsure[-1:] or self._parts).strip()
        return before if text.lstrip().startswith(before) else ""

    def _grown(self) -> str:
        whole, given = self._unsure[-1].lstrip(), "".join(self._parts).lstrip()
        self._unsure, self._parts, self._length = [], [whole], len(whole)
        return whole[len(given if whole.startswith(given) else given.rstrip()) :]


def read_entries(body: str) -> tuple[ModelEntry, ...] | None:
    """Return the models of a list, those that can be read; None if it is none."""
    try:
        value: Any = json.loads(body.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        fields = cast("Fields", value)
        known = [
            fields[key] for key in ("data", "models") if isinstance(fields.get(key), list | dict)
        ]
        if not known:
            return () if "data" in fields and fields["data"] is None else None
        value = next((rows for rows in known if rows), known[0])
    if isinstance(value, dict):
        rows = cast("dict[str, Any]", value)
        value = [{"id": key, **(row if isinstance(row, dict) else {})} for key, row in rows.items()]
    if not isinstance(value, list):
        return None
    found = (_entry(row) for row in cast("list[Any]", value))
    return tuple(entry for entry in found if entry is not None)


def read_props(body: str) -> Props | None:
    """Return what llama.cpp tells of itself; None if the body is something else."""
    fields = _object(body)
    generation = fields.get("default_generation_settings") if fields else None
    if fields is None or not isinstance(generation, dict):
        return None
    build = fields.get("build_info")
    context_tokens = context(_fields_of(cast("object", generation)).get("n_ctx"))
    sees = _fields_of(fields.get("modalities")).get("vision")
    return Props(
        context_tokens,
        build if isinstance(build, str) else "",
        sees if isinstance(sees, bool) else None,
    )


def read_prompt(body: str) -> str:
    """Return the prompt that llama.cpp made of messages; empty if the body is something else."""
    prompt = (_object(body) or {}).get("prompt")
    return prompt if isinstance(prompt, str) else ""


def finished(word: str, sent: int, written: int, *, is_from_reasoning: bool) -> Finished:
    """Return how a reply ended, by a server's word for it and its counts of tokens."""
    reason = _reason(word)
    named = word if reason is FinishReason.OTHER else ""
    return Finished(reason, sent, written, named, is_from_reasoning)


def is_answer_end(word: str) -> bool:
    """Say whether a model ended by itself, and with no call of a tool."""
    return _reason(word) is FinishReason.STOP and not re.search("tool|function", word.lower())


def count(value: object) -> int:
    """Return a number of tokens or bytes; 0 for whatever is none."""
    number = _number(value)
    return max(0, round(number)) if abs(number) < 1e15 else 0


def context(value: object) -> int:
    """Return a size of a context; 0 for one that no model has."""
    size = count(value)
    return size if _SMALLEST_CONTEXT <= size <= _LARGEST_CONTEXT else 0


def text_in(value: Any, depth: int = 0) -> str:
    """Return the text of a field that is one, or is made of parts that have one."""
    if isinstance(value, str):
        return value
    if depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return "".join(text_in(part, depth + 1) for part in cast("list[Any]", value))
    if isinstance(value, dict):
        fields = cast("Fields", value)
        found = next((fields[key] for key in _TEXT_KEYS if fields.get(key)), "")
        return text_in(found, depth + 1)
    return ""


def could_chat(name: str, *capabilities: object) -> bool:
    """Say whether a model may chat, by its description, and else by its name."""
    words = " ".join(_words(capabilities)).lower().replace("_", " ")
    # A model may both see pictures and chat: what says that it chats counts first.
    if _CHATS.search(words):
        return True
    if _CHATS_NOT.search(words):
        return False
    return _NAMED_OTHERWISE.search(re.sub(r"[_./:\s]", "-", name.lower())) is None


def _object(data: str) -> Fields | None:
    """Return the object that a text is, or that a text ends with: a part may come cut into the next."""
    at = 0
    for _ in range(2):
        try:
            # RFC 8259, 8.1: a reader may pass over a byte order mark, and Python's does not.
            value: Any = json.loads(data[at:].removeprefix("\ufeff"))
        except (ValueError, RecursionError):
            at = data.rfind("data: {") + len("data: ")
            if at < len("data: "):
                return None
            continue
        return cast("Fields", value) if isinstance(value, dict) else None
    return None


def _fields_of(value: object) -> Fields:
    """Return an object's fields, none of what is no object."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def _objects(value: object) -> Iterator[Fields]:
    return (cast("Fields", row) for row in _list_of(value) if isinstance(row, dict))


def _list_of(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _is_error(fields: Fields) -> bool:
    if fields.get("error"):
        return True
    # vLLM, FastAPI and older llama.cpp write the error's fields without a wrapping.
    message = fields.get("message") or fields.get("detail")
    if not message or isinstance(message, dict):
        return False
    kind, code = fields.get("type"), fields.get("code")
    is_marked = fields.get("object") == "error" or (
        isinstance(kind, str) and "error" in kind.lower()
    )
    return is_marked or bool(fields.get("detail")) or count(code) >= 400


def _reason(word: str) -> FinishReason:
    plain = re.sub(r"[^a-z]", "", word.lower())
    if plain in _NATURAL_ENDS:
        return FinishReason.STOP
    return FinishReason.LENGTH if _LENGTH_ENDS.search(plain) else FinishReason.OTHER


def _end_of(choice: Fields) -> str:
    """Return how a choice ended, in the words of the server behind a gateway where those name a fault."""
    ends = [text_in(choice.get(key)) for key in ("native_finish_reason", "finish_reason")]
    return ends[0] if ends[1] and _FAILED_ENDS.search(ends[0].lower()) else ends[1]


def _index_of(choice: Fields) -> int:
    return count(choice.get("index"))


def _choice_texts(choice: Fields) -> tuple[str, str, bool]:
    """Return the text and the reasoning of a choice, and whether it is said as a whole message."""
    for key in ("delta", "message"):
        if isinstance(choice.get(key), dict):
            fields = cast("Fields", choice[key])
            text, inner = _parted(fields.get("content"))
            text = text or text_in(fields.get("refusal"))
            raw_reasoning = next((fields[name] for name in _REASONING if fields.get(name)), None)
            reasoning = text_in(raw_reasoning) or text_in(fields.get("reasoning_details")) or inner
            if text or reasoning or key == "message":
                return text, reasoning, key == "message"
    text = choice.get("text")
    return (text, "", False) if isinstance(text, str) else ("", "", False)


def _parted(content: Any) -> tuple[str, str]:
    """Return the text of a content, and the reasoning among its parts."""
    if not isinstance(content, list):
        return text_in(content), ""
    text, reasoning = "", ""
    for part in cast("list[Any]", content):
        kind = cast("Fields", part).get("type") if isinstance(part, dict) else ""
        if isinstance(kind, str) and ("think" in kind or "reason" in kind):
            reasoning += text_in(part)
        else:
            text += text_in(part)
    return text, reasoning


def _timings(fields: Fields) -> Timings:
    cached = fields.get("cache_n")
    return Timings(
        count(fields.get("prompt_n")),
        None if cached is None else count(cached),
        max(0.0, _number(fields.get("prompt_ms"))),
        max(0.0, _number(fields.get("predicted_ms"))),
    )


def _entry(row: Any) -> ModelEntry | None:
    if isinstance(row, str):
        row = {"id": row}
    if not isinstance(row, dict):
        return None
    fields = cast("Fields", row)
    named = [fields.get(key) for key in ("id", "name", "model")]
    name = next((n for n in named if isinstance(n, str) and n.strip()), None)
    if name is None:
        return None
    owner, meta, status = fields.get("owned_by"), fields.get("meta"), fields.get("status")
    meta = _fields_of(meta)
    sizes = [context(fields.get(key)) for key in _CONTEXTS]
    capabilities = (
        fields.get("type"),
        fields.get("task"),
        fields.get("capabilities"),
        fields.get("labels"),
    )
    return ModelEntry(
        name,
        tuple(alias for alias in _list_of(fields.get("aliases")) if isinstance(alias, str)),
        owner if isinstance(owner, str) else "",
        next((size for size in sizes if size), 0)
        or context(meta.get("n_ctx"))
        or _started_with(status),
        count(meta.get("size")),
        could_chat(name, *capabilities, fields.get("pipeline_tag"), fields.get("mode")),
        _sees(fields),
    )


def _sees(fields: Fields) -> bool | None:
    """Return whether a model takes pictures, as OpenRouter, LM Studio and llama.cpp tell; None where nobody does."""
    if inputs := _list_of(_fields_of(fields.get("architecture")).get("input_modalities")):
        return "image" in inputs
    capabilities = fields.get("capabilities")
    vision = _fields_of(capabilities).get("vision")
    if isinstance(vision, bool):
        return vision
    if "multimodal" in _list_of(capabilities) or "vision" in _list_of(capabilities):
        return True
    return {"vlm": True, "llm": False}.get(str(fields.get("type")))


def _started_with(status: object) -> int:
    """Return the context with which llama.cpp's router starts a model, as its own entry tells."""
    fields = _fields_of(status)
    preset = fields.get("preset")
    words = [str(word) for word in _list_of(fields.get("args"))]
    for option, value in pairwise(words):
        if (
            _CONTEXT_OPTION.fullmatch(option)
            and value.isdigit()
            and (size := context(int(value[:9])))
        ):
            return size
    found = _CONTEXT_PRESET.search(preset) if isinstance(preset, str) else None
    return context(int(found[1])) if found else 0


def _words(value: object, depth: int = 0) -> list[str]:
    """Return the words in the description of a model; of an object the names of what is so."""
    if isinstance(value, str):
        return [value]
    if depth > _DEEPEST:
        return []
    if isinstance(value, list | tuple):
        return [w for part in cast("list[Any]", value) for w in _words(part, depth + 1)]
    if isinstance(value, dict):
        return [str(key) for key, is_so in cast("Fields", value).items() if is_so is True]
    return []


def _file_name(name: str) -> str:
    # llama.cpp names a model by the path of its file; users write the file name, with or without
    # its ending.
    return re.split(r"[\\/]", name)[-1].removesuffix(".gguf") if name.endswith(".gguf") else name


def _number(value: object) -> float:
    # `bool` is a subclass of `int`.
    if isinstance(value, bool):
        return 0.0
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return 0.0
    if not isinstance(value, int | float):
        return 0.0
    try:
        return float(value) if math.isfinite(value) else 0.0
    except OverflowError:
        return 0.0
