"""A RUBER model of a second's training on the examples, for tests of what is made with one."""

from rejoinder import read_testset
from shared_data import EXAMPLES
from tiny_ruber import narrow


def example_ruber(tmp_path_factory):
    """The folder of a model trained on the examples' corpus, once in a session."""
    from rejoinder.training.ruber import train_ruber

    folder = tmp_path_factory.getbasetemp() / "example-ruber"
    if not folder.exists():
        corpus = read_testset(EXAMPLES / "corpus.txt")
        with narrow():
            train_ruber(corpus, folder, sizes=("paper",), seeds=1, epochs=1)
    return str(folder)
