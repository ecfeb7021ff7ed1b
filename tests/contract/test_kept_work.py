"""Kept work is continued by the same run alone: each field of what a run is refuses another's work.

The work is a file of likelihoods, a checkpoint, a finished model, the folder of a sweep or of a
recipe. A class below whose new field has no row in ``OTHERS`` fails.
"""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("gensim")

import torch

import tiny_language_models as tiny
import tiny_ruber
import tiny_sweep
from rejoinder.errors import InputError
from rejoinder.metrics.meteor import METEOR
from rejoinder.models.likelihood.backend import LikelihoodRequest
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.store import likelihoods
from rejoinder.models.likelihood.transformer.causal import CausalBackend
from rejoinder.models.ruber.encoder.cross import CrossConfig
from rejoinder.models.ruber.encoder.encoder_head import HeadConfig
from rejoinder.models.ruber.fitting import fit
from rejoinder.models.ruber.gru.gru import GRUConfig
from rejoinder.models.ruber.material import ScorerMaterial
from rejoinder.models.ruber.registry import SIZES
from rejoinder.models.ruber.training import Schedule
from rejoinder.models.training.folder import Record, finished, write_folder
from rejoinder.models.vectors.word_vectors import WordVectors
from rejoinder.recipes.khayrallah2021.corpora import corpora
from rejoinder.recipes.khayrallah2021.settings import Settings
from rejoinder.responders.seq2seq.parameters import Parameters
from rejoinder.training.responder import train_responder
from rejoinder.tuning import data as responder_material
from rejoinder.tuning.folder import opened
from rejoinder.tuning.grid import ParameterGrid
from rejoinder.tuning.sweep import Search, _parameters
from shared_data import EXAMPLES

PARAMETERS = replace(tiny_sweep.BASE, epochs=2)
SEARCH = Search(sampler="random", trials=2)
SETTINGS = Settings({"DD-BASE": PARAMETERS}, pairs=60)
REQUESTS = [LikelihoodRequest("1", ("Hi.", "Where to?"), ("Home.", "I don't know."))]

# A value that each field does not have in the run whose work is kept.
OTHERS = {
    Prompting: {"turn_end": " ", "turns": 1, "template": "plain", "end": False},
    LikelihoodRequest: {"id": "2", "turns": ("Where to?",), "replies": ("Home.", "No.")},
    Parameters: {
        "kind": "gru", "vocabulary": 55, "layers": 2, "width": 24, "heads": 4, "feed_forward": 20,
        "dropout": 0.3, "attention_dropout": 0.3, "label_smoothing": 0.3, "learning_rate": 2e-3,
        "warmup": 6, "weight_decay": 1e-3, "clip": 1.0, "tokens": 299, "accumulate": 2, "epochs": 4,
        "updates": 9, "patience": 1, "pairs": 40, "longest": 59, "detokenize": True, "seed": 4,
    },
    Schedule: {
        "rate": 2e-3, "batch": 127, "epochs": 3, "patience": 3, "warmup": 0.5,
        "linear_decay": True,
        "decay": 0.1, "clip": 4.0,
    },
    GRUConfig: {
        "width": 49, "units": 64, "layers": (8,), "dropout": 0.1, "turns": 2, "loss": "softmax",
        "margin": 0.4, "own": 0.5, "least": 1, "longest": 29,
    },
    HeadConfig: {"hidden": 32, "out": 16, "dropout": 0.4, "turns": 2},
    CrossConfig: {"width": 64, "dropout": 0.3, "turns": 2, "wrong": 11, "longest": 31},
    Search: {
        "sampler": "grid", "trials": 3, "prune": "none", "reduction": 2, "first_epochs": 2,
        "proposals": 2,
    },
    Settings: {
        "systems": {"DD-BASE": replace(PARAMETERS, dropout=0.3)}, "pairs": 59, "train_prompts": 3,
        "train_outputs": 3, "test_prompts": 3, "choose_on_training": True, "beam": 3,
        "side": "source", "threshold": 0.9,
    },
}  # fmt: skip


def each_field(*classes):
    return pytest.mark.parametrize(
        ("kind", "field"),
        [
            pytest.param(kind, each.name, id=f"{kind.__name__}.{each.name}")
            for kind in classes
            for each in fields(kind)
        ],
    )


def other(value, field):
    """The same but for one field."""
    wanted = OTHERS[type(value)][field]  # no row for a new field? Add one
    assert wanted != getattr(value, field)
    return replace(value, **{field: wanted})


@pytest.mark.parametrize("kind", OTHERS)
def test_no_row_is_left_over(kind):
    assert set(OTHERS[kind]) == {each.name for each in fields(kind)}


def provider(prompting=None, **given):
    settings = {"batch_tokens": 24, "name": "m", "weights": "w", **given}
    return CausalBackend(tiny.model("gpt2"), tiny.tokenizer(chat=True), prompting, **settings)


