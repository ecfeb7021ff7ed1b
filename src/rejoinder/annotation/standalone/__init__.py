"""The task of one rater as one HTML file that needs no server and asks for nothing from elsewhere."""
