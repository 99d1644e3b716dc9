"""Pages as sites serve them, and what stands between them and the reader."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from pypdf import PdfWriter

from askance.adapters.reader.network import Endpoint
from servers.loopback import Handler, Request, Wire

HTML = {"Content-Type": "text/html; charset=utf-8"}
PUBLIC = "93.184.215.14"

_SENTENCES = (
    "The harbour of Lindmouth was dredged in 1871 after two grain ships ran aground at its mouth.",
    "Its engineer, Clara Whitlow, kept a diary in which the cost of every stone is written down.",
    "The eastern breakwater is 412 metres long and stands on a bed of clay and broken slate.",
    "A storm in the winter of 1884 carried away its lamp, which was found on the beach of Orr.",
    "Fishing boats used the inner basin until the cannery closed its doors in the spring of 1963.",
    "Today the harbour is a museum, and the dredger lies at the quay where school classes visit it.",
)


def article(*extra: str, title: str = "The harbour of Lindmouth", head: str = "") -> str:
    """An article of some ninety words in a page with navigation and a footer."""
    paragraphs = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)
    return (
        f'<!doctype html><html lang="en-GB"><head><title>{title}</title>{head}</head><body>'
        '<nav><a href="/">Home</a> <a href="/about">About</a></nav>'
        f"<main><article><h1>{title}</h1>{paragraphs}{''.join(extra)}</article></main>"
        "<footer>All rights reserved.</footer></body></html>"
    )


def sentence(number: int) -> str:
    """One of the sentences of the article, counted from 0."""
    return _SENTENCES[number]


def pdf(*pages: str, password: str = "") -> bytes:
    """A PDF file with one line of text for each line of each page; an empty page has no text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids: list[str] = []
    for text in pages:
        shown = "".join(f"({line}) Tj T* " for line in text.split("\n") if line)
        stream = f"BT /F1 12 Tf 14 TL 72 700 Td {shown}ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    body, offsets = "%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    data = (
        f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    ).encode("latin-1")
    return _locked(data, password) if password else data


def _locked(data: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


class ScriptedResolver:
    """Gives each name its lists of addresses, one list a call; the last one is given again."""

    def __init__(self, names: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {name: list(answers) for name, answers in names.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        self.asked.append(host)
        if host not in self._answers:
            raise OSError(f"unknown {host}")
        answers = self._answers[host]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [Endpoint(ip_address(address), port) for address in addresses]


def forward_proxy(names: Mapping[str, int]) -> Handler:
    """A forward proxy that knows some names, each at a port of loopback. It refuses CONNECT."""

    async def handle(request: Request, wire: Wire) -> None:
        if request.method == "CONNECT":
            await wire.send("no tunnels here", 405)
            return
        parts = urlsplit(request.target)
        host = parts.hostname or ""
        if host not in names:
            await wire.send("unknown name", 502)
            return
        reader, writer = await asyncio.open_connection("127.0.0.1", names[host])
        path = parts.path or "/"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        while piece := await reader.read(65_536):
            await wire.raw(piece)
        writer.close()

    return handle