@each_field(Prompting)
def test_likelihoods_of_another_layout_are_refused(kind, field, tmp_path):
    likelihoods(provider(Prompting()), REQUESTS, work=tmp_path)
    with pytest.raises(InputError, match=rf"of another run: .*\b{field} was"):
        likelihoods(provider(other(Prompting(), field)), REQUESTS, work=tmp_path)


@pytest.mark.parametrize("given", [{"batch_tokens": 25}, {"weights": "v"}])
def test_likelihoods_of_another_model_are_refused(given, tmp_path):
    likelihoods(provider(), REQUESTS, work=tmp_path)
    with pytest.raises(InputError, match=f"of another run: {next(iter(given))} was"):
        likelihoods(provider(**given), REQUESTS, work=tmp_path)


@each_field(LikelihoodRequest)
def test_likelihoods_of_other_requests_are_refused(kind, field, tmp_path):
    likelihoods(provider(), REQUESTS, work=tmp_path)
    with pytest.raises(InputError, match="of another run: requests was"):
        likelihoods(provider(), [other(REQUESTS[0], field)], work=tmp_path)


@pytest.fixture(scope="module")
def responders(tmp_path_factory):
    """A folder with a finished system, ``done``, and one broken off at its second update, ``begun``."""
    folder = tmp_path_factory.mktemp("responders")

    def stop(done, total, words):
        if done > 1:
            raise KeyboardInterrupt

    train_responder(tiny_sweep.corpus(), folder / "done", PARAMETERS)
    with pytest.raises(KeyboardInterrupt):
        train_responder(
            tiny_sweep.corpus(), folder / "begun", PARAMETERS, save_every=-1.0, report=stop
        )
    return folder


@each_field(Parameters)
def test_a_responder_of_other_parameters_is_refused(kind, field, responders):
    changed = other(PARAMETERS, field)
    with pytest.raises(InputError, match=rf"a finished model of another run: {field} was"):
        train_responder(tiny_sweep.corpus(), responders / "done", changed)
    with pytest.raises(InputError, match=rf"of another run: {field} was"):
        train_responder(tiny_sweep.corpus(), responders / "begun", changed)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("corpus", (tiny_sweep.corpus().take(np.arange(90)), None)),
        ("validation", (tiny_sweep.corpus(), tiny_sweep.corpus())),
    ],
)
def test_a_responder_of_other_pairs_is_refused(field, given, responders):
    for name, told in (("done", "a finished model of another run"), ("begun", "of another run")):
        with pytest.raises(InputError, match=rf"{told}.*{field} was"):
            train_responder(given[0], responders / name, PARAMETERS, given[1])


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return str(tiny.save_encoder(tmp_path_factory.mktemp("encoder")))


def material(encoder="", **given):
    settings = {"sizes": ("paper",), "seeds": 1, "epochs": 2, "encoder": encoder, **given}
    return ScorerMaterial.of(tiny_ruber.conversations(tiny_ruber.dialogues()), **settings)


def resized(whole, name, **given):
    return replace(whole, sizes={name: replace(whole.sizes[name], **given)})


def refused_when_finished(whole, changed, folder):
    """The model of one material is not taken for that of another."""
    record = Record("ruber", {"identity": whole.identity})
    write_folder(folder, record, {"weight": torch.zeros(1)})
    assert finished(folder, whole.identity) is not None
    with pytest.raises(InputError, match="a finished model of another run"):
        finished(folder, changed.identity)


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """The folder of a training of RUBER that was broken off at its second step."""
    work = tmp_path_factory.mktemp("ruber") / "m.work"

    def stop(name):
        def told(done, total, words):
            if done > 1:
                raise KeyboardInterrupt

        return told

    with pytest.raises(KeyboardInterrupt):
        fit(material(), work, save_every=-1.0, report=stop)
    assert (work / "paper-1" / "checkpoint" / "state.json").exists()
    return work


@each_field(Schedule, GRUConfig)
def test_a_scorer_of_other_settings_is_refused(kind, field, begun, tmp_path):
    whole = material()
    part = "schedule" if kind is Schedule else "config"
    changed = resized(whole, "paper", **{part: other(getattr(whole.sizes["paper"], part), field)})
    refused_when_finished(whole, changed, tmp_path / "done")
    with pytest.raises(InputError, match=rf"of another run: .*\b{field} was"):
        fit(changed, begun)


@each_field(HeadConfig, CrossConfig)
def test_a_scorer_with_an_encoder_and_other_settings_is_refused(kind, field, encoder, tmp_path):
    name = "encoder" if kind is HeadConfig else "cross"
    whole = material(encoder, sizes=(name,))
    changed = resized(whole, name, config=other(SIZES[name].config, field))
    refused_when_finished(whole, changed, tmp_path / "done")


