"""Relative utterance quantity (RUQ): does a model prefer generic replies?"""
