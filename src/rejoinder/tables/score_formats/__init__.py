"""Readers of scores that other tools made: a file for each format, listed in ``registry``."""
