"""From tables to Scores: measure every reply once, then sum, resample and compare."""
