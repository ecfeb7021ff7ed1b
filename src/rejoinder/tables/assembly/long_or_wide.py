"""Ratings as a long table, or as a wide one with a column per rater or per criterion."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import stem_of
from rejoinder.messages import Argument, enumerated, listed, more, quoted
from rejoinder.tables.assembly.column_roles import folded, renamed
from rejoinder.tables.assembly.long_or_wide_scores import (
    holds_numbers,
    is_of_run,
    refuse_several_systems,
)
from rejoinder.tables.assembly.rating_cells import (
    CellScores,
    columns_of_numbers,
    scores_of,
    strict_scores,
    with_numbers,
)
from rejoinder.tables.checks.rating_scales import refuse_other_scales
from rejoinder.tables.checks.validation import is_first
from rejoinder.tables.columns import OtherTableError, lookalike, require, synonym
from rejoinder.tables.item_clusters import CONVERSATION, with_labels
from rejoinder.tables.notes import NO_RATER, left_out, note
from rejoinder.tables.parts import Draft, Part
from rejoinder.tables.schemas import AGAINST, DETAILS, NEEDED, OPTIONAL, PROBABILITY, RATINGS

MEAN = "mean"
OVERALL = "overall"
NOBODY = "1"
LONGEST_NAME = 40
"""Characters of the name of a rater."""

_KEYS = ("id", "system", "rater", "criterion", AGAINST)
_MEANS = {"mean", "average", "avg"}
_SUMMARIES = _MEANS | {"median", "std", "stdev", "sd", "sum", "total", "count"}
_SYSTEMS = {"assistant", "bot", "chatbot"}
_SESSION = "session_id"
"""A column that tells who rated where none says it: as Streamlit's."""
_PEOPLE = {
    "annotator", "annotators", "expert", "experts", "human", "humans", "people", "person", "rater", "raters",
    "worker", "workers",
}  # fmt: skip
_MACHINES = re.compile(
    r"judge|llm|gpt\w*|claude|gemini|llama|auto|automatic|model|metric|reward|\w*bleu|rouge\w*|chrf\w*|ter|"
    r"meteor|exact|pooled|extrema|greedy|cosine|bertscore|ruber|distinct|entropy|length|comet|bleurt"
)
"""Words of the names of columns that hold people's ratings, and marks of a judge or a metric."""
_SYSTEM_AND_RATER = re.compile(
    r"(.+)[-_ .:/|]((?:r|rater|ann|annotator|evaluator|expert|human|judge|participant|person|worker)"
    r"[-_ ]?\d+)",
    re.IGNORECASE,
)
"""The name of a column of one rater's grades of one system."""
# Names by which a column of a wide table is no rater's, so that nobody's fluency becomes a person.
_CRITERIA = {
    "appropriateness", "coherence", "consistency", "diversity", "empathy", "engagement",
    "engagingness", "fluency", "grammaticality", "humanness", "informativeness",
    "interestingness", "naturalness", "overall", "quality", "relevance", "specificity",
}  # fmt: skip


def ratings_of_table(part: Part, keep: Sequence[str] = ()) -> Draft:
    """Ratings of a long table (a column ``score``) or of a wide one (none).

    Without a column ``id``, ratings with a column ``conversation`` are of whole conversations.

    Args:
        part: The table.
        keep: Additional columns to keep, where they are there.

    Raises:
        InputError: A column is absent or misspelt, a cell of a score holds no number, or one system is
            rated several times.
    """
    if "id" not in part.frame.columns and CONVERSATION in part.frame.columns:
        part = renamed(part, {CONVERSATION: "id"})
    part = _with_row_for_each_grade(part, keep)
    columns = part.frame.columns
    if "rater" not in columns and len(alike := [n for n in columns if folded(n) == _SESSION]) == 1:
        part = renamed(part, {alike[0]: "rater"})
        columns = part.frame.columns
    key_names = (*_KEYS, PROBABILITY)
    keys = (*key_names, *(name for name in keep if name not in (*key_names, "score")))
    part = with_numbers(part, PROBABILITY)
    frame, additional = with_labels(part.frame, keep, (*key_names, "score"))
    part = replace(part, frame=frame)
    if "score" not in columns and {"id", "system", "name", "value"} <= set(columns):
        raise InputError(
            f"{part.name}: holds scores of a judge or a metric (columns name and value), and no ratings; "
            f"give them with {Argument('scores')}, beside people's ratings; if they are people's ratings, "
            "rename 'value' to 'score'"
        )
    unnamed = "system" not in columns and "system" not in _likely(part, keys)
    if unnamed and {"id", "score"} <= set(columns):
        return _one_system_ratings(part, keys, additional)
    if "score" in columns or not _is_wide(columns, keys):
        _refuse_column_for_each_system(part, keys)
        likely = {} if {*NEEDED["ratings"]} <= {*columns} else _likely(part, keys)
        present = [name for name in columns if name not in additional]
        require(NEEDED["ratings"], present, part.name, OPTIONAL["ratings"], likely=likely)
        return _long(part, keys)
    return wide_ratings(part, keys)


