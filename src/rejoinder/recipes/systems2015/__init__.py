"""Galley et al. (2015): the phrase-based systems, tuned on several metrics."""

from rejoinder.recipes.systems2015.study import Systems2015, systems2015

__all__ = ["Systems2015", "systems2015"]
