"""Options without a meaning, tried on the command line: one message, status 2."""

# One case per line reads best.
# ruff: noqa: E501

import contextlib
import io
import json
import logging
import shlex
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress

ITEMS = "".join(
    json.dumps(
        {"id": f"c{i}", "context": [f"Where is bus {i}?"], "references": [f"Line {i}.", "Here."]}
    )
    + "\n"
    for i in range(1, 7)
)
DRAWN = "id,probability,earlier,status\n"
LONG = "id,system,rater,criterion,score\n"
NUMBERS = "id,sample,text,lm,tm\n"
RATED = [
    f"c{i},{system},{rater}"
    for i in range(1, 7)
    for system in ("bot", "cat")
    for rater in ("ann", "ben")
]
FILES = {
    "kept.parquet": Path(__file__).with_name("kept_files").joinpath("be37c84/model-scores.parquet").read_bytes(),
    "test.jsonl": ITEMS,
    "bot.jsonl": "".join(json.dumps({"id": f"c{i}", "text": f"At stop {i}."}) + "\n" for i in range(1, 7)),
    "cat.jsonl": "".join(json.dumps({"id": f"c{i}", "text": f"Line {i}."}) + "\n" for i in range(1, 7)),
    "rated.csv": LONG + "".join(f"{key},overall,{1 + i % 5}\n" for i, key in enumerate(RATED)),
    "two.csv": LONG + "".join(f"{key},{name},{1 + i % 5}\n" for name in ("fluency", "relevance") for i, key in enumerate(RATED)),
    "others.csv": LONG + "c1,dog,ann,overall,4\nc2,dog,ann,overall,2\n",
    "samples.csv": "system,id,sample,solved\n" + "".join(f"{system},c{i},{k},{(i + k) % 2}\n" for system in ("bot", "cat") for i in range(1, 7) for k in range(3)),
    "moved.csv": LONG + "x1,bot,ann,overall,4\nx2,bot,ann,overall,2\n",
    "one.csv": LONG + "".join(f"c{i},bot,ann,overall,{i % 5}\n" for i in range(1, 7)),
    "apart.csv": LONG + "".join(f"c{i},{'bot' if i < 4 else 'cat'},ann,overall,{i % 5}\n" for i in range(1, 7)),
    "marks.csv": "system,id,judge\n" + "".join(f"{s},c{i},{1 + i % 4}\n" for i in range(1, 7) for s in ("bot", "cat")),
    "strange.csv": "system,id,judge\n" + "".join(f"dog,c{i},{1 + i % 4}\n" for i in range(1, 7)),
    "duels.csv": "id,a,b,rater,winner\n" + "".join(f"c{i},bot,cat,{r},{'ab'[(i + (r == 'ben')) % 2]}\n" for i in range(1, 13) for r in ("ann", "ben")),
    "drawn.csv": DRAWN + "c1,0.5,0.0,next\nc9,0.5,0.0,next\n",
    "left.csv": DRAWN + "c1,0.5,0.0,left\n",
    "worse.csv": DRAWN + "c1,0.5,0.0,maybe\n",
    "chance.csv": DRAWN + "c1,2.0,0.0,next\n",
    "earlier.csv": DRAWN + "c1,0.5,0.7,next\n",
    "twice.csv": DRAWN + "c1,0.5,0.0,next\nc1,0.5,0.0,next\n",
    "talk.jsonl": "".join(json.dumps({"id": f"t{i}", "context": [f"Hello {i}."], "references": [f"Hi {i}."]}) + "\n" for i in range(1, 4)),
    "lines.txt": "Good morning.\nLine 5.\nThank you.\n",
    "rubric.toml": "[[criterion]]\nname = 'fit'\nquestion = 'Does the reply fit?'\n",
    "none.toml": "ties = true\n",
    "typo.toml": "tie = true\n",
    "bare.toml": "pointwise = 'Mark it.'\n",
    "nbest.csv": NUMBERS + "".join(f"c{i},{k},reply {k},{-k},{k % 2}\n" for i in range(1, 7) for k in range(3)),
    "never.csv": NUMBERS + "".join(f"c1,{k},reply {k},-inf,1\n" for k in range(3)),
    "from1.out": "1 ||| yes ||| lm= -1 ||| -1\n2 ||| no ||| lm= -2 ||| -2\n",
    "uneven.out": "0 ||| yes ||| lm= -1 2 ||| -1\n0 ||| no ||| lm= -2 ||| -2\n",
    "tuned.json": '{"tuned": {"metric": "BLEU-2", "weights": {"lm": 7}, "sha256": "0"}}',
    "few.csv": "id,candidate,reference,utility\nc1,1,1,0.5\n",
    "sweep.json": "{",
    "old.sqlite-wal": "the log of a study whose file was removed",
}  # fmt: skip
READ = "test.jsonl bot.jsonl cat.jsonl -m bleu"
RATINGS = "--ratings rated.csv"


@dataclass(frozen=True)
class VerbCase:
    """A command that must fail, what is wrong with it, and what must be said.

    ``defaults`` is the content of a file ``rejoinder.toml`` in the working folder.
    """

    command: str
    wrong: str
    expected: str
    defaults: str = ""

    def message(self, folder: Path):
        """What the command says on standard error, without its name."""
        for name, content in FILES.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        if self.defaults:
            (folder / "rejoinder.toml").write_text(self.defaults)
        out, err = io.StringIO(), io.StringIO()
        quiet = logging.getLogger("rejoinder")
        level = quiet.level
        quiet.setLevel(logging.ERROR)
        try:
            with (
                contextlib.chdir(folder),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                mock.patch.object(progress, "PATIENCE", 1e6),  # a slow machine adds no words
            ):
                status = run(shlex.split(self.command))
        finally:
            quiet.setLevel(level)
        if status != 2 or out.getvalue():
            raise AssertionError(
                f"{self.command}: status {status}, {out.getvalue()}{err.getvalue()}"
            )
        return err.getvalue().removeprefix("rejoinder: ").rstrip("\n")

    @property
    def cell(self):
        """The command as the page shows it: what stands in all cases is left out."""
        return self.command.replace(f" {READ}", " ...").replace(f" {RATINGS}", "")


