"""The runs of a ledger: a table of them, a metric through time, what changed, and gates."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.database import Database
from rejoinder.ledger.comparable import basis, differences, role
from rejoinder.ledger.ledger import LEDGER, contents
from rejoinder.ledger.registrations import now
from rejoinder.messages import Argument, counted, quoted
from rejoinder.result import PlottedResult, TableResult
from rejoinder.scoring.margins import NOT_CLEAR, NOT_WORSE, UNDEFINED, WORSE

NOT_COMPARABLE = "not comparable"
OF = ("table", "name", "system", "metric", "about")
"""What a number is of."""
ENDS = ("value", "low", "high")
_RUNS = {
    "run": pl.Int64, "at": pl.String, "verb": pl.String, "version": pl.String, "seed": pl.Int64,
    "metrics": pl.List(pl.String), "systems": pl.List(pl.String), "numbers": pl.Int64,
    "baselines": pl.List(pl.String), "command": pl.String,
}  # fmt: skip
_NUMBERS = {"run": pl.Int64, **dict.fromkeys(OF, pl.String), **dict.fromkeys(ENDS, pl.Float64)}
_SERIES = {
    "run": pl.Int64, "at": pl.String, "verb": pl.String, **_NUMBERS, "line": pl.Int64,
    "version": pl.String,
}  # fmt: skip
_CHANGES: dict[str, Any] = dict.fromkeys(("change", "name", "first", "second"), pl.String)
_GATE = {
    "verb": pl.String, **dict.fromkeys(OF[1:], pl.String),
    **dict.fromkeys(("baseline", "value", "difference", "low", "high"), pl.Float64),
    "verdict": pl.String, "reason": pl.String,
}  # fmt: skip

Run = Mapping[str, Any]


@dataclass(frozen=True, repr=False)
class Runs(PlottedResult):
    """The runs of a ledger, oldest first, and with a metric its values through time.

    Attributes:
        runs: A row for each run.
        series: A row for each value of the metrics that were asked for; empty without. Values of one
            ``line`` have the same settings and the same data; others cannot be compared.
        notes: Why values stand on several lines.
        rows: By its number what the ledger has of each run.
        numbers: A row for each number of these runs.
        frozen: By the name of a baseline its run.
    """

    runs: pl.DataFrame
    series: pl.DataFrame
    notes: tuple[str, ...]
    rows: Mapping[int, Run] = field(repr=False)
    numbers: pl.DataFrame = field(repr=False)
    frozen: Mapping[str, int] = field(repr=False)

    def document(self, view: View = AS_USUAL) -> Document:
        """The table of runs, or the values through time where a metric was asked for."""
        from rejoinder.ledger.runs_tables import runs_document

        return runs_document(self.runs, self.series, self.notes)

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.json_of("runs", "series", "notes")

    def changes(self, first: int, second: int) -> RunChanges:
        """What changed between two runs: version, settings, signatures, inputs and numbers.

        Raises:
            ParameterError: There is no such run.
        """
        a, b = (self.rows[self._known(each)] for each in (first, second))
        old, new = _facts(a), _facts(b)
        changes = [
            (change, name, old[change].get(name), new[change].get(name))
            for change in old
            for name in dict.fromkeys([*old[change], *new[change]])
            if old[change].get(name) != new[change].get(name)
        ]
        both = self._beside(self.numbers.filter(run=first), a, b).drop_nulls("run_right")
        numbers = both.rename({"value": "first", "value_right": "second"}).select(
            *OF, "first", "second", "difference", "reason"
        )
        table = pl.DataFrame(changes, _CHANGES, orient="row")
        return RunChanges(first, second, table, numbers, explaining(a, b))

    def gate(self, baseline: str, worse_by: float, run: int | None = None) -> RunGate:
        """Whether a run is worse than a frozen baseline.

        The interval of a difference is made of the intervals of both values (MOVER, Zou and Donner 2008).
        It takes them for independent; on the same items they mostly are not, and it is then too wide, so
        that a loss is shown less often, and never more often, than 'compare' shows it.

        Args:
            baseline: The name under which a run was frozen.
            worse_by: The largest loss that is accepted, in the metrics' own range.
            run: The run; None takes the newest of the baseline's verb.

        Raises:
            ParameterError: There is no such baseline or run, or the margin is no number from 0 on.
            InputError: No run was recorded after the baseline, or none of its numbers can be compared.
        """
        if not 0 <= worse_by < math.inf:
            raise ParameterError(
                Argument("worse_by", worse_by), " must be a number from 0 on; 0 accepts no loss"
            )
        if baseline not in self.frozen:
            known = one_of(self.frozen) if self.frozen else "none; freeze a run first"
            raise ParameterError(f"no baseline is called {quoted(baseline)}; there is {known}")
        old = self.rows[self.frozen[baseline]]
        newest = [number for number, each in self.rows.items() if each["verb"] == old["verb"]][-1]
        new = self.rows[newest if run is None else self._known(run)]
        if new["id"] == old["id"]:
            raise InputError(
                f"no run of {quoted(old['verb'])} was recorded after the baseline {quoted(baseline)}, which "
                f"is run {old['id']}; record one"
            )
        both = self._beside(main_numbers(self.numbers.filter(run=old["id"])), old, new)
        rows = [_judged(each, old, new, worse_by) for each in both.iter_rows(named=True)]
        table = pl.DataFrame(rows, _GATE)
        if (table["verdict"] == NOT_COMPARABLE).all():
            why = "; ".join(table["reason"].unique(maintain_order=True)) or "it has no interval"
            raise InputError(
                f"run {new['id']} cannot be compared with the baseline {quoted(baseline)}, run "
                f"{old['id']}: {why}; repeat the command of the baseline, or freeze a new one"
            )
        return RunGate(baseline, old["id"], new["id"], worse_by, table)

    def _beside(self, numbers: pl.DataFrame, first: Run, second: Run) -> pl.DataFrame:
        """Numbers of the first run beside those of the second, and why they cannot be compared."""
        after = self.numbers.filter(run=second["id"]).unique(OF, keep="last")
        both = numbers.join(after, on=OF, how="left", maintain_order="left")
        apart = {
            name: differences(basis(first, name), basis(second, name)) for name in {*both["metric"]}
        }
        reasons = {name: "; ".join(each) or None for name, each in apart.items()}
        reason = pl.col("metric").replace_strict(reasons, default=None, return_dtype=pl.String)
        return both.with_columns(difference=pl.col("value_right") - pl.col("value"), reason=reason)

    def _known(self, run: int) -> int:
        if run not in self.rows:
            there = f"1 to {max(self.rows)}" if self.rows else "none"
            raise ParameterError(f"there is no run {run}; the ledger has {there}")
        return run


@dataclass(frozen=True, repr=False)
class RunChanges(TableResult):
    """What changed between two runs.

    Attributes:
        first: The first run.
        second: The second run.
        changes: A row for each difference of version, verb, seed, settings, signatures and inputs.
        numbers: The numbers that both have; ``reason`` says why two cannot be compared.
        command: The command that says which setting of a metric moves its value; empty where no
            setting of a metric differs.
    """

    first: int
    second: int
    changes: pl.DataFrame
    numbers: pl.DataFrame
    command: str

    def document(self, view: View = AS_USUAL) -> Document:
        """What changed, and the numbers that differ."""
        from rejoinder.ledger.runs_tables import changes_document

        return changes_document(self.first, self.second, self.changes, self.numbers, self.command)

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.json_of("first", "second", "changes", "numbers", "command")


@dataclass(frozen=True, repr=False)
class RunGate(TableResult):
    """A run beside a frozen baseline.

    Attributes:
        baseline: The name of the baseline.
        frozen: The run that is the baseline.
        run: The run that is compared with it.
        worse_by: The largest loss that is accepted.
        table: A row for each value of the baseline that has an interval, with its verdict.
    """

    baseline: str
    frozen: int
    run: int
    worse_by: float
    table: pl.DataFrame

    def failed(self, unsure: bool = False) -> pl.DataFrame:
        """The rows in which the run is worse, undefined, or cannot be compared.

        Args:
            unsure: Take also those where a loss beyond the margin is not excluded.
        """
        passing = [NOT_WORSE] if unsure else [NOT_WORSE, NOT_CLEAR]
        return self.table.filter(~pl.col("verdict").is_in(passing))

    def document(self, view: View = AS_USUAL) -> Document:
        """The values of both runs, their difference, and the verdict."""
        from rejoinder.ledger.runs_tables import gate_document

        return gate_document(self.table, self.baseline, self.frozen, self.run, self.worse_by)

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.json_of("baseline", "frozen", "run", "worse_by", "table")


def runs(
    ledger: str | os.PathLike[str],
    *,
    verb: str | None = None,
    metrics: Sequence[str] = (),
    system: str | None = None,
) -> Runs:
    """Reads the runs of a ledger, oldest first.

    Args:
        ledger: The file that ``--ledger`` made.
        verb: Only runs of this verb.
        metrics: Only runs with these metrics, measures or criteria, whose values are then in ``series``.
        system: Only runs and values of this system.

    Raises:
        InputError: There is no such ledger, it is damaged, or a later version wrote it.
        ParameterError: No run is of this verb, metric or system.
    """
    tables = contents(ledger)
    rows = {each["id"]: each for each in tables["run"]}
    frozen = {each["name"]: each["run"] for each in tables["baseline"]}
    numbers = pl.DataFrame(
        [{**each, "table": each["of_table"]} for each in tables["number"]], _NUMBERS
    )
    wanted = _chosen("metrics", metrics, numbers["metric"])
    _chosen("verb", [] if verb is None else [verb], (each["verb"] for each in rows.values()))
    _chosen("system", [] if system is None else [system], numbers["system"])
    rows = {number: each for number, each in rows.items() if verb in (None, each["verb"])}
    numbers = numbers.filter(pl.col("run").is_in([*rows]))
    if wanted:
        numbers = numbers.filter(pl.col("metric").is_in(wanted))
    if system is not None:
        numbers = numbers.filter(system=system)
    if wanted or system is not None:
        rows = {number: rows[number] for number in numbers["run"].unique(maintain_order=True)}
    series, notes = _series(rows, numbers) if wanted else ([], ())
    listed, of_time = _listed(rows, numbers, frozen), pl.DataFrame(series, _SERIES)
    return Runs(listed, of_time, tuple(notes), rows, numbers, frozen)


def freeze_run(ledger: str | os.PathLike[str], name: str, run: int | None = None) -> int:
    """Freezes a run as a baseline, which never moves, and returns the run's number.

    Args:
        ledger: The file that ``--ledger`` made.
        name: The name of the baseline, which no run has yet.
        run: The run; None takes the newest.

    Raises:
        ParameterError: There is no such run, or the name is taken.
        InputError: The ledger cannot be written.
    """
    with closing(Database(ledger, LEDGER)) as database, database.transaction() as db:
        taken = db.execute("SELECT run FROM baseline WHERE name = ?", (name,)).fetchone()
        last = db.execute("SELECT coalesce(max(id), 0) FROM run").fetchone()[0]
        number = last if run is None else run
        if taken == (number,):
            return number
        if taken is not None:
            raise ParameterError(
                f"the baseline {quoted(name)} is run {taken[0]} and does not move; choose another name"
            )
        if not 1 <= number <= last:
            raise ParameterError(f"there is no run {number}; the ledger has {counted(last, 'run')}")
        db.execute("INSERT INTO baseline (name, run, at) VALUES (?, ?, ?)", (name, number, now()))
    return number


def main_numbers(numbers: pl.DataFrame) -> pl.DataFrame:
    """The values of each run with an interval, or the first column: of its main table, where that has any."""
    with_interval, first = pl.col("low").is_not_null(), pl.col("name") == pl.col("name").first()
    ends = pl.when(with_interval.any()).then(with_interval).otherwise(first)
    values, main = numbers.filter(ends.over("run")), pl.col("table") == ""
    return values.filter((main | ~main.any()).over("run"))


def explaining(first: Run, second: Run) -> str:
    """The command that says which setting moves a metric's value between two runs; empty for none."""
    specs = [_metrics(each["command"]) for each in (first, second)]
    for name in specs[0].keys() & specs[1].keys():
        one, other = (each[name] for each in specs)
        if one != other and first["verb"] in ("score", "compare"):
            files = [
                each["path"] or each["name"]
                for each in second["inputs"]
                if role(each) in ("testset", "responses")
            ]
            return f"rejoinder explain-diff {' '.join(files)} -m {one} -m {other}"
    return ""


