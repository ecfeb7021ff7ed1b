"""correlate --cluster: whole conversations are resampled, left out, swapped and permuted."""

import numpy as np
import polars as pl
import pytest

from rejoinder import Scores, correlate
from rejoinder.errors import ParameterError
from rejoinder.meta_evaluation.protocols import Soft, System, Unit
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.within_systems import WithinSystems
from rejoinder.tables.testset import TestSet

TALKS, TURNS = 12, 20
SYSTEMS = ("a", "b", "c", "d")
RNG = np.random.default_rng(9)
VALUES = {name: RNG.normal(size=(2, TALKS)) + ord(name) % 3 for name in SYSTEMS}


def made(turns, noise=0.0):
    """Conversations of so many turns, each with the scores of its conversation."""
    rng = np.random.default_rng(1)
    ids = [f"{talk}-{turn}" for talk in range(TALKS) for turn in range(turns)]
    talks = [id.split("-")[0] for id in ids]
    contexts = pl.DataFrame(
        {"id": ids, "context": [["hello"]] * len(ids), "talk": talks},
        schema={"id": pl.String, "context": pl.List(pl.String), "talk": pl.String},
    )
    references = pl.DataFrame({"id": ids, "text": ["yes"] * len(ids)})
    testset = TestSet(contexts, references)
    scores, ratings = [], []
    for name in SYSTEMS:
        for id in ids:
            x, y = VALUES[name][:, int(id.split("-")[0])] + noise * rng.normal(size=2)
            scores.append((name, id, x, x + y))
            ratings.append((id, name, "mean", "overall", y + x))
    frame = pl.DataFrame(scores, schema=["system", "id", "judge", "other"], orient="row")
    columns = ["id", "system", "rater", "criterion", "score"]
    return Scores.from_segments(frame, testset, resamples=0), pl.DataFrame(
        ratings, schema=columns, orient="row"
    )


def row_of(agreement, correlation="pearson"):
    return agreement.table().filter(
        (pl.col("metric") == "judge") & (pl.col("correlation") == correlation)
    ).row(0, named=True)  # fmt: skip


FEW = {"permutations": 99, "resamples": 200}


def test_repeated_turns_are_no_new_evidence_once_the_conversation_is_known():
    once, many = made(1), made(TURNS)
    single = row_of(correlate(*once, **FEW))
    known = row_of(correlate(*many, cluster="talk", **FEW))
    unknown = row_of(correlate(*many, **FEW))
    for key in ("value", "within", "within_low", "within_high", "low", "high"):
        assert known[key] == pytest.approx(single[key]), key
    assert unknown["within"] == pytest.approx(single["within"])
    width = single["within_high"] - single["within_low"]
    assert unknown["within_high"] - unknown["within_low"] < width / 2
    assert known["n"] == TURNS * single["n"]


def test_none_takes_every_context_as_independent_and_the_signature_names_the_column():
    scores, ratings = made(3, 0.5)
    plain = correlate(scores, ratings, **FEW)
    known = correlate(scores, ratings, cluster="talk", **FEW)
    assert "|cluster:talk|" in known.signature
    assert "cluster" not in plain.signature
    assert (known.groups_are, plain.groups_are) == ("clusters", "contexts")
    assert any("144 rated replies in 12 clusters of 'talk'" in note for note in known.notes)
    clustered = scores.clustered("talk")
    assert correlate(clustered, ratings, **FEW).table().equals(known.table())
    assert correlate(clustered, ratings, cluster="none", **FEW).table().equals(plain.table())


@pytest.mark.parametrize("protocol", ["turn", "pairwise", "soft"])
def test_clusters_change_intervals_and_tests_but_no_value(protocol):
    scores, ratings = made(4, 0.7)
    plain = correlate(scores, ratings, protocol, **FEW).table()
    known = correlate(scores, ratings, protocol, cluster="talk", **FEW).table()
    value = "within" if protocol == "turn" else "value"
    if protocol == "soft":  # its p-values are the tests
        assert not known[value].equals(plain[value])
    else:
        assert known[value].equals(plain[value])
    low = "within_low" if protocol == "turn" else "low"
    assert not known[low].equals(plain[low])
    assert known["n"].equals(plain["n"])


