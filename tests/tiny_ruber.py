"""A little corpus of our own writing, and RUBER models that train on it in a second."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import polars as pl

from rejoinder import TestSet

DRINKS = ["tea", "water", "juice", "milk", "coffee", "soup"]
PLACES = ["harbour", "museum", "market", "station", "library", "park"]


def dialogues(drinks=DRINKS, places=PLACES):
    """Of four turns each: what is asked for is what the replies name."""
    return [
        [
            f"Is there {drink} at the {place}?",
            f"Yes, the {place} has {drink}.",
            "And is it any good?",
            f"The {drink} is fine, the {place} is loud.",
        ]
        for drink in drinks
        for place in places
    ]


def conversations(talks):
    """A corpus: every turn but the first one of its dialogue is a reply."""
    pairs = [(talk[:i], talk[i]) for talk in talks for i in range(1, len(talk))]
    return items([context for context, _ in pairs], [[reply] for _, reply in pairs])


def items(contexts, references):
    """A test set of contexts, each with its references."""
    return TestSet.from_lists(references, contexts=contexts)


def responses(texts, system="a"):
    """A system's replies to the items of ``items``, in their order."""
    ids = [str(i + 1) for i in range(len(texts))]
    schema = {"system": pl.String, "id": pl.String, "text": pl.String}
    return pl.DataFrame({"system": [system] * len(texts), "id": ids, "text": texts}, schema)


@contextmanager
def narrow():
    """Sizes with a narrow network, for tests that ask a model often and want nothing of it."""
    from rejoinder.models.ruber import registry

    before = dict(registry.SIZES)
    for name in ("paper", "gru"):
        config = registry.SIZES[name].config
        layers = tuple(min(16, units) for units in config.layers)
        thin = replace(config, units=min(16, config.units), layers=layers)
        registry.SIZES[name] = replace(registry.SIZES[name], config=thin)
    try:
        yield
    finally:
        registry.SIZES.update(before)


def trained(path, corpus=None, **given):
    """A model's folder."""
    from rejoinder.training.ruber import train_ruber

    settings = {"sizes": ("paper",), "seeds": 1, "epochs": 1, **given}
    corpus = conversations(dialogues()) if corpus is None else corpus
    return train_ruber(corpus, path, **settings)
