"""The items of GRADE's human evaluation (Huang et al. 2020): what they are called, in files of both kinds.

The contexts and the replies stand in folders of text, the ratings in a JSON file. Neither names its
items, so both readers name them by the same rule, from the contexts alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence


def item_names(contexts: Mapping[str, Sequence[str]], data_set: str = "") -> dict[str, list[str]]:
    """The item that each line of each system belongs to.

    Where all systems answered the same contexts in the same order, an item is called like its line.
    Else it is called like the first system that answered it, by name, and its line there. A context
    that a system answered several times is as many items.

    Args:
        contexts: By system the contexts that it answered, line by line.
        data_set: Goes before every name; empty where there is one data set.

    >>> item_names({"a": ["Hi", "Ho"], "b": ["Hi", "Ho"]})
    {'a': ['1', '2'], 'b': ['1', '2']}
    >>> item_names({"a": ["Hi", "Ho", "Hi"], "b": ["Oh", "Hi", "Hi"]}, "talk")["b"]
    ['talk/b-1', 'talk/a-1', 'talk/a-3']
    """
    before = f"{data_set}/" if data_set else ""
    lines_of = {system: [line.strip() for line in contexts[system]] for system in sorted(contexts)}
    lists = list(lines_of.values())
    if all(lines == lists[0] for lines in lists):
        return {s: [f"{before}{i}" for i in range(1, len(c) + 1)] for s, c in lines_of.items()}
    known: dict[tuple[str, int], str] = {}
    names: dict[str, list[str]] = {}
    for system, lines in lines_of.items():
        times: Counter[str] = Counter()
        names[system] = []
        for number, line in enumerate(lines, start=1):
            times[line] += 1
            name = known.setdefault((line, times[line]), f"{before}{system}-{number}")
            names[system].append(name)
    return names


def data_set_name(name: str) -> str:
    """A data set as its folder is called: the JSON file says ``dailydialog_EVAL`` for one of them."""
    return name.removesuffix("_EVAL")


PUBLISHED = "eval_data"
"""The folder that holds the folders of all data sets, as they were published."""
