"""Models that ``transformers`` and ``sentence-transformers`` wrote, loaded safely."""
