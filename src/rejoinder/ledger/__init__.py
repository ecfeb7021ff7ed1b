"""A ledger of runs: what each command measured, when, of which files and under which settings."""
