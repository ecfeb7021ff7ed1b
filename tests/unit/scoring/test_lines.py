"""Files whose lines belong together: scored without tables, to the numbers and notes of ``score``."""

import json
import os

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rejoinder import read_responses, read_testset, score
from rejoinder.cli.app import run
from rejoinder.errors import ParameterError, RejoinderError
from rejoinder.metrics import registry
from rejoinder.metrics.registry import METRICS as NAMES
from rejoinder.scoring import lines

METRICS = ["bleu", "bleu:order=4,smoothing=exp", "deltableu", "rougeL", "chrf", "ter", "length"]

REFERENCES = ["at nine , I think", "no", "看 一 下", "", "come  in", "yes"]
MORE = ["at nine", "", "看一下", "yes", "Come in!", ""]
REPLIES = {
    "first": ["At nine , I think", "no", "看一下", "Yes", "", "yes"],
    "second": ["no idea", "no idea", "no idea", "", "no idea", "no idea"],
}


def text_file(path, rows):
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8", newline="")
    return path


def row_file(path, rows):
    path.write_text(
        "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8"
    )
    return path


@pytest.fixture
def replies(tmp_path):
    return [text_file(tmp_path / f"{name}.txt", rows) for name, rows in REPLIES.items()]


@pytest.fixture
def streams(tmp_path):
    return [text_file(tmp_path / f"ref{k}.txt", rows) for k, rows in enumerate((REFERENCES, MORE))]


def items(weights=None, **columns):
    return [
        {
            "id": f"item-{k}",
            "references": [
                text if weights is None else {"text": text, "weight": weights[k % len(weights)]}
                for text in row
                if text
            ],
            **{name: value(k) for name, value in columns.items()},
        }
        for k, row in enumerate(zip(REFERENCES, MORE, strict=True))
    ]


def without_tables(testset, responses, metrics=None, resamples=0):
    """The JSON of the scores; None where the files are to be read as tables."""
    texts = lines.read(testset, responses, metrics or ())
    if texts is None:
        return None
    scores = lines.score_lines(texts, resamples=resamples, seed=12345)
    return msgspec.json.encode(scores.as_json())


def with_tables(testset, responses, metrics=None, resamples=0):
    read = read_testset(*testset)
    found = read_responses(*responses, ids=read.ids)
    scores = score(read, found, metrics, resamples=resamples)
    return msgspec.json.encode(scores.as_json() | ({"leads": []} if resamples else {}))


@pytest.mark.parametrize("metrics", [None, ["bleu:order=4,smoothing=exp"], METRICS[:1], METRICS])
@pytest.mark.parametrize("resamples", [0, 1000])
def test_lines_of_text_have_the_scores_of_tables(streams, replies, metrics, resamples):
    texts = streams[:1] if metrics is None else streams
    filled = text_file(texts[0].with_name("filled.txt"), [row or "some" for row in REFERENCES])
    given = [filled, *texts[1:]], replies[:1] if resamples else replies, metrics, resamples
    assert without_tables(*given) == with_tables(*given) is not None


@pytest.mark.parametrize("weights", [None, [0.5, -1, 1.0], [1]])
def test_rows_of_our_own_have_the_scores_of_tables(tmp_path, replies, weights):
    context = {"context": lambda k: ["so?"] if k % 2 else "so?"}
    testset = row_file(tmp_path / "testset.jsonl", items(weights, **context))
    rows = [row for row in items(weights) if row["references"]]
    assert len(rows) == len(REFERENCES)
    metrics = METRICS if weights != [0.5, -1, 1.0] else ["bleu", "chrf", "distinct"]
    for named in (None, metrics):
        if weights == [0.5, -1, 1.0] and named is None:
            continue  # deltaBLEU needs a positive weight for each item
        assert without_tables([testset], replies, named) == with_tables([testset], replies, named)


