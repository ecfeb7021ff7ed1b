"""Readers of test sets and replies: a file for each format, listed in ``registry``."""
