"""A trained model's folder: several scorers, what their scores mean, and the vectors beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rejoinder.errors import InputError
from rejoinder.files.content import content_hash, folder_hash
from rejoinder.files.strict_json import strict_json
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.models.devices import chosen_device
from rejoinder.models.huggingface.encoder import Encoder, find_encoder
from rejoinder.models.ruber.data.conversations import NONE
from rejoinder.models.ruber.ranking import logits
from rejoinder.models.ruber.scorer import Described, UnreferencedScorer
from rejoinder.models.training.folder import (
    FAULTS,
    ModelFolder,
    Record,
    foreign,
    read_folder,
    versions,
    write_folder,
)
from rejoinder.models.training.shapes import Shapes, check_rows
from rejoinder.models.vectors.word_vectors import WordVectors
from rejoinder.progress import Progress, advance

if TYPE_CHECKING:
    from torch import Tensor

Entry = TypeVar("Entry")

KIND = "ruber"
WORDS = "vectors.json"
MOST_TURNS = 100
"""No model reads more turns of a query; those that ``SIZES`` names read three at most."""
ENCODER_PATHS = ".encoder.json"
"""In a model's folder: where the encoder lies, absolute and as seen from the folder. It is hidden, and
no part of the hash of the model, which tells no paths."""
ENCODER = "REJOINDER_ENCODER"
"""An environment variable: where the encoder lies that a model was trained with, if it has moved."""


@dataclass(frozen=True)
class Calibration:
    """What the scores of a scorer are on held-out queries, half with true and half with random replies.

    Attributes:
        mean: Mean of the scores.
        deviation: Their standard deviation.
    """

    mean: float
    deviation: float

    @classmethod
    def of(cls, scores: Floats) -> Calibration:
        """Fitted to scores; equal ones have the deviation 1."""
        return cls(float(scores.mean()), float(scores.std()) or 1.0)

    def __call__(self, scores: Floats) -> Floats:
        """Scores in standard deviations from the mean."""
        return (scores - self.mean) / self.deviation


@dataclass(frozen=True)
class Member:
    """One trained scorer.

    Attributes:
        name: Its size and seed, as ``gru-1``.
        scorer: With its best weights.
        calibration: Calibration of its scores.
        weight: How much it counts beside the others (``fitting.size_weights``).
    """

    name: str
    scorer: UnreferencedScorer
    calibration: Calibration
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Unreferenced:
    """A trained model: how well replies fit their queries, as the weighted mean of its members.

    Attributes:
        members: One for each size and seed.
        bounds: The least and the greatest score of held-out pairs; for the referenced scorers, by
            their names, the cosine of unlike replies (lowest hundredth) and of equal ones.
        vectors: Vectors of words, trained on the corpus, for the referenced scorer.
        turns: Number of turns of a query the members read at most.
        encoder: The path of the encoder that they read with; empty for none.
    """

    members: tuple[Member, ...]
    bounds: Mapping[str, tuple[float, float]]
    vectors: WordVectors
    turns: int
    encoder: str = ""

    def logits(
        self,
        queries: Sequence[Sequence[str]],
        replies: Sequence[str],
        progress: Progress | None = None,
    ) -> Floats:
        """What each member says of each pair: float64 [n, members], without bounds.

        A query without turns, and a reply without words, are scored as the members read them.

        Args:
            queries: n of them, each the turns before the reply, oldest first.
            replies: Texts, n of them.
            progress: Called with how much is done, and of how much.
        """
        texts, turns, places = _placed(queries, replies, self.turns)
        columns = np.empty((len(replies), len(self.members)))
        prepared: dict[Any, Any] = {}
        for i, member in enumerate(self.members):
            scorer = member.scorer
            key = scorer.prepares_like
            if key not in prepared:
                prepared[key] = scorer.prepare(texts)
            columns[:, i] = logits(scorer, prepared[key], turns, places, texts)
            advance(progress, i + 1, len(self.members))
        return columns

    def calibrated(self, logits: Floats) -> Floats:
        """The members' calibrated scores, weighted: float64 [n, members] to float64 [n]."""
        scaled = [each.calibration(logits[:, i]) for i, each in enumerate(self.members)]
        return np.average(scaled, axis=0, weights=[each.weight for each in self.members])

    def score(
        self,
        queries: Sequence[Sequence[str]],
        replies: Sequence[str],
        progress: Progress | None = None,
    ) -> Floats:
        """How well each reply fits its query: float64 [n]; the higher, the better.

        0 is halfway between true and random replies of the corpus; a member's unit is the standard
        deviation of its own scores there.
        """
        return self.calibrated(self.logits(queries, replies, progress))

    def sigmoids(
        self,
        queries: Sequence[Sequence[str]],
        replies: Sequence[str],
        progress: Progress | None = None,
    ) -> Floats:
        """The weighted mean of the members' outputs after their sigmoid: float64 [n], 0 to 1.

        As Tao et al. (2018, section 3.2) have it, whose scorer is a single one.
        """
        # As a hyperbolic tangent, which does not overflow.
        outputs = (1 + np.tanh(self.logits(queries, replies, progress) / 2)) / 2
        return np.average(outputs, axis=1, weights=[each.weight for each in self.members])