def test_notes_are_those_of_tables(tmp_path):
    references = [f"the reply number {k}" for k in range(20)] + ["\u2003", "\x1c", " "]
    context = [["hello"]] * 20 + [["a"], ["b"], []]
    testset = row_file(
        tmp_path / "testset.jsonl",
        [
            {"id": k, "references": [text], "context": turns}
            for k, (text, turns) in enumerate(zip(references, context, strict=True))
        ],
    )
    copier = [text.upper().replace(" ", "  ") for text in references]
    for name, rows in {"copier": copier, "same": [*["one", ""] * 11, ""]}.items():
        file = text_file(tmp_path / f"{name}.txt", rows)
        made = without_tables([testset], [file], ["bleu"], 1000)
        assert made == with_tables([testset], [file], ["bleu"], 1000) is not None
        notes = " ".join(json.loads(made)["notes"])
        assert ("high by construction" in notes) == (name == "copier")
        assert ("repeat the context" in notes) == (name == "same")
        assert "2 empty references" in notes  # U+001C is a separator to Python alone
        assert ("empty replies" in notes) == (name == "same")


@pytest.mark.parametrize(
    ("references", "systems", "metrics", "words"),
    [
        # One of two references has three words: half is not most.
        (
            ["on track two please", "at nine o'clock"],
            "a",
            ["chrf"],
            "scores are high by construction",
        ),
        (["on track two", "at nine o'clock"], "a", ["chrf"], "or right short answers"),
        (["on track two please", "at ten past nine"], "ab", ["chrf"], "or right short answers"),
        (["Paris", "Lima"], "a", ["exact", "chrf"], "or right short answers"),
        (["Paris", "Lima"], "ab", ["exact", "exact:form=squad"], None),
    ],
)
def test_right_short_answers_are_not_called_copies(tmp_path, references, systems, metrics, words):
    testset = [text_file(tmp_path / "gold.txt", references)]
    replies = [text_file(tmp_path / f"{name}.txt", references) for name in systems]
    made = without_tables(testset, replies, metrics)
    assert made == with_tables(testset, replies, metrics) is not None
    notes = [note for note in json.loads(made)["notes"] if "very item" in note]
    assert len(notes) == (len(systems) if words else 0)
    assert all(f"{words}; " in note for note in notes)


CHARACTERS = st.text(st.sampled_from("ab Ab.,'看是İΣς\u2003\x1c\x85\ud7a3é\r\v"), max_size=8)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CHARACTERS, CHARACTERS, CHARACTERS, CHARACTERS), min_size=1, max_size=12))
def test_any_lines_have_the_scores_of_tables_or_are_read_as_tables(tmp_path, rows):
    first, second, *systems = zip(*rows, strict=True)
    testset = [text_file(tmp_path / "ref.txt", first), text_file(tmp_path / "more.txt", second)]
    replies = [
        text_file(tmp_path / f"{name}.txt", texts)
        for name, texts in zip("xy", systems, strict=True)
    ]
    made = without_tables(testset, replies, ["bleu", "rougeL", "distinct"])
    try:
        expected = with_tables(testset, replies, ["bleu", "rougeL", "distinct"])
    except RejoinderError:
        assert made is None
    else:
        assert made in (None, expected)
        assert made is not None or not all(a or b for a, b in zip(first, second, strict=True))


def of_another_length(folder, files):
    text_file(files[1][0], ["one"])


def unreadable(folder, files):
    files[1][0].write_bytes(b"\xff\xfe\x00")


def twice(folder, files):
    files[1].append(files[1][0])


def one_name(folder, files):
    (folder / "other").mkdir()
    files[1].append(text_file(folder / "other" / files[1][0].name, REPLIES["first"]))


def a_folder(folder, files):
    files[1][0] = folder


def a_pipe(folder, files):
    os.mkfifo(folder / "pipe.txt")
    files[1][0] = folder / "pipe.txt"


def of_a_chat(folder, files):
    text_file(files[1][0], [*REPLIES["first"][:-1], "yes __eou__"])


def a_table(folder, files):
    text_file(files[1][0], ["a\tb", *REPLIES["first"][1:]])


def another_suffix(folder, files):
    files[1][0] = files[1][0].rename(folder / "first.hyp")


def rows_of_replies(folder, files):
    row_file(files[1][0], [{"id": str(k), "text": "no"} for k in range(1, 7)])