def _metrics(command: Sequence[str]) -> dict[str, str]:
    """The metrics of a command as they were given, by the name without settings."""
    given = [
        value for option, value in itertools.pairwise(command) if option.strip("-") == "metric"
    ]
    return {each.partition(":")[0].lower(): each for each in given}


def _listed(
    rows: Mapping[int, Run], numbers: pl.DataFrame, frozen: Mapping[str, int]
) -> pl.DataFrame:
    """A row for each run."""
    counts = dict(numbers["run"].value_counts().iter_rows())
    names = pl.col("metric", "system").unique(maintain_order=True)
    of_runs = {
        run: each for run, *each in main_numbers(numbers).group_by("run").agg(names).iter_rows()
    }
    listed = []
    for number, run in rows.items():
        metrics, systems = of_runs.get(number, ((), ()))
        listed.append(
            {
                "run": number,
                **{name: run[name] for name in ("at", "verb", "version", "seed")},
                "metrics": [*filter(None, metrics)],
                "systems": [*filter(None, systems)],
                "numbers": counts.get(number, 0),
                "baselines": [name for name, each in frozen.items() if each == number],
                "command": " ".join(run["command"]),
            }
        )
    return pl.DataFrame(listed, _RUNS)


def _series(
    rows: Mapping[int, Run], numbers: pl.DataFrame
) -> tuple[list[dict[str, Any]], list[str]]:
    """The values through time, each on its line, and why there are several lines."""
    series: list[dict[str, Any]] = []
    notes: dict[str, None] = {}
    lines: dict[tuple[str, ...], list[tuple[dict[str, str], int]]] = {}
    bases: dict[tuple[int, str], dict[str, str]] = {}
    for each in main_numbers(numbers).iter_rows(named=True):
        number, metric = each["run"], each["metric"]
        run, key = rows[number], (number, metric)
        bases[key] = own = bases.get(key) or basis(run, metric)
        known = lines.setdefault((run["verb"], *_key(each)), [])
        line = next((at for at, (other, _) in enumerate(known) if other == own), len(known))
        if line == len(known):
            if known:
                apart = ((differences(other, own), run) for other, run in known)
                why, since = min(apart, key=lambda each: len(each[0]))
                words = f"run {number} cannot be compared with run {since} ({metric})"
                notes[f"{words}: {'; '.join(why)}"] = None
            known.append((own, number))
        about = {name: run[name] for name in ("at", "verb", "version")}
        series.append({**each, **about, "line": line + 1})
    return series, list(notes)


