"""Rows of the options that several verbs share (cli/options.py)."""

from __future__ import annotations

import json

import polars as pl

from rejoinder.ledger import ledger
from settings.row import Row, Told


def measuring(verb: str, value: str, ends: str, n: str) -> list[Row]:
    """The options of every verb that reads files and measures.

    Args:
        verb: The verb.
        value: The path to its values.
        ends: The path to the ends of its intervals.
        n: The path to numbers of items.
    """
    return [*reading(verb, value), *gaps(verb, n), *draws(verb, value, ends)]


def draws(verb: str, value: str, ends: str, **more: str) -> list[Row]:
    """The same data, other resamples: the ends of intervals move, the values do not."""
    return [
        Row(verb, "--resamples", "--resamples 0", ends, value, effect=empty(ends), **more),
        Row(verb, "--seed", "--seed 7", ends, value, **more),
    ]


def reading(verb: str, value: str, contexts_alone: bool = False) -> list[Row]:
    """The same tables in two files, or under names that tell no format: the numbers are as usual.

    A file of no known format is refused, and a table of contexts alone where references are needed.
    """
    beside = "-r {references_data}"
    return [
        Row(
            verb, "--reference", "-r {references_csv}", as_usual=value,
            status=(0 if contexts_alone else 2, 0), where={"testset": "contexts_csv"},
            effect=None if contexts_alone else refused("reference"),
        ),
        Row(
            verb, "--format", "--format contexts.data:csv --format references.data:csv", as_usual=value,
            also=beside, status=(2, 0), where={"testset": "contexts_data"}, effect=refused("--format"),
        ),
        Row(
            verb, "--format", "--format systems.data:csv", as_usual=value, status=(2, 0),
            where={"systems": "systems_data"}, effect=refused("--format"),
        ),
        columns(verb, value, "testset"),
    ]  # fmt: skip


def columns(verb: str, value: str, of: str, **more) -> Row:
    """The same table with its ids under a name that nobody knows: the numbers are as usual."""
    return Row(
        verb, "--columns", "--columns id=key", as_usual=value, status=(2, 0),
        where={of: f"keyed_{of}"}, effect=refused("no column 'id'"), **more,
    )  # fmt: skip


WORDS = ("--values", "--values one=1,two=2,three=3,four=4,five=5")
WORDED = {"status": (2, 0), "effect": lambda before, _: "is no number" in before.err}
"""The option and the words of a row on ratings in words, and what is refused without them."""


def values(verb: str, value: str) -> Row:
    """The same ratings in words: the numbers are as usual."""
    return Row(verb, *WORDS, as_usual=value, where={"ratings": "worded_ratings"}, **WORDED)


SCORES = ("--scores", "--scores {judge_scores}")
"""The option and the words of a row on the scores of another tool."""


def scores_format(verb: str) -> Row:
    """Scores in a file whose name tells no format."""
    return Row(
        verb, "--format", "--format judge.data:csv", also="--scores {judge_data}", status=(2, 0),
        effect=refused("--format"),
    )  # fmt: skip


def gaps(verb: str, n: str) -> list[Row]:
    """Six of 66 items lack a reply of one system, or a reference."""
    return [
        Row(
            verb, "--missing", "--missing empty", n, also="--missing drop",
            where={"systems": "systems_with_gaps"},
        ),
        Row(
            verb, "--drop-unusable", "--drop-unusable", status=(2, 0),
            where={"testset": "testset_with_gaps"}, effect=refused("reference"),
        ),
    ]  # fmt: skip


def rated(verb: str, value: str, criterion: str = "relevance") -> list[Row]:
    """The ratings: in two files, in a file that tells no format, of two criteria."""
    several = {"ratings": "criteria"}
    return [
        Row(
            verb, "--ratings", "--ratings {second_ratings}", value, as_usual=value,
            where={"ratings": "first_ratings"},
        ),
        Row(
            verb, "--format", "--format ratings.data:csv", as_usual=value, status=(2, 0),
            where={"ratings": "ratings_data"}, effect=refused("--format"),
        ),
        Row(
            verb, "--criterion", f"--criterion {criterion}", as_usual=value, status=(2, 0),
            where=several, effect=refused("criteri"),
        ),
        Row(
            verb, "--criterion", "--criterion style", value, where=several,
            also=f"--criterion {criterion}",
        ),
    ]  # fmt: skip


def off_scale(verb: str) -> Row:
    """The ratings are 1 to 5: a 5 is no grade of a scale that ends at 4."""
    return Row(
        verb, "--scale", "--scale 1 4", status=(0, 2), effect=lambda _, after: "scale" in after.err
    )


