"""Claims: honest ones are verified, and what is altered is refused or said not to be provable."""

import base64
import hashlib
import json
import random
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rejoinder
from json_schemas import FOLDER, faults
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.canonical_json import canonical
from rejoinder.ledger.claims import CALLS, read_claim
from rejoinder.ledger.differences import Discrepancy
from rejoinder.ledger.registrations import register
from rejoinder.ledger.verification import SAME_DRAWS, _is_reworded
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.scoring.scores import load_scores
from rejoinder.statistics.holm import holm
from shared_data import EXAMPLES, SYSTEMS, TESTSET

ITEMS, REPLIES = rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS)


@pytest.fixture(scope="module")
def scores():
    return rejoinder.score(ITEMS, REPLIES, ["bleu", "distinct"], cluster="topic", resamples=200)


@pytest.fixture(scope="module")
def claim(scores, tmp_path_factory):
    path = tmp_path_factory.mktemp("claims") / "scores.claim"
    rejoinder.write_claim(scores, path)
    return path


def states(path, **given):
    return {each.what: each.state for each in rejoinder.verify(path, **given).checks}


def sealed(statement):
    """The bytes of a statement whose digests are made anew, as one does who alters it on purpose."""
    predicate = statement["predicate"]
    predicate.pop("sha256", None)
    for each in statement["subject"]:
        if (name := each["name"].removeprefix("rows:")) in predicate["rows"]:
            block = base64.b64decode(predicate["rows"][name]["parquet"])
            each["digest"]["sha256"] = hashlib.sha256(block).hexdigest()
    predicate["sha256"] = hashlib.sha256(canonical(statement)).hexdigest()
    return canonical(statement) + b"\n"


def with_rows(statement, change, folder):
    """The statement with other rows, as kept scores that Rejoinder wrote itself."""
    path = folder / "rows.parquet"
    path.write_bytes(base64.b64decode(statement["predicate"]["rows"]["scores"]["parquet"]))
    change(load_scores(path)).save(path)
    block = base64.b64encode(path.read_bytes()).decode()
    statement["predicate"]["rows"]["scores"]["parquet"] = block
    return statement


def test_scores_and_comparisons_follow_from_their_claims(scores, tmp_path):
    results = {
        "scores": scores,
        "pairs": rejoinder.compare(scores, margin=0.02, permutations=100),
        "gate": rejoinder.compare(scores, b="generic", worse_by=0.01, cluster="none"),
        "one": rejoinder.score(
            ITEMS,
            {"tuned": REPLIES.filter(pl.col("system") == "tuned")["text"].to_list()},
            ["bleu"],
            resamples=0,
        ),
        "other tool": rejoinder.Scores.from_segments(rejoinder.read_scores(EXAMPLES / "judge.csv")),
    }
    for name, result in results.items():
        for anonymous in (False, True):
            path = tmp_path / f"{name} {anonymous}"
            rejoinder.write_claim(result, path, ranks=name == "pairs", anonymous=anonymous)
            assert rejoinder.verify(path).agrees, (name, anonymous)
            assert rejoinder.verify(path, measured=result).agrees, (name, anonymous)


def test_people_and_correlations_follow_from_their_claims(scores, tmp_path):
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    judge = rejoinder.read_scores(EXAMPLES / "judge.csv")
    some = rejoinder.read_ratings(EXAMPLES / "some-ratings.csv")
    bleu = scores.select(metrics=["bleu"])
    results = {
        "people": rejoinder.compare(ratings=ratings),
        "both": rejoinder.compare_with_people(judge, some),
        "turn": rejoinder.correlate(bleu, ratings, resamples=100, permutations=100),
        "unit": rejoinder.correlate(bleu, ratings, Unit(10, 100), permutations=100),
    }
    for anonymous, (name, result) in product((False, True), results.items()):
        path = tmp_path / f"{name} {anonymous}"
        rejoinder.write_claim(result, path, anonymous=anonymous)
        assert rejoinder.verify(path, measured=result).agrees, (name, anonymous)
        rows = pl.read_parquet(read_claim(path).block("ratings"))
        assert not set(rows["rater"]) & set(ratings["rater"])


