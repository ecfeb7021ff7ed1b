"""Every verb that writes, in places that are hard to write to: without rights, and through links.

``python places.py FOLDER PART`` prints a line of JSON for each verb, option, name and place: see
``Visit``. The verbs are those of ``full_disk.py``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from full_disk import FOLDERS, RESULTS, called, files, names, same
from ladder_data import Rung
from rejoinder.files.provenance import record_path

NOBODY = 65534


class Visit(NamedTuple):
    """What came of one verb in one place.

    Attributes:
        before: What it printed where it may write.
        status: Its exit status here.
        out: What it printed here.
        err: What it said on standard error.
        whole: Whether what stands there in the end is what must stand there.
    """

    before: str
    status: int
    out: str
    err: str
    whole: bool


@contextmanager
def without_rights(folder: Path) -> Iterator[None]:
    """A folder that this process may not write to; root becomes nobody for so long."""
    root = os.geteuid() == 0
    folder.chmod(0o555)
    if root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)
        folder.chmod(0o755)


@contextmanager
def unforeseen() -> Iterator[None]:
    """The rights go after they were asked for."""
    before, os.access = os.access, lambda *_args, **_given: True
    try:
        yield
    finally:
        os.access = before


class Case(NamedTuple):
    """A command line without its last word, and where it wrote before.

    Attributes:
        words: The command up to the option that names what is written.
        made: What it wrote where it may write.
        before: What it printed there.
        place: A new folder for this place.
        name: What it is to write there.
    """

    words: list[Any]
    made: Path
    before: str
    place: Path
    name: str

    def visit(self, target: Path, whole: Callable[[], bool]) -> Visit:
        """Runs the command."""
        status, out, err = called([*self.words, target])
        return Visit(self.before, status, out, err, whole())


def _held(path: Path) -> dict[str, bytes]:
    if path.is_dir():
        return files(path)
    return {str(path.with_name("file")): path.read_bytes()} if path.exists() else {}


def no_rights(case: Case) -> Visit:
    """A folder that may not be written to, with files of an earlier run in it."""
    target = _earlier(case)
    there = files(case.place)
    with without_rights(target if target.is_dir() else case.place):
        return case.visit(target, lambda: files(case.place) == there)


def rights_lost(case: Case) -> Visit:
    """The same, and nobody could know before the work."""
    with unforeseen():
        return no_rights(case)


def _earlier(case: Case) -> Path:
    """What is to be written: files of an earlier run, or the folder of a run, which is new."""
    target = case.place / case.name
    (case.place / "other.txt").write_text("mine")
    if case.made.is_file():
        _copy(case.made, target)
        target.chmod(0o666)
    elif "--plots" in case.words:
        shutil.copytree(case.made, target)
    return target


def _copy(made: Path, target: Path) -> None:
    """A file of an earlier run, with its record: some verbs replace their own files alone."""
    shutil.copyfile(made, target)
    shutil.copy(record_path(made), record_path(target))


def link(case: Case) -> Visit:
    """A link to a file or folder of an earlier run, in a folder that is a link."""
    return _linked(case, dangling=False)


def dangling_link(case: Case) -> Visit:
    """A link to nothing yet, in a folder that is a link."""
    return _linked(case, dangling=True)


def _linked(case: Case, dangling: bool) -> Visit:
    far, near, target = (case.place / name for name in ("far", "near", case.name))
    far.mkdir()
    near.mkdir()
    (case.place / "shown").symlink_to(near, target_is_directory=True)
    (near / case.name).symlink_to(far / case.name)
    if not dangling and case.made.is_dir():
        (far / case.name).mkdir()
    elif not dangling:
        _copy(case.made, far / case.name)
        shutil.copy(record_path(case.made), record_path(near / case.name))

    def whole() -> bool:
        same_there = same(_held(far / case.name), _held(case.made))
        alone = [
            path.name
            for each in (near, far)
            for path in each.iterdir()
            if not path.name.endswith(".provenance.json")
            # Further tables of a result, ``a-leads.csv``, and a certificate stand beside the first.
            and not path.name.startswith((f"{Path(case.name).stem}-", f"{case.name}.certificate"))
        ]
        return (near / case.name).is_symlink() and same_there and alone == [case.name] * 2

    return case.visit(case.place / "shown" / target.name, whole)


PLACES = (no_rights, rights_lost, link, dangling_link)


def lines(rung: Rung, part: str) -> Iterator[tuple[str, str, list[Any]]]:
    """A name, what is written, and the words of every verb of a part."""
    if part == "folders":
        for (verb, option), words in FOLDERS.items():
            yield f"{verb} {option}", "made", [*verb.split(), *words(rung), option]
        return
    for verb, option, name in names(part == "long"):
        words, _ = RESULTS[verb, option]
        yield f"{verb} {option} {name}", name, [*verb.split(), *words(rung), option]


def main(folder: Path, part: str) -> None:
    """Every verb of a part in every place, or of ``turns`` in the place whose turn it is."""
    os.environ["COLUMNS"] = "120"
    folder.chmod(0o755)
    rung = Rung(folder, 40 if part == "folders" else 10, 2)
    for number, (label, name, words) in enumerate(lines(rung, part)):
        made = folder / f"made-{number}" / name
        made.parent.mkdir()
        status, before, err = called([*words, made])
        assert status == 0, (words, err)
        for each in (PLACES[number % len(PLACES)],) if part == "turns" else PLACES:
            place = folder / f"{each.__name__}-{number}"
            place.mkdir()
            visit = each(Case(words, made, before, place, name))
            print(json.dumps([f"{label} {each.__name__}", visit]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
