"""Files that are damaged at random, and small whole files of every format to begin with."""

from __future__ import annotations

import io
import json
import random
import zipfile

import polars as pl
import pyarrow as pa

SPLINTERS = [
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\n", b"\t", b",", b'"', b"\\", b"[",
    b"{", b"}", b"null", b"NaN", b"1e999", b"-7", b"\\ud800", b"\xe2\x80\xa8", b"__eou__", b'"id"',
    b"true", b"9" * 30, b"[" * 3000, b"\x1f\x8b", b"PAR1", b"PK\x03\x04", b" ", b"nan", b"0_1",
    b"\x1b[2J", b"[/x]", b"[bold]", b"\xe2\x80\xae", b"=1+1", b"c1", b"a", b"0", b"5",
]  # fmt: skip


def damaged(draw: random.Random, content: bytes) -> bytes:
    """The content after a few random cuts, copies, insertions and flips."""
    data = bytearray(content)
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3, 8))):
        start = draw.randrange(len(data) + 1)
        end = min(len(data), start + draw.choice((1, 2, 8, 64)))
        match draw.randrange(6):
            case 0:
                del data[start:end]
            case 1:
                data[start:start] = data[start:end]
            case 2:
                data[start:start] = draw.choice(SPLINTERS)
            case 3:
                data[start:end] = draw.choice(SPLINTERS)
            case 4:
                if data:
                    data[start % len(data)] = draw.randrange(256)
            case 5:
                if not draw.randrange(4):
                    del data[start:]
    return bytes(data)


def rows(*objects: object) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects).encode()


def parquet(columns: dict[str, list]) -> bytes:
    """A Parquet file of columns."""
    data = io.BytesIO()
    pl.DataFrame(columns).write_parquet(data)
    return data.getvalue()


def saved_to_disk(columns: dict[str, list]) -> dict[str, bytes]:
    """The files of a folder of Hugging Face's ``save_to_disk``, by name."""
    data, table = io.BytesIO(), pl.DataFrame(columns).to_arrow(compat_level=pl.CompatLevel.oldest())
    with pa.ipc.new_stream(data, table.schema) as stream:
        stream.write_table(table)
    name = "data-00000-of-00001.arrow"
    state = {"_data_files": [{"filename": name}], "_fingerprint": "6d", "_split": None}
    return {
        name: data.getvalue(),
        "state.json": json.dumps(state).encode(),
        "dataset_info.json": b"{}",
    }


def archive(name: str, content: str) -> bytes:
    """A zip archive of one file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return data.getvalue()
