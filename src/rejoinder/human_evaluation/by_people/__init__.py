"""Systems compared by people's ratings: pairs, intervals, ranks and who is best."""
