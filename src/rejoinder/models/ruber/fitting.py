"""From a corpus to a model: vectors, scorers of several sizes and seeds, calibration, bounds."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rejoinder.errors import InputError
from rejoinder.files.content import folder_hash
from rejoinder.files.run_identity import another_run, as_kept, differences
from rejoinder.files.shards import end_of_shard, make_files
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted, quoted
from rejoinder.models.devices import chosen_device
from rejoinder.models.ruber.material import ScorerMaterial
from rejoinder.models.ruber.model import Calibration, Member, Unreferenced
from rejoinder.models.ruber.ranking import ACCURACY, RECALL_AT_1, Ranking
from rejoinder.models.ruber.registry import Size
from rejoinder.models.ruber.scorer import Sources, UnreferencedScorer
from rejoinder.models.ruber.training import ScorerTask, train
from rejoinder.models.training.checkpoints import Checkpoint, Run
from rejoinder.models.training.folder import (
    FAULTS,
    ModelFolder,
    Record,
    foreign,
    read_folder,
    write_folder,
)
from rejoinder.models.training.loop import TrainedWeights
from rejoinder.models.training.shapes import check_shapes
from rejoinder.models.training.threads import Machine, as_begun
from rejoinder.models.vectors.word2vec import word2vec
from rejoinder.models.vectors.word_vectors import WordVectors
from rejoinder.progress import Report

MEMBER = "ruber-member"
WAS_FINISHED = "was finished"
FEW = 500  # queries: a share of one half has a standard error of 0.022
LEARNT = 0.6  # of the pairs: what learns anything of thousands of conversations is far above


@dataclass(frozen=True)
class Fitted:
    """A trained model, and what is to be said of its training.

    Attributes:
        model: Trained; its bounds hold those of the unreferenced score.
        log: For each member its name and the best epoch's entry.
        notes: What was left out of the corpus, where the training went on after a kill, and which
            members stopped early.
        corpus_hash: Hash of what was trained on.
        unlike: Held-out replies, each with a random other one: what a referenced score is at least.
    """

    model: Unreferenced
    log: list[dict[str, Any]]
    notes: tuple[str, ...]
    corpus_hash: str
    unlike: list[tuple[str, str]]


def fit(
    material: ScorerMaterial,
    work: Path,
    *,
    save_every: float = 30.0,
    report: Callable[[str], Report] | None = None,
    device: str = "auto",
) -> Fitted:
    """Trains an unreferenced model on conversations, without any label.

    Every size is trained with several seeds; the model's score is the weighted mean of all, each
    calibrated on held-out queries, which also give the sizes their weights (``size_weights``). A run
    that was killed goes on from the folder ``work`` and ends with the very same weights.

    Args:
        material: What is trained, and on what.
        work: Where finished members and the state of the running one are kept.
        save_every: Seconds between two saves of a training.
        report: Called with a member's name, gives what is told about its steps.
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        InputError: ``work`` holds another run, or other things; no word is frequent enough for
            vectors.
        MissingExtraError: Gensim is not installed.
    """
    check_work(work, material)

    with as_begun(_begun_on(work, material), torch.device(chosen_device(device))) as threads:
        return _Fitting(material, work, save_every, report, device).fitted(threads)


@dataclass
class _Fitting:
    """A training of all scorers, and the texts that are prepared for them so far."""

    material: ScorerMaterial
    work: Path
    save_every: float
    report: Callable[[str], Report] | None
    device: str
    prepared: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.vectors = self.material.vectors or _own_vectors(self.material, self.material.seeds[0])
        self.ranking = Ranking.of(self.material.valid, 12345)

    def fitted(self, threads: str) -> Fitted:
        """The model of all scorers; what is said of ``threads`` is a note of it."""
        material = self.material
        members, log, scores = [], [], []
        resumed, stopped = [], []
        before = [label for label in material.labels if self._folder(label).is_dir()]
        for label, (scorer, size, best) in self._each_trained().items():
            texts = self._prepared(scorer, "validation", self._reporting(label))
            reached = self.ranking.scores(scorer, texts)
            calibration = Calibration.of(reached[:, :2].ravel())  # half of them are true replies
            members.append(Member(label, scorer, calibration))
            scores.append(calibration(reached))
            entry = max(best.log, key=lambda each: each[RECALL_AT_1])
            log.append({"member": label, **dict(sorted(entry.items()))})  # as a finished member's
            if best.resumed and (best.resumed != WAS_FINISHED or label in before):
                resumed.append(f"{label} {best.resumed}")
            stopped += [
                f"{label} {each}"
                for each in best.stopped(size.schedule.epochs, size.schedule.patience)
            ]
        kinds = np.repeat(list(material.sizes), len(material.seeds)).tolist()
        weights = size_weights(np.stack(scores), kinds)
        model = _ensemble(members, weights, np.stack(scores), self.vectors, material)
        log = [{**entry, "weight": float(w)} for entry, w in zip(log, weights, strict=True)]
        if threads and not any(threads in each for each in resumed):
            resumed.append(threads)
        went_on = [f"went on from {self.work}: {', '.join(resumed)}"] if resumed else []
        doubts = _few(len(self.ranking.turns)) + _unlearnt(log)
        notes = (*material.notes, *_strange(material), *went_on, *stopped, *doubts)
        unlike = [
            (material.valid.texts[true], material.valid.texts[other])
            for true, other in self.ranking.candidates[:, :2].tolist()
        ]
        return Fitted(model, log, notes, material.train_on.hash, unlike)

    def _each_trained(self) -> dict[str, tuple[UnreferencedScorer, Size, TrainedWeights]]:
        """By member its scorer with the best weights, its size, and how its training went."""
        material, trained = self.material, {}
        kinds = [(size, seed) for size in material.sizes.values() for seed in material.seeds]

        def make(place: int) -> None:
            (size, seed), label = kinds[place], material.labels[place]
            report = self._reporting(label)
            report(0, 0, "preparing its vocabulary and weights")
            scorer = _fresh(size, material, self.vectors, seed)
            best = self._trained(scorer, size, seed, label, report)
            scorer.module.load_state_dict(dict(best.weights))
            trained[label] = scorer, size, replace(best, weights={})

        there = lambda place: self._folder(material.labels[place]).is_dir()  # noqa: E731
        make_files(self.work, material.labels, there, make)
        end_of_shard()
        return trained

    def _folder(self, label: str) -> Path:
        """The folder of a member that is finished."""
        return self.work / label / "trained"

    def _reporting(self, label: str) -> Report:
        return self.report(label) if self.report else lambda *_: None

    def _prepared(self, scorer: UnreferencedScorer, what: str, report: Report) -> Any:
        """The texts of the corpus or of the validation, prepared once for all that prepare alike."""
        texts = (self.material.train_on if what == "corpus" else self.material.valid).texts
        key = (id(texts), scorer.prepares_like)  # both may be parts of the same texts
        if key not in self.prepared:
            self.prepared[key] = scorer.prepare(
                texts, lambda done, total: report(done, total, f"reading the {what} texts")
            )
        return self.prepared[key]

    def _trained(
        self, scorer: UnreferencedScorer, size: Size, seed: int, label: str, report: Report
    ) -> TrainedWeights:
        """The best weights of a member: from its finished folder, or trained (on)."""
        material, work = self.material, self.work / label
        identity = {
            "kind": scorer.kind,
            "config": as_kept(scorer.config),
            "schedule": size.schedule.as_json(),
            "corpus": material.train_on.hash,
            "validation": material.valid.hash,
            "seed": seed,
            "encoder": folder_hash(scorer.reads_with) if scorer.reads_with else "",
            "start": _weights_hash(scorer),
        }
        trained = self._folder(label)
        if trained.is_dir():
            folder = read_folder(trained, MEMBER)
            config = {
                name: each for name, each in folder.record.config.items() if name != "machine"
            }
            if differing := differences(config, identity):
                remedy = f"remove {self.work} to start anew"
                raise another_run(work, "a finished scorer", differing, remedy)
            _check_weights(folder, scorer)
            return TrainedWeights(
                folder.tensors(), [dict(each) for each in folder.record.log], WAS_FINISHED
            )
        checkpoint = Checkpoint(work / "checkpoint", identity, self.work)
        ready = self._prepared(scorer, "corpus", report)
        validating = self._prepared(scorer, "validation", report)
        task = ScorerTask(
            scorer,
            material.train_on,
            ready,
            self.ranking,
            validating,
            size.schedule,
            seed,
            self.device,
        )
        best = train(task, checkpoint, self.save_every, report)
        config = {**identity, "machine": Run({"scorer": scorer.module}).machine.as_json()}
        write_folder(
            trained, Record(MEMBER, config, material.train_on.hash, best.log), best.weights
        )
        checkpoint.remove()
        return best


def check_work(work: Path, material: ScorerMaterial) -> None:
    """Raises an InputError where ``work`` holds anything but members of this run.

    A file of the user's would go with it at the end; a member that is not of this run says that the
    command is another one.
    """
    names = sorted(each.name for each in work.iterdir()) if work.is_dir() else []
    if other := [name for name in names if name not in material.labels]:
        raise InputError(
            f"{work}: an unfinished training stands there, and {quoted(other[0])} is no scorer of "
            f"this command ({', '.join(material.labels)}); give the command that was begun, or "
            f"remove {work} to start anew"
        )


def remove_work(work: Path, material: ScorerMaterial) -> None:
    """Removes the members of a run that is finished, and the folder if nothing else is in it."""
    for label in material.labels:
        shutil.rmtree(work / label, ignore_errors=True)
    if work.is_dir() and not any(work.iterdir()):
        work.rmdir()


def _ensemble(
    members: Sequence[Member],
    weights: Floats,
    scores: Floats,
    vectors: WordVectors,
    material: ScorerMaterial,
) -> Unreferenced:
    """The members with their weights; the bounds are those of their scores on held-out pairs."""
    weighed = [replace(each, weight=float(w)) for each, w in zip(members, weights, strict=True)]
    bounds = {"unreferenced": _ends(np.average(scores, axis=0, weights=weights)[:, :-1])}
    path = str(material.encoder.path) if material.encoder else ""
    return Unreferenced(tuple(weighed), bounds, vectors, material.turns, path)


def _strange(material: ScorerMaterial) -> list[str]:
    """How many words of the corpus have no vector among those that were given."""
    if material.vectors is None:
        return []
    unknown = material.vectors.lookup(material.texts(), material.language).rows < 0
    return [
        f"word vectors: {unknown.sum()} of {counted(unknown.size, 'word')} of the corpus have none "
        f"({100 * unknown.mean():.1f}%)"
    ]


def _few(queries: int) -> list[str]:
    """That what members reached, and their weights, rest on few held-out queries."""
    if queries >= FEW:
        return []
    return [
        f"validation: {counted(queries, 'held-out query', 'held-out queries')} alone; what the scorers "
        f"reached, and their weights, are rough below {FEW}"
    ]


def _unlearnt(log: Sequence[Mapping[str, Any]]) -> list[str]:
    """The members that rank little better than chance, which spoil an ensemble."""
    return [
        f"{entry['member']} has not learnt: a true reply is above a random one in "
        f"{100 * entry[ACCURACY]:.1f}%, and 50 is chance; more conversations, or another number of "
        "seeds, may help"
        for entry in log
        if entry[ACCURACY] < LEARNT
    ]


def _own_vectors(material: ScorerMaterial, seed: int, size: int = 50) -> WordVectors:
    """word2vec on what is trained on, as wide as the paper's if nothing else is asked for."""
    return word2vec(
        material.texts(),
        size=size,
        language=material.language,
        min_count=2,
        skip_gram=True,
        seed=seed,
    )


