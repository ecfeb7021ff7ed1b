"""Sentence encoders of sentence-transformers or transformers, loaded from this machine alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.errors import InputError, MissingExtraError, RejoinderError, one_of
from rejoinder.files.content import Stamp, stamp
from rejoinder.files.shards import refuse_shards, shared, whole
from rejoinder.files.strict_json import strict_json
from rejoinder.models.batching import padded, within_budget
from rejoinder.models.huggingface.faults import fault, in_one_line
from rejoinder.models.huggingface.pretrained import check_ids, open_pretrained, vocabulary_size
from rejoinder.progress import advance

if TYPE_CHECKING:
    import torch

TOKENS_PER_BATCH = 4096
"""Padding included. A processor is no faster with more, and short texts are not kept waiting."""

MOST_TOKENS = 2**31 - 1
"""What an encoder without any limit reads of a text: tokenizers count in 32 or 64 bits."""

POOLINGS = ("mean", "cls", "max", "mean_sqrt_len")
MODULES = {"Transformer", "Pooling", "Normalize"}


@dataclass(frozen=True, eq=False)
class Encoder:
    """Texts to vectors.

    Attributes:
        path: Where the model lies.
        pooling: How the vectors of tokens become one: ``mean`` (over the tokens of the text, special
            ones included), ``cls`` (the first), ``max``, ``mean_sqrt_len`` (sum over root of count).
        normalize: Whether the model's own last step is to make the vectors length 1.
        longest: Tokens beyond so many are cut off.
        tokenizer: Of transformers.
        model: Of transformers.
    """

    path: Path
    pooling: str
    normalize: bool
    longest: int
    tokenizer: Any
    model: Any

    @classmethod
    def load(cls, source: str | os.PathLike[str], device: str = "auto") -> Encoder:
        """Loads an encoder; the last ones are kept as long as their folders stay as they are.

        Nothing is fetched.

        The pooling is the one that the folder declares (``1_Pooling/config.json``), else the mean.

        Args:
            source: A folder, or the name of a model on the hub that the local cache holds.
            device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda`` or ``cuda:N``.

        Raises:
            InputError: There is no such model here, it is damaged, or has parts we cannot run.
            MissingExtraError: Torch or transformers is not installed.
        """
        folder = find_encoder(source)
        return _load(str(folder), stamp(folder), device)

    @property
    def size(self) -> int:
        """The width of a vector."""
        return int(self.model.config.hidden_size)

    def encode(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        """The vectors of texts: float32 [n, d]. Equal texts are encoded once.

        Texts of like length share a batch, so that little is padded.

        Args:
            texts: Texts, n of them.
            progress: Called with how many distinct texts are done, and of how many.
        """
        distinct = sorted(set(texts), key=lambda text: (len(text), text))
        place = {text: i for i, text in enumerate(distinct)}
        vectors = np.empty((len(distinct), self.size), dtype=np.float32)
        ids, batches = self._batches(distinct)

        def compute(places: list[int]) -> list[bytes]:
            encoded, vectors = 0, []
            for batch, states, mask in self._read(
                distinct, ids, [batches[each] for each in places]
            ):
                pooled = _pooled(states, mask, self.pooling)
                if self.normalize:
                    pooled = pooled / pooled.norm(dim=1, keepdim=True).clamp_min(1e-12)
                vectors.append(pooled.float().cpu().numpy().tobytes())
                encoded += len(batch)
                advance(progress, encoded, len(distinct))
            return vectors

        names = [f"batch {each}" for each in range(len(batches))]
        content = [self.pooling, self.normalize, distinct]
        bytes_of_batches = shared("vectors of an encoder", names, content, compute, bytes)
        for batch, data in zip(batches, bytes_of_batches, strict=True):
            zeros = bytes(4 * len(batch) * self.size)  # of another shard
            vectors[batch] = np.frombuffer(data or zeros, np.float32).reshape(len(batch), -1)
        return vectors[[place[text] for text in texts]]

    def encode_tokens(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> list[np.ndarray]:
        """The vectors of each text's tokens, special ones left out: n arrays float32 [tokens, d].

        Args:
            texts: Texts, n of them.
            progress: Called with how many distinct texts are done, and of how many.
        """
        distinct = sorted(set(texts), key=lambda text: (len(text), text))
        states_of: dict[str, np.ndarray] = {}
        refuse_shards("token vectors of an encoder")
        special = set(self.tokenizer.all_special_ids)
        for batch, states, mask in self._forward(distinct):
            for row, i in enumerate(batch):
                ids = self.tokens(distinct[i])
                keep = [k for k, token in enumerate(ids) if token not in special]
                states_of[distinct[i]] = states[row][mask[row].bool()][keep].float().cpu().numpy()
            advance(progress, len(states_of), len(distinct))
        return [states_of[text] for text in texts]

    def layer_states(
        self, texts: Sequence[str], layer: int
    ) -> Iterator[tuple[str, list[int], np.ndarray]]:
        """Each distinct text with its token ids and their vectors: float32 [tokens, d].

        Args:
            texts: Texts, n of them.
            layer: The layer that is read; 0 is the embeddings, ``layers`` the last.
        """
        refuse_shards("BERTScore")
        distinct = sorted(set(texts), key=lambda text: (len(text), text))
        for batch, states, mask in self._forward(distinct, layer):
            for row, i in enumerate(batch):
                vectors = states[row][mask[row].bool()].float().cpu().numpy()
                yield distinct[i], self.tokens(distinct[i]), vectors

    @property
    def layers(self) -> int:
        """How many layers the model has."""
        return int(self.model.config.num_hidden_layers)

    def tokens(self, text: str) -> list[int]:
        """The token ids of a text, special ones included, cut to ``longest``."""
        return self.tokenizer(text, truncation=True, max_length=self.longest)["input_ids"]

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many distinct texts are longer than ``longest`` tokens."""
        # A token is a character or more: most texts need no second look.
        long = [text for text in set(texts) if len(text) >= self.longest - 2]
        if not long:
            return 0
        ids = self.tokenizer(long, truncation=False, verbose=False)["input_ids"]
        return sum(len(each) > self.longest for each in ids)

    def _forward(
        self, texts: Sequence[str], layer: int | None = None
    ) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor]]:
        """A layer's states [b, t, d] (None: what the model returns) and masks [b, t], with the places
        of the texts.
        """
        ids, batches = self._batches(texts)
        yield from self._read(texts, ids, batches, layer)

    def _batches(self, texts: Sequence[str]) -> tuple[list[list[int]], list[list[int]]]:
        """The token ids of texts, and the places of those that are read at once."""
        if not texts:
            return [], []
        options = {"truncation": True, "max_length": self.longest, "return_token_type_ids": None}
        ids = self.tokenizer(list(texts), **options)["input_ids"]
        check_ids(str(self.path), self.model, ids)
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        return ids, list(within_budget(order, [len(each) for each in ids], TOKENS_PER_BATCH))

    def _read(
        self,
        texts: Sequence[str],
        ids: Sequence[list[int]],
        batches: Sequence[list[int]],
        layer: int | None = None,
    ) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor]]:
        import torch

        device = next(self.model.parameters()).device
        for batch in batches:
            # Whatever side the tokenizer pads on: tokens keep the positions that they have alone.
            inputs, mask = padded([ids[i] for i in batch], device, filler=self._padding())
            with torch.inference_mode():
                read = self.model(
                    input_ids=inputs, attention_mask=mask, output_hidden_states=layer is not None
                )
            states = read.last_hidden_state if layer is None else read.hidden_states[layer]
            if not bool(states[mask.bool()].isfinite().all()):
                raise InputError(
                    f"{self.path}: the encoder gives vectors that are not finite (NaN or infinite) "
                    f"for texts such as {texts[batch[0]]!r:.60}; take another encoder"
                )
            yield batch, states, mask

    def _padding(self) -> int:
        rows = vocabulary_size(self.model)
        for variant in (
            self.tokenizer.pad_token_id,
            getattr(self.model.config, "pad_token_id", None),
        ):
            if isinstance(variant, int) and variant >= 0 and (rows is None or variant < rows):
                return variant
        return 0


