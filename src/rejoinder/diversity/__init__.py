"""How varied the replies of a system to one prompt are, and whether two systems say the same."""
