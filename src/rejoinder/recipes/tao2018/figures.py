"""The figures of Tao et al. (2018): ratings along s_U, and each metric against people."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rejoinder.figures import style
from rejoinder.figures.people import group_against_group, median_rater
from rejoinder.figures.relevance import relevance
from rejoinder.figures.scatter import Cloud, one_against_rest, scatter, scatters
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.meta_evaluation.matching import match
from rejoinder.progress import Progress, advance
from rejoinder.recipes.tao2018.metrics import S_U
from rejoinder.recipes.tao2018.study import TaoStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE, RATERS = "scatter-all", "scatter-people"
MEDIAN, GROUPS, RELEVANCE = "scatter-median-rater", "scatter-groups", "relevance"

PAPER = ("BLEU-2", "ROUGE-L", "s_R", S_U, "RUBER arithmetic")
"""What stands beside people on a page of the paper; ``s_R`` is the one that is blended."""


class Drawn(NamedTuple):
    """What was drawn.

    Args:
        paths: The files.
        notes: What the pictures leave out.
    """

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def draw(
    study: TaoStudy, folder: str | os.PathLike[str], progress: Progress | None = None
) -> Drawn:
    """Draws a study into a folder, as PNG and SVG.

    ``scatter-all`` has every metric on a page, of all systems' replies; ``scatter-NAME`` each of the
    paper's panels by itself, with its densities; ``system-NAME`` the paper's page of one system.
    Where there are several raters, ``scatter-people`` has each against the mean of the others,
    ``scatter-median-rater`` the one in the middle, ``scatter-groups`` one half of them against the
    other (the paper's panels a and b). ``relevance`` is the paper's figure 1, for each system: the
    mean rating along s_U. The paper shows the ground truth, here the panel of a system that is people.

    Args:
        study: What is drawn.
        folder: Made where there is none.
        progress: Called with the number of figures drawn, and of all figures.

    Raises:
        InputError: The folder cannot be made, or not be written to.
    """
    style.prepared(folder)
    rated, _, _ = match(study.scores, study.ratings, study.criterion, study.raters, (), study.seed)
    clouds = _pooled(study, rated)
    pages = 2 + len(_singles(study, clouds)) + len(study.systems)
    paths: list[Path] = []
    with style.drawing():
        for number, (name, figure) in enumerate(_figures(study, rated, clouds)):
            paths += style.save(figure, folder, name)
            advance(progress, number + 1, pages)
    notes = [f"figure: {each.name}: {each.reason}" for each in clouds.values() if each.reason]
    return Drawn(tuple(paths), tuple(notes))


def blended(study: TaoStudy) -> str:
    """The label of the s_R that RUBER blends."""
    return next(label for label in study.headings if label.endswith("(s_R)"))


def paper_labels(study: TaoStudy) -> list[str]:
    """The metrics of the paper's pictures and of its case table."""
    # With s_U after the sigmoid the blends' labels say so.
    return [
        blended(study) if name == "s_R" else
        next(label for label in study.headings if label.startswith(name)) for name in PAPER
    ]  # fmt: skip


def _figures(
    study: TaoStudy, rated: Rated, clouds: dict[str, Cloud]
) -> Iterator[tuple[str, Figure]]:
    yield PAGE, scatters(list(clouds.values()))
    for name, cloud in _singles(study, clouds).items():
        yield name, scatter(cloud)
    seen = study.pooled.observations()
    panels = {
        str(system): (part.get_column(S_U).to_numpy(), part.get_column("human").to_numpy())
        for (system,), part in seen.group_by("system", maintain_order=True)
    }
    yield RELEVANCE, relevance(panels, S_U)
    names = style.file_names("system", study.systems)
    for system, name in names.items():
        yield name, scatters(list(_system_clouds(study, rated, system)))


def _pooled(study: TaoStudy, rated: Rated) -> dict[str, Cloud]:
    """A cloud for each metric, after that of people where there are several raters."""
    seen = study.pooled.observations()
    human, whose = seen.get_column("human").to_numpy(), seen.get_column("system").to_list()
    clouds = dict(_people(rated, [rated.systems[i] for i in rated.system], study.seed))
    for label in study.pooled.labels:
        clouds[label] = Cloud(label, human, seen.get_column(label).to_numpy(), whose, *_AXES)
    return clouds


def _people(rated: Rated, whose: list[str], seed: int) -> Iterator[tuple[str, Cloud]]:
    """Clouds of people against people, by the name of their file, where there are several raters."""
    if rated.matrix.shape[1] < 2:
        return
    yield RATERS, one_against_rest(rated.matrix, whose)
    median = median_rater(rated.matrix, whose)
    groups = group_against_group(rated.matrix, whose, seed)
    yield from ((name, cloud) for name, cloud in ((MEDIAN, median), (GROUPS, groups)) if cloud)


def _singles(study: TaoStudy, clouds: dict[str, Cloud]) -> dict[str, Cloud]:
    """The paper's panels, by the name of their file."""
    names = style.file_names("scatter", paper_labels(study), (PAGE, RATERS, MEDIAN, GROUPS))
    people = {name: clouds[name] for name in (RATERS, MEDIAN, GROUPS) if name in clouds}
    return people | {name: clouds[label] for label, name in names.items()}


def _system_clouds(study: TaoStudy, rated: Rated, system: str) -> Iterator[Cloud]:
    """The paper's panels of one system: people against people, then its metrics."""
    seen = study.systems[system].observations()
    human = seen.get_column("human").to_numpy()
    of = rated.system == rated.systems.index(system)
    if rated.matrix.shape[1] > 1:
        yield one_against_rest(rated.matrix[of], name=f"{system}: one rater")
    people = median_rater(rated.matrix[of]), group_against_group(rated.matrix[of], seed=study.seed)
    yield from filter(None, people)
    for label in paper_labels(study):
        yield Cloud(label, human, seen.get_column(label).to_numpy(), None, *_AXES)


_AXES = ("mean human rating", "score")
