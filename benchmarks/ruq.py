"""Four replies to prompts of about 100 tokens: beside lm-evaluation-harness, and the bare passes."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.timing import interleaved, show

PROMPTS, TOKENS, REPLIES = 8, 100, 4
BATCHES = (1, 4, 8, 16)
"""Batch sizes that lm-evaluation-harness is given, each once; the quickest then takes its turns."""

LAYOUTS = {"in one pass": 10**9, "in passes of like length": 16}
"""How the bare passes lay out the replies: what one more pass may cost in tokens."""


def run(_: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    import torch

    from rejoinder.models.likelihood.backend import LikelihoodRequest
    from rejoinder.models.likelihood.prompts import Prompting
    from rejoinder.models.likelihood.transformer.causal import CausalBackend

    tokenizer, model = _model()
    requests = _requests(tokenizer, LikelihoodRequest)
    provider = CausalBackend(model, tokenizer, Prompting(turn_end="", end=False))
    theirs = {size: _harness(model, tokenizer, size, requests) for size in BATCHES}
    once, sums = {}, []
    theirs[BATCHES[-1]]()  # to warm up
    for size, score in theirs.items():
        began = time.perf_counter()
        sums.append(score())
        once[size] = time.perf_counter() - began
    best = min(once, key=lambda size: once[size])
    bare = {name: _passes(provider, requests, toll) for name, toll in LAYOUTS.items()}
    timed = interleaved(
        {
            "ours": lambda: _ours(provider, requests),
            **{name: partial(_bare, model, passes) for name, passes in bare.items()},
            "theirs": theirs[best],
        },
        rounds=7,
    )
    differ = np.abs(np.array(sums) - _ours(provider, requests)).max()
    yield (
        f"{_sizes(provider, requests)}, a random model in the shape of GPT-2 "
        f"({model.num_parameters() / 1e6:.0f} million weights), float32, CPU, "
        f"{torch.get_num_threads()} threads; torch {version('torch')}, transformers "
        f"{version('transformers')}, lm-eval {version('lm_eval')}. The same requests: log-"
        f"probabilities of replies differ by {differ:.0e} at most."
    )
    yield ""
    yield "| what | time |"
    yield "|---|---|"
    yield f"| rejoinder, tokenising included | {timed['ours']} |"
    for name in LAYOUTS:
        yield f"| bare forward passes: each prompt once, its replies {name} | {timed[name]} |"
    yield f"| lm-evaluation-harness, tokenising included, batches of {best} | {timed['theirs']} |"
    yield ""
    yield (
        "The harness's quickest batch size counts; once each: "
        + ", ".join(f"{size}: {show(seconds)}" for size, seconds in once.items())
        + "."
    )
    yield ""
    ours, least = timed["ours"].median, min(timed[name].median for name in LAYOUTS)
    yield (
        f"**{timed['theirs'].median / ours:.2f}** times as fast as the harness, and "
        f"**{ours / least:.2f}** times the quicker of the bare passes."
    )


def _ours(provider: Any, requests: Sequence[Any]) -> list[float]:
    """The log-probability of every reply, from texts."""
    from rejoinder.models.likelihood.store import likelihoods

    return [each.total for few in likelihoods(provider, requests).replies for each in few]


def _sizes(provider: Any, requests: Sequence[Any]) -> str:
    work = [piece for batch in provider.plan(requests).batches for piece in batch.work]
    prompts = [len(piece.prefix) for piece in work]
    replies = [len(tail.ids) for piece in work for tail in piece.tails]
    return (
        f"{len(prompts)} prompts of {min(prompts)} to {max(prompts)} tokens, {REPLIES} replies of "
        f"{min(replies)} to {max(replies)} tokens to each"
    )


def _model() -> tuple[Any, Any]:
    """A tokenizer trained on the spot, and a random model as large as GPT-2."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    rng = np.random.default_rng(1)
    made.train_from_iterator((_sentence(rng, 20) for _ in range(500)), trainer)
    end = "<|endoftext|>"
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, eos_token=end, bos_token=end)
    torch.manual_seed(0)
    return tokenizer, GPT2LMHeadModel(GPT2Config()).eval()


def _requests(tokenizer: Any, kind: Any) -> list[Any]:
    rng = np.random.default_rng(2)
    requests = []
    for number in range(PROMPTS):
        prompt = _sentence(rng, 1)
        wanted = TOKENS + int(rng.integers(-15, 16))
        while len(tokenizer(prompt)["input_ids"]) < wanted:
            prompt += " " + _sentence(rng, 1)
        replies = tuple(" " + _sentence(rng, int(rng.integers(3, 12))) for _ in range(REPLIES))
        requests.append(kind(str(number), (prompt,), replies))
    return requests


def _sentence(rng: np.random.Generator, words: int) -> str:
    syllables = ["ka", "lo", "mi", "ter", "san", "vu", "ple", "dor", "in", "quo"]
    # A few hundred words, the first of them often: most become one token.
    ranks = np.minimum(rng.zipf(1.3, size=words), 400)
    return " ".join(
        syllables[r % 10] + syllables[r // 10 % 10] + syllables[r // 100] for r in ranks
    )


def _harness(model: Any, tokenizer: Any, size: int, requests: Sequence[Any]) -> Any:
    """A call of lm-evaluation-harness's Hugging Face backend on the same requests."""
    logging.disable(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from lm_eval.api.instance import Instance
        from lm_eval.models.huggingface import HFLM

        make: Any = HFLM  # a decorator hides its parameters
        scorer: Any = make(pretrained=model, tokenizer=tokenizer, batch_size=size, device="cpu")
    logging.disable(logging.NOTSET)
    asked = [
        Instance("loglikelihood", {}, (request.turns[0], reply), index)
        for index, (request, reply) in enumerate(
            (request, reply) for request in requests for reply in request.replies
        )
    ]
    return lambda: [total for total, _ in scorer.loglikelihood(asked, disable_tqdm=True)]


def _passes(provider: Any, requests: Sequence[Any], toll: int) -> list[tuple[Any, list[Any]]]:
    """The token ids that the scheme must feed: prompts, then passes of (prompt of each row, ids)."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    from rejoinder.models.likelihood.transformer.batching import levelled

    found = []
    for batch in provider.plan(requests).batches:
        prompts = pad_sequence([torch.tensor(piece.prefix) for piece in batch.work], True)
        # The prompt's last logits tell a reply's first token; its last token is never fed.
        fed = [
            (place, tail.ids[:-1])
            for place, piece in enumerate(batch.work)
            for tail in piece.tails
            if len(tail.ids) > 1
        ]
        tails = []
        for places in levelled([len(ids) for _, ids in fed], toll, 10**9):
            rows = torch.tensor([fed[place][0] for place in places])
            ids = [torch.tensor(fed[place][1]) for place in places]
            tails.append((rows, pad_sequence(ids, True)))
        found.append((prompts, tails))
    return found


def _bare(model: Any, passes: Sequence[tuple[Any, Sequence[Any]]]) -> None:
    """The passes with nothing around them: no texts, no masks, no positions, no probabilities.

    The keys and values of a prompt are handed to its replies: a pass over replies needs them.
    """
    import torch

    from rejoinder.models.likelihood.transformer.likelihoods import expanded

    with torch.inference_mode():
        for prompts, tails in passes:
            cache = model(input_ids=prompts, use_cache=True, logits_to_keep=1).past_key_values
            for rows, ids in tails:
                model(input_ids=ids, past_key_values=expanded(cache, rows), use_cache=True)