def find_encoder(source: str | os.PathLike[str]) -> Path:
    """The folder of an encoder: a path, or a name on the hub that the local cache holds.

    Raises:
        InputError: It is neither.
        MissingExtraError: Transformers is not installed (for a name).
    """
    folder = Path(source)
    if folder.is_dir():
        return folder
    if not folder.exists() and (folder.is_absolute() or os.fspath(source).startswith(".")):
        raise InputError(f"encoder '{os.fspath(source)}': there is no such folder; name another")
    message = (
        f"encoder '{os.fspath(source)}': no folder of that name, and no model in the local cache of "
        "the hub; nothing is fetched unasked: fetch it once with "
        f"'hf download {os.fspath(source)}', or name a folder"
    )
    if folder.exists() or os.fspath(source).count("/") > 1:
        raise InputError(message.replace("no folder of that name", "not a folder with a model"))
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise _missing() from None
    try:
        return Path(snapshot_download(os.fspath(source), local_files_only=True))
    except (OSError, ValueError):  # not there; no name that the hub could have
        raise InputError(message) from None


@lru_cache(maxsize=2)
def _load(path: str, stamp: Stamp, device: str) -> Encoder:
    try:
        import torch  # noqa: F401
        from transformers import AutoModel
    except ImportError:
        raise _missing() from None
    folder = Path(path)
    try:
        _, tokenizer, model = open_pretrained(
            path, lambda config: AutoModel, encoder=True, device=device
        )
        pooling, normalize = _modules(folder)
        longest = _longest(folder, tokenizer, model)
        encoder = Encoder(folder, pooling, normalize, longest, tokenizer, model)
        with whole():
            encoder.encode(
                ["a"]
            )  # a model of pictures, or one that wants a second text, fails here
    except RejoinderError:
        raise
    except Exception as error:  # damaged files raise whatever their parsers raise
        if why := fault(folder):
            raise InputError(f"{path}: {why}") from None
        raise InputError(
            f"{path}: no encoder that transformers can load ({in_one_line(error)}); expected a "
            "folder with config.json, model.safetensors and the tokenizer's files"
        ) from None
    return encoder


