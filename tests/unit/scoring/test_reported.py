import pytest

import rejoinder
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import registry
from rejoinder.metrics.setting_search import typed, usual_settings
from shared_data import SYSTEMS, TESTSET

TEXTS = rejoinder.read_testset(TESTSET)
TUNED = rejoinder.read_responses(*SYSTEMS).filter(system="tuned")


@pytest.mark.parametrize(
    "name", ["bleu", "sbleu", "rougeL", "rougeLsum", "chrf", "ter", "deltableu"]
)
def test_what_is_tried_is_typed_as_it_is_meant(name):
    tried = usual_settings(registry.metric(name))
    assert tried[0] == registry.metric(name)
    assert len(tried) > 4
    for each in tried:
        assert registry.metric(typed(each)) == each


@pytest.mark.parametrize(
    ("typed_metric", "asked", "scale"),
    [
        ("bleu:compat=nltk", "bleu", 100),
        ("bleu:compat=sacrebleu,tok=intl", "bleu", 1),
        ("sbleu:compat=nltk", "bleu", 100),
        ("rougeL:stemmer=true", "rougeL", 100),
        ("chrf:word_order=2", "chrf", 100),
    ],
)
def test_the_settings_behind_a_figure_are_found(typed_metric, asked, scale):
    value = rejoinder.score(TEXTS, TUNED, [typed_metric], resamples=0).systems()["value"][0]
    found = rejoinder.find_settings(TEXTS, TUNED, asked, f"{scale * value:.6f}")
    assert typed(registry.metric(typed_metric)) in found.table["settings"].to_list()
    assert found.table["gives_it"].all()
    assert found.table["scale"][0] == scale
    assert (found.system, found.items) == ("tuned", 66)


def test_the_nearest_are_shown_where_none_gives_it():
    found = rejoinder.find_settings(TEXTS, TUNED, "rougeL", 51.3)
    assert not found.table["gives_it"].any()
    assert found.table.height == 5
    assert found.table["distance"].is_sorted()
    assert "none of the" in found.to_markdown()


def test_decimals_count():
    # ROUGE-L of the system is 48.245...: to one decimal 48.2, to two 48.25 (or 48.24).
    value = 100 * rejoinder.score(TEXTS, TUNED, ["rougeL"], resamples=0).systems()["value"][0]
    for decimals in (0, 1, 2, 5):
        found = rejoinder.find_settings(TEXTS, TUNED, "rougeL", f"{value:.{decimals}f}")
        assert found.table["settings"][0] == "rougeL"
    off = rejoinder.find_settings(TEXTS, TUNED, "rougeL", f"{value + 0.01:.5f}")
    assert not off.table.filter(settings="rougeL")["gives_it"].any()


@pytest.mark.parametrize("figure", ["x", "", "nan", "1e3", "inf", "1_0", [1]])
def test_what_is_no_figure_is_refused(figure):
    with pytest.raises(ParameterError, match="is no number with its decimals"):
        rejoinder.find_settings(TEXTS, TUNED, "bleu", figure)


def test_the_settings_of_another_tools_metric_are_not_known():
    @rejoinder.metric(bounds=(0, 1))
    def exact(reply, references):
        return reply in references

    with pytest.raises(ParameterError, match="its settings are not known here"):
        rejoinder.find_settings(TEXTS, TUNED, exact, "1.0")


def test_a_figure_is_of_one_system():
    with pytest.raises(InputError, match="the replies are of 3 systems"):
        rejoinder.find_settings(TEXTS, rejoinder.read_responses(*SYSTEMS), "bleu", "1.0")
