"""What a model that marks replies is asked: criteria with their scales, and the words around them."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejoinder.annotation.task import CRITERION_KEYS, TIE, Criterion, check_criteria
from rejoinder.errors import ParameterError, one_of
from rejoinder.files.checksums import json_digest
from rejoinder.files.settings_file import SettingsFile
from rejoinder.messages import meant, quoted
from rejoinder.result import Result

POINTWISE = """\
<conversation>
{context}
</conversation>
<reply>
{reply}
</reply>

The reply is what A says next in the conversation. {question}

{scale}

Answer with {answers} and nothing else."""
"""What is asked of one reply, unless the rubric says otherwise."""

PAIRWISE = """\
<conversation>
{context}
</conversation>
<reply 1>
{first}
</reply 1>
<reply 2>
{second}
</reply 2>

Each reply is what A might say next in the conversation. {question}

Answer with {answers} and nothing else."""
"""What is asked of two replies, unless the rubric says otherwise."""

AGAIN = "Your last answer could not be read. Answer with {answers} and nothing else."

FIRST, SECOND = "1", "2"
"""The answers of a comparison: the reply that stands first, or second, is better."""

_PLACE = re.compile(r"\{([a-z]+)\}")
_PLACES = {
    "pointwise": ("context", "reply", "references", "question", "scale", "answers"),
    "pairwise": ("context", "first", "second", "references", "question", "answers"),
    "again": ("answers",),
}
_NEEDED = {"pointwise": ("reply",), "pairwise": ("first", "second"), "again": ()}


@dataclass(frozen=True, repr=False)
class Rubric(Result):
    """What a model that marks replies is asked.

    In the templates ``{context}`` stands for the conversation, ``{reply}`` for the reply (``{first}``
    and ``{second}`` for two), ``{references}`` for the item's references, ``{question}`` for that of
    the criterion, ``{scale}`` for the points of its scale, and ``{answers}`` for what may be answered.

    Attributes:
        criteria: The criteria, as a study of ``rejoinder annotate`` has them: each is a question of its
            own. Pointwise marks are the whole numbers of its scale.
        instructions: What stands before every question; empty: nothing.
        pointwise: The template of a question about one reply.
        pairwise: The template of a question about two replies.
        ties: Whether two replies may be called equally good.
        again: What is added where the last answer was none of those asked for.

    Raises:
        ParameterError: A criterion is not well-formed, or a template has an unknown place or lacks one.

    >>> Rubric((Criterion("fit", "Does it fit?", 1, 3),)).hash
    'fca4d837'
    """

    criteria: tuple[Criterion, ...] = (
        Criterion("overall", "How good is the reply?", words=("very bad", "", "", "", "very good")),
    )
    instructions: str = ""
    pointwise: str = POINTWISE
    pairwise: str = PAIRWISE
    ties: bool = True
    again: str = AGAIN

    def __post_init__(self) -> None:
        """Checks criteria and templates."""
        check_criteria(self.criteria, graded=True)
        for name, needed in _NEEDED.items():
            several = len(self.criteria) > 1 and name != "again"
            question = ("question",) if several else ()
            _check_template(name, getattr(self, name), (*needed, *question))

    @property
    def hash(self) -> str:
        """Eight digits of the SHA-256 of all settings."""
        return json_digest(dataclasses.asdict(self))[:8]

    def choices(self) -> tuple[str, ...]:
        """What may be answered to a comparison."""
        return (FIRST, SECOND, *((TIE,) if self.ties else ()))

    def question(
        self, kind: str, criterion: Criterion, answers: Sequence[str], texts: Mapping[str, str]
    ) -> str:
        """A question, whole.

        Args:
            kind: ``pointwise`` or ``pairwise``.
            criterion: The criterion.
            answers: What may be answered.
            texts: The texts in the places of the conversation and the replies.
        """
        filled = {
            **texts,
            "question": criterion.asked,
            "scale": "\n".join(text for _, text in criterion.labels),
            "answers": _or(answers),
        }
        body = _filled(getattr(self, kind), filled)
        return f"{self.instructions.strip()}\n\n{body}" if self.instructions.strip() else body

    def check_questions(self, kind: str) -> None:
        """Sees that every criterion has the question that its template asks.

        Args:
            kind: ``pointwise`` or ``pairwise``.

        Raises:
            ParameterError: A criterion has none: its name alone is no question.
        """
        if "question" not in _PLACE.findall(getattr(self, kind)):
            return
        for each in self.criteria:
            if not each.question.strip():
                raise ParameterError(
                    f"rubric: criterion {quoted(each.name)} has no question; write one as its setting "
                    "'question', for example question = \"How well does the reply fit what was said "
                    'before?"'
                )

    def repeated(self, question: str, answers: Sequence[str]) -> str:
        """A question that is asked again, because the answer was none of those asked for."""
        return f"{question}\n\n{_filled(self.again, {'answers': _or(answers)})}"


RUBRIC_FILE = SettingsFile(
    "rubric",
    Rubric,
    {"criterion": "criteria"},
    {"criterion": CRITERION_KEYS},
    needed=("criterion",),
    json=True,
)


def read_rubric(path: str | os.PathLike[str]) -> Rubric:
    """Reads a rubric from a TOML or JSON file.

    Args:
        path: The file; ``docs/mark.md`` lists its settings.

    Raises:
        InputError: The file cannot be read or has another syntax, has no criterion, or a setting is
            unknown, has a wrong type, or is out of range; the message names the file and the setting.
    """
    return RUBRIC_FILE.read(path)


def _or(answers: Sequence[str]) -> str:
    return " or ".join([", ".join(answers[:-1]), answers[-1]])


def _filled(template: str, texts: Mapping[str, str]) -> str:
    """A template with its places filled, once: braces in a reply stay as they are."""
    return _PLACE.sub(lambda place: texts.get(place[1], place[0]), template)


def _check_template(name: str, template: str, needed: Sequence[str]) -> None:
    places = _PLACES[name]
    placeholders = _PLACE.findall(template)
    written = [f"{{{each}}}" for each in places]
    for each in placeholders:
        if each not in places:
            near = meant(each, places)
            hint = f" (meant {{{near}}}?)" if near else ""
            raise ParameterError(
                f"{name}: no place {quoted(f'{{{each}}}')}{hint}; expected {one_of(written)}"
            )
    for each in needed:
        if each not in placeholders:
            raise ParameterError(f"{name}: lacks the place {{{each}}}; write it where it belongs")
