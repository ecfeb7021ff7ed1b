"""One trial of a sweep, in a folder of its own: trained as far as asked, then scored.

Each step leaves a JSON file when it is done, renamed into place when it is whole: ``epochs-3.json``
(validated after three epochs), ``scored.json``, ``failed.json``. A step whose file is there is not
done again, so that an interrupted sweep resumes; an interrupted training resumes from its checkpoint.
Nothing here depends on the clock, so the results do not depend on interruptions.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.checksums import with_checksum, without_checksum
from rejoinder.files.content import sha256
from rejoinder.files.replacing import failure, made_folder, write_json
from rejoinder.files.strict_json import strict_json
from rejoinder.messages import counted
from rejoinder.metrics.ruq import RUQ
from rejoinder.models.likelihood.backend import LocalModel
from rejoinder.models.training.folder import read_folder
from rejoinder.progress import Report
from rejoinder.responders.phrase.parameters import PhraseParameters
from rejoinder.responders.replies import respond
from rejoinder.scoring.score import score
from rejoinder.tables.testset import TestSet
from rejoinder.tables.write import write_responses
from rejoinder.text.detokenize import plain
from rejoinder.training.responder import train_responder
from rejoinder.tuning.data import SweepMaterial
from rejoinder.tuning.grid import ParameterGrid, Setting
from rejoinder.utterance_quantity.ruq import ruq

MODEL, REPLIES, REPLIES_HASH = "model", "replies.jsonl", "replies.json"


@dataclass
class Trial:
    """A setting, and how far it came.

    Attributes:
        number: From 1.
        setting: Its values of what is swept.
        folder: Its own.
        grid: What it is one of.
        material: What all trials are trained and tested on.
        losses: The validation losses, in bits per character, by the epochs after which it was validated.
        scores: What it was scored; None: it was not.
        failed: Why it cannot be trained or scored; None: it can.
        device: What torch computes on.
    """

    number: int
    setting: Setting
    folder: Path
    grid: ParameterGrid
    material: SweepMaterial
    losses: dict[int, float] = field(default_factory=dict)
    scores: Mapping[str, Any] | None = None
    failed: str | None = None
    device: str = "auto"
    _clean: bool = field(default=False, repr=False)

    @property
    def status(self) -> str:
        """``finished``, ``pruned`` or ``failed``."""
        if self.failed is not None:
            return "failed"
        return "pruned" if self.scores is None else "finished"

    @property
    def epochs(self) -> int:
        """The most epochs after which it was validated; 0: never."""
        return max(self.losses, default=0)

    @property
    def bits(self) -> float:
        """The validation loss then, in bits per character."""
        return self.losses.get(self.epochs, math.nan)

    @property
    def model(self) -> Path:
        """The folder of the finished model."""
        return self.folder / MODEL

    def value(self, measure: str) -> float:
        """What it was scored by ``metric``, ``ruq_train`` or ``ruq_test``; NaN where undefined."""
        value = (self.scores or {}).get(measure, {}).get("value")
        return math.nan if value is None else float(value)

    def has_reached(self, epochs: int, last: bool) -> bool:
        """Whether it has been trained for so many epochs (of the last: scored), or has failed."""
        done = "scored.json" if last else f"epochs-{epochs}.json"
        return any((self.folder / name).exists() for name in (done, "failed.json"))

    def train(self, epochs: int, last: bool, save_every: float, report: Report | None) -> bool:
        """Trains for so many epochs and validates; whether that went well.

        A trial that goes on to more epochs is trained anew: with the same seed it takes the same
        course. That costs up to half as much again, and saves keeping the optimizer's state of every
        trial that waits for the others.

        Args:
            epochs: How many.
            last: Whether these are all; the model is kept for scoring.
            save_every: Seconds between two checkpoints.
            report: Told about every update.
        """
        self._sweep_up()
        marker = self.folder / f"epochs-{epochs}.json"
        model = self.model if last else self.folder / f"model-{epochs}"
        if marker.exists():
            self.losses[epochs] = self._read(marker)["bits_per_character"]
            if not last:
                _remove(model)
            return True
        if self._has_failed():
            return False
        try:
            outcome = self._trained(epochs, model, save_every, report)
        except (InputError, ParameterError) as error:
            return self._fail(error)
        write_with_checksum(marker, outcome)
        self.losses[epochs] = outcome["bits_per_character"]
        if not last:
            _remove(model)
        return True

    def measure(self, progress: Callable[[int, int], None] | None = None) -> bool:
        """Scores the finished model; whether that went well."""
        marker = self.folder / "scored.json"
        if marker.exists():
            self.scores = self._read(marker)
            return True
        if self._has_failed():
            return False
        try:
            outcome = self._measured(progress)
        except (InputError, ParameterError) as error:
            return self._fail(error)
        write_with_checksum(marker, outcome)
        self.scores = self._read(marker)  # the same as after a kill
        return True

    def forget(self) -> None:
        """Removes the finished model; its replies and scores stay."""
        _remove(self.model)

    def _trained(
        self, epochs: int, model: Path, save_every: float, report: Report | None
    ) -> dict[str, Any]:
        setting = self.grid.parameters(self.setting)
        pairs = self.material.pairs(setting.pairs)
        phrases = isinstance(setting, PhraseParameters)
        parameters = setting.changed(pairs=0, **({} if phrases else {"epochs": epochs}))
        result = train_responder(
            pairs, model, parameters, self.material.validation, save_every, report, self.device
        )
        log = list(result.folder.record.log)
        best = min(log, key=lambda entry: entry["validation_loss"])
        bits = best.get("bits_per_character")
        if bits is None:
            bits = self._bits(model, best["validation_loss"], parameters.longest)
        if not math.isfinite(bits):
            raise InputError(f"training: the validation loss is {best['validation_loss']}")
        notes = list(result.notes) if phrases else result.inexact
        return {
            "setting": self.setting,
            "epochs": epochs,
            "bits_per_character": bits,
            "validation_loss": best["validation_loss"],
            "best_epoch": best.get("epoch", 1),
            "pairs": len(pairs),
            "log": log,
            "versions": dict(result.folder.record.versions),
            **({"notes": notes} if notes else {}),
        }

    def _bits(self, model: Path, loss: float, longest: int) -> float:
        """The validation loss in bits per character: it is given in nats per subword, and vocabularies
        of other sizes have other subwords.
        """
        from rejoinder.responders.seq2seq.subwords import load_tokenizer

        tokenizer, validation = load_tokenizer(model), self.material.validation
        validation = validation.map(plain) if self.grid.base.detokenize else validation
        sources, targets = (
            tokenizer(side).input_ids for side in (validation.sources, validation.targets)
        )
        subwords = characters = 0
        for source, target, text in zip(sources, targets, validation.targets, strict=True):
            if max(len(source), len(target)) <= longest:  # as in training, the others are left out
                subwords += len(target)
                characters += len(text)
        return loss * subwords / (math.log(2) * max(characters, 1))

    def _measured(self, progress: Callable[[int, int], None] | None) -> dict[str, Any]:
        material = self.material
        texts = self._replies(progress)
        ids = material.testset.ids
        replies = pl.DataFrame({"system": [self.name] * len(texts), "id": ids, "text": texts})
        scores = score(
            material.plain,
            replies,
            [material.metric],
            drop_unusable=True,
            resamples=material.resamples,
            seed=material.seed,
        )
        notes = [*self._inexact(), *self._left_out(), *scores.notes]
        empty = sum(not text.strip() for text in texts)
        if empty:
            notes.append(f"{counted(empty, 'reply', 'replies')} of {len(texts)} empty")
        scored = {"setting": self.setting, "metric": scores.systems().to_dicts()[0]}
        # RUQ reads likelihoods, which the Transformer alone has.
        transformer = getattr(self.grid.base, "kind", None) == "transformer"
        parts = (("train", material.train), ("test", material.plain)) if transformer else ()
        for part, testset in parts:
            scored[f"ruq_{part}"], more = self._ruq(testset)
            notes += [f"RUQ {part}: {note}" for note in more]
        return {
            **scored,
            "distinct_replies": len(set(texts)),
            "replies": len(texts),
            "model": read_folder(self.model).hash,
            "notes": notes,
        }

    def _inexact(self) -> list[str]:
        """That a training of this trial was not continued as it was begun."""
        markers = sorted(self.folder.glob("epochs-*.json"))
        return [note for marker in markers for note in self._read(marker).get("notes", [])]

    def _left_out(self) -> list[str]:
        """What was too long to train or validate on."""
        from rejoinder.responders.seq2seq.batches import encode
        from rejoinder.responders.seq2seq.subwords import load_tokenizer

        parameters = self.grid.parameters(self.setting)
        if isinstance(parameters, PhraseParameters):
            return []  # its training has noted that
        tokenizer, notes = load_tokenizer(self.model), []
        corpora = {"corpus": self.material.pairs(parameters.pairs)}
        for what, pairs in {**corpora, "validation": self.material.validation}.items():
            texts = pairs.map(plain) if parameters.detokenize else pairs
            left = encode(tokenizer, texts, parameters.longest).left_out
            if left:
                many = counted(left, "pair")
                notes.append(f"{what}: {many} of more than {parameters.longest} subwords left out")
        return notes

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"trial-{self.number:04d}"

    def _replies(self, progress: Callable[[int, int], None] | None) -> list[str]:
        path = self.folder / REPLIES
        if self._has_replies():
            return [strict_json(line)["text"] for line in path.read_text("utf-8").splitlines()]
        replies = respond(
            self.model, self.material.testset, beam=self.material.beam, progress=progress,
            local=LocalModel(self.device),
        )  # fmt: skip
        texts = replies.table.get_column("text").to_list()
        table = {"system": [self.name] * len(texts), "id": self.material.testset.ids, "text": texts}
        write_responses(pl.DataFrame(table), path)
        write_with_checksum(self.folder / REPLIES_HASH, {"replies": sha256(path)})
        return texts

    def _has_replies(self) -> bool:
        """Whether the replies are there as they were written; others are made anew by the model."""
        marker, path = self.folder / REPLIES_HASH, self.folder / REPLIES
        try:
            return without_checksum(marker.read_bytes()).get("replies") == sha256(path)
        except (OSError, ValueError):
            return False

    def _ruq(self, testset: TestSet) -> tuple[dict[str, Any], tuple[str, ...]]:
        """RUQ against the generic reply, of the first reference, as the paper has it."""
        from rejoinder.models.likelihood.prompts import Prompting
        from rejoinder.models.likelihood.registry import open_backend

        # The systems learn from the last turn alone.
        prompting = Prompting(turns=1, template="plain")
        provider = open_backend(
            self.model, prompting, local=LocalModel(self.device, "float32"), name=self.name
        )
        result = ruq(
            testset,
            [provider],
            generic=[self.material.generic],
            references="single",
            resamples=self.material.resamples,
            seed=self.material.seed,
        )
        label = RUQ(generic=self.material.generic).label
        rows = result.scores.systems().filter(pl.col("metric") == label).to_dicts()
        return rows[0], result.scores.notes

    def _read(self, path: Path) -> dict[str, Any]:
        """What a step left, checked by its hash."""
        try:
            return without_checksum(path.read_bytes())
        except (OSError, ValueError) as error:
            raise InputError(
                f"{path}: cut or altered; remove the folder to do the trial anew"
            ) from error

    def _has_failed(self) -> bool:
        marker = self.folder / "failed.json"
        if marker.exists():
            self.failed = self._read(marker)["reason"]
            self._forget_all()
        return self.failed is not None

    def _fail(self, error: Exception) -> bool:
        """A trial that cannot be trained is a result; a disk that cannot be written to is none."""
        cause = error.__cause__
        if isinstance(cause, Exception) and failure(cause) is not None:
            raise error
        self.failed = str(error)
        write_with_checksum(
            self.folder / "failed.json", {"setting": self.setting, "reason": self.failed}
        )
        self._forget_all()
        return False

    def _forget_all(self) -> None:
        for path in self.folder.glob("model*"):
            _remove(path)

    def _sweep_up(self) -> None:
        """Makes the folder, and removes what a kill left half-written there."""
        if self._clean:
            return
        made_folder(self.folder)
        for pattern in (".*.part", ".*.old"):
            for path in self.folder.glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self._clean = True


def _remove(model: Path) -> None:
    """A model's folder, and the checkpoint beside it that a kill may have left."""
    shutil.rmtree(model, ignore_errors=True)
    shutil.rmtree(model.with_name(f"{model.name}.training"), ignore_errors=True)


def write_with_checksum(path: Path, content: Mapping[str, Any]) -> None:
    """Writes JSON with its hash, whole or not at all; NaN is null."""
    write_json(path, with_checksum(json.loads(json.dumps(finite(content)))))


def finite(value: Any) -> Any:
    """A value as JSON has it: None for numbers that are not finite."""
    if isinstance(value, Mapping):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
