"""Readers of ratings: a file for each format, listed in ``registry``."""
