"""Opens models that mark replies: chat models behind servers, and models on this machine."""

from __future__ import annotations

import os
from typing import Any, cast

from rejoinder.errors import ParameterError
from rejoinder.marking.answers import overlapping, single_characters
from rejoinder.marking.rubric import Rubric
from rejoinder.models.chat.endpoint import ANSWER_TOKENS, ChatEndpoint
from rejoinder.models.likelihood.backend import LikelihoodBackend, LocalModel
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.registry import kind_of_backend, open_backend
from rejoinder.models.unused_settings import check_unused

Model = str | os.PathLike[str] | ChatEndpoint | LikelihoodBackend


def open_model(
    model: Model,
    rubric: Rubric,
    *,
    pairwise: bool = False,
    answer_tokens: int = ANSWER_TOKENS,
    seed: int = 12345,
    template: str = "auto",
    local: LocalModel = LocalModel(),
) -> ChatEndpoint | LikelihoodBackend:
    """Opens a model that marks replies; one that is open already is passed on.

    Args:
        model: As for ``mark``, as are the others.
        rubric: What is asked.
        pairwise: Whether replies are compared.
        answer_tokens: Maximum number of tokens of an answer of a server.
        seed: Random seed, which a server is told.
        template: Of a model on this machine, whether its chat template is used.
        local: How a model on this machine is loaded and run.

    Raises:
        InputError: It cannot be loaded or reached.
        ParameterError: A setting has no effect on a model of this kind, or it cannot mark.
    """
    of_server = {"answer_tokens": answer_tokens, "seed": seed}
    here = {"template": template, **vars(local)}
    if isinstance(model, ChatEndpoint | LikelihoodBackend):
        where = "on a model that is open already; it is for opening it"
        check_unused({**here, **of_server}, {**_HERE, **_SERVER_DEFAULTS}, where)
        return model
    kind = kind_of_backend(model)
    points = _points(rubric, pairwise)
    if kind == "endpoint":
        check_unused(here, _HERE, "on a server; it is for a model on this machine")
        graded = not pairwise and any(map(single_characters, points))
        return ChatEndpoint(
            os.fspath(model), logprobs=graded, answer_tokens=answer_tokens, seed=seed
        )
    if kind == "recording":
        raise ParameterError(
            f"{model}: a file of likelihoods gives no marks; name the URL of a server or the folder of a "
            "model"
        )
    check_unused(of_server, _SERVER_DEFAULTS, "on a model on this machine; it is for a server")
    # One answer that begins with another (1 and 10) is told from it by the end of sequence.
    prompting = Prompting(template=cast("Any", template), end=any(map(overlapping, points)))
    return open_backend(model, prompting, local=local)


def _points(rubric: Rubric, pairwise: bool) -> list[dict[str, float]]:
    if pairwise:
        return [dict.fromkeys(rubric.choices(), 0.0)]
    return [{str(grade): float(grade) for grade, _ in each.points} for each in rubric.criteria]


_HERE = {"template": "auto", **vars(LocalModel())}

_SERVER_DEFAULTS = {"answer_tokens": ANSWER_TOKENS, "seed": 12345}
