"""Folders of ``transformers`` that a stranger made, each made from a sound one by one change."""

from __future__ import annotations

import json
import os
import pickle

import torch
from safetensors.torch import load_file, save_file

WEIGHTS = "model.safetensors"
FIRST = "transformer.h.0.attn.c_attn.weight"
WORDS = "transformer.wte.weight"
LENGTH = "sentence_bert_config.json"
HUGE = 10**9


def weights(change):
    """Changes the tensors by name."""

    def apply(folder):
        held = load_file(folder / WEIGHTS)
        change(held)
        save_file(held, folder / WEIGHTS, {"format": "pt"})

    return apply


def config(**entries):
    return edited("config.json", **entries)


def edited(name, **entries):
    def apply(folder):
        held = json.loads((folder / name).read_text()) if (folder / name).exists() else {}
        (folder / name).write_text(json.dumps(held | entries))

    return apply


def text(name, content):
    def apply(folder):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)

    return apply


def pipe(name):
    """To open it never ends, unless somebody writes into it."""

    def apply(folder):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return apply


def renamed(held):
    for name in list(held):
        held[name.replace(".h.0.", ".g.0.")] = held.pop(name)


def put(value, name=FIRST):
    def change(held):
        held[name] = held[name].clone()
        held[name][0, 0] = value

    return weights(change)


def pickled(folder):
    (folder / WEIGHTS).unlink()
    with open(folder / "pytorch_model.bin", "wb") as file:
        pickle.dump(Runs(str(folder / "ran")), file)


class Runs:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def own_code(folder):
    """Leaves a file ``ran`` in the folder; transformers runs a copy of the code, from elsewhere."""
    ran = str(folder / "ran")
    (folder / "own.py").write_text(f"import pathlib\npathlib.Path({ran!r}).touch()\n")


def code_beside(folder):
    own_code(folder)
    entries = {f"Auto{kind}": "own.Own" for kind in ("Config", "Model", "ModelForCausalLM")}
    config(auto_map=entries, model_type="own")(folder)


def code_of_a_part(folder):
    """As LightGlue's configuration, which passed the wish on to the model that it is built on."""
    (folder / "part").mkdir()
    code_beside_alone(folder / "part")
    part = {"model_type": "own", "_name_or_path": str(folder / "part")}
    held = {"model_type": "lightglue", "trust_remote_code": True, "keypoint_detector_config": part}
    text("config.json", json.dumps(held))(folder)


def code_beside_alone(folder):
    text("config.json", "{}")(folder)
    code_beside(folder)


def code_of_the_tokenizer(folder):
    own_code(folder)
    held = {"auto_map": {"AutoTokenizer": ["own.Own", None]}, "tokenizer_class": "Own"}
    edited("tokenizer_config.json", **held)(folder)


def header(change):
    """Changes the header of the weights' file: its length, then JSON."""

    def apply(folder):
        raw = (folder / WEIGHTS).read_bytes()
        size = int.from_bytes(raw[:8], "little")
        (folder / WEIGHTS).write_bytes(change(raw[:8], raw[8 : 8 + size], raw[8 + size :]))

    return apply


def a_folder_in_place_of_the_weights(folder):
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).mkdir()


def an_index_to_elsewhere(folder):
    (folder / WEIGHTS).rename(folder.parent / f"{folder.name}-elsewhere.safetensors")
    named = dict.fromkeys(load_file(folder.parent / f"{folder.name}-elsewhere.safetensors"), "no")
    text("model.safetensors.index.json", json.dumps({"weight_map": named}))(folder)


