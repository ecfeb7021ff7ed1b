"""Every metric by name, in one explicit table, and the reading of ``name:key=value,...``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from functools import partial
from importlib import import_module
from typing import Any

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument, Call, nearest, quoted
from rejoinder.metrics import importing, presets
from rejoinder.metrics.base import Metric
from rejoinder.metrics.settings import Name, alternatives, settings_of, types_of

_LOG = logging.getLogger(__name__)


class Makers(Mapping[str, Callable[..., Metric]]):
    """What each name makes; the module of a metric is imported when the metric is asked for.

    Args:
        homes: By name the module of ``rejoinder.metrics`` and the class, and the parameters that the
            name settles.
    """

    def __init__(self, homes: Mapping[str, tuple[str, str] | tuple[str, str, Any]]) -> None:
        self._homes = homes

    def __getitem__(self, name: str) -> Callable[..., Metric]:
        module, kind, *settled = self._homes[name]
        make = getattr(import_module(f"rejoinder.metrics.{module}"), kind)
        return partial(make, **settled[0]) if settled else make

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


METRICS = Makers(
    {
        "deltableu": ("delta_bleu", "DeltaBLEU"),
        "bleu": ("bleu", "BLEU"),
        "sbleu": ("sentence_bleu", "SentenceBLEU"),
        "ambleu": ("average_max_bleu", "AverageMaxBLEU"),
        "rouge1": ("rouge", "ROUGE", {"variant": "1"}),
        "rouge2": ("rouge", "ROUGE", {"variant": "2"}),
        "rougeL": ("rouge", "ROUGE", {"variant": "L"}),
        "rougeLsum": ("rouge", "ROUGE", {"variant": "Lsum"}),
        "rouge": ("rouge", "ROUGE"),
        "meteor": ("meteor", "METEOR"),
        "chrf": ("chrf", "ChrF"),
        "ter": ("ter", "TER"),
        "exact": ("exact_match", "ExactMatch"),
        "pooled": ("word_vectors", "VectorPooling"),
        "average": ("word_vectors", "EmbeddingAverage"),
        "extrema": ("word_vectors", "VectorExtrema"),
        "greedy": ("word_vectors", "GreedyMatching"),
        "cosine": ("encoder_cosine", "EncoderCosine"),
        "bertscore": ("bert_score", "BERTScore"),
        "ruber": ("ruber", "RUBER"),
        "distinct": ("distinct", "DistinctN"),
        "entropy": ("distinct", "Entropy"),
        "length": ("length", "Length"),
    }
)
"""What each name on the command line makes; keyword arguments are the metric's parameters."""

OTHERS = Makers(
    {
        "ruq": ("ruq", "RUQ"),
        "external": ("external", "External"),
        "samples": ("of_samples", "OfSamples"),
    }
)
"""Metrics that no name on the command line makes, but saved scores name: those of models, not of
replies, which have verbs of their own, scores that other tools made, and what the best, worst or most
of several samples reach."""


FROM_ANOTHER_TOOL = "; scores that another tool made are metrics too: "

_LONGEST = 9
"""The longest n-gram of the labels that are recognised where a name was to be typed."""


def metric(wanted: str | Metric) -> Metric:
    """Makes a metric from its name and parameters; a metric passes through.

    Args:
        wanted: ``name`` or ``name:key=value,key=value``, as in ``bleu:order=4,lowercase=true``; or
            ``module:Name`` of an importable module, or a name that an installed package declares
            (docs/own-metrics.md).

    Raises:
        ParameterError: The name, a parameter or its value is unknown.

    >>> metric("bleu:order=4,lowercase=true").label
    'BLEU-4'
    """
    if isinstance(wanted, Metric):
        return wanted
    if not isinstance(wanted, str):
        raise ParameterError(
            f"metric {wanted!r:.60} is {type(wanted).__name__}; expected a name such as "
            "'deltableu' or a metric such as BLEU(order=4)"
        )
    name, colon, rest = wanted.partition(":")
    folded = {each.lower(): each for each in METRICS}
    named = folded.get(name.strip().lower(), "")
    if not named and (users_metric := _own(wanted, name.strip(), rest)) is not None:
        return users_metric
    if not named:
        several = [each for each in name.split(",") if each.strip()]
        if len(several) > 1 and all(each.strip().lower() in folded for each in several):
            each = [each.strip() for each in several]
            raise ParameterError(
                f"metric '{name}': several at once; give each by itself: ",
                Argument("metrics", each),
            )
        close = _close(name)
        hint = f"did you mean '{close}'? " if close else ""
        raise ParameterError(
            f"metric '{name}' is unknown; {hint}choose {one_of(METRICS)}, with parameters behind a "
            "colon; several are given one by one: ",
            Argument("metrics", ["bleu:order=4", "chrf"]),
            FROM_ANOTHER_TOOL,
            Call("External(name, read_scores(FILE))"),
        )
    if colon and not rest.strip():
        raise ParameterError(
            f"metric '{wanted}': no parameters behind the colon; write {name}:key=value, or {name}"
        )
    make = METRICS[named]
    return make(**_parameters(make, named, rest))