def verb(command, wrong, expected, defaults=""):
    return VerbCase(command, wrong, expected, defaults)


DEFAULTS = [
    verb("score test.jsonl bot.jsonl", "a setting that project defaults do not have (sed = 7 in rejoinder.toml)", r"rejoinder\.toml: no setting 'sed' \(meant 'seed'\?\); expected 'seed', 'digits', 'metrics', 'ledger' or 'rater_effects'", "sed = 7\n"),
    verb("score test.jsonl bot.jsonl --json", "a project default out of range (digits = 99)", r"rejoinder\.toml: digits: got 99; expected a whole number from 0 to 12", "digits = 99\n"),
    verb("score test.jsonl cat.jsonl", "project defaults that are not TOML", r"rejoinder\.toml: not TOML: ", "seed 7\n"),
    verb("score test.jsonl cat.jsonl --json", "a metric of somebody's code in project defaults", r"rejoinder\.toml: metrics: got 'mine:Metric'; a file of defaults names metrics of Rejoinder", "metrics = ['mine:Metric']\n"),
]  # fmt: skip


AUDIT = [
    verb(f"audit {READ} --tables t.txt", "tables in a format that is not written", r"t\.txt: .*expected .*\.md"),
    verb("report one.csv -o r.html", "ratings in the place of the test set", r"one\.csv: holds ratings, but the first file is taken for the test set; name it with --ratings: rejoinder report --ratings one\.csv"),
    verb("report --ratings one.csv -o r.html -m bleu", "a metric of replies, and ratings alone", r"--metric has no effect without responses"),
    verb("plan --ratings one.csv --next 3 -o next.csv", "items to rate next by ratings alone", r"--next has no effect without a test set and responses, or --scores FILE"),
    verb("report test.jsonl -o r.html", "a report without replies", r"is taken for the test set, and no replies are given; name the systems' replies too"),
    verb(f"report {READ} -o r.pdf", "a report of an unknown kind", r"got the suffix '.pdf', expected '.html' or '.md'"),
    verb(f"report {READ} -o r.html --criterion fit", "a criterion without ratings", r"--criterion has no effect without --ratings FILE or --preferences FILE"),
    verb(f"report {READ} -o r.html --ratings others.csv", "ratings of other systems", r"none of which is scored; the scores are of 'bot' or 'cat'"),
    verb(f"report {READ} -o r.html --ruq marks.csv", "a file that is no result of RUQ", r"marks.csv: is no result of RUQ; expected a Parquet file of 'rejoinder ruq --save' or 'rejoinder ruq --save-tokens'"),
    verb("audit test.jsonl", "no system to compare with the trivial baselines", r"is taken for the test set, and no replies are given; name the systems' replies too"),
    verb(f"audit {READ} --turns 0", "no turns to paste", r"--turns 0 must be a whole number, 1 or more"),
    verb(f"audit {READ} --without dog", "a system that is not there left out", r"system 'dog' is unknown; choose 'bot' or 'cat'"),
    verb(f"audit {READ} --without bot --without cat", "every system left out", r"no system is left of 'bot' or 'cat'; keep one"),
    verb(f"audit {READ} --resamples -1", "resamples below 0", r"--resamples -1 must be from 0"),
]  # fmt: skip

DIFFERENCES = [
    verb(f"explain-diff {READ}", "one metric to explain a difference", r"--metric: got 1, expected 2: the metric with the settings of the one tool and of the other"),
    verb(f"explain-diff {READ} -m ter --reported 30", "a figure and two metrics", r"--metric: got 2, expected 1 with --reported"),
    verb(f"explain-diff {READ} --reported 30", "a figure of one system and replies of two", r"the replies are of 2 systems \('bot' or 'cat'\), and a figure is of one; give the replies of that system alone"),
    verb("explain-diff test.jsonl bot.jsonl -m bleu --reported 3O", "a figure that is no number", r"--reported '3O' is no number with its decimals; expected one such as 27\.41"),
    verb("explain-diff test.jsonl bot.jsonl -m bleu --reported 30 --seed 7", "a seed where nothing is drawn", r"--seed has no effect without two metrics"),
    verb(f"explain-diff {READ} -m ter", "a difference of two metrics that measure different things", r"BLEU-2 and TER measure different things, .*; give one metric under two settings"),
    verb(f"explain-diff {READ} -m bleu:compat=sacreblue", "a tool without presets", r"compat='sacreblue' is unknown; did you mean 'sacrebleu'\?"),
    verb(f"explain-diff {READ} -m chrf:compat=nltk", "a tool without a preset for the metric", r"compat=nltk has no preset for it, only for 'bleu' or 'sbleu'; of 'chrf' there are those of 'sacrebleu' or 'hf'"),
    verb(f"explain-diff {READ} -m bleu:compat=nltk,smoothing_function=method7", "a value that the tool has and we do not", r"smoothing_function='method7'; expected 'method0', 'method1', 'method2' or 'method3'"),
]  # fmt: skip

