"""Loading what ``save_pretrained`` of ``transformers`` wrote, and what is wrong in such a folder.

Whatever ``transformers`` does in silence is refused here: it draws weights that are missing at
random, leaves out weights that the model has no place for, and would run code of the folder's.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from rejoinder.errors import InputError
from rejoinder.models.devices import chosen_device, chosen_dtype
from rejoinder.models.huggingface.faults import special_file, tokenizer_fault, weight_files
from rejoinder.models.training.folder import check_own

LAYERS = re.compile(r"layer|block|depth")
"""What the entries of config.json are called that say how many parts a model has."""

SPARE = 4
"""A model that has so many times the numbers of its files is none of theirs."""

UNUSED = re.compile(r"^(pooler|cls|lm_head|classifier|qa_outputs|mlm_head|vocab_\w+)\.")
"""Weights around an encoder that its token vectors do not need: it may lack them, or have them."""

REPORT = "LOAD REPORT"
"""The fields of the record that ``transformers`` logs of weights that do not fit: told here."""


class Pretrained(NamedTuple):
    """What a folder of ``transformers`` holds.

    Attributes:
        config: The model's configuration.
        tokenizer: A tokenizer of texts.
        model: With all of its weights, on its device, in evaluation mode.
    """

    config: Any
    tokenizer: Any
    model: Any


def open_pretrained(
    path: str,
    choose: Callable[[Any], Any],
    *,
    encoder: bool = False,
    download: bool = False,
    device: str = "auto",
    dtype: str | None = None,
) -> Pretrained:
    """The model of a folder and its tokenizer: the only way in for models of ``transformers``.

    Nothing of the folder's is run, and nothing is fetched unless asked for. What ``transformers``
    logs is kept back until the model is loaded: where it is refused there is one message alone.

    Args:
        path: A folder, or a name of a model on the hub.
        choose: Gives the class of ``transformers`` for a configuration.
        encoder: See `load_pretrained`.
        download: Whether a name that is not here yet may be fetched from the hub.
        device: The device of the model; see ``chosen_device``.
        dtype: Its number format; see ``chosen_dtype``. None: the default of ``transformers``.

    Raises:
        ParameterError: The device or the number format is unknown.
        InputError: The folder is not a whole model of texts with its tokenizer.
        Exception: Whatever the parsers of ``transformers`` raise of damaged files;
            ``faults.fault`` may know why.
    """
    from transformers import AutoConfig, PretrainedConfig

    device = chosen_device(device)
    options = {} if dtype is None else {"dtype": chosen_dtype(dtype, device)}
    if why := special_file(Path(path)):
        raise InputError(f"{path}: {why}")
    check_own(path)
    local = {"local_files_only": not download, "trust_remote_code": False}
    with _kept_back():
        _check_code(path, PretrainedConfig.get_config_dict(path, **local)[0])
        config = AutoConfig.from_pretrained(path, **local)
        tokenizer = _tokenizer(path, local)
        model = load_pretrained(
            choose(config), path, config, encoder, local_files_only=not download, **options
        )
    return Pretrained(config, tokenizer, model.eval().to(device))


def open_tokenizer(path: str) -> Any:
    """The tokenizer of a folder alone; nothing is fetched.

    Raises:
        InputError: The folder has none, or another thing in its place.
        Exception: Whatever the parsers of ``transformers`` raise of damaged files.
    """
    with _kept_back():
        return _tokenizer(path, {"local_files_only": True, "trust_remote_code": False})


@contextmanager
def _kept_back() -> Iterator[None]:
    """Without progress bars; records that are logged are handed on after success, and not before."""
    from transformers.utils import logging as theirs

    class Held(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    records: list[logging.LogRecord] = []
    logger = logging.getLogger("transformers")
    before = logger.handlers, logger.propagate
    bars = theirs.is_progress_bar_enabled()
    theirs.disable_progress_bar()
    logger.handlers, logger.propagate = [Held()], False
    try:
        yield
    finally:
        logger.handlers, logger.propagate = before
        if bars:
            theirs.enable_progress_bar()
    for record in records:
        if REPORT not in record.getMessage():
            logger.handle(record)


OWN_KERNELS = ("eager", "sdpa", "flex_attention", "grouped_mm", "batched_mm")
"""The implementations that ``transformers`` and torch bring; others may be fetched from the hub."""


def _own_kernel(value: Any) -> bool:
    """Whether an entry of config.json names kernels that are installed, or none."""
    each = value.values() if isinstance(value, dict) else [value]
    return all(kernel is None or kernel in OWN_KERNELS for kernel in each)


def _check_code(path: str, value: Any, name: str = "") -> None:
    """Refuses a config.json that would have code fetched or run: of its parts, or of the hub's."""
    if isinstance(value, dict):
        for key, part in value.items():
            _check_code(path, part, str(key))
    for part in value if isinstance(value, list) else ():
        _check_code(path, part)
    kernel = name.strip("_").endswith("_implementation") and not _own_kernel(value)
    if kernel or (name == "trust_remote_code" and value):
        raise InputError(
            f"{path}: config.json says {name} = {value!r:.60}, which asks for code of others; it is "
            "never fetched or run: take another model, or remove the entry"
        )


