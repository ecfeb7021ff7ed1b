"""Bad ratings and comparisons: files, their join to replies, and tables from Python."""

# One case per line reads best.
# ruff: noqa: E501

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from command_line import running
from rejoinder.errors import RejoinderError
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import check_ratings, read_ratings
from rejoinder.tables.schemas import RATINGS


@dataclass(frozen=True)
class RatingCase:
    """Files that must not be read, and what must be said about them."""

    id: str
    wrong: str
    expected: str
    files: dict[str, str | bytes] = field(default_factory=dict)
    read: Callable[..., Any] = read_ratings
    paths: tuple[str, ...] | None = None

    def message(self, folder: Path):
        """The message that reading raises, without the folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        try:
            with running("report"):
                self.read(*(folder / name for name in self.paths or self.files))
        except RejoinderError as error:
            return str(error).replace(f"{folder}{os.sep}", "").replace(str(folder), ".")
        raise AssertionError(f"{self.id}: nothing was raised")


def one(case_id, wrong, expected, content, name="ratings.csv", **more):
    return RatingCase(case_id, wrong, expected, {name: content}, **more)


def joined(case_id, wrong, expected, ratings, replies):
    """A case of the join: both tables are lists of (system, id)."""

    def read():
        rows = [(id, system, "r1", "overall", 3.0) for system, id in ratings]
        check_ratings(
            pl.DataFrame(rows, schema=RATINGS, orient="row"),
            pl.DataFrame(replies, schema={"system": pl.String, "id": pl.String}, orient="row"),
        )

    return RatingCase(case_id, wrong, expected, {}, read)


def task(**more):
    result = {"from_name": "relevance", "type": "rating", "value": {"rating": 4}}
    made = {"completed_by": 7, "result": [result | more.pop("result", {})]} | more.pop("made", {})
    return json.dumps(
        [{"id": 1, "annotations": [made], "data": {"id": "c1", "system": "bot"} | more}]
    )


LONG = "id,system,rater,criterion,score\n"
ROW = "c1,bot,r1,relevance,"
BATCH = "HITId,WorkerId,AssignmentStatus,Input.id,Input.system,Answer.relevance\n"
PAIR = "id,a,b,winner\n"
JUDGED = '[{"ID": 0, "DialogModel": "bot", "HumanScores": "[4, 5]"}, {"ID": 2, "DialogModel": "bot", "HumanScores": "[1]"}]'

SCORES = [
    one("score-label", "a label in place of a score", r"row 2: score 'agree' is no number; .*rejoinder convert FILE --as ratings --values disagree=1", LONG + ROW + "agree\n"),
    one("score-range", "two numbers in place of a score", r"score '3 of 5' is no number", LONG + ROW + "3 of 5\n"),
    one("score-comma", "a decimal comma in a score", r"score '3,5' is no number; write it with a decimal point", LONG.replace(",", "\t") + ROW.replace(",", "\t") + "3,5\n", "ratings.tsv"),
    one("score-absent", "a word for a missing score", r"score 'N/A' is no number; leave the cell empty", LONG + ROW + "N/A\n"),
    one("score-infinite", "an infinite score", r"row 2: score inf at id 'c1'", LONG + ROW + "inf\n"),
    one("score-nan", "NaN as a score", r"row 2: score NaN at id 'c1'", LONG + ROW + "nan\n"),
    one("score-column", "the scores in a column of another name", r"no column 'score'.*rename 'grade' to 'score'", "id,system,rater,grade\nc1,bot,r1,4\n"),
    one("no-scores", "ratings without any score", r"no ratings \(1 row without a score left out\); expected", LONG + ROW + "\n"),
]  # fmt: skip

KEYS = [
    one("rated-no-system", "ratings that name no system", r"no column 'system'.*rename 'sys' to 'system'", "id,sys,score\nc1,bot,4\n"),
    one("rated-empty-id", "a rating without an id", r"row 2: the id is empty", LONG + ",bot,r1,relevance,4\n"),
    one("rated-empty-system", "a rating without a system", r"row 2: no system at id 'c1'", LONG + "c1,,r1,relevance,4\n"),
    one("rater-sometimes", "a rater named in some rows alone", r"row 3: no rater at id 'c2'", LONG + ROW + "4\nc2,bot,,relevance,4\n"),
    one("rater-column", "the rater in a column of another name", r"rename 'coder' to 'rater'", "id,system,coder,score\nc1,bot,A1,4\n"),
    one("rated-twice", "a rater who rates a reply twice", r"row 4: duplicate rating \(system 'bot', id 'c1', rater 'r1', criterion 'relevance'\), first at .*row 2", LONG + ROW + "4\nc2,bot,r1,relevance,4\n" + ROW + "5\n"),
    one("rated-twice-in-a-pair", "a rater who rates a reply twice in one pair of systems", r"row 3: duplicate rating \(system 'bot', id 'c1', rater 'r1', criterion 'relevance', against 'cat'\), first at .*row 2", LONG.replace("\n", ",against\n") + ROW + "4,cat\n" + ROW + "5,cat\n"),
    one("impossible-probability", "a probability above 1", r"row 2: probability 1.5 at id 'c1'; expected a number in \(0, 1\]", LONG.replace("\n", ",probability\n") + ROW + "4,1.5\n"),
    one("rated-against-itself", "a reply rated beside one of its own system", r"row 2: id 'c1' of system 'bot' is rated against its own system; expected in 'against' the other", LONG.replace("\n", ",against\n") + ROW + "4,bot\n"),
    RatingCase("rated-in-two-files", "the same rating in two files", r"b\.csv, row 2: duplicate .*, first at .*a\.csv, row 2", {"a.csv": LONG + ROW + "4\n", "b.csv": LONG + ROW + "4\n"}),
    one("rated-by-nobody", "several ratings of a reply, and no rater", r"row 3: id 'c1' is judged a second time, and no column 'rater'", "id,system,score\nc1,bot,4\nc1,bot,5\n"),
    one("rater-white-space", "raters that differ in white space alone", r"row 3: rater 'r1 ' differs from 'r1' \(.*ratings\.csv, row 2\) in white space alone; write both alike", LONG + ROW + "4\nc2,bot,r1 ,relevance,4\n"),
    one("rated-without-systems", "several ratings by one rater, and no system", r"ratings\.csv: no column 'system', and id 'c1' has several ratings; got id, rater, score; add the column 'system'", "id,rater,score\nc1,r1,4\nc1,r1,5\n"),
    one("mean-beside-raters", "a mean beside the ratings", r"rater 'mean' beside those of others", LONG + ROW + "4\n" + ROW.replace("r1", "mean") + "4\n"),
]  # fmt: skip

WIDE = [
    one("wide-label", "a label among a rater's numbers", r"row 3: column 'r2': 'bad' is no number", "id,system,r1,r2\nc1,bot,4,5\nc2,bot,3,bad\n"),
    one("wide-summary", "a mean in a column beside the raters", r"column 'mean' beside the raters looks like a summary", "id,system,r1,r2,mean\nc1,bot,4,5,4.5\n"),
    one("wide-criteria", "a column per criterion and no rater", r"column 'fluency' looks like a criterion", "id,system,fluency,relevance\nc1,bot,4,5\n"),
    one("wide-systems", "a column for each system, or for each criterion", r"no column 'system', and columns 'tuned' and 'generic' hold numbers; .*--columns system=tuned\+generic; if each is a criterion", "item,rater,tuned,generic\nc1,r1,4,2\nc2,r1,5,3\n"),
    one("wide-one", "one column that may be anything", r"one column of numbers, 'r1'", "id,system,r1\nc1,bot,4\n"),
    one("scores-for-ratings", "the scores of a judge", r"holds scores of a judge or a metric \(columns name and value\), and no ratings; give them with --scores", "system,id,name,value\nbot,c1,judge,4\n"),
    one("wide-text", "columns of text alone", r"no column of numbers", "id,system,r1,r2\nc1,bot,good,bad\n"),
    one("wide-scales", "a judge of 0 to 100 beside raters of 1 to 5", r"column 'model' \(70 to 77\) cannot be on the scale of columns .*criterion for each scale", "id,system,r1,r2,model\n" + "".join(f"c{i},bot,{1 + i % 5},{1 + i % 4},{70 + i}\n" for i in range(8))),
    one("wide-counted", "a column that counts the rows", r"column 'n' counts the rows", "id,system,r1,r2,n\n" + "".join(f"c{i},bot,{1 + i % 5},{1 + i % 4},{1 + i}\n" for i in range(8))),
    one("wide-rater-column", "a column per criterion and the rater misspelt", r"column 'coder' and no 'rater'", "id,system,coder,fluency,relevance\nc1,bot,1,4,5\n"),
]  # fmt: skip

KEYED = '{"id": "1", "item": "c1", "system": "bot"}\n'
LINE = '{"instance_id": "1", "user_id": "ann", "labels": {"relevance": {"4": "4"}}}\n'
RECORD = '[{"id": "1", "fields": {"reply": "Hi"}, "metadata": {"item": "c1", "system": "bot"}, "responses": {"relevance": [{"value": "4", "user_id": "u"}]}}]'


def potato(case_id, wrong, expected, files, paths):
    """A case of a folder of potato, whose key knows one instance."""
    folder = {"p/config.yaml": "task_dir: .\n", "p/key.jsonl": KEYED}
    return RatingCase(case_id, wrong, expected, folder | files, paths=paths)


PUBLISHED = [
    RatingCase("ratings-format", "a format of ratings that does not exist", r"--format: got 'mturks' for a\.csv; .*did you mean 'mturk'", {"a.csv": LONG}, lambda path: read_ratings(path, format="mturks")),
    one("ratings-suffix", "ratings of unknown format", r"cannot tell the format", LONG, "ratings.dat"),
    RatingCase("ratings-folder", "a folder without known ratings", r"a folder of no format known here", {"data/a.csv": LONG, "data/b.csv": LONG}, paths=("data",)),
    one("mturk-inputs", "a batch that does not say which reply was shown", r"columns Input\.\*: no column 'id'", BATCH.replace("Input.id", "Input.text") + "h,A1,Approved,Hi,bot,4\n"),
    one("mturk-rejected", "a batch in which all was rejected", r"no assignment is Approved or Submitted \(1 assignment left out: rejected\)", BATCH + "h,A1,Rejected,c1,bot,4\n"),
    one("mturk-answers", "a batch without answers", r"no column Answer\.<criterion>", BATCH.replace("Answer.", "Reply.") + "h,A1,Approved,c1,bot,4\n"),
    one("mturk-json", "answers as JSON without an answer", r"row 2: Answer\.taskAnswers: got '\[\]'; expected one object", BATCH.replace("relevance", "taskAnswers") + "h,A1,Approved,c1,bot,[]\n"),
    one("mturk-twice", "a worker who rates a reply twice", r"duplicate rating .* rater 'A1', .*first at", BATCH + "h,A1,Approved,c1,bot,4\n" * 2),
    one("label-studio-data", "a task that does not say which reply it shows", r"row 1: data: no column 'system'", task().replace('"system"', '"sys"'), "export.json"),
    one("label-studio-label", "a choice that is no number", r"row 1: score 'fair' is no number", task(result={"type": "choices", "value": {"choices": ["fair"]}}), "export.json"),
    one("label-studio-choices", "several choices", r"relevance: 2 choices, expected one", task(result={"type": "choices", "value": {"choices": ["1", "2"]}}), "export.json"),
    one("label-studio-nobody", "an annotation by nobody", r"without completed_by", task(made={"completed_by": None}), "export.json"),
    one("label-studio-cut", "an export that breaks off", r"not JSON: .*truncated", task()[:-4], "export.json"),
    one("label-studio-key", "a key twice in an export", r"export\.json, row 1: duplicate key 'rating' in one object; keep", task(result={"type": "rating", "value": {"rating": 4}}).replace('"rating": 4', '"rating": 4, "rating": 5'), "export.json"),
    potato("potato-nobody", "a folder of potato in which nobody has judged", r"no annotation_output/\*/user_state\.json; expected the annotations", {}, paths=("p",)),
    potato("potato-key", "an export of potato away from its folder", r"no key\.jsonl beside it", {"a.jsonl": LINE}, paths=("a.jsonl",)),
    potato("potato-instance", "an instance that the folder does not have", r"row 1: the instance '9' is not in key\.jsonl", {"p/a.jsonl": LINE.replace('"1"', '"9"', 1)}, paths=("p/a.jsonl",)),
    potato("potato-choices", "several choices in one field", r"row 1: relevance: 2 choices \(4, 5\), expected one", {"p/a.jsonl": LINE.replace('{"4": "4"}', '{"4": "4", "5": "5"}')}, paths=("p/a.jsonl",)),
    potato("potato-label", "a choice that is called by a word", r"row 1: score 'fair' is no number", {"p/a.jsonl": LINE.replace('{"4": "4"}', '{"fair": "fair"}')}, paths=("p/a.jsonl",)),
    potato("potato-state", "a state of another shape", r"user_state\.json, instance 1: got '5'; expected a label with its value", {"p/annotation_output/ann/user_state.json": '{"user_id": "ann", "instance_id_to_label_to_value": {"1": 5}}'}, paths=("p",)),
    potato("potato-state-cut", "a state that breaks off", r"user_state\.json: no state of an annotator: .*name potato's export", {"p/annotation_output/ann/user_state.json": '{"user_id": "ann"'}, paths=("p",)),
    potato("potato-key-twice", "a key that names an instance twice", r"key\.jsonl, row 2: duplicate id '1'; keep one row", {"p/a.jsonl": LINE, "p/key.jsonl": KEYED * 2}, paths=("p/a.jsonl",)),
    one("argilla-data", "a record that does not say which reply it shows", r"row 1: metadata: no column 'system'", RECORD.replace('"system"', '"sys"'), "records.json"),
    one("argilla-label", "a label that is no number", r"row 1: score 'fair' is no number", RECORD.replace('"4"', '"fair"'), "records.json"),
    one("argilla-shape", "responses of another shape", r"row 1: .*responses", RECORD.replace('[{"value": "4", "user_id": "u"}]', '"4"'), "records.json"),
    one("score-twice", "two scores in one rating", r"ratings\.jsonl, row 2: duplicate key 'score' in one object; keep", '{"id": "c1", "system": "bot", "score": 4}\n{"id": "c2", "system": "bot", "score": 4, "score": 1}\n', "ratings.jsonl"),
    one("grade-scores", "scores that are no list", r"row 1: HumanScores: got '4, 5'", JUDGED.replace("[4, 5]", "4, 5").replace('"ID": 2', '"ID": 1'), "human_judgement.json"),
    RatingCase("grade-means", "mean scores of GRADE without their contexts", r"d: mean scores without their contexts .*human_judgement\.json, which holds every single rating", {"d/bot/human_score.txt": "4.5\n", "d/cat/human_score.txt": "3.5\n"}, paths=("d",)),
    one("grade-mean-text", "a mean score of GRADE that is no number", r"d/bot/human_score\.txt, row 1: got 'high'; expected the mean score of a reply", "high\n", "d/bot/human_score.txt", paths=("d",)),
    one("grade-gap", "a judged reply that is missing", r"row 2: ID 2 of system 'bot' comes after 0", JUDGED, "human_judgement.json"),
    RatingCase("grade-beside", "judgements of other replies than those beside them", r"bot/human_hyp\.txt, row 1: not the reply", {"human_judgement.json": JUDGED.replace('"ID": 2', '"ID": 1').replace('"HumanScores"', '"Response": "Hi", "HumanScores"'), "bot/human_hyp.txt": "Ho\nHi\n"}, paths=("human_judgement.json",)),
    one("dstc7-score", "a judge's score that is no number", r"row 2: Relevance: 'x' is no number", "JudgeID\tInstanceID\tSystemID\tRelevance\nj\tc1\tbot\tx\n", "judges.tsv"),
    one("multiref-rating", "a mean rating that is no number", r"row 2: score 'x' is no number", "model,context_id,human_average_rating\nbot,0_1,x\n"),
]  # fmt: skip

PREFERENCES = [
    one("winner-unknown", "a winner who is neither of the two", r"row 2: winner 'c'; expected 'a', 'b', 'tie'", PAIR + "c1,bot,cat,c\n", read=read_preferences),
    one("winner-side", "systems called like the other side", r"winner 'a' is a side and also the name", PAIR + "c1,b,a,a\n", read=read_preferences),
    one("against-itself", "a system against itself", r"row 2: system 'bot' against itself", PAIR + "c1,bot,bot,tie\n", read=read_preferences),
    one("compared-white-space", "systems that differ in white space alone", r"row 3: system ' bot' differs from 'bot' \(.*ratings\.csv, row 2\) in white space alone", PAIR + "c1,bot,cat,a\nc2,cat, bot,a\n", read=read_preferences),
    one("winner-column", "the winner in a column of another name", r"rename 'preference' to 'winner'", "id,a,b,preference\nc1,bot,cat,a\n", read=read_preferences),
    one("compared-twice", "two judgements and no rater", r"row 3: id 'c1' is judged a second time", PAIR + "c1,bot,cat,a\n" * 2, read=read_preferences),
    one("no-winners", "comparisons without a winner", r"no comparisons", PAIR + "c1,bot,cat,\n", read=read_preferences),
]  # fmt: skip

JOINS = [
    joined("rated-systems", "ratings of other systems", r"system 'bot' rated, 'Bot' replying; use the same system names", [("bot", "1")], [("Bot", "1")]),
    joined("rated-ids", "ratings of other items", r"no reply has the id 'x'; the ids of the replies look like '1'", [("bot", "x")], [("bot", "1")]),
    joined("rated-decimal", "ids of ratings written as decimals", r"they are equal as whole numbers", [("bot", "1.0")], [("bot", "1")]),
    joined("rated-off-by-one", "ratings counted from 0 and replies from 1", r"no reply has the id '0'; the ids look off by one: the ratings count from 0", [("bot", "0"), ("bot", "1")], [("bot", "1"), ("bot", "2")]),
    joined("rated-pairs", "ratings of replies that nobody gave", r"systems and ids are known, but no system replied", [("bot", "1"), ("cat", "2")], [("bot", "2"), ("cat", "1")]),
    RatingCase("rated-null", "a null score in a table", r"ratings, row 1: score null at id 'c1'", {}, lambda: check_ratings(pl.DataFrame([("c1", "bot", "r1", "overall", None)], schema=RATINGS, orient="row"), pl.DataFrame({"system": ["bot"], "id": ["c1"]}))),
]  # fmt: skip

RATING_CASES = [*SCORES, *KEYS, *WIDE, *PUBLISHED, *PREFERENCES, *JOINS]
