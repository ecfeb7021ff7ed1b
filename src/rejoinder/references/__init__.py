"""References of a test set: weighted by ratings, and copies of them among the systems."""
