"""Dialogues as text for training: ParlAI's two formats, and DialoGPT's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.messages import Place, quoted
from rejoinder.tables.assembly.gathered import GatheredItems, spoken
from rejoinder.tables.format import Asked, FileHead, Format, Shape
from rejoinder.tables.parts import TestSetDraft

_NUMBERED = re.compile(r"(\d+) (.*)")
_WEIGHT = re.compile(r"^[01]\.\d+ ")
_ENDED = re.compile(r"""[.?!…。！？]["'”’)」]?$""")
_END = " EOS "


def read_parlai(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """ParlAI's text: an item for each example with labels; the context is its episode so far.

    Raises:
        InputError: A line has no text, or a field without a name or twice.
    """
    items = _Episodes()
    for place, line in _lines(paths):
        fields: dict[str, str] = {}
        for cell in line.split("\t"):
            name, colon, value = cell.partition(":")
            if not colon or name in fields:
                raise InputError(
                    f"{place}: got {quoted(cell)}; expected fields NAME:VALUE parted by tabs, each once"
                )
            fields[name] = value.replace("\\n", "\n")
        if "text" not in fields:
            raise InputError(
                f"{place}: no field 'text'; expected text:..., labels:... parted by tabs"
            )
        labels = fields.get("labels", fields.get("eval_labels", ""))
        items.add(fields["text"], labels.split("|"), place)
        if fields.get("episode_done", "").strip().lower() == "true":
            items.end()
    return items.items.draft()


def read_fbdialog(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """The numbered lines of fbdialog: an item for each with labels; an episode begins at number 1.

    A line without labels stands before the text of the next one, as ParlAI gives it to a model.

    Raises:
        InputError: The number of a line is not the next one.
    """
    items, before, last = _Episodes(), "", 0
    for place, line in _lines(paths):
        match = _NUMBERED.fullmatch(line)
        number = int(match[1]) if match else 0
        if match is None or number not in (1, last + 1):
            raise InputError(
                f"{place}: got {quoted(line)}; expected the number {last + 1}, or 1 for another episode"
            )
        if number == 1:
            items.end()
            before = ""
        last = number
        text, *more = match[2].split("\t")
        text = f"{before}\n{text}" if before else text
        if not more or not more[0]:
            before = text
            continue
        before = ""
        items.add(text.replace("\\n", "\n"), more[0].split("|"), place)
    return items.items.draft()


def read_dialogpt(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """DialoGPT's lines: turns parted by EOS, a tab, and the reply; further cells are references too.

    What looks like a weight is one where each utterance has one.

    Raises:
        InputError: A line has no tab.
    """
    items = GatheredItems()
    lines = [(place, _utterances(line)) for place, line in _lines(paths)]
    weighted = all(map(_are_weighted, (utterances for _, utterances in lines)))
    for number, (place, utterances) in enumerate(lines, start=1):
        turns, references = (
            [_WEIGHT.sub("", each, count=1) if weighted else each for each in part]
            for part in utterances
        )
        if not references:
            raise InputError(f"{place}: no tab; expected the turns, a tab, and the reply")
        items.add(str(number), turns, spoken(references, "original"), place)
    return items.draft()


def _is_fbdialog(head: FileHead) -> bool:
    lines = head.text.split("\n")[:-1] or [head.text]
    return (
        "\t" in head.text
        and head.text.startswith("1 ")
        and all(map(_NUMBERED.match, filter(None, lines)))
    )


def _utterances(line: str) -> tuple[list[str], list[str]]:
    """The turns and the replies of a line of DialoGPT."""
    source, *targets = line.split("\t")
    return source.split(_END), targets


def _are_weighted(utterances: tuple[list[str], list[str]]) -> bool:
    return all(_WEIGHT.match(each) for part in utterances for each in part)


def _is_dialogpt(head: FileHead) -> bool:
    """Whether the first line has turns and replies, with weights, or EOS there or below.

    What is called a table has no names of columns where all cells of its first line end in a mark.
    """
    utterances = _utterances(head.text.partition("\n")[0].rstrip("\r"))
    cells = [each for part in utterances for each in part]
    if not utterances[1]:
        return False
    ended = head.container == "tsv" and all(map(_ENDED.search, cells))
    return ended or _END in head.text or _are_weighted(utterances)


FORMATS = (
    Format(
        "parlai",
        "ParlAI's text: lines of text:..., labels:... and episode_done:..., parted by tabs",
        [
            Shape(
                "text",
                ("\t",),
                lambda head: re.match(r"(text|id|labels):[^\n]*\t\w+:", head.text) is not None,
            )
        ],
        {"test set": read_parlai},
    ),
    Format(
        "fbdialog",
        "fbdialog: numbered lines of a text, a tab and its labels (ParlAI, bAbI, Persona-Chat)",
        [Shape("text", also=_is_fbdialog)],
        {"test set": read_fbdialog},
    ),
    Format(
        "dialogpt",
        "DialoGPT's lines: the turns parted by EOS, a tab and the reply; there is no header",
        [Shape(each, also=_is_dialogpt) for each in ("tsv", "text")],
        {"test set": read_dialogpt},
    ),
)


class _Episodes:
    """Items that are numbered from 1, each with the turns of its episode before it."""

    def __init__(self) -> None:
        self.items = GatheredItems()
        self._turns: list[str] = []
        self._items, self._episode = 0, 1

    def add(self, text: str, labels: list[str], place: Place) -> None:
        """Adds a text and the answers to it, of which the first one is said."""
        self._turns.append(text)
        labels = [label for label in labels if label.strip()]
        if labels:
            self._items += 1
            references = spoken(labels, "original")
            self.items.add(
                str(self._items), list(self._turns), references, place, str(self._episode)
            )
            self._turns.append(labels[0])

    def end(self) -> None:
        """Another episode begins."""
        self._episode += bool(self._turns)
        self._turns = []


def _lines(paths: Sequence[Path]) -> Iterator[tuple[Place, str]]:
    """The lines that are not blank, with their places."""
    for path in paths:
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            if line.strip():
                yield Place(str(path), number), line.removesuffix("\r")