def test_a_claim_holds_no_text_and_anonymous_ones_no_id(scores, tmp_path):
    # "c001" is the first id; a text of the examples is none of the file, nor a topic but as a cluster.
    for anonymous in (False, True):
        rejoinder.write_claim(scores, tmp_path / "claim", anonymous=anonymous)
        rows = read_claim(tmp_path / "claim").predicate["rows"]["scores"]["parquet"]
        (tmp_path / "r.parquet").write_bytes(base64.b64decode(rows))
        table = pl.read_parquet(tmp_path / "r.parquet")
        texts = {name: set(table[name]) for name in table.columns if table[name].dtype == pl.String}
        assert set(texts) == {"system", "id", "item:topic"}
        assert ("c001" in texts["id"]) is not anonymous
        assert ("travel" in texts["item:topic"]) is not anonymous


def test_a_claim_is_an_in_toto_statement_in_canonical_form(claim):
    statement = json.loads(claim.read_bytes())
    assert set(statement) == {"_type", "subject", "predicateType", "predicate"}
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert all(set(each) == {"name", "digest"} for each in statement["subject"])
    assert claim.read_bytes() == canonical(statement) + b"\n"


def test_the_predicate_is_as_its_schema_says(claim, tmp_path):
    schema = json.loads((FOLDER / "predicates" / "claim-1.json").read_text("utf-8"))
    predicate = schema["properties"]["predicate"]["properties"]
    assert set(predicate["call"]["enum"]) == CALLS.keys()
    study, path = tmp_path / "study", tmp_path / "claim"
    register(study, metric="bleu")
    inputs = [
        {"as": "TESTSET", "name": "t", "sha256": "0" * 64, "modified": None, "made_by": "mark|x"}
    ]
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    judge = rejoinder.judge(
        rejoinder.read_scores(EXAMPLES / "judge.csv"), ratings, responses=REPLIES
    )
    rejoinder.write_claim(judge, path, registered=study, inputs=inputs, expires="2030-01-01")
    for each in (claim, path):
        assert list(faults(json.loads(each.read_bytes()), schema)) == []


def test_an_edited_number_is_found_though_every_digest_is_made_anew(claim, tmp_path):
    statement = json.loads(claim.read_bytes())
    row = statement["predicate"]["claimed"]["systems"][0]
    row["value"] += 0.01
    (tmp_path / "claim").write_bytes(sealed(statement))
    verification = rejoinder.verify(tmp_path / "claim")
    (wrong,) = [each for each in verification.checks if each.state == "differs"]
    assert wrong.what == f"systems: {row['metric']}, {row['system']}: value"
    assert float(wrong.claimed) == pytest.approx(float(wrong.found) + 0.01)
    assert not verification.agrees


@pytest.mark.parametrize(
    ("version", "change", "state"),
    [
        ("0.0.9", lambda note: f"in other words: {note}", "not checkable"),
        (None, lambda note: f"in other words: {note}", "differs"),
        ("0.0.9", lambda note: note.replace("5", "6").replace("1", "2"), "differs"),
        ("0.0.9", lambda note: "all is well", "differs"),
        ("0.0.9", lambda note: None, "differs"),
    ],
)
def test_a_note_in_the_words_of_another_version(claim, tmp_path, version, change, state):
    statement = json.loads(claim.read_bytes())
    claimed = statement["predicate"]["claimed"]
    *notes, note = claimed["notes"]
    claimed["notes"] = [*notes, *([new] if (new := change(note)) else [])]
    statement["predicate"]["version"] = version or statement["predicate"]["version"]
    (tmp_path / "claim").write_bytes(sealed(statement))
    verification = rejoinder.verify(tmp_path / "claim")
    assert {each.state for each in verification.checks if each.what.startswith("notes")} == {state}
    assert verification.agrees == (state == "not checkable")


@pytest.mark.parametrize(
    ("claimed", "computed", "reworded"),
    [
        ("people's for 2 pairs, the judge's", "the judge's for 2 pairs, and people's", True),
        ("'a' is better than 'b'", "better is 'a' than 'b'", True),
        ("'a' is better than 'b'", "'b' is better than 'a'", False),
        ("off by -0.5", "off by 0.5", False),
        ('the system "it\'s"', 'the system "its"', False),
        ("1 of 1 items", "2 items", False),
    ],
)
def test_a_reworded_note_has_the_same_facts(claimed, computed, reworded):
    assert _is_reworded(Discrepancy("notes", "", claimed, computed)) == reworded


