"""Pictures of results: matplotlib is imported only here, and lazily."""
