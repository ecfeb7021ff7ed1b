"""The two models: their sizes, their padding, their first weights, and what transformers makes of
them.
"""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from rejoinder.responders.seq2seq.batches import Encoded, collate  # noqa: E402
from rejoinder.responders.seq2seq.model import ARCHITECTURES, build  # noqa: E402
from rejoinder.responders.seq2seq.parameters import KINDS, preset_named  # noqa: E402
from rejoinder.responders.seq2seq.subwords import EOS, PAD  # noqa: E402
from rejoinder.responders.seq2seq.training import validation_loss  # noqa: E402
from tiny_corpora import little  # noqa: E402


def test_every_kind_has_a_class():
    assert tuple(ARCHITECTURES) == KINDS


def fresh(kind, **given):
    torch.manual_seed(1)
    model = build(little(kind=kind, **given), 50)
    model.module.eval()
    return model


def data():
    generator = np.random.default_rng(8)

    def row():
        return [*generator.integers(4, 50, size=generator.integers(0, 9)).tolist(), EOS]

    return Encoded([row() for _ in range(12)], [row() for _ in range(12)])


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(kind):
    model, encoded = fresh(kind), data()
    together = model.logits(collate(encoded, np.arange(12), "cpu"))
    for i in range(12):
        alone = model.logits(collate(encoded, np.array([i]), "cpu"))[0]
        torch.testing.assert_close(together[i, : len(alone)], alone, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_later_subwords_do_not_reach_back(kind):
    model, encoded = fresh(kind), data()
    batch = collate(encoded, np.array([0]), "cpu")
    longer = collate(Encoded(encoded.sources, [[7, 8, 9, EOS]]), np.array([0]), "cpu")
    other = collate(Encoded(encoded.sources, [[7, 8, 30, EOS]]), np.array([0]), "cpu")
    one, two = model.logits(longer), model.logits(other)
    torch.testing.assert_close(one[:, :3], two[:, :3])
    assert not torch.allclose(one[:, 3], two[:, 3])
    assert model.logits(batch).shape[-1] == 50


@pytest.mark.parametrize("kind", KINDS)
def test_validation_loss_is_the_mean_over_subwords(kind):
    model, encoded = fresh(kind), data()
    total = count = 0.0
    for i in range(12):
        batch = collate(encoded, np.array([i]), "cpu")
        logs = model.logits(batch)[0].detach().log_softmax(-1)
        total -= sum(float(logs[at, label]) for at, label in enumerate(encoded.targets[i]))
        count += len(encoded.targets[i])
    assert validation_loss(model, encoded, 40, torch.device("cpu")) == pytest.approx(
        total / count, abs=1e-5
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_of_one_takes_the_likeliest_subword_each_time(kind):
    model, encoded = fresh(kind), data()
    batch = collate(encoded, np.arange(12), "cpu")
    with torch.no_grad():
        for i, reply in enumerate(model.search(batch.sources, batch.mask, 1, 1.0, 6)):
            said = Encoded([encoded.sources[i]], [[*reply, EOS]])
            likeliest = model.logits(collate(said, np.array([0]), "cpu"))[0].argmax(-1).tolist()
            assert likeliest[: len(reply)] == reply
            assert len(reply) == 6 or likeliest[-1] == EOS


def test_the_paper_s_transformer():
    torch.manual_seed(1)
    module = build(preset_named("paper"), 4000).module
    # By hand: embeddings 4000 x 512, shared by all three; an attention has 4 (512 x 512 + 512), a
    # feed-forward block 2 x 512 x 2048 + 2048 + 512, a normalisation 2 x 512. An encoder layer has
    # 1, 1 and 2 of them, a decoder layer 2, 1 and 3, and each stack one normalisation more.
    attention, block, norm = 4 * (512 * 512 + 512), 2 * 512 * 2048 + 2560, 1024
    encoder, decoder = attention + block + 2 * norm, 2 * attention + block + 3 * norm
    expected = 4000 * 512 + 5 * (encoder + decoder) + 2 * norm
    assert sum(p.numel() for p in module.parameters()) == expected == 38_832_128
    config = module.config
    assert (config.dropout, config.attention_dropout, config.activation_dropout) == (0.4, 0.2, 0.2)
    assert (config.encoder_layerdrop, config.decoder_layerdrop) == (0.0, 0.0)
    assert (config.encoder_attention_heads, config.activation_function) == (2, "relu")
    assert config.decoder_start_token_id == config.eos_token_id == EOS
    shared = module.model.shared.weight
    assert module.lm_head.weight is module.model.encoder.embed_tokens.weight is shared
    # fairseq's first weights: embeddings of standard deviation 512 ** -0.5, and Glorot's uniform
    # ones, whose standard deviation is gain * sqrt(2 / (in + out)).
    assert float(shared[4:].detach().std()) == pytest.approx(512**-0.5, rel=0.01)
    assert not shared[PAD].any()
    layer = module.model.decoder.layers[0]
    wide = math.sqrt(2 / (512 + 2048))
    assert float(layer.fc1.weight.detach().std()) == pytest.approx(wide, rel=0.02)
    narrow = math.sqrt(2 / 1024) / math.sqrt(2)
    assert float(layer.self_attn.q_proj.weight.detach().std()) == pytest.approx(narrow, rel=0.02)


def test_normalisation_stands_before_each_block():
    model = fresh("transformer")
    layer = model.module.model.encoder.layers[0]
    seen = {}
    layer.self_attn_layer_norm.register_forward_hook(lambda m, given, out: seen.update(norm=out))
    layer.self_attn.register_forward_pre_hook(
        lambda m, given, kwargs: seen.update(attention=kwargs["hidden_states"]), with_kwargs=True
    )
    model.logits(collate(data(), np.array([0]), "cpu"))
    assert seen["norm"] is seen["attention"]
