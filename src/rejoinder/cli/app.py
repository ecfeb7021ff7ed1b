"""The command ``rejoinder``: its verbs, and what becomes of an error."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from rejoinder._version import __version__
from rejoinder.cli import compare, metrics, score
from rejoinder.errors import RejoinderError

app = typer.Typer(
    name="rejoinder",
    help="Which conversational system is better, how sure that is, and how far a metric can be "
    "trusted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score")(score.score)
app.command("compare")(compare.compare)
app.command("metrics")(metrics.metrics)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rejoinder {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """The options of every verb."""


def main() -> None:
    """Runs the command line: a user's mistake is one message and exit status 2, never a traceback."""
    try:
        app()
    except RejoinderError as error:
        typer.echo(f"rejoinder: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        typer.echo("rejoinder: interrupted; nothing was left half-written", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe (head, less) has gone: not worth a word.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
