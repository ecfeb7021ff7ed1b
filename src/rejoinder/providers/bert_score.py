"""Precision, recall and F of BERTScore for each reply, by the vectors of an encoder's tokens."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.progress import Progress, advance
from rejoinder.providers.embedding import cut_texts

if TYPE_CHECKING:
    from rejoinder.models.huggingface.encoder import Encoder

ITEMS_AT_ONCE = 64
"""The vectors of all tokens of so many items are in memory together."""

Tokens = tuple[list[int], np.ndarray]
"""The ids of a text's tokens, and their vectors of length 1: float32 [tokens, d]."""


def matches(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """P, R and F of every hypothesis, float64 [m, 3]: of each the maximum over the references.

    NaN for the hypotheses of an item without references.

    Args:
        request: Its options: ``layer`` (-1: the last), ``idf``, ``references`` (a reference rule) and
            ``baseline`` (a file, or "").
        batch: The whole batch.
        progress: Called with how many items are done, and of how many.

    Raises:
        ParameterError: The encoder has no such layer.
        InputError: The encoder or the baseline is damaged, or not there.
    """
    from rejoinder.models.huggingface.encoder import Encoder

    encoder = Encoder.load(request.source)
    layer = _layer(int(request.option("layer")), encoder)
    selected = batch.references(str(request.option("references")))
    texts = [_prepared(text, encoder) for text in batch.hypotheses]
    references = [_prepared(text, encoder) for text in batch.reference_texts.take(selected.indices)]
    weights = _weights(references, encoder, bool(request.option("idf")))
    values = np.full((len(texts), 3), np.nan)
    for begin in range(0, len(batch), ITEMS_AT_ONCE):
        items = range(begin, min(begin + ITEMS_AT_ONCE, len(batch)))
        replies = range(batch.bounds[items[0]], batch.bounds[items[-1] + 1])
        others = range(selected.bounds[items[0]], selected.bounds[items[-1] + 1])
        needed = [*(texts[k] for k in replies), *(references[j] for j in others)]
        tokens = {
            text: (ids, _units(states)) for text, ids, states in encoder.layer_states(needed, layer)
        }
        for i in items:
            candidates = [tokens[references[j]] for j in range(*selected.bounds[i : i + 2])]
            for k in range(*batch.bounds[i : i + 2]):
                if candidates:
                    each = [_matched(tokens[texts[k]], other, weights) for other in candidates]
                    values[k] = np.clip(np.max(each, axis=0), -1.0, 1.0)  # rounded beyond 1
        advance(progress, items[-1] + 1, len(batch))
    baseline = str(request.option("baseline"))
    if baseline:
        base = _baseline(Path(baseline), layer)
        values = (values - base) / (1 - base)
    notes = _notes(request, encoder, layer, [*texts, *references])
    return Features(values, notes=notes, facts=(("layer", str(layer)),))


def _layer(layer: int, encoder: Encoder) -> int:
    if layer > encoder.layers:
        raise ParameterError(
            f"metric 'bertscore': layer={layer}, but {encoder.path} has {encoder.layers} layers; choose 0 "
            f"(the embeddings) to {encoder.layers}"
        )
    return encoder.layers if layer < 0 else layer


def _prepared(text: str, encoder: Encoder) -> str:
    """A text as the package bert-score reads it: without blanks around it.

    To tokenizers that tell words by the blank before them it begins with one.
    """
    stripped = text.strip()
    spaced = type(encoder.tokenizer).__name__.startswith(("Roberta", "GPT2", "Bart"))
    return f" {stripped}" if spaced and stripped else stripped


def _weights(references: list[str], encoder: Encoder, idf: bool) -> dict[int, float]:
    """The weight of each token: 0 of the special tokens around a text; -1 holds that of all others.

    By inverse document frequency, ``log((N + 1) / (c + 1))`` of a token in c of the N references.
    """
    ends = (encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id)
    if not idf:
        return {-1: 1.0, **{token: 0.0 for token in ends if token is not None}}
    of_text = {text: set(encoder.tokens(text)) for text in set(references)}
    seen = Counter(token for text in references for token in of_text[text])
    n = len(references)
    weights = {token: math.log((n + 1) / (count + 1)) for token, count in seen.items()}
    return {-1: math.log(n + 1), **weights}


def _units(states: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    return np.divide(states, lengths, out=np.zeros_like(states), where=lengths > 0)


def _matched(h: Tokens, r: Tokens, weights: dict[int, float]) -> tuple[float, float, float]:
    """P, R and F of a pair: each token is matched with the most similar one of the other text.

    0 where a text is empty (special tokens alone), or all its tokens have the weight 0.
    """
    similar = h[1] @ r[1].T
    empty = min(len(h[0]), len(r[0])) <= 2
    p = 0.0 if empty else _mean(similar.max(axis=1), h[0], weights)
    rc = 0.0 if empty else _mean(similar.max(axis=0), r[0], weights)
    return p, rc, 2 * p * rc / (p + rc) if p + rc else 0.0


def _mean(values: np.ndarray, ids: list[int], weights: dict[int, float]) -> float:
    of_tokens = np.array([weights.get(token, weights[-1]) for token in ids])
    whole = of_tokens.sum()
    return float(values @ of_tokens / whole) if whole > 0 else 0.0


def _baseline(path: Path, layer: int) -> Floats:
    """The baselines of P, R and F at a layer, float64 [3], of a file of the package bert-score.

    Raises:
        InputError: It is no such file, or has no row for the layer.
    """
    from rejoinder.files.reading import read_text

    lines = [line.split(",") for line in read_text(path).splitlines() if line.strip()]
    if not lines or [each.strip() for each in lines[0]] != ["LAYER", "P", "R", "F"]:
        raise InputError(
            f"{path}: the first line is not 'LAYER,P,R,F'; expected a baseline file of bert-score "
            "(rescale_baseline/en/MODEL.tsv of that package)"
        )
    for row, cells in enumerate(lines[1:], 2):
        try:
            number, *values = int(cells[0]), *map(float, cells[1:])
        except ValueError:
            number, values = -1, []
        if len(values) != 3 or not all(-1 <= each < 1 for each in values):
            raise InputError(
                f"{path}: row {row}: {','.join(cells)!r:.60} is no layer and three baselines from -1 to "
                "below 1; fetch the file again"
            )
        if number == layer:
            return np.array(values)
    raise InputError(
        f"{path}: no row for layer {layer}; it has {counted(len(lines) - 1, 'layer')}: take the baseline "
        "of the model that encodes, or another layer"
    )


def _notes(request: Request, encoder: Encoder, layer: int, texts: list[str]) -> tuple[str, ...]:
    notes = []
    if int(request.option("layer")) < 0:
        notes.append(
            f"layer {layer} was read, the last one; published figures are of another layer of each model "
            "(17 of 24 of roberta-large): set layer=N"
        )
    return (*notes, *cut_texts(encoder, texts))
