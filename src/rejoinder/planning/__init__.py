"""How many items, raters and references an evaluation needs, from a pilot study."""
