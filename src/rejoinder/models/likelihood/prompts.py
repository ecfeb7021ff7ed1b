"""How turns become a prompt, and where the prompt ends and the reply begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument

TEMPLATES = ("auto", "chat", "plain")
SENTINEL = "Rejoinder0sentinel0reply"


@dataclass(frozen=True)
class Prompting:
    r"""How a conversation is laid out for the model.

    Attributes:
        turn_end: What follows every turn of a plain prompt: a line end, or the end-of-sequence
            token's text for models trained so (``<|endoftext|>``). The encoder of an
            encoder-decoder model gets it between turns only.
        turns: How many last turns the model sees; None for all.
        template: ``auto`` uses the tokenizer's chat template where it has one, ``chat`` insists on
            it, ``plain`` never uses it.
        end: Whether the end of sequence counts as the reply's last token (the paper's way).

    >>> Prompting().plain(("Hi.", "Hello. Coffee?"))
    'Hi.\nHello. Coffee?\n'
    """

    turn_end: str = "\n"
    turns: int | None = None
    template: Literal["auto", "chat", "plain"] = "auto"
    end: bool = True

    def __post_init__(self) -> None:
        if self.template not in TEMPLATES:
            raise ParameterError(
                Argument("template", self.template), f"; choose {one_of(TEMPLATES)}"
            )
        if self.turns is not None and self.turns < 1:
            raise ParameterError(
                Argument("turns", self.turns), " must be 1 or more, or None for all"
            )

    @property
    def facts(self) -> dict[str, str]:
        """The settings, as a signature tells them."""
        return {
            "turn_end": repr(self.turn_end),
            "turns": "all" if self.turns is None else str(self.turns),
            "template": self.template,
            "end": "yes" if self.end else "no",
        }

    def seen(self, turns: Sequence[str]) -> tuple[str, ...]:
        """The turns that the model sees."""
        return tuple(turns if self.turns is None else turns[-self.turns :])

    def plain(self, turns: Sequence[str]) -> str:
        """The prompt of a causal model without a chat template."""
        return "".join(turn + self.turn_end for turn in self.seen(turns))

    def source(self, turns: Sequence[str]) -> str:
        """What the encoder of an encoder-decoder model reads."""
        return self.turn_end.join(self.seen(turns))

    def chats(self, tokenizer: Any) -> bool:
        """Whether the tokenizer's chat template is used.

        Raises:
            ParameterError: It is asked for, and there is none.
        """
        has = bool(getattr(tokenizer, "chat_template", None))
        if self.template == "chat" and not has:
            raise ParameterError(
                Argument("template", "chat"),
                ", but the tokenizer has no chat template; choose 'plain' or 'auto'",
            )
        return has and self.template != "plain"


@dataclass(frozen=True)
class Chat:
    """A tokenizer's chat template: the last turn is the user's, the reply the assistant's.

    Attributes:
        tokenizer: Whose ``apply_chat_template`` lays out the turns.
        lead: What the template writes between the assistant's header and the reply.
        end: The token that ends the reply; None where the template has none.
    """

    tokenizer: Any
    lead: str
    end: int | None

    @classmethod
    def of(cls, tokenizer: Any) -> Chat:
        """Finds out from a specimen what the template puts around a reply.

        Raises:
            ParameterError: The template leaves the assistant's reply out.
        """
        user = {"role": "user", "content": "Hello."}
        head = _render(tokenizer, [user], opening=True)
        reply = {"role": "assistant", "content": SENTINEL}
        whole = _render(tokenizer, [user, reply], opening=False)
        before, mark, after = whole.partition(SENTINEL)
        if not mark:
            raise ParameterError(
                "the tokenizer's chat template leaves the assistant's reply out; choose ",
                Argument("template", "plain"),
            )
        lead = before.removeprefix(head) if before.startswith(head) else ""
        return cls(tokenizer, lead, _first_special(tokenizer, after))

    def prompt(self, turns: Sequence[str]) -> tuple[str, bool]:
        """The text before the reply, ``lead`` included, and whether the oldest turn was left out.

        Many templates refuse a conversation that the assistant opens; it then begins one turn
        later.
        """
        try:
            return _render(self.tokenizer, chat_messages(turns), opening=True) + self.lead, False
        except ParameterError:
            if len(turns) < 2:
                raise
            return _render(self.tokenizer, chat_messages(turns[1:]), opening=True) + self.lead, True


def chat_messages(turns: Sequence[str]) -> list[dict[str, str]]:
    """The turns of a conversation with their roles: the last one is the user's.

    >>> [each["role"] for each in chat_messages(("Hello.", "Hi.", "How are you?"))]
    ['user', 'assistant', 'user']
    """
    last = len(turns) - 1
    return [
        {"role": "user" if (last - place) % 2 == 0 else "assistant", "content": turn}
        for place, turn in enumerate(turns)
    ]


def _render(tokenizer: Any, messages: list[dict[str, str]], opening: bool) -> str:
    """A conversation as the template lays it out.

    Raises:
        ParameterError: The template is none, or refuses the conversation. It is a program of whoever
            made the model, run in a sandbox, and may raise whatever it likes.
    """
    kind = {"tokenize": False, "add_generation_prompt": opening}
    try:
        return str(tokenizer.apply_chat_template(messages, **kind))
    except (Exception, MemoryError) as error:
        words = " ".join(f"{type(error).__name__}: {error}".split())
        raise ParameterError(
            f"the tokenizer's chat template refuses a conversation of {len(messages)} messages "
            f"({words:.160}); choose ",
            Argument("template", "plain"),
        ) from None


def _first_special(tokenizer: Any, text: str) -> int | None:
    """The first token of what follows a reply that is no piece of text: its end."""
    special = set(tokenizer.all_special_ids)
    special |= {index for index, added in tokenizer.added_tokens_decoder.items() if added.special}
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    return next((index for index in ids if index in special), None)
