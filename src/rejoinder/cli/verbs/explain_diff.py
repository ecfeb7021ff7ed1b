"""``rejoinder explain-diff``: why two tools give two numbers."""

from __future__ import annotations

from rejoinder.cli import inputs, options
from rejoinder.cli.declarations import command, option
from rejoinder.cli.terminal.progress import Progress
from rejoinder.errors import ParameterError


class ExplainDiffOptions(
    options.TextsOptions,
    options.MetricsOptions,
    options.GapsOptions,
    options.SeedOptions,
    options.PrintedOptions,
):
    """The options of 'explain-diff'."""

    reported: str | None = option(
        "--reported",
        metavar="VALUE",
        help="Figure that the other tool printed, with its decimals. With one -m: the settings of the "
        "metric that give it, x100 or not, are searched for.",
    )


@command(ExplainDiffOptions, name="explain-diff")
def explain_diff(given: ExplainDiffOptions) -> None:
    """Explain why two tools give two numbers for the same files.

    Give a metric twice, under the settings of each tool: -m bleu:compat=sacrebleu
    -m bleu:compat=nltk. The settings that differ are changed one after the other, and the files are
    scored after each change. How much a setting adds depends on those before it, so the table also
    says what it would change alone. For ROUGE, what rouge-score's aggregator prints. Or give one
    metric, the replies of one system, and the figure that the other tool printed: --reported 27.41.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.scoring.explain_diff import explain_diff as explained

    check_needs(
        given.reported is None, "two metrics (-m ... -m ...) in the place of --reported", "seed"
    )
    if given.reported is not None:
        _reported(given, given.reported)
        return
    if len(given.metrics) != 2:
        raise ParameterError(
            f"--metric: got {len(given.metrics)}, expected 2: the metric with the settings of the one tool "
            "and of the other, for example -m bleu:compat=sacrebleu -m bleu:compat=nltk; or 1 with --reported"
        )
    testset, responses = inputs.read(given)
    with Progress("measuring") as tick:
        values = given.of(options.GapsOptions, options.SeedOptions)
        result = explained(testset, responses, *given.metrics, **values, progress=tick)

    with Outputs(result) as outputs:
        outputs.show(given, result.document, result.as_json)


def _reported(given: ExplainDiffOptions, reported: str) -> None:
    """Searches for the settings that give a figure."""
    from rejoinder.cli.outputs import Outputs
    from rejoinder.scoring.reported import find_settings

    if len(given.metrics) != 1:
        raise ParameterError(
            f"--metric: got {len(given.metrics)}, expected 1 with --reported: the metric whose settings are "
            "searched, for example -m bleu"
        )
    testset, responses = inputs.read(given)
    with Progress("measuring") as tick:
        values = given.of(options.GapsOptions)
        result = find_settings(
            testset, responses, *given.metrics, reported, **values, progress=tick
        )

    with Outputs(result) as outputs:
        outputs.show(given, result.document, result.as_json)
