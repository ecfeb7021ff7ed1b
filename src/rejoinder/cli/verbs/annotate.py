"""``rejoinder annotate``: the group; each way of asking people has a file of its own."""

from __future__ import annotations

import click

from rejoinder.cli.verb_group import VerbGroup
from rejoinder.cli.verbs.annotate_export import export
from rejoinder.cli.verbs.annotate_page import page
from rejoinder.cli.verbs.annotate_serve import serve


@click.group(cls=VerbGroup)
def annotate() -> None:
    """Have people judge replies, on a web page of your own."""


for _command in (serve, page, export):
    annotate.add_command(_command)
