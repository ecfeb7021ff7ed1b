"""Text as bytes, and tokenizers."""
