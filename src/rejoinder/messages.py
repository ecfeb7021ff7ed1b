"""The wording of messages: counts, what the user wrote, and arguments by the name that the user knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple

_LONGEST = 100  # characters of a value that a message shows
_MOST = 8  # names of a list that it shows


class Place(NamedTuple):
    """Where a row stands: its file and its number in it. Messages name it so."""

    file: str
    row: int

    def __str__(self) -> str:
        """The place as errors name it."""
        return f"{self.file}, row {self.row}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun, in the singular or the plural.

    >>> counted(1, "line"), counted(2, "line"), counted(2, "reply", "replies")
    ('1 line', '2 lines', '2 replies')
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def more(count: int, noun: str = "row") -> str:
    """How many others offend: empty where there is one alone.

    >>> more(1), more(4)
    ('', ' (and 3 more rows like it)')
    """
    if count < 2:
        return ""
    others = counted(count - 1, noun).replace(" ", " more ", 1)
    return f" (and {others} like it)"


SIGNIFICANT = 0.05
"""The significance level of every test unless another is given: smaller p-values are marked."""


def p_value(p: float, limit: bool = False, digits: int = 2, kind: str = "g") -> str:
    """A p-value, as tables and sentences write it: in more digits than usual where it is close to 0.05.

    Args:
        p: The p-value, a number.
        limit: No random draw was as extreme as the data, so that p is only known to be below this.
        digits: How many digits are usual.
        kind: They are counted from the first that is not 0 (``g``), or behind the point (``f``).

    >>> p_value(0.0234), p_value(1 / 10001, limit=True), p_value(0.0496), p_value(0.0503)
    ('0.023', '<0.0001', '0.0496', '0.0503')
    """
    while p != SIGNIFICANT == float(f"{p:.{digits}{kind}}"):
        digits += 1
    return ("<" if limit else "") + f"{p:.{digits}{kind}}"


def p_is(p: float, limit: bool = False) -> str:
    """A p-value in a sentence.

    >>> p_is(0.0234), p_is(1 / 10001, limit=True)
    ('p = 0.023', 'p < 0.0001')
    """
    return f"p < {p_value(p)}" if limit else f"p = {p_value(p)}"


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name whose letters are most like those of a name; empty where none is alike enough.

    Args:
        name: The name.
        known: The known names.
        cutoff: Minimum likeness, from 0 to 1 (equal).

    >>> nearest("colour", ["color", "size"]), nearest("x", ["color", "size"])
    ('color', '')
    """
    import difflib  # for errors alone

    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)), "")


def meant(name: str, known: Collection[str]) -> str:
    """The known name that was probably meant: the same but for case and white space, or a near one.

    >>> meant("Bad", ["good", "bad"]), meant("mixd", ["good", "mixed"]), meant("x", ["good"])
    ('bad', 'mixed', '')
    """
    folded = {" ".join(each.split()).casefold(): each for each in known}
    close = nearest(" ".join(name.split()).casefold(), folded, cutoff=0.7)
    return folded[close] if close else ""


def quoted(value: object) -> str:
    r"""A value of the user's in quotes, shortened, with line ends and control characters escaped.

    >>> quoted("c12"), quoted("a\nb"), len(quoted("x" * 1000))
    ("'c12'", "'a\\nb'", 105)
    """
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "...")


def listed(names: Collection[str]) -> str:
    """The first names of a collection, as the user wrote them.

    >>> listed(["id", "text"]), listed([])
    ('id, text', 'no columns')
    """
    shown = ", ".join(quoted(name)[1:-1] for name in list(names)[:_MOST]) or "no columns"
    return shown + (", ..." if len(names) > _MOST else "")


