"""The options that the verbs on people's judgements share."""

from __future__ import annotations

import click

from rejoinder.errors import ParameterError

USUAL = (
    "0.1"  # human_evaluation/rater_exclusion.py has it as a number; it is not imported for --help
)

criterion = click.option(
    "--criterion", metavar="NAME", help="Rating criterion. Default: all, each by itself."
)


def _threshold(_context: click.Context, _option: click.Parameter, text: str | None) -> float | None:
    """The kappa of --filter-raters; None where it is not given.

    Raises:
        ParameterError: It is not a number, most likely a file that stands behind the option.
    """
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise ParameterError(
            f"--filter-raters {text}: got no number; put the option behind the files, or write "
            f"--filter-raters={USUAL}"
        ) from None


filter_raters = click.option(
    "--filter-raters",
    metavar="[T]",
    is_flag=False,
    flag_value=USUAL,
    default=None,
    callback=_threshold,
    help=f"Exclude raters whose kappa against the others is below T (without T: {USUAL}). Put it "
    "behind the files, or write --filter-raters=T.",
)
least = click.option(
    "--least",
    metavar="N",
    type=int,
    default=10,
    show_default=True,
    help="Minimum number of judgements that a rater shares with others. Raters with fewer "
    "are never removed.",
)
