"""Training in one call each: RUBER's scorers, replying systems, word vectors."""
