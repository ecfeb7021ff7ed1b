"""What joins models to metrics: features of texts, by an explicit table."""
