"""Inspect: a log as ``.eval`` (a zip archive of JSON) or as ``.json``."""

from __future__ import annotations

import io
import itertools
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.files.packed import unpacking
from rejoinder.files.reading import decode, read_bytes, read_text, suffix_of
from rejoinder.messages import Place, quoted
from rejoinder.tables.format import Shape
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.logs.role_messages import text_of, turns_of
from rejoinder.tables.logs.samples import (
    Sample,
    expected_keys,
    log_format,
    name_of,
    number_of,
    objects_of,
    texts_of,
    value_of,
    with_keys,
)
from rejoinder.tables.notes import left_out

MOST = 1 << 29
"""Bytes that one file in the archive may unpack to."""

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partial, no answer
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ATTACHMENT = "attachment://"
_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity')
_ZSTD = 93  # what PKWARE's specification calls it
_COPY = "copy or download it again"


def read(path: Path) -> list[Sample]:
    """A sample for each epoch of each sample of the log, with the scores of all scorers.

    A grade is a number: ``C`` 1, ``P`` 0.5, ``I`` and ``N`` 0, yes and true 1, no and false 0. A score
    of several values has a name for each: ``<scorer>/<key>``. NaN, which inspect_ai writes where a
    scorer could not score a sample, is a missing value of each of them.
    """
    head, samples = _json_log(path) if suffix_of(path) == ".json" else _archive(path)
    task = head.get("eval")
    expected_keys(f"{path}, eval", ("model",), task)
    assert isinstance(task, dict)
    model = name_of(task, "model", f"{path}, eval")
    rows = with_keys(path, enumerate(samples, start=1), ("id", "input", "output"))
    return _with_all_keys([_sample(sample, model, where) for where, sample in rows])


FORMAT = log_format(
    "inspect",
    "Inspect (inspect_ai): .eval and .json logs with inputs, targets, replies and scores",
    (
        Shape("zip", also=lambda head: head.suffix == ".eval"),
        Shape("json object", ('"status"', '"eval"', '"run_id"')),
        Shape("json object", columns=("status eval{} samples",)),
    ),
    read,
)


def _sample(sample: dict[str, Any], model: str, where: Place) -> Sample:
    attached = value_of(sample, "attachments", dict, where) or {}
    output = value_of(sample, "output", dict, where) or {}
    reply = value_of(output, "completion", str, where)
    choices = objects_of(output, "choices", where)
    if not reply and choices:
        said = (value_of(choices[0], "message", dict, where) or {}).get("content")
        reply = reply if said is None else text_of(said, where)
    failed = sample.get("error") or (not choices and not reply)
    scores: dict[str, float | None] = {}
    for name, score in (value_of(sample, "scores", dict, where) or {}).items():
        scores |= _values(name, score.get("value") if isinstance(score, dict) else score)
    return Sample(
        name_of(sample, "id", where),
        model,
        where,
        None if failed or reply is None else _resolved(reply, attached, where),
        [_resolved(turn, attached, where) for turn in turns_of(sample["input"], where)],
        texts_of(sample.get("target")),
        scores,
        value_of(sample, "epoch", int, where) or 1,
    )


def _with_all_keys(samples: list[Sample]) -> list[Sample]:
    """A score of several values that a sample could not be given lacks each of them."""
    keys: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for each in samples for name in each.scores):
        scorer, slash, _ = name.rpartition("/")
        if slash:
            keys.setdefault(scorer, []).append(name)
    unscored = {name for name in keys if any(each.scores.get(name, 0) is None for each in samples)}
    if not unscored:
        return samples
    return [
        replace(
            each,
            scores={
                key: value
                for name, value in each.scores.items()
                for key in (keys[name] if name in unscored and value is None else [name])
            },
        )
        for each in samples
    ]


def _values(name: str, value: Any) -> dict[str, float | None]:
    """The numbers of a score: one, or one for each key of an object or place of a list."""
    if isinstance(value, dict):
        return {f"{name}/{key}": _value(each) for key, each in value.items()}
    if isinstance(value, list):
        return {f"{name}/{place}": _value(each) for place, each in enumerate(value)}
    return {name: _value(value)}


def _value(value: Any) -> float | None:
    if not isinstance(value, str):
        return number_of(value)
    if value in _GRADES:
        return _GRADES[value]
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    return number_of(value)


def _resolved(text: str, attached: dict[str, Any], where: Place) -> str:
    """A long text stands apart, under its hash."""
    if text.startswith(_ATTACHMENT):
        return value_of(attached, text.removeprefix(_ATTACHMENT), str, where) or text
    return text


def _json_log(path: Path) -> tuple[dict[str, Any], Iterator[Any]]:
    value = _decoded(read_text(path), str(path))
    return value, iter(value_of(value, "samples", list, str(path)) or [])


def _archive(path: Path) -> tuple[dict[str, Any], Iterator[Any]]:
    """The header of an archive and its samples; members are read by name, within bounds."""
    data = read_bytes(path)
    with unpacking(str(path), "log", _COPY):
        archive = zipfile.ZipFile(io.BytesIO(data))  # once: opening reads the list of all members
        names = archive.namelist()
    head = next((n for n in ("header.json", "_journal/start.json") if n in names), None)
    if head is None:
        raise InputError(f"{path}: no header.json in the archive; expected a log of inspect_ai")
    inside = [n for n in names if n.startswith("samples/") and not n.endswith("/")]
    members = sorted((n for n in inside if n.endswith(".json")), key=_in_order)
    left_out(path, len(inside) - len(members), "file", "in samples/ other than .json")
    if twice := next((a for a, b in itertools.pairwise(members) if a == b), None):
        raise InputError(f"{path}: {quoted(twice)} is in the archive twice; copy the log again")
    return _member(archive, data, head, path), (
        _member(archive, data, name, path) for name in members
    )


def _in_order(name: str) -> list[tuple[int, str]]:
    """What puts ``2_epoch_1`` before ``10_epoch_1``."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def _member(archive: zipfile.ZipFile, data: bytes, name: str, path: Path) -> dict[str, Any]:
    where = f"{path}: {name}"
    with unpacking(where, "log", _COPY):
        info = archive.getinfo(name)
        if info.file_size > MOST:
            raise InputError(f"{where}: more than {MOST >> 20} MiB; write the log as .json")
        content = _zstd(data, info) if info.compress_type == _ZSTD else archive.read(name)
    return _decoded(decode(content, where), where)


def _zstd(data: bytes, info: zipfile.ZipInfo) -> bytes:
    """The content of a member that is packed by zstd, which ``zipfile`` does not unpack."""
    import pyarrow as pa

    # of its name and extra field
    lengths = struct.unpack_from("<HH", data, info.header_offset + 26)
    start = info.header_offset + 30 + sum(lengths)
    packed = data[start : start + info.compress_size]
    content = pa.decompress(packed, info.file_size, codec="zstd", asbytes=True)
    assert isinstance(content, bytes)
    if zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile("a wrong checksum")
    return content


def _decoded(text: str, where: str) -> dict[str, Any]:
    expected = "expected a log of inspect_ai; copy it again"
    try:
        value = json_value(text, where, expected)
    except InputError:
        finite = _CONSTANT.sub(lambda found: found[0] if found[0][0] == '"' else "null", text)
        if finite == text:
            raise
        value = json_value(finite, where, expected)
    if not isinstance(value, dict):
        raise InputError(f"{where}: no object; expected a log of inspect_ai; copy it again")
    return value
