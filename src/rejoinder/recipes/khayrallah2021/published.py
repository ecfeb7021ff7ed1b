"""The figures that Khayrallah & Sedoc (2021) published, table by table."""

from __future__ import annotations

from rejoinder.recipes.khayrallah2021.settings import KINDS

_OVERLAP = (
    *(f"avg-max BLEU-{n}" for n in (1, 2, 3, 4)),
    *(f"BLEU-{n}" for n in (1, 2, 3, 4)),
    "METEOR",
    "ROUGE-L",
)
_SIMILARITY = ("SkipThought", "embedding average", "vector extrema", "greedy matching")

COLUMNS: dict[str, tuple[str, ...]] = {
    "2": KINDS,
    "3": KINDS,
    "5": ("first", "second", "tie"),
    "6": ("subwords", "learning rate", "dropout", "other dropout", "label smoothing"),
    "7": _OVERLAP,
    "8": _SIMILARITY,
    "9": _OVERLAP,
    "10": _SIMILARITY,
    "11": ("1-grams", "2-grams", "3-grams"),
    "12": ("RUQ-train", "RUQ-test"),
}
"""The columns of the paper's tables; those of Table 4 are what was rated."""

PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    "2": {"DailyDialog": (12.7, 17.8), "entropy-filtered": (13.2, 17.2)},
    "3": {"DailyDialog": (28.5, 95.3), "entropy-filtered": (37.9, 89.2)},
    "5": {
        "EF-BEST - DD-BEST": (38.5, 42.4, 19.1),
        "EF-BASE - EF-BEST": (34.4, 34.0, 31.7),
        "EF-BASE - DD-BASE": (37.0, 41.6, 21.4),
        "DD-BASE - DD-BEST": (36.3, 36.5, 27.2),
    },
    "7": {
        "DD-BASE": (27.8, 14.7, 10.3, 7.9, 48.1, 25.6, 16.2, 11.2, 12.7, 34.3),
        "DD-BEST": (33.9, 21.9, 17.7, 15.3, 53.9, 36.1, 28.9, 25.1, 17.8, 39.7),
        "EF-BASE": (27.8, 14.0, 9.4, 7.0, 46.9, 24.1, 14.6, 9.8, 13.2, 33.4),
        "EF-BEST": (31.7, 19.1, 14.9, 12.7, 51.0, 32.8, 25.5, 21.8, 16.9, 37.2),
    },
    "8": {
        "DD-BASE": (72.4, 90.8, 62.9, 77.2),
        "DD-BEST": (73.8, 92.2, 65.4, 79.3),
        "EF-BASE": (71.9, 91.2, 62.2, 77.0),
        "EF-BEST": (72.8, 91.6, 62.7, 77.9),
    },
    "9": {
        "DD-BASE": (15.3, 7.6, 5.6, 4.5, 12.9, 6.3, 4.1, 3.0, 6.7, 20.6),
        "DD-BEST": (24.3, 16.7, 14.3, 12.8, 23.2, 16.7, 14.2, 12.9, 11.9, 29.2),
        "EF-BASE": (15.9, 7.4, 5.2, 4.1, 15.8, 7.5, 4.7, 3.3, 7.2, 20.4),
        "EF-BEST": (22.1, 14.0, 11.8, 10.5, 22.9, 15.8, 13.2, 11.8, 11.1, 26.6),
    },
    "10": {
        "DD-BASE": (65.3, 86.3, 50.6, 71.3),
        "DD-BEST": (68.2, 88.5, 54.7, 74.6),
        "EF-BASE": (64.9, 86.9, 50.2, 71.3),
        "EF-BEST": (67.0, 87.7, 52.3, 73.1),
    },
    "11": {
        "DD-BASE": (2.4, 10.3, 18.8),
        "DD-BEST": (3.5, 18.0, 35.5),
        "EF-BASE": (2.3, 10.7, 20.1),
        "EF-BEST": (3.8, 18.3, 34.6),
    },
    "12": {
        "DD-BASE": (28.5, 12.2),
        "DD-BEST": (95.3, 35.7),
        "EF-BASE": (37.9, 15.5),
        "EF-BEST": (89.2, 30.7),
    },
}
"""The paper's figures, x100 as printed."""