def _placed(
    queries: Sequence[Sequence[str]], replies: Sequence[str], k: int
) -> tuple[list[str], Indices, Indices]:
    """Distinct texts, and pairs by their places: the last k turns [n, k] and the replies [n]."""
    places: dict[str, int] = {}
    turns = np.full((len(replies), k), NONE, dtype=np.int64)
    for i, query in enumerate(queries):
        positions = [places.setdefault(turn, len(places)) for turn in query[-k:]]
        turns[i, k - len(positions) :] = positions
    answers = np.array([places.setdefault(each, len(places)) for each in replies], dtype=np.int64)
    return list(places), turns, answers


def save(
    path: str | os.PathLike[str],
    model: Unreferenced,
    corpus_hash: str,
    log: Sequence[Any],
    identity: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> None:
    """Writes a model's folder, whole or not at all.

    Args:
        path: The folder.
        model: Trained.
        corpus_hash: Hash of what it was trained on.
        log: An entry for each member.
        identity: What tells the training from any other (``ScorerMaterial.identity``).
        notes: What was said of its corpus.

    Raises:
        InputError: Something that is no model stands there, or it cannot be written.
    """
    import torch

    tensors: dict[str, Tensor] = {}
    files: dict[str, bytes] = {}
    members = []
    for each in model.members:
        weights = each.scorer.module.state_dict()
        tensors |= {f"{each.name}/{name}": tensor for name, tensor in weights.items()}
        files |= {f"{each.name}.{name}": content for name, content in each.scorer.files.items()}
        members.append(
            {
                "name": each.name,
                "kind": each.scorer.kind,
                "config": dict(each.scorer.config),
                "mean": each.calibration.mean,
                "deviation": each.calibration.deviation,
                "weight": each.weight,
            }
        )
    tensors["vectors"] = torch.from_numpy(np.ascontiguousarray(model.vectors.matrix))
    files[WORDS] = json.dumps(list(model.vectors.words), ensure_ascii=False, indent=0).encode()
    config: dict[str, Any] = {
        "members": members,
        "turns": model.turns,
        "language": model.vectors.language,
        "identity": identity,
        "notes": list(notes),
    }
    if model.encoder:
        name = os.path.basename(os.path.realpath(model.encoder))
        config |= {"encoder": name, "encoder_hash": folder_hash(model.encoder)}
    calibration = {name: list(pair) for name, pair in model.bounds.items()}
    record = Record(
        KIND, config, corpus_hash, list(log), versions("numpy", "torch", "gensim"), calibration
    )
    folder = write_folder(path, record, tensors, files).path
    if model.encoder:
        place = os.path.realpath(model.encoder)
        paths = [place]
        with suppress(ValueError):  # two drives
            paths.insert(0, os.path.relpath(place, os.path.realpath(folder)))
        (folder / ENCODER_PATHS).write_text(json.dumps(paths) + "\n", encoding="utf-8")


def load(path: str | os.PathLike[str], device: str = "auto") -> Unreferenced:
    """Reads a model's folder; the corpus is not needed, the encoder, where there is one, is.

    The last ones are kept, as long as the folder stays as it is.

    Args:
        path: The folder.
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        InputError: There is no such folder; it is not one of ours, is of another version, cut or
            altered; the encoder is not here, or is another one.
        MissingExtraError: Torch is not installed.
    """
    if not Path(path).is_dir():
        raise InputError(
            f"{path}: there is no such folder; expected that of a model of 'rejoinder train ruber'"
        )
    # The hash of the content first: a model that was trained anew in its place is another one.
    return _load(
        os.fspath(path), content_hash(path), os.environ.get(ENCODER, ""), chosen_device(device)
    )


@lru_cache(maxsize=2)
def _load(path: str, content: str, moved: str, device: str) -> Unreferenced:
    folder = read_folder(path, KIND)
    config = folder.record.config
    encoder = _encoder(path, config, moved, device) if config.get("encoder") else None
    try:
        model = _rebuilt(folder, encoder)
    except FAULTS as error:
        raise foreign(path, error.__cause__ or error) from error
    for each in model.members:
        each.scorer.module.to(device)
    return model


def _rebuilt(folder: ModelFolder, encoder: Encoder | None) -> Unreferenced:
    config, shapes = folder.record.config, folder.shapes()
    scorers = [_scorer(folder, each, shapes, encoder) for each in config["members"]]
    _check_turns(config["turns"], scorers)
    tensors = folder.tensors()
    noted = zip(config["members"], scorers, strict=True)
    members = tuple(_member(each, scorer, tensors) for each, scorer in noted)
    bounds = {n: (float(low), float(high)) for n, (low, high) in folder.record.calibration.items()}
    needed = ["unreferenced", "pooled", *(["encoder"] if encoder else [])]  # by the scoring
    if missing := [name for name in needed if name not in bounds]:
        raise KeyError(missing[0])
    words = strict_json((folder.path / WORDS).read_bytes())
    check_rows(WORDS, len(words), "vectors", shapes)
    vectors = WordVectors(words, tensors["vectors"].numpy(), config["language"])
    if not sum(each.weight for each in members) > 0:
        raise ValueError("no member counts")
    path = "" if encoder is None else str(encoder.path)
    return Unreferenced(members, bounds, vectors, config["turns"], path)


def _scorer(
    folder: ModelFolder, noted: Mapping[str, Any], shapes: Shapes, encoder: Encoder | None
) -> UnreferencedScorer:
    """The scorer of a member, as the record describes it; its weights are still to be loaded."""
    from rejoinder.models.ruber.registry import rebuilt

    name = noted["name"]
    files = {
        file.removeprefix(f"{name}."): (folder.path / file).read_bytes()
        for file in folder.files
        if file.startswith(f"{name}.")
    }
    described = Described(noted["config"], files, _own(name, shapes))
    return rebuilt(noted["kind"], described, encoder)


def _member(
    noted: Mapping[str, Any], scorer: UnreferencedScorer, tensors: Mapping[str, Tensor]
) -> Member:
    scorer.module.load_state_dict(_own(noted["name"], tensors))
    scorer.module.eval()
    calibration = Calibration(float(noted["mean"]), float(noted["deviation"]))
    return Member(noted["name"], scorer, calibration, float(noted.get("weight", 1.0)))


def _own(name: str, entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """What belongs to a member, under the names that it has there."""
    begin = f"{name}/"
    return {key[len(begin) :]: each for key, each in entries.items() if key.startswith(begin)}


def _check_turns(turns: Any, scorers: Sequence[UnreferencedScorer]) -> None:
    """Scoring asks for memory by the number of turns, which the weights of a GRU do not tell."""
    if not isinstance(turns, int) or not 1 <= turns <= MOST_TURNS:
        raise ValueError(f"turns: {turns!r:.40} in config.json; expected 1 to {MOST_TURNS}")
    most = max((each.config["turns"] for each in scorers), default=turns)
    if turns != most:
        raise ValueError(
            f"turns: {turns} in config.json; its members read {most} at most; expected the same"
        )


def _encoder(path: str, config: Mapping[str, Any], moved: str, device: str) -> Encoder:
    """The encoder that a model was trained with: where the user says it is, else where it was.

    It is looked for as seen from the model's folder, then at its absolute path, then as config.json has
    it. The first with the right content is taken.
    """
    if "encoder_hash" not in config:
        raise foreign(path, KeyError("encoder_hash"))
    faults = []
    for source in [moved] if moved else [*_encoder_paths(path), str(config["encoder"])]:
        try:
            encoder = find_encoder(source)
            hash_now = folder_hash(encoder)
        except InputError as error:
            faults.append(
                f"reads with the sentence encoder {config['encoder']}, which is not here: {error}"
            )
            continue
        if hash_now == config["encoder_hash"]:
            return Encoder.load(encoder, device)
        faults.append(
            f"was trained with another encoder than {encoder} is (hash {config['encoder_hash']}, found "
            f"{hash_now})"
        )
    raise InputError(f"{path}: {faults[0]}; let {ENCODER} name its folder")


def _encoder_paths(path: str) -> list[str]:
    """Where the encoder of a model lay when the model was written; empty where that is not known."""
    file = Path(path, ENCODER_PATHS)
    try:
        paths = strict_json(file.read_bytes() if file.is_file() else "")  # a pipe would never end
    except (OSError, ValueError):
        return []
    texts = [each for each in paths if isinstance(each, str)] if isinstance(paths, list) else []
    return [os.path.normpath(os.path.join(os.path.realpath(path), each)) for each in texts]
