"""Tables under other people's names: aliases, one table of all, the user's ``columns``."""

import json

import polars as pl
import pytest

import rejoinder
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.assembly.column_mapping import column_mapping
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.schemas import ALIASES
from rejoinder.tables.testset import read_testset

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
REPLY_ALIASES = [(name, other) for name in ("id", "system", "text") for other in ALIASES[name]]
ITEM_ALIASES = [(name, other) for name in ("reference", "context") for other in ALIASES[name]]


def written(path, rows):
    """A table of these rows by the suffix of its path."""
    frame = pl.DataFrame(rows)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(("name", "other"), REPLY_ALIASES)
def test_an_alias_of_a_column_of_replies_is_read(tmp_path, caplog, suffix, name, other):
    row = {"system": "bot", "id": "c1", "text": "Hi."}
    row = {other if key == name else key: value for key, value in row.items()}
    assert read_responses(written(tmp_path / f"r{suffix}", [row])).rows() == [("bot", "c1", "Hi.")]
    assert f"'{other}' as '{name}'" in caplog.text
    assert caplog.text.count("columns read under our names") == 1


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(("name", "other"), ITEM_ALIASES)
def test_an_alias_of_a_column_of_a_test_set_is_read(tmp_path, suffix, name, other):
    row = {"id": "c1", "context": "Hi.", "reference": "Ho."}
    row = {other if key == name else key: value for key, value in row.items()}
    testset = read_testset(written(tmp_path / f"t{suffix}", [row]))
    assert testset.contexts.rows() == [("c1", ["Hi."])]
    assert testset.references.get_column("text").to_list() == ["Ho."]


def test_case_and_white_space_of_a_header_do_not_matter(tmp_path):
    (tmp_path / "r.csv").write_text("Item ID,Model-Name,Generated Text\nc1,bot,Hi.\n")
    assert read_responses(tmp_path / "r.csv").rows() == [("bot", "c1", "Hi.")]


def test_aliases_of_judgements(tmp_path):
    (tmp_path / "r.csv").write_text("item_id,model,annotator,score\nc1,bot,ann,4\n")
    assert read_ratings(tmp_path / "r.csv").rows() == [("c1", "bot", "ann", "overall", 4.0)]
    (tmp_path / "w.csv").write_text("item_id,model,ann,ben\nc1,bot,4,5\n")
    assert read_ratings(tmp_path / "w.csv").get_column("rater").to_list() == ["ann", "ben"]
    (tmp_path / "p.csv").write_text(
        "question_id,model_a,model_b,worker,winner\nc1,bot,cat,ann,cat\n"
    )
    assert read_preferences(tmp_path / "p.csv").rows() == [
        ("c1", "bot", "cat", "ann", "overall", "b")
    ]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_our_own_name_comes_before_an_alias(tmp_path, suffix):
    row = {"system": "bot", "id": "c1", "text": "Hi.", "output": "Oh."}
    assert read_responses(written(tmp_path / f"r{suffix}", [row])).rows() == [("bot", "c1", "Hi.")]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_one_table_of_all_has_ids_made_and_is_both(tmp_path, caplog, suffix):
    rows = [
        {"prompt": "Milk?", "answer": "None left.", "prediction": "No."},
        {"prompt": "Tea?", "answer": "Please.", "prediction": "Yes."},
    ]
    path = written(tmp_path / f"bot{suffix}", rows)
    testset = read_testset(path)
    assert testset.contexts.rows() == [("1", ["Milk?"]), ("2", ["Tea?"])]
    assert testset.references.get_column("text").to_list() == ["None left.", "Please."]
    assert read_responses(path).rows() == [("bot", "1", "No."), ("bot", "2", "Yes.")]
    assert caplog.text.count("no column of ids; the items are numbered from 1") == 1


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_one_table_with_several_systems(tmp_path, suffix):
    rows = [
        {"model": model, "prompt": prompt, "reference": "Ho.", "output": f"{model} {prompt}"}
        for model in ("a", "b")
        for prompt in ("x", "y", "x")
    ]
    path = written(tmp_path / f"all{suffix}", rows)
    testset = read_testset(path)
    # A prompt that a system answered twice is two items; both systems' rows meet in them.
    assert testset.contexts.rows() == [("1", ["x"]), ("2", ["y"]), ("3", ["x"])]
    expected = [
        (model, id, f"{model} {p}") for model in "ab" for id, p in zip("123", "xyx", strict=True)
    ]
    assert read_responses(path).rows() == expected


