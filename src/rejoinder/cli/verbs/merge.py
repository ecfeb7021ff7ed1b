"""``rejoinder merge``: the result of a command from the parts that its shards wrote."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import options
from rejoinder.cli.declarations import PATH, argument, command

EXAMPLES = """\b
Examples:
  rejoinder score testset.jsonl systems/*.jsonl --shard 1/2 --save 1.part
  rejoinder score testset.jsonl systems/*.jsonl --shard 2/2 --save 2.part
  rejoinder merge 1.part 2.part --save scores.parquet
"""


class MergeOptions(options.JsonOptions):
    """The options of 'merge'."""

    parts: tuple[Path, ...] = argument(
        "parts", metavar="PART...", type=PATH, nargs=-1, required=True
    )
    save: Path | None = options.save("In the formats of the command that wrote the parts.")


@command(MergeOptions, epilog=EXAMPLES)
def merge(given: MergeOptions) -> None:
    """Merge the parts that commands with --shard wrote.

    The command of the parts runs on their results, in the same folder and on the same files: what it
    prints and writes is equal to that of a run without shards, to the last bit. A part that is missing,
    there twice, damaged, or of another command, file or version is an error, and nothing is written.
    Beside the saved file, FILE.certificate.json lists the parts with their SHA-256.
    """
    from rejoinder.cli.parts import merge_files

    merge_files(given.parts, given.save, given.json)
