"""1,000 honest claims of every kind are verified; of 10,000 altered ones each is refused or said to be open.

Counts are printed: ``pytest -m slow -s tests/slow/test_claims_hold.py``.
"""

import base64
import hashlib
import io
import json
import random
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice

import polars as pl
import pytest

import rejoinder
from honest_claims import KINDS, claimable
from rejoinder.errors import InputError
from rejoinder.files.canonical_json import canonical
from rejoinder.ledger.registrations import in_words, register
from rejoinder.scoring.scores import load_scores

pytestmark = pytest.mark.slow
OPEN = ("version", "numpy", "date", "command", "inputs", "anonymous", "registered")
"""What the writer of a claim says: nothing follows from it, and `verify` prints that it is not proven."""


def sealed(statement):
    """The bytes of a statement whose digests are made anew, as one does who alters it on purpose."""
    with suppress(KeyError, TypeError, AttributeError, ValueError):  # of a field that is gone
        predicate = statement["predicate"]
        predicate.pop("sha256", None)
        for each in statement["subject"]:
            if (name := each["name"].removeprefix("rows:")) in predicate["rows"]:
                block = base64.b64decode(predicate["rows"][name]["parquet"])
                each["digest"]["sha256"] = hashlib.sha256(block).hexdigest()
    with suppress(KeyError, TypeError, AttributeError):
        statement["predicate"]["sha256"] = hashlib.sha256(canonical(statement)).hexdigest()
    return canonical(statement) + b"\n"


def test_honest_claims_are_verified(tmp_path, capsys):
    rng, counts = random.Random(37), Counter()
    for number, (kind, result, ranks) in enumerate(islice(claimable(rng), 1000)):
        path = tmp_path / "claim"
        anonymous = rng.random() < 0.5
        rejoinder.write_claim(result, path, ranks=ranks, anonymous=anonymous)
        verification = rejoinder.verify(path, measured=result if rng.random() < 0.5 else None)
        assert verification.agrees, (number, kind, anonymous, verification.table.to_dicts())
        counts[kind] += 1
    assert set(counts) == set(KINDS)
    with capsys.disabled():
        print(f"\nhonest claims, none refused: {dict(counts)}")


def bit(statement, others, rng):
    content = canonical(statement) + b"\n"
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


def cut(statement, others, rng):
    content = canonical(statement) + b"\n"
    start, end = sorted(rng.sample(range(len(content)), 2))
    return rng.choice(
        [content[:start], content[:start] + content[end:], content + content[start:end]]
    )


def number(statement, others, rng):
    """A claimed number is another one, and every digest is made anew."""
    where, key = rng.choice(list(numbers(statement["predicate"]["claimed"])))
    where[key] = rng.choice(
        [0.5, -1.0, 0, where[key] * 1.001 + 1e-9, "NaN", None, where[key] + 1, str(where[key])]
    )
    return sealed(statement)


def field(statement, others, rng):
    """A field of any depth is gone, doubled, or of another value; digests are made anew or not."""
    places = [each for each in fields(statement) if each[1] != "sha256"]
    where, key = rng.choice(places)
    how = rng.randrange(4)
    if how == 0:
        del where[key]
    elif how == 1 and isinstance(where, dict):
        where[f"{key}2"] = where[key]
    else:
        where[key] = rng.choice([None, True, 0, 7, "other", [], {}, "2020-01-01T00:00:00Z", 1e300])
    return sealed(statement) if rng.random() < 0.7 else canonical(statement) + b"\n"


def setting(statement, others, rng):
    """A setting of the call is another one."""
    settings = statement["predicate"]["settings"]
    key = rng.choice(sorted(settings) or ["seed"])
    settings[key] = rng.choice(
        [1, 2, 200, None, "holm", "max", "none", "overall", 0.3, True, ["a"]]
    )
    return sealed(statement)


def swapped(statement, others, rng):
    """The rows, or what is claimed, are those of another claim of the same call."""
    other = rng.choice(others)["predicate"]
    predicate = statement["predicate"]
    part = rng.choice(["rows", "claimed", "block"])
    if part == "block":
        name = rng.choice(sorted(predicate["rows"].keys() & other["rows"].keys()))
        predicate["rows"][name] = other["rows"][name]
    else:
        predicate[part] = other[part]
    return sealed(statement)


def rows(statement, others, rng, folder):
    """A value, the order, the seed or the systems of the rows are others, in a file that Rejoinder wrote."""
    predicate = statement["predicate"]
    name = rng.choice(sorted(predicate["rows"]))
    block = base64.b64decode(predicate["rows"][name]["parquet"])
    path = folder / "rows.parquet"
    if predicate["rows"][name]["kind"] == "scores" and rng.random() < 0.5:
        path.write_bytes(block)
        scores = load_scores(path)
        change = rng.choice(
            [
                lambda: {"seed": scores.seed + 1},
                lambda: {"resamples": scores.resamples + 1},
                lambda: {"names": scores.names[::-1]},
                lambda: {"items": scores.items.reverse()},
            ]
        )()
        path.unlink()
        rejoinder.Scores(**{**vars(scores), **change}).save(path)
    elif rng.random() < 0.3:
        place = rng.randrange(len(block))
        path.write_bytes(
            block[:place] + bytes([block[place] ^ 1 << rng.randrange(8)]) + block[place + 1 :]
        )
    else:
        frame = pl.read_parquet(io.BytesIO(block))
        column = rng.choice(frame.columns)
        values = frame[column].to_list()
        if rng.random() < 0.5:
            values[rng.randrange(len(values))] = rng.choice([*values, None])
            frame = frame.with_columns(pl.Series(column, values, dtype=frame[column].dtype))
        else:
            frame = frame.sample(fraction=1.0, shuffle=True, seed=rng.randrange(1000))
        frame.write_parquet(path, metadata=pl.read_parquet_metadata(io.BytesIO(block)))
    predicate["rows"][name]["parquet"] = base64.b64encode(path.read_bytes()).decode()
    path.unlink()
    return sealed(statement)


