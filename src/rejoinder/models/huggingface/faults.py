"""What is wrong with a folder of ``transformers``, in words that name the file and the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rejoinder.files.strict_json import strict_json

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
SHARDS = "model.safetensors.index.json"
PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
TOKENIZER = "tokenizer.json"


def fault(folder: Path) -> str:
    """What is wrong with a folder that ``transformers`` cannot load, as the rest of a message.

    Empty: nothing known. What is no folder (a name on the hub) has no fault here.
    """
    return _config_fault(folder) or weights_fault(folder) or tokenizer_fault(folder)


def _config_fault(folder: Path) -> str:
    if not (folder / CONFIG).is_file():
        return ""
    try:
        config = strict_json((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return f"{CONFIG} is no JSON ({error!s:.100}); fetch or train the model again"
    if not isinstance(config, dict):
        return f"{CONFIG} is no JSON object; fetch or train the model again"
    import transformers

    kind = config.get("model_type")
    if not isinstance(kind, str) or kind in transformers.CONFIG_MAPPING:
        return ""
    remark = " (code of the folder's own is never run)" if "auto_map" in config else ""
    return (
        f"{CONFIG} says model_type = {kind!r:.60}, which transformers {transformers.__version__} does "
        f"not have{remark}; take a model of a type that it has, or a newer transformers"
    )


def special_file(folder: Path) -> str:
    """Names a pipe or a device among the files: to open it may never end."""
    files = [*folder.glob("*"), *folder.glob("*/*")] if folder.is_dir() else []
    for file in sorted(files):
        if file.exists() and not file.is_file() and not file.is_dir():
            name = file.relative_to(folder)
            return f"{name} is a pipe or a device, not a file; fetch or train the model again"
    return ""


def weights_fault(folder: Path) -> str:
    """What is wrong with the weights of a folder, as the rest of a message; empty: nothing known.

    Only the headers are read. ``transformers`` tells a missing file of a folder with pickled
    weights and of one without any in the same words, and a cut one in those of its parser.

    Args:
        folder: The model's; what is no folder (a name on the hub) has no fault here.
    """
    if not (folder / CONFIG).is_file():
        return ""
    names = weight_files(folder)
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
    if not (folder / CONFIG).is_file():
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


def in_one_line(error: Exception) -> str:
    """What an error of a parser says, as a part of a message."""
    words = " ".join(str(error).split())
    plain = words and not isinstance(error, KeyError)  # which says a key alone
    return f"{words:.200}" if plain else f"{type(error).__name__} {words:.180}".strip()


def weight_files(folder: Path) -> list[str]:
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
