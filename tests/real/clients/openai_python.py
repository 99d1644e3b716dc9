"""One published Python client of OpenAI's API, asked everything in turn: python openai_python.py CLIENT BASE TOKEN.

It runs in an environment of its own, with that client alone: nothing of this project is imported.
"""
# ruff: noqa: PLC0415, T201, BLE001, E731, TID251, C901
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import json
import os
import sys

CLIENT, BASE, TOKEN = sys.argv[1:4]
Q, MORE = "Who built the Lindmouth lighthouse?", "How high is it?"
LONG = "The tide came in. " * 4000
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
SCHEMA = {
    "type": "object",
    "properties": {
        "answer": {"type": "string"},
        "sources": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["answer", "sources"],
    "additionalProperties": False,
}
TOOL = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {}}},
}
FORM = {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": SCHEMA}}


def user(content):
    return {"role": "user", "content": content}


OLD_PICTURE = [
    user([{"type": "text", "text": "What is it?"}, PICTURE]),
    {"role": "assistant", "content": "A light."},
    user(Q),
]


def completions(create):
    """The tries of what has OpenAI's own way to call."""

    async def text(*messages, **more):
        text = await create(messages=list(messages) or [user(Q)], **more)
        return text.choices[0].message.content

    async def stream(*, breaks=False):
        text = ""
        async for chunk in await create(messages=[user(Q)], stream=True):
            text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
            if text and breaks:
                return "stopped"
        return text

    async def turns():
        return await text(user(Q), {"role": "assistant", "content": await text()}, user(MORE))

    async def structured():
        return json.loads(await text(response_format=FORM))["answer"]

    return {
        "ask": text,
        "stream": stream,
        "stop": lambda: stream(breaks=True),
        "turns": turns,
        "token": lambda: text(api_key="wrong"),
        "model": lambda: text(model="gpt-9"),
        "tools": lambda: text(tools=[TOOL]),
        "json": structured,
        "long": lambda: text(user(LONG), model="askance-chat"),
        "picture": lambda: text(*OLD_PICTURE),
        "ten": lambda: ten(text),
    }


async def ten(ask):
    settled = await asyncio.gather(*(ask() for _ in range(10)), return_exceptions=True)
    return f"{sum(isinstance(one, str) for one in settled)} of 10"


def of_openai():
    from openai import AsyncOpenAI

    def create(*, api_key=TOKEN, model="askance", **more):
        client = AsyncOpenAI(base_url=BASE, api_key=api_key, max_retries=0)
        return client.chat.completions.create(model=model, **more)

    async def listed():
        client = AsyncOpenAI(base_url=BASE, api_key=TOKEN, max_retries=0)
        return ",".join([model.id async for model in client.models.list()])

    return {"list": listed, **completions(create)}


def of_litellm():
    import litellm

    litellm.suppress_debug_info = True

    def create(*, api_key=TOKEN, model="askance", **more):
        return litellm.acompletion(
            model=f"openai/{model}",
            api_base=BASE,
            api_key=api_key,
            num_retries=0,
            max_retries=0,
            **more,
        )

    return completions(create)


def of_langchain():
    from langchain_openai import ChatOpenAI

    def model(name="askance", key=TOKEN):
        return ChatOpenAI(model=name, base_url=BASE, api_key=key, max_retries=0)

    async def text(messages=None, **more):
        return (await model(**more).ainvoke(messages or [user(Q)])).content

    async def stream(*, breaks=False):
        text = ""
        async for chunk in model().astream([user(Q)]):
            text += chunk.content
            if text and breaks:
                return "stopped"
        return text

    async def turns():
        first = await model().ainvoke([user(Q)])
        return await text([user(Q), first, user(MORE)])

    async def structured():
        form = model().with_structured_output({"title": "x", **SCHEMA}, method="json_schema")
        return (await form.ainvoke([user(Q)]))["answer"]

    async def tools():
        return (await model().bind_tools([TOOL]).ainvoke([user(Q)])).content

    return {
        "ask": text,
        "stream": stream,
        "stop": lambda: stream(breaks=True),
        "turns": turns,
        "token": lambda: text(key="wrong"),
        "model": lambda: text(name="gpt-9"),
        "tools": tools,
        "json": structured,
        "long": lambda: text([user(LONG)], name="askance-chat"),
        "picture": lambda: text(OLD_PICTURE),
        "ten": lambda: ten(text),
    }


def of_llamaindex():
    from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
    from llama_index.llms.openai_like import OpenAILike

    def model(name="askance", key=TOKEN):
        return OpenAILike(
            model=name,
            api_base=BASE,
            api_key=key,
            is_chat_model=True,
            max_retries=0,
            context_window=8000,
        )

    def report(role, content):
        return ChatMessage(role=role, content=content)

    async def text(messages=None, **more):
        return (await model(**more).achat(messages or [report("user", Q)])).message.content

    async def stream(*, breaks=False):
        text = ""
        async for chunk in await model().astream_chat([report("user", Q)]):
            text += chunk.delta or ""
            if text and breaks:
                return "stopped"
        return text

    async def turns():
        return await text(
            [report("user", Q), report("assistant", await text()), report("user", MORE)]
        )

    async def structured():
        reply = await model().achat([report("user", Q)], response_format=FORM)
        return json.loads(reply.message.content)["answer"]

    async def picture():
        blocks = [TextBlock(text="What is it?"), ImageBlock(url=PICTURE["image_url"]["url"])]
        return await text(
            [
                ChatMessage(role="user", blocks=blocks),
                report("assistant", "A light."),
                report("user", Q),
            ]
        )

    return {
        "ask": text,
        "stream": stream,
        "stop": lambda: stream(breaks=True),
        "turns": turns,
        "token": lambda: text(key="wrong"),
        "model": lambda: text(name="gpt-9"),
        "json": structured,
        "long": lambda: text([report("user", LONG)], name="askance-chat"),
        "picture": picture,
        "ten": lambda: ten(text),
    }


def of_agents():
    from agents import Agent, ModelSettings, OpenAIProvider, RunConfig, Runner, function_tool
    from agents.agent_output import AgentOutputSchemaBase
    from openai import AsyncOpenAI

    class Form(AgentOutputSchemaBase):
        is_plain_text = lambda self: False
        name = lambda self: "x"
        json_schema = lambda self: SCHEMA
        is_strict_json_schema = lambda self: True
        validate_json = lambda self, text: json.loads(text)

    def config(key=TOKEN):
        client = AsyncOpenAI(base_url=BASE, api_key=key, max_retries=0)
        provider = OpenAIProvider(openai_client=client)
        return RunConfig(model_provider=provider, tracing_disabled=True)

    def agent(model="askance", **more):
        return Agent(
            name="a", instructions="Answer.", model=model, model_settings=ModelSettings(), **more
        )

    async def run(given: object = Q, key=TOKEN, **more):
        return await Runner.run(agent(**more), given, run_config=config(key))

    async def text(given: object = Q, **more):
        return (await run(given, **more)).final_output

    async def stream(*, breaks=False):
        text, result = "", Runner.run_streamed(agent(), Q, run_config=config())
        async for event in result.stream_events():
            text += getattr(getattr(event, "data", None), "delta", "") or ""
            if text and breaks:
                result.cancel()
                return "stopped"
        return text

    async def turns():
        return await text([*(await run()).to_input_list(), user(MORE)])

    async def structured():
        return (await text(output_type=Form()))["answer"]

    async def picture():
        shown = [
            {"type": "input_text", "text": "What is it?"},
            {"type": "input_image", "image_url": PICTURE["image_url"]["url"]},
        ]
        return await text([user(shown), {"role": "assistant", "content": "A light."}, user(Q)])

    @function_tool
    def weather() -> str:
        """Say what the weather is."""
        return "Rain"

    return {
        "ask": text,
        "stream": stream,
        "stop": lambda: stream(breaks=True),
        "turns": turns,
        "token": lambda: text(key="wrong"),
        "model": lambda: text(model="gpt-9"),
        "tools": lambda: text(tools=[weather]),
        "json": structured,
        "long": lambda: text(LONG, model="askance-chat"),
        "picture": picture,
        "ten": lambda: ten(text),
    }


async def main():
    tries = {
        "openai": of_openai,
        "litellm": of_litellm,
        "langchain": of_langchain,
        "llamaindex": of_llamaindex,
        "agents": of_agents,
    }[CLIENT]()
    for name, act in tries.items():
        try:
            values = {"ok": True, "said": str(await act())[:400]}
        except Exception as exc:
            values = {"ok": False, "said": f"{type(exc).__name__}: {exc}"[:400]}
        print(json.dumps({"client": CLIENT, "try": name, **values}), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
    os._exit(0)  # some clients leave threads behind
