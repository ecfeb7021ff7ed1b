"""Which metrics reward trivial replies that no system should give."""
