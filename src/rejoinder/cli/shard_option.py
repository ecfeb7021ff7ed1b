"""The options --shard and --engine, and the verbs that have them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from rejoinder.cli.declarations import Options, option


class ShardOptions(Options):
    """Which part of the work is done, and where."""

    engine: str | None = option(
        "--engine",
        metavar="ENGINE",
        help="Cut the work into shards and compute them in K processes (local:K) or on a cluster of Ray "
        "(ray, ray://ADDRESS). Interrupted runs resume: repeat the command.",
    )

    shard: str | None = option(
        "--shard",
        metavar="I/N",
        help="Compute shard I of N alone, and write a part (FILE.part) for 'rejoinder merge'.",
    )


Given = TypeVar("Given", bound=ShardOptions)


def in_shards(verb: Callable[[Given], None]) -> Callable[[Given], None]:
    """A verb whose option --shard writes a part of its work in the place of its output, and --engine all."""

    @wraps(verb)
    def run(given: Given) -> None:
        if given.shard is None and given.engine is None:
            verb(given)
            return
        from rejoinder.cli.parts import run_on_engine, write_part  # not imported for --help

        if given.engine is None:
            write_part(verb, given)
        else:
            run_on_engine(given)

    return run
