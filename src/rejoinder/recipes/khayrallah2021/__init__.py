"""Khayrallah and Sedoc (2021): do systems prefer "I don't know."?"""
