"""What ``mark`` replaces: its own marks of the same model and rubric, and no other file."""

import pytest

import chat_server
from rejoinder.files.provenance import record_path
from shared_data import EXAMPLES, TESTSET

RUBRIC = EXAMPLES / "rubric.toml"
REPLIES = str(EXAMPLES / "responses" / "tuned.jsonl")
REPLACED = "of an earlier run will be replaced"


@pytest.fixture
def words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rubric.toml").write_text(RUBRIC.read_text())
    model = chat_server.process()
    return ["mark", TESTSET, REPLIES, "--model", model, "--rubric", "rubric.toml", "-o"]


@pytest.mark.parametrize(
    ("output", "more", "content"),
    [
        ("mine.csv", [], "system,id,name,value\ntuned,c1,mine,1\n"),
        ("mine.csv", ["--pairwise"], "id,a,b,rater,criterion,winner\nc1,a,b,ann,fit,a\n"),
    ],
)
def test_a_file_without_a_record_is_kept(command, words, tmp_path, output, more, content):
    (tmp_path / output).write_text(content)
    status, out, err = command(*words, output, *more)
    assert (status, out) == (2, "")
    assert f"--output {output}: a file stands there that holds no" in err
    assert "name another file, or remove this one" in err
    assert REPLACED not in err
    assert (tmp_path / output).read_text() == content


def test_marks_are_replaced_by_those_of_the_same_model_and_rubric_alone(command, words, tmp_path):
    assert command(*words, "m.csv")[0] == 0
    first = (tmp_path / "m.csv").read_bytes()
    status, _, err = command(*words, "m.csv")
    assert (status, REPLACED in err) == (0, True)
    assert (tmp_path / "m.csv").read_bytes() == first

    other = [f"{each}#other" if each.startswith("http") else each for each in words]
    status, _, err = command(*other, "m.csv")
    assert (status, "it has the marks of another model" in err, REPLACED in err) == (2, True, False)

    rubric = tmp_path / "rubric.toml"
    text = rubric.read_text()
    rubric.write_text(text + "\n# changed\n")
    status, _, err = command(*words, "m.csv")
    assert (status, "it has the marks of another rubric" in err, REPLACED in err) == (
        2,
        True,
        False,
    )

    rubric.write_text("a =")  # a wrong rubric replaces nothing, and nothing says so
    status, _, err = command(*words, "m.csv")
    assert (status, REPLACED in err) == (2, False)
    rubric.write_text(text)

    assert (tmp_path / "m.csv").read_bytes() == first
    (tmp_path / "m.csv").write_bytes(first + b"tuned,mine,judge,1\n")
    status, _, err = command(*words, "m.csv")
    assert (status, "a file stands there that holds no scores of replies" in err) == (2, True)


@pytest.mark.parametrize("more", [[], ["--pairwise"]])
def test_marks_without_their_record_are_kept(command, words, tmp_path, more):
    if more:
        words.insert(3, str(EXAMPLES / "responses" / "generic.jsonl"))
    assert command(*words, "m.csv", *more)[0] == 0
    first = (tmp_path / "m.csv").read_bytes()
    record_path(tmp_path / "m.csv").unlink()
    status, _, err = command(*words, "m.csv", *more)
    assert (status, "a file stands there that holds no" in err) == (2, True)
    assert (tmp_path / "m.csv").read_bytes() == first


def test_marks_of_the_model_that_a_server_had_before_are_kept(command, words, tmp_path):
    with chat_server.serving() as (server, url):
        words[words.index("--model") + 1] = url
        assert command(*words, "m.csv")[0] == 0
        first = (tmp_path / "m.csv").read_bytes()
        server.names = ("judge-2",)
        status, out, err = command(*words, "m.csv")
    assert (status, out) == (2, "")
    assert "m.csv: the file is not replaced: it has the marks of another model; name another" in err
    assert REPLACED not in err
    assert (tmp_path / "m.csv").read_bytes() == first


def test_without_a_rubric_the_usual_question_is_asked_and_named(command, words, tmp_path):
    bare = [each for each in words if each not in ("--rubric", "rubric.toml")]
    status, out, _ = command(*bare, "m.csv")
    assert status == 0
    out = " ".join(out.split())  # a narrow terminal breaks lines
    assert "no rubric was given: the model was asked 'How good is the reply?', from 1 to 5" in out
    assert "--rubric FILE" in out
    assert "overall" in (tmp_path / "m.csv").read_text()
    assert command(*bare, "m.csv")[0] == 0
    status, _, err = command(*words, "m.csv")
    assert (status, "it has the marks of another rubric" in err) == (2, True)
