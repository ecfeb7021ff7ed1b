"""Corpora to train on: pairs of message and reply, filtered and free of test items."""