def _one_system_ratings(part: Part, keys: Sequence[str], additional: Sequence[str]) -> Draft:
    """The ratings of a long table without a column of systems: all are of one, called like the file.

    Raises:
        InputError: A rater rates one id several times: the ratings are of several systems.
    """
    stem, columns = stem_of(Path(part.name)), part.frame.columns
    note("one system", part.name, system=stem)
    part = part.with_frame(part.frame.with_columns(pl.lit(stem).alias("system")))
    present = [name for name in part.frame.columns if name not in additional]
    require(NEEDED["ratings"], present, part.name, OPTIONAL["ratings"])
    draft = _long(part, keys)
    is_named = pl.col("rater").cast(pl.String).str.strip_chars() != ""
    named = draft.frame.filter(is_named).select(each for each in _KEYS if each in draft.frame)
    refuse_several_systems(named, part.name, stem, columns, "rating")
    return draft


def _with_row_for_each_grade(part: Part, keep: Sequence[str]) -> Part:
    """A table whose columns are each of a system and a rater, a grid of whole grades, with a row for each."""
    known = {*_KEYS, *DETAILS, *keep, PROBABILITY}
    names = [each for each in part.frame.columns if each not in known]
    pairs = {each: match.groups() for each in names if (match := _SYSTEM_AND_RATER.fullmatch(each))}
    sizes = [len(set(each)) for each in zip(*pairs.values(), strict=True)]
    if "id" not in part.frame.columns or {"system", "rater"} & {*part.frame.columns}:
        return part
    if len(pairs) < len(names) or min(sizes, default=0) < 2 or math.prod(sizes) != len(names):
        return part
    for each in names:
        cells = scores_of(part.frame.get_column(each))
        if cells.wrong.any() or not (cells.values == cells.values.round()).all():
            return part
    first = names[0]
    note(
        "systems and raters", part.name, column=first, system=pairs[first][0], rater=pairs[first][1]
    )
    row = pl.Series("row number", part.numbers, dtype=pl.UInt64)
    index = [row.name, *(each for each in part.frame.columns if each in known)]
    long = part.frame.with_columns(row).unpivot(names, index=index, value_name="score")
    long = long.sort(row.name, maintain_order=True).with_columns(
        pl.col("variable")
        .replace_strict({each: pair[k] for each, pair in pairs.items()})
        .alias(name)
        for k, name in enumerate(("system", "rater"))
    )
    numbers = long.get_column(row.name).to_list()
    return replace(part, frame=long.drop(row.name, "variable"), numbers=numbers)


def _refuse_column_for_each_system(part: Part, keys: Sequence[str]) -> None:
    """Raises where several columns of numbers and no system: they may be systems, raters or criteria."""
    columns = part.frame.columns
    if "score" in columns or "system" in columns or "id" not in columns:
        return
    numbers = _number_columns(part, (*keys, *DETAILS))
    if len(numbers) > 1 and _CRITERIA.isdisjoint(map(folded, numbers)):
        named = Argument("columns", {"system": "+".join(numbers)})
        other = "criterion" if "rater" in columns else "rater"
        both = (
            ""
            if "rater" in columns
            else "; if each is of a system and a rater, call it 'SYSTEM_R1'"
        )
        raise OtherTableError(
            f"{part.name}: no column 'system', and columns {enumerated(list(map(quoted, numbers)))} hold "
            f"numbers; if each has the ratings of one system, say so with {named}; if each is a {other}, "
            f"add the column 'system'{both}"
        )


def _number_columns(part: Part, others: Sequence[str]) -> list[str]:
    """The columns of numbers beside others."""
    names = [each for each in part.frame.columns if each not in others]
    return [each for each in names if holds_numbers(scores_of(part.frame.get_column(each)))]


