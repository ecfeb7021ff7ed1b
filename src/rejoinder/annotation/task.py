"""What raters are asked: the kind of judgement, its criteria and scales, and the words around them."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rejoinder.annotation.page_words import CRITERIA, check_words, words_of
from rejoinder.errors import ParameterError, one_of
from rejoinder.files.settings_file import SettingsFile, unknown
from rejoinder.messages import quoted

KINDS = ("pointwise", "head-to-head", "best-worst")
MARKUPS = ("markdown", "raw")
TIE = "tie"
MOST_POINTS = 21
MOST_REPLIES = 8
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Criterion:
    """A criterion, and its scale where replies are graded one by one.

    Attributes:
        name: The name in the exported table.
        question: What the page asks; empty: the name itself.
        lowest: The lowest grade.
        highest: The highest grade; every whole number between the two is a point of the scale.
        words: What the points mean, from the lowest to the highest; an empty text is a point without
            words, and an empty tuple a scale without any.

    >>> Criterion("relevance", lowest=1, highest=3, words=("not", "", "fully")).points
    ((1, 'not'), (2, ''), (3, 'fully'))
    """

    name: str
    question: str = ""
    lowest: int = 1
    highest: int = 5
    words: tuple[str, ...] = ()

    @property
    def asked(self) -> str:
        """What the page asks."""
        return self.question or self.name

    @property
    def points(self) -> tuple[tuple[int, str], ...]:
        """The grades, each with its words."""
        words = self.words or ("",) * (self.highest - self.lowest + 1)
        return tuple(zip(range(self.lowest, self.highest + 1), words, strict=True))

    @property
    def labels(self) -> list[tuple[str, str]]:
        """The grades as texts, each with what stands beside it: the grade, and its words if it has any."""
        return [(str(n), f"{n}: {words}" if words else str(n)) for n, words in self.points]


CRITERION_KEYS = ("name", "question", "lowest", "highest", "words")
"""The settings of a criterion in a file."""


@dataclass(frozen=True)
class Example:
    """A question whose answers are known: for training, or to see whether a rater pays attention.

    Attributes:
        context: The turns, oldest first.
        replies: One reply, two, or several, as the kind of judgement needs.
        answers: By criterion the answers that are right: a grade or a list of grades (pointwise); 1,
            2 or ``tie`` (head-to-head); ``{"best": 1, "worst": 3}`` (best-worst). Replies are numbered
            from 1 in the order of ``replies``.
        explanation: What a training question says when it is answered.
    """

    context: tuple[str, ...]
    replies: tuple[str, ...]
    answers: Mapping[str, Any]
    explanation: str = ""


@dataclass(frozen=True)
class Task:
    """The settings of a study.

    Attributes:
        kind: ``pointwise``: each reply is graded by itself; ``head-to-head``: which of two replies is
            better; ``best-worst``: the best and the worst of several.
        criteria: The criteria; every question asks for all of them.
        title: The heading of the page.
        instructions: What is shown before the first question, and on demand; a blank line begins a new
            paragraph.
        consent: What a rater must agree to first; empty: nothing.
        raters_per_question: How many people answer each question.
        per_rater: The largest number of questions of one rater; None: no limit.
        ties: Whether a head-to-head judgement may be a tie.
        shown: The number of replies of a best-worst question.
        pairs: The pairs of systems of head-to-head questions; empty: all.
        comments: Whether a rater may write a comment on each question.
        dialogues: A column of the contexts, for example ``conversation``: the items with one value of
            it are shown to a rater one after the other, turn by turn; None: items are independent.
        sample: How many items (or dialogues) are drawn at random; None: all.
        probability: A column of the contexts with the probability with which each item is drawn; None:
            all alike.
        training: Questions that come first, and explain their answers.
        attention: Questions among the others whose answers are known.
        attention_every: After how many questions one of ``attention`` comes, on average.
        reserved_minutes: For how long a question that a rater has opened is kept for this rater, if
            nothing else is left for another.
        completion_code: The code that the last page shows; empty: another for each rater.
        return_address: The address of the last page's link, for a crowd platform; ``{code}`` in it
            stands for the code.
        language: The language of the texts, for screen readers: a tag such as ``en`` or ``pt-BR``; empty:
            that of the script of each text, where one language alone writes it (`languages`).
        seed: The random seed of samples and orders.
        page_language: The language of the page: one of `page_words.LANGUAGES`, or its sentences by key;
            empty: that of ``language`` where there is a file of it, otherwise English.
        markup: ``markdown``: Markdown in turns and replies is shown as such; ``raw``: as it was written.
        break_every: After how many answers a break is offered; None: never.

    Raises:
        ParameterError: A setting is unknown, out of range, or contradicts another.
    """

    kind: str = "pointwise"
    criteria: tuple[Criterion, ...] = (Criterion("overall"),)
    title: str = "Replies in conversations"
    instructions: str = ""
    consent: str = ""
    raters_per_question: int = 3
    per_rater: int | None = None
    ties: bool = True
    shown: int = 4
    pairs: tuple[tuple[str, str], ...] = ()
    comments: bool = False
    dialogues: str | None = None
    sample: int | None = None
    probability: str | None = None
    training: tuple[Example, ...] = ()
    attention: tuple[Example, ...] = ()
    attention_every: int = 10
    reserved_minutes: int = 60
    completion_code: str = ""
    return_address: str = ""
    language: str = ""
    seed: int = 12345
    page_language: str | Mapping[str, str] = ""
    markup: str = "markdown"
    break_every: int | None = 25

    def __post_init__(self) -> None:
        """Checks every setting."""
        if self.kind not in KINDS:
            raise ParameterError(f"kind: got {quoted(self.kind)}; expected {one_of(KINDS)}")
        if self.markup not in MARKUPS:
            raise ParameterError(f"markup: got {quoted(self.markup)}; expected {one_of(MARKUPS)}")
        check_words(self.page_language)
        _check_numbers(self)
        check_criteria(self.criteria, graded=self.kind == "pointwise")
        if self.pairs and self.kind != "head-to-head":
            raise ParameterError("pairs: only head-to-head questions have pairs; leave it out")
        if self.sample is not None and self.probability is not None:
            raise ParameterError(
                "sample, probability: items are drawn by one of them; leave the other out"
            )
        _check_texts(self)
        for name, examples in (("training", self.training), ("attention", self.attention)):
            for place, example in enumerate(examples, start=1):
                _check_example(self, f"{name} {place}", example)

    @property
    def sentences(self) -> Mapping[str, str]:
        """The sentences of the page, by key."""
        return words_of(self.page_language, self.language)

    @property
    def heading(self) -> str:
        """The title; the usual one in the language of the page."""
        return self.sentences["title"] if self.title == Task.title else self.title

    def criterion(self, name: str) -> Criterion:
        """The criterion of a name."""
        return next(each for each in self.criteria if each.name == name)


def _check_numbers(task: Task) -> None:
    least = {
        "raters_per_question": 1,
        "per_rater": 1,
        "sample": 1,
        "attention_every": 2,
        "reserved_minutes": 1,
        "seed": 0,
        "break_every": 1,
    }
    for name, lowest in least.items():
        value = getattr(task, name)
        if value is not None and value < lowest:
            raise ParameterError(f"{name}: got {value}; expected {lowest} or more")
    if not 3 <= task.shown <= MOST_REPLIES:
        raise ParameterError(f"shown: got {task.shown}; expected 3 to {MOST_REPLIES}")


def check_criteria(criteria: Sequence[Criterion], graded: bool) -> None:
    """Sees that criteria have names of their own and, where replies are graded, scales.

    Raises:
        ParameterError: There are none, a name is empty or given twice, or a scale has too few or too
            many points, or not a text for each.
    """
    if not criteria:
        raise ParameterError("criteria: none given; expected at least one")
    names = [each.name for each in criteria]
    for name in names:
        if not name.strip() or name != name.strip():
            raise ParameterError(
                f"criterion {quoted(name)}: expected a name without white space around it"
            )
        if names.count(name) > 1:
            raise ParameterError(f"criterion {quoted(name)}: given twice; give it once")
    for each in criteria if graded else ():
        number = each.highest - each.lowest + 1
        if not 2 <= number <= MOST_POINTS:
            raise ParameterError(
                f"criterion {quoted(each.name)}: a scale from {each.lowest} to {each.highest}; "
                f"expected 2 to {MOST_POINTS} points, the lowest first"
            )
        if each.words and len(each.words) != number:
            raise ParameterError(
                f"criterion {quoted(each.name)}: {len(each.words)} words for {number} points; give one "
                "for each point from the lowest to the highest (an empty text where there is none)"
            )


def _check_texts(task: Task) -> None:
    if task.completion_code and not _CODE.fullmatch(task.completion_code):
        raise ParameterError(
            f"completion_code: got {quoted(task.completion_code)}; expected 1 to 64 letters, digits, "
            "'-' or '_'"
        )
    if task.language and not _LANGUAGE.fullmatch(task.language):
        raise ParameterError(
            f"language: got {quoted(task.language)}; expected a tag such as 'en' or 'pt-BR'"
        )
    if task.return_address and not is_address(task.return_address, "https"):
        raise ParameterError(
            f"return_address: got {quoted(task.return_address)}; expected an address that begins with "
            "https://"
        )


def is_address(text: str, *schemes: str) -> bool:
    """Whether a text is an address with one of the schemes, a host, and a port that there can be.

    >>> is_address("https://a.example/", "https"), is_address("https://a.example:70000/", "https")
    (True, False)
    """
    try:
        parts = urlsplit(text)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _check_example(task: Task, where: str, example: Example) -> None:
    """Raises where an example has another number of replies, or answers that cannot be given."""
    number = {"pointwise": (1, 1), "head-to-head": (2, 2), "best-worst": (3, MOST_REPLIES)}
    low, high = number[task.kind]
    if not low <= len(example.replies) <= high:
        expected = low if low == high else f"{low} to {high}"
        raise ParameterError(
            f"{where}: {len(example.replies)} replies; a {task.kind} question has {expected}"
        )
    names = [each.name for each in task.criteria]
    for name in example.answers:
        if name not in names:
            raise ParameterError(f"{where}: answers: {unknown(name, names, 'criterion')}")
    for name, answer in example.answers.items():
        _check_answer(task, f"{where}: answers: {name}", task.criterion(name), answer, example)


def _check_answer(
    task: Task, where: str, criterion: Criterion, answer: Any, example: Example
) -> None:
    places = range(1, len(example.replies) + 1)
    if task.kind == "pointwise":
        grades = [grade for grade, _ in criterion.points]
        given = [answer] if isinstance(answer, str) or not isinstance(answer, Sequence) else answer
        if given and all(_is_integer(each) and each in grades for each in given):
            return
        expected = f"a grade from {grades[0]} to {grades[-1]}, or a list of them"
    elif task.kind == "head-to-head":
        if (_is_integer(answer) and answer in places) or (answer == TIE and task.ties):
            return
        expected = "1, 2" + (f" or {quoted(TIE)}" if task.ties else "")
    else:
        given = dict(answer) if isinstance(answer, Mapping) else {}
        numbers = [each for each in given.values() if _is_integer(each) and each in places]
        if given.keys() == {"best", "worst"} and len(set(numbers)) == 2:
            return
        expected = "{ best = 1, worst = 2 } with the numbers of two different replies"
    raise ParameterError(f"{where}: got {quoted(answer)}; expected {expected}")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_FILE = SettingsFile(
    "task",
    Task,
    {"criterion": "criteria", "training": "training", "attention": "attention"},
    {
        "criterion": CRITERION_KEYS,
        "training": ("context", "replies", "answers", "explanation"),
        "attention": ("context", "replies", "answers"),
    },
)


def read_task(path: str | os.PathLike[str], **given: Any) -> Task:
    """Reads the settings of a study from a TOML file.

    Args:
        path: The file; ``docs/annotate.md`` lists its settings.
        **given: Settings that take the place of the file's.

    Raises:
        InputError: The file cannot be read or is no TOML, or a setting is unknown, has a wrong type, or
            is out of range; the message names the file and the setting.
    """
    return with_usual_questions(_FILE.read(path, **given))


def with_usual_questions(task: Task) -> Task:
    """The settings with a question for each well-known criterion (`page_words.CRITERIA`) that has none.

    It is in the language of the page; a scale without words gets words for both ends.

    >>> relevance, other = Criterion("relevance", lowest=1, highest=3), Criterion("wit")
    >>> first, second = with_usual_questions(Task(criteria=(relevance, other))).criteria
    >>> first.words, second == other
    (('not relevant at all', '', 'fully relevant'), True)
    """
    criteria = tuple(_usual(task, each) for each in task.criteria)
    return dataclasses.replace(task, criteria=criteria)


def _usual(task: Task, each: Criterion) -> Criterion:
    if each.question or each.name not in CRITERIA:
        return each
    which = {"pointwise": "_question", "head-to-head": "_better", "best-worst": ""}[task.kind]
    ends = tuple(task.sentences[f"{each.name}_{end}"] for end in ("low", "high"))
    words = each.words or (with_ends(each, ends) if task.kind == "pointwise" else ())
    return dataclasses.replace(each, question=task.sentences[each.name + which], words=words)


def with_ends(criterion: Criterion, words: Sequence[str]) -> tuple[str, ...]:
    """The words of every point of a scale: those given, or the two of its ends and none between."""
    if len(words) != 2:
        return tuple(words)
    return (words[0], *[""] * (criterion.highest - criterion.lowest - 1), words[1])


def task_json(task: Task) -> str:
    """The settings as JSON, for the study's database.

    >>> task_of_json(task_json(Task(title="Chat"))) == Task(title="Chat")
    True
    """
    return json.dumps(dataclasses.asdict(task), ensure_ascii=False)


def task_of_json(text: str) -> Task:
    """The settings that `task_json` wrote."""
    return msgspec.json.decode(text, type=Task)
