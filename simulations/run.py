"""Simulates intervals and tests: ``make coverage``, or ``python simulations/run.py [part ...]``.

With --write, the section of each part in docs/studies/coverage.md is replaced, and no other.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from simulations import (  # noqa: E402
    alpha,
    anytime,
    by_people,
    cluster_plans,
    clustered_correlation,
    clustered_items,
    contests,
    dialogues,
    different_items,
    gates,
    judgements,
    judges,
    judges_and_people,
    monitored,
    next_items,
    pair_ratings,
    paired_tests,
    pairs_together,
    rates,
    samples,
    score_intervals,
    several_systems,
    shaped,
    soft_pairwise,
    tuned_gain,
    turn_level,
    unit_protocol,
    variety,
    williams,
)
from simulations.study import Row, SimulationStudy  # noqa: E402

PAGE = ROOT / "docs" / "studies" / "coverage.md"
STUDIES: dict[str, SimulationStudy] = {
    "score_intervals": score_intervals.STUDY,
    "clustered_items": clustered_items.STUDY,
    "clustered_correlation": clustered_correlation.STUDY,
    "samples": samples.STUDY,
    "rates": rates.STUDY,
    "paired_tests": paired_tests.LEVEL_STUDY,
    "detectable": paired_tests.POWER_STUDY,
    "gates": gates.STUDY,
    "ledger_gates": gates.LEDGER_STUDY,
    "alpha": alpha.STUDY,
    "judgements": judgements.STUDY,
    "contests": contests.STUDY,
    "judges": judges.STUDY,
    "by_people": by_people.STUDY,
    "judges_and_people": judges_and_people.STUDY,
    "pairs_together": pairs_together.STUDY,
    "anytime": anytime.STUDY,
    "monitored": monitored.STUDY,
    "monitored_alarms": monitored.ALARMS,
    "several_systems": several_systems.STUDY,
    "chosen_items": judges_and_people.CHOSEN_STUDY,
    "fixed_items": judges_and_people.FIXED_STUDY,
    "next_items": next_items.STUDY,
    "labels_saved": next_items.SAVED,
    "turn_level": turn_level.STUDY,
    "unit_intervals": unit_protocol.INTERVALS,
    "unit_comparisons": unit_protocol.COMPARISONS,
    "pair_ratings": pair_ratings.STUDY,
    "soft_pairwise": soft_pairwise.STUDY,
    "soft_comparisons": soft_pairwise.COMPARISONS,
    "soft_clusters": soft_pairwise.CLUSTERED,
    "different_items": different_items.STUDY,
    "dialogues": dialogues.STUDY,
    "cluster_plans": cluster_plans.STUDY,
    "tuned_gain": tuned_gain.STUDY,
    "variety": variety.STUDY,
    "williams": williams.STUDY,
    **shaped.STUDIES,
}

RUNS = 2000
"""How many runs of each setting a part has, if it does not stand in `RUNS_OF`."""

RUNS_OF = {
    "chosen_items": 1000,
    "clustered_correlation": 300,
    "contests": 1000,
    "dialogues": 1000,
    "different_items": 6000,
    "judges": 1000,
    "labels_saved": 1000,
    "monitored": 8000,
    "monitored_alarms": 20_000,
    "next_items": 1000,
    "pairs_together": 300,
    "several_systems": 8000,
    "soft_clusters": 1000,
    "soft_comparisons": 800,
    "soft_pairwise": 1000,
    "turn_level": 600,
    "unit_comparisons": 600,
    "unit_intervals": 400,
    "williams": 4000,
}
"""By part, the runs with which the page was made: fewer where a run takes long."""


FAMILIES = {"shapes": tuple(shaped.STUDIES)}
"""Several parts by one name."""


def main() -> None:
    """Prints every part as it is done; a part that fails is named at the end, and stops no other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*STUDIES, *FAMILIES, []], help="default: all")
    parser.add_argument("--runs", type=int, help="runs of each setting (default: the page's)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="parts at a time (default: 1)")
    parser.add_argument("--write", action="store_true", help="replace the sections of the page")
    wanted = parser.parse_args()
    names = [each for name in wanted.parts or STUDIES for each in FAMILIES.get(name, (name,))]
    failed = []
    with ProcessPoolExecutor(wanted.jobs) as pool:
        parts = {
            pool.submit(timed, name, wanted.runs or RUNS_OF.get(name, RUNS), wanted.seed): name
            for name in names
        }
        for part in as_completed(parts):
            name = parts[part]
            try:
                text, seconds = part.result()
            except Exception:
                traceback.print_exc()
                failed.append(name)
                continue
            print(f"{text}\n({seconds:.0f} s)\n", flush=True)
            if wanted.write:
                PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), name, text), "utf-8")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def timed(name: str, runs: int, seed: int) -> tuple[str, float]:
    """A part as Markdown, and the seconds that it took."""
    begin = time.perf_counter()
    text = section(name, STUDIES[name], runs, seed)
    return text, time.perf_counter() - begin


def section(name: str, study: SimulationStudy, runs: int, seed: int) -> str:
    """A part as Markdown: heading, text, and a table of its rows."""
    rows = list(study.rows(runs, seed))
    table = wide(rows) if study.wide else long(rows)
    return "\n".join([*heading(name, study, runs, seed), *table])


def heading(name: str, study: SimulationStudy, runs: int, seed: int) -> list[str]:
    """The lines of a part above its table."""
    command = f"`python simulations/run.py {name} --runs {runs} --seed {seed} --write`"
    return [f"## {study.title}", "", study.text.strip(), "", command, ""]


def long(rows: Sequence[Row]) -> Iterator[str]:
    """A table with a line for each interval or test in each setting."""
    yield "| interval or test | data | size | aim | measured | error | runs |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        yield (
            f"| {row.what} | {row.setting} | {row.size} | {row.aim:g} | {row.share:.3f} | "
            f"{row.error:.3f} | {row.runs} |"
        )


def wide(rows: Sequence[Row]) -> Iterator[str]:
    """A table with a line for each setting, and a column for each interval or test."""
    kinds = dict.fromkeys(row.what for row in rows)
    yield f"| data | size | {' | '.join(kinds)} |"
    yield "|---" * (2 + len(kinds)) + "|"
    settings: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        cell = f"{row.share:.3f} ± {row.error:.3f}" if row.runs else "none"
        settings.setdefault((row.setting, row.size), {})[row.what] = (
            f"{cell} of {row.runs}" if row.runs and row.refused else cell
        )
    for (setting, size), cells in settings.items():
        yield f"| {setting} | {size} | {' | '.join(cells.get(kind, '') for kind in kinds)} |"


def replaced(page: str, name: str, text: str) -> str:
    """The page with the section of a part replaced, or added at its end."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    block = f"{begin}\n{text}\n{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if pattern.search(page):
        return pattern.sub(lambda _: block, page)
    return f"{page.rstrip()}\n\n{block}\n"


if __name__ == "__main__":
    main()