def test_other_bytes_are_altered(claim, tmp_path):
    content = claim.read_bytes()
    for other in (content.replace(b'"score"', b'"score" '), content + b"\n", content[:-1]):
        (tmp_path / "claim").write_bytes(other)
        assert states(tmp_path / "claim")["digest of the file"] == "altered"
        assert not rejoinder.verify(tmp_path / "claim").agrees


def test_what_is_read_of_another_file_is_an_error(tmp_path, claim):
    (tmp_path / "claim").write_bytes(claim.read_bytes()[:5000])
    with pytest.raises(InputError, match="no readable claim"):
        rejoinder.verify(tmp_path / "claim")
    later = claim.read_bytes().replace(b"urn:rejoinder:claim:1", b"urn:rejoinder:claim:2")
    (tmp_path / "claim").write_bytes(later)
    with pytest.raises(InputError, match="a claim of a later version"):
        rejoinder.verify(tmp_path / "claim")
    with pytest.raises(ParameterError, match="no claim"):
        rejoinder.verify(TESTSET, data=[TESTSET])


def test_rows_of_other_texts_are_found_with_the_data_at_hand(scores, claim, tmp_path):
    other = REPLIES.with_columns(
        text=pl.when(pl.col("id") == "c001").then(pl.lit("no")).otherwise(pl.col("text"))
    )
    measured = rejoinder.score(ITEMS, other, ["bleu", "distinct"], cluster="topic", resamples=200)
    verification = rejoinder.verify(claim, measured=measured)
    assert any(each.state == "differs" and "row 1," in each.what for each in verification.checks)
    assert not verification.agrees


def test_a_registration_is_named_and_was_written_before_the_data(scores, tmp_path):
    first = register(tmp_path / "first", metric="bleu", n=66.0, margin=0.1, test="bootstrap")
    register(tmp_path / "other", metric="bleu", n=66)
    path = tmp_path / "claim"
    inputs = [
        {"as": "RESPONSES", "name": "r.jsonl", "sha256": None, "modified": "2020-01-01T00:00:00Z"}
    ]
    rejoinder.write_claim(scores, path, registered=tmp_path / "first")
    assert read_claim(path).predicate["registered"] == first.digest
    assert states(path)["registration"] == "not checkable"
    assert states(path, registered=tmp_path / "first")["date of the registration"] == "agrees"
    named = states(path, registered=tmp_path / "first")
    assert [named[f"registered {each}"] for each in ("metric", "n", "margin", "test")] == [
        "agrees", "agrees", "differs", "agrees",
    ]  # fmt: skip
    assert states(path, registered=tmp_path / "other")["registration"] == "registration changed"
    rejoinder.write_claim(scores, path, registered=tmp_path / "first", inputs=inputs)
    assert states(path, registered=tmp_path / "first")["date of the registration"] == (
        "registration later than the data"
    )
    (tmp_path / "first").write_text("{}")
    with pytest.raises(InputError, match="no registration"):
        rejoinder.verify(path, registered=tmp_path / "first")


def test_rows_from_the_data_do_not_stand_for_numbers_that_nobody_computed(scores, claim, tmp_path):
    statement = json.loads(claim.read_bytes())
    statement["predicate"] |= {"version": "99.0", "settings": {"unheard-of": 1}}
    (tmp_path / "claim").write_bytes(sealed(statement))
    found = states(tmp_path / "claim", measured=scores)
    assert (found["numbers"], found["rows from the data: scores"]) == (
        "not checkable",
        "recomputed",
    )
    verification = rejoinder.verify(tmp_path / "claim", measured=scores)
    assert not verification.agrees
    assert "does not agree" in verification.badge()


def swapped(scores):
    """The rows of two systems swapped."""
    return rejoinder.Scores(**{**vars(scores), "names": scores.names[::-1]})


def other_seed(scores):
    return rejoinder.Scores(**{**vars(scores), "seed": scores.seed + 1})


def fewer(scores):
    return scores.select(scores.items["id"].to_list()[1:])


