"""Messages with roles: who says what, in the shapes in which tools and training data keep them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rejoinder.errors import one_of
from rejoinder.messages import meant, quoted
from rejoinder.tables.logs.samples import objects_of, value_of


class Message(NamedTuple):
    """Who said it, in the tool's word (empty where it does not say), and what.

    The text is None where a message has none: a call of a tool, a picture.
    """

    role: str
    text: str | None


ROLES = ("role", "from", "author", "message.role")
"""Where a message says who speaks, the first one that is text counting."""
CONTENTS = ("content", "parts", "value", "message.content", "text")
"""Where it says what, as a text or as a list of parts."""
SPEAKERS = {"user": False, "human": False, "assistant": True, "gpt": True}
"""Who speaks in data that chat models are trained on, and whether that is a reply."""
REPLIES = ("assistant", "ai", "AIMessage", "AIMessageChunk", "model", "gpt", "bot", "chatbot")
"""Who replies, in the words of any tool."""
INSTRUCTIONS = ("system", "developer")
TOOLS = ("tool", "function", "function_call", "observation")
_CLASSES = {"human", "ai", "system", "tool", "function"}  # what LangChain's `type` says
_TEXT_PARTS = ("text", "input_text", "output_text")
PARTS = {
    *_TEXT_PARTS, "image", "image_url", "input_image", "audio", "input_audio", "file", "document",
    "thinking", "redacted_thinking", "reasoning", "refusal", "tool_use", "tool_call", "tool_result",
}  # fmt: skip
"""What the parts of one message say of their type."""


def role_of(value: dict[str, Any]) -> str:
    """Who says a message; empty where an object is none."""
    if type_of(value) in _CLASSES and "content" in value:
        return type_of(value)
    is_message = any(name in value for name in CONTENTS) or "tool_calls" in value
    return _role(value) if is_message else ""


def name_of_class(value: dict[str, Any]) -> str:
    """Who says a message that LangChain wrote with its class or its type outside."""
    kind = type_of(value)
    if isinstance(path := value.get("id"), list) and path and "kwargs" in value:
        name = str(path[-1])
        return {"HumanMessage": "human", "SystemMessage": "system"}.get(name, name)
    return kind if kind in _CLASSES and "data" in value else ""


def type_of(value: dict[str, Any]) -> str:
    """What an object says of its type, if that is a word."""
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def content_of(value: dict[str, Any]) -> Any:
    """What a message says, as it stands there."""
    return next((value[name] for name in CONTENTS if value.get(name) is not None), None)


def text_of_part(part: Any, where: object) -> str | None:
    """The text of a part of a message; None of a picture, a thought, a call of a tool."""
    if isinstance(part, dict):
        if (type_of(part) or "text") not in _TEXT_PARTS or part.get("thought"):
            return None
        inner = part.get("text", part.get("content"))  # OpenTelemetry's parts have a content
        part = value_of(inner if isinstance(inner, dict) else {"value": inner}, "value", str, where)
    return part if isinstance(part, str) else None


def joined(parts: Sequence[Any], where: object) -> str | None:
    """The texts of the parts of one message, with nothing between, as chat templates write them."""
    texts = [text for each in parts if (text := text_of_part(each, where)) is not None]
    return "".join(texts) if texts else None


def text_of(content: Any, where: object) -> str:
    """The text of a message: a string, or the parts of it that are text.

    >>> text_of([{"type": "text", "text": "Hi"}, {"type": "image"}], "here"), text_of(None, "here")
    ('Hi', '')
    """
    if isinstance(content, list):
        return joined(objects_of({"content": content}, "content", where), where) or ""
    return value_of({"content": content}, "content", str, where) or ""


def messages_of(values: Any, where: object) -> list[Message]:
    """The messages of a list, with empty ones and those that are no text.

    Raises:
        InputError: It is no list of messages.
    """
    return [
        Message(_role(each), None if content_of(each) is None else text_of(content_of(each), where))
        for each in objects_of({"messages": values}, "messages", where)
    ]


def turns_of(messages: Any, where: object = "input") -> list[str]:
    """The turns of an input: a text, or messages without those of a system."""
    if messages is None or isinstance(messages, str):
        return [messages] if messages else []
    return texts_before(messages_of(messages, where))


def texts_before(messages: Sequence[Message], end: int | None = None) -> list[str]:
    """What is said in messages before one of them (None: in all), without instructions."""
    return [each.text for each in messages[:end] if each.text and each.role not in INSTRUCTIONS]


def last_reply(messages: Sequence[Message]) -> int | None:
    """The place of the last message of the assistant; None where there is none."""
    places = (place for place, each in enumerate(messages) if each.role in REPLIES)
    return max(places, default=None)


def unknown_role(role: str | None) -> str:
    """What is wrong with a role that is neither the user's nor the assistant's."""
    roles = (*SPEAKERS, *INSTRUCTIONS)
    if not role:
        return f"no 'role' (or 'from'); expected {one_of(roles)}"
    hint = meant(role, roles)
    remedy = f"did you mean '{hint}'?" if hint else "leave such conversations out"
    return f"role {quoted(role)}; expected {one_of(roles)}; {remedy}"


def _role(value: dict[str, Any]) -> str:
    return next((value[name] for name in ROLES if isinstance(value.get(name), str)), "")
