"""Scorers over a sentence encoder: frozen vectors, or both texts read together."""
