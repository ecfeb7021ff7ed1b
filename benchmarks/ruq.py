"""Four replies to prompts of about 100 tokens: beside lm-evaluation-harness, and the bare passes."""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.timing import interleaved

PROMPTS, TOKENS, REPLIES = 8, 100, 4
BATCHES = (1, 8)
"""Batch sizes that lm-evaluation-harness is given; its quickest counts."""


def run(_: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    import torch

    from rejoinder.models.likelihood import Likelihood, Prompting, Request
    from rejoinder.models.likelihood.causal import CausalProvider

    tokenizer, model = _model()
    requests = _requests(tokenizer, Request)
    provider = CausalProvider(model, tokenizer, Prompting(turn_end="", end=False))

    def ours() -> list[list[Likelihood]]:
        plan = provider.plan(requests)
        found: list[list[Likelihood]] = [[] for _ in requests]
        for batch in plan.batches:
            for place, each in zip(batch.requests, provider.measure(batch), strict=True):
                found[place] = each
        return found

    passes = _passes(provider, requests)
    theirs = {f"harness {size}": _harness(model, tokenizer, size, requests) for size in BATCHES}
    timed = interleaved({"ours": ours, "bare": lambda: _bare(model, passes), **theirs}, rounds=3)
    sums = [each.total for few in ours() for each in few]
    differ = float(np.abs(np.array(sums) - np.array(theirs["harness 8"]())).max())
    best = min(theirs, key=lambda name: timed[name].median)
    lengths = [
        len(piece.prefix) for batch in provider.plan(requests).batches for piece in batch.work
    ]
    yield (
        f"{PROMPTS} prompts of {min(lengths)} to {max(lengths)} tokens, {REPLIES} replies to each, a "
        f"random model in the shape of GPT-2 ({model.num_parameters() / 1e6:.0f} million weights), "
        f"float32, CPU, {torch.get_num_threads()} threads; torch {version('torch')}, transformers "
        f"{version('transformers')}, lm-eval {version('lm_eval')}. The same requests: log-"
        f"probabilities of replies differ by {differ:.0e} at most."
    )
    yield ""
    yield "| what | time |"
    yield "|---|---|"
    yield f"| rejoinder, tokenising included | {timed['ours']} |"
    yield f"| the bare forward passes of the same batches, each prompt once | {timed['bare']} |"
    for size in BATCHES:
        yield f"| lm-evaluation-harness, batches of {size} | {timed[f'harness {size}']} |"
    yield ""
    yield (
        f"**{timed[best].median / timed['ours'].median:.2f}** times as fast as the quickest of the "
        f"harness's ({best.split()[1]} to a batch), and "
        f"**{timed['ours'].median / timed['bare'].median:.2f}** times the bare passes."
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


def _passes(provider: Any, requests: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The token ids of the scheme's two passes, padded: what it needs at the very least."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    passes = []
    for batch in provider.plan(requests).batches:
        prompts = pad_sequence([torch.tensor(piece.prefix) for piece in batch.work], True)
        tails = [torch.tensor(tail.ids[:-1]) for piece in batch.work for tail in piece.tails]
        passes.append((prompts, pad_sequence(tails, True)))
    return passes


def _bare(model: Any, passes: Sequence[tuple[Any, Any]]) -> None:
    """Both passes without anything around them: no masks, no padding, no probabilities."""
    import torch

    with torch.inference_mode():
        for prompts, tails in passes:
            first = model(input_ids=prompts, use_cache=True, logits_to_keep=1)
            cache = copy.deepcopy(first.past_key_values)
            cache.batch_repeat_interleave(REPLIES)
            model(input_ids=tails, past_key_values=cache, use_cache=True)