@pytest.mark.parametrize("protocol", [System(), Unit(2, 5)])
def test_protocols_over_systems_refuse_clusters(protocol):
    scores, ratings = made(4)
    with pytest.raises(ParameterError, match="has no effect under the protocol"):
        correlate(scores, ratings, protocol, cluster="talk")
    # Clusters of the scores themselves are no reason to refuse.
    table = correlate(scores.clustered("talk"), ratings, protocol, **FEW).table()
    assert table.equals(correlate(scores, ratings, protocol, **FEW).table())


def test_soft_swaps_whole_conversations():
    scores, ratings = made(2, 0.3)
    seen = correlate(scores, ratings, Soft(), cluster="talk", permutations=5000).observations()
    means = ratings.join(scores.items.select("id", "talk"), on="id").group_by("system", "talk").agg(
        pl.col("score").sum()
    )  # fmt: skip
    sums = means.pivot(on="system", index="talk", values="score").sort("talk")
    apart = (sums["a"] - sums["b"]).to_numpy()
    signs = 1 - 2.0 * (np.arange(1 << TALKS)[:, None] >> np.arange(TALKS) & 1)
    drawn = signs @ apart
    p = np.mean(drawn > apart.sum() + 1e-9) + np.mean(np.abs(drawn - apart.sum()) < 1e-9) / 2
    assert seen["human"][0] == pytest.approx(p)


def test_two_metrics_are_swapped_by_cluster():
    once, many = made(1), made(TURNS)
    for protocol in ("pairwise", "turn"):
        single = correlate(*once, protocol, **FEW).comparisons().row(0, named=True)
        known = correlate(*many, protocol, cluster="talk", **FEW).comparisons().row(0, named=True)
        unknown = correlate(*many, protocol, **FEW).comparisons().row(0, named=True)
        within = "within_" if protocol == "turn" else ""
        for key in (f"{within}low", f"{within}high", f"{within}p"):
            assert known[key] == pytest.approx(single[key]), key
        width = known[f"{within}high"] - known[f"{within}low"]
        assert unknown[f"{within}high"] - unknown[f"{within}low"] < width / 2


def test_permutations_of_groups_stay_in_their_cluster_or_exchange_whole_clusters():
    groups = np.array([0, 0, 1, 2, 2, 3, 4, 4, 4, 5])
    clusters = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])  # the first two have one shape
    rng = np.random.default_rng(0)
    seen = np.concatenate(list(Groups.of(groups, 10).permuted_in(clusters, 300, rng)))
    assert (np.sort(seen, axis=1) == np.arange(10)).all()
    for drawn in seen:
        # Every group stays together, and so does every cluster.
        for labels in (groups, clusters):
            pairs = {(labels[i], labels[drawn[i]]) for i in range(10)}
            assert len(pairs) == len({a for a, _ in pairs})
        assert set(clusters[drawn[6:]]) == {2}
    assert len({tuple(drawn) for drawn in seen.tolist()}) > 8
    exchanged = clusters[seen[:, 0]] == 1
    assert 0.3 < exchanged.mean() < 0.7


def test_within_systems_leaves_out_swaps_and_exchanges_clusters():
    rng = np.random.default_rng(3)
    system, context = np.divmod(np.arange(2 * 24), 24)
    cluster = context // 4
    x, other, y = rng.normal(size=(3, 48))
    data = WithinSystems(y, system, context, cluster)
    assert data.groups == 6
    naive = []
    for g in range(6):
        kept = cluster != g
        part = WithinSystems(y[kept], system[kept], context[kept])
        naive.append(part.mean(x[kept], "pearson"))
    z = np.arctanh(naive)
    error = np.sqrt(5 / 6 * ((z - z.mean()) ** 2).sum())
    interval = data.interval(x, "pearson")
    middle = np.arctanh(data.mean(x, "pearson"))
    half = (np.arctanh(interval.high) - np.arctanh(interval.low)) / 2
    assert half == pytest.approx(2.570581835636314 * error)  # t with 5 degrees of freedom
    assert np.tanh(middle - half) == pytest.approx(interval.low)
    # Every context its own cluster is the same as none.
    single = WithinSystems(y, system, context, context)
    plain = WithinSystems(y, system, context)
    assert single.interval(x, "pearson") == plain.interval(x, "pearson")
    draws = [
        each.permutation_p(x, "spearman", 99, np.random.default_rng(1)) for each in (single, plain)
    ]
    assert draws[0] == draws[1]
    assert data.paired_permutation(x, other, "pearson", 63, rng).p >= 1 / 64
