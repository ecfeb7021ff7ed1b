"""The choice of a device."""

import pytest

pytest.importorskip("torch")

from rejoinder.errors import ParameterError
from rejoinder.models.devices import chosen_device


@pytest.mark.parametrize("device", ["meta", "mps", "cpu:3", "tpu", "cuda:", "cuda:-1", "", "CPU"])
def test_a_device_that_is_none_of_them_is_refused(device):
    with pytest.raises(
        ParameterError, match="is unknown; choose 'auto', 'cpu', 'cuda' or 'cuda:N'"
    ):
        chosen_device(device)


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert chosen_device("cuda:1") == "cuda:1"
    with pytest.raises(ParameterError, match="torch finds 2; they are counted from 0"):
        chosen_device("cuda:2")
