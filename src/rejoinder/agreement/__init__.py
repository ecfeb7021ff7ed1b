"""How far metrics and people agree, and people with each other. Arrays in, numbers out."""
