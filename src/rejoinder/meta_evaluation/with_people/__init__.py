"""Systems compared by people's ratings of some items and by scores of all."""