def test_a_model_of_other_material_is_refused(encoder, tmp_path):
    whole = material()
    vectors = WordVectors(["tea"], np.eye(1, 50, dtype=np.float32))
    less = tiny_ruber.conversations(tiny_ruber.dialogues()[:5])
    changed = {
        "train_on": replace(whole, train_on=whole.valid),
        "valid": material(validation=less),
        "sizes": material(sizes=("gru",)),
        "seeds": material(seeds=2),
        "language": material(language="char"),
        "vectors": material(vectors=vectors),
        "encoder": material(encoder),
    }
    assert set(changed) == {each.name for each in fields(ScorerMaterial)}
    for name, each in changed.items():
        refused_when_finished(whole, each, tmp_path / name)


def sweep_of(held, grid, search):
    return _parameters(held, grid, search, None)


@pytest.fixture(scope="module")
def held():
    return tiny_sweep.held()


GRID = ParameterGrid(PARAMETERS, {"dropout": (0.0, 0.1), "warmup": (5, 9)})


@each_field(Search)
def test_a_sweep_of_another_search_is_refused(kind, field, held, tmp_path):
    search = replace(SEARCH, sampler="optuna") if field == "proposals" else SEARCH
    opened(tmp_path / "s", sweep_of(held, GRID, search), search.extensible, None)
    changed = (
        Search(sampler="grid") if field == "sampler" else other(search, field)
    )  # a grid takes no number of trials
    with pytest.raises(InputError, match="holds a sweep of another run"):
        opened(tmp_path / "s", sweep_of(held, GRID, changed), changed.extensible, None)


@each_field(Parameters)
def test_a_sweep_of_another_base_is_refused(kind, field, held, tmp_path):
    opened(tmp_path / "s", sweep_of(held, GRID, SEARCH), SEARCH.extensible, None)
    changed = ParameterGrid(other(PARAMETERS, field), GRID.axes)
    with pytest.raises(InputError, match=rf"sweep of another run: {field} was"):
        opened(tmp_path / "s", sweep_of(held, changed, SEARCH), SEARCH.extensible, None)


def test_a_sweep_of_other_axes_is_refused(held, tmp_path):
    opened(tmp_path / "s", sweep_of(held, GRID, SEARCH), SEARCH.extensible, None)
    changed = ParameterGrid(PARAMETERS, {"dropout": (0.0, 0.1), "warmup": (5, 8)})
    with pytest.raises(InputError, match="sweep of another run: warmup was"):
        opened(tmp_path / "s", sweep_of(held, changed, SEARCH), SEARCH.extensible, None)


# What a sweep works on; ``notes`` and ``fallback`` are words about it.
OTHER_MATERIAL = {
    "corpus": lambda held: held.corpus.take(np.arange(50)),
    "validation": lambda held: held.validation.take(np.arange(2)),
    "testset": lambda held: held.testset.select(held.testset.ids[1:]),
    "plain": None,  # it follows from testset and base
    "train": lambda held: held.train.select(held.train.ids[1:]),
    "metric": lambda held: METEOR(),
    "generic": lambda held: "No.",
    "beam": lambda held: 2,
    "resamples": lambda held: 130,
    "seed": lambda held: 1,
    "notes": None,
    "fallback": None,
}


@pytest.mark.parametrize("field", [each.name for each in fields(responder_material.SweepMaterial)])
def test_a_sweep_of_other_material_is_refused(field, held, tmp_path):
    if OTHER_MATERIAL[field] is None:
        return
    changed = replace(held, **{field: OTHER_MATERIAL[field](held)})
    opened(tmp_path / "s", sweep_of(held, GRID, SEARCH), SEARCH.extensible, None)
    with pytest.raises(InputError, match="holds a sweep of another run"):
        opened(tmp_path / "s", sweep_of(changed, GRID, SEARCH), SEARCH.extensible, None)


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    """Splits in DailyDialog's format, and the folder of a run of the recipe on them."""
    data = tmp_path_factory.mktemp("splits")
    lines = (EXAMPLES / "corpus.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    for split, some in (("train", lines[:28]), ("validation", lines[28:31]), ("test", lines[31:])):
        (data / f"{split}.txt").write_text("".join(some), encoding="utf-8")
    folder = Path(tmp_path_factory.mktemp("run"))
    corpora(data, None, folder, SETTINGS, 7, lambda *_: None)
    return data, folder


@each_field(Settings)
def test_a_run_of_the_recipe_with_other_settings_is_refused(kind, field, recipe):
    data, folder = recipe
    with pytest.raises(InputError, match="holds the corpora of another run"):
        corpora(data, None, folder, other(SETTINGS, field), 7, lambda *_: None)


def test_a_run_of_the_recipe_with_another_seed_or_input_is_refused(recipe, tmp_path):
    data, folder = recipe
    with pytest.raises(InputError, match="corpora of another run: seed was"):
        corpora(data, None, folder, SETTINGS, 8, lambda *_: None)
    for split in ("train", "validation", "test"):
        (tmp_path / f"{split}.txt").write_bytes((data / "test.txt").read_bytes())
    with pytest.raises(InputError, match="holds the corpora of another run"):
        corpora(tmp_path, None, folder, SETTINGS, 7, lambda *_: None)
