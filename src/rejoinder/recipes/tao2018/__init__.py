"""Tao et al. (2018): the agreement of RUBER, its halves and n-grams with people."""
