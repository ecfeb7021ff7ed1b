"""What is independent in a pilot, and how many items so many units hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Units:
    """What is independent in a pilot: its items, or clusters of them.

    A plan keeps the items of a cluster, on average, and grows the number of clusters.

    Attributes:
        items: How many items the pilot has.
        clusters: How many clusters; None where every item is independent.
    """

    items: int
    clusters: int | None = None

    @property
    def number(self) -> int:
        """How many independent units the pilot has."""
        return self.items if self.clusters is None else self.clusters

    @property
    def noun(self) -> str:
        """What a unit is called."""
        return "item" if self.clusters is None else "cluster"

    def within(self, items: int) -> int:
        """Number of units in a number of items: whole clusters, or the items themselves.

        >>> Units(60, 12).within(34), Units(60).within(34)
        (6, 34)
        """
        return items if self.clusters is None else items * self.clusters // self.items

    def items_of(self, units: int) -> int:
        """How many items so many units hold.

        >>> Units(60, 12).items_of(7)
        35
        """
        return units if self.clusters is None else -(-units * self.items // self.clusters)

    def column(self, items: int | None) -> dict[str, int | None]:
        """The column ``clusters`` of a row on so many items; null where items are independent."""
        if self.clusters is None or items is None:
            return {"clusters": None}
        return {"clusters": self.within(items)}