def _fresh(
    size: Size, material: ScorerMaterial, vectors: WordVectors, seed: int
) -> UnreferencedScorer:
    """A scorer whose first weights follow from the seed."""

    def of_width(width: int) -> WordVectors:
        return vectors if vectors.size == width else _own_vectors(material, seed, width)

    sources = Sources(material.train_on, material.language, of_width, material.encoder)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return size.scorer.fresh(size.config, sources)


def _check_weights(folder: ModelFolder, scorer: UnreferencedScorer) -> None:
    """Raises an InputError where the weights of a finished member are none of its scorer."""
    expected = {name: tuple(each.shape) for name, each in scorer.module.state_dict().items()}
    try:
        check_shapes(expected, folder.shapes())
    except FAULTS as error:  # files whose hashes hold, and which hold something else
        raise foreign(str(folder.path), error) from error


def _begun_on(work: Path, material: ScorerMaterial) -> Machine | None:
    """What the run in ``work`` was begun on, as its first member has recorded it."""
    for label in material.labels:
        trained, unfinished = work / label / "trained", Checkpoint(work / label / "checkpoint", {})
        if trained.is_dir():
            return Machine.recorded(read_folder(trained, MEMBER).record.config.get("machine"))
        if unfinished.exists:
            return unfinished.machine
    return None


