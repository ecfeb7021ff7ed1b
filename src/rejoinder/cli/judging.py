"""The options that the verbs on people's judgements share."""

from __future__ import annotations

import click

USUAL = (
    "0.1"  # human_evaluation/rater_exclusion.py has it as a number; it is not imported for --help
)

criterion = click.option(
    "--criterion", metavar="NAME", help="One criterion (default: all, each by itself)."
)
filter_raters = click.option(
    "--filter-raters",
    metavar="[T]",
    is_flag=False,
    flag_value=USUAL,
    default=None,
    help=f"Leave out raters whose kappa against the others is below T (without T: {USUAL}). Put it "
    "behind the files, or write --filter-raters=T.",
)
least = click.option(
    "--least",
    metavar="N",
    type=int,
    default=10,
    show_default=True,
    help="Raters who share fewer judgements with others are not judged by kappa, and stay.",
)


def threshold(text: str | None) -> float | None:
    """The kappa of --filter-raters; None where it is not given.

    Raises:
        ParameterError: it is no number: a file that was taken for one, most likely.
    """
    from rejoinder.errors import ParameterError

    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise ParameterError(
            f"--filter-raters {text}: got no number; put the option behind the files, or write "
            f"--filter-raters={USUAL}"
        ) from None