@pytest.mark.parametrize("change", [swapped, other_seed, fewer])
def test_other_rows_are_found_though_every_digest_is_made_anew(claim, change, tmp_path):
    statement = with_rows(json.loads(claim.read_bytes()), change, tmp_path)
    (tmp_path / "claim").write_bytes(sealed(statement))
    assert not rejoinder.verify(tmp_path / "claim").agrees


def mutated(content, rng):
    """A claim with a bit, a byte or a field altered, and whether its digests were made anew."""
    if rng.random() < 0.5:
        place = rng.randrange(len(content))
        return (
            content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]
        )
    statement = json.loads(content)
    numbers = list(_numbers(statement["predicate"]["claimed"]))
    where, key = rng.choice(numbers)
    where[key] = rng.choice([0.5, -1.0, 0, where[key] * 1.001 + 1e-9, "NaN", None, where[key] + 1])
    return sealed(statement)


def _numbers(value):
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, dict | list):
            yield from _numbers(each)
        elif isinstance(each, int | float) and not isinstance(each, bool):
            yield value, key


def refused(path, content):
    path.write_bytes(content)
    try:
        verification = rejoinder.verify(path)
    except InputError:
        return True
    return not verification.agrees


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("claims") / "small.claim"
    few = {"a": ["yes", "no", "at nine", "ok"], "b": ["yes", "at", "no nine", "ok then"]}
    references = [["yes"], ["no"], ["at nine"], ["ok then"]]
    rejoinder.write_claim(rejoinder.score(references, few, ["bleu"], resamples=100), path)
    return path


def test_mutations_are_refused(small, tmp_path):
    rng, content = random.Random(7), small.read_bytes()
    accepted = []
    for _ in range(100):
        other = mutated(content, rng)
        same = json.loads(content) == _value(other)
        if not refused(tmp_path / "claim", other) and not same:
            accepted.append(other)
    assert accepted == []


def _value(content):
    try:
        return json.loads(content)
    except ValueError:
        return None