HOSTILE = {
    "a weight is missing": (weights(lambda held: held.pop(FIRST)), "the weights lack"),
    "a layer is missing": (
        weights(lambda held: [held.pop(name) for name in list(held) if ".h.1." in name]),
        "the weights lack",
    ),
    "weights are renamed": (weights(renamed), "the weights lack"),
    "a weight is too much": (
        weights(lambda held: held.update({"transformer.extra.weight": torch.ones(2)})),
        "no place in the model",
    ),
    "a layer is too much": (config(n_layer=1), "no place in the model"),
    "a layer is too little": (config(n_layer=3), "a model of|the weights lack"),
    "no tensor at all": (weights(lambda held: held.clear()), "a model of|says n_layer"),
    "a weight is NaN": (put(float("nan")), "are not finite"),
    "a weight is infinite": (put(float("inf")), "are not finite"),
    "a weight is minus infinite": (put(-float("inf"), "transformer.wte.weight"), "are not finite"),
    "another shape": (
        weights(lambda held: held.update({FIRST: held[FIRST][:, :8].clone()})),
        "the weights have another shape for",
    ),
    "pickled weights": (pickled, "pickled weights are never loaded"),
    "code beside": (code_beside, "code of the folder's own is never run"),
    "10^9 layers": (config(n_layer=HUGE), f"says n_layer = {HUGE}"),
    "10^9 words": (config(vocab_size=HUGE), "describes a model of"),
    "10^9 positions": (config(n_positions=HUGE), "describes a model of"),
    "10^9 wide": (config(n_embd=HUGE), r"describes a model of|cannot be loaded|can load"),
    "10^9 heads": (config(n_head=HUGE), r"cannot be loaded|can load"),
    "a width of 0": (config(n_embd=0), r"lack|cannot be loaded|can load|another shape"),
    "a negative width": (config(n_embd=-8), r"cannot be loaded|can load"),
    "a width that is text": (config(n_embd="wide"), r"cannot be loaded|can load"),
    "a width of 400 digits": (config(n_embd=10**399), r"cannot be loaded|can load|describes"),
    "config is a list": (text("config.json", "[]"), "config.json is no JSON object"),
    "config is no JSON": (text("config.json", "{"), "config.json is no JSON"),
    "config is nested deeply": (
        text("config.json", "[" * 100_000 + "]" * 100_000),
        "config.json is no JSON",
    ),
    "config is empty": (text("config.json", ""), "config.json is no JSON"),
    "a kind that does not exist": (
        config(model_type="nothing"),
        "which transformers .* does not have; take",
    ),
    "tokenizer is no JSON": (
        text("tokenizer.json", "{"),
        r"cannot be loaded|can load|no tokenizer",
    ),
    "a header without end": (
        header(lambda size, head, rest: (1 << 62).to_bytes(8, "little") + head + rest),
        "altered or cut",
    ),
    "a header that is no JSON": (
        header(lambda size, head, rest: size + b"x" * len(head) + rest),
        "altered or cut",
    ),
    "data that overlap": (
        header(lambda size, head, rest: size + head.replace(b"[0,", b"[9,", 1) + rest),
        "altered or cut",
    ),
    "a folder in place of the weights": (
        a_folder_in_place_of_the_weights,
        r"no safetensors weights|can load",
    ),
    "an index to files elsewhere": (an_index_to_elsewhere, "is missing"),
    "a pipe in place of config": (pipe("config.json"), "config.json is a pipe"),
    "a pipe in place of the weights": (pipe(WEIGHTS), "model.safetensors is a pipe"),
    "a pipe in a folder of it": (pipe("1_Pooling/config.json"), "1_Pooling/config.json is a pipe"),
    "code of a part": (code_of_a_part, "says trust_remote_code = True, which asks for code"),
    "code of the hub's": (config(attn_implementation="one/kernel"), "= 'one/kernel', which asks"),
    "a kernel that transformers may fetch": (
        config(attn_implementation="flash_attention_2"),
        "= 'flash_attention_2', which asks",
    ),
    "code of the hub's within": (
        config(part={"_experts_implementation": "one/kernel"}),
        "_experts_implementation = 'one/kernel', which asks",
    ),
    "a tokenizer that is none": (
        edited("tokenizer_config.json", tokenizer_class="RagTokenizer"),
        "names RagTokenizer, which is no tokenizer of texts",
    ),
    "a tokenizer without a length": (
        edited("tokenizer_config.json", model_max_length="long"),
        "model_max_length = 'long'; expected a number",
    ),
    "quantized with what is not here": (
        config(quantization_config={"quant_method": "bitsandbytes", "load_in_8bit": True}),
        r"(cannot be loaded|can load).*bitsandbytes",
    ),
}
"""By name: what makes a sound folder of GPT-2 hostile, and the reason that a loader gives."""


def of_fewer_words(folder):
    weights(lambda held: held.update({WORDS: held[WORDS][:100].clone()}))(folder)
    config(vocab_size=100)(folder)


WHEN_USED = {
    "a tokenizer of more words": (
        of_fewer_words,
        r"gives token \d+, and the model knows 100 tokens",
    ),
    "an epsilon of NaN": (config(layer_norm_epsilon=float("nan")), "NaN or infinite"),
}
"""The same of what shows when the model is used: an encoder is tried when it is loaded."""


ENCODERS = {
    "parts are no list": (text("modules.json", "{}"), "modules.json: expected a list of JSON"),
    "parts are texts": (text("modules.json", '["x"]'), "modules.json: expected a list of parts"),
    "a part without a path": (
        text("modules.json", '[{"type": "x.Pooling", "path": 7}]'),
        "modules.json: expected a list of parts",
    ),
    "parts are no text": (
        lambda folder: (folder / "modules.json").write_bytes(b"\xff\xfe"),
        "modules.json: no JSON",
    ),
    "pooling is a list": (text("1_Pooling/config.json", "[]"), "config.json: expected an object"),
    "pooling steers a terminal": (
        text("1_Pooling/config.json", '{"pooling_mode": "\\u001b[2J"}'),
        "pools by '",
    ),
    "a length that is a list": (text(LENGTH, "[]"), f"{LENGTH}: expected an object"),
    "a length that is text": (text(LENGTH, '{"max_seq_length": "x"}'), "is 'x'; expected a whole"),
    "a length of NaN": (text(LENGTH, '{"max_seq_length": NaN}'), "is nan; expected a whole"),
    "a negative length": (text(LENGTH, '{"max_seq_length": -1}'), "at most -1 tokens"),
}
"""The same of files that an encoder alone has: to a language model the folder is as sound."""
