"""``rejoinder train``: the group; each kind of model has a file of its own."""

from __future__ import annotations

import click

from rejoinder.cli.verb_group import VerbGroup
from rejoinder.cli.verbs.train_responder import responder
from rejoinder.cli.verbs.train_ruber import ruber
from rejoinder.cli.verbs.train_vectors import vectors


@click.group(cls=VerbGroup)
def train() -> None:
    """Train a replying system, a scorer, or word vectors."""


for _command in (responder, ruber, vectors):
    train.add_command(_command)
