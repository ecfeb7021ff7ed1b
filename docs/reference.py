"""Makes the pages of metrics and of Python from the docstrings, for the site (``docs/site.py``).

The site gets ``metrics/`` with a page for each class of metric, and ``api/`` with a page for each public
module and one for the results that calls return. They are made when the site is built: no copy of a
docstring lies in the repository.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import rejoinder
from rejoinder.metrics.base import Metric
from rejoinder.metrics.registry import METRICS
from rejoinder.recipes.registry import RECIPES
from rejoinder.result import TableResult

HEADINGS = "Args|Attributes|Returns|Yields|Raises|Examples?"

MODULES = {
    "rejoinder": "One call for each verb, readers of every table, and the two classes they share.",
    "rejoinder.metrics": "The metrics as classes, and what a metric of your own is made of.",
    "rejoinder.recipes": "Whole studies of papers on data of your own.",
    "rejoinder.results": "What the calls return. Each result has tables: `to_markdown()`, `to_latex()`, "
    "and the tables that a notebook shows.",
}
"""The pages of docs/api. ``rejoinder.results`` is no module: the classes are those that calls return."""

WHEN_NOT = {
    "AverageMaxBLEU": "Replies of fewer tokens than its order: even a perfect one stays below 1. For "
    "numbers to compare with a paper that reports sacreBLEU.",
    "BERTScore": "Small differences between systems: the scores crowd in a narrow range without a "
    "baseline. Replies that are fluent and wrong, which are near the reference all the same. Texts in a "
    "language that the model has not seen.",
    "BLEU": "Single replies, where most have no match of the higher orders: take `sbleu`. One reference "
    "for each item in open dialogue, where good replies share few words with it: have more references, "
    "or rated ones (`deltableu`), and see what people say (`correlate`).",
    "ChrF": "Dialogue whose replies differ in meaning by one short word, such as yes and no: characters "
    "hardly differ. Scripts whose references use other spellings.",
    "DeltaBLEU": "References without weights: it is BLEU then. Weights from few ratings of one rater, "
    "whose noise it takes over.",
    "DistinctN": "Systems that answered different numbers of items: it falls with the amount of text. "
    "As a measure of quality: random words are the most distinct.",
    "EmbeddingAverage": "Short replies, where common words make all means alike; replies that differ by "
    "a negation.",
    "EncoderCosine": "An encoder that was trained on other languages or much longer texts. Replies that "
    "contradict the reference in its own words.",
    "Entropy": "Systems that answered different numbers of items: it grows with the amount of text. As a "
    "measure of quality.",
    "ExactMatch": "Open dialogue, where hardly any reply equals a reference. Answers that are right in other "
    "words, which it counts as wrong; numbers and code under `form=squad`, which leaves points and minus "
    "signs out.",
    "GreedyMatching": "Word order, which it does not see; words without a vector, which it skips.",
    "Length": "As a measure of quality: neither end is better. Read it beside the others.",
    "METEOR": "Languages other than English here. Machines without Java.",
    "ROUGE": "Texts in scripts other than Latin with its own tokenizer, which keeps a-z and 0-9 alone. "
    "Recall alone (`measure=recall`), which long replies win.",
    "RUBER": "Conversations of another kind than those it was trained on. Comparing scores of two trained "
    "models: each has a scale of its own.",
    "SentenceBLEU": "As the BLEU of a corpus: a mean over replies is another number, and short replies "
    "count as much as long ones.",
    "TER": "Dialogue with many good replies: it counts edits to the nearest reference, of which a "
    "different good answer needs as many as a bad one. As a score between 0 and 1: it has no upper bound.",
    "VectorExtrema": "Replies that differ by common words alone; vectors whose extremes are artefacts of "
    "rare words.",
    "VectorPooling": "Long texts, where maxima and minima of many words become alike.",
}
"""When to take another metric, by class: judgements, which no docstring holds."""


def pages() -> dict[str, tuple[str, str]]:
    """Every page that is made: its path in the site, its title and its text."""
    metrics = {
        f"metrics/{kind.__name__.lower()}.md": (kind.__name__, metric_page(kind))
        for kind in metric_classes()
    }
    return metrics | {f"api/{name}.md": (name, module_page(name)) for name in MODULES}


def metric_classes() -> dict[type, list[str]]:
    """The classes of metrics, with the names that make them on the command line."""
    classes: dict[type, list[str]] = {}
    for name, make in METRICS.items():
        kind = make.func if isinstance(make, partial) else make
        assert isinstance(kind, type)
        classes.setdefault(kind, []).append(name)
    return classes


def metric_page(kind: Any) -> str:
    """The page of a metric: definition, source, edges, parameters, when not to use it."""
    names = metric_classes()[kind]
    metric = METRICS[names[0]]()
    least, greatest = metric.bounds
    better = {True: "higher", False: "lower", None: "neither"}[metric.higher_is_better]
    reads = ", ".join(sorted(metric.needs)) or "replies alone"
    lines = [
        f"# {kind.__name__}",
        "",
        f"On the command line: {', '.join(f'`-m {name}`' for name in names)}. In Python: "
        f"`rejoinder.metrics.{kind.__name__}`.",
        "",
        "| range | better | reads | source |",
        "|---|---|---|---|",
        f"| {least:g} to {_bound(greatest)} | {better} | {reads} | {metric.source} |",
        "",
        "## Definition",
        "",
        *rendered(inspect.getdoc(kind) or "", defaults(kind)),
        "",
        "## When not to use it",
        "",
        WHEN_NOT[kind.__name__],
        "",
        "More: [Metrics](../metrics.md).",
    ]
    return _page(lines)


def _bound(value: float) -> str:
    return "no upper bound" if value == float("inf") else f"{value:g}"


def module_page(name: str) -> str:
    """The page of a public module: every name with its signature and docstring."""
    lines = [f"# {name}", "", MODULES[name], ""]
    members = list(_members(name))
    lines += [f"- [`{each}`](#{_anchor(each)}): {_summary(thing)}" for each, thing in members]
    for each, thing in members:
        lines += ["", f"## {each}", "", *_described(each, thing)]
    return _page(lines)


def _members(name: str) -> Iterator[tuple[str, Any]]:
    if name == "rejoinder.results":
        yield from sorted((each.__name__, each) for each in _results())
    elif name == "rejoinder.recipes":
        yield from ((each, recipe.run) for each, recipe in RECIPES.items())
    else:
        module = import_module(name)
        metrics = {kind.__name__ for kind in metric_classes()}
        for each in sorted(module.__all__, key=str.lower):
            if not each.startswith("__") and not (name == "rejoinder.metrics" and each in metrics):
                yield each, getattr(module, each)


def _results() -> set[type]:
    """The classes of results, once all calls are imported."""
    for name in rejoinder.__all__:
        getattr(rejoinder, name)
    from rejoinder.scoring import explain

    assert explain
    found, waiting = set[type](), [TableResult]
    while waiting:
        kinds = waiting.pop().__subclasses__()
        waiting += kinds
        found |= {kind for kind in kinds if kind.__module__.startswith("rejoinder.")}
    return found


def _described(name: str, thing: Any) -> Iterator[str]:
    yield from ["```py", _signature(name, thing), "```", ""]
    yield from rendered(inspect.getdoc(thing) or "", {})
    if not isinstance(thing, type):
        return
    for key in sorted(_public(thing)):
        member = inspect.getattr_static(thing, key)
        call = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if inspect.isfunction(call):
            yield from ["", f"### {name}.{key}", "", "```py", _signature(key, call), "```", ""]
            yield from rendered(inspect.getdoc(call) or "", {})
        elif isinstance(member, property) or hasattr(member, "attrname"):
            yield from ["", f"### {name}.{key}", "", *rendered(inspect.getdoc(member) or "", {})]


def _public(kind: type) -> set[str]:
    """The public methods and properties that a class, or its parent in the package, documents.

    What every metric has is on the page of ``Metric``.
    """
    owners = [each for each in kind.__mro__ if each.__module__.startswith("rejoinder.")]
    if issubclass(kind, Metric) and kind is not Metric:
        owners = [each for each in owners if each not in Metric.__mro__]
    names = {key for each in owners for key in vars(each) if not key.startswith("_")}
    return {key for key in names if inspect.getdoc(inspect.getattr_static(kind, key, None))}


def _signature(name: str, thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except ValueError:
        return name
    named = [str(each) for each in signature.parameters.values()]
    parts = [re.sub(r": '([^']*)'", r": \1", each) for each in named]
    starred = False
    shown = []
    for part, each in zip(parts, signature.parameters.values(), strict=True):
        if each.kind is each.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred |= each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        shown.append(part)
    if shown[:1] in (["self"], ["cls"]):
        shown = shown[1:]
    returns = signature.return_annotation
    end = "" if returns is signature.empty or isinstance(thing, type) else f" -> {returns}"
    line = f"{name}({', '.join(shown)}){end}"
    if len(line) <= 88:
        return line
    return "\n".join([f"{name}(", *(f"    {each}," for each in shown), f"){end}"])


def defaults(kind: Any) -> dict[str, str]:
    """The parameters of a metric with their defaults."""
    given = inspect.signature(kind).parameters.values()
    return {each.name: repr(each.default) for each in given if each.default is not each.empty}


def rendered(docstring: str, values: dict[str, str]) -> Iterator[str]:
    """A Google docstring as Markdown: paragraphs, lists of arguments, examples."""
    for part in re.split(rf"\n(?=(?:{HEADINGS}):\n)|\n\n(?=>>> )", docstring):
        heading = re.match(rf"({HEADINGS}):\n", part)
        body = inspect.cleandoc(part[heading.end() :] if heading else part)
        if not heading or heading[1].startswith("Example"):
            yield from _prose(body)
            continue
        yield from ["", f"**{'Parameters' if heading[1] == 'Args' else heading[1]}**", ""]
        entries = re.split(r"\n(?=\S)", body)
        if heading[1] in ("Returns", "Yields"):
            yield from _prose(body)
            continue
        for entry in entries:
            name, colon, words = " ".join(entry.split()).partition(": ")
            default = f" (default `{values[name]}`)" if name in values else ""
            yield f"- `{name}`{default}: {_inline(words)}" if colon else f"- {_inline(name)}"


def _prose(text: str) -> Iterator[str]:
    """Paragraphs on one line each, lists, and examples as a session of Python."""
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.lstrip().startswith(">>>"):
            yield from ["", "```pycon", inspect.cleandoc(block), "```"]
        elif block.startswith("- "):
            yield ""
            yield from (
                f"- {_inline(' '.join(each.split()))}"
                for each in re.split(r"(?:^|\n)- ", block)[1:]
            )
        elif block:
            yield from ["", _inline(" ".join(block.split()))]


def _inline(words: str) -> str:
    """Names of code in single backticks, as Markdown has them."""
    return words.replace("``", "`")


def _summary(thing: Any) -> str:
    words = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return _inline(" ".join(words.split()))


def _anchor(name: str) -> str:
    return re.sub(r"[^\w\- ]", "", name.lower())


def _page(lines: list[str]) -> str:
    text = "\n".join(lines)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