PEOPLE = [
    verb(f"compare {READ} --ratings rated.csv --scale 2 5", "a rating off the scale", r"is off the scale from 2 to 5"),
    verb(f"compare {READ} --ratings rated.csv", "fewer than 10 rated items of a pair", r"at most 6 items are rated for both systems of a pair \('bot' and 'cat'\); expected 10 or more"),
    verb(f"compare {READ} --ratings one.csv", "one rated system", r"of the scored systems, 'bot' alone is rated; a comparison needs two"),
    verb("compare test.jsonl bot.jsonl cat.jsonl --ratings rated.csv", "ratings to correct, and no judge", r"no judge is named; give the scores of all replies with --scores FILE"),
    verb(f"compare {READ} --ratings rated.csv --margin 1", "a margin beside ratings", r"--margin has no effect beside --ratings"),
    verb(f"compare {READ} --ratings rated.csv --drawn left.csv", "ratings of items that were not drawn", r"--drawn: item 'c1' \(and 5 more items like it\) is rated and has the status 'left' in the table of drawn items"),
    verb(f"compare {READ} --drawn drawn.csv", "drawn items, and no ratings", r"--drawn has no effect without --ratings FILE"),
    verb(f"compare {READ} --ratings rated.csv -b bot --fail-if-worse 0.1", "a gate beside ratings", r"--fail-if-worse has no effect beside --ratings"),
    verb(f"compare {READ} --fail-if-worse 0.1", "a gate without a baseline", r"--fail-if-worse has no effect without -b BASELINE"),
    verb("correlate --ratings rated.csv", "ratings without scores", r"--ratings rated\.csv: ratings need scores beside them, and none are named.*'rejoinder compare --ratings rated\.csv'"),
    verb("compare --ratings rated.csv -m bleu", "a metric of ratings alone", r"--metric has no effect on ratings alone; name the test set and the replies"),
    verb("compare --ratings duels.csv", "comparisons of two systems given for ratings, to compare", r"is this a file of comparisons, which 'rejoinder preferences' reads\?"),
    verb(f"compare {READ} -b bot --fail-if-worse -1", "a gate with a margin below 0", r"--fail-if-worse -1 must be 0 or above"),
    verb(f"compare {READ} -b bot --fail-if-worse 1", "a margin as wide as the metric's range", r"BLEU-2 is from 0 to 1, so no system can be worse by more"),
    verb("compare test.jsonl bot.jsonl cat.jsonl -m length -b bot --fail-if-worse 1", "a gate by a metric that does not rank systems", r"length says nothing of better and worse"),
    verb(f"compare {READ} --save a.xml", "verdicts to save, and no gate", r"--save has no effect without --fail-if-worse MARGIN"),
    verb(f"compare {READ} -b cat --fail-if-worse 0 --save a.csv", "a comparison saved as CSV", r"a\.csv: got the suffix '\.csv', expected '\.xml'"),
    verb(f"compare {READ} -b bot --fail-if-unsure", "what the gate does, and no gate", r"--fail-if-unsure has no effect without --fail-if-worse MARGIN"),
    verb(f"compare {READ} --anytime", "looks at ratings, and no ratings", r"--anytime has no effect without --ratings FILE"),
    verb(f"compare {READ} --population these", "a fixed set of items, and no ratings", r"--population has no effect without --ratings FILE"),
    verb(f"compare {READ} --criterion overall", "a criterion and no ratings", r"--criterion has no effect without --ratings FILE"),
]  # fmt: skip