def known() -> dict[str, Callable[..., Metric]]:
    """What each name makes: our own metrics, and those that installed packages declare."""
    declared = (name for name in importing.installed() if name not in METRICS)
    return {**METRICS, **{name: partial(metric, name) for name in declared}}


def _own(spelling: str, name: str, rest: str) -> Metric | None:
    """The metric of a module or of an installed package; None where the text names none."""
    named = importing.of_package(name)
    if named is None:
        in_module = importing.in_module(spelling)
        if in_module is None:
            return None
        named, rest = in_module
    make = importing.as_metric(named, spelling)
    if isinstance(make, Metric):
        if rest.strip():
            raise ParameterError(f"metric '{spelling}': it takes no parameters; leave '{rest}' out")
        return make
    try:
        make()
    except TypeError as error:
        raise ParameterError(
            f"metric '{spelling}': a class named on the command line needs a default for every parameter "
            f"({error})"
        ) from None
    return make(**_parameters(make, name, rest))


def kept(name: str, parameters: Mapping[str, Any]) -> Metric:
    """Makes the metric of saved scores.

    Args:
        name: A key of ``METRICS`` or ``OTHERS``.
        parameters: Those that the file names.

    Raises:
        KeyError: The name is unknown.
        TypeError: A parameter is unknown.
        ParameterError: A value is none that the parameter can have.
    """
    make: Any = METRICS[name] if name in METRICS else OTHERS[name]
    if isinstance(make, partial):
        of: Any = make.func
        return of.restored({**make.keywords, **parameters})
    return make.restored(parameters)


def metrics(wanted: Sequence[str | Metric]) -> dict[str, Metric]:
    """Makes metrics, each under a label of its own.

    One metric under two spellings (``bleu`` and ``bleu:order=2``) is made once, which is logged.

    Raises:
        ParameterError: None is wanted, or the same one twice.
    """
    wanted_metrics = _once(wanted)
    if not wanted_metrics:
        raise ParameterError(f"no metric is wanted; name one of {one_of(METRICS)}")
    labels = [each.label for each in wanted_metrics]
    labelled: dict[str, Metric] = {}
    for each, label in zip(wanted_metrics, labels, strict=True):
        unique = label if labels.count(label) == 1 else f"{label} ({_differing(each)})"
        if unique in labelled:
            raise ParameterError(f"metric '{unique}' is wanted twice; name it once")
        labelled[unique] = each
    return labelled


def _once(given: Sequence[str | Metric]) -> list[Metric]:
    """The metrics, each once: of spellings of one metric the first, with a note on the others."""
    resolved: list[tuple[str | Metric, Metric]] = []
    for each in given:
        new = metric(each)
        same = next((spelling for spelling, one in resolved if _same(one, new)), each)
        if same != each:
            _LOG.warning(
                "%s is the same metric as %s; it is scored once", _shown(each), _shown(same)
            )
        else:
            resolved.append((each, new))
    return [one for _, one in resolved]


def _same(one: Metric, other: Metric) -> bool:
    """Whether two metrics are the same one; only metrics of the registry have meanings to compare."""
    make: Any = METRICS.get(one.name)
    ours = getattr(make, "func", make)
    return (
        type(one) is type(other) is ours
        and one.effective_parameters() == other.effective_parameters()
    )


def _shown(given: str | Metric) -> str:
    return quoted(given) if isinstance(given, str) else repr(given)


def parameters(of: Metric) -> dict[str, Any]:
    """The parameters of a metric, by name."""
    return {each.name: getattr(of, each.name) for each in fields(of)}


SHORTEST = 3
"""Fewest letters with which a name begins for the full name to be proposed."""


def _close(name: str) -> str:
    """What to type for an unknown name: that of a table's label, else the nearest name; "" for none.

    >>> _close("BLEU-4"), _close("ROUGE-L"), _close("distinct2"), _close("rouge3"), _close("bert")
    ('bleu:order=4', 'rougeL', 'distinct:order=2', 'rouge:variant=3', 'bertscore')
    """
    typed = _names_by_label().get(_plain(name))
    if typed:
        return typed
    names = {each.lower(): each for each in METRICS}
    low = name.strip().lower()
    beginning = [each for each in names if len(low) >= SHORTEST and each.startswith(low)]
    close = beginning[0] if len(beginning) == 1 else nearest(low, names)
    return names[close] if close else ""


