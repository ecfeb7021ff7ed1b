"""Reports: everything that is known of some systems on one test set, as one page."""
