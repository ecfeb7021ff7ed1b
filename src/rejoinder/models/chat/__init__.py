"""Chat models behind servers: a conversation goes in, an answer comes out."""
