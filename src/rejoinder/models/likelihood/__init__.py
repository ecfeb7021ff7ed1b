"""How likely a model finds given replies to given prompts: per-token log-probabilities."""
