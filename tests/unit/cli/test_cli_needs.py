"""An option that would be ignored in the command as it is given is refused."""

import pytest

from shared_data import EXAMPLES, SYSTEMS, TESTSET

CORPUS, RATINGS = str(EXAMPLES / "corpus.txt"), str(EXAMPLES / "ratings.csv")
READ = [TESTSET, *SYSTEMS]
RATED = [*READ, "--ratings", RATINGS]
MARK = ["mark", *READ, "--rubric", str(EXAMPLES / "rubric.toml"), "-o", "out.csv", "--model"]
FROM_CORPUS = [TESTSET, "-o", "out.jsonl", "--corpus", CORPUS]


@pytest.mark.parametrize(
    ("arguments", "option", "need"),
    [
        (["respond", "random", *FROM_CORPUS, "--set", "beam=3"], "--set beam", "a trained system"),
        (["respond", "retrieval", *FROM_CORPUS, "--set", "length_penalty=0"], "--set length_penalty",
         "a trained system"),
        (["respond", "random", *FROM_CORPUS, "--turns", "2"], "--turns", "the URL of a server or the folder"),
        (["respond", "m", TESTSET, "-o", "a.csv", "--instructions", "Be kind."], "--instructions",
         "the URL of a server"),
        (["respond", "http://127.0.0.1:9/v1", TESTSET, "-o", "a.csv", "--set", "beam=2"], "--set beam",
         "a trained system"),
        (["respond", "http://127.0.0.1:9/v1", TESTSET, "-o", "a.csv", "--device", "cpu"], "--device",
         "a trained system or --scorer FOLDER"),
        (["respond", "http://127.0.0.1:9/v1", TESTSET, "-o", "a.csv", "--max-calls", "9"],
         "--max-calls", "--work FOLDER"),
        (["respond", "retrieval", *FROM_CORPUS, "--candidates", "3"], "--candidates", "--scorer"),
        (["recipe", "galley2015", *RATED, "--scale", "1", "5"], "--scale",
         "--references-from responses"),
        (["sweep", CORPUS, "--testset", TESTSET, "-o", "s", "--set", "prune=none", "--set", "reduction=2"],
         "--set reduction", "--set prune=halving"),
        (["sweep", CORPUS, "--testset", TESTSET, "-o", "s", "--set", "prune=none", "--set",
          "first_epochs=2"], "--set first_epochs", "--set prune=halving"),
        (["ruq", "model", TESTSET, "--set", "end_text=</s>"], "--set end_text", "the URL of a server"),
        (["ruq", "s.jsonl", TESTSET, "--turns", "2"], "--turns", "a model or a server"),
        ([*MARK, "m", "--set", "retries=1"], "--set retries", "the URL of a server"),
        ([*MARK, "m", "--seed", "1"], "--seed", "the URL of a server"),
        ([*MARK, "http://127.0.0.1:9/v1", "--device", "cpu"], "--device", "a model on this machine"),
        ([*MARK, "http://127.0.0.1:9/v1", "--set", "template=chat"], "--set template",
         "a model on this machine"),
        ([*MARK, "http://127.0.0.1:9/v1", "--max-calls", "9"], "--max-calls", "--work FOLDER"),
        ([*MARK, "http://127.0.0.1:9/v1", "--max-tokens", "9"], "--max-tokens", "--work FOLDER"),
        (["ruq", "s.jsonl", TESTSET, "--device", "cpu"], "--device", "a model on this machine"),
        (["ruq", "http://127.0.0.1:9/v1", TESTSET, "--set", "dtype=float16"], "--set dtype",
         "a model on this machine"),
    ],
)  # fmt: skip
def test_an_option_without_effect_is_refused(
    command, tmp_path, monkeypatch, arguments, option, need
):
    monkeypatch.chdir(tmp_path)
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"rejoinder: {option} has no effect without {need}")
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_blocks_cannot_fill_in_missing_replies(command):
    status, _, err = command("score", *READ, "--block", "9", "--missing", "empty")
    assert status == 2
    assert "do without" in err
    assert "--missing" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", *READ, "-m", "bleu", "--seed", "-1"], "--seed -1 must be 0 or more"),
        (["score", *READ, "-m", "bleu", "--resamples", "-1"], "--resamples -1 must be from 0"),
        (["correlate", *RATED, "-m", "bleu", "--permutations", "-1"], "--permutations -1 must be from"),
        (["plan", *READ, "-m", "bleu", "--power", "2"], "--power 2 must be from 0.5"),
        (["plan", *READ, "-m", "bleu", "-d", "-1"], "--difference -1, of BLEU-2"),
    ],
)  # fmt: skip
def test_a_message_about_a_value_names_the_option(command, arguments, message):
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"rejoinder: {message}")
