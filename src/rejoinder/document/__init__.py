"""What is shown of a result: tables of declared columns and lines, without how they look anywhere."""
