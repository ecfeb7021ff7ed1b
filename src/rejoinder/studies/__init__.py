"""The file of a study of human judgements: its tables with their checksums, and what was answered."""
