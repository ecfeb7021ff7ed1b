"""What a file is taken for, and any file as one of our own."""

import json
import shlex
import sqlite3
from contextlib import closing

import pytest

import rejoinder
from rejoinder.document.parts import Line
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.look import VERBS
from shared_data import EXAMPLES, SYSTEMS, TESTSET

TABLE = "prompt,answer,model,prediction\nMilk?,None left.,bot,No.\nTea?,Yes.,bot,Please.\n"


def test_one_table_of_all(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    result = rejoinder.look(tmp_path / "t.csv")
    assert [each.kind for each in result.readings] == ["test set", "responses"]
    assert result.readings[0].counts == {"items": 2, "references": 2}
    assert result.readings[0].columns == {"prompt": "context", "answer": "reference"}
    assert result.readings[1].counts == {"rows": 2, "items": 2, "systems": 1}
    assert result.readings[1].columns == {"model": "system", "prediction": "text"}
    assert result.holds_all
    assert {"score", "ruq", "weigh"} <= set(result.verbs)
    assert any("numbered from 1" in note for note in result.readings[0].notes)
    json.dumps(result.as_json())


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        (TESTSET, ["test set"]),
        (SYSTEMS[0], ["responses"]),
        (EXAMPLES / "ratings.csv", ["ratings"]),
        (EXAMPLES / "preferences.csv", ["preferences"]),
    ],
)
def test_the_examples_are_of_one_kind_each(path, kinds, caplog):
    result = rejoinder.look(path)
    assert [each.kind for each in result.readings] == kinds
    assert not result.holds_all
    assert not caplog.text  # what failed tries say is theirs


