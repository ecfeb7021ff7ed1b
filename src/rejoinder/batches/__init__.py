"""What metrics measure: items with replies, weighted references and the features of models."""
