"""Rows in and out of files: delimited text, JSON lines, and what writes tables."""
