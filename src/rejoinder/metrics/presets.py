"""The settings of other tools: ``bleu:compat=nltk`` has NLTK's defaults and takes NLTK's names.

A preset is no metric and no setting: it stands for values of a metric's own parameters, which the
signature names. What a tool does otherwise, and no parameter can express, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import nearest
from rejoinder.metrics.settings import INVERTED, Name, Values

BY_SENTENCE: Values = {
    **dict.fromkeys(("true", "yes", "1"), "punkt"),
    **dict.fromkeys(("false", "no", "0"), "lines"),
}
TYPES: Values = {f"rouge{each}": each for each in (*map(str, range(1, 10)), "L", "Lsum")}
SMOOTHED: Values = {"true": "laplace", "false": "none"}
METHODS: Values = {"method0": "none", "method1": "floor", "method2": "add-k", "method3": "exp"}


@dataclass(frozen=True)
class Preset:
    """A tool's way of computing a metric.

    Attributes:
        settings: The parameters whose defaults are others than ours, as they are typed.
        names: The tool's names of settings, where they are others than ours.
        refused: Settings that the tool has and we do not, or compute otherwise: ``key`` or
            ``key=value`` with why.
    """

    settings: Values = field(default_factory=dict)
    names: Mapping[str, Name] = field(default_factory=dict)
    refused: Values = field(default_factory=dict)

    def ours(self, key: str) -> str:
        """The name of our parameter for a tool's name of it; another name as it is."""
        return self._name(key).ours

    def translated(self, metric: str, key: str, value: str) -> tuple[str, str]:
        """A setting in a tool's words as our parameter and its value, both as they are typed.

        Args:
            metric: The name of the metric, for messages.
            key: The tool's name of the setting, or ours.
            value: Its value.

        Raises:
            ParameterError: The tool computes it in a way that we do not, or the value is none that
                the tool's setting has.
        """
        name, ours = self._name(key), value
        if name.values is not None:
            folded = {each.lower(): meant for each, meant in name.values.items()}
            if value.lower() not in folded:
                raise ParameterError(
                    f"metric '{metric}': {key}={value!r}; expected {one_of(name.values)}"
                )
            ours = folded[value.lower()]
        why = self.refused.get(key) or self.refused.get(f"{name.ours}={ours}")
        if why:
            raise ParameterError(f"metric '{metric}': {key}={value} is not computed: {why}")
        return name.ours, ours

    def _name(self, key: str) -> Name:
        return self.names.get(key) or Name(key)


_SACREBLEU = {
    "lc": Name("lowercase"),
    "tokenize": Name("tokenizer"),
    "smooth_method": Name("smoothing"),
    "smooth_value": Name("smoothing_value"),
    "use_effective_order": Name("effective_order"),
    "max_ngram_order": Name("order"),
}
_CHRF = {"remove_whitespace": Name("whitespace", INVERTED)}
_TER = {"case_sensitive": Name("lowercase", INVERTED)}
_NO_AGGREGATOR = (
    "the score here is the mean over replies; the tool's aggregator gives the median of random "
    "resamples of that mean"
)
_ROUGE = Preset(
    names={
        "use_stemmer": Name("stemmer"),
        "split_summaries": Name("sentences", BY_SENTENCE),
        "rouge_types": Name("variant", TYPES),
        "rouge_type": Name("variant", TYPES),
    },
    refused={"use_aggregator": _NO_AGGREGATOR, "aggregate": _NO_AGGREGATOR},
)
_ROUGES: dict[str, Preset] = dict.fromkeys(
    ("rouge", "rouge1", "rouge2", "rougeL", "rougeLsum"), _ROUGE
)
_NLTK_PRESETS = {
    "smoothing_function": Name("smoothing", METHODS),
    "smoothing": Name("smoothing", {**METHODS, **{each: each for each in METHODS.values()}}),
    "epsilon": Name("smoothing_value"),
}
_WEIGHTS = "uniform weights over the orders alone are computed here: order=4 is (0.25,) * 4"
_NLTK = {"weights": _WEIGHTS, "auto_reweigh": "it is not computed here; leave it out"}

_BERTSCORE = {
    "rescale_with_baseline": "name the file of the baselines: baseline=FILE",
    "model_type": "name the folder of the model: encoder=FOLDER",
    "lang": "name the folder of the model: encoder=FOLDER",
}

PRESETS: dict[str, dict[str, Preset]] = {
    "sacrebleu": {
        "bleu": Preset({"order": "4", "smoothing": "exp"}, _SACREBLEU),
        "sbleu": Preset(
            {"order": "4", "smoothing": "exp", "brevity": "bleu"},
            _SACREBLEU,
            {
                "smoothing=add-k": "sacreBLEU counts orders that a short reply does not have as "
                "matched under it; segments of bleu:smoothing=add-k,effective_order=true have its "
                "sentence scores"
            },
        ),
        "chrf": Preset({}, _CHRF),
        "ter": Preset({}, _TER),
    },
    "rouge-score": _ROUGES,
    "nltk": {
        "bleu": Preset(
            {"order": "4", "tokenizer": "none", "minimum_total": "1"}, _NLTK_PRESETS, _NLTK
        ),
        "sbleu": Preset(
            {
                "order": "4",
                "tokenizer": "none",
                "smoothing": "none",
                "brevity": "bleu",
                "effective_order": "false",
                "minimum_total": "1",
            },
            _NLTK_PRESETS,
            _NLTK,
        ),
    },
    "hf": {
        "bleu": Preset(
            {"order": "4", "reference_length": "shortest"},
            {"max_order": Name("order"), "smooth": Name("smoothing", SMOOTHED)},
        ),
        **_ROUGES,
        "bertscore": Preset({}, {"num_layers": Name("layer")}, _BERTSCORE),
        "chrf": Preset({}, _CHRF),
        "ter": Preset(
            {},
            {
                **_TER,
                "ignore_punct": Name("no_punct"),
                "support_zh_ja_chars": Name("asian_support"),
            },
        ),
    },
    "nlg-eval": {
        "bleu": Preset({"order": "4", "tokenizer": "none", "smoothing": "caption"}),
        "rougeL": Preset({"form": "caption"}),
        "meteor": Preset(),
        "average": Preset({"language": "none"}),
        "extrema": Preset({"language": "none"}),
        "greedy": Preset({"language": "none"}),
    },
}
"""The presets by tool and by the name of our metric.

``sacrebleu``: version 2. ``hf``: the modules of Hugging Face's ``evaluate``; its module
``sacrebleu`` is ``compat=sacrebleu``. ``nltk``: ``corpus_bleu`` (``bleu``) and ``sentence_bleu``
(``sbleu``). ``nlg-eval``: the COCO caption scorers and its embedding metrics.
"""


def preset(tool: str, metric: str) -> Preset:
    """The preset of a tool for a metric.

    Args:
        tool: A key of ``PRESETS``.
        metric: The name of the metric, as it is typed.

    Raises:
        ParameterError: There is none.
    """
    if tool not in PRESETS:
        close = nearest(tool, PRESETS, cutoff=0.5)
        hint = f"did you mean '{close}'? " if close else ""
        raise ParameterError(
            f"metric '{metric}': compat={tool!r} is unknown; {hint}choose {one_of(PRESETS)}"
        )
    if metric not in PRESETS[tool]:
        others = [name for name, each in PRESETS.items() if metric in each]
        instead = f"; of '{metric}' there are those of {one_of(others)}" if others else ""
        raise ParameterError(
            f"metric '{metric}': compat={tool} has no preset for it, only for "
            f"{one_of(PRESETS[tool])}{instead}"
        )
    return PRESETS[tool][metric]
