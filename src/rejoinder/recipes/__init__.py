"""Whole studies of papers, each in one call, on any data of the same shape."""
