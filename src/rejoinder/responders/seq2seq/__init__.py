"""Sequence-to-sequence models, trained from a corpus."""
