"""A Transformer encoder and decoder after figure 3 of Khayrallah & Sedoc (2021).

Their command trains fairseq's ``transformer`` with normalisation before each block, all embeddings
shared, sinusoidal positions, and dropouts of their own for attention weights and behind the ReLU.
Of the classes of ``transformers``, M2M100's is that model (it was a fairseq model); BART's and
MarianMT's normalise behind the blocks, and mBART's and Pegasus' have other positions or a further
normalisation. Only the first weights differ, and are drawn here as fairseq draws them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rejoinder.responders.seq2seq.subwords import BOS, EOS, PAD, WINDOW

if TYPE_CHECKING:
    from torch import Tensor, nn
    from transformers import M2M100ForConditionalGeneration

    from rejoinder.models.training.shapes import Shapes
    from rejoinder.responders.seq2seq.batches import SubwordBatch
    from rejoinder.responders.seq2seq.parameters import Parameters


@dataclass(frozen=True)
class Transformer:
    """A model of transformers' class M2M100ForConditionalGeneration."""

    module: M2M100ForConditionalGeneration

    @classmethod
    def build(cls, parameters: Parameters, vocabulary: int) -> Transformer:
        """A model with fresh weights."""
        from transformers import M2M100Config, M2M100ForConditionalGeneration

        config = M2M100Config(
            vocab_size=vocabulary,
            d_model=parameters.width,
            encoder_layers=parameters.layers,
            decoder_layers=parameters.layers,
            encoder_attention_heads=parameters.heads,
            decoder_attention_heads=parameters.heads,
            encoder_ffn_dim=parameters.feed_forward,
            decoder_ffn_dim=parameters.feed_forward,
            dropout=parameters.dropout,
            attention_dropout=parameters.attention_dropout,
            activation_dropout=parameters.attention_dropout,
            activation_function="relu",
            encoder_layerdrop=0.0,
            decoder_layerdrop=0.0,
            max_position_embeddings=WINDOW,
            scale_embedding=True,
            tie_word_embeddings=True,
            bos_token_id=BOS,
            pad_token_id=PAD,
            eos_token_id=EOS,
            decoder_start_token_id=EOS,
        )
        module = M2M100ForConditionalGeneration(config)
        _initialise(module)
        return cls(module)

    @staticmethod
    def sizes_in(weights: Shapes) -> dict[str, int]:
        """The sizes that the shapes of a network's weights tell."""
        subwords, width = weights["model.shared.weight"]
        block = re.compile(r"model\.encoder\.layers\.\d+\.fc1\.weight")
        return {
            "subwords": subwords,
            "width": width,
            "layers": sum(block.fullmatch(name) is not None for name in weights),
            "feed_forward": weights["model.encoder.layers.0.fc1.weight"][0],
        }

    @property
    def keys(self) -> dict[str, Any]:
        """The configuration, with the class that loads it."""
        config = self.module.config.to_dict()
        return {**config, "architectures": [type(self.module).__name__], "dtype": "float32"}

    def logits(self, batch: SubwordBatch) -> Tensor:
        """Scores, float [b, t, vocabulary]."""
        return self.module(
            input_ids=batch.sources,
            attention_mask=batch.mask,
            decoder_input_ids=batch.inputs,
            use_cache=False,
        ).logits

    def search(
        self, sources: Tensor, mask: Tensor, beam: int, length_penalty: float, longest: int
    ) -> list[list[int]]:
        """The beam search of ``transformers``."""
        module: Any = self.module  # its stubs deny that it can generate
        generated = module.generate(
            input_ids=sources,
            attention_mask=mask,
            num_beams=beam,
            do_sample=False,
            length_penalty=length_penalty,
            early_stopping=False,
            max_new_tokens=longest,
            max_length=None,
        )
        special = {BOS, PAD, EOS}
        return [[token for token in row if token not in special] for row in generated.tolist()]


def _initialise(module: nn.Module) -> None:
    """First weights as fairseq draws them: Glorot's for matrices, 1/sqrt(width) for embeddings.

    The matrices of an attention's queries, keys and values count as one of three times the size,
    whence the gain.
    """
    from torch import nn

    embeddings = [each for each in module.modules() if isinstance(each, nn.Embedding)]
    tied = embeddings[0].weight
    for name, each in module.named_modules():
        if not isinstance(each, nn.Linear) or each.weight is tied:
            continue
        narrow = name.rsplit(".", 1)[-1] in ("q_proj", "k_proj", "v_proj")
        nn.init.xavier_uniform_(each.weight, gain=2**-0.5 if narrow else 1.0)
        if each.bias is not None:
            nn.init.zeros_(each.bias)
    nn.init.normal_(tied, std=tied.shape[1] ** -0.5)
    nn.init.zeros_(tied[PAD])