def some_of(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first names, and how many more there are.

    Args:
        names: All names.
        most: Number of names that are listed.
        between: The separator.

    >>> some_of(["a", "b"], 2), some_of(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    hidden = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + hidden


def among(names: Sequence[str], every: int, nouns: str = "pairs") -> str:
    """What a note is on: how many of all, and the first one.

    Args:
        names: What it is on.
        every: How many there are.
        nouns: What the names stand for.

    >>> among(["'a'", "'b'"], 3, "systems"), among(["'a' and 'b'"], 1)
    ("2 of 3 systems (such as 'a')", "'a' and 'b'")
    """
    if every == 1:
        return names[0]
    return f"{len(names)} of {every} {nouns} ({'' if len(names) == 1 else 'such as '}{names[0]})"


def pair_name(a: str, b: str) -> str:
    """The two systems of a pair in a sentence: ``'a' and 'b'``."""
    return f"{quoted(a)} and {quoted(b)}"


def enumerated(words: Sequence[str], last: str = "and") -> str:
    """Words in a sentence, with a word before the last of them.

    >>> enumerated(["a", "b", "c"]), enumerated(["a", "b"], "or"), enumerated(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def merged(
    notes: Iterable[tuple[str, str | None]], most: int | None = None, between: str = ", "
) -> list[str]:
    """Notes, each sentence once, behind all that it is about, each once.

    Args:
        notes: What each note is about, and its sentence; None for no note.
        most: So many of what it is about are named; None: all.
        between: Stands between two of them.

    >>> merged([("BLEU-2", "3 items dropped"), ("chrF", "1 item dropped"), ("ROUGE-L", "3 items dropped")])
    ['BLEU-2, ROUGE-L: 3 items dropped', 'chrF: 1 item dropped']
    """
    about: dict[str, dict[str, None]] = {}
    for what, sentence in notes:
        if sentence:
            about.setdefault(sentence, {})[what] = None
    return [
        f"{some_of([*each], most or len(each), between)}: {sentence}"
        for sentence, each in about.items()
    ]


def between(least: float, most: float) -> str:
    """The least and the most of some numbers, with two decimals; one number where they are alike.

    >>> between(1.5, 1.5), between(1.1, 2.0)
    ('1.50', '1.10 to 2.00')
    """
    low, high = f"{least:.2f}", f"{most:.2f}"
    return low if low == high else f"{low} to {high}"


class Placeholder(str):
    """A word in capitals that stands for a value which the user chooses: it is shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


_NO_VALUE = Placeholder("")


@dataclass(frozen=True)
class Argument:
    """An argument of a call, with its value where that matters, as a part of a message.

    In Python it is written as in a call; on the command line as the option that gives it
    (``cli/option_names.py``), and where the running command has none, as in Python.

    Attributes:
        name: The parameter of the public function.
        value: What was given, or what to give; empty: none.
        option: Its name among the options of a verb where functions share a name: ``unit_size``.

    >>> print(Argument("tokenizer"), Argument("cluster", "none"), Argument("work", Placeholder("FOLDER")))
    tokenizer= cluster='none' work=FOLDER
    """

    name: str
    value: object = _NO_VALUE
    option: str = ""

    def __str__(self) -> str:
        """The argument as the user writes it."""
        return _spelled(self) or f"{self.name}={self.shown()}"

    @property
    def is_bare(self) -> bool:
        """Whether it is named without a value."""
        return self.value is _NO_VALUE

    def shown(self) -> str:
        """The value as in a call of Python, a long text shortened."""
        return quoted(self.value) if type(self.value) is str else repr(self.value)


@dataclass(frozen=True)
class Call:
    """A call of Rejoinder, as a part of a message; on the command line, the command that does the same.

    Attributes:
        text: The call, with ``{0}`` and so on in the place of values.
        values: What stands there.

    >>> print(Call("rejoinder.next_items(scores, {0})", (30,)))
    rejoinder.next_items(scores, 30)
    """

    text: str
    values: tuple[object, ...] = ()

    def __str__(self) -> str:
        """The call as the user writes it."""
        return _spelled(self) or self.text.format(*self.values)


AS_JSON = Call("as_json()")
"""What has all numbers of a result; on the command line, an option."""

ALL_PAIRS = Argument("all_pairs", True)
"""What prints a row for every pair of systems."""

Spelling = Callable[[Argument | Call], str]
"""How arguments and calls are written; an empty text: as in Python."""

_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=lambda _: "")


def _spelled(part: Argument | Call) -> str:
    return _SPELLING.get()(part)


@contextmanager
def spelled_by(spelling: Spelling) -> Iterator[None]:
    """Messages that are made within it name arguments in another way than Python does.

    >>> with spelled_by(lambda part: f"--{part.name}" if isinstance(part, Argument) else ""):
    ...     print(Argument("seed"))
    --seed
    """
    token = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(token)