def _judged(row: Mapping[str, Any], old: Run, new: Run, margin: float) -> dict[str, Any]:
    """A row of a gate: a value of the baseline beside that of the run."""
    values = {
        "baseline": row["value"],
        "value": row["value_right"],
        "difference": row["difference"],
    }
    judged = {"verb": old["verb"], **{name: row[name] for name in OF[1:]}, **values}
    if row["run_right"] is None:
        return judged | {"verdict": NOT_COMPARABLE, "reason": f"run {new['id']} has no such value"}
    if row["reason"]:
        return judged | {"verdict": NOT_COMPARABLE, "reason": row["reason"]}
    ends = [row[f"{name}{side}"] for side in ("", "_right") for name in ENDS]
    if None in ends:
        return judged | {"verdict": UNDEFINED, "reason": "a value or an interval is undefined"}
    low = high = row["difference"]  # of the same replies it is exact
    if _contents(old) != _contents(new):
        low, high = difference_interval(*ends)
    loss = (low, high) if row["metric"] in old["lower"] else (-high, -low)
    verdict = WORSE if loss[0] > margin else NOT_WORSE if loss[1] <= margin else NOT_CLEAR
    return judged | {"low": low, "high": high, "verdict": verdict}


def difference_interval(
    before: float, before_low: float, before_high: float, after: float, low: float, high: float
) -> tuple[float, float]:
    """The interval of ``after - before`` from those of both, taken for independent (MOVER).

    Zou and Donner (2008), equations 5 and 6: the distance from the estimate to each end is the root of
    the sum of squares of the two distances that make the difference smaller, or larger.

    Args:
        before: The earlier value.
        before_low: The lower end of its interval.
        before_high: The upper end.
        after: The later value.
        low: The lower end of its interval.
        high: The upper end.

    >>> [round(end, 4) for end in difference_interval(0.5, 0.46, 0.53, 0.75, 0.72, 0.79)]
    [0.2076, 0.3066]
    """
    less, more = (
        math.hypot(after - low, before_high - before),
        math.hypot(high - after, before - before_low),
    )
    return after - before - less, after - before + more