def test_ratings_with_a_column_each_may_be_scores(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,system,comet,bleurt\n1,a,3,4\n1,b,2,5\n")
    result = rejoinder.look(path)
    assert [each.kind for each in result.readings] == ["ratings", "scores"]
    assert result.readings[1].counts == {"rows": 4, "items": 1, "systems": 2, "metrics": 2}
    assert {"plan", "audit"} <= set(result.verbs)
    assert rejoinder.convert(path, tmp_path / "o.jsonl")[0] == "ratings"


def test_plain_text_is_a_test_set_or_replies(tmp_path):
    (tmp_path / "bot.txt").write_text("Yes.\nNo.\n")
    result = rejoinder.look(tmp_path / "bot.txt")
    assert [each.kind for each in result.readings] == ["test set", "responses"]
    assert result.readings[1].counts == {"rows": 2, "items": 2, "systems": 1}
    assert not result.holds_all
    with pytest.raises(ParameterError, match="can be read as test set or responses"):
        rejoinder.convert(tmp_path / "bot.txt", tmp_path / "o.jsonl")


def test_kept_scores_are_an_answer(command, tmp_path):
    path = tmp_path / "kept.parquet"
    command("score", TESTSET, *SYSTEMS, "-m", "bleu", "-m", "chrf", "--save", path)
    result = rejoinder.look(path)
    assert [(each.kind, each.format) for each in result.readings] == [("kept scores", "parquet")]
    (systems, items, metrics) = result.readings[0].counts.values()
    assert (systems, items, metrics) == (len(SYSTEMS), len(rejoinder.read_testset(TESTSET)), 2)
    status, out, _ = command("look", path)
    assert status == 0
    assert "verbs: score, compare, report, plan\n" in out
    assert "verbs that need another file or a model: correlate, ruq" in out


def test_names_and_columns_to_group_by():
    contents = rejoinder.look(TESTSET).readings[0].contents
    assert contents.groups == {"topic": 6}
    contents = rejoinder.look(EXAMPLES / "ratings.csv").readings[0].contents
    assert contents.counts == {
        "rows": 990, "items": 66, "raters": 5, "systems": 3, "criteria": 1,
    }  # fmt: skip
    assert contents.names == {
        "systems": ("generic", "retrieval", "tuned"),
        "criteria": ("relevance",),
    }
    contents = rejoinder.look(EXAMPLES / "preferences.csv").readings[0].contents
    assert set(contents.names["systems"]) == {"retrieval", "generic", "tuned"}


ITEMS = [(f"c{i}", f"Bus {i} ?", "At nine.") for i in range(1, 9)]


def table_of_all(folder, name, rows, header="id,prompt,reference,model,prediction"):
    path = folder / name
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n")
    return path


def one_table(folder):
    rows = [(*item, system, "Nine.") for system in ("bot", "cat") for item in ITEMS]
    return table_of_all(folder, "a table's.csv", rows)


def with_gaps(folder):
    rows = [(*item, "bot", "Nine.") for item in ITEMS]
    return table_of_all(
        folder, "gaps.csv", [*rows, *((*item, "cat", "At ten.") for item in ITEMS[:5])]
    )


def lacks_references(folder):
    path = folder / "t.jsonl"
    lines = rejoinder.read_testset(TESTSET).ids
    rows = [{"id": id, "references": ["Yes."] * (i > 2)} for i, id in enumerate(lines)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def published(folder):
    """Ratings of two criteria beside replies, of which one item has no reference."""
    path = folder / "dstc7"
    path.mkdir()
    ids = [f"q{i}" for i in range(8)]
    references = "".join(f"{id}\t{'Hi' if i else ''}\n" for i, id in enumerate(ids))
    (path / "gold_responses.tsv").write_text("InstanceID\tReference1\n" + references)
    (path / "context.tsv").write_text(
        "InstanceID\tDepth\tContext\n" + "".join(f"{id}\t{i % 3}\tHo\n" for i, id in enumerate(ids))
    )
    replies = "".join(f"{s}\t{id}\tHi\n" for s in "AB" for id in ids)
    (path / "system_responses.tsv").write_text("SystemID\tInstanceID\tResponse\n" + replies)
    marks = "".join(
        f"j{j}\t{id}\t{s}\t{1 + (i + j) % 5}\t3\n"
        for j in (1, 2)
        for i, id in enumerate(ids)
        for s in "AB"
    )
    header = "JudgeID\tInstanceID\tSystemID\tRelevance\tInformativeness\n"
    (path / "human-eval-per-judge.tsv").write_text(header + marks)
    return path


def scores_of_other_items(folder):
    rows = [(s, str(i + n), str(i % 3)) for n, s in enumerate("ab") for i in range(8)]
    return table_of_all(folder, "judge.csv", rows, "system,id,judge")


def kept(folder):
    path = folder / "kept.parquet"
    testset, replies = rejoinder.read_testset(TESTSET), rejoinder.read_responses(*SYSTEMS)
    rejoinder.score(testset, replies, metrics=["length"], resamples=100).save(path)
    return path


def plain_text(folder):
    path = folder / "bot.txt"
    path.write_text("Yes.\n" * len(rejoinder.read_testset(TESTSET)))
    return path


FILES = {
    "test set": lambda folder: TESTSET,
    "test set that lacks references": lacks_references,
    "responses": lambda folder: SYSTEMS[0],
    "ratings": lambda folder: EXAMPLES / "ratings.csv",
    "preferences": lambda folder: EXAMPLES / "preferences.csv",
    "scores": scores_of_other_items,
    "kept scores": kept,
    "one table": one_table,
    "one table with gaps": with_gaps,
    "published": published,
    "plain text": plain_text,
}


@pytest.mark.parametrize("kind", FILES)
def test_the_examples_run(command, tmp_path, kind):
    path = FILES[kind](tmp_path)
    examples = rejoinder.look(path).examples
    assert examples
    for example in examples:
        words = shlex.split(example)
        assert words.pop(0) == "rejoinder"
        # A file of the user's own: the test set that the example's replies answer, and replies to it.
        beside = {"TESTSET": TESTSET, "RESPONSES": SYSTEMS[0]}
        if str(path).endswith(".txt"):  # whose items are called 1, 2, ...
            beside["RESPONSES"] = path.with_name("cat.txt")
            beside["RESPONSES"].write_text(path.read_text())
        status, out, err = command(*(beside.get(word, word) for word in words))
        assert (status, bool(out)) == (0, True), f"{example}\n{err}"


def test_the_examples_name_what_had_to_be_named(command, tmp_path):
    path = tmp_path / "marks.data"
    lines = [f"{i},bot,{r},{1 + i % 5}" for i in range(6) for r in "xy"]
    path.write_text("\n".join(["item no,system,rater,score", *lines]) + "\n")
    result = rejoinder.look(path, format="csv", columns="id=item no")
    (example,) = [each for each in result.examples if " ratings " in each]
    assert example == f"rejoinder ratings {path} --format csv --columns 'id=item no'"
    assert command(*shlex.split(example)[1:])[0] == 0


def test_a_single_file_is_not_asked_for_its_order(tmp_path):
    (tmp_path / "t.csv").write_text("system,topic,remark\nbot,tea,good\n")
    with pytest.raises(InputError, match="expected a test set") as error:
        rejoinder.look(tmp_path / "t.csv")
    assert "wrong way round" not in str(error.value)


def test_judgements_under_another_id_name_the_option_that_reads_them(tmp_path):
    (tmp_path / "t.csv").write_text("dialogue,system,rater,fluency\n1,bot,ann,4\n2,bot,ann,5\n")
    with pytest.raises(InputError, match="this is a file of judgements") as error:
        rejoinder.look(tmp_path / "t.csv")
    assert "where another column is the id, name it with columns={'id': COLUMN}" in str(error.value)
    readings = rejoinder.look(tmp_path / "t.csv", columns={"id": "dialogue"}).readings
    assert readings[0].kind == "ratings"


def test_what_is_no_table_is_an_error_of_the_likeliest_kind(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"id": 1, "refrences": []}\n')
    with pytest.raises(InputError, match="rename 'refrences' to 'references'"):
        rejoinder.look(tmp_path / "t.jsonl")


def test_columns_are_used(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"doc": {"id": 7}, "said": "Hi."}\n')
    result = rejoinder.look(tmp_path / "t.jsonl", columns="id=doc.id,text=said")
    assert [each.kind for each in result.readings] == ["responses"]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_file_becomes_ours_and_reads_as_before(tmp_path, suffix):
    source = tmp_path / "t.csv"
    source.write_text(TABLE)
    assert rejoinder.convert(source, tmp_path / f"t{suffix}", kind="test set") == ("test set", 2)
    assert rejoinder.convert(source, tmp_path / f"r{suffix}", kind="responses") == ("responses", 2)
    before, after = rejoinder.read_testset(source), rejoinder.read_testset(tmp_path / f"t{suffix}")
    assert after.contexts.equals(before.contexts)
    assert after.references.select("id", "text").equals(before.references.select("id", "text"))
    replies = rejoinder.read_responses(tmp_path / f"r{suffix}")
    assert replies.equals(rejoinder.read_responses(source))
    ratings = tmp_path / f"ratings{suffix}"
    assert rejoinder.convert(EXAMPLES / "ratings.csv", ratings) == ("ratings", 990)
    assert rejoinder.read_ratings(ratings).equals(rejoinder.read_ratings(EXAMPLES / "ratings.csv"))


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".csv", ".tsv"])
@pytest.mark.parametrize(
    ("kind", "read", "table"),
    [
        (
            "scores",
            rejoinder.read_scores,
            "system,id,name,value,conversation\na,1,acc,1,c1\na,2,acc,0,c2\n",
        ),
        (
            "ratings",
            rejoinder.read_ratings,
            "system,id,rater,score,conversation\na,1,r1,4,7\na,2,r1,2,8\n",
        ),
        (
            "preferences",
            rejoinder.read_preferences,
            "id,a,b,rater,winner,conversation\n1,s,t,r1,a,7\n2,s,t,r1,b,8\n",
        ),
    ],
)
def test_judgements_and_scores_read_as_before_with_their_clusters(
    tmp_path, kind, read, table, suffix
):
    """A column without a value (sample, rater, probability) is no column of numbers."""
    source, converted = tmp_path / "t.csv", tmp_path / f"c{suffix}"
    source.write_text(table)
    assert rejoinder.convert(source, converted, kind=kind) == (kind, 2)
    assert "conversation" in read(source).columns
    assert read(converted).equals(read(source))
    again = tmp_path / f"again{suffix}"
    rejoinder.convert(converted, again, kind=kind)
    assert read(again).equals(read(source))