def _names_by_label() -> dict[str, str]:
    """What to type for each label that tables show, by the label in plain letters and digits."""
    typed = {}
    for name, make in METRICS.items():
        for key, longest in (("order", _LONGEST), ("word_order", 2)):
            if key in parameters(make()):
                for order in range(1, longest + 1):
                    typed[_plain(make(**{key: order}).label)] = f"{name}:{key}={order}"
        typed.setdefault(_plain(make().label), name)
    from rejoinder.metrics.rouge import ROUGE, VARIANTS

    for variant in VARIANTS:
        typed.setdefault(_plain(ROUGE(variant).label), f"rouge:variant={variant}")
    return typed


def _plain(label: str) -> str:
    """A label in small letters, without blanks, hyphens and underscores."""
    return "".join(each for each in label.lower() if each not in " -_")


def _meant(key: str, value: str, known: Mapping[str, Any]) -> str:
    """The question whether another parameter was meant; "" where none is near."""
    if not key:
        return ""
    names = {**presets.PRESETS["sacrebleu"]["bleu"].names, "n": Name("order")}
    key_name = names.get(key.lower(), Name(key.lower())).ours
    begun = sorted((each for each in known if each.startswith(key_name)), key=len)
    close = begun[0] if begun else nearest(key_name, known)
    return f"did you mean '{close}={value.strip() or 'VALUE'}'? " if close else ""


def _differing(of: Metric) -> str:
    """The parameters that are not the defaults: what tells two metrics of one label apart."""
    changed = [
        f"{each.name}={getattr(of, each.name)}"
        for each in fields(of)
        if each.default is not MISSING and getattr(of, each.name) != each.default
    ]
    return ", ".join(changed) or "default"


def _parameters(make: Any, name: str, text: str) -> dict[str, Any]:
    """Reads ``key=value,...``, in our words or in those of the tool that ``compat`` names.

    Args:
        make: What makes the metric.
        name: Its name, as it is typed.
        text: What stands behind the colon.

    Raises:
        ParameterError: A key or a value is unknown, or given twice.
    """
    pairs = [each.strip() for each in text.split(",") if each.strip()]
    default = make()
    known = {
        key: value
        for key, value in parameters(default).items()
        if key not in getattr(make, "keywords", {})
    }
    tool = next((each for each in pairs if each.partition("=")[0].strip() == "compat"), None)
    preset, words = presets.Preset(), {}
    for key, each in settings_of(type(default)).items():
        words |= each.words(key)
    if tool is not None and "compat" not in known:
        pairs.remove(tool)
        preset = presets.preset(tool.partition("=")[2].strip(), name)
    preset = replace(preset, names={**words, **preset.names})
    values: dict[str, Any] = {}
    for pair in pairs:
        typed, equals, value = (each.strip() for each in pair.partition("="))
        if not equals or not {typed, preset.ours(typed)} & {*known, *preset.refused}:
            raise ParameterError(
                f"metric '{default.name}': {pair!r} is no parameter; "
                f"{_meant(typed, value, known)}write key=value with one of "
                f"{one_of(known) or 'no parameters'}"
            )
        key, value = preset.translated(default.name, typed, value)
        if key in values:
            raise ParameterError(f"metric '{default.name}': {key} is given twice; give it once")
        values[key] = _value(default, key, value)
    settings = {key: _value(default, key, each) for key, each in preset.settings.items()}
    return {**settings, **values}


def _value(default: Metric, key: str, text: str) -> Any:
    """Reads a value as the type that the parameter is annotated with."""
    kinds = alternatives(types_of(type(default))[key])
    number = next((each for each in (int, float) if each in kinds), None)
    if bool in kinds:
        spoken = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() in spoken:
            return spoken[text.lower()]
        raise ParameterError(f"metric '{default.name}': {key}={text!r}; expected true or false")
    if number is not None:
        try:
            return number(text)
        except ValueError:
            raise ParameterError(
                f"metric '{default.name}': {key}={text!r}; expected a number"
            ) from None
    return text


DEFAULT_METRICS = ("deltableu", "bleu", "sbleu", "rougeL", "distinct", "length")
"""The metrics where none are named: the one rule of Python and of the command line."""


def default_metrics(weighted: bool) -> list[str]:
    """The default metrics of a test set.

    deltaBLEU is among them where a reference has a weight. Without any weight it is BLEU.

    >>> default_metrics(weighted=False)
    ['bleu', 'sbleu', 'rougeL', 'distinct', 'length']
    """
    return [name for name in DEFAULT_METRICS if weighted or name != "deltableu"]