def test_the_command_measures_the_rows_again(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [Path(each) for each in (TESTSET, *SYSTEMS)]
    words = ["compare", *files, "-m", "bleu", "--ranks", "--digits", "3", "--claim", "a.claim"]
    assert command(*words)[0] == 0
    data = [word for each in reversed(files) for word in ("--data", each)]
    status, out, _ = command("verify", "a.claim", *data, "--json")
    checks = {each["what"]: each["state"] for each in json.loads(out)["checks"]}
    assert (status, checks["rows from the data: scores"]) == (0, "recomputed")
    assert {checks[f"file {each.name}"] for each in files} == {"agrees"}
    # A file is missing, and then one is of other content.
    status, out, _ = command("verify", "a.claim", *data[2:], "--json")
    assert status == 0
    assert "is not among those of --data" in out
    (tmp_path / "other.jsonl").write_text(files[1].read_text().replace("a", "b", 1))
    assert command("verify", "a.claim", "--data", "other.jsonl")[0] == 1
    assert command("verify", "a.claim", "--rows", "rows.parquet")[0] == 0
    assert command("score", "rows.parquet")[0] == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["rejoinder", "train", "ruber"], "names no command"),
        (["rejoinder", "score", "<input 0>", "--save", "x.parquet"], "has --save"),
        (["rejoinder", "score", "<input 0>", "/etc/hostname"], "reads /etc/hostname"),
        (["rejoinder", "score", "<input 0>", "-m", "os:system"], "code that is not Rejoinder's"),
        (["rejoinder", "score", "<input 9>"], "is not among those of --data"),
        (["rejoinder", "score", "--no-such"], "fails here"),
    ],
)
def test_the_command_of_a_stranger_does_nothing_else(
    words, why, command, claim, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    statement = json.loads(claim.read_bytes())
    digest = hashlib.sha256(Path(TESTSET).read_bytes()).hexdigest()
    statement["predicate"]["inputs"] = [{"as": "TESTSET", "name": "t", "sha256": digest}]
    statement["predicate"]["command"] = words
    Path("a.claim").write_bytes(sealed(statement))
    _, out, _ = command("verify", "a.claim", "--data", TESTSET, "--json")
    (row,) = [each for each in json.loads(out)["checks"] if each["what"] == "rows from the data"]
    assert why in row["why"]
    assert [each.name for each in tmp_path.iterdir()] == ["a.claim"]


@pytest.fixture(scope="module")
def tested():
    """A claim of every kind that has tests, by its call."""
    scores = rejoinder.score(ITEMS, REPLIES, ["bleu", "distinct"], cluster="topic", resamples=1000)
    ratings = rejoinder.read_ratings(EXAMPLES / "ratings.csv")
    judge = rejoinder.read_scores(EXAMPLES / "judge.csv")
    some = rejoinder.read_ratings(EXAMPLES / "some-ratings.csv")
    return {
        "compare": rejoinder.compare(scores, margin=0.02, permutations=1000, cluster="none"),
        "compare_by_people": rejoinder.compare(ratings=ratings, correction="max"),
        "compare_with_people": rejoinder.compare_with_people(judge, some, correction="max"),
        "correlate": rejoinder.correlate(scores, ratings, resamples=100, permutations=1000),
        "judge_by": rejoinder.judge(judge, ratings),
    }


def p_values(claimed):
    """Where the p stand: the name of a table, the number of a row, and the column."""
    for table, rows in claimed.items():
        for number, row in enumerate(rows if isinstance(rows, list) else []):
            for name, value in row.items() if isinstance(row, dict) else ():
                of_p = name == "p" or name.startswith("p_") or name.endswith("_p")
                if of_p and isinstance(value, int | float):
                    yield table, number, name


@pytest.mark.parametrize(
    "of_each", [1, pytest.param(25, marks=pytest.mark.slow)], ids=lambda most: f"{most} of each"
)
@pytest.mark.parametrize("call", [each for each in CALLS if each != "score"])
def test_an_altered_p_is_found_though_another_numpy_is_named(call, of_each, tested, tmp_path):
    path = tmp_path / "claim"
    rejoinder.write_claim(tested[call], path)
    content = path.read_bytes()
    named = json.loads(content)
    named["predicate"]["numpy"] = "9.9.9"
    path.write_bytes(sealed(named))
    assert rejoinder.verify(path).agrees  # nothing follows from the version
    assert "within the error of its draws" not in states(path).values()
    places = list(p_values(named["predicate"]["claimed"]))
    assert len(places) > 3
    seen = Counter()
    for table, number, name in random.Random(1).sample(places, len(places)):
        seen[table, name] += 1
        if seen[table, name] > of_each:
            continue
        statement = json.loads(json.dumps(named))
        row = statement["predicate"]["claimed"][table][number]
        row[name] = row[name] / 2 if row[name] > 0.3 else 0.9
        path.write_bytes(sealed(statement))
        assert not rejoinder.verify(path).agrees, (name, number)


@pytest.mark.parametrize(
    ("call", "table", "column", "step"),
    [
        ("compare", "comparisons", "p_randomization", 1 / 1001),
        ("compare", "comparisons", "p_bootstrap", 1 / 1001),
        ("compare_by_people", "pairs", "p_max", 0.001),
        ("correlate", "within", "p", 1 / 1001),
    ],
)
def test_a_p_of_other_draws_is_said_to_be_near(call, table, column, step, tested, tmp_path):
    path = tmp_path / "claim"
    rejoinder.write_claim(tested[call], path)
    statement = json.loads(path.read_bytes())
    predicate = statement["predicate"]
    rows = predicate["claimed"][table]
    row = next(each for each in rows if isinstance(each[column], float) and each[column] < 0.9)
    row[column] += step
    if f"{column}_holm" in row:
        family = [each for each in rows if each["metric"] == row["metric"]]
        for each, p in zip(family, holm([each[column] for each in family]), strict=True):
            each[f"{column}_holm"] = float(p)
    path.write_bytes(sealed(statement))
    assert not rejoinder.verify(path).agrees  # under the same NumPy there is no other draw
    predicate["numpy"] = "9.9.9"
    path.write_bytes(sealed(statement))
    verification = rejoinder.verify(path)
    assert verification.agrees, verification.table.to_dicts()
    (near,) = [each for each in verification.checks if each.what == f"{table}: p"]
    assert near.state == "within the error of its draws"
    # The p that is farthest off is printed beside the one that was computed; Holm's may be farther.
    assert float(near.claimed) - float(near.found) >= step * 0.99
    assert "recomputed" not in verification.badge()
    if f"{column}_holm" in row:
        row[f"{column}_holm"] *= 0.99
        path.write_bytes(sealed(statement))
        assert not rejoinder.verify(path).agrees


@pytest.mark.parametrize(
    ("draws", "version"), [(50, "9.9.9"), (999, "9.9.9"), (50, "1.26.4"), (5000, "2.1.3")]
)
def test_a_p_of_few_draws_or_of_the_same_draws_is_compared_exactly(
    draws, version, scores, tmp_path
):
    # 5 standard errors of 50 draws are .3 at p = .3: another p of so many draws was said to be near.
    path = tmp_path / "claim"
    rejoinder.write_claim(rejoinder.compare(scores, permutations=draws, cluster="none"), path)
    statement = json.loads(path.read_bytes())
    statement["predicate"]["numpy"] = version
    path.write_bytes(sealed(statement))
    assert rejoinder.verify(path).agrees
    rows = statement["predicate"]["claimed"]["comparisons"]
    row = next(each for each in rows if 0.05 < each["p_randomization"] < 0.9)
    row["p_randomization"] = round(row["p_randomization"] * (draws + 1) - 1) / (draws + 1)
    family = [each for each in rows if each["metric"] == row["metric"]]
    corrected = holm([each["p_randomization"] for each in family])
    for each, p in zip(family, corrected, strict=True):
        each["p_randomization_holm"] = float(p)
    path.write_bytes(sealed(statement))
    assert not rejoinder.verify(path).agrees


def test_numpy_draws_what_it_drew():
    """Every NumPy from 1.26.4 to 2.4.6 gives this digest; a version with another ends `SAME_DRAWS`."""
    digest = hashlib.sha256()
    for seed in (0, 12345):
        rng = np.random.default_rng(seed)
        draws = (
            np.frombuffer(rng.bytes(1003), dtype=np.uint8),
            rng.integers(0, 997, size=(5, 997), dtype=np.uint16),
            rng.integers(0, 2, (7, 13), dtype=np.int8),
            rng.integers(0, 2, 7),
            rng.integers(0, 70_000, size=(3, 7)),
            rng.permutation(31),
            rng.permuted(np.tile(np.arange(9), (4, 1)), axis=1),
            rng.choice(50, 20, replace=False),
            rng.standard_normal((3, 5)),
            rng.random(9),
        )
        for each in draws:
            digest.update(np.ascontiguousarray(each).tobytes())
    assert digest.hexdigest().startswith("00558a1a9518f945d97f9b7c")
    assert tuple(map(int, np.__version__.split(".")[:2])) <= SAME_DRAWS[1]


@pytest.mark.parametrize(
    ("call", "settings"),
    [
        ("compare", {"by_people": True}),
        ("compare", {"by_people": {}}),
        ("compare", {"by_people": None}),
        ("compare", {"cluster": "conversation"}),
        ("compare", {"cluster": "unheard-of"}),
        ("compare", {"scores": "other"}),
        ("compare", {"ratings": None}),
        ("compare_by_people", {"cluster": "conversation"}),
        ("compare_by_people", {"progress": None}),
        ("compare_with_people", {"cluster": "topic"}),
        ("correlate", {"cluster": "conversation"}),
        ("judge_by", {"cluster": "conversation"}),
        ("judge_by", {"covariates": None}),
    ],
)
def test_a_setting_that_the_rows_do_not_have_is_found(call, settings, tested, tmp_path):
    path = tmp_path / "claim"
    rejoinder.write_claim(tested[call], path)
    statement = json.loads(path.read_bytes())
    statement["predicate"]["settings"] |= settings
    path.write_bytes(sealed(statement))
    assert states(path)["numbers"] == "altered"
    assert not rejoinder.verify(path).agrees


@pytest.mark.parametrize("name", ["ratings", "worse_by", "progress", "unheard-of"])
def test_rows_that_the_call_does_not_take_are_found(name, tested, tmp_path):
    path = tmp_path / "claim"
    rejoinder.write_claim(tested["compare"], path)
    statement = json.loads(path.read_bytes())
    rejoinder.write_claim(tested["compare_by_people"], path)
    rows = json.loads(path.read_bytes())["predicate"]["rows"]
    statement["predicate"]["rows"][name] = rows["ratings"]
    path.write_bytes(sealed(statement))
    assert not rejoinder.verify(path).agrees
    assert states(path)["numbers"] == "altered"