CORRELATE = [
    verb(f"judge {READ} {RATINGS} --tolerance 2", "a tolerance that is no share", r"--tolerance 2 must be from 0 to 1"),
    verb("judge --scores rated.csv --ratings marks.csv", "scores and ratings swapped", r"the two files seem to be swapped; try --scores marks\.csv --ratings rated\.csv"),
    verb("compare --scores rated.csv --ratings marks.csv", "scores and ratings swapped, to compare", r"the two files seem to be swapped; try --scores marks\.csv --ratings rated\.csv"),
    verb("judge --scores rated.csv --ratings rated.csv", "ratings as a judge's scores", r"rated\.csv: given as scores has the same content as rated\.csv given as ratings"),
    verb("score --scores samples.csv --at 4", "more samples than any prompt has", r"solved: no prompt has 4 samples of every system, the most is 3; take fewer with --at 3"),
    verb(f"score {READ} --at 2", "one reply of each system to a prompt, and --at", r"--at 2: no metric that ranks systems scored several samples of a prompt"),
    verb("plan --scores marks.csv --costs 1 1", "costs of samples where there are none", r"--costs 1 1 has no effect: no metric scored several samples of a prompt"),
    verb("score --scores kept.parquet", "kept scores as the scores of another tool", r"kept\.parquet: these are kept scores, whose columns are the sums that metrics are made of; open them with rejoinder\.load_scores, or give the file in the place of a test set"),
    verb("score --scores rated.csv", "ratings as the scores of another tool", r"rated\.csv: holds ratings, and is given as scores; 'rejoinder compare --ratings rated\.csv' compares the systems by people"),
    verb("compare --scores rated.csv", "ratings as scores, to compare", r"rated\.csv: holds ratings, and is given as scores; 'rejoinder compare --ratings rated\.csv'"),
    verb("compare --scores rated.csv --ratings rated.csv", "ratings as the scores to correct", r"rated\.csv: given as scores has the same content as rated\.csv given as ratings"),
    verb("plan --scores rated.csv --ratings rated.csv", "ratings as the scores to plan by", r"rated\.csv: given as scores has the same content as rated\.csv given as ratings"),
    verb("judge --scores marks.csv --ratings marks.csv", "a judge's scores as ratings", r"marks\.csv: given as scores has the same content as marks\.csv given as ratings"),
    verb(f"judge {READ} --ratings others.csv", "ratings of other systems beside a judge", r"of 'dog', none of which is scored"),
    verb(f"plan {READ} --next 3", "items to rate next, and no file for them", r"--next: no file to write the items to; name it with -o, for example -o next\.csv"),
    verb(f"plan {READ} --next 7 -o next.csv", "more items to rate next than there are", r"--next 7; expected 1 to 6, the items that are not rated yet"),
    verb(f"plan {READ} {RATINGS} --next 1 -o next.csv", "items to rate next where all are rated", r"--next 1; all items are rated"),
    verb(f"plan {READ} --next 0 -o next.csv", "no items to rate next", r"--next 0; expected 1 or more"),
    verb(f"plan {READ} -o next.csv", "a file of next items, and none wanted", r"has no effect without --next N"),
    verb(f"plan {READ} --next 3 -o next.csv --drawn drawn.csv", "an earlier draw, and no ratings of it", r"--drawn has no effect without --ratings FILE"),
    verb(f"plan {READ} --next 3 -o rated.csv", "ratings in the place of the next items", r"--output rated\.csv: a file stands there that holds no drawn items"),
    verb("plan --rates 0.9 0.9", "two equal rates to tell apart", r"--rates 0\.9 0\.9 must be two different shares of passes, from 0 to 1"),
    verb("plan --rates 0.9 0.95 --discordant 0.5", "more prompts that one system alone passes than there can be", r"--discordant 0\.5 must be from 0\.05 to 0\.15"),
    verb("plan test.jsonl --discordant 0.1", "a share of prompts that one system alone passes, and no rates", r"--discordant has no effect without --rates P1 P2"),
    verb("plan test.jsonl --rates 0.9 0.95", "a file beside rates", r"--rates plans without a pilot, so test\.jsonl has no effect beside it; leave it out"),
    verb("plan --design", "a design without a pilot or assumptions", r"a design rests on a pilot, or on stated assumptions: give --ratings, or --difference and --reliability"),
    verb("plan --design --reliability 1.2 -d 0.3", "a reliability above 1", r"--reliability 1\.2 must be from 0 to 1, without the ends"),
    verb("plan --design --reliability 0.6 -d 0.01 --pool 100", "a difference that the items cannot show", r"no design shows a difference of 0\.01 with a power of 0\.8 on 100 items"),
    verb("plan --design --reliability 0.6 -d 0.3 --items 50", "an option beside a design", r"--items has no effect beside --design; leave --items out"),
    verb(f"plan --design {RATINGS} --rho 0.3", "an assumption beside a pilot", r"--rho states what the pilot of --ratings shows; leave --rho out"),
    verb(f"plan {READ} --pool 3", "the items of a design, and no design", r"--pool has no effect without --design"),
    verb(f"score {READ} --exact", "exact intervals, and no rate", r"--exact: none of .* is a rate, of which every value is 0 or 1; leave it out"),
    verb(f"plan {READ} --cluster speaker", "a plan over clusters that are not there", r"--cluster speaker: the contexts have no column 'speaker'"),
    verb(f"correlate {READ} --ratings others.csv", "ratings of other systems", r"of 'dog', none of which is scored; the scores are of 'bot' or 'cat'"),
    verb(f"correlate {READ} --ratings moved.csv", "ratings of other items", r"no id is among the scored items \(rated: 'x1', scored: 'c1'"),
    verb(f"correlate {READ} --ratings two.csv", "several criteria and none named", r"several criteria; choose 'fluency' or 'relevance'"),
    verb(f"correlate {READ} {RATINGS} --criterion fluency", "a criterion that was not rated", r"--criterion fluency is unknown; choose 'overall'"),
    verb(f"correlate {READ} {RATINGS} --without dog", "a system that is not there left out", r"system 'dog' is unknown"),
    verb(f"correlate {READ} {RATINGS} --permutations -1", "permutations below 0", r"--permutations -1 must be from 0"),
    verb(f"correlate {READ} {RATINGS} --rater-effects random --raters z", "raters resampled, whose ratings are not averaged", r"raters cannot be resampled: the ratings of a reply are not averaged; expected"),
    verb(f"correlate {READ} {RATINGS} --scale 2 5", "a rating off the scale", r"ratings: 1 of 'bot' at id 'c1' by 'ann' is off the scale from 2 to 5 \(5 such ratings\)"),
    verb(f"correlate {READ} {RATINGS} --resamples 20", "too few resamples for an interval", r"--resamples 20: too few for a 95% interval; give 0 for none, or 100 or more"),
    verb(f"correlate {READ} {RATINGS} --save kept.xlsx", "a suffix that cannot be written", r"kept\.xlsx: got the suffix '\.xlsx', expected '\.jsonl'"),
    verb(f"correlate {READ} {RATINGS} --set unit_size=5", "an option of another protocol", r"--set unit_size has no effect without --protocol unit"),
    verb(f"correlate {READ} --ratings test.jsonl", "the test set given for ratings", r"is this the test set\?"),
    verb(f"correlate {READ} {RATINGS} --compare", "two metrics to compare, and one measured", r"one metric alone, 'BLEU-2'; measure two"),
    verb(f"correlate {READ} {RATINGS} -p unit", "larger units than there are items", r"units of 100 items \(--set unit_size, 100 where it is not given\): no two systems share so many rated items; the most is 6"),
    verb(f"correlate {READ} --ratings one.csv -p unit", "units of pairs, and one system rated", r"one rated system, 'bot'; its units are of pairs"),
    verb(f"correlate {READ} --ratings apart.csv -p unit", "units, and systems rated on different items", r"no two systems are rated on the same item"),
    verb(f"correlate {READ} {RATINGS} -p unit --set unit_size=0", "units of nothing", r"--set unit_size=0 must be a whole number of at least 1"),
    verb(f"correlate {READ} {RATINGS} -p pairwise --set epsilon=some", "an epsilon that is no number", r"--set epsilon=some must be 0 or more, or 'best'"),
    verb(f"correlate {READ} {RATINGS} -p pairwise --set epsilon=-1", "an epsilon below 0", r"--set epsilon=-1 must be 0 or more"),
    verb(f"correlate {READ} {RATINGS} --columns human.csv:id=item", "columns of a file that is not read", r"the command reads no file 'human\.csv'; it names rated\.csv, test\.jsonl, bot\.jsonl, cat\.jsonl"),
    verb(f"correlate {READ} {RATINGS} --scores judge.csv:5..1", "a least value above the greatest", r"got '5\.\.1'; expected the least and the greatest value"),
    verb(f"correlate {READ} {RATINGS} -p pairwise -c spearman", "a coefficient of accuracies", r"'pairwise' has accuracies in place of correlations: do without --correlation"),
]  # fmt: skip

RECIPE = [
    verb(f"recipe galley2015 test.jsonl {RATINGS}", "a study without replies", r"is taken for the test set, and no replies are given; name the systems' replies too"),
    verb(f"recipe galley2015 test.jsonl bot.jsonl cat.jsonl {RATINGS} --without dog", "a system that is not there left out", r"system 'dog' is unknown"),
    verb(f"recipe galley2015 test.jsonl bot.jsonl cat.jsonl {RATINGS}", "fewer items than a unit has", r"units of 100 items \(--set unit_size, 100 where it is not given\): no two systems share so many rated items; the most is 6"),
]  # fmt: skip

