"""The terminal: foreign text made visible, tables that fit, progress and notes."""
