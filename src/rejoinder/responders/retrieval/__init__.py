"""The reply of the corpus whose message is most similar."""
