"""``rejoinder runs``: the runs of a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejoinder.cli import options
from rejoinder.cli.declarations import argument, command, option
from rejoinder.errors import ParameterError

if TYPE_CHECKING:
    from rejoinder.ledger.runs import Runs

PICTURE = "runs"
"""The name of the figure."""

EXAMPLES = """\b
Examples:
  rejoinder score testset.jsonl systems/*.jsonl --ledger runs.sqlite
  rejoinder runs runs.sqlite --metric deltableu --plots figures
  rejoinder runs runs.sqlite 3 7
  rejoinder runs runs.sqlite 3 --freeze release-1
  rejoinder runs runs.sqlite --baseline release-1 --fail-if-worse 0.01
"""


class RunsOptions(options.PrintedOptions, options.FailIfWorseOptions):
    """The options of 'runs'."""

    ledger: Path = argument("ledger", metavar="LEDGER", type=options.PATH)
    numbers: tuple[int, ...] = argument(
        "numbers", metavar="[RUN [RUN]]", type=click.IntRange(1), nargs=-1
    )
    verb: str | None = option("--verb", metavar="NAME", help="Only runs of this verb.")
    metrics: tuple[str, ...] = option(
        "--metric",
        "-m",
        metavar="NAME",
        multiple=True,
        help="Metric; may be repeated. Also a measure or a criterion: prints its value in each run.",
    )
    system: str | None = option("--system", metavar="NAME", help="Only this system.")
    freeze: str | None = option(
        "--freeze",
        metavar="NAME",
        help="Freeze RUN as a baseline of this name, which never moves. Default: the newest run.",
    )
    baseline: str | None = option(
        "--baseline",
        metavar="NAME",
        help="Compare RUN with this frozen baseline, for --fail-if-worse. Default: the newest run of the "
        "baseline's verb.",
    )
    plots: Path | None = options.plots("The values of --metric through time.")


@command(RunsOptions, epilog=EXAMPLES)
def runs(given: RunsOptions) -> None:
    """Show a ledger: a metric through time, changes, gates.

    Commands with --ledger FILE record their numbers there. Without further options: a table of the
    runs. With --metric: its values in each run, with intervals; values under other settings or on
    other data are said to be on another line. With two RUNs: what changed between them. A RUN that is
    frozen under a name is a baseline for --fail-if-worse.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.targets import check_drawings
    from rejoinder.ledger.runs import freeze_run
    from rejoinder.ledger.runs import runs as read

    _check(given)
    check_needs(bool(given.metrics), "--metric NAME", "plots")
    check_needs(given.baseline is not None, "--baseline NAME", "fail_if_worse")
    check_needs(
        given.fail_if_worse is not None, "--fail-if-worse MARGIN", "baseline", "fail_if_unsure"
    )
    check_drawings(given.plots)
    if given.freeze is not None:
        freeze_run(given.ledger, given.freeze, *given.numbers)
    recorded = read(given.ledger, verb=given.verb, metrics=given.metrics, system=given.system)
    if given.baseline is not None:
        _gate(recorded, given)
        return
    result = recorded.changes(*given.numbers) if len(given.numbers) == 2 else recorded
    with Outputs(result) as outputs:
        outputs.plot(recorded, given.plots, PICTURE)
        outputs.show(given, result.document, result.as_json)


def _check(given: RunsOptions) -> None:
    """Raises where RUNs and options do not go together."""
    count, one = len(given.numbers), given.freeze is not None or given.baseline is not None
    if count > 2 or (one and count > 1) or (count == 1 and not one):
        raise ParameterError(
            f"RUN: got {count}; expected 2 to see what changed between them, or 1 beside --freeze or "
            "--baseline"
        )
    if given.freeze is not None and given.baseline is not None:
        raise ParameterError("--freeze and --baseline do not go together; leave one out")


def _gate(recorded: Runs, given: RunsOptions) -> None:
    """Compares a run with a baseline, and exits with status 1 where it is worse."""
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.speech import say

    assert given.baseline is not None
    assert given.fail_if_worse is not None
    gate = recorded.gate(given.baseline, given.fail_if_worse, *given.numbers)
    with Outputs(gate) as outputs:
        outputs.show(given, gate.document, gate.as_json)
    failed = gate.failed(given.fail_if_unsure)
    for row in failed.iter_rows(named=True):
        what = " ".join(filter(None, (row["system"], row["metric"], row["about"])))
        why = f" ({row['reason']})" if row["reason"] else ""
        say(f"rejoinder: {what}: {row['verdict']}, against the baseline '{gate.baseline}'{why}")
    if not failed.is_empty():
        raise SystemExit(1)