def _modules(folder: Path) -> tuple[str, bool]:
    """The pooling that the folder declares, and whether vectors are normalised after it."""
    modules = _json(folder / "modules.json", [])
    if not all(
        isinstance(each, dict) and isinstance(each.get("path", ""), str) for each in modules
    ):
        raise InputError(
            f"{folder / 'modules.json'}: expected a list of parts, each with 'type' and 'path'; fetch "
            "the model again"
        )
    kinds = [str(each.get("type", "")).rsplit(".", 1)[-1] for each in modules]
    strange = [kind for kind in kinds if kind not in MODULES]
    if strange:
        raise InputError(
            f"{folder}: has a part '{strange[0]}', which is not supported; expected an encoder of "
            f"{one_of(sorted(MODULES))}"
        )
    parts = [
        each.get("path", "") for each, kind in zip(modules, kinds, strict=True) if kind == "Pooling"
    ]
    config = _json(folder / (parts[0] if parts else "1_Pooling") / "config.json", {})
    modes = (
        [config["pooling_mode"]]
        if isinstance(config.get("pooling_mode"), str)
        else [
            name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
            for name, enabled in config.items()
            if name.startswith("pooling_mode_") and enabled
        ]
    )
    if len(modes) > 1 or any(mode not in POOLINGS for mode in modes):
        raise InputError(
            f"{folder}: pools by {one_of(modes)}, which is not supported; expected one of "
            f"{one_of(POOLINGS)}"
        )
    return (modes[0] if modes else "mean"), "Normalize" in kinds


def _longest(folder: Path, tokenizer: Any, model: Any) -> int:
    """Of what the folder, the tokenizer and the positions allow, the least."""
    declared = _json(folder / "sentence_bert_config.json", {}).get("max_seq_length")
    if declared is not None and (isinstance(declared, bool) or not isinstance(declared, int)):
        raise InputError(
            f"{folder / 'sentence_bert_config.json'}: max_seq_length is {declared!r:.60}; expected a whole "
            "number: fetch the model again"
        )
    positions = getattr(model.config, "max_position_embeddings", None)
    known = [declared, tokenizer.model_max_length, positions, *_positions_behind_padding(model)]
    longest = min((each for each in known if each), default=MOST_TOKENS)
    if longest < 1:
        raise InputError(
            f"{folder}: reads texts of at most {longest} tokens, as it says; expected 1 or more: fetch "
            "the model again"
        )
    return int(min(longest, MOST_TOKENS))


def _positions_behind_padding(model: Any) -> Iterator[int]:
    """How many tokens have a position where the table of positions has a row for padding.

    As RoBERTa's and MPNet's have: the first token stands at the row behind that of padding, and the
    rows up to there are for no token.
    """
    for name, module in model.named_modules():
        padding = getattr(module, "padding_idx", None)
        rows = getattr(module, "weight", None)
        if "position" in name.rpartition(".")[2] and padding is not None and rows is not None:
            yield len(rows) - padding - 1


def _json(path: Path, default: Any) -> Any:
    """What a file of JSON holds, which must be of the default's kind; the default without a file."""
    if not path.exists():
        return default
    try:
        value = strict_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: no JSON ({error!s:.100}); fetch the model again") from None
    if not isinstance(value, type(default)):
        kind = "a list" if isinstance(default, list) else "an object"
        raise InputError(f"{path}: expected {kind} of JSON; fetch the model again")
    return value


def _pooled(states: torch.Tensor, mask: torch.Tensor, pooling: str) -> torch.Tensor:
    """States [b, t, d] and mask [b, t] to vectors [b, d]; zeros for a text without any token."""
    present = mask.unsqueeze(-1) > 0
    counts = present.sum(dim=1)
    if pooling == "cls":
        pooled = states[:, 0]
    elif pooling == "max":
        pooled = states.masked_fill(~present, float("-inf")).amax(dim=1)
    else:
        divided = counts.clamp_min(1).to(states.dtype)
        summed = states.masked_fill(~present, 0).sum(dim=1)
        pooled = summed / (divided.sqrt() if pooling == "mean_sqrt_len" else divided)
    return pooled.masked_fill(counts == 0, 0)


def _missing() -> MissingExtraError:
    return MissingExtraError(
        "encoders need torch and transformers, which are not installed; run: "
        'pip install "rejoinder[models]"'
    )
