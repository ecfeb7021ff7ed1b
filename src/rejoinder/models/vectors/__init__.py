"""Word vectors: trained here, or read from the formats that others publish."""
