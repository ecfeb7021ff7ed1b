"""Loading what ``save_pretrained`` of ``transformers`` wrote, and what is wrong in such a folder.

Whatever ``transformers`` does in silence is refused here: it draws weights that are missing at
random, leaves out weights that the model has no place for, and would run code of the folder's.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.text.strict_json import strict_json

WEIGHTS = "model.safetensors"
SHARDS = "model.safetensors.index.json"
PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
TOKENIZER = "tokenizer.json"

LAYERS = re.compile(r"layer|block|depth")
"""What the entries of config.json are called that say how many parts a model has."""

SPARE = 4
"""A model that has so many times the numbers of its files is none of theirs."""

UNUSED = re.compile(r"^(pooler|cls|lm_head|classifier|qa_outputs|mlm_head|vocab_\w+)\.")
"""Weights around an encoder that its token vectors do not need: it may lack them, or have them."""


def load_pretrained(
    auto: Any, path: str, config: Any, encoder: bool = False, **options: Any
) -> Any:
    """A model of ``transformers`` with all of its weights, or none.

    Nothing of the folder's is run, nothing but safetensors is read, and every weight is there, has
    a place, and is a finite number. Sizes are compared with those of the files before memory is
    asked for.

    Args:
        auto: A class of ``transformers`` such as ``AutoModelForCausalLM``.
        path: A folder, or a name of a model that is kept on this machine.
        config: The model's configuration, loaded.
        encoder: The vectors of tokens alone are wanted: what stands around them (`UNUSED`) may be
            missing or too much.
        options: For ``from_pretrained``.

    Raises:
        InputError: The weights are not those of the model.
    """
    check_sizes(auto, path, config)
    model, told = auto.from_pretrained(
        path,
        config=config,
        use_safetensors=True,
        trust_remote_code=False,
        output_loading_info=True,
        **options,
    )
    for what, names in (
        ("lack", told.get("missing_keys")),
        ("hold, with no place in the model,", told.get("unexpected_keys")),
        ("have another shape for", told.get("mismatched_keys")),
    ):
        wrong = sorted(map(str, names or ()))
        if encoder:
            wrong = [name for name in wrong if not UNUSED.match(name)]
        if wrong:
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            raise InputError(
                f"{path}: the weights {what} {wrong[0]}{more}; they are not those of the model that "
                "config.json describes, and would be drawn at random or left out: fetch or train "
                "the model again"
            )
    if name := _not_finite(model):
        raise InputError(
            f"{path}: the weights {name} are not finite (NaN or infinite); fetch or train the model "
            "again"
        )
    return model


def check_sizes(auto: Any, path: str, config: Any) -> None:
    """Refuses a configuration of a larger model than the weights of its folder are.

    A model is built before its weights are read: sizes of 10^9 would take all memory, or hours.

    Raises:
        InputError: It is larger.
    """
    held = _held(Path(path))
    if held is None:  # a name on the hub, or weights that are missing or cut: told elsewhere
        return
    tensors, numbers = held
    for name, value in _integers(config.to_dict()):
        if LAYERS.search(name) and value > tensors:
            raise InputError(
                f"{path}: config.json says {name} = {value}, and the weights are {tensors} tensors; "
                "fetch or train the model again"
            )
    import torch

    with torch.device("meta"):
        model = auto.from_config(config, trust_remote_code=False)
    weights = model.named_parameters()
    wanted = sum(weight.numel() for name, weight in weights if not UNUSED.match(name))
    if wanted > SPARE * numbers:
        raise InputError(
            f"{path}: config.json describes a model of {wanted:,} numbers, and the weights hold "
            f"{numbers:,}; fetch or train the model again"
        )


def _integers(value: Any, name: str = "") -> list[tuple[str, int]]:
    """The whole numbers of a configuration with their names, those of its parts among them."""
    if isinstance(value, dict):
        return [each for key, part in value.items() for each in _integers(part, str(key))]
    return [(name, value)] if isinstance(value, int) and not isinstance(value, bool) else []


def _held(folder: Path) -> tuple[int, int] | None:
    """How many tensors the weights of a folder are, and how many numbers these hold."""
    from safetensors import SafetensorError, safe_open

    tensors = numbers = 0
    names = _named(folder) if folder.is_dir() else []
    try:
        for name in names:
            with safe_open(folder / name, "pt") as file:
                for key in file.keys():  # noqa: SIM118 (no mapping)
                    size = 1
                    for length in file.get_slice(key).get_shape():
                        size *= length
                    tensors, numbers = tensors + 1, numbers + size
    except (SafetensorError, OSError, ValueError):
        return None
    return (tensors, numbers) if names else None


def _not_finite(model: Any) -> str:
    """The name of a weight with a number that is not finite; empty where all are."""
    for name, weight in model.named_parameters():
        if weight.is_floating_point() and not bool(weight.isfinite().all()):
            return name
    return ""


def weights_fault(folder: Path) -> str:
    """What is wrong with the weights of a folder, as the rest of a message; empty: nothing known.

    Only the headers are read. ``transformers`` tells a missing file of a folder with pickled
    weights and of one without any in the same words, and a cut one in those of its parser.

    Args:
        folder: The model's; what is no folder (a name on the hub) has no fault here.
    """
    if not (folder / "config.json").is_file():
        return ""
    names = _named(folder)
    if not names:
        return _none(folder)
    for name in names:
        if not (folder / name).is_file():
            return f"{name} is missing; fetch or train the model again"
        if _cut(folder / name):
            return f"{name} is altered or cut; fetch or train the model again"
    return ""


def tokenizer_fault(folder: Path, tokenizer: Any = None) -> str:
    """What is wrong with the tokenizer of a folder, as the rest of a message; empty: nothing known.

    Where only the model was saved, ``transformers`` makes an empty tokenizer of the model's class,
    without a word: every text would have no token but the special ones.

    Args:
        folder: The model's; what is no folder (a name on the hub) has no fault here.
        tokenizer: As it was loaded; None: it could not be.
    """
    if not (folder / "config.json").is_file():
        return ""
    files = dict(getattr(tokenizer, "vocab_files_names", None) or {})
    if tokenizer is not None and not files:  # bytes or characters are its tokens: no file is needed
        return ""
    expected = list(dict.fromkeys([TOKENIZER, *files.values()]))
    patterns = (*expected, "tekken.json", "vocab*", "*.model", "*.spm", "*.tiktoken")
    if any(any(folder.glob(pattern)) for pattern in patterns):
        return ""
    return (
        f"no tokenizer in the folder; expected {' or '.join(expected)} beside config.json: save the "
        "one that the model was trained with, by tokenizer.save_pretrained of the same folder"
    )


def _named(folder: Path) -> list[str]:
    """The names of the weights' files: one, or what the index of several lists."""
    if (folder / WEIGHTS).is_file():
        return [WEIGHTS]
    try:
        index = strict_json((folder / SHARDS).read_text(encoding="utf-8"))
        return sorted(set(map(str, index["weight_map"].values())))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _none(folder: Path) -> str:
    names = sorted(file.name for file in folder.iterdir())
    if any(name.endswith(".safetensors") for name in names):
        return ""  # of a name that we do not know, and transformers may
    pickled = [name for name in names if name.endswith(PICKLED)]
    if pickled:
        return (
            f"no safetensors weights there, only {pickled[0]}; pickled weights are never loaded: save "
            "the model again with save_pretrained"
        )
    return (
        f"no weights there at all; expected {WEIGHTS} beside config.json: save the model again with "
        "save_pretrained, or fetch it whole"
    )


def _cut(path: Path) -> bool:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt"):
            return False
    except (SafetensorError, OSError, ValueError):
        return True
