"""Folders of ``transformers`` with a part missing or cut: one message that names the part."""

import json

import pytest

from rejoinder.models.likelihood.backend import LocalModel

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_language_models as tiny
from rejoinder.errors import InputError
from rejoinder.models.huggingface.encoder import Encoder
from rejoinder.models.likelihood.backend import EMPTY, LikelihoodRequest
from rejoinder.models.likelihood.store import likelihoods
from rejoinder.models.likelihood.transformer.causal import CausalBackend
from rejoinder.models.likelihood.transformer.loading import load

WEIGHTS = "model.safetensors"


@pytest.fixture(params=["language model", "encoder"])
def opened(request):
    """What loads a folder: GPT-2 serves as a language model and as an encoder."""
    if request.param == "encoder":
        return Encoder.load
    return lambda folder: load(folder, local=LocalModel("cpu"))


@pytest.mark.parametrize("kind", tiny.KINDS)
def test_a_model_saved_without_its_tokenizer_is_refused(kind, tmp_path):
    # transformers makes an empty tokenizer of the model's class: no text has a token.
    tiny.model(kind).save_pretrained(tmp_path / "m")
    with pytest.raises(InputError, match=r"no tokenizer in the folder.*tokenizer.json") as told:
        load(tmp_path / "m", local=LocalModel("cpu"))
    assert "tokenizer.save_pretrained" in str(told.value)


def test_an_encoder_saved_without_its_tokenizer_is_refused(tmp_path):
    tiny.model("gpt2").save_pretrained(tmp_path / "m")
    with pytest.raises(InputError, match=r"no tokenizer in the folder; expected tokenizer.json or"):
        Encoder.load(tmp_path / "m")


@pytest.mark.parametrize("size", [0, 5, 1000, -1])
def test_cut_weights_are_told(opened, tmp_path, size):
    weights = tiny.save(tmp_path / "m") / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:size])
    with pytest.raises(InputError, match=r"m: model.safetensors is altered or cut; fetch or train"):
        opened(tmp_path / "m")


def test_a_shard_that_is_missing_is_named(opened, tmp_path):
    folder = tmp_path / "m"
    tiny.save(folder)
    (folder / WEIGHTS).unlink()
    tiny.model("gpt2").save_pretrained(folder, max_shard_size="60KB")
    shards = sorted(folder.glob("model-*.safetensors"))
    assert len(shards) > 1
    shards[1].unlink()
    with pytest.raises(InputError, match=f"{shards[1].name} is missing"):
        opened(folder)


def test_no_weights_at_all_are_told_as_that(opened, tmp_path):
    (tiny.save(tmp_path / "m") / WEIGHTS).unlink()
    with pytest.raises(InputError, match=r"no weights there at all; expected model.saf") as told:
        opened(tmp_path / "m")
    assert "pickle" not in str(told.value)


def test_pickled_weights_are_named(opened, tmp_path):
    folder = tiny.save(tmp_path / "m")
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"only pytorch_model.bin; pickled weights are never"):
        opened(folder)


def words(*known, unknown="<unk>"):
    """A tokenizer of whole words; the others are unknown, or nothing where there is no such token."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: place for place, word in enumerate(("</s>", "<unk>", *known))}
    if unknown is None:
        made = Tokenizer(models.BPE(vocabulary, []))
        special = {}
    else:
        made = Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
        special = {"unk_token": unknown}
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="</s>", **special)


@pytest.mark.parametrize(
    ("tokenizer", "told"),
    [
        (words("ja"), "knows nothing of 'Yes', nor of any other reply"),
        (words(unknown=None), "knows nothing of 'Yes'"),
    ],
)
def test_a_tokenizer_of_other_texts_is_refused(tokenizer, told):
    asked = CausalBackend(tiny.model("gpt2"), tokenizer, name="m")
    with pytest.raises(InputError, match=told):
        likelihoods(asked, [LikelihoodRequest("1", ("Hi",), ("Yes", "No"))])


def test_a_tokenizer_to_which_all_replies_are_one_is_refused():
    tokenizer = words("x")
    from tokenizers import Regex, normalizers

    tokenizer.backend_tokenizer.normalizer = normalizers.Replace(Regex(r"\w+"), "x")
    asked = CausalBackend(tiny.model("gpt2"), tokenizer, name="m")
    with pytest.raises(InputError, match="m: the tokenizer makes the same tokens of 'Yes', 'No'"):
        likelihoods(asked, [LikelihoodRequest("1", ("Hi",), ("Yes", "No"))])
    # One text, or one in two ways of writing, says nothing against a tokenizer.
    found = likelihoods(asked, [LikelihoodRequest("1", ("Hi",), ("Yes", "yes "))])
    assert found.replies[0][0].tokens == 2


def test_a_reply_of_which_no_token_is_left_is_dropped_as_empty():
    # A BPE without an unknown token makes nothing of what it does not know: the end of sequence
    # alone is no reply.
    asked = CausalBackend(tiny.model("gpt2"), words("a", "b", unknown=None))
    found = likelihoods(asked, [LikelihoodRequest("1", ("a",), ("a", "b", "?"))]).replies[0]
    assert [held.dropped for held in found] == ["", "", EMPTY]


@pytest.mark.parametrize("propagate", [False, True])
def test_notes_of_a_library_come_after_success_alone(opened, propagate, tmp_path, monkeypatch):
    """What transformers logs of weights is told as an error, or is of no matter.

    Its logger is left as it was; transformers lets it propagate where the environment has ``CI``.
    """
    import logging

    told = []

    class Kept(logging.Handler):
        def emit(self, record):
            told.append(record.getMessage())

    logger = logging.getLogger("transformers")
    monkeypatch.setattr(logger, "handlers", [Kept()])
    monkeypatch.setattr(logger, "propagate", propagate)
    folder = tiny.save(tmp_path / "m")
    held = json.loads((folder / "config.json").read_text())
    odd = {"quantization_config": {"quant_method": "of nobody"}}
    (folder / "config.json").write_text(json.dumps(held | odd))
    opened(folder)
    assert [line for line in told if "Unknown quantization type" in line]
    assert logger.propagate is propagate
    told.clear()
    (folder / "config.json").write_text(json.dumps(held | odd | {"n_layer": 3}))
    again = folder.rename(tmp_path / "again")
    with pytest.raises(InputError, match="the weights lack"):
        opened(again)
    assert not told
