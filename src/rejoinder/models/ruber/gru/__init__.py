"""The scorer of the paper: two Bi-GRUs, a bilinear term and a small network."""
