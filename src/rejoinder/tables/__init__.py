"""Tables of contexts, references and responses: schemas, rules, readers, writers."""
