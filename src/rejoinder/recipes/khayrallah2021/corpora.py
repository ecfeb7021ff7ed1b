"""The corpora of the recipe: from the published splits to what is trained on and asked about.

They are made once and kept in the run's folder, as plain test sets: a run that is taken up again
reads these, and no other run's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rejoinder.corpora.entropy_filter import filter_by_entropy
from rejoinder.corpora.pairs import Pairs, adjacent_pairs
from rejoinder.errors import InputError
from rejoinder.files.checksums import with_checksum, without_checksum
from rejoinder.files.content import sha256
from rejoinder.files.replacing import made_folder, write_json
from rejoinder.files.run_identity import another_run, as_kept, differences
from rejoinder.messages import counted
from rejoinder.recipes.khayrallah2021.settings import CORPORA, Settings
from rejoinder.tables.testset import TestSet, read_testset
from rejoinder.tables.write import write_testset
from rejoinder.text.detokenize import plain

SPLITS = ("train", "validation", "test")
RUN = "run.json"
Tell = Callable[[str, int, int], None]
"""Told what is being done, how much of it, and of how much."""


@dataclass(frozen=True)
class Corpora:
    """What a run works on, all of it detokenised and recased.

    Attributes:
        trained: By corpus (``DD``, ``EF``) the pairs to train on.
        validation: The pairs whose loss chooses the epoch.
        test: Test prompts, each its message alone, and references, the original one first.
        several: Whether the test set has several references for each item.
        notes: How the corpora were made.
    """

    trained: dict[str, Pairs]
    validation: Pairs
    test: TestSet
    several: bool
    notes: tuple[str, ...]


def corpora(
    data: Path, multiref: Path | None, folder: Path, settings: Settings, seed: int, tell: Tell
) -> Corpora:
    """Makes the corpora of a run in its folder, or reads those that are there.

    Args:
        data: The folder of DailyDialog's splits (``train.zip``, ``validation.zip``, ``test.zip``).
        multiref: The references of Gupta et al. (2019) for the test split; None: single ones alone.
        folder: Folder of the run.
        settings: Settings, which say how many pairs are sampled.
        seed: Random seed.
        tell: Called with what is being done, and how far it is.

    Raises:
        InputError: A split is not there; the references are of other dialogues; the folder holds
            another run.
    """
    paths = {split: _split(data, split) for split in SPLITS}
    if multiref is not None:
        if not multiref.exists():
            raise InputError(f"{multiref}: no such file; expected the test set's references")
        paths["multiref"] = multiref
    identity = {
        "settings": settings.as_json(),
        "seed": seed,
        "inputs": {name: _hash(path) for name, path in paths.items()},
    }
    saved = _kept(folder, identity)
    if saved is None:
        tell("reading", 0, 0)
        _write(folder, identity, _made(paths, settings, seed, tell))
        saved = _kept(folder, identity)
        assert saved is not None
    return saved


def _split(data: Path, split: str) -> Path:
    """The file or folder of a split.

    Raises:
        InputError: There is none, or several.
    """
    paths = sorted(path for path in data.glob(f"{split}*") if path.name.split(".")[0] == split)
    if len(paths) != 1:
        raise InputError(
            f"{data}: {len(paths)} files '{split}.*'; expected DailyDialog's splits, train.zip, "
            "validation.zip and test.zip, one of each"
        )
    return paths[0]


def _hash(path: Path) -> str:
    if path.is_dir():
        inside = [each for each in sorted(path.rglob("*")) if each.is_file()]
        return " ".join(sha256(each)[:16] for each in inside)
    return sha256(path)[:16]


def _made(paths: Mapping[str, Path], settings: Settings, seed: int, tell: Tell) -> Corpora:
    rewrite = cache(plain)  # most turns are a message and a reply
    pairs = {split: adjacent_pairs(read_testset(paths[split])) for split in SPLITS}
    tell("detokenising", 0, 0)
    train = pairs["train"].map(rewrite)
    notes = [f"train: {note}" for note in train.notes]
    dd, drawn_note = _drawn(train, settings.pairs, [seed, 0])
    notes.append(f"DD: {drawn_note}")
    tell("filtering", 0, 0)
    # The filter sees the whole corpus: in a part of it a generic reply has few different messages.
    filtered = filter_by_entropy(train, settings.side, settings.threshold).kept
    survivors = set(filtered.ids)
    ef = dd.take(np.array([i for i, id in enumerate(dd.ids) if id in survivors], dtype=np.int64))
    notes.append(
        f"EF: {len(dd) - len(ef)} of DD's {len(dd)} pairs left out by the entropy filter "
        f"({settings.side} above {settings.threshold} bits over all {len(train)} pairs)"
    )
    test, several, drawn_note = _test(paths.get("multiref"), pairs["test"], rewrite)
    chosen, words = _drawn_ids(test.ids, settings.test_prompts, [seed, 1])
    test = test.select(chosen)
    notes += [f"test: {words}", *drawn_note]
    asked = set(chosen)
    original = pairs["test"].take(
        np.array([i for i, id in enumerate(pairs["test"].ids) if id in asked], dtype=np.int64)
    )
    seen = len(original) - len(original.without(dd))
    notes.append(f"test: {seen} of its {len(original)} pairs stand in DD too, and are left in")
    return Corpora(
        {"DD": dd, "EF": ef}, pairs["validation"].map(rewrite), test, several, tuple(notes)
    )


def _drawn(pairs: Pairs, count: int, seed: list[int]) -> tuple[Pairs, str]:
    places = np.arange(len(pairs))
    if not 0 < count < len(pairs):
        return pairs, f"all {len(pairs)} pairs of the training split"
    places = np.sort(np.random.default_rng(seed).permutation(len(pairs))[:count])
    return pairs.take(places), f"{count} of {len(pairs)} pairs drawn at random"


def _drawn_ids(ids: list[str], count: int, seed: list[int]) -> tuple[list[str], str]:
    if not 0 < count < len(ids):
        return ids, f"all {len(ids)} prompts"
    places = np.sort(np.random.default_rng(seed).permutation(len(ids))[:count])
    return [ids[place] for place in places], f"{count} of {len(ids)} prompts drawn at random"


def _test(
    multiref: Path | None, pairs: Pairs, rewrite: Callable[[str], str]
) -> tuple[TestSet, bool, list[str]]:
    """The test prompts with the original reply first, then those that were collected."""
    references = {id: [rewrite(text)] for id, text in zip(pairs.ids, pairs.targets, strict=True)}
    notes = []
    if multiref is not None:
        items = read_testset(multiref)
        _check_same(pairs, adjacent_pairs(items), multiref)
        empty = 0
        first = dict.fromkeys(items.ids, True)
        for id, text in items.references.select("id", "text").iter_rows():
            original, first[id] = first[id], False
            if original:
                continue  # the split has it with its capital letters
            empty += not text.strip()
            if text.strip():
                references[id].append(rewrite(text))
        if empty:
            notes.append(f"test: {counted(empty, 'empty reference')} left out")
    messages = [[rewrite(text)] for text in pairs.sources]
    testset = TestSet.from_lists(
        [references[id] for id in pairs.ids], contexts=messages, ids=pairs.ids
    )
    return testset, multiref is not None, notes


def _check_same(pairs: Pairs, others: Pairs, path: Path) -> None:
    """Raises an InputError where the references are not those of the test split's pairs."""
    known = dict(zip(others.ids, range(len(others)), strict=True))
    shared = [id for id in pairs.ids if id in known]
    differing = len(pairs) - len(shared)
    if not differing and len(others) == len(pairs):
        picked = others.take(np.array([known[id] for id in pairs.ids], dtype=np.int64))
        differing = len(pairs.without(picked))
    if differing or len(others) != len(pairs):
        raise InputError(
            f"{path}: {len(others)} pairs, of which {len(pairs) - differing} are among the test "
            f"split's {len(pairs)}; expected references for that split's pairs, with the same ids"
        )


