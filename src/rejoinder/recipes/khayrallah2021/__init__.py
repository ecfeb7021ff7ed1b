"""Khayrallah and Sedoc (2021): do systems prefer "I don't know." to the reference?"""

from rejoinder.recipes.khayrallah2021.settings import Settings
from rejoinder.recipes.khayrallah2021.study import khayrallah2021
from rejoinder.recipes.khayrallah2021.tables import KhayrallahStudy, absent, cells

__all__ = ["KhayrallahStudy", "Settings", "absent", "cells", "khayrallah2021"]