def _tokenizer(path: str, local: dict[str, Any]) -> Any:
    """The tokenizer; an InputError where the folder has none, or another thing in its place."""
    from transformers import AutoTokenizer, PreTrainedTokenizerBase

    tokenizer = AutoTokenizer.from_pretrained(path, **local)
    if why := tokenizer_fault(Path(path), tokenizer):
        raise InputError(f"{path}: {why}")
    remedy = "save the tokenizer again with tokenizer.save_pretrained"
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise InputError(
            f"{path}: tokenizer_config.json names {type(tokenizer).__name__}, which is no tokenizer of "
            f"texts; {remedy}"
        )
    longest = tokenizer.model_max_length
    if not isinstance(longest, int | float) or longest != longest:
        raise InputError(
            f"{path}: tokenizer_config.json says model_max_length = {longest!r}; expected a number: "
            f"{remedy}"
        )
    return tokenizer


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
    model, loading = auto.from_pretrained(
        path,
        config=config,
        use_safetensors=True,
        trust_remote_code=False,
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # they are told, and refused here
        **options,
    )
    if encoder and model.main_input_name != "input_ids":
        raise InputError(
            f"{path}: {type(model).__name__} reads {model.main_input_name}, not text; take an encoder "
            "of texts"
        )
    for what, names in (
        ("lack", loading.get("missing_keys")),
        ("hold, with no place in the model,", loading.get("unexpected_keys")),
        ("have another shape for", loading.get("mismatched_keys")),
    ):
        wrong = sorted(str(key[0] if isinstance(key, tuple) else key) for key in names or ())
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

    Args:
        auto: The class of transformers that builds the model.
        path: The folder of the model.
        config: Its configuration.

    Raises:
        InputError: It is larger.
    """
    counts = _held(Path(path))
    if counts is None:  # a name on the hub, or weights that are missing or cut: told elsewhere
        return
    tensors, numbers = counts
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
    described = sum(weight.numel() for name, weight in weights if not UNUSED.match(name))
    if described > SPARE * numbers:
        raise InputError(
            f"{path}: config.json describes a model of {described:,} numbers, and the weights hold "
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
    names = weight_files(folder) if folder.is_dir() else []
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


def check_ids(name: str, model: Any, ids: Iterable[Sequence[int]]) -> None:
    """Refuses tokens that a model has no vector for: its tokenizer is another model's.

    Args:
        name: What messages call the model.
        model: Of ``transformers``.
        ids: Token ids, text by text.

    Raises:
        InputError: An id is beyond the vocabulary of the model.
    """
    rows = vocabulary_size(model)
    largest = max((max(each) for each in ids if each), default=-1)
    if rows is not None and largest >= rows:
        raise InputError(
            f"{name}: the tokenizer gives token {largest}, and the model knows {rows} tokens (from 0 "
            "on); expected the tokenizer that the model was trained with: save it into the model's "
            "folder with tokenizer.save_pretrained"
        )


def vocabulary_size(model: Any) -> int | None:
    """How many tokens a model has vectors for; None where it has no such table."""
    try:
        table = model.get_input_embeddings()
    except (AttributeError, NotImplementedError):
        return None
    rows = getattr(table, "num_embeddings", None)
    return rows if isinstance(rows, int) else None
