"""The rules that tables and Python arguments keep, each with an error that says where."""
