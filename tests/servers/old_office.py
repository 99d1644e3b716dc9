"""Files in a container of OLE: workbooks of Excel before 2007 and messages of Outlook."""

from __future__ import annotations

import struct
from collections.abc import Mapping

_SECTOR, _FREE, _END, _FAT, _NONE = 512, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
# A shorter stream would lie in the small sectors of another one.
_LEAST_BYTES = 4096

Folder = Mapping[str, "bytes | Folder"]


def ole(root: Folder) -> bytes:
    """Return a container of the streams and storages in a folder; streams are padded with zeros."""
    entries: list[list[object]] = [["Root Entry", 5, _NONE, _NONE, _END, 0]]
    sectors: list[bytes] = []
    fat: list[int] = []

    def put(data: bytes) -> int:
        start, count = len(sectors), -(-len(data) // _SECTOR)
        sectors.extend(
            data[n * _SECTOR : (n + 1) * _SECTOR].ljust(_SECTOR, b"\0") for n in range(count)
        )
        fat.extend([*range(start + 1, start + count), _END])
        return start

    def add(folder: Folder, parent: int) -> None:
        before = _NONE
        for name, content in sorted(folder.items(), reverse=True):
            number = len(entries)
            if isinstance(content, bytes):
                data = content.ljust(_LEAST_BYTES, b"\0")
                entries.append([name, 2, before, _NONE, put(data), len(data)])
            else:
                entries.append([name, 1, before, _NONE, 0, 0])
                add(content, number)
            before = number
        entries[parent][3] = before

    add(root, 0)
    rows = b""
    for name, kind, right, child, start, size in entries:
        encoded = str(name).encode("utf-16-le")
        rows += struct.pack(
            "<64sHBBIII16sI16sIII", encoded, len(encoded) + 2, kind, 1, _NONE, right, child, b"", 0, b"", start, size, 0
        )  # fmt: skip
    directory = put(rows)
    tables = -(-(len(fat) + 2) // 128)
    first = len(sectors)
    fat += [_FAT] * tables
    fat += [_FREE] * (tables * 128 - len(fat))
    listed = [*range(first, first + tables), *[_FREE] * (109 - tables)]
    head = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, tables,
        directory, 0, _LEAST_BYTES, _END, 0, _END, 0,
    )  # fmt: skip
    return (
        head
        + struct.pack("<109I", *listed)
        + b"".join(sectors)
        + struct.pack(f"<{len(fat)}I", *fat)
    )


def xls(rows: list[list[str | float]], name: str = "Sums", *, is_hidden: bool = False) -> bytes:
    """Return a workbook of one sheet (BIFF8)."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    def text(value: str, length: str) -> bytes:
        return struct.pack(f"<{length}B", len(value), 1) + value.encode("utf-16-le")

    begin = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 6))
    of_sheet = record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 6))
    end = record(0x0A, b"")
    sheet = of_sheet
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            place = struct.pack("<HHH", r, c, 0)
            if isinstance(value, str):
                sheet += record(0x204, place + text(value, "H"))
            else:
                sheet += record(0x203, place + struct.pack("<d", value))
    listed = struct.pack("<BB", int(is_hidden), 0) + text(name, "B")
    before = len(begin) + 8 + len(listed) + len(end)
    return ole(
        {"Workbook": begin + record(0x85, struct.pack("<I", before) + listed) + end + sheet + end}
    )


def msg(
    texts: Mapping[int, str | bytes],
    people: list[tuple[int, str, str]] = [],  # noqa: B006 - it is not changed
    files: Mapping[str, bytes | Folder] = {},
    *,
    sent: int = 0,
    depth: int = 0,
) -> bytes | Folder:
    """Return a message of Outlook; with `depth` the storage of one that is attached to another."""
    folder: dict[str, bytes | Folder] = dict(_streams(texts))
    fixed = struct.pack("<HHIQ", 0x40, 0x39, 6, sent) if sent else b""
    folder["__properties_version1.0"] = bytes(24 if depth else 32) + fixed
    for n, (kind, name, address) in enumerate(people):
        row = struct.pack("<HHIQ", 3, 0x0C15, 6, kind)
        person = {
            **_streams({0x3001: name, 0x39FE: address}),
            "__properties_version1.0": bytes(8) + row,
        }
        folder[f"__recip_version1.0_#{n:08}"] = person
    for n, (name, content) in enumerate(files.items()):
        held = _streams({0x3707: name})
        inner = "__substg1.0_37010102" if isinstance(content, bytes) else "__substg1.0_3701000D"
        held = {**held, inner: content, "__properties_version1.0": bytes(8)}
        folder[f"__attach_version1.0_#{n:08}"] = held
    return folder if depth else ole(folder)


def _streams(texts: Mapping[int, str | bytes]) -> dict[str, bytes | Folder]:
    return {
        f"__substg1.0_{key:04X}{'0102' if isinstance(value, bytes) else '001F'}":
        value if isinstance(value, bytes) else value.encode("utf-16-le")
        for key, value in texts.items()
    }  # fmt: skip
