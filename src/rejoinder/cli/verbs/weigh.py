"""``rejoinder weigh``: references from past human evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.cli import options
from rejoinder.cli.declarations import command, flag

if TYPE_CHECKING:
    from rejoinder.references.weighing import Weighed


class WeighOptions(options.TextsOptions, options.RatingFilesOptions, options.JsonOptions):
    """The options of 'weigh'."""

    output: Path = options.output("A test set: .jsonl or .parquet.")
    scale: tuple[float, float] = options.scale((1.0, 5.0))
    without: tuple[str, ...] = options.without(
        "Its replies make no references: exclude the system to be scored."
    )
    keep: bool = flag("--keep", help="Keep the test set's own references, before the others.")


@command(WeighOptions)
def weigh(given: WeighOptions) -> None:
    """Make weighted references of replies that people rated.

    Each rated reply becomes a reference of its item: its source the system, its weight the mean
    rating scaled to -1 (worst) to 1 (best). A system must not be scored against its own replies:
    exclude it with --without.
    """
    from rejoinder.cli import inputs, targets
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.show import machine
    from rejoinder.references.weighing import weigh as weighed
    from rejoinder.tables.write import write_testset

    inputs.check_named(given, "--ratings FILE -o OUT.jsonl")
    targets.check_file(given.output, targets.TESTSET, "--output")
    texts = inputs.read(given)
    result = weighed(
        *texts,
        inputs.read_rated(given),
        scale=given.scale,
        criterion=given.criterion,
        without=given.without,
        keep=given.keep,
    )
    result = inputs.with_notes(result, given.ratings)
    with Outputs() as outputs:
        written = outputs.save(
            given.output, lambda path: write_testset(result.testset, path), len(result.testset)
        )
        if given.json:
            machine.write(result.as_json(str(given.output) if written else None))
        else:
            _print(result)


def _print(result: Weighed) -> None:
    from rejoinder.cli.terminal.columns import number, table, text
    from rejoinder.cli.terminal.console import console, print_notes

    out = console()
    shown = table(
        result.sources(),
        text("source", lambda row: "(none named)" if row["source"] is None else row["source"]),
        number("references"),
        number("mean weight", lambda row: f"{row['mean']:.3f}"),
        number("above 0", lambda row: f"{100 * row['positive']:.1f}%"),
    )
    out.print(shown)
    references = result.testset.references.height
    out.print(f"\n{len(result.testset)} items, {references} references")
    print_notes(out, result.notes)