def _chosen(argument: str, wanted: Iterable[str], there: Iterable[str]) -> list[str]:
    """The names that are meant: exactly, or by their letters and digits as 'bleu' is BLEU-2.

    Raises:
        ParameterError: There is none.
    """
    names: list[str] = []
    known = sorted({*there} - {""})
    for each in wanted:
        begin = _letters(each)
        exact = [name for name in known if name == each]
        alike = exact or [name for name in known if begin and _letters(name).startswith(begin)]
        if not alike or (argument != "metrics" and not exact):
            raise ParameterError(
                Argument(argument, each),
                f": no run has it; choose {one_of(known) if known else 'another ledger'}",
            )
        names += alike
    return names


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _key(number: Run) -> tuple[str, ...]:
    return tuple(number[name] for name in OF)


def _facts(run: Run) -> dict[str, dict[str, str | None]]:
    """What may change from run to run: by its kind and name the value."""
    one = {
        name: {"": run[name] if run[name] is None else str(run[name])}
        for name in ("version", "verb", "seed")
    }
    more = {"setting": run["settings"], "signature": run["signatures"], "input": _contents(run)}
    return one | more


def _contents(run: Run) -> dict[str, str | None]:
    """The inputs of a run: the first digits of the content of each, by role and name."""
    return {
        f"{each['as']} {each['name']}": (each["content"] or "unknown")[:12]
        for each in run["inputs"]
    }
