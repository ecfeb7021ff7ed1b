"""Readers of logs of other tools: a file for each tool, listed in ``registry``."""
