"""Statistics over arrays: intervals, tests, correlation and agreement. No tables here."""
