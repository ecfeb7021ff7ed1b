"""The kinds of files that people have: what each looks like, and what is read from it."""
