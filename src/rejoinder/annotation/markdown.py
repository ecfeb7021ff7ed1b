"""Markdown of turns and replies as a tree of a few harmless tags; whatever else it holds stays text."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Node = str | list[Any]
"""A text; or a tag, its nodes, and of a numbered list its first number."""

TAGS = (
    "p", "em", "strong", "s", "code", "pre", "ul", "ol", "li", "blockquote",
    "table", "thead", "tbody", "tr", "th", "td",
)  # fmt: skip
_RULES = (
    "fence", "blockquote", "list", "heading", "table", "emphasis", "strikethrough", "backticks", "newline",
)  # fmt: skip
_LONGEST = 20_000
_DEEPEST = 20


@functools.lru_cache(maxsize=4096)
def nodes_of(text: str) -> tuple[Node, ...]:
    r"""A text as nodes; one that has no markup, is very long or deeply nested is itself the only node.

    Links, images, HTML and entities are no markup here: they stay as they were written.

    >>> nodes_of("a *b* <i>")
    (['p', ['a ', ['em', ['b']], ' <i>']],)
    >>> nodes_of("2 * 3 is\n  [6](http://a.example)")
    ('2 * 3 is\n  [6](http://a.example)',)
    """
    if len(text) > _LONGEST:
        return (text,)
    tokens = _parser().parse(text)
    every = [*((each, each.level) for each in tokens), *(
        (child, each.level + child.level) for each in tokens for child in each.children or ()
    )]  # fmt: skip
    deep = any(level >= _DEEPEST - 2 for _, level in every)
    if deep or all(each.tag in ("", "p", "br") for each, _ in every):
        return (text,)
    return tuple(_nodes(iter(tokens)))


def html_of(nodes: Iterable[Node]) -> Markup:
    """Nodes as HTML in which every text is escaped.

    >>> html_of(nodes_of("`<b>` is *bold*"))
    Markup('<p><code>&lt;b&gt;</code> is <em>bold</em></p>')
    """
    return Markup("").join(
        escape(each)
        if isinstance(each, str)
        else Markup("<{}{}>{}</{}>").format(
            each[0],
            Markup(' start="{}"').format(each[2]) if len(each) > 2 else "",
            html_of(each[1]),
            each[0],
        )
        for each in nodes
    )


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("zero", {"html": False, "maxNesting": _DEEPEST}).enable(list(_RULES))


def _nodes(tokens: Iterator[Token]) -> list[Node]:
    """The nodes up to the token that closes the one before them."""
    found: list[Node] = []
    for token in tokens:
        if token.nesting < 0:
            break
        if token.nesting > 0:
            found += _element(token, _nodes(tokens))
        elif token.type == "inline":
            found += _nodes(iter(token.children or ()))
        elif token.type == "fence":
            found.append(["pre", [["code", [token.content]]]])
        elif token.type == "code_inline":
            found.append(["code", [token.content]])
        elif token.type in ("softbreak", "hardbreak"):
            found.append("\n")
        elif token.content:
            found.append(token.content)
    return found


def _element(token: Token, nodes: list[Node]) -> list[Node]:
    if token.hidden:  # the paragraph of a short point of a list
        return nodes
    if token.tag.startswith("h") and token.tag not in TAGS:
        return [["p", [["strong", nodes]]]]
    if token.tag not in TAGS:
        return nodes
    start = token.attrGet("start")
    return [[token.tag, nodes, *([int(start)] if start is not None else [])]]
