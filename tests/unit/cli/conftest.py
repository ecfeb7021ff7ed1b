"""What the tests of the command line share."""

import pytest

from rejoinder.cli import progress
from rejoinder.cli.app import run


@pytest.fixture
def command(capfd, monkeypatch):
    """Calls ``rejoinder`` with arguments and gives its exit status, output and messages."""
    monkeypatch.setattr(progress, "PATIENCE", 1e6)  # a busy machine must not add words

    def call(*arguments):
        status = run([str(each) for each in arguments])
        streams = capfd.readouterr()
        return status, streams.out, streams.err

    return call
