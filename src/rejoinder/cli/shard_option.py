"""The options --shard and --engine, and the verbs that have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from rejoinder.cli.declarations import Options, option
from rejoinder.errors import ParameterError


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
        help="Compute shard I of N alone. A part (FILE.part) is written for 'rejoinder merge'; where the "
        "output is a folder, all shards write to it, and the command without --shard goes on.",
    )

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        if self.engine is not None and self.shard is None:
            from rejoinder.cli.engines import engine_of  # not imported for --help

            self.engine_begun = engine_of(self.engine)  # before what takes long to import


class FolderShardOptions(ShardOptions):
    """The same for a verb whose work is files of its output folder."""


Given = TypeVar("Given", bound=ShardOptions)


def in_shards(verb: Callable[[Given], None]) -> Callable[[Given], None]:
    """A verb whose option --shard computes a part of its work, and --engine all parts."""

    @wraps(verb)
    def run(given: Given) -> None:
        if given.shard is None and given.engine is None:
            verb(given)
            return
        from rejoinder.cli import parts  # not imported for --help

        if given.shard is not None and given.engine is not None:
            raise ParameterError("--engine: computes all shards; leave out --shard")
        if isinstance(given, FolderShardOptions):
            parts.run_in_folder(verb, given)
        elif given.engine is None:
            parts.write_part(verb, given)
        else:
            parts.run_on_engine(given)

    return run
