"""Results as they come: killed at any moment, taken up, and the same to the byte."""

import random

import msgspec
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import killed_scoring
import tiny_language_models as tiny
from rejoinder.errors import InputError
from rejoinder.models.likelihood.backend import Likelihood, LikelihoodRequest
from rejoinder.models.likelihood.registry import open_backend
from rejoinder.models.likelihood.store import likelihoods
from rejoinder.models.likelihood.transformer.causal import CausalBackend

REQUESTS = killed_scoring.requests()[:12]


def provider(seed=0, **options):
    return CausalBackend(
        tiny.model("gpt2", seed),
        tiny.tokenizer(),
        batch_tokens=24,
        name="m",
        weights=str(seed),
        **options,
    )


@pytest.mark.slow  # three starts of torch; five kills of one run are in tests/slow/test_likelihood_kills.py
def test_killed_and_taken_up_gives_the_same_file(tmp_path):
    killed_scoring.score(tmp_path / "whole")
    expected = (tmp_path / "whole" / killed_scoring.FILE).read_bytes()
    size = killed_scoring.kill(tmp_path / "cut", random.Random(3), len(expected))
    assert 0 < size < len(expected)  # it was killed at work, neither before nor behind it
    killed_scoring.score(tmp_path / "cut")
    assert (tmp_path / "cut" / killed_scoring.FILE).read_bytes() == expected


def test_cut_off_at_any_byte_gives_the_same_file(tmp_path):
    whole = likelihoods(provider(), REQUESTS, work=tmp_path)
    path = tmp_path / killed_scoring.FILE
    expected = path.read_bytes()
    rng = random.Random(1)
    for size in [
        0,
        1,
        expected.index(b"\n"),
        len(expected) - 1,
        *rng.sample(range(len(expected)), 12),
    ]:
        path.write_bytes(expected[:size])
        again = likelihoods(provider(), REQUESTS, work=tmp_path)
        assert path.read_bytes() == expected
        for few, others in zip(again.replies, whole.replies, strict=True):
            for one, other in zip(few, others, strict=True):
                assert one.logprobs.tolist() == other.logprobs.tolist()


def test_a_finished_run_measures_nothing_anew(tmp_path, monkeypatch):
    whole = likelihoods(provider(), REQUESTS, work=tmp_path)
    asked = provider()
    monkeypatch.setattr(asked, "measure", None)
    ticks = []
    again = likelihoods(asked, REQUESTS, work=tmp_path, progress=lambda *each: ticks.append(each))
    assert again.replies[3][1].total == whole.replies[3][1].total
    assert ticks[-1] == (12, 12)
    assert whole.replies[0][0].total == likelihoods(provider(), REQUESTS).replies[0][0].total


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (lambda: (provider(1), REQUESTS), "another run: weights was"),
        (lambda: (provider(), REQUESTS[:5]), "another run: requests was"),
    ],
)
def test_another_runs_results_are_refused(tmp_path, other, told):
    likelihoods(provider(), REQUESTS, work=tmp_path)
    before = (tmp_path / killed_scoring.FILE).read_bytes()
    model, requests = other()
    with pytest.raises(InputError, match=told):
        likelihoods(model, requests, work=tmp_path)
    assert (tmp_path / killed_scoring.FILE).read_bytes() == before


def test_a_strange_file_is_refused_and_kept(tmp_path):
    (tmp_path / killed_scoring.FILE).write_text("my notes\n")
    with pytest.raises(InputError, match="is not a file of likelihoods"):
        likelihoods(provider(), REQUESTS, work=tmp_path)
    assert (tmp_path / killed_scoring.FILE).read_text() == "my notes\n"


def test_the_kept_file_is_a_source_of_likelihoods(tmp_path):
    requests = [*REQUESTS, LikelihoodRequest("e", ("Hi.",), ("", "No."))]
    whole = likelihoods(provider(), requests, work=tmp_path)
    again = likelihoods(open_backend(tmp_path / killed_scoring.FILE), requests)
    for few, others in zip(again.replies, whole.replies, strict=True):
        for one, other in zip(few, others, strict=True):
            assert (one.dropped, one.tokens) == (other.dropped, other.tokens)
            assert one.total == other.total or one.dropped


def lines(path, *rows):
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return path