def _write(folder: Path, identity: dict[str, Any], result: Corpora) -> None:
    """Writes the corpora, and at last what says that they are whole."""
    made_folder(folder / "corpora")
    named = {**result.trained, "validation": result.validation}
    for name, pairs in named.items():
        write_testset(pairs.as_testset(), _path(folder, name))
    write_testset(result.test, _path(folder, "test"))
    hashes = {name: sha256(_path(folder, name)) for name in (*named, "test")}
    document = {**identity, "several": result.several, "notes": result.notes, "corpora": hashes}
    write_json(folder / RUN, with_checksum(as_kept(document)), sort_keys=True)


def _kept(folder: Path, identity: Mapping[str, Any]) -> Corpora | None:
    """The corpora that are there; None where there are none yet.

    Raises:
        InputError: The files are of another run.
    """
    path = folder / RUN
    if not path.exists():
        return None
    try:
        document = without_checksum(path.read_bytes())
        recorded = {key: document.get(key) for key in identity}
        notes, several = tuple(document["notes"]), bool(document["several"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"{path}: cut, altered, or no run of this recipe; name another folder"
        ) from None
    if recorded != as_kept(identity):
        remedy = "name another folder, or remove this one to start anew"
        raise another_run(folder, "the corpora", differences(recorded, identity), remedy)
    _check(folder, document.get("corpora"))
    trained = {name: _pairs(_path(folder, name)) for name in CORPORA}
    test = read_testset(_path(folder, "test"))
    return Corpora(trained, _pairs(_path(folder, "validation")), test, several, notes)


def _check(folder: Path, hashes: Any) -> None:
    """Compares the corpora with their hashes.

    Raises:
        InputError: A file is missing, cut or altered.
    """
    for name in (*CORPORA, "validation", "test"):
        path = _path(folder, name)
        if not path.is_file() or sha256(path) != (hashes or {}).get(name):
            raise InputError(
                f"{path}: missing, cut or altered; remove {folder / RUN} to make the corpora anew"
            )


def _path(folder: Path, name: str) -> Path:
    return folder / "corpora" / f"{name}.jsonl"


def _pairs(path: Path) -> Pairs:
    """The pairs of a file, without notes: these stand in the run's own."""
    return adjacent_pairs(read_testset(path))


def messages(items: TestSet) -> dict[str, str]:
    """The message of each item by its id."""
    last_turns = items.contexts.select("id", pl.col("context").list.last())
    return dict(last_turns.iter_rows())
