"""DailyDialog (Li et al. 2017), and what others added to it.

- the splits: one dialogue per line, every utterance ended by ``__eou__``;
- its test split with five references per turn, and rated replies (Gupta et al. 2019);
- DailyDialog++ (Sai et al. 2020): five good replies per context, five adversarial, five random.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.packed import unpacking
from rejoinder.files.reading import decode, read_bytes, suffix_of
from rejoinder.messages import Argument, Place, quoted
from rejoinder.tables.assembly.gathered import GatheredItems, RatedReply, RatingRows, spoken
from rejoinder.tables.assembly.long_or_wide import MEAN, OVERALL
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format, Shape
from rejoinder.tables.io.delimited import read_csv
from rejoinder.tables.io.json_lines import read_objects, records
from rejoinder.tables.parts import Draft, Part, TestSetDraft
from rejoinder.tables.schemas import RESPONSES

_END = "__eou__"
_REFERENCES, _RATED = "multireftest.json", "mturk_rating_processed_output.csv"
_OBJECTS = re.compile(r'"dialogue"\s*:\s*\[\s*\{')
_TURN = re.compile(r"\d+_\d+")
"""The id of an item: the dialogue and the turn in it."""


def read_splits(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One item per pair of adjacent utterances, ``<dialogue>_<turn>``, both counted from 0.

    The context is all turns up to and including that turn, the reference is the next one.

    Raises:
        InputError: There is a second file.
    """
    if len(paths) > 1:
        raise InputError(f"{paths[1]}: a second file; expected one split of DailyDialog")
    name, dialogues = _dialogues(paths[0])
    items = GatheredItems()
    for index, (number, turns) in enumerate(dialogues):
        for turn in range(len(turns) - 1):
            reply = spoken([turns[turn + 1]], "original")
            items.add(f"{index}_{turn}", turns[: turn + 1], reply, Place(name, number), str(index))
    return items.draft()


def _dialogues(path: Path) -> tuple[str, list[tuple[int, list[str]]]]:
    """The dialogues of a split: the name of the text, and per dialogue its row and utterances.

    Raises:
        InputError: The file is unsound, or a line holds no ended utterance.
    """
    name, text = _text(path)
    dialogues = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        *utterances, rest = line.split(_END)
        if not utterances or rest.strip():
            raise InputError(
                f"{name}, row {number}: the line does not end in {_END}; expected every utterance "
                "of a dialogue to end in it, one dialogue per line"
            )
        dialogues.append((number, [utterance.strip() for utterance in utterances]))
    return name, dialogues


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


class _Turn(msgspec.Struct):
    text: str
    responses: list[str] = []


class _Dialogue(msgspec.Struct):
    dialogue: list[_Turn]
    topic: str | None = None


