"""Shards: parts that are merged give the run without shards, to the bit; a faulty part is an error."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

import polars as pl
import pytest

import killed_workers
import rejoinder
from chat_server import plain, serving
from killed_workers import run_or_kill, run_slowly
from rejoinder.cli import engines
from rejoinder.files import shards
from rejoinder.files.shards import Shard, read_parts
from rejoinder.models.worker_models import IS_WORKER
from rejoinder.scoring import blocks
from shared_data import EXAMPLES, SYSTEMS
from tiny_folders import write_gru, write_responder
from tiny_language_models import save, save_encoder

CORPUS = EXAMPLES / "corpus.txt"
VERBS = {
    "score": "score {testset} {systems} -m deltableu -m chrf -m distinct -m length --save",
    "score one": "score {testset} home/generic.jsonl -m bleu --save",
    "score missing": "score {testset} {gaps} -m bleu --missing pairwise --by topic --save",
    "score samples": "score {testset} {samples} -m sbleu -m distinct --at 2 --save",
    "score blocks": "score {blocks} -m deltableu -m sbleu --block 2 --save",
    "score RUBER": "score {testset} {systems} -m ruber:model={ruber},scale=scored -m chrf --save",
    "score encoder": "score {testset} {systems} -m cosine:encoder={encoder} --save",
    "ruq": "ruq {recorded} {testset} --generic {generic} --fail-above 0 --save",
    "ruq model": "ruq {model} {testset} --generic {generic} --save",
    "mark": "mark {testset} {systems} --model {chat} --work work --max-calls 900 -o",
    "mark model": "mark {testset} {systems} --model {model} -o",
    "mine": "mine {corpus} {testset} --index {index} -o",
    "respond server": "respond {chat} {testset} -o",
    "respond retrieval": "respond retrieval {testset} --corpus {corpus} -o",
    "respond trained": "respond {responder} {testset} -o",
    "respond model": "respond {model} {testset} --set answer_tokens=4 --set beam=2 -o",
}
LIMITS = ("--work", "work", "--max-calls", "900")
"""Words of a shard alone: where it keeps what it has done, and how much it does."""
QUICK = ("score", "score one", "score blocks", "mine", "respond retrieval", "ruq", "mark")


@pytest.fixture
def files(tmp_path):
    """What the commands read; folders of models are made when a command names them."""
    lines = (EXAMPLES / "testset.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    ids = [json.loads(line)["id"] for line in lines[:14]]
    (tmp_path / "testset.jsonl").write_text("".join(lines[:14]), encoding="utf-8")
    systems = []
    for path in map(Path, SYSTEMS[:2]):
        own = path.read_text(encoding="utf-8").splitlines(keepends=True)
        own = [line for line in own if json.loads(line)["id"] in ids]
        (tmp_path / path.name).write_text("".join(own), encoding="utf-8")
        (tmp_path / f"gaps-{path.name}").write_text("".join(own[:4] + own[5 + len(systems) :: 2]))
        systems.append(path.name)
        (tmp_path / "home").mkdir(exist_ok=True)
        (tmp_path / "home" / path.name).write_text("".join(own), encoding="utf-8")
    rows = ["system,id,sample,text\n"]
    rows += [f"{s},{i},{k},{s} says {i[-k:]} and {k}\n" for s in "ab" for i in ids for k in (1, 2)]
    (tmp_path / "samples.csv").write_text("".join([*rows, f"a,{ids[3]},3,Once more.\n"]))
    (tmp_path / "generic.txt").write_text("I do not know.\nYes.\n")
    texts = {
        i: [r["text"] for r in json.loads(line)["references"]]
        for i, line in zip(ids, lines, strict=False)
    }
    (tmp_path / "recorded.jsonl").write_text("".join(
        json.dumps({"id": i, "text": text, "logprobs": [-0.1 * len(i + text[:k]) for k in (2, 9)]}) + "\n"
        for i in ids for text in dict.fromkeys([*texts[i], "I do not know.", "Yes."])
    ))  # fmt: skip
    write_blocks(tmp_path / "blocks", [json.loads(line) for line in lines[:14]])
    return {
        "recorded": "recorded.jsonl",
        "blocks": "blocks/testset.parquet blocks/a blocks/b.parquet",
        "testset": "testset.jsonl",
        "systems": " ".join(systems),
        "gaps": " ".join(f"gaps-{name}" for name in systems),
        "samples": "samples.csv",
        "generic": "generic.txt",
        "corpus": shlex.quote(str(CORPUS)),
        "index": "index",
    }


def write_blocks(folder, items):
    """A test set of 42 items in Parquet and two systems, one in two files, in row groups of other sizes."""
    (folder / "a").mkdir(parents=True)
    references = [each["references"] for each in items] * 3
    ids = pl.Series("id", [f"{each['id']} {k}" for k in range(3) for each in items])
    testset = pl.DataFrame({"id": ids, "references": references})
    testset.write_parquet(folder / "testset.parquet", row_group_size=5)
    texts = pl.Series("text", [few[-1]["text"] for few in references])
    replies = pl.DataFrame([ids, texts])
    replies[:20].write_parquet(folder / "a" / "0.parquet", row_group_size=7)
    replies[20:].write_parquet(folder / "a" / "1.parquet")
    reversed_texts = texts.str.split(" ").list.reverse().list.join(" ")
    pl.DataFrame([ids, reversed_texts]).write_parquet(folder / "b.parquet", row_group_size=4)


def words_of(command, files, tmp_path, url):
    """The words of a command, whose models are made where it names them."""
    made = {
        "model": save,
        "encoder": save_encoder,
        "ruber": write_gru,
        "responder": write_responder("gru"),
    }
    for name, make in made.items():
        if f"{{{name}}}" in command and not (tmp_path / name).exists():
            make(tmp_path / name)
    return shlex.split(command.format(**files, **{name: name for name in made}, chat=url))


def outcome(command, words, path):
    """What a command prints and writes; of its record of provenance what is of the result."""
    status, out, err = command(*words, path)
    assert status == ("above 0.0" in err), err
    notes = "".join(line for line in err.splitlines(keepends=True) if "note: " in line)
    record = json.loads(Path(f"{path}.provenance.json").read_text())
    words = [each for each in record["command"] if each not in LIMITS]
    facts = {**record, "command": words, "sha256": None}
    return status, out, notes, Path(path).read_bytes(), facts


def in_parts(command, words, n):
    parts = [f"{number}.part" for number in range(1, n + 1)]
    for number, path in enumerate(parts, 1):
        status, out, err = command(*words[:-1], "--shard", f"{number}/{n}", words[-1], path)
        assert status == 0, err
        assert out == ""
        assert "a part" in err
    random.Random(n).shuffle(parts)
    return parts


def rounds():
    for name in VERBS:
        for n in (3, 1, 16, 1_000):
            quick = n == 3 and name in QUICK
            yield pytest.param(name, n, marks=() if quick else pytest.mark.slow, id=f"{name}-{n}")


@pytest.mark.parametrize(("name", "n"), list(rounds()))
def test_merged_parts_are_the_run_without_shards(command, files, tmp_path, monkeypatch, name, n):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # records do not name it, parts do
    monkeypatch.setattr(blocks, "ITEMS_PER_READ", 3)  # so that there are several units
    suffix = ".parquet" if VERBS[name].endswith("--save") else ".jsonl"
    answer = plain if name == "respond server" else None
    with serving(*([answer] if answer else [])) as (server, url):
        words = words_of(VERBS[name], files, tmp_path, url)
        with monkeypatch.context() as patched:
            if n == 1_000:
                patched.setenv(IS_WORKER, "1")  # as a worker of an engine, it loads a model once
            parts = in_parts(command, words, n)
        asked = len(server.asked)
        merged = outcome(command, ["merge", *parts, "--save"], f"out{suffix}")
        assert (
            len(server.asked) <= asked + 1
        )  # one question opens the model; nothing is asked again
        certificate = json.loads(Path(f"out{suffix}.certificate.json").read_text())
        for path in Path().glob("out*"):
            path.unlink()
        assert merged == outcome(command, words, f"out{suffix}")
        status, out, err = command("merge", *parts, "--save", f"out{suffix}", "--json")
        assert (status, out) == command(*words, f"out{suffix}", "--json")[:2], err
        if suffix == ".parquet":
            assert command("merge", *parts, "--json")[:2] == command(*words[:-1], "--json")[:2]
    assert [each["shard"] for each in certificate["parts"]] == [f"{k}/{n}" for k in range(1, n + 1)]
    assert all(each["units"] == each["in_parts"] for each in certificate["work"])


@pytest.fixture
def parts(command, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = words_of(VERBS["score"], files, tmp_path, "")
    in_parts(command, words, 3)
    return words


def torn(words, command):
    whole = Path("2.part").read_bytes()
    Path("2.part").write_bytes(whole[:-9])


def altered(words, command):
    whole = Path("2.part").read_bytes()
    Path("2.part").write_bytes(whole.replace(b'"own"', b'"oWn"'))


def of_another_version(words, command):
    change(version="0.0.9")


def of_another_seed(words, command):
    command(*words[:-1], "--seed", "7", "--shard", "2/3", "--save", "2.part")


def of_another_text(words, command):
    Path("generic.jsonl").write_text(Path("generic.jsonl").read_text().replace("a", "o"))
    command(*words[:-1], "--shard", "2/3", "--save", "2.part")


def of_changed_inputs(words, command):
    Path("generic.jsonl").write_text(Path("generic.jsonl").read_text().replace("a", "o"))


def change(**more):
    """The second part with another header, whose checksum is right."""
    line, _, body = Path("2.part").read_bytes().partition(b"\n")
    header = shards.with_checksum({**shards.without_checksum(line), **more})
    Path("2.part").write_bytes(json.dumps(header).encode() + b"\n" + body)


FAULTS = [
    (None, "1.part 3.part", "1 of 3 is missing: shard 2/3"),
    (None, "1.part 2.part 3.part 2.part", "2.part and 2.part: both are shard 2/3"),
    (None, "1.part 2.part testset.jsonl", "testset.jsonl: is not a part"),
    (None, "1.part 2.part 4.part", "4.part: cannot be read"),
    (torn, "", "2.part: the part is damaged or cut short"),
    (altered, "", "2.part: the part is damaged or cut short"),
    (of_another_version, "", "2.part: is of Rejoinder 0.0.9"),
    (of_another_seed, "", "2.part: is of another command than the other parts: '--seed 7'"),
    (of_another_text, "", "2.part: was computed from another content of generic.jsonl"),
    (of_changed_inputs, "", "generic.jsonl: is missing or no longer as it was"),
]


@pytest.mark.parametrize(("damage", "named", "message"), FAULTS)
def test_a_faulty_part_is_one_error_that_names_it(command, parts, damage, named, message):
    if damage is not None:
        damage(parts, command)
    before = set(Path().iterdir())
    named = named.split() or ["3.part", "2.part", "1.part"]
    status, out, err = command("merge", *named, "--save", "out.parquet")
    assert (status, out) == (2, "")
    assert message in " ".join(err.split())
    assert set(Path().iterdir()) == before
    if damage in (torn, altered):
        assert command(*parts[:-1], "--shard", "2/3", "--save", "2.part")[0] == 0
        assert command("merge", *named, "--save", "out.parquet")[0] == 0


def test_work_that_is_not_cut_is_refused(command, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = words_of(VERBS["score"], files, tmp_path, "")[:-1]
    refused = {
        "--shard 0/3": "expected I/N",
        "--shard 4/3": "expected I/N",
        "--shard 1/200000": "expected I/N",
        "--shard 1/3": "name the file of the part: --save FILE.part",
        "--shard 1/3 --save 1.parquet": ".part",
        "--shard 1/3 --save 1.part --block 4": "distinct-1: its rows are bags, which do not fit blocks",
    }
    for given, message in refused.items():
        status, _, err = command(*words, *given.split())
        assert status == 2
        assert message in " ".join(err.split())
    blocks = [*words[:3], "-m", "bleu", "--shard", "1/3", "--save", "1.part", "--block", "4"]
    status, _, err = command(*blocks)
    assert (status, "--block needs Parquet files" in " ".join(err.split())) == (2, True)
    assert command(*words, "--save", "kept.parquet")[0] == 0
    status, out, err = command("score", "kept.parquet", "--shard", "1/2", "--save", "1.part")
    assert (status, out) == (2, "")
    assert "no work that is cut into shards" in err
    assert not list(tmp_path.glob("*.part"))


def test_parts_in_python_know_another_call(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(metric="bleu"):
        testset = rejoinder.read_testset("testset.jsonl")
        return lambda: rejoinder.score(testset, rejoinder.read_responses("generic.jsonl"), [metric])

    parts = [rejoinder.shard(call(), f"{k}/2", f"{k}.part").path for k in (2, 1)]
    assert rejoinder.merge(call(), parts).as_json() == call()().as_json()
    with pytest.raises(
        rejoinder.files.shards.InputError, match=r"1.part: holds no rows of this test"
    ):
        rejoinder.merge(call("chrf"), parts)
    assert [each.shard for each in read_parts(parts)] == [Shard(1, 2), Shard(2, 2)]


@pytest.mark.parametrize(
    "n", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 16, 1_000))]
)
def test_the_encoder_of_variety_is_cut(files, tmp_path, monkeypatch, n):
    monkeypatch.chdir(tmp_path)
    save_encoder(tmp_path / "encoder")
    testset = rejoinder.read_testset("testset.jsonl")
    responses = rejoinder.read_responses("samples.csv")

    def call():
        return rejoinder.variety(responses, testset, encoder="encoder", permutations=99)

    parts = [rejoinder.shard(call, f"{k}/{n}", f"{k}.part").path for k in range(n, 0, -1)]
    read = read_parts(parts)
    assert [len(each.calls) for each in read] == [1] * n
    assert sum(each.units for each in read) == sum(each["units"] for each in read[0].calls)
    merged, whole = rejoinder.merge(call, parts), call()
    assert merged.as_json() == whole.as_json()
    assert merged.prompts.equals(whole.prompts)


def test_a_cluster_that_refuses_the_connection_may_ask_for_a_token(
    command, files, tmp_path, monkeypatch
):
    class Ray:  # 2.60, to which an address was given and no RAY_AUTH_MODE
        is_initialized = staticmethod(bool)

        def init(self, *_, **__):
            raise ConnectionError("Failed to connect to Ray cluster at 192.0.2.2:6379")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", Ray())
    words = words_of(VERBS["score one"], files, tmp_path, "")
    status, out, err = command(*words[:-1], "--engine", "ray", "--save", "out.parquet")
    assert (status, out) == (2, "")
    assert "192.0.2.2:6379" in err
    assert "RAY_AUTH_MODE=token" in err
    assert not Path("out.parquet.parts").exists()


@pytest.fixture(autouse=True)
def limited(request):
    """An engine has five minutes: Ray waits for ever for a worker that it cannot start."""
    if "engine" not in request.fixturenames or not hasattr(signal, "SIGALRM"):
        yield
        return
    late = []

    def stop(*_):
        late.append(True)
        raise KeyboardInterrupt  # which alone ends a wait of Ray

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    assert not late, "the engine did not end within 300 s; Ray's logs: /tmp/ray/session_latest/logs"


@contextmanager
def cluster_of(nodes):
    """A cluster of Ray with nodes of one processor and little memory; the variable names it."""
    cluster_utils = pytest.importorskip("ray.cluster_utils", reason="Ray is not installed")
    node = {"num_cpus": 1, "object_store_memory": 80 << 20}
    with pytest.MonkeyPatch.context() as patched:
        # workers run what stands in tests/ too
        patched.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        head = {**node, "include_dashboard": False}
        cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
        for _ in range(nodes - 1):
            cluster.add_node(**node)
        patched.setenv("RAY_ADDRESS", cluster.address)
        yield cluster
    cluster.shutdown()


@pytest.fixture(scope="module")
def two_nodes():
    with cluster_of(2) as cluster:
        yield cluster


@pytest.fixture
def four_nodes():
    with cluster_of(4) as cluster:
        yield cluster


def nothing(folder, monkeypatch, cluster):
    """Every part is computed."""
    shutil.rmtree(folder)


def killed(folder, monkeypatch, cluster):
    """Every part is computed, and five workers are killed at it."""
    shutil.rmtree(folder)
    monkeypatch.setattr(engines, "run_command", run_or_kill)


def torn_part(folder, monkeypatch, cluster):
    """A part is cut short, and its record is not there."""
    path = next(folder.glob("*.part"))
    path.write_bytes(path.read_bytes()[:-9])
    path.with_name(f"{path.name}.provenance.json").unlink()


def parts_missing(folder, monkeypatch, cluster):
    """A job that stopped in the middle; a part of an older one, of another number of shards, is there too."""
    one, *more = sorted(folder.glob("*.part"))
    for path in more[::2]:
        path.unlink()
    one.rename(folder / "1-of-5.part")


def straggler(folder, monkeypatch, cluster):
    """Every part is computed, one of them ten seconds later than the others."""
    shutil.rmtree(folder)
    Path("go").touch()
    monkeypatch.setattr(engines, "run_command", run_slowly)


def node_added(folder, monkeypatch, cluster):
    """A node comes when the first part is there."""
    shutil.rmtree(folder)
    run, added = engines._Ray.run, []

    def run_and_add(self, commands):
        for ended in run(self, commands):
            if not added:
                added.append(cluster.add_node(num_cpus=1))
            yield ended
        cluster.remove_node(added[0])

    monkeypatch.setattr(engines._Ray, "run", run_and_add)


def store_full(folder, monkeypatch, cluster):
    """More objects are held than there is memory for."""
    import ray

    shutil.rmtree(folder)
    run = engines._Ray.run

    def run_with_objects(self, commands):
        held = [ray.put(bytes(20 << 20)) for _ in range(8)]
        yield from run(self, commands)
        del held

    monkeypatch.setattr(engines._Ray, "run", run_with_objects)


EVERYWHERE = (nothing, killed, torn_part, parts_missing, straggler)


def accidents():
    for engine in ("local:1", "local:2", "ray", "ray of four"):
        further = (node_added, store_full) if engine == "ray" else ()
        for accident in (nothing, killed) if engine == "ray of four" else EVERYWHERE + further:
            quick = (engine, accident) in (("local:1", parts_missing), ("ray", nothing))
            yield pytest.param(engine, accident, marks=() if quick else pytest.mark.slow)


@pytest.mark.parametrize(("engine", "accident"), list(accidents()))
def test_an_engine_gives_the_run_without_shards_whatever_happens(
    command, files, tmp_path, monkeypatch, request, engine, accident
):
    nodes = {"ray": "two_nodes", "ray of four": "four_nodes"}.get(engine)
    cluster = request.getfixturevalue(nodes) if nodes else None
    engine = engine.split()[0]
    monkeypatch.chdir(tmp_path)
    words = words_of(VERBS["score one"], files, tmp_path, "")
    folder = Path("out.parquet.parts")
    folder.mkdir()
    for number in range(1, 5):
        path = folder / f"{number}-of-4.part"
        assert command(*words[:-1], "--shard", f"{number}/4", "--save", path)[0] == 0
    whole = {path: path.read_bytes() for path in folder.glob("*.part")}
    accident(folder, monkeypatch, cluster)
    with monkeypatch.context() as patched:
        patched.setenv("COLUMNS", "80")
        on_engine = outcome(command, [*words[:-1], "--engine", engine, "--save"], "out.parquet")
        certificate = json.loads(Path("out.parquet.certificate.json").read_text())
        shutil.rmtree(folder)
        Path("out.parquet").unlink()
        plain = outcome(command, words, "out.parquet")
    assert on_engine[:4] == plain[:4]
    kept = accident in (torn_part, parts_missing)
    workers = {"local:1": 1, "four_nodes": 4}.get(nodes or engine, 2)
    assert len(certificate["parts"]) == (4 if kept else 4 * workers)
    if kept:  # a part that is computed again is the same to the bit
        digests = {each["sha256"] for each in certificate["parts"]}
        assert digests == {hashlib.sha256(each).hexdigest() for each in whole.values()}


def job(words, engine):
    """A job in a process of its own, whose first command waits for the file ``go``."""
    program = Path(killed_workers.__file__)
    words = [sys.executable, program, *words[:-1], "--engine", engine, "--save", "out.parquet"]
    with open("said", "w") as said:
        return subprocess.Popen(words, stderr=said, stdout=subprocess.DEVNULL)


def wait_for_part(process):
    while not list(Path("out.parquet.parts").glob("*.part")):
        assert process.poll() is None, Path("said").read_text()
        time.sleep(0.1)


def same_as_without(command, words):
    merged = Path("out.parquet").read_bytes()
    Path("out.parquet").unlink()
    assert command(*words, "out.parquet")[0] == 0
    return Path("out.parquet").read_bytes() == merged


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local:2", "ray"])
def test_a_second_job_on_the_folder_is_refused(
    command, files, tmp_path, monkeypatch, request, engine
):
    if engine == "ray":
        request.getfixturevalue("two_nodes")
    monkeypatch.chdir(tmp_path)
    words = words_of(VERBS["score one"], files, tmp_path, "")
    first = job(words, engine)
    wait_for_part(first)
    status, out, err = command(*words[:-1], "--engine", engine, "--save", "out.parquet")
    assert (status, out) == (2, "")
    assert "another" in err
    Path("go").touch()
    assert first.wait(300) == 0
    assert same_as_without(command, words)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local:2", "ray"])
def test_a_job_whose_head_is_killed_is_taken_up(command, files, tmp_path, monkeypatch, engine):
    monkeypatch.chdir(tmp_path)
    words = words_of(VERBS["score one"], files, tmp_path, "")
    with cluster_of(2) if engine == "ray" else nullcontext() as cluster:
        first = job(words, engine)
        wait_for_part(first)
        if cluster is None:
            first.kill()
        else:
            cluster.remove_node(cluster.head_node, allow_graceful=False)
        assert first.wait(300) != 0
    there = {each: each.stat().st_mtime_ns for each in Path("out.parquet.parts").glob("*.part")}
    with cluster_of(1) if engine == "ray" else nullcontext():
        again = "ray" if engine == "ray" else "local:1"
        assert command(*words[:-1], "--engine", again, "--save", "out.parquet")[0] == 0
    assert {each: each.stat().st_mtime_ns for each in there} == there  # nothing is computed again
    assert same_as_without(command, words)