def _likely(part: Part, keys: Sequence[str]) -> dict[str, str]:
    """By absent column of ratings the one that is likely to be it: by its name, or by what it holds."""
    columns = part.frame.columns
    absent = [name for name in ("system", "score", "rater") if name not in columns]
    found = {name: meant for name in absent if (meant := lookalike(name, columns, keys))}
    if "system" in absent and "system" not in found:
        named = [each for each in _may_be_names(part, keys) if folded(each) in _SYSTEMS]
        found |= {"system": named[0]} if len(named) == 1 else {}
    if "score" in absent and "score" not in found:
        numbers = _number_columns(part, (*keys, *found.values()))
        found |= {"score": numbers[0]} if len(numbers) == 1 else {}
    if "rater" in absent and "rater" not in found:
        raters = _may_be_names(part, (*keys, *found.values()))
        known = "system" in columns or "system" in found
        found |= {"rater": raters[0]} if known and len(raters) == 1 else {}
    return found


def _may_be_names(part: Part, others: Sequence[str]) -> list[str]:
    """The columns of few short texts that come again and again, as the names of raters and systems do."""
    names = []
    for each in part.texts():
        values = part.frame.get_column(each)
        few = 2 <= values.n_unique() <= values.len() / 4
        fits = values.cast(pl.String).str.len_chars().max()
        numeric = holds_numbers(scores_of(values))
        if (
            each not in (*others, "score", *DETAILS)
            and few
            and not numeric
            and int(str(fits or 0)) <= LONGEST_NAME
        ):
            names.append(each)
    return names


def with_defaults(draft: Draft, may_be_rater: str | None = None) -> Draft:
    """Names the rater and the criterion where the file has no such column.

    Args:
        draft: The ratings.
        may_be_rater: A column of the file that is not read and may say who rated.

    Raises:
        InputError: No rater is named, and a reply is rated twice: by whom cannot be known.
    """
    frame, origin = draft.frame, draft.origin
    if "criterion" not in frame.columns:
        frame = frame.with_columns(pl.lit(OVERALL).alias("criterion"))
    if "rater" in frame.columns:
        return Draft(frame, origin)
    keys = frame.select(name for name in frame.columns if name in (*_KEYS, "a", "b"))
    again = (~is_first(keys)).arg_true()
    if len(again):
        remedy = "add one"
        if may_be_rater is not None:
            named = Argument("columns", {"rater": may_be_rater})
            remedy += f", or, if {quoted(may_be_rater)} says who rated, name it with {named}"
        raise InputError(
            f"{origin.at(int(again[0]))}: id {quoted(frame['id'][int(again[0])])} is judged a second "
            f"time{more(len(again))}, and no column 'rater' says by whom; {remedy}"
        )
    if "score" in frame.columns:
        note(NO_RATER, origin.parts[0][0], column=may_be_rater)
    return Draft(frame.with_columns(pl.lit(NOBODY).alias("rater")), origin)


def _long(part: Part, keys: Sequence[str]) -> Draft:
    scores = strict_scores(part.frame.get_column("score"), part.name, part.numbers)
    columns = [name for name in (*keys, "score") if name in part.frame.columns]
    frame = part.frame.with_columns(scores.alias("score")).select(columns)
    scored = part.with_frame(frame).filter(scores.is_not_null())
    left_out(part.name, scores.null_count(), "row", "without a score")
    raters = [] if "rater" in columns else _may_be_names(part, keys)
    draft = Draft.of(part.name, scored.numbers, scored.frame)
    return with_defaults(draft, raters[0] if len(raters) == 1 else None)


def _is_wide(columns: list[str], keys: Sequence[str]) -> bool:
    """Whether columns beside the keys hold ratings, rather than the score under another name."""
    rest = [name for name in columns if name not in keys]
    if "id" not in columns or "system" not in columns or not rest:
        return False
    if "rater" in columns and "criterion" in columns:
        return False
    # Of several columns, "score1" and "score2" are those of two raters and not misspelt.
    another_name = lookalike if len(rest) == 1 else synonym
    return another_name("score", rest) is None


def drawn_ratings(part: Part) -> Draft:
    """`wide_ratings` of a table whose column ``probability``, if there is one, is that of the draw."""
    return wide_ratings(with_numbers(part, PROBABILITY), (*_KEYS, PROBABILITY))


