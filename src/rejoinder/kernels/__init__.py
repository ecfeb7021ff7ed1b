"""Loops over arrays, compiled by numba. Nothing here knows of files, tables or metrics."""
