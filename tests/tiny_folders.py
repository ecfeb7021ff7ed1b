"""Small folders of every kind that Rejoinder writes, made in a moment."""

from __future__ import annotations

import torch

import tiny_language_models as tiny
from rejoinder.corpora.pairs import Pairs
from rejoinder.models.huggingface.encoder import Encoder
from rejoinder.models.ruber import model as unreferenced
from rejoinder.models.ruber.data.texts import ScorerVocabulary
from rejoinder.models.ruber.encoder.cross import CrossConfig, CrossScorer
from rejoinder.models.ruber.encoder.encoder_head import HeadConfig, HeadScorer
from rejoinder.models.ruber.gru.gru import GRUConfig, GRUScorer
from rejoinder.models.vectors.word2vec import word2vec
from rejoinder.responders.seq2seq.parameters import Parameters
from rejoinder.training.responder import train_responder

MESSAGES = [
    f"Is there {drink} at the {place}?" for drink in ("tea", "soup") for place in "abcdefgh"
]
REPLIES = [f"Yes, there is. {message[9:-1]}." for message in MESSAGES]


def words():
    return word2vec(MESSAGES, size=4, min_count=1)


def write_vectors(path):
    words().save(path)


def write_ruber(path, scorers, encoder=""):
    members = [
        unreferenced.Member(f"{each.kind}-{i}", each, unreferenced.Calibration(0.1 * i, 1.5), 0.5)
        for i, each in enumerate(scorers, 1)
    ]
    bounds = {"unreferenced": (-1.0, 2.0), "pooled": (0.1, 1.0), "encoder": (0.2, 1.0)}
    model = unreferenced.Unreferenced(tuple(members), bounds, words(), 2, encoder)
    unreferenced.save(path, model, "abc", [{"member": "1", "loss": 0.25}], {"seed": 1}, ["A note."])


def write_gru(path):
    torch.manual_seed(1)
    vocabulary = ScorerVocabulary.of(MESSAGES + REPLIES, "en", 1, 30)
    config = GRUConfig(width=4, units=3, layers=(5,), turns=2)
    write_ruber(path, [GRUScorer(config, vocabulary)])


def write_with_encoder(path):
    torch.manual_seed(1)
    encoder = Encoder.load(tiny.save_encoder(path.with_name("encoder"), width=8, layers=1))
    head, cross = HeadConfig(hidden=4, out=3, turns=2), CrossConfig(width=4, turns=2)
    scorers = [HeadScorer(head, encoder), CrossScorer(cross, encoder)]
    write_ruber(path, scorers, str(encoder.path))


def write_responder(kind):
    def write(path):
        parameters = Parameters(
            kind, vocabulary=60, layers=1, width=8, heads=2, feed_forward=8, epochs=2, warmup=1
        )
        pairs = Pairs([str(i) for i in range(len(MESSAGES))], MESSAGES, REPLIES)
        train_responder(pairs, path, parameters, validation=pairs)

    return write
