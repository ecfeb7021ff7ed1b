"""Head-to-head judgements at a glance: who beats whom, how surely, and how far raters agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.human_evaluation.comparisons import COVARIATE
from rejoinder.human_evaluation.preference_criterion import PreferenceCriterion
from rejoinder.human_evaluation.preference_result import JUDGES, PARAMETERS, PreferenceSummary
from rejoinder.human_evaluation.rater_effects import RaterEffects, effects_fact
from rejoinder.human_evaluation.rater_exclusion import THRESHOLD, SummaryOptions
from rejoinder.human_evaluation.strengths import StrengthModel
from rejoinder.human_evaluation.summary import AGREEMENT, each_criterion, signature
from rejoinder.messages import Argument, listed
from rejoinder.statistics.paired_comparisons import Ties
from rejoinder.statistics.raters import LEAST_SHARED
from rejoinder.tables.checks.arguments import strings
from rejoinder.tables.covariates import covariate_columns, covariate_differences
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.item_clusters import cluster_columns, item_clusters
from rejoinder.tables.parts import Origin
from rejoinder.tables.schemas import PREFERENCES
from rejoinder.tables.selection import criterion_notes, of_criterion, without_systems
from rejoinder.tables.types import Preferences

_TEXT, _COUNT, _NUMBER = pl.String, pl.Int64, pl.Float64
_ENDS = ("_low", "_high")
_COUNTS = {"criterion": _TEXT} | dict.fromkeys(
    ("items", "systems", "pairs", "raters", "comparisons", "ties", "missing"), _COUNT
)
_PAIRS = (
    {"criterion": _TEXT, "a": _TEXT, "b": _TEXT}
    | dict.fromkeys(("wins", "ties", "losses", "comparisons", "items"), _COUNT)
    | {
        name + end: _NUMBER
        for name in ("win_rate", "tie_rate", "loss_rate", "points")
        for end in ("", *_ENDS)
    }
    | dict.fromkeys(("items_won", "items_tied", "items_lost"), _COUNT)
    | {"p": _NUMBER, "p_holm": _NUMBER, "reason": _TEXT}
)
_STRENGTHS = (
    {"criterion": _TEXT, "system": _TEXT}
    | dict.fromkeys(("strength", "low", "high"), _NUMBER)
    | dict.fromkeys(("wins", "ties", "losses"), _COUNT)
    | {"reason": _TEXT}
)
_RANKS = dict.fromkeys(("best_rank", "worst_rank"), _COUNT)
_RATERS = {
    "criterion": _TEXT, "rater": _TEXT, "comparisons": _COUNT, "first": _COUNT, "second": _COUNT,
    "ties": _COUNT, "side_p": _NUMBER, "kappa": _NUMBER, "shared": _COUNT, "constant": pl.Boolean,
    "verdict": _TEXT, "reason": _TEXT,
}  # fmt: skip


def preferences(
    preferences: Frame | Preferences,
    *,
    criterion: str | None = None,
    without: Sequence[str] = (),
    threshold: float = THRESHOLD,
    drop: bool = False,
    least: int = LEAST_SHARED,
    resamples: int = 1000,
    seed: int = 12345,
    cluster: str | None = None,
    ties: Ties = "half",
    covariates: Sequence[str] = (),
    judges: Sequence[str] = (),
    own: Mapping[str, Sequence[str]] | None = None,
    rater_effects: RaterEffects | None = None,
    bootstrap: bool = False,
    ranks: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> PreferenceSummary:
    """Compares systems by people's preferences, criterion by criterion.

    Judgements of one item by several people are no independent facts. So intervals take judgements
    by item (see `effective_size`), the bootstrap draws items, and the sign test has one observation
    for each item: the side that more of its judges preferred. With one judge for each item these are
    the plain intervals and the plain test.

    Args:
        preferences: ``schemas.PREFERENCES``: what ``read_preferences`` returns.
        criterion: One of them; None takes all, each by itself.
        without: Systems to leave out, with all their comparisons.
        threshold: Raters whose kappa is below are named, and dropped if so wished.
        drop: Drop them.
        least: The fewest pairs of replies shared with others to be judged by.
        resamples: Of the bootstrap; 0 for no intervals of strengths and agreement.
        seed: Random seed.
        cluster: A column of ``preferences`` whose equal values are not independent (conversation,
            user): intervals and tests are over whole clusters. ``none``: every item is independent;
            None: ``conversation`` where there is such a column.
        ties: ``half``: a tie is half a win for either system (Bradley and Terry 1952); ``davidson``: an
            outcome of its own (Davidson 1970).
        covariates: In what two replies differ beside the system, taken out of the strengths: columns
            ``NAME_a`` and ``NAME_b``, or ``NAME`` with the difference, or ``length`` and
            ``markdown``, measured of the columns ``text_a`` and ``text_b``.
        judges: Raters (such as language models) whose votes have a discrimination of their own: how
            sharply they tell systems apart, beside all other raters. Of each the preference for the
            first place and the agreement with itself in both orders are measured too.
        own: By judge the systems of its own kind (its own model, or one of its family), whose favour
            beyond people's votes is measured.
        rater_effects: ``random``: the intervals of strengths hold for other raters too; ``fixed``: for these
            alone. None: random where there are four raters or more with names, and no judges.
        bootstrap: Intervals of strengths by the percentile bootstrap, which are somewhat too narrow.
        ranks: The range of ranks of each system, from Wald tests of all pairs, Holm-corrected.
        progress: Called with how many criteria are done, and of how many.

    Raises:
        InputError: The table breaks its rules, or the filter leaves nobody.
        ParameterError: A parameter is unknown or has a value outside its range.

    >>> rows = [(f"c{i}", "ours", "theirs", "ann", "overall", "ab"[i % 4 == 3]) for i in range(8)]
    >>> summary = preferences(pl.DataFrame(rows, schema=PREFERENCES, orient="row"), resamples=0)
    >>> summary.pairs.select("a", "win_rate", "p").row(0)  # 6 to 2: (1 + 8 + 28) / 2^7
    ('ours', 0.75, 0.2890625)
    """
    without = strings(without, "without", "systems")
    covariates = tuple(strings(covariates, "covariates", "covariates"))
    judges = tuple(strings(judges, "judges", "raters"))
    model = StrengthModel(ties, covariates, judges, rater_effects, bootstrap, ranks)
    keep = (*cluster_columns(cluster), *covariate_columns(covariates))
    given = taken(Preferences, preferences, keep=keep).frame
    clusters, faults = item_clusters(given, cluster, "preferences")
    options = SummaryOptions(threshold, drop, least, resamples, seed, clusters=clusters)
    differences = covariate_differences(given, covariates, Origin.of_table("preferences", given))
    table = given.select(*PREFERENCES).with_columns(
        pl.Series(COVARIATE + name, differences[:, i]) for i, name in enumerate(covariates)
    )
    table = of_criterion(table, criterion)
    faults = [*criterion_notes(table, criterion), *faults]
    table = without_systems(table, without, ("a", "b"))
    _check_judges(table, judges)
    own = _own_kinds(own or {}, judges, table)

    def summarised(name: str, rows: pl.DataFrame) -> PreferenceCriterion:
        return PreferenceCriterion(name, rows, options, model, own)

    parts, notes = each_criterion(table, summarised, progress)
    clustering = {"clusters": _COUNT} if clusters else {}
    return PreferenceSummary(
        pl.DataFrame([part.counts() for part in parts], schema=_COUNTS | clustering),
        pl.DataFrame([row for part in parts for row in part.pairs], schema=_PAIRS | clustering),
        pl.DataFrame(
            [row for part in parts for row in part.strengths],
            schema=_STRENGTHS | (_RANKS if ranks else {}),
        ),
        pl.DataFrame([row for part in parts for row in part.agreement], schema=AGREEMENT),
        pl.DataFrame([row for part in parts for row in part.raters], schema=_RATERS),
        (*faults, *notes),
        signature(
            "preferences",
            table,
            without,
            options,
            options.signature(),
            "test:sign by item",
            model.signature(),
            effects_fact(part.rule for part in parts),
        ),
        pl.DataFrame([row for part in parts for row in part.parameters], schema=PARAMETERS),
        pl.DataFrame([row for part in parts for row in part.judges], schema=JUDGES),
    )


def _check_judges(table: pl.DataFrame, judges: Sequence[str]) -> None:
    """Raises a ParameterError for a judge without comparisons, or where nobody else compared."""
    raters = table.get_column("rater").unique(maintain_order=True).to_list()
    for judge in judges:
        if judge not in raters:
            raise ParameterError(
                Argument("judges"), f": no rater is called {judge!r}; got {listed(raters)}"
            )
    if judges and set(raters) <= set(judges):
        raise ParameterError(
            Argument("judges"),
            ": all raters are named as judges; the discrimination of a judge is "
            "measured beside people: leave one or more out",
        )


def _own_kinds(
    families: Mapping[str, Sequence[str]], judges: Sequence[str], table: pl.DataFrame
) -> dict[str, tuple[str, ...]]:
    """The systems of each judge's own kind, checked.

    Raises:
        ParameterError: A rater is not among the judges, or a system not among those compared.
    """
    systems = pl.concat([table.get_column("a"), table.get_column("b")]).unique().to_list()
    checked = {}
    for judge, kind in families.items():
        names = tuple(strings(kind, f"own[{judge!r}]", "systems"))
        if judge not in judges:
            others = f"; the judges are {listed(judges)}" if judges else ""
            raise ParameterError(
                Argument("own"),
                f": {judge!r} is not among the judges{others}; name it with {Argument('judges')}",
            )
        for name in names:
            if name not in systems:
                raise ParameterError(
                    f"own: no system is called {name!r}; got {listed(sorted(systems))}"
                )
        checked[judge] = names
    return checked