def no_reference(folder, files):
    text_file(files[0][0], [""] * 6)


@pytest.mark.parametrize(
    "change",
    [
        of_another_length, unreadable, twice, one_name, a_folder, a_pipe, of_a_chat, a_table,
        another_suffix, rows_of_replies, no_reference,
    ],
)  # fmt: skip
def test_all_that_is_not_plain_is_read_as_tables(tmp_path, replies, change):
    files = [text_file(tmp_path / "ref.txt", [row or "some" for row in REFERENCES])], replies
    assert lines.read(*files) is not None
    change(tmp_path, files)
    assert lines.read(*files) is None


@pytest.mark.parametrize(
    "change",
    [
        {"topic": "food"}, {"id": " 3"}, {"id": "item-1"}, {"id": ""}, {"references": ["a", None]},
        {"references": [{"text": "a", "weight": 2}]}, {"references": "a"}, {"context": [None]},
        {"references": [{"text": "a", "note": "b"}]}, {"id": None},
    ],
)  # fmt: skip
def test_rows_with_more_than_our_own_columns_or_with_faults_are_read_as_tables(
    tmp_path, replies, change
):
    rows = items()
    assert lines.read([row_file(tmp_path / "testset.jsonl", rows)], replies) is not None
    rows[3] |= change
    assert lines.read([row_file(tmp_path / "testset.jsonl", rows)], replies) is None


@pytest.mark.parametrize("metrics", [["ruber:model=none"], ["deltableu"]])
def test_metrics_that_need_more_or_leave_items_out_are_of_tables(streams, replies, metrics):
    testset = streams if metrics == ["ruber:model=none"] else streams[:1]
    assert lines.read(testset, replies, metrics) is None


def test_unknown_metrics_are_named_by_the_readers_of_tables(streams, replies):
    assert lines.read(streams, replies, ["blue"]) is None


def test_a_metric_that_is_named_twice(streams, replies):
    texts = lines.read(streams, replies, ["bleu", "bleu"])
    with pytest.raises(ParameterError, match="wanted twice"):
        lines.score_lines(texts, resamples=0, seed=1)


@pytest.mark.parametrize(
    "words",
    [
        ["--resamples", "0"], ["--ranks"], ["--segments"], ["-m", "bleu", "--by", "topic"], ["-m", "blue"],
        ["--without", "second"], ["--format", "text"], ["--cluster", "none"], ["--seed", "-1"],
        ["--resamples", "0", "--drop-unusable"], ["--resamples", "1"], ["-m", "deltableu"],
        ["--by", ""], ["--format", ""], ["--digits", "2"], ["--system", "a"],
        ["--resamples", "0", "-m", "bleu", "-m", "bleu:order=2"], ["-m", "bleu", "-m", "bleu"],
        ["--resamples", "0", "--missing", "drop"], ["--explain", "1"], ["--block", "2"], ["--quiet"],
    ],
)  # fmt: skip
def test_the_command_prints_the_same_either_way(streams, replies, words, monkeypatch, capfd):
    replies.append(text_file(replies[0].with_name("references.txt"), REPLIES["first"]))  # noted
    files = [streams[0], "--reference", streams[1], *replies]
    command = ["score", *map(str, files), "--json", *words]
    status, (out, error) = run(command), capfd.readouterr()
    monkeypatch.setattr(lines, "read", lambda *_: None)
    assert (run(command), *capfd.readouterr()) == (status, out, error)
    assert out or error


def test_every_parameter_of_score_is_of_lines_or_of_tables():
    """A new option of 'score' is of tables unless it is named here, and in plain_files."""
    from rejoinder.cli.plain_files import _WITHOUT_TABLES
    from rejoinder.cli.verbs.score import score as verb

    assert {each.name for each in verb.params} > _WITHOUT_TABLES


def test_every_metric_counts_or_asks_a_model_or_a_program():
    from rejoinder.cli.plain_files import _COUNTING

    others = {name for name in NAMES if registry.metric(name).needs & {"features", "context"}}
    assert {name.lower() for name in {*NAMES} - others - {"meteor"}} == _COUNTING