def wide_ratings(part: Part, keys: Sequence[str] = _KEYS) -> Draft:
    """Ratings in a column per criterion where there is a column ``rater``, else one per rater.

    Raises:
        InputError: No column holds numbers, one holds numbers and other text, or a column is no
            rater's.
    """
    across = "criterion" if "rater" in part.frame.columns else "rater"
    if across == "rater" and (
        alias := synonym("rater", [each for each in part.frame.columns if each not in keys])
    ):
        raise InputError(
            f"{part.name}: column {quoted(alias)} and no 'rater'; if it says who rated, rename it to "
            "'rater', and each additional column is a criterion; if it holds ratings, give it another name; "
            f"if it holds the marks of a judge, give the file with {Argument('scores')}"
        )
    columns = {
        name: strict_scores(
            part.frame.get_column(name), part.name, part.numbers, f"column {quoted(name)}:"
        )
        for name in columns_of_numbers(
            part, (each for each in part.frame.columns if each not in keys), _is_text
        )
    }
    if of_runs := [name for name in columns if is_of_run(name)]:
        note("of runs", part.name, columns=of_runs, column="score")
        columns = {name: values for name, values in columns.items() if name not in of_runs}
    if across == "rater" and columns:
        others = [name for name in part.texts() if name not in (*keys, *columns)]
        people = _without_machines(columns, part.name)
        is_rater = len(people) == 1 < len(columns) and _SUMMARIES.isdisjoint(*map(_words, people))
        columns = people if is_rater else _raters(people, part.name, others)
        for of_criterion in _by_criterion(part.frame, columns):
            refuse_other_scales(of_criterion, part.name)
        note("raters", part.name, columns=list(columns))
    if not columns:
        raise OtherTableError(
            f"{part.name}: no column of numbers; got {listed(part.frame.columns)}, expected "
            f"{listed([*RATINGS])}, or one column of numbers per {across}"
        )
    index = [name for name in keys if name in part.frame.columns]
    row = pl.Series("row number", part.numbers, dtype=pl.UInt64)
    wide = part.frame.select(*index, row).with_columns(
        values.alias(f"score of {name}") for name, values in columns.items()
    )
    empty = pl.all_horizontal(pl.col(f"score of {name}").is_null() for name in columns)
    left_out(part.name, wide.filter(empty).height, "row", "without a score")
    long = wide.unpivot(
        index=[*index, "row number"], variable_name=across, value_name="score"
    ).with_columns(pl.col(across).str.strip_prefix("score of "))
    long = long.filter(pl.col("score").is_not_null()).sort("row number", maintain_order=True)
    rows = long.get_column("row number").to_list()
    return with_defaults(Draft.of(part.name, rows, long.drop("row number")))


def _is_text(scores: CellScores) -> bool:
    """Whether no cell of a column has a score, or some have none and the others are labels."""
    return not scores.values.count() or (scores.wrong.any() and not scores.plain)


def _without_machines(columns: dict[str, pl.Series], name: str) -> dict[str, pl.Series]:
    """The columns that are not named for a judge or a metric, where others are named for people."""
    machines = [
        each
        for each in columns
        if _PEOPLE.isdisjoint(_words(each)) and any(map(_MACHINES.fullmatch, _words(each)))
    ]
    if not machines or all(_PEOPLE.isdisjoint(_words(each)) for each in columns):
        return columns
    note("machines", name, columns=machines)
    return {each: values for each, values in columns.items() if each not in machines}


def _words(name: str) -> set[str]:
    """The words of a name in lower case: ``judgeScore`` and ``judge_score`` have the same."""
    parted = re.findall("[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return {each.lower() for each in parted} | {*re.findall("[a-z]+", name.lower())}


def _raters(
    columns: dict[str, pl.Series], name: str, others: Sequence[str]
) -> dict[str, pl.Series]:
    """The columns of raters; a mean that stands alone is one, beside them it is none."""
    if len(columns) == 1:
        (only,) = columns
        if only.lower() in _MEANS:
            return {MEAN: columns[only]}
        remedy = "rename it"
        if others:
            rater = Argument("columns", f"rater={others[0]}")
            remedy += f", or, if {quoted(others[0])} says who rated, name it with {rater}"
        raise InputError(
            f"{name}: one column of numbers, {quoted(only)}; expected 'score', 'mean' (of several "
            f"raters) or one column per rater; {remedy}"
        )
    for column in columns:
        if column.lower() in _SUMMARIES:
            raise InputError(
                f"{name}: column {quoted(column)} beside the raters looks like a summary of them; "
                "take it out"
            )
        if not _CRITERIA.isdisjoint(folded(column).split("_")):
            raise InputError(
                f"{name}: column {quoted(column)} looks like a criterion, and without a column "
                f"'rater' each column is a rater; add 'rater', or write one row per rating "
                f"({listed(RATINGS)})"
            )
    return columns


def _by_criterion(
    frame: pl.DataFrame, columns: dict[str, pl.Series]
) -> Iterator[dict[str, pl.Series]]:
    """The columns of raters for each criterion, because a criterion may have a scale of its own."""
    if "criterion" not in frame.columns:
        yield columns
        return
    criteria = frame.get_column("criterion")
    for criterion in criteria.unique(maintain_order=True):
        rows = criteria.eq_missing(criterion)
        yield {name: values.filter(rows) for name, values in columns.items()}
