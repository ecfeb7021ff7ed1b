"""Documents as Markdown, LaTeX, HTML and CSV. A renderer knows the parts of a document and no verb."""
