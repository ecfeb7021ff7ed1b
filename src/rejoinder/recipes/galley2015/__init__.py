"""Galley et al. (2015): the agreement of BLEU and deltaBLEU with human ratings."""

from rejoinder.recipes.galley2015.figures import Figure2, draw, figure2
from rejoinder.recipes.galley2015.study import GalleyStudy, galley2015
from rejoinder.recipes.galley2015.tables import Table2, table1, table2

__all__ = ["Figure2", "GalleyStudy", "Table2", "draw", "figure2", "galley2015", "table1", "table2"]
