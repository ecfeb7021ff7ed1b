"""``rejoinder audit``: which metrics reward trivial replies."""

from __future__ import annotations

from pathlib import Path

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import command, integer, option, path


class TrivialBaselinesOptions(options.Options):
    """What the trivial baselines reply, and which systems are real."""

    constant: str = option(
        "--constant",
        metavar="TEXT",
        default="I don't know.",
        help="The reply of the trivial baseline 'constant', which says the same to everything.",
    )
    turns: int = integer(
        "--turns",
        default=2,
        help="Number of last turns of the context that are used. For the trivial baseline "
        "'context'.",
    )
    without: tuple[str, ...] = options.without(
        "For systems that are not real ones: people, baselines."
    )


class AuditOptions(options.MeasuringOptions, TrivialBaselinesOptions):
    """The options of 'audit'."""

    cluster: str | None = options.CLUSTER
    save_replies: Path | None = path(
        "--save-replies",
        writes=True,
        help="Save the trivial replies to this file, as responses. For another tool to score, whose "
        "scores --scores then takes.",
    )


@command(AuditOptions)
def audit(given: AuditOptions) -> None:
    """Find the metrics that reward trivial replies.

    Trivial replies are scored beside the systems: one text to everything, the message echoed, the
    last turns pasted together, a random reply, another item's reference, and the item's own
    reference as it is and with its words shuffled (taken out of the references first). A metric is
    in doubt where such a reply scores as high as the systems.
    """
    from rejoinder.auditing.audit import audit as audited
    from rejoinder.cli.outputs import Outputs
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.tables.write import write_responses

    targets.check_file(given.save_replies, targets.RESPONSES, "--save-replies")
    texts = inputs.read(given)
    with Progress("auditing") as tick:
        values = given.of(TrivialBaselinesOptions, options.GapsOptions, options.SamplingOptions)
        result = audited(
            *texts, inputs.metrics_of(given), **values, cluster=given.cluster, progress=tick
        )

    with Outputs(result) as outputs:
        replies = result.replies
        outputs.save(
            given.save_replies, lambda path: write_responses(replies, path), replies.height
        )
        outputs.show(given, result.document, result.as_json)