TWO = "weigh test.jsonl bot.jsonl cat.jsonl -o w.jsonl"
WEIGH = [
    verb(TWO, "no ratings and no learned rater", r"no ratings: give people's with --ratings FILE, or a learned rater with --weights-from"),
    verb(f"{TWO} {RATINGS} --min-raters 3", "fewer raters than asked for", r"no reply has 3 raters \(the most is 2\); lower"),
    verb(f"{TWO} {RATINGS} --filter-raters", "raters of whom none is reliable", r"all 2 raters of .overall. below a kappa of 0\.1, and none is left"),
    verb(f"{TWO} {RATINGS} --min-shared 5", "a rule of a filter that is not asked for", r"--min-shared has no effect without --filter-raters"),
    verb(f"{TWO} --weights-from length --criterion overall", "a criterion without ratings", r"--criterion has no effect without --ratings FILE"),
    verb(f"{TWO} --weights-from bleu", "a learned rater that needs references", r"BLEU-2 needs references, which are what is to be weighed; choose one that reads the reply"),
    verb(f"{TWO} --weights-from length", "a learned rater without bounds, and no ratings", r"length has no least and greatest value that could become -1 and 1"),
    verb(f"{TWO} --weights-from ruber:model=absent {RATINGS}", "a model that is not there", r"absent: there is no such folder"),
    verb(f"{TWO} --scores marks.csv --scale 1 3", "marks off the scale", r"judge gave 4, which is off the scale from 1 to 3; give its scale with --scale"),
    verb(f"{TWO} --scores marks.csv --weights-from jury", "no such name among the scores", r"--scores: no metric 'jury'; choose 'judge' with --weights-from NAME"),
    verb(f"{TWO} --scores strange.csv", "scores of other systems", r"'judge' has no score of any of 12 texts to be weighed; scores are found by system"),
    verb("compare test.jsonl bot.jsonl cat.jsonl -m average:vectors=/dev/null", "word vectors from a device", r"/dev/null: a pipe or a device, which cannot be read twice; write it to a file first"),
    verb(f"weigh test.jsonl -o w.jsonl --weights-from length --keep {RATINGS}", "own references kept beside themselves", r"--keep has no effect without replies behind the test set"),
    verb(f"weigh test.jsonl -o w.jsonl --weights-from length {RATINGS}", "ratings of replies that are not named", r"ratings: they name a system, and no reference has a source"),
]  # fmt: skip

JUDGEMENTS = [
    verb("ratings absent.csv", "a path that does not exist", r"absent\.csv: no such file; check the path"),
    verb("ratings duels.csv", "comparisons given for ratings", r"duels\.csv: "),
    verb("ratings rated.csv --criterion fluency", "a criterion that was not rated", r"--criterion fluency is unknown; choose 'overall'"),
    verb("ratings rated.csv --without dog", "a system that is not there left out", r"system 'dog' is unknown; choose 'bot' or 'cat'"),
    verb("ratings rated.csv --without bot --without cat", "every system left out", r"no system is left of 'bot' or 'cat'; keep one"),
    verb("ratings --filter-raters rated.csv two.csv", "a file where the threshold is looked for", r"--filter-raters rated\.csv: got no number; put the option behind the files"),
    verb("ratings rated.csv --filter-raters=10", "a threshold that is no kappa", r"threshold=10\.0 must be a kappa, from -1 to 1"),
    verb("ratings rated.csv --filter-raters=1 --min-shared 2", "a filter that leaves nobody", r"all 2 raters of 'overall' below a kappa of 1, and none is left; lower"),
    verb("ratings rated.csv --scale 2 5", "a rating off the scale", r"1 of 'bot' at id 'c1' by 'ann' is off the scale from 2 to 5"),
    verb("ratings rated.csv --min-shared 0", "raters judged by nothing", r"--min-shared 0 must be 1 or more"),
    verb("ratings rated.csv --resamples -1", "resamples below 0", r"--resamples -1 must be from 0"),
    verb("ratings rated.csv --aggregated", "aggregated ratings, and no file for them", r"--aggregated has no effect without --save FILE"),
    verb("ratings rated.csv --save rated.csv", "an input written over", r"--save rated\.csv: that is an input; name another file"),
    verb("ratings rated.csv --save kept.xlsx", "a suffix that cannot be written", r"kept\.xlsx: got the suffix '\.xlsx', expected '\.jsonl'"),
    verb("ratings rated.csv --save nowhere/kept.csv", "a folder that is not there", r"there is no folder 'nowhere'; make it first"),
    verb("preferences rated.csv", "ratings given for comparisons", r"rated\.csv: no column"),
    verb("preferences duels.csv --criterion fluency", "a criterion that was not judged", r"--criterion fluency is unknown; choose 'overall'"),
    verb("preferences duels.csv --without dog", "a system that is not there left out", r"system 'dog' is unknown; choose 'bot' or 'cat'"),
    verb("preferences duels.csv --without bot", "no pair of systems left", r"no pair of systems is left of 'bot' or 'cat'; keep two"),
    verb("preferences duels.csv --filter-raters", "a filter that leaves nobody", r"all 2 raters of 'overall' below a kappa of 0\.1, and none is left"),
    verb("preferences duels.csv --covariate length", "a covariate that no column holds", r"--covariate length: the preferences have no columns 'length_a' and 'length_b'.*text_a"),
    verb("preferences duels.csv --judge nobody", "a judge who compared nothing", r"--judge: no rater is called 'nobody'"),
    verb("preferences duels.csv --bootstrap --ranks", "two options that cannot stand together", "--bootstrap and --ranks do not .*leave"),
    verb("preferences duels.csv --seed -1", "a seed below 0", r"--seed -1 must be 0 or more"),
    verb("preferences duels.csv --format xls", "a format that does not exist", r"--format: got 'xls'"),
]  # fmt: skip