def test_a_file_of_two_kinds_needs_one(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    with pytest.raises(ParameterError, match="test set or responses; choose one with kind"):
        rejoinder.convert(tmp_path / "t.csv", tmp_path / "o.jsonl")
    with pytest.raises(ParameterError, match="kind: got 'table'"):
        rejoinder.convert(tmp_path / "t.csv", tmp_path / "o.jsonl", kind="table")


def test_the_commands(command, tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    status, out, _ = command("look", tmp_path / "t.csv")
    assert status == 0
    assert "verbs: score, report, audit, plan, annotate " in " ".join(out.split())
    given = [tmp_path / "t.csv", "--as", "responses", "-o", tmp_path / "o.jsonl"]
    status, out, err = command("convert", *given)
    assert (status, out) == (0, "responses: 2 rows\n")
    assert "Wrote" in err
    assert rejoinder.read_responses(tmp_path / "o.jsonl").height == 2
    status, _, err = command("convert", EXAMPLES / "ratings.csv", "-o", tmp_path / "o.jsonl")
    assert status == 2
    assert "holds no ratings as Rejoinder writes them" in err


def test_comparisons_are_no_replies_and_notes_stand_in_the_result(tmp_path, caplog):
    path = tmp_path / "p.csv"
    path.write_text(",question_id,model_a,model_b,winner\n0,q1,bot,cat,model_a\n1,q2,bot,cat,tie\n")
    result = rejoinder.look(path)
    assert [each.kind for each in result.readings] == ["preferences"]
    assert any("the first column counts the rows" in note for note in result.readings[0].notes)
    assert not caplog.text
    assert rejoinder.convert(path, tmp_path / "o.jsonl") == ("preferences", 2)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_mined_candidates_are_candidates(command, tmp_path, suffix):
    path = tmp_path / f"mined{suffix}"
    argv = ["mine", EXAMPLES / "corpus.txt", TESTSET, "-o", path, "--candidates", "3"]
    assert command(*argv)[0] == 0
    result = rejoinder.look(path)
    kinds = {each.kind: each for each in result.readings}
    assert kinds["candidates"].counts == {"rows": 198, "items": 66, "sources": 3}
    assert kinds["candidates"].contents.names == {"sources": ("mined-1", "mined-2", "mined-3")}
    assert {"weigh", "annotate"} <= set(result.verbs)
    status, out, err = command("look", path)
    assert (status, err) == (0, "")
    start = "example with TESTSET: rejoinder"
    assert f"{start} annotate serve TESTSET --mined {path} --db STUDY.sqlite" in out
    assert f"{start} weigh TESTSET {path} --ratings RATINGS" in out


def test_a_study_is_a_study(command, tmp_path):
    path = tmp_path / "study.sqlite"
    argv = ["annotate", "serve", TESTSET, *SYSTEMS, "--db", path, "--prepare"]
    assert command(*argv)[0] == 0
    before = sorted(each.name for each in tmp_path.iterdir())
    result = rejoinder.look(path)
    assert [(each.kind, each.format) for each in result.readings] == [("study", "sqlite")]
    assert result.readings[0].counts == {"questions": 198}
    assert result.verbs == ("annotate",)
    status, out, err = command("look", path)
    assert (status, err) == (0, "")
    assert f"example: rejoinder annotate export {path} -o ratings.csv" in out
    assert sorted(each.name for each in tmp_path.iterdir()) == before


def test_a_database_that_is_no_study_is_none(tmp_path):
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE question (id INTEGER)")
        connection.commit()
    with pytest.raises(InputError, match="SQLite database"):
        rejoinder.look(path)


def test_a_verb_that_reads_the_file_by_an_option_is_named_with_it(tmp_path):
    ratings = tmp_path / "r.csv"
    ratings.write_text("id,system,rater,score\n1,a,r,3\n1,b,r,4\n")
    lines = {
        str(line.text) for line in rejoinder.look(ratings).document() if isinstance(line, Line)
    }
    assert lines >= {
        "verbs: ratings, compare --ratings, report --ratings, plan --ratings, score --scores",
        "verbs that need another file or a model: correlate --ratings, weigh --ratings, judge --ratings, "
        "audit --scores",
    }


@pytest.mark.parametrize("several", [True, False])
def test_verbs_of_samples_are_named_where_there_are_samples(several, tmp_path, command):
    path = tmp_path / "list.txt"
    lines = [
        f"{n} ||| yes {k} ||| lm: -{k + n} ||| -{k}" for n in range(3) for k in range(1 + several)
    ]
    path.write_text("\n".join(lines))
    found = rejoinder.look(path)
    assert {"variety", "rerank", "tune"}.isdisjoint(found.verbs) is not several
    assert (f"rejoinder variety {path}" in found.examples) is several
    status, _, err = command("variety", str(path))
    assert (status == 0) is several, err
    assert several or "ask the system several times" in err


def test_what_verbs_use_a_kind_of_table_is_whole():
    assert {"judge", "compare"} <= set(VERBS["ratings"])
    assert {"annotate", "judge"} <= set(VERBS["test set"]) & set(VERBS["responses"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "r.csv",
            "id,system,rater,score\n1,a,r,3\n1,a,r,3\n",
            r"row 3: duplicate rating \(system 'a', id '1'",
        ),
        ("w.csv", "id,system,ann,bob\n1,a,2,3\n1,a,1,4\n", r"row 3: duplicate rating"),
        (
            "p.jsonl",
            '{"_task_hash": 1, "meta": {"id": "1", "system": "a"}, "options": [{"id": 1}], "accept": []}\n',
            "row 1: accept: 0 options",
        ),
        ("e.json", "[]", "e.json: an empty list; expected one JSON list of objects"),
    ],
    ids=["long", "wide", "a damaged cell of a known format", "empty list"],
)
def test_the_error_is_that_of_the_kind_whose_columns_the_file_has(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        rejoinder.look(tmp_path / name)


def test_what_a_file_is_near_to_has_a_note(tmp_path):
    path = tmp_path / "feedback.csv"
    path.write_text("prompt,output,feedback\nHi,Ho,:-)\nHey,No,:-(\n")
    look = rejoinder.look(path)
    assert [each.kind for each in look.readings] == ["test set", "responses"]
    (kind,) = look.refusals
    assert kind == "ratings"
    assert "row 2: score ':-)' is no number (and 1 cell more like it)" in look.refusals[kind]
    assert look.as_json()["refusals"] == [{"kind": kind, "why": look.refusals[kind]}]
    ratings = rejoinder.read_ratings(path, values={":-)": 1, ":-(": 0})
    assert ratings.get_column("score").to_list() == [1.0, 0.0]
    path.write_text("id,question,answer,label\n1,Hi,Ho,1\n")
    assert list(rejoinder.look(path).refusals) == ["test set or responses"]


def test_a_column_that_no_file_of_the_command_has_is_refused(command, tmp_path):
    items, replies = tmp_path / "t.jsonl", tmp_path / "r.csv"
    items.write_text('{"id": "1", "references": ["ho"]}\n')
    replies.write_text("doc,text\n1,hu\n")
    files = (str(items), str(replies))
    status, _, error = command(
        "score", *files, "-m", "length", "--columns", "r.csv:id=doc,rater=who"
    )
    assert status == 2
    assert f"--columns rater=who: no column 'who'; {replies} has doc, text;" in " ".join(
        error.split()
    )
    assert command("score", *files, "-m", "length", "--columns", "r.csv:id=doc")[0] == 0


def test_subtitles_are_no_plain_text(tmp_path):
    path = tmp_path / "talk.txt"
    path.write_text("1\n00:00:01,000 --> 00:00:03,000\nIs the lift working?\n")
    with pytest.raises(InputError, match=r"row 2:  --> 00: in a line of plain text"):
        rejoinder.look(path)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"traceId": "t", "input": {"a": 1}, "told": "Ho"}, "nearest to the format 'langfuse'"),
        ({"inputs.query": "Hi", "inputs.response": {"a": "x", "b": "y"}}, "of the format 'azure-evaluation'"),
        ({"input": {"a": 1}, "told": "Ho"}, ""),
    ],
)  # fmt: skip
def test_the_error_says_which_format_the_file_is_of_or_nearest_to(row, sentence, tmp_path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps([row, row]), encoding="utf-8")
    with pytest.raises(InputError) as error:
        rejoinder.look(path)
    assert sentence in str(error.value)
    assert bool(sentence) == ("format" in str(error.value))


