"""What every verb says and writes, as text files: see README.md."""
