"""Who makes the features that metrics ask for: models, joined to metrics by an explicit table."""
