"""The RUQ plot: what is averaged, and that the pictures come out."""

import numpy as np
import polars as pl
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.figures.ruq import course, ruq_plot
from rejoinder.utterance_quantity.requests import COLUMNS

GENERIC = ("I don't know.", "I don't know what to do.")


def table(seed=0, prompts=40, systems=("base", "tuned"), output=True):
    rng = np.random.default_rng(seed)
    rows = []
    for system in systems:
        for item in range(prompts):
            kinds = [("reference", 0, None, int(rng.integers(3, 25)))]
            kinds += [("output", 0, None, int(rng.integers(3, 9)))] * output
            kinds += [("generic", g, text, 5 + 3 * g) for g, text in enumerate(GENERIC)]
            for kind, number, text, length in kinds:
                values = (-rng.gamma(2, 1 if kind == "reference" else 0.5, length)).tolist()
                mean = float(np.mean(values))
                rows.append(
                    (system, f"c{item}", kind, number, text, True, length, mean, values, "")
                )
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def test_means_errors_and_counts_by_hand():
    found = course([[-1.0, -2.0, -6.0], [-3.0, -4.0], [-5.0]])
    # Position 1: -1, -3, -5; position 2: -2, -4; position 3: -6 alone.
    assert found.mean.tolist() == [-3.0, -3.0, -6.0]
    assert found.counts.tolist() == [3, 2, 1]
    # Standard deviations 2 and sqrt(2), over sqrt(3) and sqrt(2).
    assert found.error[:2] == pytest.approx([2 / 3**0.5, 1.0])
    assert np.isnan(found.error[2])
    assert course([[-1.0] * 30], longest=20).mean.size == 20


def test_train_and_test_side_by_side_as_png_and_svg(tmp_path):
    table(0).write_parquet(tmp_path / "train.parquet")
    paths = ruq_plot({"train": tmp_path / "train.parquet", "test": table(1)}, tmp_path / "plots")
    assert [path.name for path in paths] == ["ruq.png", "ruq.svg"]
    before = [path.read_bytes() for path in paths]
    assert before[0].startswith(b"\x89PNG")
    again = ruq_plot({"train": tmp_path / "train.parquet", "test": table(1)}, tmp_path / "plots")
    assert [path.read_bytes() for path in again] == before


def test_without_outputs_and_with_chosen_replies(tmp_path):
    paths = ruq_plot(
        {"test": table(output=False, prompts=2, systems=("m",))}, tmp_path, generic=GENERIC[1:]
    )
    assert all(path.stat().st_size > 1000 for path in paths)


def test_what_cannot_be_drawn_is_told(tmp_path):
    with pytest.raises(ParameterError, match="was not scored"):
        ruq_plot({"test": table()}, tmp_path, generic=["Well."])
    with pytest.raises(ParameterError, match="no table"):
        ruq_plot({}, tmp_path)
    with pytest.raises(InputError, match="no such file"):
        ruq_plot({"test": tmp_path / "none.parquet"}, tmp_path)
    sums = table().with_columns(logprobs=pl.lit(None, dtype=pl.List(pl.Float64)))
    with pytest.raises(InputError, match="single tokens"):
        ruq_plot({"test": sums}, tmp_path)
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="save_tokens"):
        ruq_plot({"test": tmp_path / "other.parquet"}, tmp_path)
    (tmp_path / "text.parquet").write_text("hello")
    with pytest.raises(InputError, match="no readable"):
        ruq_plot({"test": tmp_path / "text.parquet"}, tmp_path)
