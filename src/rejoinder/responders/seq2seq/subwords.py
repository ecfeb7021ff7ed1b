"""Subwords: SentencePiece's units, learnt from the corpus, as a tokenizer of ``transformers``.

The units are SentencePiece's byte-pair encoding (what the FLORES scripts that Khayrallah & Sedoc
build on train), one vocabulary for messages and replies. They are kept as ``tokenizer.json``, which
``AutoTokenizer.from_pretrained`` loads without SentencePiece, pickles or code from elsewhere. Text is
brought to NFKC first, by the tokenizer itself.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.errors import ParameterError
from rejoinder.files.strict_json import strict_json
from rejoinder.messages import Argument
from rejoinder.models.huggingface.pretrained import open_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# fairseq's order of special symbols; M2M100's configuration has the same.
SPECIAL = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
BOS, PAD, EOS, UNK = range(4)
WINDOW = 1024
"""Subwords that a model can read or write at most."""


def train_subwords(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """Learns a vocabulary of subwords.

    Args:
        texts: The corpus, one utterance each.
        size: Size of the vocabulary, the four special symbols and all characters included.

    Returns:
        A tokenizer that ends every text with ``</s>``; padding goes to the right.

    Raises:
        ParameterError: The corpus has fewer subwords, or more characters, than ``size``.

    Example:
        >>> tokenizer = train_subwords(["a red rose", "a red road", "a road"], 19)
        >>> tokenizer.convert_ids_to_tokens(tokenizer("a red road").input_ids)
        ['▁a', '▁red', '▁road', '</s>']
    """
    import sentencepiece

    if size < 8:
        raise ParameterError(f"vocabulary: got {size}; expected a number of subwords, 8 or more")
    buffer = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([unicodedata.normalize("NFKC", text) for text in texts]),
            model_writer=buffer,
            model_type="bpe",
            vocab_size=size,
            character_coverage=1.0,
            normalization_rule_name="identity",
            bos_id=BOS,
            pad_id=PAD,
            eos_id=EOS,
            unk_id=UNK,
            num_threads=1,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ParameterError(_unsuited(size, str(error))) from error
    model = sentencepiece.SentencePieceProcessor(model_proto=buffer.getvalue())
    return _as_fast(model)


def _unsuited(size: int, why: str) -> str:
    """What SentencePiece's message means here, with the bound that it names."""
    option = Argument("vocabulary", size)
    if most := re.search(r"value <= (\d+)", why):
        return (
            f"{option}: {size} subwords do not suit this corpus, which has at most {most[1]}; give a "
            f"value from 8 to {most[1]}, or a larger corpus"
        )
    if least := re.search(r"required_chars\. \d+ vs (\d+)", why):
        return (
            f"{option}: {size} subwords do not suit this corpus, whose characters alone are {least[1]}; "
            f"give {least[1]} or more"
        )
    reason = why.strip().rsplit("] ", 1)[-1]
    if "sentences_.empty" in why or "all_chars_count" in why:
        reason = "it holds no text"
    return f"{option}: {size} subwords do not suit this corpus: {reason:.200}"


def tokenizer_files(tokenizer: PreTrainedTokenizerFast) -> dict[str, bytes]:
    """The files of a tokenizer by name, as ``from_pretrained`` reads them."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        config = Path(folder, "tokenizer_config.json")
        # transformers 5 renamed the class, and reads the old name, which version 4 needs.
        settings = strict_json(config.read_text(encoding="utf-8"))
        settings["tokenizer_class"] = "PreTrainedTokenizerFast"
        config.write_text(json.dumps(settings, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def load_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a model's folder."""
    return open_tokenizer(str(folder))


def _as_fast(model: Any) -> PreTrainedTokenizerFast:
    """SentencePiece's model as one of ``tokenizers``."""
    from tokenizers import (
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )
    from transformers import PreTrainedTokenizerFast

    pieces = {model.id_to_piece(i): i for i in range(model.get_piece_size())}
    unknown = SPECIAL["unk_token"]
    core = Tokenizer(models.BPE(pieces, _merges(pieces), unk_token=unknown, fuse_unk=True))
    # normalizers.Sequence's list is invariant, hence Any.
    steps: list[Any] = [
        normalizers.NFKC(),
        normalizers.Replace(Regex(r"\s+"), " "),
        normalizers.Strip(),
    ]
    core.normalizer = normalizers.Sequence(steps)
    core.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    core.decoder = decoders.Metaspace(prepend_scheme="always")
    end = SPECIAL["eos_token"]
    core.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", pair=f"$A $B {end}", special_tokens=[(end, EOS)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        padding_side="right",
        clean_up_tokenization_spaces=False,
        split_special_tokens=True,  # "</s>" in an utterance is text, and ends nothing
        model_max_length=WINDOW,
        **SPECIAL,
    )


def _merges(pieces: dict[str, int]) -> list[tuple[str, str]]:
    """The merges behind SentencePiece's pieces: every way to make a piece of two, first made first.

    SentencePiece numbers pieces in the order in which it made them, and applies the earliest piece
    that any two neighbours make; single characters come last, and are made of nothing.
    """
    merges = []
    for piece in list(pieces)[len(SPECIAL) :]:
        cuts = [(piece[:i], piece[i:]) for i in range(1, len(piece))]
        merged = [(left, right) for left, right in cuts if left in pieces and right in pieces]
        merges += sorted(merged, key=lambda pair: (pieces[pair[0]], pieces[pair[1]]))
    return merges
