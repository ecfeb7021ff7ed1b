"""One file for each result: how it is shown as text or as JSON."""