WIDE_REPLIES = [("a", "c1", "1"), ("a", "c2", "3"), ("b b", "c1", "2"), ("b b", "c2", "4")]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_one_table_with_a_column_for_each_system(tmp_path, suffix):
    rows = [
        {"id": "c1", "prompt": "Milk?", "reference": "No.", "topic": "home", "a": "1", "b b": "2", "n": 5},
        {"id": "c2", "prompt": "Tea?", "reference": "Yes.", "topic": "work", "a": "3", "b b": "4", "n": 6},
    ]  # fmt: skip
    if suffix in (".csv", ".tsv"):  # there, each cell is text
        rows = [{name: value for name, value in row.items() if name != "n"} for row in rows]
        rows = [row | {"a": f"{row['a']}!", "b b": f"{row['b b']}!"} for row in rows]
    path = written(tmp_path / f"all{suffix}", rows)
    mark = "!" if suffix in (".csv", ".tsv") else ""
    expected = [(system, id, f"{reply}{mark}") for system, id, reply in WIDE_REPLIES]
    assert sorted(read_responses(path).rows()) == expected
    assert read_testset(path).contexts.get_column("topic").to_list() == ["home", "work"]


def test_without_ids_a_table_of_less_is_an_error(tmp_path):
    (tmp_path / "t.csv").write_text("prompt,reference\nHi.,Ho.\n")
    with pytest.raises(InputError, match="no column 'id'"):
        read_testset(tmp_path / "t.csv")
    (tmp_path / "r.csv").write_text("model,response\nbot,Ho.\n")
    with pytest.raises(InputError, match="no column 'id'"):
        read_responses(tmp_path / "r.csv")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_column_of_keys_is_no_system_and_no_id(tmp_path, suffix):
    rows = [{"key": f"c{i}", "prompt": "Any milk?", "reference": f"No {i}."} for i in (1, 2)]
    path = written(tmp_path / f"t{suffix}", rows)
    for read in (read_testset, read_responses):
        with pytest.raises(InputError, match="'id'"):
            read(path)
    assert read_testset(path, columns="id=key").ids == ["c1", "c2"]


@pytest.mark.parametrize(
    "columns",
    [
        "id=doc_id,text=resps.0.0,reference=doc.gold.-1,context=doc.q,topic=doc.topic",
        {
            "id": "doc_id", "text": "resps.0.0", "reference": "doc.gold.-1", "context": "doc.q",
            "topic": "doc.topic",
        },
        "toml",
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".csv"])
def test_columns_name_places_in_nested_values(tmp_path, columns, suffix):
    if columns == "toml":
        columns = tmp_path / "mapping.toml"
        columns.write_text(
            '[columns]\nid = "doc_id"\ntext = "resps.0.0"\nreference = "doc.gold.-1"\n'
            'context = "doc.q"\ntopic = "doc.topic"\n'
        )
    row = {
        "doc_id": 7,
        "doc": {"q": "Milk?", "gold": ["x", "No."], "topic": "home"},
        "resps": [["None."]],
    }
    if suffix == ".csv":
        row = {k: v if isinstance(v, int) else json.dumps(v) for k, v in row.items()}
    path = written(tmp_path / f"bot{suffix}", [row])
    testset = read_testset(path, columns=columns)
    assert testset.contexts.rows() == [("7", ["Milk?"], "home")]
    assert testset.references.get_column("text").to_list() == ["No."]
    assert read_responses(path, columns=columns).rows() == [("bot", "7", "None.")]


def test_one_mapping_serves_files_that_hold_less(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"key": 1, "references": ["Ho."]}\n')
    (tmp_path / "r.csv").write_text("id,said\n1,Hi.\n")
    columns = {"id": "key", "text": "said"}
    assert read_testset(tmp_path / "t.jsonl", columns=columns).ids == ["1"]
    assert read_responses(tmp_path / "r.csv", columns=columns).rows() == [("r", "1", "Hi.")]


def test_columns_of_judgements(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"item": 1, "by": "ann", "bot": "b", "marks": 4}\n')
    columns = "id=item,system=bot,rater=by,score=marks"
    assert read_ratings(tmp_path / "r.jsonl", columns=columns).rows() == [
        ("1", "b", "ann", "overall", 4.0)
    ]
    (tmp_path / "p.csv").write_text("n,x,y,choice\n1,bot,cat,tie\n")
    assert read_preferences(tmp_path / "p.csv", columns="id=n,a=x,b=y,winner=choice").rows() == [
        ("1", "bot", "cat", "1", "overall", "tie")
    ]


