"""People's judgements: studies of questions to raters, in one file, on a page that serves them."""
