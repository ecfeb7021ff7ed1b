"""Mining by brute force: every product of every triple, from the formula, word by word."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from rejoinder import TestSet
from rejoinder.text.bare import bare


def words(text):
    """The words of texts that hold letters and blanks alone."""
    return text.lower().split()


class Bag:
    """BM25 of one side of a corpus, a dictionary for each document."""

    def __init__(self, texts, k1=1.5, b=0.75):
        self.counts = [Counter(words(text)) for text in texts]
        self.k1, self.b = k1, b
        lengths = [sum(count.values()) for count in self.counts]
        self.lengths = lengths
        self.mean = sum(lengths) / len(lengths)
        self.documents = Counter(word for count in self.counts for word in count)

    def scores(self, query):
        """The score of every document, words in the order in which the query has them."""
        n = len(self.counts)
        asked = Counter(words(query))
        weighted = []
        for word, times in asked.items():
            df = self.documents[word]
            weighted.append((word, times, float(np.log1p((n - df + 0.5) / (df + 0.5)))))
        scores = []
        for count, length in zip(self.counts, self.lengths, strict=True):
            norm = self.k1 * (1 - self.b + self.b * length / self.mean)
            score = 0.0
            for word, times, idf in weighted:
                tf = count.get(word)
                if tf:
                    score += times * (idf * tf * (self.k1 + 1) / (tf + norm))
            scores.append(score)
        return scores


def brute_force(triples, queries, alpha, epsilon, wanted):
    """For each query (message, response) its rows (place, message score, response score, product).

    The best first, of equal products the earlier triple; a response once; never the query's own.
    """
    messages, responses = Bag([m for m, _ in triples]), Bag([r for _, r in triples])
    every = []
    for message, response in queries:
        first, second = messages.scores(message), responses.scores(response)
        products = [
            d * (alpha * e + (1 - alpha) * epsilon) for d, e in zip(first, second, strict=True)
        ]
        rows, seen = [], {text for _, text in triples if bare(text) == bare(response)}
        for place in sorted(range(len(triples)), key=lambda i: (-products[i], i)):
            if products[place] <= 0 or len(rows) == wanted:
                break
            if triples[place][1] not in seen:
                seen.add(triples[place][1])
                rows.append((place, first[place], second[place], products[place]))
        every.append(rows)
    return every


def corpus(triples):
    """A corpus with an item for each triple, named by its place."""
    names = [str(i) for i in range(len(triples))]
    return TestSet.from_lists(
        [[r] for _, r in triples], contexts=[m for m, _ in triples], ids=names
    )


def texts(random, count, vocabulary, most):
    """Texts of words with natural frequencies (Zipf); few words make many ties and duplicates."""
    chances = 1 / np.arange(1, vocabulary + 1)
    chances /= chances.sum()
    names = np.array([_name(i) for i in range(vocabulary)])
    sizes = random.integers(1, most + 1, count)
    words = names[random.choice(vocabulary, sizes.sum(), p=chances)]
    ends = np.cumsum(sizes)
    return [" ".join(words[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def _name(number):
    """A word of letters for a number: 0 is a, 26 is ba."""
    digits = [number % 26]
    while number >= 26:
        number //= 26
        digits.append(number % 26)
    return "".join(chr(97 + digit) for digit in reversed(digits))


assert math.isclose(Bag(["a b", "a"]).scores("b")[1], 0.0)
