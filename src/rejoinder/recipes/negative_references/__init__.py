"""Do negative references help a metric to tell good replies from bad ones?"""

from rejoinder.recipes.negative_references.study import NegativeReferences, negative_references

__all__ = ["NegativeReferences", "negative_references"]