def _weights_hash(scorer: UnreferencedScorer) -> str:
    """Of fresh weights: they follow from the seed, and from word vectors whose making may change."""
    total = hashlib.sha256()
    for name, tensor in scorer.module.state_dict().items():
        total.update(name.encode() + tensor.cpu().contiguous().numpy().tobytes())
    return total.hexdigest()[:8]


def _ends(values: Floats) -> tuple[float, float]:
    """The least and the greatest; a hair apart where all are equal."""
    low, high = float(values.min()), float(values.max())
    return low, high if high > low else low + 1.0


STEPS = 50


def size_weights(scores: Floats, sizes: Sequence[str]) -> Floats:
    """The weight of each member, the members of one size alike (stacking: Wolpert 1992).

    Minimises the cross entropy of the true reply among the wrong ones under the weighted sum of
    calibrated scores, ``-mean_i log softmax_c(sum_m w_m z_mic)[0]``, over weights of 0 and more. It
    is convex in them, and there are as many numbers to fit as sizes: a handful for thousands of
    queries. Then they are scaled to sum to 1; a size that adds nothing has about 0.

    Args:
        scores: Calibrated, float64 [members, n, candidates]; the true reply is the first candidate.
        sizes: The size of each member.

    Returns:
        float64 [members], their sum 1.

    >>> rng = np.random.default_rng(1)
    >>> good, noise = rng.normal(size=(2, 200, 4))
    >>> good[:, 0] += 2
    >>> [round(w, 1) for w in size_weights(np.stack([good, noise]), ["good", "noise"]).tolist()]
    [0.9, 0.1]
    """
    names = list(dict.fromkeys(sizes))
    place = np.array([names.index(size) for size in sizes])
    counts = np.bincount(place)
    if len(names) == 1:
        return np.full(len(sizes), 1 / len(sizes))
    means = np.stack([scores[place == k].mean(axis=0) for k in range(len(names))])
    z = torch.from_numpy(means)
    # The weight of a size is the square of what is fitted: never below 0.
    root = torch.ones(len(names), dtype=torch.float64, requires_grad=True)
    solver = torch.optim.LBFGS([root], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        solver.zero_grad()
        value = -(root.square() @ z.flatten(1)).view(z.shape[1:]).log_softmax(dim=1)[:, 0].mean()
        value.backward()
        return value

    solver.step(loss)
    weights = root.detach().square().numpy()
    sound = np.isfinite(weights).all() and weights.sum() > 0
    weights = weights / weights.sum() if sound else np.full(len(names), 1 / len(names))
    return weights[place] / counts[place]
