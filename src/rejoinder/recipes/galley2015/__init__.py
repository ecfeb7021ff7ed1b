"""Galley et al. (2015): the agreement of BLEU and deltaBLEU with people."""
