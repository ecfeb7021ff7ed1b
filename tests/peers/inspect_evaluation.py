"""An evaluation of inspect_ai with our scorer, run by the Python that has inspect_ai.

    python inspect_evaluation.py FOLDER EPOCHS

writes a log to FOLDER and prints the values of the log as a line of JSON. With --again LOG it scores
a log by the name of the scorer; with --precomputed LOG FILE it gives a log the scores of a file.
"""

import json
import sys

import inspect_ai
import tiktoken
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import precomputed_scores
from inspect_ai.scorer._scorer import scorer_create
from inspect_ai.solver import generate

from rejoinder.bridges.inspect_ai import scorer

METRICS = ["deltableu", "bleu:order=2", "bleu:order=4,smoothing=exp", "chrf", "length"]
REPLIES = ["yes i do", "at nine i think", "no", "", "so so", "see you there"]
REFERENCES = [
    ["yes", "yes i do indeed"], ["at nine"], ["no way", "no"], ["sure"], ["so and so"], ["see you"],
]  # fmt: skip
WEIGHTS = [[1.0, -0.5], [0.7], [0.2, 1.0], [0.9], [0.4], [0.8]]


class Words:
    """The encoding with which inspect_ai counts tokens would be fetched from a server."""

    def encode(self, text, **_):
        return text.split()

    encode_ordinary = encode


def replied(messages, tools, tool_choice, config):
    first = next(each.text for each in messages if each.role == "user")
    return ModelOutput.from_content("mockllm/model", REPLIES[int(first)])


def evaluated(folder, epochs):
    samples = [
        Sample(id=f"s{i}", input=str(i), target=references, metadata={"weights": WEIGHTS[i]})
        for i, references in enumerate(REFERENCES)
    ]
    samples[1].input = [
        ChatMessageSystem(content="Be short."), ChatMessageUser(content="1"),
        ChatMessageAssistant(content="what?"), ChatMessageUser(content="when?"),
    ]  # fmt: skip
    # Without a target no metric of references can score it; every word still counts for length.
    samples.append(Sample(id="none", input="0"))
    task = inspect_ai.Task(
        dataset=samples, solver=generate(), epochs=epochs, scorer=scorer(METRICS)
    )
    model = get_model("mockllm/model", custom_outputs=replied)
    return inspect_ai.eval(task, model=model, log_dir=folder, display="none")[0]


def values(log):
    return {
        each.name: {key.rpartition("/")[2]: number.value for key, number in each.metrics.items()}
        for each in log.results.scores
    }


tiktoken.get_encoding = lambda name: Words()
if sys.argv[1] == "--again":
    made = scorer_create("rejoinder/rejoinder", metrics=["rougeL", "bleu:order=2"])
    log = inspect_ai.score(read_eval_log(sys.argv[2]), made, action="append", display="none")
elif sys.argv[1] == "--precomputed":
    made = precomputed_scores(sys.argv[3])
    log = inspect_ai.score(read_eval_log(sys.argv[2]), made, action="append", display="none")
    write_eval_log(log, sys.argv[2])
else:
    log = evaluated(sys.argv[1], int(sys.argv[2]))
assert log.status == "success", log.error
print(json.dumps({"location": log.location, "values": values(log)}))
