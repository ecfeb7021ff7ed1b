"""Random text that a tokenizer can trip over."""

import random

WORDS = (
    "the a cat sat on mat yes no ok I I'm don't it's e.g. U.S. 3.5 1,000 10-year -5 5- 1.-5 .5 5. "
    "a.b ... ., ,. 1..2 1...2 a..2 a.,.2 1.,2 -- 1--2 co-op &amp; &quot;x&quot; &lt;b&gt; &amp;lt; "
    "<skipped> <s> (hi) [x] {y} a/b x@y.z #tag $5 100% ~ `q` ' \" ; : ! ? | \\ ^ _ = + * né Ünïcode "
    "ΣΊΣΥΦΟΣ İstanbul ǅ ß ﬁ 你好 世界。 مرحبا שלום 😀 👍🏽 ١٢٣ ½ ² \u0301 \u200d \ufeff "
    "AT&T R&D x<y a<skipped>b -<skipped>\n"
).split(" ")
SPACES = [" "] * 12 + [
    "  ",
    "\t",
    "\n",
    "-\n",
    "\r",
    "\x0b",
    "\x1c",
    "\x85",
    "\xa0",
    "\u2003",
    "\u1680",
    "\u2028",
    "\u202f",
    "\u205f",
    "\u3000",
    "\u200b",
    "",
]
CHARACTERS = "".join(map(chr, range(32, 127))) + "éßΣσςİıſK中。、１２😀\u0301\u200b\xad\x00\x7f"


def text(rng: random.Random, longest: int = 12) -> str:
    kind = rng.random()
    if kind < 0.03:
        return ""
    if kind < 0.2:
        return "".join(rng.choice(CHARACTERS) for _ in range(rng.randrange(1, 20)))
    if kind < 0.3:
        return "".join(rng.choice("0a1.,- ") for _ in range(rng.randrange(1, 16)))
    parts = []
    for _ in range(rng.randrange(1, longest)):
        parts += [rng.choice(WORDS), rng.choice(SPACES)]
    return "".join(parts)


def corpus(seed: int, n: int, fewest: int = 1, most: int = 5):
    """n hypotheses, each with references that share much with it."""
    rng = random.Random(seed)
    hypotheses = [text(rng) for _ in range(n)]
    references = []
    for hypothesis in hypotheses:
        few = []
        for _ in range(rng.randrange(fewest, most + 1)):
            words = (hypothesis + " " + text(rng)).split(" ")
            rng.shuffle(words)
            few.append(rng.choice([text(rng), " ".join(words), hypothesis]))
        references.append(few)
    return hypotheses, references
