"""``rejoinder audit``: which metrics reward trivial replies."""

from __future__ import annotations

from rejoinder.cli import inputs, options
from rejoinder.cli.declarations import command, integer, option


class AuditOptions(options.Measuring):
    """The options of 'audit'."""

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


@command(AuditOptions)
def audit(given: AuditOptions) -> None:
    """Find the metrics that reward trivial replies.

    Trivial replies are scored beside the systems: one text to everything, the message echoed, the
    last turns pasted together, a random reply, another item's reference, and the item's own
    reference as it is and with its words shuffled (taken out of the references first). A metric is
    in doubt where such a reply scores as high as the systems.
    """
    from rejoinder.auditing.audit import audit as audited
    from rejoinder.cli.show.machine import write
    from rejoinder.cli.terminal.progress import Progress

    texts = inputs.read(given)
    with Progress("auditing") as tick:
        values = given.own() | given.of(options.Gaps, options.Sampling)
        result = audited(*texts, list(given.metrics) or None, **values, progress=tick)
    if given.json:
        write(result.as_json())
    else:
        from rejoinder.cli.show.audit import audit as show

        show(result)