def test_what_columns_may_not_be(tmp_path):
    (tmp_path / "r.csv").write_text("id,said\n1,Hi.\n")
    with pytest.raises(
        InputError,
        match=r"no column 'spoken', though .* says that 'text' is called 'spoken'; got id, said",
    ):
        read_responses(tmp_path / "r.csv", columns="text=spoken")
    for wrong in ("id=", "=id", {"id": 3}, 4, "", {}):
        with pytest.raises((ParameterError, InputError), match=r"; expected|columns"):
            column_mapping(wrong)
    (tmp_path / "m.toml").write_text("id = 3\n")
    with pytest.raises(InputError, match="each value is the name of a column"):
        column_mapping(tmp_path / "m.toml")
    (tmp_path / "m.toml").write_text("id\n")
    with pytest.raises(InputError, match="not TOML"):
        column_mapping(tmp_path / "m.toml")
    with pytest.raises(ParameterError, match="the format 'text' knows its columns"):
        read_responses(tmp_path / "r.csv", columns="text=said", format="text", ids=["1"])


ARENA = [
    ("q1", "bot", "cat", "model_a", "u1"),
    ("q2", "cat", "bot", "model_b", "u1"),
    ("q3", "bot", "cat", "tie", "u2"),
    ("q4", "bot", "cat", "tie (bothbad)", "u2"),
]
VOTES = [
    ("q1", "bot", "cat", "u1", "overall", "a"),
    ("q2", "cat", "bot", "u1", "overall", "b"),
    ("q3", "bot", "cat", "u2", "overall", "tie"),
    ("q4", "bot", "cat", "u2", "overall", "tie"),
]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_votes_of_an_arena(tmp_path, suffix, caplog):
    names = ("question_id", "model_a", "model_b", "winner", "judge")
    rows = [dict(zip(names, row, strict=True)) | {"language": "en", "turn": 1} for row in ARENA]
    assert read_preferences(written(tmp_path / f"arena{suffix}", rows)).rows() == VOTES
    assert "1 tie in which both were bad, read as ties" in caplog.text


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_votes_with_a_column_for_each_outcome(tmp_path, suffix):
    rows = [
        {
            "id": row[0], "model_a": row[1], "model_b": row[2],
            "winner_model_a": int(row[3] == "model_a"), "winner_model_b": int(row[3] == "model_b"),
            "winner_tie": int(row[3].startswith("tie")),
        }
        for row in ARENA
    ]  # fmt: skip
    path = written(tmp_path / f"train{suffix}", rows)
    assert [(*row[:3], row[5]) for row in read_preferences(path).rows()] == [
        (*row[:3], row[5]) for row in VOTES
    ]
    rows[2] |= {"winner_tie": 0}
    with pytest.raises(InputError, match="0 outcomes; expected 1 in one of winner_model_a"):
        read_preferences(written(tmp_path / f"wrong{suffix}", rows))


