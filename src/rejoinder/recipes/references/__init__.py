"""From a corpus to weighted references, and to how far a metric over them agrees with people."""

from rejoinder.recipes.references.study import ReferencesStudy, references

__all__ = ["ReferencesStudy", "references"]
