"""What all tests share."""

from hypothesis import settings

# Kernels are compiled on first use: the first example takes its time.
settings.register_profile("rejoinder", deadline=None)
settings.load_profile("rejoinder")