def test_columns_of_whole_grades_are_offered_as_ratings_first(command, tmp_path):
    path, values = tmp_path / "r.csv", tmp_path / "v.csv"
    rows = [
        (i, s, 1 + (i * k + k) % 5, 1 + i % 4) for i in range(12) for k, s in enumerate("ab", 1)
    ]
    path.write_text("id,system,ann,ben\n" + "".join(f"{i},{s},{x},{y}\n" for i, s, x, y in rows))
    values.write_text(
        "id,system,ann,ben\n" + "".join(f"{i},{s},{x}.5,{y}\n" for i, s, x, y in rows)
    )
    first, *_, last = rejoinder.look(path).examples
    assert (first, last) == (
        f"rejoinder compare --ratings {path}",
        f"rejoinder score --scores {path}",
    )
    note = f"if they are people, 'rejoinder compare --ratings {path}' compares the systems by all"
    assert note in command("score", "--scores", path)[2]
    assert "if they are people" not in command("score", "--scores", values)[2]
    assert "'rejoinder compare --ratings' takes them together" in " ".join(
        command("look", path)[1].split()
    )


GRID = "item,A-1_R1,A-1_R2,B_R1,B_R2\nq1,4,5,2,1\nq2,3,3,,2\nq3,5,4,2,\n"


