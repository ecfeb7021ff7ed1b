"""RUBER's unreferenced scorer: how well a reply fits its query, learned without labels."""