def numbers(value):
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, dict | list):
            yield from numbers(each)
        elif isinstance(each, int | float) and not isinstance(each, bool):
            yield value, key


def fields(value):
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(each, dict | list) and each:
            yield from fields(each)


def filled(value):
    """A value without what is null: a key that is absent says the same."""
    if isinstance(value, dict):
        return {key: filled(each) for key, each in value.items() if each is not None}
    return [filled(each) for each in value] if isinstance(value, list) else value


def outcome(path, before, content):
    """How an altered claim ends: refused; without a change of what is claimed; or open, and said so."""
    path.write_bytes(content)
    try:
        verification = rejoinder.verify(path)
    except InputError:
        return "unreadable"
    if not verification.agrees:
        return "refused"
    after = json.loads(content)
    for each in (before, after):
        each["predicate"]["claimed"] = filled(each["predicate"]["claimed"])
    same = {
        key: before["predicate"].get(key) == after["predicate"].get(key)
        for key in before["predicate"]
    }
    if len(same) < len(after["predicate"]):
        return "ACCEPTED with another key"
    if same["claimed"] and not same["rows"]:
        return "other rows, the same numbers"
    if all(same[key] for key in same if key not in ("sha256", *OPEN)):
        said = " ".join(verification.unproven)
        assert "version, date, command, names and digests of the files" in said
        return "open and said so"
    if same["claimed"] and same["rows"]:
        return "the same numbers"
    return f"ACCEPTED {[key for key in same if not same[key]]}"


def test_altered_claims_are_refused_or_said_to_be_open(tmp_path, capsys):
    rng = random.Random(41)
    register(tmp_path / "study", metric="bleu", n=12)
    inputs = [{"as": "TESTSET", "name": "t.jsonl", "sha256": "0" * 64, "modified": None}]
    statements = []
    of_kind = Counter()
    for kind, result, ranks in claimable(rng):
        if of_kind[kind] < 6:
            of_kind[kind] += 1
            rejoinder.write_claim(
                result, tmp_path / "claim", ranks=ranks, inputs=inputs, registered=tmp_path / "study",
                command=["rejoinder", "score"], anonymous=of_kind[kind] % 2 == 0,
            )  # fmt: skip
            statements.append((kind, (tmp_path / "claim").read_text()))
        if sum(of_kind.values()) == 6 * len(KINDS):
            break
    counts = Counter()
    for _ in range(10_000):
        kind, text = rng.choice(statements)
        before = json.loads(text)
        calls = [json.loads(each) for other, each in statements if other == kind]
        change = rng.choice([bit, cut, number, field, setting, swapped, rows])
        given = (tmp_path,) if change is rows else ()
        content = change(json.loads(text), calls, rng, *given)
        if content == text.encode():
            counts[change.__name__, "the same bytes"] += 1
            continue
        end = outcome(tmp_path / "claim", before, content)
        counts[change.__name__, end] += 1
        assert not end.startswith("ACCEPTED"), (kind, change.__name__, end)
        assert change not in (bit, cut) or end in ("refused", "unreadable"), (kind, end)
    with capsys.disabled():
        print()
        for (change, end), times in sorted(counts.items()):
            print(f"{change:8} {end:40} {times:6}")


def test_altered_registrations_are_refused(tmp_path):
    rng = random.Random(43)
    path, study = tmp_path / "claim", tmp_path / "study"
    register(study, metric="bleu", n=4.0, margin=0.1, hypothesis="a is better")
    replies = {"a": ["yes", "no", "ok", "at"], "b": ["no", "no", "at", "ok"]}
    scores = rejoinder.score([["yes"], ["no"], ["ok"], ["at"]], replies, ["bleu"], resamples=100)
    responses = {"as": "RESPONSES", "name": "r", "sha256": "1" * 64}
    inputs = [{**responses, "modified": in_words(datetime.now(UTC) + timedelta(hours=1))}]
    compared = rejoinder.compare(scores, margin=0.1)
    rejoinder.write_claim(compared, path, registered=study, inputs=inputs)
    content = study.read_bytes()
    assert rejoinder.verify(path, registered=study).agrees
    for _ in range(500):
        place = rng.randrange(len(content))
        other = bytes([content[place] ^ 1 << rng.randrange(8)])
        study.write_bytes(content[:place] + other + content[place + 1 :])
        with suppress(InputError):
            assert not rejoinder.verify(path, registered=study).agrees
    # The digest in the claim is made anew for another registration: what it fixes is compared.
    for fixed in ({"metric": "chrf"}, {"n": 5}, {"margin": 0.2}, {"test": "sign"}):
        register(study, **fixed)
        statement = json.loads(path.read_bytes())
        statement["predicate"]["registered"] = hashlib.sha256(study.read_bytes()).hexdigest()
        (tmp_path / "other").write_bytes(sealed(statement))
        verification = rejoinder.verify(tmp_path / "other", registered=study)
        assert not verification.agrees, fixed
        assert any("date of the registration" in each for each in verification.unproven)
