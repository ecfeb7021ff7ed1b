"""What people judged: ratings and preferences, summarised by system and by rater."""
