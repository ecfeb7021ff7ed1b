"""Candidate references mined from a corpus of conversations."""
