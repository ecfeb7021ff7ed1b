"""Do references with negative weights help?"""