def read_multiref(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """The JSON's items ``<dialogue>_<turn>``, or the items of the CSV of rated replies.

    Raises:
        InputError: There is a second file.
    """
    if len(paths) > 1:
        raise InputError(f"{paths[1]}: a second file; expected the JSON or the CSV alone")
    path = paths[0] / _REFERENCES if paths[0].is_dir() else paths[0]
    return _rated_testset(_rated(path)) if suffix_of(path) == ".csv" else _json_testset(path)


def read_rated_replies(path: Path, asked: Asked) -> Draft:
    """The replies of all systems of the CSV, people (``human``) among them.

    Raises:
        InputError: The file is the test set.
    """
    if suffix_of(path) != ".csv":
        raise InputError(
            f"{path}: this is a test set, expected responses; the rated replies stand in the CSV, "
            f"those of hredf.txt are plain text ({Argument('format', 'text')})"
        )
    table = _rated(path)
    columns = (table.values("model"), table.values("context_id"), table.values("response"))
    frame = pl.DataFrame(dict(zip(RESPONSES, columns, strict=True)), schema=RESPONSES)
    return Draft.of(table.name, table.numbers, frame)


def read_ratings(path: Path, asked: Asked) -> Draft:
    """The mean ratings of the replies of all systems, people (``human``) among them."""
    table = read_csv(path / _RATED if path.is_dir() else path)
    names = ("model", "context_id", "human_average_rating")
    require(names, table.frame.columns, table.name, renamed=False)
    rows = RatingRows(path)
    cells = (table.values(name) for name in names)
    for number, system, item, cell in zip(table.numbers, *cells, strict=True):
        rows.add(Place(table.name, number), RatedReply(system, item), MEAN, OVERALL, cell)
    return rows.draft()


def _json_testset(path: Path) -> TestSetDraft:
    items = GatheredItems()
    for index, (place, dialogue) in enumerate(records(path, read_objects(path), _Dialogue)):
        turns = [turn.text for turn in dialogue.dialogue]
        for number, turn in enumerate(dialogue.dialogue):
            if not turn.responses:
                continue  # the last turn of a dialogue has no answer
            first, *others = turn.responses
            references = spoken([first], "original") + spoken(others, "collected")
            name = f"{index}_{number}"
            about = {"topic": dialogue.topic}
            items.add(name, turns[: number + 1], references, place, str(index), about)
    return items.draft()


def _rated_testset(table: Part) -> TestSetDraft:
    items = GatheredItems()
    seen: dict[str, tuple[str, str, str]] = {}
    columns = (table.values(name) for name in ("context_id", "prevgt", "all_references", "context"))
    for number, name, original, joined, context in zip(table.numbers, *columns, strict=True):
        item = (original, joined, context)
        if name in seen:
            if seen[name] != item:
                raise InputError(
                    f"{table.name}, row {number}: context_id {quoted(name)} has another context or other "
                    "references than in its first row; expected the same for every model"
                )
            continue
        seen[name] = item
        others = [text for text in joined.split("\t") if text != original]
        references = spoken([original], "original") + spoken(others, "collected")
        dialogue = name.rpartition("_")[0] if _TURN.fullmatch(name) else None
        items.add(name, context.split("||||"), references, Place(table.name, number), dialogue)
    return items.draft()


def _rated(path: Path) -> Part:
    table = read_csv(path)
    columns = ("model", "context_id", "response", "prevgt", "all_references", "context")
    require(columns, table.frame.columns, str(path), renamed=False)
    return table


class _Item(msgspec.Struct):
    id: str | int
    context: list[str]
    positive_responses: list[str]
    adversarial_negative_responses: list[str] = []
    random_negative_responses: list[str] = []


def read_plusplus(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """Good replies weigh 1, adversarial and random ones -1; the source says which is which."""
    items = GatheredItems()
    for path in paths:
        for place, item in records(path, read_objects(path), _Item):
            references = [
                *spoken(item.positive_responses, "positive", 1.0),
                *spoken(item.adversarial_negative_responses, "adversarial", -1.0),
                *spoken(item.random_negative_responses, "random", -1.0),
            ]
            items.add(str(item.id), item.context, references, place)
    return items.draft()


FORMATS = (
    Format(
        "dailydialog",
        "DailyDialog's official splits (zip or txt): every turn is answered by the next",
        (
            Shape("folder", ("dialogues_*.txt",)),
            Shape("zip", ("dialogues_",)),
            Shape("text", (_END,), lambda head: head.suffix == ".txt"),
        ),
        {"test set": read_splits},
    ),
    Format(
        "dailydialog-multiref",
        "DailyDialog with five references per turn (json), or its rated replies (csv)",
        (
            Shape("folder", (_REFERENCES,)),
            Shape("folder", (_RATED,)),
            Shape("csv", ("context_id", "all_references")),
            Shape("csv", ("context_id", "human_average_rating")),
            Shape("json object", ('"responses"',), lambda head: bool(_OBJECTS.search(head.text))),
        ),
        {"test set": read_multiref, "responses": read_rated_replies, "ratings": read_ratings},
        holds_all=lambda path: suffix_of(path) == ".csv",
    ),
    Format(
        "dailydialog++",
        "DailyDialog++ (jsonl): good replies weigh 1, adversarial and random ones -1",
        [Shape("json object", ('"positive_responses"',))],
        {"test set": read_plusplus},
    ),
)
