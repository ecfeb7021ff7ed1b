"""What head-to-head judgements hold, and what is shown of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from rejoinder.document.best_system import Standing, best_sentence, standings
from rejoinder.document.numbers import NONE, decimals, p_value
from rejoinder.document.parts import (
    AS_USUAL,
    GAP,
    Document,
    Line,
    View,
    lines,
    reasons,
    signed,
    spaced,
)
from rejoinder.document.table import PAIR, TESTED, Table, estimate, key, number
from rejoinder.human_evaluation.shown_judgements import (
    CRITERION,
    agreement,
    of,
    possible,
    raters,
    verdicts,
)
from rejoinder.messages import counted
from rejoinder.result import PlottedResult

_TEXT, _COUNT, _NUMBER = pl.String, pl.Int64, pl.Float64
PARAMETERS = (
    dict.fromkeys(("criterion", "parameter", "name"), _TEXT)
    | dict.fromkeys(("value", "low", "high"), _NUMBER)
    | {"reason": _TEXT}
)
JUDGES = (
    dict.fromkeys(("criterion", "judge", "measure"), _TEXT)
    | dict.fromkeys(("value", "low", "high", "p", "p_holm"), _NUMBER)
    | {"n": _COUNT, "reason": _TEXT}
)

CHOICES = "people's choices"
"""What a verdict on choices between two replies rests on."""

_ESTIMATED = {
    "tie": "ties ({})",
    "covariate": "effect of {}",
    "discrimination": "discrimination of {}",
}
_VOTES = {
    "first place": "% for the first place",
    "own kind": "% for its own kind",
    "both orders": "% same in both orders",
}


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceSummary(PlottedResult):
    """What head-to-head judgements hold. Undefined numbers are NaN, and ``reason`` says why.

    Attributes:
        counts: A row for each criterion: ``criterion``, ``items``, ``systems``, ``pairs`` (of
            systems that met), ``raters``, ``comparisons``, ``ties``, ``missing`` (pairs of replies x
            raters without a judgement). All of them before the filter.
        pairs: ``criterion``, ``a``, ``b``; ``wins``, ``ties`` and ``losses`` of a, ``comparisons``
            and ``items``; ``win_rate``, ``tie_rate``, ``loss_rate`` and ``points`` (a tie as half a
            win), each with ``..._low`` and ``..._high`` (95%, Wilson's interval at the effective
            size of judgements grouped by item); ``items_won``, ``items_tied``, ``items_lost`` (by
            more judgements for a than for b); ``p``, the exact two-sided sign test over items, and
            ``p_holm``, corrected over the criterion's pairs; ``reason``; with clusters their number,
            ``clusters``, and a test that flips the signs of whole clusters.
        strengths: ``criterion``, ``system``, ``strength`` (log odds, mean 0), ``low``, ``high`` (95%,
            the sandwich over items with Student's t), ``wins``, ``ties``, ``losses``, ``reason``; where
            ranks are asked for, ``best_rank`` and ``worst_rank``.
        parameters: What is estimated beside strengths, a row each: ``criterion``, ``parameter``
            (``tie``: nu, the odds of a tie between equal systems; ``covariate``: log odds for each
            unit; ``discrimination``: of a judge, beside 1 of people), ``name``, ``value``, ``low``,
            ``high``, ``reason``.
        agreement: ``criterion``, ``raters`` (``all``, or ``kept`` after the filter), ``measure``
            (``alpha nominal``, ``alpha ordinal``, ``kappa``: the mean over raters), ``value``,
            ``low``, ``high``, ``n`` (pairs of replies that two people judged; raters), ``reason``.
        raters: ``criterion``, ``rater``, ``comparisons``, ``first``, ``second``, ``ties`` (how often
            ``a`` was preferred, ``b``, neither), ``side_p`` (exact two-sided sign test of first
            against second, among systems that change sides; NaN where none does), ``kappa`` (linearly
            weighted, against the others), ``shared``, ``constant`` (always the same side, or always
            a tie), ``verdict`` (``kept``, ``below`` the threshold, or ``dropped`` for that, ``not
            judged``), ``reason``.
        judges: Where judges are named, what moves their votes beside the better reply (see
            `JudgeVotes`): ``criterion``, ``judge`` (or ``people``), ``measure`` (``first place``,
            ``own kind``, ``both orders``), ``value``, ``low``, ``high`` (shares), ``p``, ``p_holm``,
            ``n``, ``reason``.
        notes: What was left out, and what the data cannot tell.
        signature: Everything that the numbers follow from.
    """

    counts: pl.DataFrame
    pairs: pl.DataFrame
    strengths: pl.DataFrame
    agreement: pl.DataFrame
    raters: pl.DataFrame
    notes: tuple[str, ...]
    signature: str
    parameters: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=PARAMETERS))
    judges: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=JUDGES))

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder preferences --json`` prints."""
        tables = "counts", "pairs", "strengths", "agreement", "raters", "verdicts"
        more = [name for name in ("parameters", "judges") if getattr(self, name).height]
        return self.json_of(*tables, *more, "signature", "notes")

    def standings(self, criterion: str) -> tuple[Standing, ...]:
        """The systems under a criterion, best first, each with the share of its choices that it won.

        Ties are half a win. The order is that of the strengths where they are known: of a system that won
        or lost every choice there is none. Systems that were never compared are left out.
        """
        met = pl.sum_horizontal("wins", "ties", "losses")
        table = of(self.strengths, criterion).filter(met > 0)
        table = table.with_columns(share=(pl.col("wins") + pl.col("ties") / 2) / met)
        known = table.get_column("strength").is_not_nan().all()
        table = table.sort("strength" if known else "share", descending=True, maintain_order=True)
        difference = 2 * pl.col("points") - 1
        tests = of(self.pairs, criterion).select("a", "b", difference, "p_holm").iter_rows()
        return standings(table.select("system", "share").iter_rows(), tests) if table.height else ()

    @property
    def verdicts(self) -> pl.DataFrame:
        """``criterion`` and ``sentence``: which system is best by people's choices."""
        rows = [
            (name, choices_sentence(ordered))
            for name in self.counts.get_column("criterion")
            if (ordered := self.standings(name))
        ]
        return pl.DataFrame(rows, schema={"criterion": _TEXT, "sentence": _TEXT}, orient="row")

    def document(self, view: View = AS_USUAL) -> Document:
        """Every criterion: what there is, the pairs, the strengths, the raters, and who is best."""
        shown: Document = []
        for row in self.counts.iter_rows(named=True):
            shown += [Line(row["criterion"], "heading"), Line(_compared(row)), GAP]
            shown += self._criterion(row["criterion"])
        shown.append(Line(self._legend(), "legend"))
        shown += reasons(self.pairs, self.strengths, self.agreement, self.judges)
        shown += verdicts(self.verdicts)
        shown += lines(self.notes, "note")
        return [*shown, GAP, *signed({"signature": self.signature})]

    def _criterion(self, name: str) -> Iterator[Table | Line]:
        yield from spaced(_pairs(of(self.pairs, name)))
        yield from spaced(_strengths(of(self.strengths, name)))
        if (parameters := of(self.parameters, name)).height:
            yield from spaced(_parameters(parameters))
        if (judges := of(self.judges, name)).height:
            yield from spaced(_judges(judges))
        yield from spaced(agreement(of(self.agreement, name)))
        counts = [number(each) for each in ("comparisons", "first", "second", "ties")]
        sides = number("side p", "side_p", p_value)
        yield from spaced(raters(of(self.raters, name), [*counts, sides]))

    def _legend(self) -> str:
        return (
            "a wins, tie, b wins: % of comparisons, [low, high] 95%, judgements of one item taken "
            "together; items W/T/L: won, tied, lost by a, by more judgements; p: exact sign test over "
            f"items; p Holm: corrected over pairs, * below 0.05; {self._strengths_legend()}; first, second: "
            "the side preferred; side p: exact sign test of these two, where systems change sides; "
            f"{_JUDGE_COLUMNS if self.judges.height else ''}{NONE}: undefined"
        )

    def _strengths_legend(self) -> str:
        """How strengths are estimated, and how to read what is estimated beside them."""
        named = set(self.parameters.get_column("parameter"))
        ties = "Davidson's model" if "tie" in named else "Bradley-Terry"
        half = "" if "tie" in named else ", a tie as half a win"
        words = [f"strength: {ties}, log odds, mean 0{half}"]
        if "tie" in named:
            words.append(
                "nu: ties for each win of one side, between equal systems (0.5: a tie in 1 of 5)"
            )
        if "covariate" in named:
            words.append("effect: log odds for a reply that has 1 more of it than the other")
        if "discrimination" in named:
            words.append(
                "discrimination: 1 tells systems apart as people do, 0 not at all, below 0 the other way"
            )
        if "best_rank" in self.strengths.columns:
            words.append(
                "ranks 2-5: one system is significantly better, and this one may be fifth (by strengths: "
                "Wald tests, Holm-corrected; not by the sign tests above)"
            )
        return "; ".join(words)


_JUDGE_COLUMNS = (
    "judges: how often the reply in the first place, or of the judge's own kind, wins against an "
    "equal one (50: no preference; own kind: beyond people's votes), and of pairs of replies judged "
    "in both orders how many have the same outcome; "
)


def choices_sentence(ordered: Sequence[Standing]) -> str:
    """Which system is best by people's choices, from ``PreferenceSummary.standings``."""
    of_two, of_all = "in choices between the two", "in all of its choices"
    return best_sentence(ordered, CHOICES, lambda share: f"{100 * share:.0f}%", of_two, of_all)


def _compared(row: Mapping[str, Any]) -> str:
    return (
        f"{counted(row['items'], 'item')}, {counted(row['systems'], 'system')}, "
        f"{counted(row['pairs'], 'pair')}; {counted(row['raters'], 'rater')}, "
        f"{counted(row['comparisons'], 'comparison')}, {counted(row['ties'], 'tie')}"
        f"{possible(row['comparisons'], row['missing'], 'compared pairs of replies')}"
    )


def _percent(share: float) -> str:
    return NONE if math.isnan(share) else f"{100 * share:.0f}"


def _counts(*counts: int) -> str:
    return "/".join(map(str, counts))


def _pairs(rows: pl.DataFrame) -> Table:
    rates = {
        "a wins": ("win_rate", "a won"),
        "tie": ("tie_rate", "are ties"),
        "b wins": ("loss_rate", "b won"),
    }
    columns = [
        *PAIR,
        number("n", "comparisons"),
        *(
            estimate(heading, (rate, f"{rate}_low", f"{rate}_high"), _percent)
            for heading, (rate, _) in rates.items()
        ),
        number("items W/T/L", ("items_won", "items_tied", "items_lost"), _counts),
        *TESTED,
    ]
    meanings = {
        "comparisons": "Number of comparisons of the pair.",
        "items_won": "Number of items with more judgements for a.",
        "items_tied": "Number of items with as many judgements for both.",
        "items_lost": "Number of items with more judgements for b.",
    }
    meanings |= {rate: f"Share of comparisons that {what}." for rate, what in rates.values()}
    return Table(rows, columns, above=CRITERION, meanings=meanings)


def _strengths(rows: pl.DataFrame) -> Table:
    ordered = rows.sort(pl.col("strength").fill_nan(None), descending=True, nulls_last=True)
    columns = [
        key("system"),
        estimate("strength", ("strength", "low", "high"), decimals(2)),
        number("wins/ties/losses", ("wins", "ties", "losses"), _counts),
    ]
    if "best_rank" in rows.columns:
        columns.append(number("ranks", ("best_rank", "worst_rank"), _ranks))
    meanings = {"strength": "Log odds of winning, mean 0."}
    return Table(ordered, columns, "strengths", above=CRITERION, meanings=meanings)


def _ranks(best: int | None, worst: int | None) -> str:
    if best is None:
        return NONE
    return f"{best}" if best == worst else f"{best}-{worst}"


def _parameters(rows: pl.DataFrame) -> Table:
    """What is estimated beside strengths."""
    columns = [
        key("estimated too", ("parameter", "name"), lambda of, name: _ESTIMATED[of].format(name)),
        estimate("value", ("value", "low", "high"), decimals(2)),
    ]
    meanings = {
        "parameter": "What is estimated: tie, covariate or discrimination.",
        "name": "Name of the covariate or the judge.",
    }
    return Table(rows, columns, "parameters", above=CRITERION, meanings=meanings)


def _judges(rows: pl.DataFrame) -> Table:
    """What moves the votes of judges beside the better reply."""
    columns = [
        key("judge"),
        key("votes", "measure", _VOTES.__getitem__),
        estimate("value", ("value", "low", "high"), _percent),
        *TESTED,
        number("n", belongs=True),
    ]
    meanings = {"measure": "What moves votes: first place, own kind, both orders."}
    return Table(rows, columns, "judges", above=CRITERION, meanings=meanings)
