"""Contexts, references and responses: their schemas, validation, readers and writers."""