SPELLINGS = ["text", "mapping", "toml"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_columns_of_one_file_alone(tmp_path, spelling):
    (tmp_path / "t.jsonl").write_text('{"id": "1", "item": "x", "references": ["Hi."]}\n')
    (tmp_path / "r.csv").write_text("nr,said\n1,Ho.\n")
    columns = {
        "text": "r.csv:id=nr,text=said",
        "mapping": {"r.csv": {"id": "nr"}, "text": "said"},
        "toml": tmp_path / "mapping.toml",
    }[spelling]
    (tmp_path / "mapping.toml").write_text(
        '[columns]\ntext = "said"\n["r.csv"]\nid = "nr"\n["other.csv"]\nid = "no"\n'
    )
    assert read_testset(tmp_path / "t.jsonl", columns=columns).ids == ["1"]
    assert read_responses(tmp_path / "r.csv", columns=columns).rows() == [("r", "1", "Ho.")]


def test_a_file_with_columns_of_its_own_beside_a_published_one(tmp_path):
    replies = tmp_path / "bot.csv"
    replies.write_text("nr,said\nq,Ho.\n")
    folder = tmp_path / "dstc7"
    folder.mkdir()
    (folder / "gold_responses.tsv").write_text("InstanceID\tReference1\nq\tHi.\n")
    with pytest.raises(
        ParameterError, match=r"format 'dstc7', whose columns are known; .*FILE:NAME"
    ):
        read_testset(folder, columns="id=nr,text=said")
    columns = f"{replies}:id=nr,text=said"
    assert read_testset(folder, columns=columns).ids == ["q"]
    assert read_responses(replies, columns=columns).rows() == [("bot", "q", "Ho.")]


@pytest.mark.parametrize(
    ("text", "common", "files"),
    [
        ("f.csv:id=编号,f.csv:system=系统", {}, {"f.csv": {"id": "编号", "system": "系统"}}),
        ("f.csv:id=a,system=b", {}, {"f.csv": {"id": "a", "system": "b"}}),
        ("f.csv:id=a,g.csv:id=b,score=c", {}, {"f.csv": {"id": "a"}, "g.csv": {"id": "b", "score": "c"}}),
        ("id=a,f.csv:system=b", {"id": "a"}, {"f.csv": {"system": "b"}}),
        ("a,b.csv:id=x", {}, {"a,b.csv": {"id": "x"}}),
        ("id=time:of=day", {"id": "time:of=day"}, {}),
    ],
)  # fmt: skip
def test_each_file_that_is_named_has_the_pairs_behind_it(text, common, files):
    mapping = column_mapping(text)
    assert (mapping.sources, mapping.files) == (common, files)


def test_a_file_named_before_every_column_is_read_by_both(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("编号,系统,分数\nc1,甲,1\nc1,乙,2\n")
    told = rejoinder.read_scores(path, columns="f.csv:id=编号,f.csv:system=系统")
    assert told.select("system", "id").rows() == [("甲", "c1"), ("乙", "c1")]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ["rating", "Rating"])
def test_a_column_of_ratings_called_rating(tmp_path, caplog, suffix, name):
    rows = [{"id": "c1", "system": s, "rater": r, name: 4} for s in "ab" for r in "pq"]
    ratings = read_ratings(written(tmp_path / f"r{suffix}", rows))
    assert ratings["score"].to_list() == [4.0] * 4
    assert f"columns read under our names: '{name}' as 'score'" in caplog.text


def test_an_answer_beside_a_label_is_ambiguous(tmp_path):
    for label in ("label", "target", "gold"):
        path = tmp_path / "qa.csv"
        path.write_text(f"id,question,answer,{label}\n1,Hi,hello,good\n")
        for read in (read_testset, read_responses):
            with pytest.raises(
                InputError, match=f"columns '{label}' and 'answer' could both be the 'reference'"
            ):
                read(path)
        said = read_responses(path, columns={"text": "answer", "reference": label})
        assert said.rows() == [("qa", "1", "hello")]
        references = read_testset(path, columns={"reference": "answer"}).references
        assert references["text"].to_list() == ["hello"]


def test_an_answer_beside_a_system_is_its_reply(tmp_path):
    path = tmp_path / "qa.csv"
    path.write_text("id,model,question,answer\n1,gpt,Hi,hello\n1,llama,Hi,hullo\n")
    assert read_responses(path).rows() == [("gpt", "1", "hello"), ("llama", "1", "hullo")]
    testset = read_testset(path)
    assert (testset.contexts.rows(), testset.references.height) == ([("1", ["Hi"])], 0)


def test_a_rating_beside_a_score_is_no_score(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,system,rater,score,rating\nc1,a,p,1,5\n")
    assert read_ratings(path)["score"].to_list() == [1.0]
    path.write_text("id,system,rater,Score,rating\nc1,a,p,1,5\n")
    with pytest.raises(InputError, match="columns 'Score' and 'rating' could both be the 'score'"):
        read_ratings(path)


def test_renames_are_said_once_and_are_no_notes_of_a_result(tmp_path, command, caplog):
    rows = "model,sample_id,annotator,rating\n" + "".join(
        f"{model},{k},ann,{(k + len(model)) % 5}\n" for model in ("a", "bb") for k in range(12)
    )
    (tmp_path / "people.csv").write_text(rows)
    _, out, _ = command("ratings", tmp_path / "people.csv")
    assert caplog.text.count("columns read under our names") == 1
    assert "columns read under our names" not in out


def test_a_column_that_is_named_twice_is_refused():
    with pytest.raises(
        ParameterError, match="'reference' is named twice, as 'gold 1' and 'gold 2'"
    ):
        column_mapping("id=nr,reference=gold 1,reference=gold 2")
    assert column_mapping("id=nr,id=nr") == column_mapping("id=nr")
