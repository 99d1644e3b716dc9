"""Ways in which model servers behave, one row each: what they send, and what a person sees of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from servers.loopback import Request, Wire

ANSWER = "The lighthouse is 47 metres tall [1]."
WORDS = ("The lighthouse ", "is 47 metres ", "tall [1].")
PAGE = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1>"
    "</center><hr><center>nginx</center></body>\r\n</html>\r\n"
)
Body = dict[str, Any]
Reply = tuple[int, bytes | str]


@dataclass
class Quirk:
    """One way to behave. `shows` is the answer that is seen, or words of the sentence in its place.

    `chat` returns the status and the body for a request of a reply. `models` and `props` are bodies of
    their paths, with a status where it is not 200. `settings` may have `{url}` in them. With `asked` the
    requests of replies that it takes to get there are bounded.
    """

    name: str
    shows: str = ANSWER
    chat: Callable[[Body], Reply | None] | None = None
    models: Any = field(default_factory=lambda: models_of("quirk-8b"))
    props: Any = None
    api: str = "openai"
    settings: dict[str, str] = field(default_factory=dict[str, str])
    prefix: str = ""
    key: str = ""
    packing: str = ""
    model: str = ""
    context: int = 0
    asked: int = 1
    chats: list[Body] = field(default_factory=list[Body])
    paths: list[str] = field(default_factory=list[str])

    async def __call__(self, request: Request, wire: Wire) -> None:
        self.paths.append(request.target)
        path = request.path
        if self.key and request.headers.get("authorization", "") != self.key:
            await wire.send_json({"error": {"message": "Invalid API key", "code": 401}}, 401)
        elif self.prefix and not path.startswith(self.prefix):
            await wire.send(PAGE.replace("502 Bad Gateway", "404 Not Found"), 404)
        else:
            await self._serve(request, path.removeprefix(self.prefix), wire)

    async def _serve(self, request: Request, path: str, wire: Wire) -> None:
        match path:
            case "/v1/models" | "/api/tags":
                await _send(wire, self.models)
            case "/props" if self.props is not None:
                await _send(wire, self.props)
            case "/api/version" if self.api == "ollama":
                await wire.send_json({"version": "0.30.0"})
            case "/api/show" if self.api == "ollama":
                await _send(wire, self.props or {"capabilities": ["completion"], "model_info": {}})
            case "/v1/chat/completions" | "/api/chat":
                self.chats.append(request.json())
                text = self.chat(self.chats[-1]) if self.chat else None
                status, body = text or (200, ndjson() if self.api == "ollama" else sse(chunks()))
                packed = {"Content-Encoding": self.packing} if self.packing else {}
                await wire.send(body, status, packed)
            case _:
                await wire.send_json({"error": f"Unexpected endpoint ({path})"}, 404)


async def _send(wire: Wire, reported: Any) -> None:
    status, body = reported if isinstance(reported, tuple) else (200, reported)
    text = body if isinstance(body, str | bytes) else json.dumps(body)
    await wire.send(text, status)


def models_of(*names: str) -> Body:
    return {
        "object": "list",
        "data": [{"id": name, "object": "model", "owned_by": "x"} for name in names],
    }


def tags_of(*names: str) -> Body:
    return {"models": [{"name": name, "size": 4_000, "digest": "d"} for name in names]}


def chunk(delta: Body, reason: str | None = None, **more: Any) -> Body:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **more}


USAGE = {"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 40}}


def chunks(*words: str) -> list[Body | str]:
    is_stated = words or WORDS
    return [chunk({"role": "assistant", "content": ""}), *(chunk({"content": w}) for w in is_stated),
            chunk({}, "stop"), USAGE, "[DONE]"]  # fmt: skip


def event(value: Body | str, end: bytes = b"\n\n", name: bytes = b"data: ") -> bytes:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return name + text.encode() + end


def sse(texts: list[Body | str], end: bytes = b"\n\n", name: bytes = b"data: ") -> bytes:
    return b"".join(event(one, end, name) for one in texts)


def ndjson(*words: str, last: Body | None = None, **more: Any) -> bytes:
    rows: list[Body] = [
        {"message": {"role": "assistant", "content": w}, "done": False, **more}
        for w in words or WORDS
    ]
    rows.append(
        last
        or {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    )
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _each(change: Callable[[Body], Body]) -> bytes:
    """Change every chunk that has a choice."""
    return sse([change(c) if isinstance(c, dict) and c["choices"] else c for c in chunks()])


def _content(wrap: Callable[[str], Any]) -> bytes:
    def change(c: Body) -> Body:
        delta = c["choices"][0]["delta"]
        return chunk({"content": wrap(delta["content"])}) if delta.get("content") else c

    return _each(change)


def _whole(message: Body, **more: Any) -> str:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return json.dumps({"object": "chat.completion", "choices": [choice], **more})


def streams() -> Iterator[Quirk]:
    """Forms of a stream: each gives the answer."""
    text = chunks()
    junk: dict[str, Body | str] = {
        "ping": {"type": "ping"}, "progress": {"object": "prompt.progress", "progress": 0.5}, "empty": "",
        "blank": " ", "words": "keep-alive", "list": "[]", "number": "7", "null": "null", "object": "{}",
        "no choices": {"choices": []}, "null choices": {"choices": None}, "half": '{"choices": [',
        "null delta": {"choices": [{"index": 0, "delta": None}]}, "odd choices": {"choices": ["x"]},
    }  # fmt: skip
    bodies: dict[str, bytes | str] = {
        "lines end in CRLF": sse(text, b"\r\n\r\n"),
        "lines end in CR": sse(text, b"\r\r"),
        "one line end between events": sse(text, b"\n"),
        "three line ends between events": sse(text, b"\n\n\n"),
        "no blank behind the colon": sse(text, name=b"data:"),
        "a byte order mark": b"\xef\xbb\xbf" + sse(text),
        "blank lines first": b"\n\n" + sse(text),
        "comments": b": ping\n\n" + sse(text, b"\n\n: ping\n\n"),
        "named events": sse(text, name=b"event: message\nid: 1\ndata: "),
        "no last marker": sse(text[:-1]),
        "no last blank line": sse(text)[:-2],
        "a done marker with blanks": sse([*text[:-1], " [DONE] "]),
        "JSON lines": sse(text[:-2], b"\n", b""),
        "usage null": _each(lambda c: {**c, "usage": None}),
        "usage of nulls": _each(lambda c: {**c, "usage": {"prompt_tokens": 9, "completion_tokens": None}}),
        "usage of fractions": _each(lambda c: {**c, "usage": {"prompt_tokens": 900.5}}),
        "usage of words": _each(lambda c: {**c, "usage": {"prompt_tokens": "many"}}),
        "usage that is a list": _each(lambda c: {**c, "usage": [1]}),
        "timings of nulls": _each(lambda c: {**c, "timings": {"prompt_n": None, "prompt_ms": None}}),
        "error null": _each(lambda c: {**c, "error": None, "message": None}),
        "error empty": _each(lambda c: {**c, "error": "", "message": ""}),
        "message of success": _each(lambda c: {**c, "code": 0, "message": "success"}),
        "content as parts": _content(lambda text: [{"type": "text", "text": text}]),
        "content as words": _content(lambda text: [text]),
        "content as an object": _content(lambda text: {"type": "text", "text": text}),
        "thinking among the parts": _content(
            lambda text: [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                          {"type": "text", "text": text}]),
        "message in place of delta": _each(
            lambda c: {"choices": [{"message": c["choices"][0]["delta"],
                                    "finish_reason": c["choices"][0]["finish_reason"]}]}),
        "message beside an empty delta": _each(
            lambda c: {"choices": [{"delta": {}, "message": c["choices"][0]["delta"],
                                    "finish_reason": c["choices"][0]["finish_reason"]}]}),
        "text of old completions": _each(
            lambda c: {"choices": [{"text": c["choices"][0]["delta"].get("content", ""),
                                    "finish_reason": c["choices"][0]["finish_reason"]}]}),
        "nothing but choices": _each(lambda c: {"choices": c["choices"]}),
        "the whole once more at the end": sse([*text[:-3], {
            "object": "chat.completion", "choices": [{"message": {"content": ANSWER}, "finish_reason": "stop"}]}]),
        "a part cut into the next": sse(text[:2]) + b'data: {"id":"c1","obj' + sse(text[2:]),
        "a whole completion": _whole({"content": ANSWER}),
        "a whole completion of many lines": json.dumps(json.loads(_whole({"content": ANSWER})), indent=2),
        "a whole completion as parts": _whole({"content": [{"type": "text", "text": ANSWER}]}),
        "a whole completion with reasoning": _whole({"content": ANSWER, "reasoning_content": "Hm."}),
        "a whole completion as an event": event(_whole({"content": ANSWER})),
        "a whole completion that thinks": _whole({"content": f"<think>Hm.</think>{ANSWER}"}),
    }  # fmt: skip
    for name in ("reasoning_content", "reasoning", "thinking", "reasoning_text"):
        bodies[f"reasoning in {name}"] = sse([chunk({name: "Hm [1].", "content": None}), *text])
    bodies["reasoning as an object"] = sse([chunk({"reasoning": {"content": "Hm."}}), *text])
    bodies["reasoning in details"] = sse(
        [chunk({"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}), *text]
    )
    for name, one in junk.items():
        bodies[f"{name} first"] = sse([one, *text])
        bodies[f"{name} between"] = sse([*text[:2], one, *text[2:]])
    for name, body in bodies.items():
        yield Quirk(f"stream: {name}", chat=lambda _, body=body: (200, body))


def refusals() -> Iterator[Quirk]:
    """Parameters that are refused: they are left out, and there is an answer."""
    rows: tuple[tuple[str, int, Any], ...] = (
        ("response_format", 400, {"error": "'response_format.type' must be 'text'"}),
        ("response_format", 400, {"error": {"message": "This response_format type is unavailable now"}}),
        ("response_format", 400, {"error": {"message": "Structured output is not supported for this model"}}),
        ("response_format", 400, {"object": "error", "message": "Guided decoding is not enabled."}),
        ("response_format", 500, {"error": {"message": "failed to compile grammar: unknown token"}}),
        ("response_format", 422, {"detail": [{"loc": ["body", "response_format"], "msg": "not permitted"}]}),
        ("response_format", 501, {"error": "JSON mode is not implemented"}),
        ("response_format", 400, {"error": "The moon is in the wrong place"}),
        ("response_format", 500, {"error": "KeyError"}),
        ("response_format", 200, {"error": {"message": "json_schema is not supported"}}),
        ("stream_options", 400, {"error": {"message": "Unrecognized request argument supplied: stream_options"}}),
        ("stream_options", 422, {"detail": [{"loc": ["body", "stream_options"], "msg": "extra fields not permitted"}]}),
        ("stream_options", 400, {"error": "unknown field"}),
        ("max_tokens", 400, {"error": {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."}}),
        ("max_tokens", 422, {"detail": [{"loc": ["body", "max_tokens"], "msg": "extra fields not permitted"}]}),
        ("temperature", 400, {"error": {"message": "Unsupported value: 'temperature' does not support 0.2."}}),
        ("temperature", 400, {"error": "`temperature` has to be a strictly positive float, but is 0.0"}),
        ("temperature", 500, {"error": {"message": "temperature is not supported"}}),
    )  # fmt: skip
    for n, (name, status, body) in enumerate(rows):

        def chat(
            asked: Body, name: str = name, status: int = status, body: Any = body
        ) -> Reply | None:
            return (status, json.dumps(body)) if name in asked else None

        # A 500 may pass: the same is sent once more before anything is left out.
        asked = 3 if status == 500 else 2
        yield Quirk(f"refused: {name} ({n}, {status})", chat=chat, asked=asked)
    for n, (status, body) in enumerate((
        (400, {"object": "error", "message": "System role not supported"}),
        (500, {"error": {"message": "Value is not callable: {{ raise_exception('System role not supported') }}"}}),
        (400, {"error": "Only user and assistant roles are supported!"}),
        (400, {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/..."}}),
        (422, {"error": "system messages are not allowed"}),
        (200, {"error": {"message": "Error rendering prompt with jinja template: system role not supported"}}),
    )):  # fmt: skip

        def folded(asked: Body, status: int = status, body: Any = body) -> Reply | None:
            has = any(message["role"] == "system" for message in asked["messages"])
            return (status, json.dumps(body)) if has else None

        asked = 3 if status == 500 else 2
        yield Quirk(f"refused: the system role ({n}, {status})", chat=folded, asked=asked)

    def several(asked: Body) -> Reply | None:
        for name in ("response_format", "stream_options", "temperature"):
            if name in asked:
                return 400, json.dumps({"error": f"unknown parameter {name}"})
        return None

    yield Quirk("refused: three of them, one after the other", chat=several, asked=4)


def failures() -> Iterator[Quirk]:
    """Servers that give no answer: the sentence quotes them, without their pages."""
    rows: tuple[tuple[str, int, bytes | str, str], ...] = (
        ("a proxy's page", 502, PAGE, "502 Bad Gateway"),
        ("a proxy's large page", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>",
         "413 Request Entity Too Large"),
        ("a page without a title", 500, "<html><body><h1>Server &amp; Error</h1></body></html>", "Server & Error"),
        ("no body", 500, "", "with status 500."),
        ("a body of blanks", 500, "  \n", "with status 500."),
        ("plain words", 500, "out of memory", "out of memory"),
        ("a detail", 500, '{"detail": "Internal Server Error"}', "Internal Server Error"),
        ("details", 422, '{"detail": [{"loc": ["body", "messages"], "msg": "wrong"}]}', "messages: wrong"),
        ("a limit of requests", 429, '{"error": {"message": "Rate limit reached"}}', "Rate limit reached"),
        ("no such page", 404, "404 page not found", "404"),
        ("an error in a whole body", 200, '{"error": {"message": "model failed to load"}}', "model failed to load"),
        ("an error of words", 200, '{"error": "model failed to load"}', "model failed to load"),
        ("an error as an event", 200, event({"error": {"message": "CUDA error"}}), "CUDA error"),
        ("a named error event", 200, b"event: error\n" + event({"error": {"message": "It crashed"}}), "It crashed"),
        ("a named error of words", 200, b"event: error\ndata: It crashed\n\n", "It crashed"),
        ("an error's fields alone", 200, event({"object": "error", "message": "It crashed"}), "It crashed"),
        ("a field of that name", 200, b'error: {"code": 500, "message": "It crashed"}\n\n', "It crashed"),
        ("an error among parts", 200, sse(chunks()[:3]) + event({"error": {"message": "CUDA error"}}), "CUDA error"),
        ("a page of a portal", 200, "<!DOCTYPE html><html><head><title>Sign in</title></head></html>", "Sign in"),
        ("words", 200, "It works!\n", "It works!"),
        ("nothing", 200, "", "broke off"),
        ("no end", 200, sse(chunks()[:3]), "broke off"),
        ("no chat", 501, '{"error": {"message": "This server does not support completions"}}', "does not support"),
        ("a gone model", 404, '{"error": {"message": "The model `quirk-8b` does not exist."}}', "quirk-8b"),
        ("a model that does not chat", 400, '{"error": "\\"quirk-8b\\" does not support chat"}', "a model that chats"),
        ("a model that embeds", 400, '{"error": {"message": "quirk-8b is not a generative model"}}', "a model that chats"),
        ("a parameter whatever is sent", 422, '{"detail": [{"loc": ["body", "stream_options"], "msg": "wrong"}]}',
         "See the server's log."),
        ("no credit", 402, '{"error": {"message": "Payment required"}}', "Payment required"),
    )  # fmt: skip
    for name, status, body, shows in rows:
        yield Quirk(f"fails: {name}", shows, chat=lambda _, r=(status, body): r, asked=3)
    packed = gzip.compress(sse(chunks()))
    yield Quirk("fails: packed", "compressed", chat=lambda _: (200, packed), packing="gzip")
    yield Quirk(
        "stream: not packed, as it says", chat=lambda _: (200, sse(chunks())), packing="identity"
    )


def lists() -> Iterator[Quirk]:
    """Lists of models: the readable entries count, and one that chats is asked."""

    def row(**fields: Any) -> Body:
        return {"object": "list", "data": [fields, {"id": "quirk-8b"}]}

    reports: tuple[tuple[str, Any], ...] = (
        ("a bare list", [{"id": "quirk-8b"}]), ("names alone", {"data": ["quirk-8b"]}),
        ("under another key", {"models": [{"name": "quirk-8b"}]}), ("by name", {"data": {"quirk-8b": {"object": "model"}}}),
        ("an entry without a name", row(object="model")), ("a null name", row(id=None)),
        ("an empty name", row(id="")), ("a number for a name", row(id=7)), ("an entry that is none", {"data": [3, None, {"id": "quirk-8b"}]}),
        ("odd types", {"data": [{"id": "quirk-8b", "owned_by": ["x"], "max_model_len": "32768", "meta": {"size": 4.5}}]}),
        ("a list for meta", {"data": [{"id": "quirk-8b", "meta": [], "aliases": "q", "max_model_len": 32768.0}]}),
        ("twice the same", models_of("quirk-8b", "quirk-8b")),
        ("an embedding model first", models_of("text-embedding-nomic-embed-text-v1.5", "quirk-8b")),
        ("bge first", models_of("bge-m3-GGUF", "quirk-8b")), ("e5 first", models_of("intfloat/multilingual-e5-large", "quirk-8b")),
        ("MiniLM first", models_of("all-MiniLM-L6-v2", "quirk-8b")), ("gte first", models_of("gte-large", "quirk-8b")),
        ("a reranker first", models_of("bge-reranker-v2-m3", "quirk-8b")), ("jina first", models_of("jina-reranker-v2", "quirk-8b")),
        ("whisper first", models_of("whisper-large-v3", "quirk-8b")), ("a voice first", models_of("kokoro-82m", "quirk-8b")),
        ("pictures first", models_of("stable-diffusion-xl", "quirk-8b")), ("flux first", models_of("flux.1-schnell", "quirk-8b")),
        ("embeddings by type", row(id="a", type="embeddings")), ("a reranker by type", row(id="a", type="reranker")),
        ("speech by type", row(id="a", type="stt")), ("embeddings by task", row(id="a", task="feature-extraction")),
        ("speech by task", row(id="a", task="automatic-speech-recognition")), ("pictures by type", row(id="a", type="image")),
        ("embeddings by capability", row(id="a", capabilities=["embeddings"])), ("embeddings by mode", row(id="a", mode="embedding")),
        ("embeddings by label", row(id="a", labels=["embeddings"])),
        ("embeddings by an object", row(id="a", capabilities={"embeddings": True, "vision": False})),
    )  # fmt: skip
    for name, models in reports:
        yield Quirk(f"list: {name}", models=models, model="quirk-8b")
    named: tuple[tuple[str, Any], ...] = (
        ("no list", (404, '{"error": "not found"}')), ("a list that is not allowed", (405, "")),
        ("a page for a list", (200, PAGE)), ("an empty list", {"data": []}), ("a null list", {"data": None}),
    )  # fmt: skip
    for name, models in named:
        yield Quirk(
            f"list: {name}, and a name", models=models, model="mine", settings={"model": "mine"}
        )
    yield Quirk("list: a file's name without its ending", models=models_of("/m/Quirk-8B.gguf"),
                model="/m/Quirk-8B.gguf", settings={"model": "Quirk-8B"})  # fmt: skip
    # A gateway lists no aliases: the server is asked for what the list lacks, and may say that it has it not.
    lacking: Body = {"models": models_of("a", "b"), "model": "c", "settings": {"model": "c"}}
    refusal = (404, '{"error": {"message": "The model `c` does not exist"}}')
    yield Quirk("list: another name", **lacking)
    yield Quirk("list: another name, which the server does not have either", "does not have the model",
                chat=lambda _: refusal, **lacking)  # fmt: skip
    useless: tuple[tuple[str, str, Any], ...] = (
        ("none, and no name", "404", (404, "no")),
        ("empty, and no name", "does not have a chat model", models_of()),
        ("nothing that chats", "does not have a chat model", models_of("bge-m3")),
        ("a page for a list", "502 Bad Gateway", (200, PAGE)),
        ("fails", "boom", (500, '{"error": "boom"}')),
    )
    for name, shows, models in useless:
        yield Quirk(f"list: {name}", shows, models=models)
    chats = {"data": [{"id": "embed-chat", "type": "llm"}]}
    yield Quirk("list: chats in spite of its name", models=chats, model="embed-chat")


def contexts() -> Iterator[Quirk]:
    """Sizes of the context: what no model has is not known."""
    router = {"role": "router", "default_generation_settings": {"n_ctx": 0}}
    routed: tuple[tuple[str, Body, int], ...] = (
        ("a router", {}, 3000),
        ("a router that tells how it starts the model", {"args": ["llama-server", "--ctx-size", "4096"]}, 4096),
        ("a router's preset", {"preset": "model = x\nctx-size = 2048\n"}, 2048),
    )  # fmt: skip
    for name, status, size in routed:
        models = {"data": [{"id": "quirk-8b", "status": status}]}
        yield Quirk(f"context: {name}", models=models, props=router, context=size)
    sizes: tuple[tuple[Any, int], ...] = (
        (-1, 3000), (4294967295, 3000), (None, 3000), ("all", 3000), (True, 3000), ([1], 3000), (512, 512), ("2048", 2048),
    )  # fmt: skip
    for reported, size in sizes:
        props = {"default_generation_settings": {"n_ctx": reported}}
        yield Quirk(f"context: {reported}", props=props, context=size)
        models = {"data": [{"id": "quirk-8b", "max_model_len": reported}]}
        yield Quirk(f"context: {reported} in the list", models=models, context=size)


def addresses() -> Iterator[Quirk]:
    """Addresses as people write them."""
    for url in ("{url}/", "{url}/v1", "{url}/v1/", "{url}/v1/chat/completions", "{url}/chat/completions", "{url}/v1/models",
                "{url}/v1/completions", " {url} ", '"{url}"', "'{url}/v1'", "<{url}>", "{host}", "{host}/v1", "{url}/#/chat",
                "{url}/v1?key=abc", "{capital}"):  # fmt: skip
        yield Quirk(f"address: {url}", settings={"url": url})
    for url in ("{url}/llm", "{url}/llm/v1", "{url}/llm/v1/chat/completions"):
        yield Quirk(f"address: {url} behind a proxy", settings={"url": url}, prefix="/llm")
    for url in ("{url}/v1", "{url}/api", "{url}/api/chat", "{url}/api/generate", "{host}", "{url}/v1/chat/completions"):  # fmt: skip
        name, settings = f"address: {url} of an Ollama", {"url": url}
        yield Quirk(name, api="ollama", models=tags_of("q:4b"), settings=settings)


def keys() -> Iterator[Quirk]:
    """Servers that ask for a key."""
    sesame, bob = "Bearer sesame", "Basic Ym9iOnMzY3JldHB3"
    rows: tuple[tuple[str, str, str, dict[str, str]], ...] = (
        ("none is set", "llm.api_key", sesame, {}),
        ("the wrong one", "llm.api_key", sesame, {"api_key": "shibboleth"}),
        ("the right one", ANSWER, sesame, {"api_key": "sesame"}),
        ("with what was copied around it", ANSWER, sesame, {"api_key": " Bearer sesame\n"}),
        ("a name and a password in the address", ANSWER, bob, {"url": "{private}"}),
    )
    for name, shows, key, settings in rows:
        yield Quirk(f"key: {name}", shows, key=key, settings=settings)
    yield Quirk("key: before an Ollama", key=sesame, api="ollama", models=tags_of("q:4b"),
                settings={"api_key": "sesame"})  # fmt: skip
    yield Quirk("key: one that the server says again", "***", settings={"api_key": "shibboleth"},
                chat=lambda _: (400, '{"error": "shibboleth is not a key"}'), asked=3)  # fmt: skip


def ollamas() -> Iterator[Quirk]:
    """Ollama in its own protocol, and what stands before one."""
    last = {
        "message": {"content": ""},
        "done": True,
        "done_reason": None,
        "prompt_eval_count": None,
        "eval_count": None,
    }
    parts = [{"type": "text", "text": ANSWER}]
    final = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>"
    bodies: dict[str, bytes | str] = {
        "as it is": ndjson(),
        "null counts": ndjson(last={**last, "load_duration": 1.5e9}),
        "odd counts": ndjson(last={**last, "eval_count": "7", "prompt_eval_duration": [1]}),
        "not streamed": json.dumps({"message": {"content": ANSWER}, "done": True}),
        "a null thinking": ndjson(last={"message": {"content": "", "thinking": None}, "done": True}),
        "blank lines": ndjson().replace(b"\n", b"\n\n"),
        "CRLF": ndjson().replace(b"\n", b"\r\n"),
        "null errors": ndjson(error=None),
        "empty errors": ndjson(error=""),
        "content as parts": json.dumps({"message": {"content": parts}, "done": True}),
        "channels": ndjson(final, *WORDS),
        "a lone closing tag": ndjson("Hm [1].\n", "</think>\n\n", *WORDS),
    }  # fmt: skip
    for name, body in bodies.items():
        yield _ollama(name, body)
    fails: tuple[tuple[str, int, bytes | str, str], ...] = (
        ("an error as an object", 200, json.dumps({"error": {"message": "out of memory"}}), "out of memory"),
        ("an error among parts", 200, ndjson()[:60] + b"\n", "cannot be understood"),
        ("too little memory", 500, '{"error": "model requires more system memory"}', "more system memory"),
        ("busy", 503, '{"error": "server busy"}', "server busy"),
        ("no chat", 400, '{"error": "\\"q:4b\\" does not support chat"}', "does not support chat"),
        ("a page", 502, PAGE, "502 Bad Gateway"),
    )  # fmt: skip
    for name, status, body, shows in fails:
        yield _ollama(name, body, status, shows=shows)
    odd = {"models": [{"name": None}, 7, {"size": 1}, {"name": "q:4b", "size": None}]}
    yield _ollama("odd entries", models=odd)
    yield _ollama("other capital letters", settings={"model": "Q:4B"}, model="q:4b")
    latest = {"models": tags_of("q:latest"), "settings": {"model": "q"}, "model": "q:latest"}
    yield _ollama("without its ending", **latest)
    yield _ollama("no models", shows="no chat model", models={"models": []})
    embeds = {"models": tags_of("nomic-embed-text", "q:4b"), "props": {"model_info": {}}}
    yield _ollama("an embedding model first", model="q:4b", **embeds)


def _ollama(name: str, body: bytes | str = b"", status: int = 200, **more: Any) -> Quirk:
    """An Ollama that replies so, and in the usual way without a body."""
    reply = status, body or ndjson()
    fields = {"models": tags_of("q:4b"), **more}
    return Quirk(f"Ollama: {name}", chat=lambda _: reply, api="ollama", **fields)


def quirks() -> list[Quirk]:
    """All of them."""
    kinds = (streams, refusals, failures, lists, contexts, addresses, keys, ollamas)
    return [quirk for kind in kinds for quirk in kind()]
