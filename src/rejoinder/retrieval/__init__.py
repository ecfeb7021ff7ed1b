"""Retrieval by words: inverted indexes and BM25."""
