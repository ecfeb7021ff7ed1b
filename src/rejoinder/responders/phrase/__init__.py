"""The phrase-based responder of Ritter et al. (2011): message to reply as translation."""