MINING = "mine test.jsonl test.jsonl -o m.jsonl"
MINE = [
    verb(f"{MINING} --set response_weight=2", "a weight of responses above 1", r"--set response_weight=2; expected a number from 0 to 1"),
    verb(f"{MINING} --set response_weight=0 --set response_smoothing=0", "products that are all 0", r"--set response_weight=0 and --set response_smoothing=0 make every product 0; give one"),
    verb(f"{MINING} --set b=2", "a length normalisation above 1", r"--set b=2; expected a number from 0 to 1"),
    verb(f"{MINING} --set tokenizer=13", "a tokenizer that does not exist", r"tokenizer '13' is unknown; choose '13a'"),
    verb("mine lines.txt test.jsonl -o m.jsonl", "plain lines given for a corpus", r"lines\.txt: none of 3 items \(lines, or rows\) has both a context and a reference; expected conversations"),
    verb("filter lines.txt -o f.jsonl", "plain lines to filter", r"lines\.txt: none of 3 items \(lines, or rows\) has both a context and a reference"),
    verb("respond retrieval test.jsonl --corpus lines.txt -o r.jsonl", "plain lines to reply from", r"lines\.txt: none of 3 items \(lines, or rows\) has both a context and a reference"),
    verb("respond test.jsonl retrieval -o r.jsonl --corpus talk.jsonl", "a system and a test set the wrong way round", r"test\.jsonl: stands in the place of a model or system, and retrieval in that of the test set; the test set stands last: rejoinder respond retrieval test\.jsonl"),
    verb("ruq test.jsonl http://127.0.0.1:9/v1", "a model and a test set the wrong way round", r"test\.jsonl: stands in the place of a model or system, and http://127\.0\.0\.1:9/v1 in that of the test set; the test set stands last: rejoinder ruq http://127\.0\.0\.1:9/v1 test\.jsonl"),
    verb("mine test.jsonl talk.jsonl -o m.jsonl", "a test set and a corpus the wrong way round", r"test\.jsonl: is taken for the corpus and seems to be the test set \(6 items, and talk\.jsonl has 3\); the corpus stands before the test set: rejoinder mine talk\.jsonl test\.jsonl"),
    verb("recipe systems2015 test.jsonl talk.jsonl -o study", "a test set and a corpus the wrong way round", r"test\.jsonl: is taken for the corpus and seems to be the test set \(6 items, and talk\.jsonl has 3\); the corpus stands before the test set: rejoinder recipe systems2015 talk\.jsonl test\.jsonl"),
    verb("mine bot.jsonl test.jsonl -o m.jsonl", "replies given for a corpus", r"bot\.jsonl, row 1: has 'text' and no 'references'"),
    verb(f"{MINING} --index test.jsonl", "a file where the index goes", r"--index test\.jsonl: is a file; expected a folder|that is an input"),
]  # fmt: skip

SHARDS = [
    verb(f"score {READ} --shard 4/3 --save a.part", "a shard that is not there", r"--shard 4/3; expected I/N, such as 2/3, with I from 1 to N, at most 100,000"),
    verb(f"score {READ} --shard 1/3", "a shard without a file for its part", r"--shard 1/3: name the file of the part: --save FILE\.part"),
    verb(f"score {READ} --shard 1/3 --explain 1 --save a.part", "an explanation of a shard", r"--explain: is not cut into shards; leave out --shard"),
    verb(f"score {READ} --engine local:0 --save a.parquet", "an engine that is not there", r"--engine local:0: expected local:K with K processes, from 1 to 1,000, ray or ray://ADDRESS"),
    verb(f"score {READ} --engine local:2", "an engine without a file for the result", r"--engine local:2: name the file of the result: --save FILE"),
    verb(f"score {READ} --engine local:2 --shard 1/3 --save a.part", "a shard for an engine", r"--engine: computes all shards; leave out --shard"),
    verb("score kept.parquet --shard 1/3 --save a.part", "a shard of work that is not cut", r"--shard 1/3: this command has no work that is cut into shards"),
    verb("runs absent.sqlite", "a ledger that is not there", r"absent\.sqlite: there is no such ledger; name another file, or record a run first"),
    verb("runs test.jsonl", "a file that is no ledger", r"test\.jsonl: no database of a ledger: .*; name another file"),
    verb("runs test.jsonl 1", "one run of a ledger, without --freeze or --baseline", r"RUN: got 1; expected 2 to see what changed between them, or 1 beside --freeze or --baseline"),
    verb("runs test.jsonl --freeze a --baseline b", "two options of which each excludes the other", r"--freeze and --baseline do not go together; leave one out"),
    verb("runs test.jsonl --plots p", "a figure without the metric that it is to show", r"--plots has no effect without --metric NAME"),
    verb("runs test.jsonl --baseline a", "a baseline without the loss that is accepted", r"--baseline has no effect without --fail-if-worse MARGIN"),
    verb("score test.jsonl bot.jsonl --ledger test.jsonl", "a ledger that is an input", r"--ledger test\.jsonl: that is an input; name another file"),
    verb("merge test.jsonl --save a.parquet", "a file that is no part", r"test\.jsonl: is not a part of work that was cut into shards"),
    verb("merge absent.part --save a.parquet", "a part that is not there", r"absent\.part: cannot be read: No such file or directory; name a part"),
]  # fmt: skip

SWEEP = "sweep talk.jsonl --testset test.jsonl --validation test.jsonl --reply-metric bleu --set order=2,3 --kind phrase"
SWEEPS = [
    verb(f"{SWEEP} -o .", "the folder of a sweep that was cut", r"sweep\.json: cut or altered; name a new folder"),
    verb("recipe systems2015 talk.jsonl test.jsonl --validation test.jsonl -o .", "a study in a folder of other things", r"--output \.: a folder with other things in it"),
    verb(f"{SWEEP} -o s --set first_epochs=2", "epochs of systems that have none", r"--set first_epochs: has no effect on phrase-based systems; leave it out"),
    verb(f"{SWEEP} -o s --device cpu", "a device for systems that need none", r"--device: has no effect on phrase-based systems; leave it out"),
    verb("sweep talk.jsonl --testset test.jsonl --reply-metric bleu --set dropout=0,0.1 --set epochs=3 -o s --set first_epochs=0", "no epochs before pruning", r"--set first_epochs=0: expected 1 or more"),
    verb("sweep talk.jsonl --testset test.jsonl --reply-metric bleu --set dropout=0,0.1 --set epochs=3 -o s --set first_epochs=2 --set prune=none", "epochs before pruning, and no pruning", r"--set first_epochs has no effect without --set prune=halving"),
]  # fmt: skip

