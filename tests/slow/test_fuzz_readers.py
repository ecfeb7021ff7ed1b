"""Damaged and random files: a reader gives a table that keeps the rules, or one clear error."""

import os
import random

import numpy as np
import pytest

from fuzzing import archive, damaged, parquet, rows
from rejoinder.errors import RejoinderError
from rejoinder.tables.formats.registry import formats_for
from rejoinder.tables.responses import check_responses, read_responses
from rejoinder.tables.schemas import CONTEXTS, REFERENCES, RESPONSES
from rejoinder.tables.testset import TestSet, read_testset

FORMATS = formats_for("test set", "responses")

FILES = int(os.environ.get("REJOINDER_FUZZ", "2000"))
SEED = 20150731
IDS = ["c1", "c2", "c3"]


DIALOGUES = "Hi . __eou__ Hello ! __eou__ Bye … __eou__\nYes ? __eou__ No . __eou__\n"
RATED = "model,context_id,response,prevgt,all_references,context\n"
TESTSETS = {
    "a.jsonl": rows(
        *({"id": i, "context": ["Hé", "Ho"], "references": ["x y"], "topic": "t"} for i in IDS[:2]),
        {"id": 3, "context": "Hi", "references": [{"text": "z", "weight": -0.5, "source": "s"}]},
    ),
    "b.csv": b'id,text,weight,source\n1,"Hi, you",0.5,a\n1,Ho,,\n2,"say ""x""",-1,b\n',
    "c.tsv": b'id\ttext\tweight\n1\t"Hi\t0.5\n2\tHo\t\n',
    "d.parquet": parquet(
        {"id": IDS, "context": [["x"]] * 3, "references": [["y", "z"], [], ["w"]]}
    ),
    "e.txt": "Hi there\n\nHo ‘you’\r\n".encode(),
    "f.txt": DIALOGUES.encode(),
    "g.zip": archive("test/dialogues_test.txt", DIALOGUES),
    "h.json": rows({"dialogue": [{"text": "A", "responses": ["b", "c"]}, {"text": "B"}]}),
    "i.csv": (RATED + "m,0_1,Hi,Ho,Ho\tHey,A||||B\n").encode(),
    "j.jsonl": rows({"id": 0, "context": ["A"], "positive_responses": ["b"]}),
    "k.tsv": b"InstanceID\tReference1\t...\nq\tHi\tHo\nr\t\n",
}
RESPONSES_FILES = {
    "l.jsonl": rows(*({"system": "s", "id": i, "text": "Hé ho"} for i in IDS)),
    "m.csv": b'system,id,text\ns,c1,"Hi, you"\ns,c2,\nt,c1,Ho\n',
    "n.csv": b"id,s,t\nc1,Hi,Ho\nc2,He,Ha\n",
    "o.tsv": b'id\ttext\nc1\t"Hi\nc2\tHo\n',
    "p.parquet": parquet({"system": ["s"] * 3, "id": IDS, "text": ["x", "", "é"]}),
    "q.txt": b"Hi\n\nHo\n",
    "r.csv": (RATED + "m,0_1,Hi,Ho,Ho\tHey,A||||B\nn,0_1,He,Ho,Ho\tHey,A||||B\n").encode(),
    "s.tsv": b"SystemID\tInstanceID\tResponse\nA\tq\tHi\nB\tq\tHo\n",
}


def a_file(draw):
    """A name, a content, and whether it is to be read as a test set."""
    as_testset = draw.random() < 0.55
    own, other = (TESTSETS, RESPONSES_FILES) if as_testset else (RESPONSES_FILES, TESTSETS)
    name, content = draw.choice(list(own.items()))
    luck = draw.random()
    if luck < 0.05:  # garbage under a good name
        content = draw.randbytes(draw.randrange(200))
    elif luck < 0.15:  # another format's content under this name
        content = draw.choice([*own.values(), *other.values()])
    return name, damaged(draw, content), as_testset


def assert_testset(testset):
    contexts, references = testset.contexts, testset.references
    assert list(contexts.schema.items())[:2] == list(CONTEXTS.items())
    assert dict(references.schema) == REFERENCES
    assert len(set(testset.ids)) == len(testset) > 0
    assert contexts.null_count().select("id", "context").row(0) == (0, 0)
    assert all(turn is not None for turns in contexts["context"] for turn in turns)
    assert references.height > 0 or any(map(len, contexts["context"]))  # items to reply to
    assert set(references["id"]) <= set(testset.ids)
    assert references["text"].null_count() == 0
    weights = references["weight"].drop_nulls().to_numpy()
    assert np.all(np.abs(weights) <= 1)
    "".join(references["text"]).encode()
    assert isinstance(testset.select(references["id"].unique().to_list()), TestSet)


def assert_responses(responses):
    assert dict(responses.schema) == RESPONSES
    assert responses.height > 0
    assert responses.null_count().row(0) == (0, 0, 0)
    assert not responses.select("system", "id").is_duplicated().any()
    ids = responses["id"].unique(maintain_order=True).to_list()
    check_responses(responses, TestSet.from_lists([["x"]] * len(ids), ids=ids), "empty")


@pytest.mark.slow
def test_random_files_give_a_sound_table_or_one_clear_error(tmp_path, caplog):
    caplog.set_level("ERROR")
    draw = random.Random(SEED)
    read = refused = 0
    for number in range(FILES):
        name, content, as_testset = a_file(draw)
        path = tmp_path / name
        path.write_bytes(content)
        forced = draw.choice(list(FORMATS)) if draw.random() < 0.1 else None
        try:
            if as_testset:
                assert_testset(read_testset(path, format=forced))
            else:
                assert_responses(read_responses(path, format=forced, ids=IDS))
            read += 1
        except RejoinderError as error:
            refused += 1
            message = str(error)
            assert message, (number, name, content)
            assert "Traceback" not in message
            assert len(message) < 1000, message
        except BaseException as error:
            error.add_note(f"file {number}: {name} ({'testset' if as_testset else 'responses'}, "
                           f"format {forced}): {content!r}")  # fmt: skip
            raise
        path.unlink()
    assert read > FILES // 10
    assert refused > FILES // 10
