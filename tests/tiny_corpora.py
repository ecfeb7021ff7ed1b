"""A little corpus of our own writing, which a small model can learn by heart."""

from rejoinder.corpora.pairs import Pairs

DRINKS = ["tea", "water", "juice", "milk", "coffee", "soup"]
PLACES = ["harbour", "museum", "market", "station", "library", "park"]


def little_corpus():
    """72 pairs: what is asked for is what the reply names."""
    rows = []
    for drink in DRINKS:
        for place in PLACES:
            rows.append((f"Is there {drink} at the {place}?", f"Yes, the {place} has {drink}."))
            rows.append((f"I left my {drink} at the {place}.", f"Then go back to the {place}."))
    ids = [str(number) for number in range(len(rows))]
    return Pairs(ids, [row[0] for row in rows], [row[1] for row in rows])


def little(**given):
    """Parameters of a model that trains in a second."""
    from rejoinder.responders.seq2seq.parameters import Parameters

    settings = {
        "vocabulary": 100, "layers": 1, "width": 32, "heads": 2, "feed_forward": 64, "dropout": 0.1,
        "attention_dropout": 0.1, "label_smoothing": 0.1, "learning_rate": 5e-3, "warmup": 20,
        "tokens": 300, "accumulate": 2, "epochs": 3, "longest": 60, "seed": 4,
    }  # fmt: skip
    return Parameters(**{**settings, **given})
