"""Simulates intervals and tests: ``make coverage``, or ``python simulations/run.py [part ...]``.

With --write, the section of each part in docs/studies/coverage.md is replaced, and no other.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from simulations import (  # noqa: E402
    alpha,
    anytime,
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
    next_items,
    pair_ratings,
    paired_tests,
    pairs_together,
    score_intervals,
    soft_pairwise,
    turn_level,
    unit_protocol,
    williams,
)
from simulations.study import SimulationStudy  # noqa: E402

PAGE = ROOT / "docs" / "studies" / "coverage.md"
STUDIES: dict[str, SimulationStudy] = {
    "score_intervals": score_intervals.STUDY,
    "clustered_items": clustered_items.STUDY,
    "clustered_correlation": clustered_correlation.STUDY,
    "paired_tests": paired_tests.LEVEL_STUDY,
    "detectable": paired_tests.POWER_STUDY,
    "gates": gates.STUDY,
    "alpha": alpha.STUDY,
    "judgements": judgements.STUDY,
    "contests": contests.STUDY,
    "judges": judges.STUDY,
    "judges_and_people": judges_and_people.STUDY,
    "pairs_together": pairs_together.STUDY,
    "anytime": anytime.STUDY,
    "chosen_items": judges_and_people.CHOSEN_STUDY,
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
    "williams": williams.STUDY,
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
    "next_items": 1000,
    "pairs_together": 300,
    "soft_clusters": 1000,
    "soft_comparisons": 800,
    "soft_pairwise": 1000,
    "turn_level": 600,
    "unit_comparisons": 600,
    "unit_intervals": 400,
    "williams": 4000,
}
"""By part, the runs with which the page was made: fewer where a run takes long."""


def main() -> None:
    """Prints every part as it is done; a part that fails is named at the end, and stops no other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*STUDIES, []], help="default: all")
    parser.add_argument("--runs", type=int, help="runs of each setting (default: the page's)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="replace the sections of the page")
    wanted = parser.parse_args()
    failed = []
    for name in wanted.parts or STUDIES:
        begin = time.perf_counter()
        try:
            text = section(name, STUDIES[name], wanted.runs or RUNS_OF.get(name, RUNS), wanted.seed)
        except Exception:
            traceback.print_exc()
            failed.append(name)
            continue
        print(f"{text}\n({time.perf_counter() - begin:.0f} s)\n", flush=True)
        if wanted.write:
            PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), name, text), "utf-8")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def section(name: str, study: SimulationStudy, runs: int, seed: int) -> str:
    """A part as Markdown: heading, text, and a table of its rows."""
    lines = [
        f"## {study.title}",
        "",
        study.text.strip(),
        "",
        f"`python simulations/run.py {name} --runs {runs} --seed {seed} --write`",
        "",
        "| interval or test | data | size | aim | measured | error | runs |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.what} | {row.setting} | {row.size} | {row.aim:g} | {row.share:.3f} | "
        f"{row.error:.3f} | {row.runs} |"
        for row in study.rows(runs, seed)
    ]
    return "\n".join(lines)


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
