"""Replying systems: small, honest baselines, so that every experiment runs end to end."""