def in_shards(verb: str, option: str = "-o", result: str = "", **given) -> tuple[Row, Row]:
    """Writes a part in the place of the result; tests/unit/files/test_shards.py runs engines.

    Where the work is files of the output folder, there is no result yet.
    """
    shard = "--shard 1/1" if result else f"--shard 2/3 {option} {{out}}/2.part"
    return (
        Row(verb, "--shard", shard, effect=lambda before, after: (
            (result in before.at("@"), result in after.at("@")) == (True, False)
            if result else after.at("@") == ["2.part"]), **given),
        Row(verb, "--engine", "--engine local:0", status=(0, 2), effect=refused_after("--engine local:0"),
            **given),
    )  # fmt: skip


def as_json(verb: str, **given) -> Row:
    """A table for people becomes JSON."""
    return Row(verb, "--json", "--json", people=True, effect=becomes_json, **given)


def claims(verb: str, **given) -> list[Row]:
    """What is claimed is in a file, with hashes in the place of ids, and with the registration's digest."""
    claim = "--claim {out}/claim.json"
    return [
        Row(verb, "--claim", claim, "@claim.json", **given),
        Row(
            verb, "--anonymous", "--anonymous", "@claim.json", also=claim,
            effect=lambda before, after: (
                [json.loads(each.at("@claim.json"))["predicate"]["anonymous"] for each in (before, after)]
                == [False, True]
            ),
            **given,
        ),
        Row(
            verb, "--registered", "--registered {registration}", also=claim,
            effect=lambda before, after: [
                json.loads(each.at("@claim.json"))["predicate"]["registered"] is None
                for each in (before, after)
            ] == [True, False],
            **given,
        ),
    ]  # fmt: skip


def with_card(verb: str) -> Row:
    """What is known of the judge is noted."""
    noted = "'judge' followed people's ratings with r within"
    return Row(
        verb, "--card", "--card {card}", also="--scores {judge_scores}",
        effect=lambda _, after: noted in after.err,
    )  # fmt: skip


def to_file(verb: str, **given) -> Row:
    """What is printed for people is written as Markdown too."""
    return Row(
        verb, "--tables", "--tables {out}/tables.md", people=True, keeps="out",
        effect=lambda before, after: _has_tables(after.at("@tables.md"), verb), **given,
    )  # fmt: skip


def to_ledger(verb: str, **given) -> Row:
    """The numbers of what is printed go into a ledger; what is printed stays."""
    return Row(
        verb, "--ledger", "--ledger {out}/runs.sqlite", keeps="out",
        effect=lambda _, after: _has_numbers(after.folder / "runs.sqlite", verb), **given,
    )  # fmt: skip


def _has_numbers(path, verb: str) -> bool:
    there = ledger.contents(path)
    return [each["verb"] for each in there["run"]] == [verb] and len(there["number"]) > 0


def _has_tables(content: bytes, verb: str) -> bool:
    return content.decode().startswith(f"<!-- rejoinder {verb} -->\n\n") and b"\n| ---" in (
        content.replace(b"| :---", b"| ---")
    )


def becomes_json(before, after) -> bool:
    return not before.out.lstrip().startswith(("{", "[")) and isinstance(after.json, dict | list)


def refused(words: str) -> Told:
    """The base command is refused with these words."""
    return lambda before, _: words in before.err


def refused_after(words: str) -> Told:
    """The changed command is refused with these words."""
    return lambda _, after: words in after.err


def empty(path: str) -> Told:
    """All that stands at the path is null in the changed result, and something was not before."""
    return lambda before, after: set(flat(after.at(path))) == {None} != set(flat(before.at(path)))


def only(path: str, *wanted) -> Told:
    """These, and no others, stand at the path of the changed result."""
    return lambda _, after: set(flat(after.at(path))) == set(wanted)


def more_than_before(path: str, *added) -> Told:
    """The changed result has these besides what the base has."""
    return lambda before, after: (
        set(flat(after.at(path))) - set(flat(before.at(path))) == set(added)
    )


def rows(result, name: str) -> int:
    """How many rows a table has that was written."""
    return read(result, name).height


def read(result, name: str) -> pl.DataFrame:
    """A table that was written."""
    path = result.folder / name
    readers = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".jsonl": pl.read_ndjson}
    return readers[path.suffix](path)


def flat(value) -> list:
    """All that is no list in nested lists."""
    if not isinstance(value, list):
        return [value]
    return [one for each in value for one in flat(each)]
