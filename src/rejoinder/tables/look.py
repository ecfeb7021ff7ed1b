"""What a file is taken for: each kind of table is tried."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import polars as pl

from rejoinder.document.parts import AS_USUAL, GAP, Document, View, lines
from rejoinder.document.table import Table, key, text
from rejoinder.errors import InputError, ParameterError, RejoinderError
from rejoinder.files import queries
from rejoinder.files.reading import existing, stem_of
from rejoinder.files.sources import keeping_sources
from rejoinder.messages import Argument, Call, counted, listed
from rejoinder.result import TableResult
from rejoinder.tables.assembly.column_mapping import ColumnMapping, Columns, column_mapping
from rejoinder.tables.candidates import is_of_candidates, read_sources
from rejoinder.tables.columns import OtherTableError
from rejoinder.tables.example_commands import RESPONSES, TESTSET, example_commands
from rejoinder.tables.format import FileHead, FormatName, KindName, name_for
from rejoinder.tables.formats import study
from rejoinder.tables.formats.format_choice import (
    OtherKindError,
    UnknownFormatError,
    format_of,
    formats_like,
    holds_all,
    in_folder,
    logs_in,
    nearest_format,
)
from rejoinder.tables.kept_files import holds_scores, scores_in
from rejoinder.tables.notes import NO_RATER, RENAMED, taking_notes
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.registry import table_of
from rejoinder.tables.table_contents import PAIRWISE, Contents, contents_of
from rejoinder.visible import visible

_USES = {
    verb: [each.split(" + ") for each in uses.split(" | ")]
    for verb, uses in {
        "ratings": "ratings",
        "preferences": "preferences",
        "respond": "test set + more",
        "score": "test set + responses | scores= | kept scores",
        "compare": "test set + responses | scores= | ratings= | kept scores",
        "report": "test set + responses | scores= | ratings= | preferences= | kept scores",
        "correlate": "test set + responses + ratings= | scores= + ratings= | kept scores + ratings=",
        "ruq": "test set + more | kept scores + more",
        "audit": "test set + responses | test set + responses + scores=",
        "plan": "test set + responses | scores= | ratings= | kept scores",
        "mine": "test set + more",
        "weigh": "test set + responses + candidates + ratings= + scores= + more",
        "judge": "test set + responses + ratings= | scores= + ratings= | kept scores + ratings=",
        "annotate": "test set + responses | candidates + more | study",
        "variety": "responses",
        "rerank": "responses",
        "tune": "responses + more",
    }.items()
}
"""By verb the kinds of table that it needs together; those with ``=`` are given by that argument, and
``more`` is a model or a file of another kind."""


SAMPLE_VERBS = ("variety", "rerank", "tune")
"""Verbs for responses of which a system gives several to a prompt."""


def _takes(verb: str, kind: str) -> str:
    """How a verb takes a kind of table: its name, behind ``--`` where it is an option; empty: not at all."""
    names = {name for each in _USES[verb] for name in each}
    return kind if kind in names else f"--{kind}" if f"{kind}=" in names else ""


_KINDS = ("candidates", *get_args(KindName), "kept scores", "study")
VERBS = {kind: [verb for verb in _USES if _takes(verb, kind)] for kind in _KINDS}
"""By kind of table the verbs that read one."""

_TABLES = {name for name, each in formats_like("responses").items() if each.part is not None}
_ALIKE = ({"test set", "responses"}, {"ratings", "preferences", "scores"})
"""Kinds one of which a file is taken for."""


@dataclass(frozen=True)
class Reading:
    """A table that a file can be read as.

    Attributes:
        kind: ``test set``, ``responses``, ``ratings``, ``preferences`` or ``scores``; ``kept scores``
            are those that ``Scores.save`` wrote, ``candidates`` those that ``rejoinder mine`` wrote, and
            ``study`` is what ``rejoinder annotate`` keeps.
        format: The name of its format.
        contents: What it holds: counts, names of systems, criteria and metrics, columns to group by.
        columns: By column of the file our name of it, where they differ.
        notes: What the reader left out or took another way.
        instead: Whether the file is read so in the place of its other readings, not besides: the same
            columns count as ratings or as scores.
    """

    kind: str
    format: str
    contents: Contents
    columns: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    instead: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """How many items, references, rows, systems, raters, criteria and metrics it holds."""
        return self.contents.counts


def _holds(reading: Reading) -> str:
    one = {"criteria": "criterion"}
    return ", ".join(
        counted(count, one.get(name, name[:-1]), name) for name, count in reading.counts.items()
    )


def _as_line(example: str) -> str:
    needs = [name for name in (TESTSET, RESPONSES) if name in example.split()]
    return f"example with {' and '.join(needs)}: {example}" if needs else f"example: {example}"


def _columns(reading: Reading) -> str:
    return ", ".join(f"{column} as {name}" for column, name in reading.columns.items())


@dataclass(frozen=True, repr=False)
class FileLook(TableResult):
    """What a file is taken for.

    Attributes:
        path: The file or folder.
        readings: The tables that it can be read as.
        holds_all: Whether it is a test set and responses, and needs no other file.
        verbs: The verbs that can use it.
        examples: A command for each use; ``TESTSET`` and ``RESPONSES`` stand for a file that it needs
            besides.
        refusals: By kind of table, or several, why the file is none, where it is near to one.
    """

    path: str
    readings: tuple[Reading, ...]
    holds_all: bool
    verbs: tuple[str, ...]
    examples: tuple[str, ...] = ()
    refusals: dict[str, str] = field(default_factory=dict)

    def document(self, view: View = AS_USUAL) -> Document:
        """The kinds of table that the file can be read as, and the verbs that read these."""
        rows = [(each.kind, each.format, _holds(each), _columns(each)) for each in self.readings]
        meanings = {
            "kind": "Kind of table that the file can be read as.",
            "format": "Name of the format.",
            "holds": "How many of what it holds.",
            "columns": "Columns that are read under another name.",
        }
        headings = [text("format"), text("holds"), text("renamed columns", "columns")]
        readings = pl.DataFrame(rows, dict.fromkeys(meanings, pl.String), orient="row")
        alone = self._alone()
        groups = {
            "verbs": [call for verb, call in self._calls() if verb in alone],
            "verbs that need another file or a model": [
                call for verb, call in self._calls() if verb not in alone
            ],
        }
        table = Table(readings, [key("read as", "kind"), *headings], meanings=meanings)
        return [
            *([table, GAP] if rows else []),
            *lines(f"{what}: {names}" for what, names in self._names().items()),
            *lines(f"{what}: {', '.join(calls)}" for what, calls in groups.items() if calls),
            *lines((_as_line(each) for each in self.examples), "command"),
            *lines(dict.fromkeys(note for each in self.readings for note in each.notes), "note"),
            *lines((f"not read as {kind}: {why}" for kind, why in self.refusals.items()), "note"),
        ]

    def _alone(self) -> set[str]:
        """The verbs that need nothing else; those that compare need two systems."""
        whole = {"test set", "responses"}
        together = [
            {each.kind for each in self.readings if each.instead is instead} - whole
            | (whole if self.holds_all else set())
            for instead in (False, True)
        ]
        systems = max((each.counts.get("systems", 0) for each in self.readings), default=0)
        return {*SAMPLE_VERBS[:2]} | {
            verb
            for verb, uses in _USES.items()
            if (verb, systems) != ("compare", 1)
            and any(
                {n.removesuffix("=") for n in each} <= kinds for each in uses for kinds in together
            )
        }

    def _calls(self) -> Iterator[tuple[str, str]]:
        """The verbs, each with the option that names the file where it is no argument."""
        for verb in self.verbs:
            names = [name for each in self.readings if (name := _takes(verb, each.kind))]
            by_option = all(name.startswith("--") for name in names)
            yield verb, f"{verb} {names[0]}" if by_option else verb

    def _names(self) -> dict[str, str]:
        """What the file names: systems, criteria and metrics, and the columns that group items."""
        named: dict[str, str] = {}
        for each in self.readings:
            named |= {what: listed(names) for what, names in each.contents.names.items()}
        groups = {column: n for each in self.readings for column, n in each.contents.groups.items()}
        if groups:
            columns = (f"{column} ({count} values)" for column, count in groups.items())
            named["columns that group items"] = ", ".join(columns)
        return named

    def as_json(self) -> dict[str, Any]:
        """What ``rejoinder look --json`` prints."""
        return {
            "path": self.path,
            "readings": [
                {
                    "kind": each.kind,
                    "format": each.format,
                    "counts": each.counts,
                    "names": {what: list(names) for what, names in each.contents.names.items()},
                    "groups": each.contents.groups,
                    "columns": each.columns,
                    "notes": list(each.notes),
                }
                for each in self.readings
            ],
            "holds_all": self.holds_all,
            "verbs": list(self.verbs),
            "examples": list(self.examples),
            "refusals": [{"kind": kind, "why": why} for kind, why in self.refusals.items()],
        }


@keeping_sources()
def look(
    path: str | os.PathLike[str], *, format: FormatName = None, columns: Columns = None
) -> FileLook:
    """Tries to read a file as each kind of table.

    Args:
        path: A file or a folder; a folder of logs is taken as all of them together.
        format: The name of its format; None: recognised.
        columns: Which column is which, as for ``read_testset``.

    Raises:
        InputError: It can be read as none; the message is that of the likeliest kind.
    """
    (place,) = existing([path], "file")
    format = name_for(place, format)
    mapping = column_mapping(columns)
    whole, refusals = True, {}
    if holds_scores(place):
        readings = [Reading("kept scores", "parquet", Contents(*scores_in(place)))]
    elif study.FORMAT.recognises(FileHead.of(place)):
        readings = [Reading("study", "sqlite", Contents(study.questions_in(place)))]
        with suppress(RejoinderError):  # nobody has answered yet
            readings += _readings(place, format, mapping)[0]
    else:
        readings, whole, refusals = _readings(place, format, mapping)
    verbs = dict.fromkeys(
        verb
        for each in readings
        for verb in VERBS[each.kind]
        if verb not in SAMPLE_VERBS or each.counts.get("samples", 1) > 1
    )
    contents = {each.kind: each.contents for each in readings}
    examples = example_commands(place, contents, whole, _is_log(readings), format, mapping)
    return FileLook(
        queries.as_given(path), tuple(readings), whole, tuple(verbs), examples, refusals
    )


def _readings(
    place: Path, format: str | None, columns: ColumnMapping | None
) -> tuple[list[Reading], bool, dict[str, str]]:
    """The tables that a file can be read as, whether it holds a test set and responses, why not others."""
    mined = _candidate_readings(place, format, columns)
    try:
        readings, errors = _by_itself(place, format, columns)
    except RejoinderError:
        if not mined:
            raise
        return mined, False, {}
    whole = bool(errors.keys().isdisjoint(("test set", "responses")))
    try:
        with taking_notes(quiet=True):
            whole = whole and holds_all(place, format, columns)
    except RejoinderError:
        whole = False
    readings += [*_beside_others(place, readings, format, columns), *mined]
    if whole:
        items = next(each.counts["items"] for each in readings if each.kind == "test set")
        readings = [_beside_items(each, items) for each in readings]
    if whole and _is_log(readings):
        readings = [_beside_targets(each, str(place)) for each in readings]
    is_table = all(each.format in _TABLES for each in readings)
    near = _refusals(errors, {each.kind for each in readings}) if is_table else {}
    return readings, whole, near


def _refusals(errors: dict[str, RejoinderError], read: set[str]) -> dict[str, str]:
    """Why a file is no table of some kinds, though it is near to one, and no table like it was read."""
    near: dict[str, list[str]] = {}
    for alike in _ALIKE:
        for kind in alike & errors.keys() if alike.isdisjoint(read) else ():
            if _is_near(errors[kind]):
                near.setdefault(str(errors[kind]), []).append(kind)
    return {" or ".join(sorted(kinds, reverse=True)): why for why, kinds in near.items()}


def _candidate_readings(
    place: Path, format: str | None, columns: ColumnMapping | None
) -> list[Reading]:
    """Mined candidates, whose source stands in the place of a system; empty for any other file."""
    try:
        with taking_notes(quiet=True) as notes:
            if not is_of_candidates(place, format, columns):
                return []
            table = read_sources(place, format=format, columns=columns)
            chosen = format_of(place, format, "responses")
    except RejoinderError:
        return []
    contents = contents_of("candidates", table)
    return [Reading("candidates", chosen.name, contents, notes=tuple(map(str, notes)))]


def _beside_items(reading: Reading, items: int) -> Reading:
    """A reading of a file that is a test set too; each system may have replies to fewer items."""
    answered = reading.contents.items
    if reading.kind != "responses" or not 0 < answered < items:
        return reading
    contents = replace(reading.contents, needs=(PAIRWISE,))
    note = (
        f"each system answered {answered} of {counted(items, 'item')}: {PAIRWISE} takes each on what it "
        "has"
    )
    return replace(reading, contents=contents, notes=(*reading.notes, note))


def _is_log(readings: Sequence[Reading]) -> bool:
    """Whether the replies are those of a log of an evaluation tool."""
    logs = {name for name, each in formats_like("responses").items() if each.is_log}
    return any(each.kind == "responses" and each.format in logs for each in readings)


def _beside_targets(reading: Reading, path: str) -> Reading:
    """A reading of a log that is a test set too; what metrics compare replies with may be no reply."""
    if reading.kind != "scores":
        return reading
    note = (
        f"{visible(path)}: metrics of replies compare them with the targets of the log; where these are "
        "grading criteria and no replies, use the scores of the log alone ("
        f"{Argument('scores')})"
    )
    return replace(reading, notes=(*reading.notes, note))


@keeping_sources()
def kind_of(
    path: str | os.PathLike[str], *, format: FormatName = None, columns: Columns = None
) -> str:
    """The only kind of table that a file can be read as by itself.

    Ratings with a column for each rater are ratings, though their columns could be metrics too.

    Args:
        path: The file.
        format: The name of the format; None: it is recognised.
        columns: By our names those of the file.

    Raises:
        InputError: It can be read as none.
        ParameterError: It can be read as several.
    """
    (place,) = existing([path], "file")
    format = name_for(place, format)
    readings = _by_itself(place, format, columns)[0]
    kinds = [each.kind for each in (*readings, *_as_replies(place, readings))]
    if len(kinds) > 1:
        raise ParameterError(
            f"{path}: can be read as {', '.join(kinds[:-1])} or {kinds[-1]}; choose one with ",
            Argument("kind"),
        )
    return kinds[0]


def _by_itself(
    place: Path, format: str | None, columns: Columns
) -> tuple[list[Reading], dict[str, RejoinderError]]:
    """The tables that a file can be read as by itself, and the errors of the other kinds."""
    readings, errors = [], {}
    for kind in get_args(KindName):
        rated = [formats_like("ratings")[r.format] for r in readings if r.kind == "ratings"]
        nobodys = place.is_file() and any(
            r.kind == "ratings" and "raters" not in r.counts for r in readings
        )
        if kind == "scores" and rated and not rated[0].has_people and not nobodys:
            continue  # a table of marks is that of people, unless it has the columns of scores
        try:
            reading = _reading(kind, place, format, columns)
            if kind == "scores" and nobodys:
                reading = replace(reading, instead=True, notes=reading.contents.notes)
            readings.append(reading)
        except RejoinderError as error:
            errors[kind] = error
    if not readings:
        raise _with_nearest(_likeliest([*errors.values()]), place, format)
    if any(each.kind == "preferences" for each in readings):
        # A column for each side of a comparison looks like one for each system.
        readings = [r for r in readings if r.kind != "responses" or r.format not in _TABLES]
    return readings, errors


def _with_nearest(error: RejoinderError, place: Path, format: str | None) -> RejoinderError:
    """Why a file cannot be read, and which format of a tool or a publication it is, or is nearest to."""
    nearest = ""
    with suppress(InputError):
        file = in_folder(place, "responses")
        nearest = nearest_format(file) if format is None and file.is_file() else ""
    return InputError(*error.args, f"; {nearest}") if nearest else error


def _beside_others(
    place: Path, readings: Sequence[Reading], format: str | None, columns: Columns
) -> list[Reading]:
    """What a file may be too: ratings of a column each are scores, and plain text is replies."""
    kinds = {each.kind for each in readings}
    if "ratings" in kinds and "scores" not in kinds:
        return _wide_rating_readings(place, format, columns)
    return _as_replies(place, readings)


def _as_replies(place: Path, readings: Sequence[Reading]) -> list[Reading]:
    """The lines of a plain text as replies."""
    if not readings or (readings[0].kind, readings[0].format) != ("test set", "text"):
        return []
    items = readings[0].counts["items"]
    counts = {"rows": items, "items": items, "systems": 1}
    contents = Contents(counts, {"systems": (stem_of(place),)}, items=items)
    note = f"{visible(str(place))}: as responses, line i is the reply to item i of the test set"
    return [Reading("responses", "text", contents, notes=(note,))]


def _wide_rating_readings(place: Path, format: str | None, columns: Columns) -> list[Reading]:
    try:
        scores = _reading("scores", place, format, columns)
        with taking_notes(quiet=True):
            raters = read_ratings(place, format=format, columns=columns).get_column("rater")
    except RejoinderError:
        return []  # they are ratings alone
    if not set(raters) <= set(scores.contents.names["metrics"]):
        return []
    note = (
        f"{visible(str(place))}: as scores each of these columns has tests of its own; if they are people, "
        f"'{Call('rejoinder.compare_with_people')}' takes them together"
    )
    return [replace(scores, instead=True, notes=(*scores.notes, note))]


def _reading(kind: KindName, path: Path, format: str | None, columns: Columns) -> Reading:
    if format is not None and format not in formats_like(kind):
        raise ParameterError(f"format {format!r} holds no {kind}; choose another")
    with taking_notes(quiet=True) as notes:
        table = table_of(path, kind, format=format, columns=columns)
    with taking_notes(quiet=True):
        path = logs_in(path, format)[0]
        path = in_folder(path, kind) if format is None else path
    mapping = column_mapping(columns) if kind in ("test set", "responses") else None
    named = mapping is not None and mapping.of_file(path) is not None
    chosen = format_of(path, format, kind, named)
    renames: dict[str, str] = {}
    for each in notes:
        if each.kind == RENAMED and kind in ("test set", "responses"):
            renames |= each.values["columns"]
    contents = contents_of(kind, table)
    if any(each.kind == NO_RATER for each in notes):
        contents.counts.pop("raters", None)
    return Reading(kind, chosen.name, contents, renames, (*map(str, notes), *contents.notes))


def _is_near(error: RejoinderError) -> bool:
    """Whether a file is of a format and has the columns of a kind of table, and something in it is wrong."""
    return not isinstance(error, UnknownFormatError | OtherKindError | OtherTableError)


def _likeliest(errors: Sequence[RejoinderError]) -> RejoinderError:
    """The error of the first kind whose columns the file has; else of the first that knows the format.

    Of a single file it does not ask whether two files were exchanged.
    """
    known = [each for each in errors if not isinstance(each, UnknownFormatError)]
    of_kind = [each for each in known if _is_near(each)]
    error = (*of_kind, *known, *errors)[0]
    return InputError(error.args[0]) if isinstance(error, OtherTableError) else error
