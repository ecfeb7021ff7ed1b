"""Random-weight language models and a tokenizer, built on the spot: nothing is downloaded."""

from __future__ import annotations

TEXTS = [
    "Did you manage to get tickets for the night train?",
    "Yes, two beds in a sleeper, but they were the last ones.",
    "I don't know. I don't know what to do.",
    "Where is the old harbour? It is the last stop, ask the driver.",
    "We land at six in the morning. That's far too early to check in.",
]
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
KINDS = ("gpt2", "llama", "bart", "t5")


def tokenizer(kind="gpt2", end=True, chat=False):
    """A byte-level BPE tokenizer, with the special tokens that the kind of model writes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
    made.train_from_iterator(
        TEXTS * 3,
        trainers.BpeTrainer(
            vocab_size=340,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    around = {"llama": "<s> $A", "bart": "<s> $A </s>", "t5": "$A </s>"}.get(kind)
    if around is not None:
        made.post_processor = processors.TemplateProcessing(
            single=around, special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    known = {"pad_token": "<pad>"}
    if end:
        known |= {"bos_token": "<s>", "eos_token": "</s>"}
    wrapped = PreTrainedTokenizerFast(tokenizer_object=made, **known)
    wrapped.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    if chat:
        wrapped.chat_template = CHATML
    return wrapped


def model(kind, seed=0, window=128, width=32, layers=2, vocabulary=340):
    """A random model in the shape of its kind."""
    import torch
    import transformers as t

    # Weights wide enough that tokens differ: a random model of the default spread is nearly flat.
    torch.manual_seed(seed)
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    if kind == "gpt2":
        config = t.GPT2Config(
            vocab_size=vocabulary,
            n_positions=window,
            n_embd=width,
            n_layer=layers,
            n_head=4,
            initializer_range=0.3,
            **ids,
        )
        made = t.GPT2LMHeadModel(config)
    elif kind == "llama":
        config = t.LlamaConfig(
            vocab_size=vocabulary,
            max_position_embeddings=window,
            hidden_size=width,
            intermediate_size=2 * width,
            num_hidden_layers=layers,
            num_attention_heads=4,
            num_key_value_heads=2,
            initializer_range=0.3,
            **ids,
        )
        made = t.LlamaForCausalLM(config)
    elif kind == "bart":
        config = t.BartConfig(
            vocab_size=vocabulary,
            max_position_embeddings=window,
            d_model=width,
            encoder_layers=layers,
            decoder_layers=layers,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=2 * width,
            decoder_ffn_dim=2 * width,
            init_std=0.3,
            decoder_start_token_id=2,
            **ids,
        )
        made = t.BartForConditionalGeneration(config)
    else:
        config = t.T5Config(
            vocab_size=vocabulary,
            d_model=width,
            d_kv=8,
            d_ff=2 * width,
            num_layers=layers,
            num_heads=4,
            decoder_start_token_id=0,
            initializer_factor=2.0,
            **{key: value for key, value in ids.items() if key != "bos_token_id"},
        )
        made = t.T5ForConditionalGeneration(config)
    return made.eval()


def save(folder, kind="gpt2", seed=0, **options):
    """A checkpoint as ``from_pretrained`` loads it: safetensors and JSON."""
    chat, end = options.pop("chat", False), options.pop("end", True)
    model(kind, seed, **options).save_pretrained(folder)
    tokenizer(kind, end=end, chat=chat).save_pretrained(folder)
    return folder


def save_encoder(folder, seed=0, width=32, layers=2):
    """A random sentence encoder (BERT's shape, pooled by the mean) as ``from_pretrained`` loads it."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=340,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=2 * width,
        max_position_embeddings=128,
        initializer_range=0.3,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer("bart").save_pretrained(folder)
    return folder
