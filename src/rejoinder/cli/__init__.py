"""The command line: a file for each verb, and how results are shown."""
