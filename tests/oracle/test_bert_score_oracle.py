"""BERTScore beside a plain computation with transformers, text by text and without padding."""

import math
from collections import Counter

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import BERTScore

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

REPLIES = ["the cat sat", "", "No, I am not.", "the cat sat", "a"]
REFERENCES = [
    ["the cat sat", "a dog ran away"],
    ["nothing"],
    ["yes I am", "no", " No, I am not. "],
    ["one two three"],
    [""],
]
BASELINE = "LAYER,P,R,F\n0,0.1,0.2,0.15\n1,0.3,0.25,0.5\n2,-0.5,0,0.25\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    import tiny_language_models

    return str(tiny_language_models.save_encoder(tmp_path_factory.mktemp("encoder")))


def plainly(folder, layer, idf):
    """P, R and F of each reply, the maximum over its references of each."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()

    def ids_of(text):
        return tokenizer(text.strip())["input_ids"]

    def states(text):
        with torch.inference_mode():
            read = model(torch.tensor([ids_of(text)]), output_hidden_states=True)
        vectors = read.hidden_states[layer][0]
        return vectors / vectors.norm(dim=1, keepdim=True)

    special = {tokenizer.cls_token_id, tokenizer.sep_token_id}
    every = [text for few in REFERENCES for text in few]
    seen = Counter(token for text in every for token in set(ids_of(text)))

    def weights(text):
        if not idf:
            return torch.tensor([0.0 if token in special else 1.0 for token in ids_of(text)])
        return torch.tensor([math.log((len(every) + 1) / (seen[t] + 1)) for t in ids_of(text)])

    def scored(reply, reference):
        if not reply.strip() or not reference.strip():
            return 0.0, 0.0, 0.0
        similar = states(reply) @ states(reference).T
        p = (similar.max(dim=1).values * weights(reply)).sum() / weights(reply).sum()
        r = (similar.max(dim=0).values * weights(reference)).sum() / weights(reference).sum()
        return float(p), float(r), float(2 * p * r / (p + r))

    return np.array(
        [
            np.max([scored(reply, each) for each in few], axis=0)
            for reply, few in zip(REPLIES, REFERENCES, strict=True)
        ]
    )


@pytest.mark.parametrize("layer", [0, 1, 2])
@pytest.mark.parametrize("idf", [False, True])
def test_it_is_the_plain_computation(folder, layer, idf):
    expected = plainly(folder, layer, idf)
    for k, measure in enumerate(("precision", "recall", "f")):
        metric = BERTScore(folder, layer, idf, measure)
        np.testing.assert_allclose(metric.segments(REPLIES, REFERENCES), expected[:, k], atol=1e-5)


def test_a_baseline_is_taken_off(folder, tmp_path):
    path = tmp_path / "model.tsv"
    path.write_text(BASELINE)
    plain = BERTScore(folder, 1).corpus(REPLIES, REFERENCES)
    rescaled = BERTScore(folder, 1, baseline=str(path)).corpus(REPLIES, REFERENCES)
    for name, base in (("f", 0.5), ("precision", 0.3), ("recall", 0.25)):
        assert rescaled.parts[name] == pytest.approx((plain.parts[name] - base) / (1 - base))
    # An empty reply has 0, and so -1 under a baseline of 0.5.
    assert BERTScore(folder, 1, baseline=str(path)).segments(REPLIES, REFERENCES)[1] == -1
    assert str(path) not in rescaled.signature
    path.write_text(BASELINE + "3,0.1,0.1,0.1\n")
    again = BERTScore(folder, 1, baseline=str(path)).corpus(REPLIES, REFERENCES)
    assert again.value == rescaled.value
    assert again.signature != rescaled.signature


def test_the_layer_stands_in_the_signature_and_the_last_is_noted(folder):
    last = BERTScore(folder).corpus(REPLIES, REFERENCES)
    named = BERTScore(folder, 2).corpus(REPLIES, REFERENCES)
    assert last.value == named.value
    assert "|layer:2|" in last.signature
    assert "set layer=N" in last.notes[0]
    assert named.notes == ()


def test_long_texts_are_counted(folder):
    score = BERTScore(folder, 1).corpus(["a b c " * 200], [["a b"]])
    assert "1 text cut to the first" in score.notes[0]


def test_an_item_without_references_is_left_out(folder):
    score = BERTScore(folder, 1).corpus(["a", "b"], [[], ["b"]], drop_unusable=True)
    assert (score.n, score.value) == (1, pytest.approx(1.0, abs=1e-6))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the file is empty"),
        ("layer\tP\tR\tF\n", "the first line is not"),
        ("LAYER,P,R,F\n0,0.1\n", "row 2: '0,0.1' is no layer and three baselines"),
        ("LAYER,P,R,F\n0,0.1,0.1,1\n", "from -1 to below 1"),
        ("LAYER,P,R,F\n0,0.1,nan,0.1\n", "row 2"),
        ("LAYER,P,R,F\n0,0.1,0.1,0.1\n", "no row for layer 1; it has 1 layer"),
    ],
)
def test_damaged_baselines_are_refused(folder, tmp_path, content, said):
    path = tmp_path / "model.tsv"
    path.write_text(content)
    with pytest.raises(InputError, match=r"model\.tsv") as error:
        BERTScore(folder, 1, baseline=str(path)).segments(["a"], [["a"]])
    assert said in str(error.value)


def test_what_is_not_there_is_refused(folder, tmp_path):
    with pytest.raises(ParameterError, match="has 2 layers; choose 0"):
        BERTScore(folder, 3).segments(["a"], [["a"]])
    with pytest.raises(ParameterError, match="layer=-2 is below 0"):
        BERTScore(folder, -2)
    with pytest.raises(InputError, match=r"absent\.tsv"):
        BERTScore(folder, 1, baseline=str(tmp_path / "absent.tsv")).segments(["a"], [["a"]])
    with pytest.raises(ParameterError, match="bertscore:encoder=PATH"):
        BERTScore().segments(["a"], [["a"]])
