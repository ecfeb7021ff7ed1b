"""The items that every metric and every provider measures in the contract tests."""

from random_text import corpus

HYPOTHESES, REFERENCES = corpus(seed=3, n=60)
WEIGHTS = [[1.0, *(round(-0.9 + 0.4 * j, 1) for j in range(len(few) - 1))] for few in REFERENCES]
CONTEXTS = [["hello", few[0] if few else "well"] for few in REFERENCES]
