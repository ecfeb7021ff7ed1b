"""What works on all metrics alike: measuring, rows and their sums, resamples, intervals."""
