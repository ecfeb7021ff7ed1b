"""Replies marked by a language model, by a rubric."""
