"""Source of a stand-in for xllamacpp: the GGUF file's own text says how its server behaves, or at what address another one plays it."""

from __future__ import annotations

from pathlib import Path

import pytest

SOURCE = """
import ctypes, http.server, json, os, sys, threading, types

print("a library that prints")


class CommonParams:
    def __init__(self):
        self.model = types.SimpleNamespace(path="")
        self.cpuparams = types.SimpleNamespace(n_threads=-1)
        self.cpuparams_batch = types.SimpleNamespace(n_threads=-1)


class Server:
    def __init__(self, params):
        behaviour = open(params.model.path).read()
        if "at http" in behaviour:
            self.listening_address = behaviour.split()[-1]
            return
        if "refuse" in behaviour:
            print("0.00.001.002 E llama_model_load: unknown architecture 'x'", file=sys.stderr)
            raise RuntimeError("Failed to init server.")
        if "die" in behaviour:
            os.kill(os.getpid(), 9)
        if "hang" in behaviour:
            open(params.model.path + ".pid", "w").write(str(os.getpid()))
            ctypes.PyDLL(None).sleep(60)  # holds the interpreter's lock, as loading does
        handler = type("H", (Handler,), {"params": params, "behaviour": behaviour})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.listening_address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        p = self.params
        if self.headers.get("Authorization") != "Bearer " + p.api_keys[0]:
            return self.answer(401, {"error": {"message": "Invalid API Key"}})
        if self.path == "/props":
            return self.answer(200, {"default_generation_settings": {"n_ctx": p.n_ctx}})
        self.answer(200, {"data": [{"id": next(iter(p.model_alias))}]})

    def do_POST(self):
        if "fall" in self.behaviour:
            os._exit(3)
        if self.path == "/v1/embeddings":
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            rows = [{"index": i, "embedding": [len(t), self.params.n_batch]} for i, t in enumerate(texts)]
            known = self.headers.get("Authorization") == "Bearer " + self.params.api_keys[0]
            status = 200 if known and self.params.embedding else 501
            return self.answer(status, {"data": rows, "error": {"message": "no embeddings"}})
        seen = {k: v for k, v in vars(self.params).items() if isinstance(v, (int, str))}
        seen["threads"] = self.params.cpuparams.n_threads
        delta = {"content": json.dumps({**seen, "pid": os.getpid()})}
        chunk = {"choices": [{"delta": delta, "finish_reason": "stop"}]}
        body = f"data: {json.dumps(chunk)}\\n\\ndata: [DONE]\\n\\n".encode()
        self.answer(200, None, body)

    def answer(self, status, value, body=None):
        body = body or json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process, and its children, import the stand-in."""
    folder.mkdir()
    (folder / "xllamacpp.py").write_text(SOURCE, "utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
