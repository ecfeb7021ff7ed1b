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
from rejoinder.ledger.ledger import LEDGER, contents, now
from rejoinder.messages import Argument, counted, quoted
from rejoinder.result import PlottedResult, TableResult
from rejoinder.scoring.margins import NOT_CLEAR, NOT_WORSE, UNDEFINED, WORSE

NOT_COMPARABLE = "not comparable"
OF = ("table", "name", "system", "metric", "about")
"""What a number is of."""
_RUNS = {
    "run": pl.Int64, "at": pl.String, "verb": pl.String, "version": pl.String, "seed": pl.Int64,
    "metrics": pl.List(pl.String), "systems": pl.List(pl.String), "numbers": pl.Int64,
    "baselines": pl.List(pl.String), "command": pl.String,
}  # fmt: skip
_SERIES = {
    "run": pl.Int64, "at": pl.String, "verb": pl.String, **dict.fromkeys(OF, pl.String),
    "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "line": pl.Int64, "version": pl.String,
}  # fmt: skip
_CHANGES: dict[str, Any] = dict.fromkeys(("change", "name", "first", "second"), pl.String)
_BOTH = {
    **dict.fromkeys(OF, pl.String),
    **dict.fromkeys(("first", "second", "difference"), pl.Float64),
    "reason": pl.String,
}
_GATE = {
    "verb": pl.String, **dict.fromkeys(OF[1:], pl.String),
    **dict.fromkeys(("baseline", "value", "difference", "low", "high"), pl.Float64),
    "verdict": pl.String, "reason": pl.String,
}  # fmt: skip

Rows = list[dict[str, Any]]


@dataclass(frozen=True, repr=False)
class Runs(PlottedResult):
    """The runs of a ledger, oldest first, and with a metric its values through time.

    Attributes:
        runs: A row for each run.
        series: A row for each value of the metrics that were asked for; empty without. Values of one
            ``line`` have the same settings and the same data; others cannot be compared.
        notes: Why values stand on several lines.
    """

    runs: pl.DataFrame
    series: pl.DataFrame
    notes: tuple[str, ...]
    rows: Mapping[int, dict[str, Any]] = field(repr=False)
    of_run: Mapping[int, Rows] = field(repr=False)
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
        changes = [
            {"change": "version", "name": "", "first": a["version"], "second": b["version"]},
            {"change": "verb", "name": "", "first": a["verb"], "second": b["verb"]},
            {"change": "seed", "name": "", "first": _text(a["seed"]), "second": _text(b["seed"])},
            *(
                {"change": change, "name": name, "first": old.get(name), "second": new.get(name)}
                for change, old, new in (
                    ("setting", a["settings"], b["settings"]),
                    ("signature", a["signatures"], b["signatures"]),
                    ("input", _contents(a), _contents(b)),
                )
                for name in dict.fromkeys([*old, *new])
            ),
        ]
        changes = [each for each in changes if each["first"] != each["second"]]
        olds = {_key(each): each for each in self.of_run[first]}
        both = [
            {
                **dict(zip(OF, _key(each), strict=True)),
                "first": olds[_key(each)]["value"],
                "second": each["value"],
                "difference": _minus(each["value"], olds[_key(each)]["value"]),
                "reason": "; ".join(differences(basis(a, each["metric"]), basis(b, each["metric"])))
                or None,
            }
            for each in self.of_run[second]
            if _key(each) in olds
        ]
        return RunChanges(
            first,
            second,
            pl.DataFrame(changes, _CHANGES),
            pl.DataFrame(both, _BOTH),
            explaining(a, b),
        )

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
        news = {_key(each): each for each in self.of_run[new["id"]]}
        rows = [
            _judged(old, new, each, news.get(_key(each)), worse_by)
            for each in main_numbers(self.of_run[old["id"]])
        ]
        if all(each["verdict"] == NOT_COMPARABLE for each in rows):
            why = "; ".join(dict.fromkeys(each["reason"] for each in rows)) or "it has no interval"
            raise InputError(
                f"run {new['id']} cannot be compared with the baseline {quoted(baseline)}, run "
                f"{old['id']}: {why}; repeat the command of the baseline, or freeze a new one"
            )
        return RunGate(baseline, old["id"], new["id"], worse_by, pl.DataFrame(rows, _GATE))

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
    names = {name: each["run"] for each in tables["baseline"] for name in [each["name"]]}
    verbs = {each["verb"] for each in rows.values()}
    numbers = [{**each, "table": each.pop("of_table")} for each in tables["number"]]
    wanted = _chosen("metrics", metrics, {each["metric"] for each in numbers} - {""})
    _chosen("verb", [] if verb is None else [verb], verbs)
    _chosen(
        "system", [] if system is None else [system], {each["system"] for each in numbers} - {""}
    )
    rows = {number: each for number, each in rows.items() if verb in (None, each["verb"])}
    of_run: dict[int, Rows] = {number: [] for number in rows}
    for each in numbers:
        kept = each["run"] in rows and system in (None, each["system"])
        if kept and (not wanted or each["metric"] in wanted):
            of_run[each["run"]].append(each)
    if wanted or system is not None:
        rows = {number: each for number, each in rows.items() if of_run[number]}
    listed = [_listed(each, of_run[number], names) for number, each in rows.items()]
    series, notes = _series(rows, of_run) if wanted else ([], ())
    return Runs(
        pl.DataFrame(listed, _RUNS),
        pl.DataFrame(series, _SERIES),
        tuple(notes),
        rows,
        of_run,
        names,
    )


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


