"""The web page of a study: Starlette, templates and static files of our own, nothing from elsewhere."""
