"""Log-probabilities of replies from a model of ``transformers``."""
