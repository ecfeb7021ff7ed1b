"""Log-probabilities of replies from a completions server."""
