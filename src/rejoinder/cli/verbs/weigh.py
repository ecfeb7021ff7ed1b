"""``rejoinder weigh``: references from past human evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli import options

if TYPE_CHECKING:
    from rejoinder.references.weighing import Weighed


@click.command()
@click.argument("testset", type=options.PATH)
@options.responses
@options.references
@options.ratings
@options.ratings_format
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    required=True,
    help="Output path. A test set: .jsonl or .parquet.",
)
@options.rating_scale(default=(1.0, 5.0))
@options.criterion
@click.option(
    "--without",
    metavar="SYSTEM",
    multiple=True,
    help="Exclude this system; may be repeated. Its replies make no references: exclude the "
    "system to be scored.",
)
@click.option("--keep", is_flag=True, help="Keep the test set's own references, before the others.")
@options.testset_format
@options.responses_format
@options.as_json
def weigh(
    testset: Path,
    responses: tuple[Path, ...],
    references: tuple[Path, ...],
    ratings: tuple[Path, ...],
    ratings_format: str | None,
    output: Path,
    scale: tuple[float, float],
    criterion: str | None,
    without: tuple[str, ...],
    keep: bool,
    testset_format: str | None,
    responses_format: str | None,
    json: bool,
) -> None:
    """Make weighted references of replies that people rated.

    Each rated reply becomes a reference of its item: its source the system, its weight the mean
    rating scaled to -1 (worst) to 1 (best). A system must not be scored against its own replies:
    exclude it with --without.
    """
    from rejoinder.cli import inputs, targets
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.errors import ParameterError
    from rejoinder.references.weighing import weigh as weighed
    from rejoinder.tables.ratings import read_ratings
    from rejoinder.tables.write import write_testset

    responses = inputs.responses_of(testset, responses, testset_format)
    if not responses:
        inputs.refuse_scores(testset, "weigh")
        raise ParameterError(
            f"{testset}: a test set alone; name the rated replies too: "
            f"rejoinder weigh {testset} SYSTEM.jsonl ... --ratings FILE -o OUT.jsonl"
        )
    targets.check_file(output, targets.TESTSET, "--output")
    items, replies = inputs.read(testset, references, responses, testset_format, responses_format)
    with Progress("reading"):
        rated = read_ratings(*ratings, format=ratings_format)
    made = weighed(
        items, replies, rated, scale=scale, criterion=criterion, without=without, keep=keep
    )
    with Outputs() as outputs:
        written = outputs.save(output, lambda path: write_testset(made.testset, path))
        (_write if json else _print)(made, output if written else None)


def _write(made: Weighed, output: Path | None) -> None:
    from rejoinder.cli.show import machine

    machine.write(made.as_json(output and str(output)))


def _print(made: Weighed, output: Path | None) -> None:
    from rejoinder.cli.terminal.console import bare_table, console, print_notes

    out = console()
    shown = bare_table()
    shown.add_column("source")
    for name in ("references", "mean weight", "above 0"):
        shown.add_column(name, justify="right")
    for row in made.sources():
        name = "(none named)" if row["source"] is None else row["source"]
        shown.add_row(
            name,
            str(row["references"]),
            f"{row['mean']:.3f}",
            f"{100 * row['positive']:.1f}%",
        )
    out.print(shown)
    out.print()
    print_notes(out, made.notes)
    if output is None:
        return
    references = made.testset.references.height
    written = f"written: {output} ({len(made.testset)} items, {references} references)"
    out.print(written, soft_wrap=True)