def main_numbers(numbers: Rows) -> Rows:
    """The values of a run with an interval, or the first column: of its main table, where that has any."""
    first = [each for each in numbers if each["name"] == numbers[0]["name"]]
    every = [each for each in numbers if each["low"] is not None] or first
    return [each for each in every if not each["table"]] or every


def explaining(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
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


def _listed(run: Mapping[str, Any], numbers: Rows, frozen: Mapping[str, int]) -> dict[str, Any]:
    main = main_numbers(numbers) or numbers
    return {
        "run": run["id"],
        **{name: run[name] for name in ("at", "verb", "version", "seed")},
        "metrics": list(dict.fromkeys(each["metric"] for each in main if each["metric"])),
        "systems": list(dict.fromkeys(each["system"] for each in main if each["system"])),
        "numbers": len(numbers),
        "baselines": [name for name, number in frozen.items() if number == run["id"]],
        "command": " ".join(run["command"]),
    }


def _series(
    rows: Mapping[int, dict[str, Any]], of_run: Mapping[int, Rows]
) -> tuple[Rows, list[str]]:
    """The values through time, each on its line, and why there are several lines."""
    series: Rows = []
    notes: dict[str, None] = {}
    lines: dict[tuple[str, ...], list[tuple[dict[str, str], int]]] = {}
    bases: dict[tuple[int, str], dict[str, str]] = {}
    for number, run in rows.items():
        for each in main_numbers(of_run[number]):
            of = (run["verb"], *_key(each))
            key = (number, each["metric"])
            bases[key] = own = bases.get(key) or basis(run, each["metric"])
            known = lines.setdefault(of, [])
            line = next((at for at, (other, _) in enumerate(known) if other == own), len(known))
            if line == len(known):
                if known:
                    apart = ((differences(other, own), run) for other, run in known)
                    why, since = min(apart, key=lambda each: len(each[0]))
                    words = f"run {number} cannot be compared with run {since} ({each['metric']})"
                    notes[f"{words}: {'; '.join(why)}"] = None
                known.append((own, number))
            named = dict(zip(OF, _key(each), strict=True))
            ends = {name: each[name] for name in ("value", "low", "high")}
            about = {name: run[name] for name in ("at", "verb", "version")}
            series.append({"run": number, **about, **named, **ends, "line": line + 1})
    return series, list(notes)


def _judged(
    old: Mapping[str, Any], new: Mapping[str, Any], before: dict[str, Any],
    after: dict[str, Any] | None, margin: float,
) -> dict[str, Any]:  # fmt: skip
    """A row of a gate: a value of the baseline beside that of the run."""
    metric = before["metric"]
    row = {
        "verb": old["verb"],
        **{name: before[name] for name in OF[1:]},
        "baseline": before["value"],
    }
    if after is None:
        return row | {"verdict": NOT_COMPARABLE, "reason": f"run {new['id']} has no such value"}
    reasons = differences(basis(old, metric), basis(new, metric))
    row |= {"value": after["value"], "difference": _minus(after["value"], before["value"])}
    if reasons:
        return row | {"verdict": NOT_COMPARABLE, "reason": "; ".join(reasons)}
    ends = [each[name] for each in (before, after) for name in ("value", "low", "high")]
    if None in ends:
        return row | {"verdict": UNDEFINED, "reason": "a value or an interval is undefined"}
    low = high = row["difference"]  # of the same replies it is exact
    if _contents(old) != _contents(new):
        low, high = difference_interval(*ends)
    loss = (low, high) if metric in old["lower"] else (-high, -low)
    verdict = WORSE if loss[0] > margin else NOT_WORSE if loss[1] <= margin else NOT_CLEAR
    return row | {"low": low, "high": high, "verdict": verdict, "reason": None}


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
    difference = after - before
    return (
        difference - math.hypot(after - low, before_high - before),
        difference + math.hypot(high - after, before - before_low),
    )


def _chosen(argument: str, wanted: Iterable[str], there: Iterable[str]) -> list[str]:
    """The names that are meant: exactly, or by their letters and digits as 'bleu' is BLEU-2.

    Raises:
        ParameterError: There is none.
    """
    names: list[str] = []
    known = sorted(there)
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


def _key(number: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(number[name] for name in OF)


def _contents(run: Mapping[str, Any]) -> dict[str, str]:
    """The inputs of a run: the first digits of the content of each, by role and name."""
    return {
        f"{each['as']} {each['name']}": (each["content"] or "unknown")[:12]
        for each in run["inputs"]
    }


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _text(value: object) -> str | None:
    return None if value is None else str(value)
