"""``rejoinder mark``: a language model marks replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rejoinder.cli import inputs, options, targets
from rejoinder.cli.declarations import command, flag, option, path
from rejoinder.cli.shard_option import ShardOptions, in_shards
from rejoinder.errors import InputError, ParameterError

if TYPE_CHECKING:
    from rejoinder.marking.rubric import Rubric
    from rejoinder.models.chat.endpoint import ChatEndpoint
    from rejoinder.models.likelihood.backend import LikelihoodBackend

EXAMPLES = """\b
Examples:
  rejoinder mark testset.jsonl systems/*.jsonl --model http://localhost:8000/v1 -o marks.csv
  rejoinder judge --scores marks.csv --ratings ratings.csv
"""


class MarkingServerOptions(options.ServedModelOptions):
    """How a model behind a server is asked."""

    answer_tokens: int = options.answer_tokens(16)
    seed: int = options.seed()


class MarkOptions(
    MarkingServerOptions,
    options.LocalModelOptions,
    options.TextsOptions,
    options.PrintedOptions,
    options.CardOptions,
    ShardOptions,
):
    """The options of 'mark'."""

    model: str = option(
        "--model",
        metavar="URL|FOLDER",
        type=click.Path(path_type=str),
        required=True,
        help="Model. The URL of an OpenAI-compatible server (http://host:8000/v1, with #NAME where it "
        "has several models), or the folder of a transformers model.",
    )
    rubric: Path | None = path(
        "--rubric",
        help="File of criteria and of words of the questions: .toml or .json. Default: one criterion, "
        "'How good is the reply?', from 1 to 5.",
    )
    output: Path = options.output(
        "A file of scores, or with --pairwise of preferences: .jsonl, .csv, .tsv or .parquet."
    )
    pairwise: bool = flag(
        "--pairwise",
        help="Compare two replies to each item, in both orders, for every pair of systems.",
    )
    turns: int | None = options.TURNS
    template: str = options.TEMPLATE
    work: Path | None = options.WORK


@command(MarkOptions, epilog=EXAMPLES)
@in_shards
def mark(given: MarkOptions) -> None:
    """Have a language model mark replies.

    The model marks each reply on the scale of each criterion of the rubric, or compares replies in
    pairs. Where the probabilities of its first word are known, a mark is the expectation over the
    scale; else it is the number that it answers. A model's marks are not people's: go on with 'judge'
    and with 'compare --ratings'. A server's key is read from the environment variable
    REJOINDER_API_KEY.
    """
    from rejoinder.cli.outputs import save_and_print
    from rejoinder.cli.terminal.progress import Progress
    from rejoinder.marking.mark import mark as marked
    from rejoinder.marking.rubric import Rubric, read_rubric
    from rejoinder.models.chat.asking import Limits
    from rejoinder.statistics.draws import check_draws
    from rejoinder.tables.write import write_preferences, write_scores

    check_draws(0, given.seed)
    _check(given)
    kind = targets.PREFERENCES if given.pairwise else targets.OUTSIDE_SCORES
    targets.check_file(given.output, kind, "--output")
    targets.check_folder(given.work, "--work")
    rubric = Rubric() if given.rubric is None else read_rubric(given.rubric)
    testset, responses = inputs.read(given, rest="--model URL -o OUTPUT")
    _check_replaced(given)
    with Progress("loading"):
        model = _opened(given, rubric)
    with _ending(model), Progress("asking", "questions") as tick:
        _check_names(given, rubric, model.name)
        if given.card is not None:
            _check_card(given.card, given, rubric, model)
        targets.announce_replacements()
        result = marked(
            testset,
            responses,
            model,
            None if given.rubric is None else rubric,
            pairwise=given.pairwise,
            turns=given.turns,
            limits=Limits(**given.of(options.ServedModelOptions)),
            work=given.work,
            progress=tick,
        )
    write = write_preferences if given.pairwise else write_scores
    save_and_print(
        result,
        given.output,
        lambda path: write(result.table, path),
        result.table.height,
        given=given,
        show=type(result).document,
    )


def _check(given: MarkOptions) -> None:
    """Raises where an option would be ignored."""
    from rejoinder.cli.needs import check_needs
    from rejoinder.models.likelihood.registry import kind_of_backend

    served = kind_of_backend(given.model) == "endpoint"
    check_needs(
        served, "the URL of a server", *given.of(options.ServedModelOptions, MarkingServerOptions)
    )
    local = given.of(options.LocalModelOptions)
    check_needs(not served, "a model on this machine", *local, "template")
    check_needs(given.work is not None, "--work FOLDER", "max_calls", "max_tokens")


def _check_replaced(given: MarkOptions) -> None:
    """Raises where the output would replace what is no earlier result of this model and rubric.

    Marks cost money and time. That the file is as its record says is known by now.
    """
    from rejoinder.cli.targets import has_content
    from rejoinder.files.provenance import content_of, read_record

    record = read_record(given.output) if has_content(given.output) else None
    if record is None:
        return
    if record["command"][1:2] != ["mark"]:
        why = "another command wrote it, as its record says"
    elif not _is_of_model(record, given.model):
        why = "it has the marks of another model, as its record says"
    elif _contents(record, "--rubric") != [content_of(each) for each in (given.rubric,) if each]:
        why = "it has the marks of another rubric, as its record says"
    else:
        return
    raise ParameterError(_not_replaced(given.output, why))


def _check_names(given: MarkOptions, rubric: Rubric, model: str) -> None:
    """Raises where the output has the marks of another model, which the same server had before."""
    from rejoinder.cli.targets import has_content

    if has_content(given.output) and not _has_names_of(given.output, rubric, given.pairwise, model):
        raise ParameterError(_not_replaced(given.output, "it has the marks of another model"))


def _check_card(
    card: Path, given: MarkOptions, rubric: Rubric, model: ChatEndpoint | LikelihoodBackend
) -> None:
    """Raises where a card is of another model or another rubric, before the model is asked."""
    from rejoinder.cli.judge_card import check_judge
    from rejoinder.marking.mark import signature_of
    from rejoinder.marking.tables import name_of

    signature = signature_of(rubric, model, given.pairwise, given.turns)
    check_judge(card, signature, [name_of(model.name, each.name) for each in rubric.criteria])


def _not_replaced(output: Path, why: str) -> str:
    return (
        f"--output {output}: the file is not replaced: {why}; name another file, or remove this one"
    )


def _has_names_of(output: Path, rubric: Rubric, pairwise: bool, model: str | None = None) -> bool:
    """Whether the names in a file are those that a model's marks of a rubric have."""
    from rejoinder.marking.tables import FIRST, has_names_of
    from rejoinder.tables.external_scores import read_scores
    from rejoinder.tables.preferences import read_preferences

    try:
        table = read_preferences(output, cluster=FIRST) if pairwise else read_scores(output)
    except InputError:
        return False
    return has_names_of(table, [criterion.name for criterion in rubric.criteria], model)


def _is_of_model(record: Mapping[str, Any], model: str) -> bool:
    from rejoinder.files.provenance import content_of, without_secrets

    if Path(model).exists():
        return content_of(model) in _contents(record, "--model")
    return without_secrets(model) in record["command"]


def _contents(record: Mapping[str, Any], role: str) -> list[str | None]:
    """The content of the inputs of an option, as a record has them."""
    return [each["content"] for each in record["inputs"] if each["as"] == role]


def _opened(given: MarkOptions, rubric: Rubric) -> ChatEndpoint | LikelihoodBackend:
    from rejoinder.marking.opening import open_model
    from rejoinder.models.likelihood.backend import LocalModel

    return open_model(
        given.model,
        rubric,
        pairwise=given.pairwise,
        answer_tokens=given.answer_tokens,
        seed=given.seed,
        template=given.template,
        local=LocalModel(**given.of(options.LocalModelOptions)),
    )


@contextmanager
def _ending(model: ChatEndpoint | LikelihoodBackend) -> Iterator[None]:
    """Ends what is under way at a server when the body ends."""
    from rejoinder.models.chat.endpoint import ChatEndpoint

    try:
        yield
    finally:
        if isinstance(model, ChatEndpoint):
            model.close()
