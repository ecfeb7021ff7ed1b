"""Whole studies of papers, on data of your own: a package for each paper, listed in `registry`."""
