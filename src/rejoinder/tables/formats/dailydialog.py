"""DailyDialog (Li et al. 2017): one dialogue per line, every utterance ended by ``__eou__``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.packed import unpacking
from rejoinder.files.reading import decode, read_bytes, suffix_of
from rejoinder.tables.assembly.items import Items, spoken
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.origin import TestSetDraft

END = "__eou__"


def recognise(path: Path, first: bytes) -> bool:
    """An official zip, the text file in it, or the folder that it unpacks to."""
    if path.is_dir():
        return any(path.glob("dialogues_*.txt"))
    if first.startswith(b"PK\x03\x04"):
        return b"dialogues_" in first
    return END.encode() in first and suffix_of(path) == ".txt"


def read_dialogues(path: Path) -> tuple[str, list[tuple[int, list[str]]]]:
    """The dialogues of a split: the name of the text, and per dialogue its row and utterances.

    Raises:
        InputError: the file is unsound, or a line holds no ended utterance.
    """
    name, text = _text(path)
    dialogues = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        *utterances, rest = line.split(END)
        if not utterances or rest.strip():
            raise InputError(
                f"{name}, row {number}: the line does not end in {END}; expected every utterance "
                "of a dialogue to end in it, one dialogue per line"
            )
        dialogues.append((number, [utterance.strip() for utterance in utterances]))
    return name, dialogues


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One item per pair of adjacent utterances, ``<dialogue>_<turn>``, both counted from 0.

    The context is all turns up to and including that turn, the reference is the next one.
    """
    if len(paths) > 1:
        raise InputError(f"{paths[1]}: a second file; expected one split of DailyDialog")
    name, dialogues = read_dialogues(paths[0])
    items = Items()
    for index, (number, turns) in enumerate(dialogues):
        for turn in range(len(turns) - 1):
            reply = spoken([turns[turn + 1]], "original")
            items.add(f"{index}_{turn}", turns[: turn + 1], reply, (name, number), str(index))
    return items.draft()


FORMAT = Format(
    "dailydialog",
    "DailyDialog's official splits (zip or txt): every turn is answered by the next",
    recognise,
    {"test set": read_testset},
)


def _text(path: Path) -> tuple[str, str]:
    if path.is_dir():
        splits = [p for p in sorted(path.glob("dialogues_*.txt")) if _is_text(p.name)]
        if len(splits) != 1:
            raise InputError(f"{path}: {len(splits)} files dialogues_*.txt; name the one to read")
        path = splits[0]
    data = read_bytes(path)
    if not data.startswith(b"PK\x03\x04"):
        return str(path), decode(data, str(path))
    return _unzipped(path, data)


def _unzipped(path: Path, data: bytes) -> tuple[str, str]:
    import io
    import zipfile

    with (
        unpacking(str(path), "zip archive", "fetch it again"),
        zipfile.ZipFile(io.BytesIO(data)) as archive,
    ):
        members = [n for n in archive.namelist() if _is_text(n.rsplit("/", 1)[-1])]
        content = archive.read(members[0]) if len(members) == 1 else b""
    if len(members) != 1:
        raise InputError(
            f"{path}: {len(members)} files dialogues_*.txt in the archive, expected one; unpack it "
            "and name the one to read"
        )
    name = f"{path}: {members[0]}"
    return name, decode(content, name)


def _is_text(name: str) -> bool:
    """Whether this is the text of a split, and not its acts or emotions beside it."""
    return (
        name.startswith("dialogues_")
        and name.endswith(".txt")
        and not name.startswith(("dialogues_act_", "dialogues_emotion_", "dialogues_topic"))
    )
