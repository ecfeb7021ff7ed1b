"""``rejoinder weigh``, and the recipe against the systems' own rated replies."""

import json

import pytest

from rejoinder import read_testset
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")


def test_a_test_set_is_written(command, tmp_path):
    path = tmp_path / "weighed.jsonl"
    status, out, err = command("weigh", TESTSET, *SYSTEMS, "--ratings", RATINGS, "-o", path)
    assert (status, err) == (0, f"Wrote {path} (66 rows).\n")
    assert "66 items, 197 references\n" in out
    made = read_testset(path)
    assert set(made.references["source"]) == {"generic", "retrieval", "tuned"}
    first = made.references.group_by("id", maintain_order=True).first()
    best = made.references.group_by("id", maintain_order=True).max()
    assert first["weight"].to_list() == best["weight"].to_list()


def test_leaving_out_keeping_and_json(command, tmp_path):
    path = tmp_path / "weighed.parquet"
    more = ["--without", "tuned", "--keep", "--scale", "1", "5", "--json"]
    status, out, _ = command("weigh", TESTSET, *SYSTEMS, "--ratings", RATINGS, "-o", path, *more)
    told = json.loads(out)
    assert (status, told["items"], told["references"]) == (0, 66, 382 + 131)
    sources = {row["source"]: row["references"] for row in told["sources"]}
    assert sources["retrieval"] == 66
    assert "tuned" not in sources


def test_candidates_and_a_judge(command, tmp_path):
    candidates = tmp_path / "candidates.jsonl"
    rows = [
        {"id": id, "text": f"At {n}, I think.", "source": f"mined-{n}", "product": 2.5, "turn": n}
        for id in ("c001", "c002")
        for n in (1, 2)
    ]
    candidates.write_text("".join(json.dumps(row) + "\n" for row in rows))
    marks = tmp_path / "judge.csv"
    marks.write_text(
        "system,id,kind,judge\n"
        + "".join(f"{row['source']},{row['id']},0,{row['turn']}\n" for row in rows)
    )
    path = tmp_path / "weighed.jsonl"
    words = ["weigh", TESTSET, candidates, "--scores", marks, "-o", path, "--json"]
    status, _, err = command(*words)
    assert status == 2
    assert "--scores: several metrics; choose 'kind' or 'judge' with --weights-from NAME" in err
    status, out, _ = command(*words, "--weights-from", "judge")
    told = json.loads(out)
    assert (status, told["references"]) == (0, 4)
    assert told["signature"].startswith("external|title:judge")
    made = read_testset(path).references
    # Grades 1 and 2 of 1 to 5.
    assert made.filter(id="c001").select("weight", "source").rows() == [
        (-0.5, "mined-2"),
        (-1.0, "mined-1"),
    ]
    assert not any("own replies" in note for note in told["notes"])


def test_the_test_sets_own_references_by_a_rated_sample(command, tmp_path):
    path = tmp_path / "weighed.jsonl"
    rated = [word for system in SYSTEMS for word in ("--rated-replies", system)]
    words = ["weigh", TESTSET, "--weights-from", "length", *rated, "--ratings", RATINGS]
    status, out, _ = command(*words, "-o", path, "--json")
    told = json.loads(out)
    assert (status, told["items"], told["references"]) == (0, 66, 382)
    assert any("198 rated replies" in note for note in told["notes"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--scale", "1", "4"], "off the scale from 1 to 4"),
        (["--scale", "5", "1"], "must be below the best"),
        (["--without", "nobody"], "'nobody' is unknown"),
        (["--criterion", "taste"], "--criterion taste is unknown"),
    ],
)
def test_a_mistake_is_a_message_and_no_file(command, tmp_path, more, message):
    path = tmp_path / "weighed.jsonl"
    status, out, err = command("weigh", TESTSET, *SYSTEMS, "--ratings", RATINGS, "-o", path, *more)
    assert (status, out) == (2, "")
    assert message in err
    assert not list(tmp_path.iterdir())


def test_an_input_is_not_written_over(command, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes((EXAMPLES / "ratings.csv").read_bytes())
    status, _, err = command("weigh", TESTSET, *SYSTEMS, "--ratings", path, "-o", path)
    assert status == 2
    assert "that is an input" in err
    status, _, err = command("weigh", TESTSET, "--ratings", path, "-o", tmp_path / "new.jsonl")
    assert status == 2
    assert "name the systems' replies too" in err


FEW = ["--set", "unit_size=1", "--set", "assignments=10", "--permutations", "10", "--drop-unusable"]


def test_the_recipe_against_the_systems_own_replies(command, tmp_path):
    recipe = ["recipe", "galley2015", TESTSET, *SYSTEMS, "--ratings", RATINGS, *FEW]
    # With one reference left to a pair, few items have one above 0.
    status, out, _ = command(
        *recipe, "--references-from", "responses", "--set", "good_weight=0.1", "--json"
    )
    told = json.loads(out)
    assert status == 0
    assert {row["references"] for row in told["table"]} == {"single", "w>=0.1", "all", None}
    assert told["signature"].startswith("protocol:unit|size:1|assignments:10|left_out:pair")
    assert all("left_out:own" in each for each in told["signatures"].values())
    assert any(note.startswith("weights: a mean rating of 1 becomes -1") for note in told["notes"])


def test_the_same_in_two_steps(command, tmp_path):
    path = tmp_path / "weighed.jsonl"
    command("weigh", TESTSET, *SYSTEMS, "--ratings", RATINGS, "-o", path)
    more = ["--ratings", RATINGS, *FEW, "--set", "good_weight=0.1", "--json"]
    once = ["recipe", "galley2015", TESTSET, *SYSTEMS, *more, "--references-from", "responses"]
    twice = ["recipe", "galley2015", path, *SYSTEMS, *more, "--leave-own-out", "pair"]
    one, other = (json.loads(command(*each)[1]) for each in (once, twice))
    assert one["table"] == other["table"]
    own = [
        "recipe",
        "galley2015",
        path,
        *SYSTEMS,
        *more,
        "--leave-own-out",
        "own",
        "--plots",
        tmp_path,
    ]
    told = json.loads(command(*own)[1])
    assert told["table"] != one["table"]
    assert told["figure"]
    status, _, err = command(*own, "--without", "nobody")
    assert status == 2
    assert "'nobody' is unknown" in err


def test_one_table_of_all_has_replies_too(command, tmp_path):
    table, ratings, made = (tmp_path / name for name in ("all.csv", "ratings.csv", "made.jsonl"))
    table.write_text(
        "id,prompt,reference,model,response\n"
        "1,Tea?,Yes please,a,Yes\n1,Tea?,Yes please,b,No\n"
        "2,When?,At nine,a,At ten\n2,When?,At nine,b,Never\n"
    )
    ratings.write_text("id,system,rater,score\n1,a,r,5\n1,b,r,1\n2,a,r,4\n2,b,r,2\n")
    argv = ["weigh", table, "--ratings", ratings, "-o", made, "--without", "b", "--keep"]
    status, out, err = command(*argv)
    assert (status, err.splitlines()[-1]) == (0, f"Wrote {made} (2 rows).")
    assert set(read_testset(made).references["text"]) == {"Yes please", "At nine", "Yes", "At ten"}
    flat = " ".join(out.split())
    assert "2 items, 4 references" in flat
    assert "\\n" not in out
    assert (
        "weights: a mean rating of 1 becomes -1, one of 5 becomes 1 (the ratings here are from 4 to 5)"
        in flat
    )
