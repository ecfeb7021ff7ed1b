"""What the readers share: from the fields of a file to the columns of a table."""
