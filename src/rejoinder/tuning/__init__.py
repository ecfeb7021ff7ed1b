"""Sweeps of replying systems: the grid, trials in folders, and what came of them."""
