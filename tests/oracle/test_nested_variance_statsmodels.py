"""The variance between prompts, samples and raters equals that of restricted maximum likelihood."""

import numpy as np
import pytest

from lazily import lazily
from rejoinder.statistics.nested_variance import moments, nested_components

pd = lazily("pandas")
models = lazily("statsmodels.regression.mixed_linear_model")


def test_prompts_and_samples():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(5, 40)) + 1.5 * rng.normal(size=40)
    frame = pd().DataFrame({"y": values.T.ravel(), "prompt": np.repeat(np.arange(40), 5)})
    fitted = models().MixedLM.from_formula("y ~ 1", frame, groups="prompt").fit(reml=True)
    found = nested_components(moments(values))
    assert found.between == pytest.approx(float(fitted.cov_re.iloc[0, 0]), rel=1e-4)
    assert found.within == pytest.approx(fitted.scale, rel=1e-4)


def test_prompts_samples_and_raters():
    rng = np.random.default_rng(6)
    y = (
        1.5 * rng.normal(size=(40, 1, 1))
        + rng.normal(size=(40, 4, 1))
        + 0.7 * rng.normal(size=(40, 4, 3))
    )
    frame = pd().DataFrame({
        "y": y.ravel(),
        "prompt": np.repeat(np.arange(40), 12),
        "sample": np.tile(np.repeat(np.arange(4), 3), 40),
    })  # fmt: skip
    fitted = (
        models()
        .MixedLM.from_formula(
            "y ~ 1", frame, groups="prompt", vc_formula={"sample": "0 + C(sample)"}, re_formula="1"
        )
        .fit(reml=True)
    )
    means = y.mean(axis=2)
    rows = np.stack([
        np.full(40, 4.0), np.full(40, 12.0), np.full(40, 36.0), y.sum(axis=(1, 2)),
        3 * (means**2).sum(axis=1),
        ((y - means[..., None]) ** 2).sum(axis=(1, 2)),
    ], axis=1)  # fmt: skip
    found = nested_components(rows)
    assert found.between == pytest.approx(float(fitted.cov_re.iloc[0, 0]), rel=1e-3)
    assert found.within == pytest.approx(float(fitted.vcomp[0]), rel=1e-3)
    assert found.raters == pytest.approx(fitted.scale, rel=1e-3)
