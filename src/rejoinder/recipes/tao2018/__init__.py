"""Tao et al. (2018): the agreement of RUBER with human ratings."""

from rejoinder.recipes.tao2018.figures import draw
from rejoinder.recipes.tao2018.study import Model, TaoStudy, Texts, cases, tao2018

__all__ = ["Model", "TaoStudy", "Texts", "cases", "draw", "tao2018"]