SERVER = "--model http://127.0.0.1:9/v1"
MARKED = "mark test.jsonl bot.jsonl cat.jsonl -o m.csv"
MARK = [
    verb(f"{MARKED} --rubric rubric.toml {SERVER}", "a server that is not there", r"http://127\.0\.0\.1:9/v1/models: cannot be reached: .*; is the server running\?"),
    verb(f"{MARKED} --rubric rubric.toml --model http://ann:secret@127.0.0.1:9/v1", "a key in the URL", r"a URL with a user or password: a key in a URL ends up in files and logs; put it into the environment variable"),
    verb(f"{MARKED} --rubric rubric.toml --model test.jsonl", "a file for a model", r"test\.jsonl: a file of likelihoods gives no marks; name the URL of a server or the folder of a model"),
    verb(f"{MARKED} --rubric absent.toml {SERVER}", "a rubric that is not there", r"absent\.toml: no such file; check the path"),
    verb(f"{MARKED} --rubric rated.csv {SERVER}", "a rubric that is no TOML", r"rated\.csv: not TOML"),
    verb(f"{MARKED} --rubric typo.toml {SERVER}", "a setting that a rubric does not have", r"typo\.toml: no setting 'tie' \(meant 'ties'\?\); expected 'instructions'"),
    verb(f"{MARKED} --rubric none.toml {SERVER}", "a rubric without a criterion", r"none\.toml: no \[\[criterion\]\]; expected one or more, each with 'name', 'question'"),
    verb(f"{MARKED} --rubric bare.toml {SERVER}", "a question without the reply", r"bare\.toml: pointwise: lacks the place \{reply\}; write it where it belongs"),
    verb(f"mark test.jsonl -o m.csv --rubric rubric.toml {SERVER}", "no replies to mark", r"is taken for the test set, and no replies are given"),
    verb(f"{MARKED} --rubric rubric.toml {SERVER} --max-calls 9", "a limit of calls that would lose answers", r"--max-calls has no effect without --work FOLDER"),
    verb(f"{MARKED} --rubric rubric.toml {SERVER} --device cpu", "a device of a server", r"--device has no effect without a model on this machine"),
    verb(f"{MARKED} --rubric rubric.toml {SERVER} --seed -1", "a seed below 0", r"--seed -1 must be 0 or more"),
]  # fmt: skip

SERVE = "annotate serve test.jsonl bot.jsonl cat.jsonl --db s.sqlite --prepare"
ANNOTATE = [
    verb("annotate serve --db s.sqlite --prepare", "a study that is not there, and no test set", r"s\.sqlite: there is no such study; name a test set and responses to make it"),
    verb("annotate serve test.jsonl --db s.sqlite --prepare", "no replies to judge", r"is taken for the test set, and no replies are given"),
    verb("annotate serve --db rated.csv --prepare", "a study that is none", r"rated\.csv: no database of a study: file is not a database; name another file"),
    verb("annotate serve test.jsonl bot.jsonl --db rated.csv --prepare", "a study in the place of another file", r"rated\.csv: no database of a study"),
    verb("annotate serve test.jsonl bot.jsonl --db old.sqlite --prepare", "a new study beside the log of an earlier one", r"old\.sqlite: old\.sqlite-wal stands beside it, the log of an earlier study"),
    verb("annotate serve test.jsonl bot.jsonl --criterion a --criterion b --question Why? --db s.sqlite --prepare", "one question for two criteria", r"--question: given 1 times for 2 criteria; give it once for each"),
    verb("annotate serve test.jsonl bot.jsonl --judgement head-to-head --anchors bad,good --db s.sqlite --prepare", "words of a scale for pairs", r"--anchors: head-to-head questions have no scale"),
    verb("annotate serve test.jsonl bot.jsonl --set page_language=tlh --db s.sqlite --prepare", "a page in a language of which there is no file", r"page_language: got 'tlh'; expected 'ar'"),
    verb("annotate serve test.jsonl bot.jsonl --set page_language=words.json --db s.sqlite --prepare", "a file of a language that is not there", r"words\.json"),
    verb("annotate serve test.jsonl bot.jsonl --judgement head-to-head --db s.sqlite --prepare", "pairs of one system", r"1 system \(bot\); a head-to-head question compares 2 or more"),
    verb(f"{SERVE} --judgement best-worst", "the best and the worst of two", r"2 systems \(bot, cat\); a best-worst question compares 3 or more"),
    verb(f"{SERVE} --sample 7", "more items than there are", r"sample: got 7; the test set has 6 items"),
    verb(f"{SERVE} --sample 0", "no items", r"sample: got 0; expected 1 or more"),
    verb(f"{SERVE} --set probability=chance", "a probability that no column holds", r"probability: the test set has no column 'chance'; got id, context"),
    verb(f"{SERVE} --set probability=id", "a probability that is none", r"probability: item 'c1' has 'c1' in the column 'id'; expected a number above 0 and at most 1"),
    verb(f"{SERVE} --sample 2 --set probability=id", "items drawn in two ways", r"items are drawn by one of them; leave the other out"),
    verb(f"{SERVE} --sample 2 --drawn drawn.csv", "items drawn before, and again", r"sample, --drawn: the table of drawn items says which single items are judged; leave sample out"),
    verb(f"{SERVE} --drawn drawn.csv", "drawn items of another test set", r"--drawn: item 'c9' is to be rated and not in the test set; give the test set that was planned for"),
    verb(f"{SERVE} --drawn left.csv", "a draw without items to rate", r"no item of the table has the status 'next'; draw some with 'rejoinder plan --next N'"),
    verb(f"{SERVE} --drawn rated.csv", "ratings in the place of drawn items", r"rated\.csv: no column 'probability'; got id, system, rater, criterion, score, expected id, probability, earlier, status"),
    verb(f"{SERVE} --drawn lines.txt", "drawn items that are no table", r"lines\.txt: got the suffix '\.txt', expected '\.csv', '\.tsv', '\.jsonl' or '\.parquet'; give the table of drawn items"),
    verb(f"{SERVE} --drawn worse.csv", "a status that is none", r"worse\.csv, row 2: status 'maybe'; expected 'rated', 'next' or 'left'"),
    verb(f"{SERVE} --drawn chance.csv", "a drawn item with an impossible probability", r"chance\.csv, row 2: probability 2\.0 at id 'c1'; expected a number in \(0, 1\]"),
    verb(f"{SERVE} --drawn earlier.csv", "an earlier draw likelier than both", r"earlier\.csv, row 2: earlier 0\.7 at id 'c1'; expected a number from 0 to the probability"),
    verb(f"{SERVE} --drawn twice.csv", "a drawn item twice", r"twice\.csv, row 3: id 'c1' is there twice; keep one row of it"),
    verb(f"{SERVE} --scale 1 4.5", "a scale without points", r"--scale 1 4\.5: expected whole numbers"),
    verb(f"{SERVE} --scale 5 1", "a scale upside down", r"criterion 'overall': a scale from 5 to 1; expected 2 to 21 points, the lowest first"),
    verb(f"{SERVE} --criterion a --criterion a", "a criterion twice", r"criterion 'a': given twice; give it once"),
    verb(f"{SERVE} --set raters_per_question=0", "questions to nobody", r"raters_per_question: got 0; expected 1 or more"),
    verb(f"{SERVE} --task absent.toml", "settings that are not there", r"absent\.toml: no such file; check the path"),
    verb(f"{SERVE} --task rated.csv", "settings that are no TOML", r"rated\.csv: not TOML"),
    verb(f"{SERVE} --address study.example.org", "an address without https", r"--address study\.example\.org: expected an address; write it like https://study\.example\.org"),
    verb(f"{SERVE} --without bot --without cat", "nothing to judge", r"no system is left"),
    verb("annotate page --db s.sqlite -o p.html", "a page of a study that is not there", r"s\.sqlite: there is no such study; name a test set"),
    verb("annotate page test.jsonl bot.jsonl --db s.sqlite -o p.txt", "a page that is no HTML", r"p\.txt: got the suffix '\.txt', expected '\.html'"),
    verb("annotate page test.jsonl bot.jsonl --criterion Fluency --db s.sqlite --platform argilla -o task", "a criterion with a name that Argilla refuses", r"criterion 'Fluency': argilla takes lower-case letters"),
    verb("annotate page test.jsonl bot.jsonl --db s.sqlite --platform potato -o .", "tasks in a folder of other things", r"a folder with other things in it"),
    verb("annotate page test.jsonl bot.jsonl --db s.sqlite --platform mturk -o p.json", "tasks of a platform in a file of another", r"p\.json: got the suffix '\.json', expected '\.csv'"),
    verb("annotate page test.jsonl bot.jsonl cat.jsonl --judgement head-to-head --db s.sqlite -o p.csv", "comparisons for a platform", r"a head-to-head study has no tasks for other platforms"),
    verb("annotate export absent.sqlite -o r.csv", "a study that is not there", r"absent\.sqlite: there is no such study"),
    verb("annotate export rated.csv -o r.csv", "a study that is none", r"rated\.csv: no database of a study"),
    verb("annotate export absent.sqlite -o r.csv --salvage", "a damaged study that is not there", r"absent\.sqlite: there is no such study"),
    verb("annotate export rated.csv -o r.csv --salvage", "a study of which nothing is left", r"rated\.csv: nothing can be salvaged"),
    verb("annotate export rated.csv a.json -o r.csv --salvage", "answers for a damaged study", r"--salvage: stores no answers in a damaged study; leave the files of answers out"),
]  # fmt: skip