def test_a_column_for_each_system_and_rater_is_read_as_ratings(tmp_path):
    (tmp_path / "r.csv").write_text(GRID)
    ratings = rejoinder.read_ratings(tmp_path / "r.csv")
    (row,) = ratings.filter(id="q1", system="A-1", rater="R2").rows(named=True)
    assert (row["score"], ratings.height) == (5.0, 10)
    reading, *others = rejoinder.look(tmp_path / "r.csv").readings
    assert (reading.kind, others) == ("ratings", [])
    assert any("is that of system 'A-1' and rater 'R1'" in note for note in reading.notes)


@pytest.mark.parametrize(
    "content",
    [
        GRID.replace("B_R2", "B_R3"),  # no whole grid
        GRID.replace("4,5", "4.5,5"),  # no whole grades
        GRID.replace("_R", "_k"),  # no raters, it may be a metric at k
    ],
)
def test_columns_that_may_be_something_else_are_refused_with_remedies(tmp_path, content):
    (tmp_path / "r.csv").write_text(content)
    remedies = r"say so with columns=.*if each is a rater, add .*call it 'SYSTEM_R1'"
    with pytest.raises(InputError, match=remedies):
        rejoinder.read_ratings(tmp_path / "r.csv")
    assert [each.kind for each in rejoinder.look(tmp_path / "r.csv").readings] == ["scores"]


def test_an_empty_cell_is_no_value_of_a_column(tmp_path):
    lines = [
        {"id": i, "context": ["a"], "topic": topic} for i, topic in enumerate(["x", "y", "y", ""])
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert rejoinder.look(tmp_path / "t.jsonl").readings[0].contents.groups == {"topic": 2}


def test_ratings_by_nobody_may_be_scores_of_a_judge(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("id,system,score\n1,a,2.5\n2,a,3\n1,b,4\n2,b,1\n")
    look = rejoinder.look(path)
    assert [(each.kind, "raters" in each.counts) for each in look.readings] == [
        ("ratings", False),
        ("scores", False),
    ]
    assert f"rejoinder score --scores {path}" in look.examples
    assert "scores of a judge or a metric are given with External(" in str(look.readings[0].notes)
    with pytest.raises(ParameterError, match="can be read as ratings or scores"):
        rejoinder.convert(path, tmp_path / "o.jsonl")
    path.write_text("id,system,rater,score\n1,a,ann,2\n1,b,ann,3\n")
    assert [each.kind for each in rejoinder.look(path).readings] == ["ratings"]
