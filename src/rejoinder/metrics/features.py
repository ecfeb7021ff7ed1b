"""Who provides the features of models, found by its name: models stand beside metrics."""

from __future__ import annotations

import os
from importlib import import_module

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.progress import Progress

PROVIDING = "rejoinder.providers.table"


def provide(request: Request, batch: Batch, progress: Progress | None = None) -> Features:
    """The features of one request, from whoever provides them (``scoring.features.PROVIDERS``)."""
    return import_module(PROVIDING).provide(request, batch, progress)


def identity(kind: str, source: str | os.PathLike[str]) -> str:
    """A hash of the content of a model's file or folder: what a signature says of it.

    Raises:
        InputError: There is no such file, or it is no such model.
    """
    return import_module(PROVIDING).identity(kind, os.fspath(source))
