"""Whether two values of a ledger can be compared: the same settings of the metric, on the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MEASURED = ("responses", "scores")
"""The roles of inputs that are measured: they change from run to run, and the values with them."""
_DRAWS = ("bs", "seed", "version", "ci", "perm", "values")
"""Words of a signature that change no value, or that other facts of a run say too."""
_MARKED = ("questions", "seed", "version", "retries", "endpoint")
"""Words of the signature of marks that differ where the same judge marks other replies."""
_CONTENT = "content of "
_PRESENTATION = {
    "metrics", "resamples", "permutations", "digits", "ranks", "all_pairs", "examples", "a", "b",
    "without", "margin", "fail_if_worse", "fail_if_unsure", "block", "device", "batch_tokens",
    "concurrency", "retries", "max_calls", "max_tokens", "download", "seed", "rater_effects", "cluster",
    "card", "correction", "columns", "exact", "save_every", "anonymous",
}  # fmt: skip
"""Settings that change no value of a metric: its signature has those that do."""


def basis(run: Mapping[str, Any], metric: str) -> dict[str, str]:
    """All that the value of a metric depends on, besides what is measured, by name.

    Args:
        run: A run of a ledger.
        metric: The label of the metric; of a criterion the run has one signature, or none.
    """
    signatures = run["signatures"]
    words = signatures.get(metric, signatures.get("", "")).split("|")
    parts = (word.partition(":") for word in words if word)
    facts = {f"{name} of the signature": value for name, _, value in parts if name not in _DRAWS}
    for name, value in run["settings"].items():
        if name not in _PRESENTATION:
            facts[f"setting {name}"] = value
    for each in sorted(run["inputs"], key=lambda each: (each["as"], str(each["content"]))):
        if role(each) == "scores" and each.get("made_by"):
            facts |= {
                f"{name} of the marks": word for name, word in made_by(each["made_by"]).items()
            }
        if role(each) not in MEASURED:
            name = f"{_CONTENT}{each['as']}"
            facts[name] = f"{facts.get(name, '')}{each['content']} "
    return facts


def differences(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    """What differs between the bases of two values, a text each; empty where they can be compared."""
    return [
        f"other {name}"
        if name.startswith(_CONTENT)
        else f"{name}: {first.get(name) or 'none'}, then {second.get(name) or 'none'}"
        for name in dict.fromkeys([*first, *second])
        if first.get(name) != second.get(name)
    ]


def made_by(signature: str) -> dict[str, str]:
    """What the marks of a model depend on, as the signature of `mark` has it: model, rubric and the like."""
    parts = (each.partition(":") for each in signature.split("|"))
    return {name: value for name, colon, value in parts if colon and name not in _MARKED}


def role(given: Mapping[str, Any]) -> str:
    """What an input of a run was for: the name of the argument, however the run names it."""
    return str(given["as"]).strip("-").lower()
