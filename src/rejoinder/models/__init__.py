"""Learned parts (torch, gensim): vectors, likelihoods and scorers, given to metrics as arrays."""
