"""``rejoinder rerank``: one candidate of each list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.candidate_options import CANDIDATES, NUMBERS, read_utilities, read_weights
from rejoinder.cli.declarations import command, option, path
from rejoinder.cli.option_values import ScoreFile, metric_names

EXAMPLES = """\b
Examples:
  rejoinder rerank samples.jsonl --mbr chrf -o chosen.jsonl
  rejoinder rerank nbest.out --weights tuned.json -o chosen.jsonl --testset testset.jsonl -m chrf
"""


SAME = ("mbr", "best", "oracle", "log_probability", "cluster")
"""Options that are arguments of the same name."""


class RerankOptions(options.TestsetFilesOptions, options.MetricsOptions, options.PrintedOptions):
    """The options of 'rerank'."""

    candidates: Path = CANDIDATES
    output: Path | None = options.output(
        "Responses: .jsonl, .csv or .parquet. Without it, what is chosen is printed alone.",
        required=False,
    )
    weights: Path | None = path(
        "--weights",
        help="Choose by the weighted sum of features: what 'rejoinder tune --json' printed, or an object "
        "of JSON with a weight for each feature.",
    )
    mbr: str | None = option(
        "--mbr",
        holds="metric",
        metavar="NAME[:KEY=VALUE,...]",
        help="Choose by minimum Bayes risk: the candidate that is most alike to the others under this "
        "metric, for example chrf or sbleu.",
        shell_complete=metric_names,
    )
    utility: Path | None = path(
        "--utility",
        help="Choose by minimum Bayes risk with utilities made elsewhere. A table: id, candidate, "
        "reference (numbers in the list, from 1), utility.",
    )
    best: str | None = option(
        "--best",
        metavar="NAME[:lower]",
        help="Choose by the highest number of this name, or the lowest.",
    )
    oracle: str | None = option(
        "--oracle",
        holds="metric",
        metavar="NAME[:KEY=VALUE,...]",
        help="Choose by the references, as a bound for rerankers: greedily, so that this metric is best. "
        "With --testset.",
        shell_complete=metric_names,
    )
    log_probability: str | None = option(
        "--log-probability",
        metavar="NAME",
        help="Number that is the logarithm of a candidate's probability. With --mbr or --utility; "
        "default: all candidates are alike.",
    )
    save_utility: Path | None = path(
        "--save-utility",
        writes=True,
        gives=("keep_utility",),
        help="Save the utilities to this file, for --utility: .parquet, .csv or .jsonl.",
    )
    scores: tuple[ScoreFile, ...] = options.scores(NUMBERS)
    testset: Any = path(
        "--testset", metavar="TESTSET", help="Test set. For -m, --oracle and lists of Moses."
    )
    cluster: str | None = options.CLUSTER
    explain: str | None = option(
        "--explain",
        metavar="ID",
        help="Explain the scores of the item with this id. All its candidates, with what they are chosen by.",
    )


@command(RerankOptions, epilog=EXAMPLES)
def rerank(given: RerankOptions) -> None:
    """Choose one candidate of each n-best list.

    By tuned weights, minimum Bayes risk, the best of a number, or the oracle. CANDIDATES are several
    replies to each item: rows that differ in 'sample' or 'system', samples of logs, or lists of Moses. The
    chosen ones are written (-o) as the responses of a system. With --testset, metrics (-m) compare them with
    the first candidates; the metric that chose overestimates.
    """
    from rejoinder.cli.needs import check_needs
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tables.write import write_responses, write_table
    from rejoinder.tuning.rerank import rerank as reranked

    risk = given.mbr is not None or given.utility is not None
    check_needs(risk, "--mbr METRIC or --utility FILE", "log_probability", "save_utility")
    check_needs(given.testset is not None, "--testset FILE", "oracle", "metrics", "references")
    check_needs(bool(given.metrics), "-m METRIC", "cluster")
    targets.check_file(given.output, targets.RESPONSES, "--output")
    targets.check_file(given.save_utility, targets.UTILITIES, "--save-utility")
    with Progress("reading"):
        testset = given.testset and inputs.read_items(given)
        utility = given.utility and read_utilities(given.utility)
    with Progress("reranking") as tick:
        result = reranked(
            given.candidates,
            testset,
            given.metrics,
            weights=given.weights and read_weights(given.weights),
            utility=utility,
            keep_utility=given.save_utility is not None,
            scores=[each.path for each in given.scores],
            format=given.format,
            columns=given.columns,
            progress=tick,
            **{name: getattr(given, name) for name in SAME},
        )
    explained = None if given.explain is None else result.explain(given.explain)
    with Outputs(result) as outputs:
        responses = result.responses
        wrote = outputs.save(
            given.output, lambda path: write_responses(responses, path), responses.height
        )
        if result.utilities is not None:
            table = result.utilities
            outputs.save(given.save_utility, lambda path: write_table(table, path), table.height)

        if explained is None:
            written = str(given.output) if wrote else None
            outputs.show(given, result.document, lambda: result.as_json(written))
        else:
            from rejoinder.tuning.rerank_tables import candidates_of

            all_of_id = {"id": given.explain, "candidates": explained.to_dicts()}
            outputs.show(given, lambda: candidates_of(explained), lambda: all_of_id)