def test_scores_made_elsewhere(tmp_path):
    path = lines(
        tmp_path / "theirs.jsonl",
        {"id": "1", "text": "No.", "logprobs": [-1.0, -3.0]},
        {"id": "1", "text": "I don't know.", "total": -6.0, "tokens": 4},
    )
    asked = open_backend(path)
    assert asked.name == "theirs"
    found = likelihoods(
        asked, [LikelihoodRequest("1", ("Hi.",), ("No.", "I don't know."))]
    ).replies[0]
    assert [held.mean for held in found] == [-2.0, -1.5]
    assert found[1].logprobs is None
    with pytest.raises(InputError, match="no line for id '2'"):
        likelihoods(asked, [LikelihoodRequest("2", ("Hi.",), ("No.",))])


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "1", "text": "No."}, "neither 'logprobs' nor"),
        ({"id": "1", "text": "No.", "logprobs": [0.4]}, "above 0"),
        ({"id": "1", "text": "No.", "logprobs": [-3.0, 0.4]}, "above 0"),
        ({"id": "1", "text": "No.", "total": 0.4, "tokens": 2}, "above 0"),
        ({"id": "1", "text": "No.", "total": 2, "tokens": 2}, "above 0"),
        ({"id": "1", "text": "No.", "total": -1.0, "tokens": 0}, "neither 'logprobs' nor"),
        ({"id": "1", "text": "No.", "logprobs": ["x"]}, "logprobs"),
        ({"id": 1, "text": "No.", "logprobs": [-1.0]}, "expected text"),
    ],
)
def test_bad_lines_are_told(tmp_path, row, told):
    path = lines(tmp_path / "theirs.jsonl", {"id": "0", "text": "a", "logprobs": [-1.0]}, row)
    with pytest.raises(InputError, match=told) as error:
        open_backend(path)
    assert "row 2" in str(error.value)


def test_a_reply_twice_is_told(tmp_path):
    row = {"id": "1", "text": "No.", "logprobs": [-1.0]}
    with pytest.raises(InputError, match="a second time"):
        open_backend(lines(tmp_path / "theirs.jsonl", row, row))


def test_a_likelihood_of_no_tokens_is_none():
    assert Likelihood.of([]).dropped
    assert Likelihood.of([-1.0, float("nan")]).dropped


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_flipped_bit_gives_no_other_number(tmp_path, count):
    # Read back as work, and as a file of scores: the same numbers, or one message.
    model = provider()
    whole = likelihoods(model, REQUESTS, work=tmp_path)
    expected = [[each.mean for each in replies] for replies in whole.replies]
    path = tmp_path / killed_scoring.FILE
    raw = path.read_bytes()
    rng = random.Random(4)
    places = range(len(raw)) if count > len(raw) else sorted(rng.sample(range(len(raw)), count))
    refused = 0
    for place in places:
        damaged = bytearray(raw)
        damaged[place] ^= 1 << rng.randrange(8)
        for read in (
            lambda: likelihoods(model, REQUESTS, work=tmp_path),
            lambda: likelihoods(open_backend(path), REQUESTS),
        ):
            path.write_bytes(damaged)
            try:
                found = read()
            except InputError:
                refused += 1
                continue
            assert [[each.mean for each in replies] for replies in found.replies] == expected
    assert refused > len(places)


def test_lines_that_are_moved_or_lost_are_told(tmp_path):
    likelihoods(provider(), REQUESTS, work=tmp_path)
    path = tmp_path / killed_scoring.FILE
    whole = path.read_bytes().splitlines(keepends=True)
    for changed in (whole[:3] + whole[4:], [*whole[:3], whole[4], whole[3], *whole[5:]]):
        path.write_bytes(b"".join(changed))
        with pytest.raises(InputError, match="line 4: damaged or altered"):
            likelihoods(provider(), REQUESTS, work=tmp_path)
        with pytest.raises(InputError, match="row 4: damaged or altered"):
            open_backend(path)


@pytest.mark.parametrize("content", [b"my notes", b"{}", b"\0" * 10, b"x" * 10_000])
def test_a_strange_file_without_a_line_end_is_kept(tmp_path, content):
    (tmp_path / killed_scoring.FILE).write_bytes(content)
    with pytest.raises(InputError, match="is not a file of likelihoods") as told:
        likelihoods(provider(), REQUESTS, work=tmp_path)
    assert "name another folder" in str(told.value)
    assert (tmp_path / killed_scoring.FILE).read_bytes() == content


def test_two_runs_at_once_do_not_share_a_file(tmp_path):
    asked = provider()
    measure = asked.measure

    def meanwhile(batch):
        with pytest.raises(InputError, match="another run writes to this file now"):
            likelihoods(provider(), REQUESTS, work=tmp_path)
        return measure(batch)

    asked.measure = meanwhile
    likelihoods(asked, REQUESTS, work=tmp_path)
    expected = (tmp_path / killed_scoring.FILE).read_bytes()
    likelihoods(provider(), REQUESTS, work=tmp_path / "alone")
    assert (tmp_path / "alone" / killed_scoring.FILE).read_bytes() == expected
