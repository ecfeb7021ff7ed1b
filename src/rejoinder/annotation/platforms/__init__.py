"""The questions of a study as tasks of other platforms, whose results our readers of ratings take."""
