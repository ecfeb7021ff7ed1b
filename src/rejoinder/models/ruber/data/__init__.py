"""What a scorer learns from: conversations, negative sampling, texts as word ids."""
