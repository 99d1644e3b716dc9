// One published client of OpenAI's API on Node, asked everything in turn: node openai_node.mjs CLIENT BASE TOKEN
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [client, base, token] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(process.cwd(), "x.js")));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const Q = "Who built the Lindmouth lighthouse?";
const LONG = "The tide came in. ".repeat(4000);
const PICTURE = "data:image/png;base64,iVBORw0KGgo=";
const SCHEMA = { type: "object", additionalProperties: false, required: ["answer", "sources"], properties: { answer: { type: "string" }, sources: { type: "array", items: { type: "string" } } } };

const CLIENTS = {
  async openai() {
    const { default: OpenAI } = await load("openai");
    const of = (apiKey) => new OpenAI({ baseURL: base, apiKey, maxRetries: 0 });
    const ask = (messages, more = {}, key = token) => of(key).chat.completions.create({ model: "askance", messages, ...more });
    const user = (content) => ({ role: "user", content });
    return {
      list: async () => (await of(token).models.list()).data.map((m) => m.id).join(),
      ask: async () => (await ask([user(Q)])).choices[0].message.content,
      stream: async () => { let t = ""; for await (const c of await ask([user(Q)], { stream: true })) t += c.choices[0]?.delta?.content ?? ""; return t; },
      stop: async () => { const s = await ask([user(Q)], { stream: true }); for await (const c of s) if (c.choices[0]?.delta?.content) { s.controller.abort(); break; } return "stopped"; },
      turns: async () => { const a = (await ask([user(Q)])).choices[0].message; return (await ask([user(Q), a, user("How high is it?")])).choices[0].message.content; },
      token: async () => (await ask([user(Q)], {}, "wrong")).id,
      model: async () => (await ask([user(Q)], { model: "gpt-9" })).id,
      tools: async () => (await ask([user(Q)], { tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }] })).choices[0].message.content,
      json: async () => JSON.parse((await ask([user(Q)], { response_format: { type: "json_schema", json_schema: { name: "x", strict: true, schema: SCHEMA } } })).choices[0].message.content).answer,
      long: async () => (await ask([user(LONG)], { model: "askance-chat" })).id,
      picture: async () => (await ask([user([{ type: "text", text: "What is it?" }, { type: "image_url", image_url: { url: PICTURE } }]), { role: "assistant", content: "A light." }, user(Q)])).choices[0].message.content,
      ten: async () => count(await Promise.allSettled(Array.from({ length: 10 }, () => ask([user(Q)])))),
    };
  },
  async ai() {
    const { generateText, streamText, generateObject, jsonSchema, tool } = await load("ai");
    const { createOpenAI } = await load("@ai-sdk/openai");
    const of = (id = "askance", key = token) => createOpenAI({ baseURL: base, apiKey: key })(id);
    const ask = (more, id, key) => generateText({ model: of(id, key), maxRetries: 0, ...more });
    return {
      ask: async () => (await ask({ prompt: Q })).text,
      stream: async () => { let t = ""; for await (const c of streamText({ model: of(), prompt: Q, maxRetries: 0 }).textStream) t += c; return t; },
      stop: async () => { const abort = new AbortController(); const s = streamText({ model: of(), prompt: Q, abortSignal: abort.signal, onError() {} }); for await (const c of s.textStream) { if (c) { abort.abort(); break; } } return "stopped"; },
      turns: async () => { const first = await ask({ messages: [{ role: "user", content: Q }] }); return (await ask({ messages: [{ role: "user", content: Q }, ...first.response.messages, { role: "user", content: "How high is it?" }] })).text; },
      token: async () => (await ask({ prompt: Q }, "askance", "wrong")).text,
      model: async () => (await ask({ prompt: Q }, "gpt-9")).text,
      tools: async () => (await ask({ prompt: Q, tools: { f: tool({ description: "x", inputSchema: jsonSchema({ type: "object", properties: {} }) }) } })).text,
      json: async () => (await generateObject({ model: of(), schema: jsonSchema(SCHEMA), prompt: Q, maxRetries: 0 })).object.answer,
      long: async () => (await ask({ prompt: LONG }, "askance-chat")).text,
      picture: async () => (await ask({ messages: [{ role: "user", content: [{ type: "text", text: "What is it?" }, { type: "image", image: PICTURE }] }, { role: "assistant", content: "A light." }, { role: "user", content: Q }] })).text,
      ten: async () => count(await Promise.allSettled(Array.from({ length: 10 }, () => ask({ prompt: Q })))),
    };
  },
  async langchain() {
    const { ChatOpenAI } = await load("@langchain/openai");
    const of = (model = "askance", apiKey = token) => new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL: base } });
    const user = (content) => ({ role: "user", content });
    return {
      ask: async () => (await of().invoke([user(Q)])).content,
      stream: async () => { let t = ""; for await (const c of await of().stream([user(Q)])) t += c.content; return t; },
      stop: async () => { for await (const c of await of().stream([user(Q)])) if (c.content) break; return "stopped"; },
      turns: async () => { const a = await of().invoke([user(Q)]); return (await of().invoke([user(Q), a, user("How high is it?")])).content; },
      token: async () => (await of("askance", "wrong").invoke([user(Q)])).content,
      model: async () => (await of("gpt-9").invoke([user(Q)])).content,
      tools: async () => (await of().bindTools([{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }]).invoke([user(Q)])).content,
      json: async () => (await of().withStructuredOutput({ title: "x", ...SCHEMA }, { method: "jsonSchema" }).invoke([user(Q)])).answer,
      long: async () => (await of("askance-chat").invoke([user(LONG)])).content,
      picture: async () => (await of().invoke([user([{ type: "text", text: "What is it?" }, { type: "image_url", image_url: { url: PICTURE } }]), { role: "assistant", content: "A light." }, user(Q)])).content,
      ten: async () => count(await Promise.allSettled(Array.from({ length: 10 }, () => of().invoke([user(Q)])))),
    };
  },
  async llamaindex() {
    const { OpenAI } = await load("@llamaindex/openai");
    const of = (model = "askance", apiKey = token) => new OpenAI({ model, apiKey, baseURL: base, maxRetries: 0 });
    const user = (content) => ({ role: "user", content });
    const said = async (messages, model, key) => (await of(model, key).chat({ messages })).message.content;
    return {
      ask: () => said([user(Q)]),
      stream: async () => { let t = ""; for await (const c of await of().chat({ messages: [user(Q)], stream: true })) t += c.delta; return t; },
      stop: async () => { for await (const c of await of().chat({ messages: [user(Q)], stream: true })) if (c.delta) break; return "stopped"; },
      turns: async () => said([user(Q), { role: "assistant", content: await said([user(Q)]) }, user("How high is it?")]),
      token: () => said([user(Q)], "askance", "wrong"),
      model: () => said([user(Q)], "gpt-9"),
      json: async () => JSON.parse((await of().chat({ messages: [user(Q)], responseFormat: { type: "json_object" } })).message.content).answer,
      long: () => said([user(LONG)], "askance-chat"),
      picture: () => said([user([{ type: "text", text: "What is it?" }, { type: "image_url", image_url: { url: PICTURE } }]), { role: "assistant", content: "A light." }, user(Q)]),
      ten: async () => count(await Promise.allSettled(Array.from({ length: 10 }, () => said([user(Q)])))),
    };
  },
  async agents() {
    const { Agent, Runner, OpenAIProvider, setTracingDisabled, tool } = await load("@openai/agents");
    setTracingDisabled(true);
    const runner = (apiKey = token) => new Runner({ modelProvider: new OpenAIProvider({ baseURL: base, apiKey }) });
    const agent = (more = {}) => new Agent({ name: "a", instructions: "Answer.", model: "askance", ...more });
    const user = (content) => ({ role: "user", content });
    return {
      ask: async () => (await runner().run(agent(), Q)).finalOutput,
      stream: async () => { const s = await runner().run(agent(), Q, { stream: true }); let t = ""; for await (const c of s.toTextStream()) t += c; await s.completed; return t; },
      stop: async () => { const s = await runner().run(agent(), Q, { stream: true }); for await (const c of s.toTextStream()) if (c) break; return "stopped"; },
      turns: async () => { const r = await runner().run(agent(), Q); return (await runner().run(agent(), [...r.history, user("How high is it?")])).finalOutput; },
      token: async () => (await runner("wrong").run(agent(), Q)).finalOutput,
      model: async () => (await runner().run(agent({ model: "gpt-9" }), Q)).finalOutput,
      tools: async () => (await runner().run(agent({ tools: [tool({ name: "f", description: "x", parameters: { type: "object", properties: {}, required: [], additionalProperties: false }, strict: true, execute: async () => "1" })] }), Q)).finalOutput,
      json: async () => (await runner().run(agent({ outputType: { type: "json_schema", name: "x", strict: true, schema: SCHEMA } }), Q)).finalOutput.answer,
      long: async () => (await runner().run(agent({ model: "askance-chat" }), LONG)).finalOutput,
      picture: async () => (await runner().run(agent(), [user([{ type: "input_text", text: "What is it?" }, { type: "input_image", image: PICTURE }]), { role: "assistant", status: "completed", content: [{ type: "output_text", text: "A light." }] }, user(Q)])).finalOutput,
      ten: async () => count(await Promise.allSettled(Array.from({ length: 10 }, () => runner().run(agent(), Q)))),
    };
  },
};
const count = (settled) => `${settled.filter((one) => one.status === "fulfilled").length} of ${settled.length}`;

process.on("unhandledRejection", () => {});
const tries = await CLIENTS[client]();
for (const [name, act] of Object.entries(tries)) {
  let said;
  try { said = { ok: true, said: String(await act()) }; } catch (error) { said = { ok: false, said: String(error?.message ?? error) }; }
  console.log(JSON.stringify({ client, try: name, ...said, said: said.said.slice(0, 400) }));
}
process.exit(0);
