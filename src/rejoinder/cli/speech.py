"""Single lines for people, where there is no table: on standard error beside results, mostly."""

from __future__ import annotations

import click

from rejoinder.text.visible import visible


def say(line: str, err: bool = True, lines: bool = False) -> None:
    r"""Prints a line; what of it would steer the terminal is written out.

    Args:
        line: What to say; it may name ids, systems and files of others.
        err: On standard error, the rule; else on standard output.
        lines: It has several lines.

    >>> say("a\x1b[31mb", err=False)
    a\x1b[31mb
    """
    click.echo(visible(line, lines), err=err)
