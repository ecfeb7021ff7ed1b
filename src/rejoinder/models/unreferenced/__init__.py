"""Unreferenced scorers: how well a reply fits its query, learned without any label (RUBER)."""