TUNE = "tune nbest.csv test.jsonl --starts 1"
RERANK = "rerank nbest.csv -o c.jsonl"
CANDIDATES = [
    verb(f"{TUNE} -m distinct", "weights tuned by a metric of all replies together", r"metric 'distinct-1' is no sum of rows .* cannot be tuned"),
    verb(f"{TUNE} -m bleu --feature chrf", "a feature that looks at references", r"--feature chrf: this metric looks at references"),
    verb(f"{TUNE} -m bleu --feature length --bound lm=0..", "the bound of a weight that there is not", r"--bound: no feature 'lm'; the features are length"),
    verb(f"{TUNE} -m bleu --bound lm=1..0", "a bound whose ends are exchanged", r"--bound: lm from 1\.0 to 0\.0; expected a lower and a higher number"),
    verb("tune bot.jsonl test.jsonl -m bleu", "candidates without numbers", r"candidates: no feature; expected a column of numbers beside id and text"),
    verb("tune never.csv test.jsonl -m bleu", "a feature that is infinite", r"candidate 1 of id 'c1' has the value -inf of 'lm'"),
    verb("tune never.csv test.jsonl --mean lm --feature tm", "a mean of infinite numbers", r"candidates: an infinite 'lm'; its mean is no number"),
    verb("tune from1.out test.jsonl -m bleu", "lists of Moses that count from 1", r"from1\.out: the first number is 1; expected 0"),
    verb("tune uneven.out test.jsonl -m bleu", "lists of Moses with a value too few", r"uneven\.out, row 2: 1 value of 'lm'; expected 2"),
    verb(f"{RERANK}", "candidates without a rule", r"no rule to choose candidates by; give one of --weights, --mbr"),
    verb(f"{RERANK} --mbr chrf --best lm", "candidates with two rules", r"several rules to choose candidates by"),
    verb(f"{RERANK} --mbr length", "minimum Bayes risk by a metric of single replies", r"reads no reference"),
    verb("rerank never.csv -o c.jsonl --mbr chrf --log-probability lm", "candidates that are all impossible", r"every candidate of id 'c1' has the value -inf of 'lm'"),
    verb(f"{RERANK} --utility few.csv", "utilities of some pairs alone", r"none of candidate 1 with reference 2 at id 'c1'; expected one for every pair"),
    verb(f"{RERANK} --weights tuned.json", "tuned weights that were edited", r"tuned\.json: the weights do not match their checksum"),
    verb(f"{RERANK} --weights rubric.toml", "weights that are no JSON", r"rubric\.toml: not JSON"),
    verb(f"{RERANK} --oracle bleu", "an oracle without references", r"--oracle has no effect without --testset FILE"),
    verb(f"{RERANK} --best lm --explain c9", "the candidates of an item that there is not", r"--explain c9: no item with candidates has this id"),
]  # fmt: skip

VERB_CASES = [
    *DEFAULTS,
    *AUDIT,
    *DIFFERENCES,
    *PEOPLE,
    *CORRELATE,
    *RECIPE,
    *WEIGH,
    *JUDGEMENTS,
    *MINE,
    *SHARDS,
    *SWEEPS,
    *MARK,
    *ANNOTATE,
    *CANDIDATES,
]
