"""All recipes by name: the call that runs the study, and what it asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rejoinder.recipes.galley2015 import galley2015
from rejoinder.recipes.khayrallah2021 import khayrallah2021
from rejoinder.recipes.negative_references import negative_references
from rejoinder.recipes.references import references
from rejoinder.recipes.systems2015 import systems2015
from rejoinder.recipes.tao2018 import tao2018


@dataclass(frozen=True)
class Recipe:
    """The study of a paper.

    Attributes:
        paper: Authors and year.
        question: What the study asks.
        run: The call that runs it; it returns the study, which has ``notes``.
        page: Its page in docs/.
    """

    paper: str
    question: str
    run: Callable[..., Any]
    page: str


RECIPES = {
    "galley2015": Recipe(
        "Galley et al. (2015)",
        "does BLEU agree with people?",
        galley2015,
        "studies/galley2015.md",
    ),
    "khayrallah2021": Recipe(
        "Khayrallah & Sedoc (2021)",
        "RUQ of trained systems.",
        khayrallah2021,
        "studies/khayrallah2021.md",
    ),
    "negative-references": Recipe(
        "Galley et al. (2015)",
        "do negative references help?",
        negative_references,
        "studies/negative-references.md",
    ),
    "references": Recipe(
        "Galley et al. (2015)",
        "references mined, rated, weighed.",
        references,
        "references.md",
    ),
    "systems2015": Recipe(
        "Galley et al. (2015)",
        "do metrics tune other systems?",
        systems2015,
        "studies/systems2015.md",
    ),
    "tao2018": Recipe(
        "Tao et al. (2018)",
        "does RUBER agree with people?",
        tao2018,
        "studies/tao2018.md",
    ),
}
"""Each recipe by its name on the command line."""
